//! Names the host activity of a path by the innermost event on its thread.

use super::sweep::Raw;
use super::{Evidence, PathSegment, SegmentKind};
use crate::analysis::host_cause::{HostEvent, SameThread, Segment, innermost, sweep_order};
use crate::analysis::latency::DISPATCH_GAP;
use crate::analysis::timeline::DeviceTimeline;
use crate::trace::{IntervalSet, NameId, ThreadId, Trace};
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;

/// A path with names.
pub(super) struct Named {
    /// The segments in order of time.
    pub(super) segments: Vec<PathSegment>,
    /// For each part of host activity the call that it came before, with the segment's index.
    pub(super) host_parts: Vec<(u32, u32)>,
    /// Time of the host that may be a wait without a record.
    pub(super) unseen: Picoseconds,
}

/// Splits host segments by the innermost event.
pub(super) fn name(evidence: &Evidence<'_>, window: Interval, mut swept: Vec<Raw>) -> Named {
    swept.reverse();
    let threads = SameThread::of(evidence.trace, evidence.launches);
    let known = events(evidence.trace, &threads, window, &swept);
    let unseen = Unseen::of(evidence);
    let (mut segments, mut parts) = (Vec::with_capacity(swept.len()), Vec::new());
    let mut time_unseen = Picoseconds::ZERO;
    for raw in swept {
        let Some((thread, item)) = raw.host else {
            segments.push(PathSegment { interval: raw.interval, kind: raw.kind, name: raw.name });
            continue;
        };
        let thread = threads.of_thread(thread);
        let found = known.get(&thread).map_or(&[][..], Vec::as_slice);
        for (interval, row) in split(found, raw.interval) {
            let name = row.map(NameId::new);
            let says = name.map_or("", |name| evidence.trace.name(name));
            if unseen.may_wait(interval, says) {
                time_unseen += interval.duration();
                segments.push(PathSegment { interval, kind: SegmentKind::Unexplained, name });
                continue;
            }
            parts.push((item, u32::try_from(segments.len()).unwrap_or(u32::MAX)));
            segments.push(PathSegment { interval, kind: SegmentKind::Host, name });
        }
    }
    Named { segments, host_parts: parts, unseen: time_unseen }
}

/// Waits that leave no record. JAX's host waits for results in its own runtime, not in a call of the GPU's: where nothing is recorded on
/// the host while a device is busy, or only a frame of its interpreter, it may have done nothing but wait.
struct Unseen(Option<IntervalSet>);

impl Unseen {
    fn of(evidence: &Evidence<'_>) -> Self {
        let is_jax = !evidence.trace.executions.is_empty();
        let busy = || {
            let devices = evidence.timeline.devices.iter();
            IntervalSet::from_intervals(devices.flat_map(DeviceTimeline::busy))
        };
        Self(is_jax.then(busy))
    }

    fn may_wait(&self, interval: Interval, event: &str) -> bool {
        let tells_nothing = event.is_empty() || event.starts_with('$');
        tells_nothing
            && self.0.as_ref().is_some_and(|busy| busy.clip(interval).total() > DISPATCH_GAP)
    }
}

/// The innermost events of the threads that host segments are on.
fn events(
    trace: &Trace,
    threads: &SameThread,
    window: Interval,
    swept: &[Raw],
) -> FxHashMap<ThreadId, Vec<Segment>> {
    let mut by_thread: FxHashMap<ThreadId, Vec<HostEvent>> = FxHashMap::default();
    for (thread, _) in swept.iter().filter_map(|raw| raw.host) {
        by_thread.entry(threads.of_thread(thread)).or_default();
    }
    let mut take = |thread, interval: Interval, name: NameId| {
        if let Some(events) = by_thread.get_mut(&threads.of_thread(thread))
            && interval.intersection(window).is_some()
        {
            let row = u32::try_from(name.index()).unwrap_or(u32::MAX);
            events.push(HostEvent { interval, row });
        }
    };
    trace.annotations.iter().for_each(|one| take(one.thread, one.interval, one.name));
    trace.ops.iter().for_each(|one| take(one.thread, one.interval, one.name));
    trace.host_spans.iter().for_each(|one| take(one.thread, one.interval, one.name));
    trace.host_calls.iter().for_each(|one| take(one.thread, one.interval, one.api));
    let segments = |mut events: Vec<HostEvent>| {
        events.sort_by_key(|event| sweep_order(event.interval));
        innermost(events).collect()
    };
    by_thread.into_iter().map(|(thread, events)| (thread, segments(events))).collect()
}

/// The parts of an interval by what was innermost; parts without an event have no row.
fn split(events: &[Segment], interval: Interval) -> Vec<(Interval, Option<u32>)> {
    let mut parts: Vec<(Interval, Option<u32>)> = Vec::new();
    let mut at = interval.start();
    let mut push = |from, to, row| {
        if let Some(part) = Interval::new(from, to).filter(|one| !one.is_empty()) {
            parts.push((part, row));
        }
    };
    let first = events.partition_point(|one| one.interval.end() <= interval.start());
    for one in &events[first..] {
        let Some(part) = one.interval.intersection(interval) else { break };
        push(at, part.start(), None);
        push(part.start(), part.end(), Some(one.row));
        at = part.end();
    }
    push(at, interval.end(), None);
    parts
}
