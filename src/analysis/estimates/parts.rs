//! Where the time of a cause goes: measured, and what advice about it rests on.

use super::causes::{copy_apis, is_call_of};
use crate::analysis::path::{Model, Path};
use crate::trace::{DeviceEventKind, IntervalSet};
use crate::units::Picoseconds;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Calls that are named.
const CALLS_MAX: usize = 3;

/// A part of a cause's time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it goes to.
    pub what: String,
    /// How much.
    pub time: Picoseconds,
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
    found.truncate(CALLS_MAX);
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
        take("under copies and fills alone", &work(DeviceEventKind::copies_or_fills)),
    ];
    // Whole calls: the records' idle under such waits leaves their ends out.
    found.push(Part {
        what: "while nothing ran, calling and returning included".to_owned(),
        time: rest.total(),
    });
    found.retain(|part| part.time > Picoseconds::ZERO);
    found.sort_by_key(|part| Reverse(part.time));
    found
}
