//! Other readings of a device's records: what tools come to that leave records out, cut them, or take another window.
//!
//! They are evidence and never a claim: where a number that was stated elsewhere is one of them, the report can say which.

use super::launches::Launch;
use super::{Analysis, DeviceTimeline};
use crate::trace::{DeviceEvent, IntervalSet, Trace};
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;

/// A way to read the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadingKind {
    /// Without work whose launch was not recorded, where some was launched before recording began.
    LinkedOnly,
    /// With records that outlast a later record of their stream cut where that one begins.
    OverrunsCut,
    /// In the window of all devices together.
    CommonWindow,
}

impl ReadingKind {
    /// The name in reports.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::LinkedOnly => "linked-only",
            Self::OverrunsCut => "overruns-cut",
            Self::CommonWindow => "common-window",
        }
    }
}

/// The budget of one device by one reading.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    /// Which reading.
    pub(super) kind: ReadingKind,
    /// The same in words, to be put behind "the number".
    pub(super) words: String,
    /// First start to last end.
    pub(super) window: Interval,
    /// Union over all streams.
    pub(super) busy: Picoseconds,
    /// Plain sum of kernel durations.
    pub(super) kernel_sum: Picoseconds,
}

/// The readings of each device of the timeline, in its order; none where a device's records can be read in one way only.
pub(super) fn readings(trace: &Trace, analysis: &Analysis) -> Vec<Vec<Reading>> {
    let devices = &analysis.timeline.devices;
    let n_before =
        analysis.launches.of_event.iter().filter(|one| **one == Launch::BeforeWindow).count();
    let common = devices.iter().map(|device| device.window).reduce(Interval::hull);
    let all = devices.iter().map(|device| {
        let linked = (n_before > 0).then(|| linked_only(trace, analysis, device, n_before));
        let cut = (!analysis.order.containments.is_empty())
            .then(|| overruns_cut(trace, analysis, device))
            .flatten();
        let common = common.filter(|&window| devices.len() > 1 && window != device.window);
        let common = common.map(|window| Reading {
            kind: ReadingKind::CommonWindow,
            words: "in the window of all devices of the capture together".to_owned(),
            window,
            busy: device.busy.total(),
            kernel_sum: device.kernel_sum,
        });
        linked.flatten().into_iter().chain(cut).chain(common).collect()
    });
    all.collect()
}

fn linked_only(
    trace: &Trace,
    analysis: &Analysis,
    device: &DeviceTimeline,
    n_before: usize,
) -> Option<Reading> {
    let events = trace.device_events.iter().zip(&analysis.launches.of_event);
    let linked = events.filter(|(_, launch)| launch.call().is_some()).map(|(event, _)| event);
    let words = format!(
        "that is left without the {n_before} records that were launched before recording began"
    );
    of_events(
        trace,
        device,
        linked.map(|event| (event, event.interval)),
        ReadingKind::LinkedOnly,
        words,
    )
}

fn overruns_cut(trace: &Trace, analysis: &Analysis, device: &DeviceTimeline) -> Option<Reading> {
    let containments = &analysis.order.containments;
    let starts = containments.iter().map(|one| ((one.stream, one.start, one.name), one.plausible));
    let plausible: FxHashMap<_, Picoseconds> = starts.collect();
    let cut = |event: &DeviceEvent| {
        let start = event.interval.start();
        let overruns = plausible.get(&(event.stream, start, event.name));
        overruns.map_or(event.interval, |&length| Interval::starting_at(start, length))
    };
    let events = trace.device_events.iter().map(|event| (event, cut(event)));
    let words = format!(
        "with {} records cut that outlast a later record of their stream",
        containments.len()
    );
    of_events(trace, device, events, ReadingKind::OverrunsCut, words)
}

/// The budget of some of a device's work, each piece with the time that the reading gives it.
fn of_events<'t>(
    trace: &Trace,
    device: &DeviceTimeline,
    events: impl Iterator<Item = (&'t DeviceEvent, Interval)>,
    kind: ReadingKind,
    words: String,
) -> Option<Reading> {
    let own = events.filter(|(event, _)| trace.stream(event.stream).device == device.device);
    let own: Vec<(&DeviceEvent, Interval)> = own.collect();
    let busy = IntervalSet::from_intervals(own.iter().map(|(_, interval)| *interval));
    let kernels = own.iter().filter(|(event, _)| event.kind.is_kernel());
    Some(Reading {
        kind,
        words,
        window: own.iter().map(|(_, interval)| *interval).reduce(Interval::hull)?,
        busy: busy.total(),
        kernel_sum: kernels.map(|(_, interval)| interval.duration()).sum(),
    })
}
