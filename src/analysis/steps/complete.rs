//! Which steps the records cover.

use super::delimit::Bounds;
use super::{Delimiter, Step};
use crate::analysis::launches::Launches;
use crate::trace::{HostCallKind, Trace};
use crate::units::Interval;

/// Why a step does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Incomplete {
    /// Recording began after it did.
    CutAtStart,
    /// Recording ended before its work did.
    CutAtEnd,
    /// Launches in it left no record.
    WithoutRecords,
    /// Nothing tells where the last of several repetitions ends.
    NoNext,
    /// The next one begins at the same time: what takes no time was not measured.
    WithoutLength,
}

impl Incomplete {
    /// The reason in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::CutAtStart => "recording began after it did",
            Self::CutAtEnd => "recording ended before its work did",
            Self::WithoutRecords => "launches in it left no record",
            Self::NoNext => "nothing tells where the last one ends",
            Self::WithoutLength => "the next one begins at the same time",
        }
    }
}

/// Marks the steps that the records do not cover. The worst reason counts: what is not known at the end still begins in full.
pub(super) fn mark(
    trace: &Trace,
    launches: &Launches,
    bounds: &[Bounds],
    delimiter: Delimiter,
    steps: &mut [Step],
) {
    let span = trace.profiler.span;
    let end = trace.profiler.window_end.into_iter().chain(span.map(Interval::end)).min();
    if let Some(last) = steps.last_mut() {
        if !delimiter.is_marker() {
            last.incomplete = Some(Incomplete::NoNext);
        } else if end.is_some_and(|end| end < last.host.end()) {
            last.incomplete = Some(Incomplete::CutAtEnd);
        }
    }
    for (index, call) in trace.host_calls.iter().enumerate() {
        let is_launch =
            matches!(launches.kinds[index], HostCallKind::Launch | HostCallKind::GraphLaunch);
        if !is_launch || launches.n_records[index] > 0 || launches.is_captured(index, call) {
            continue;
        }
        let at = call.interval.start();
        let after = bounds.partition_point(|one| one.host.start() <= at);
        let step = after.checked_sub(1).filter(|&step| bounds[step].host.contains(at));
        let Some(step) = step.map(|step| &mut steps[step]) else { continue };
        let why = if launches.is_cut_off(index) {
            Incomplete::CutAtEnd
        } else {
            Incomplete::WithoutRecords
        };
        step.incomplete = Some(step.incomplete.map_or(why, |known| known.max(why)));
    }
    for index in 1..steps.len() {
        if begin_together(&steps[index - 1], &steps[index]) {
            steps[index - 1].incomplete = Some(Incomplete::WithoutLength);
        }
    }
    if let Some(first) = steps.first_mut()
        && span.is_some_and(|span| first.host.start() < span.start())
    {
        first.incomplete = Some(Incomplete::CutAtStart);
    }
}

/// True where two steps begin at one time wherever both have work, or on the host where none of them has.
fn begin_together(one: &Step, next: &Step) -> bool {
    let starts = one
        .devices
        .iter()
        .filter_map(|&(device, window)| next.start_on(device).map(|next| (window.start(), next)));
    let mut starts = starts.peekable();
    if starts.peek().is_none() {
        return one.devices.is_empty() && one.host.start() == next.host.start();
    }
    starts.all(|(one, next)| one == next)
}
