//! Where in time the idle is: the longest gaps of each device, with what ran around each and what explains it.

use super::tables::gaps;
use super::{Analysis, DeviceIdle, DeviceTimeline};
use crate::report::{GapRow, LongGap};
use crate::trace::{DeviceId, IntervalSet, NameId, Trace};
use crate::units::{Interval, Picoseconds};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// Gaps of each device.
const GAPS_MAX: usize = 10;

/// Gaps of one device, each with its index among them.
pub(super) type Numbered = Vec<(u32, Interval)>;

/// The longest gaps of every device in the order of the timeline, the longest first.
pub(super) fn longest_gaps(trace: &Trace, analysis: &Analysis) -> Vec<Vec<LongGap>> {
    let devices = &analysis.timeline.devices;
    let longest: Vec<Numbered> = devices.iter().map(|device| longest(&device.gaps)).collect();
    let chosen: FxHashSet<(usize, u32)> = longest
        .iter()
        .enumerate()
        .flat_map(|(at, gaps)| gaps.iter().map(move |&(gap, _)| (at, gap)))
        .collect();
    let before = ended_before(trace, devices.iter().map(|one| one.device).zip(&longest));
    let mut rows = gaps(trace, analysis, |at, gap| chosen.contains(&(at, gap))).into_iter();
    let of_device = |((timeline, gaps), idle): ((&DeviceTimeline, &Numbered), &DeviceIdle)| {
        let mut found: Vec<LongGap> = gaps
            .iter()
            .zip(rows.by_ref())
            .map(|(&(_, gap), row)| {
                let last =
                    before.get(&(timeline.device, gap.start())).map(|&name| trace.name(name));
                long_gap(row, last, class(idle, timeline, gap))
            })
            .collect();
        found.sort_by_key(|gap| Reverse(gap.length_us));
        found
    };
    devices.iter().zip(&longest).zip(&analysis.idle.devices).map(of_device).collect()
}

/// The longest of some gaps, in order of time; of equal ones the earlier.
pub(super) fn longest(gaps: &IntervalSet) -> Numbered {
    let mut found: Numbered = Vec::with_capacity(GAPS_MAX + 1);
    for (nth, gap) in (0_u32..).zip(gaps.iter()) {
        let at = found.partition_point(|(_, known)| known.duration() >= gap.duration());
        if at < GAPS_MAX {
            found.insert(at, (nth, gap));
            found.truncate(GAPS_MAX);
        }
    }
    found.sort_by_key(|&(nth, _)| nth);
    found
}

/// The work that ended where a gap begins; of several pieces the first by name.
fn ended_before<'a>(
    trace: &Trace,
    gaps: impl Iterator<Item = (DeviceId, &'a Numbered)>,
) -> FxHashMap<(DeviceId, Picoseconds), NameId> {
    let starts: FxHashSet<(DeviceId, Picoseconds)> = gaps
        .flat_map(|(device, gaps)| gaps.iter().map(move |(_, gap)| (device, gap.start())))
        .collect();
    let mut found = FxHashMap::default();
    for event in &trace.device_events {
        let end = (trace.stream(event.stream).device, event.interval.end());
        if starts.contains(&end) {
            let first = |known: NameId| match trace.name(event.name) < trace.name(known) {
                true => event.name,
                false => known,
            };
            found.entry(end).and_modify(|known| *known = first(*known)).or_insert(event.name);
        }
    }
    found
}

/// The class that most of a gap is in; of equal parts the first.
fn class(idle: &DeviceIdle, device: &DeviceTimeline, gap: Interval) -> Option<&'static str> {
    let all = idle.gaps.within(device, gap);
    let parts = all.iter().map(|(name, set)| (*name, set.total()));
    let most = parts.rev().max_by_key(|&(_, time)| time)?;
    (most.1 > Picoseconds::ZERO).then_some(most.0)
}

fn long_gap(row: GapRow, last: Option<&str>, class: Option<&str>) -> LongGap {
    LongGap {
        start_us: row.start_us,
        length_us: row.length_us,
        class: class.map(str::to_owned),
        last_work: last.map(str::to_owned),
        next_work: row.next_work.map(|name| name.to_string()),
        launch: row.launch.map(|name| name.to_string()),
        host_event: Some(row.host_event.0.to_string()),
        host_kind: Some(row.host_event.1.to_owned()),
        host_us: Some(row.host_us),
    }
}
