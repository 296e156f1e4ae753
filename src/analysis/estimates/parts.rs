//! Where the time of a cause goes: measured, and what advice about it rests on.

use super::causes::without_number;
use crate::analysis::host_cause::{HostEvent, Segment, innermost};
use crate::analysis::path::{Model, Path, PathSegment};
use crate::trace::{NameId, ThreadId};
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Functions that are named.
const FUNCTIONS_MAX: usize = 3;

/// A part of a cause's time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it goes to.
    pub what: String,
    /// How much.
    pub time: Picoseconds,
}

/// The innermost Python functions while the host was in an event on the path, the longest first; empty where no frame is kept.
pub(super) fn functions(path: &Path, model: &Model<'_>, event: &str) -> Vec<Part> {
    let trace = model.trace;
    if trace.python_frames.is_empty() {
        return Vec::new();
    }
    let is_it = |segment: &PathSegment| {
        segment.name.is_some_and(|name| without_number(trace.name(name)) == event)
    };
    let parts = path.host_parts.iter().map(|&(item, at)| (item, &path.segments[at as usize]));
    let parts = parts.filter(|(_, segment)| is_it(segment));
    let parts: Vec<(ThreadId, Interval)> =
        parts.map(|(item, one)| (model.items[item as usize].thread, one.interval)).collect();
    let frames = frames(path, model, &parts);
    let mut times: FxHashMap<u32, Picoseconds> = FxHashMap::default();
    for (thread, interval) in parts {
        let of_thread = frames.get(&thread).map_or(&[][..], Vec::as_slice);
        let first = of_thread.partition_point(|one| one.interval.end() <= interval.start());
        let meets = of_thread[first..].iter().map_while(|one| {
            let part = one.interval.intersection(interval)?;
            Some((one.row, part.duration()))
        });
        meets.for_each(|(row, time)| *times.entry(row).or_default() += time);
    }
    let part = |(row, time)| Part { what: trace.name(NameId::new(row)).to_owned(), time };
    let mut found: Vec<Part> = times.into_iter().map(part).collect();
    found.sort_by(|a, b| (Reverse(a.time), &a.what).cmp(&(Reverse(b.time), &b.what)));
    found.truncate(FUNCTIONS_MAX);
    found
}

/// The innermost frames of the threads that some parts are on, within the window.
fn frames(
    path: &Path,
    model: &Model<'_>,
    parts: &[(ThreadId, Interval)],
) -> FxHashMap<ThreadId, Vec<Segment>> {
    let mut by_thread: FxHashMap<ThreadId, Vec<HostEvent>> = FxHashMap::default();
    for (thread, _) in parts {
        by_thread.entry(*thread).or_default();
    }
    for frame in &model.trace.python_frames {
        if let Some(events) = by_thread.get_mut(&frame.thread)
            && frame.interval.intersection(path.window).is_some()
        {
            let row = u32::try_from(frame.name.index()).unwrap_or(u32::MAX);
            events.push(HostEvent { interval: frame.interval, row });
        }
    }
    by_thread.into_iter().map(|(thread, events)| (thread, innermost(events))).collect()
}
