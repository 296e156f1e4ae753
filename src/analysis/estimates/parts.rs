//! Where the time of a cause goes: measured, and what advice about it rests on.

use super::causes::{copy_apis, is_call_of, without_number};
use crate::analysis::host_cause::{HostEvent, Segment, innermost};
use crate::analysis::path::{Model, Path, PathSegment};
use crate::trace::{DeviceEventKind, IntervalSet, NameId, ThreadId};
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Functions and calls that are named.
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

/// The calls that hand over copies and fills on the path, by name.
pub(super) fn copy_calls(path: &Path, model: &Model<'_>) -> Vec<Part> {
    let apis = copy_apis(model);
    let mut times: BTreeMap<&str, Picoseconds> = BTreeMap::new();
    for one in path.segments.iter().filter(|one| is_call_of(&apis, one)) {
        if let Some(name) = one.name {
            *times.entry(model.trace.name(name)).or_default() += one.interval.duration();
        }
    }
    let part = |(name, time): (&str, Picoseconds)| Part { what: name.to_owned(), time };
    let mut found: Vec<Part> = times.into_iter().map(part).collect();
    found.sort_by(|a, b| (Reverse(a.time), &a.what).cmp(&(Reverse(b.time), &b.what)));
    found.truncate(FUNCTIONS_MAX);
    found
}

/// Waits of the host in calls while nothing but collectives ran on the device.
pub(super) const UNDER_COLLECTIVES: &str = "under collectives alone";

/// What ran on the device while the host waited for it inside calls in the window. The parts add up to those waits.
pub(super) fn waits(model: &Model<'_>) -> Vec<Part> {
    let waits = model.items.iter().filter(|item| item.kind.blocks_on_device());
    let waits = IntervalSet::from_intervals(waits.map(|item| item.interval)).clip(model.window);
    let work = |is_it: fn(DeviceEventKind) -> bool| {
        let of_kind = model.nodes.iter().filter(move |node| {
            let kind = model.trace.device_events[node.event as usize].kind;
            node.device == model.device && is_it(kind)
        });
        IntervalSet::from_intervals(of_kind.map(|node| node.interval))
    };
    let mut rest = waits;
    let mut take = |what: &str, work: &IntervalSet| {
        let time = rest.intersection(work).total();
        rest = rest.difference(work);
        Part { what: what.to_owned(), time }
    };
    let mut found = vec![
        take("under compute kernels", &work(|kind| kind == DeviceEventKind::Kernel)),
        take(UNDER_COLLECTIVES, &work(|kind| kind == DeviceEventKind::Collective)),
        take("under copies and fills alone", &work(|kind| !kind.is_kernel())),
    ];
    found.push(Part { what: "while nothing ran".to_owned(), time: rest.total() });
    found.retain(|part| part.time > Picoseconds::ZERO);
    found.sort_by_key(|part| Reverse(part.time));
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
