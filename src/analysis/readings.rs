//! Other readings of a device's records: what tools come to that leave records out, cut them, or take another window.
//!
//! They are evidence and never a claim: where a number that was stated elsewhere is one of them, the report can say which.

use super::launches::Launch;
use super::{Analysis, DeviceTimeline};
use crate::trace::{DeviceEvent, DeviceId, IntervalSet, Trace};
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;

/// A way to read the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadingKind {
    /// Without work whose launch was not recorded, where some of it was launched before recording began.
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
    let mut readings: Vec<Vec<Reading>> = devices.iter().map(|_| Vec::new()).collect();
    let launched = |event: usize| analysis.launches.of_event[event];
    if analysis.launches.of_event.contains(&Launch::BEFORE_WINDOW) {
        let linked =
            by_device(trace, devices, |at, event| launched(at).call().map(|_| event.interval));
        add(&mut readings, devices, linked, ReadingKind::LinkedOnly, |n_left_out| {
            format!("that is left without the {n_left_out} records whose launch was not recorded")
        });
    }
    let overruns = analysis.order.containments.iter();
    let overruns = overruns.map(|one| ((one.stream, one.start, one.name), one.plausible));
    let overruns: FxHashMap<_, Picoseconds> = overruns.collect();
    if !overruns.is_empty() {
        let cut = by_device(trace, devices, |_, event| {
            let start = event.interval.start();
            let plausible = overruns.get(&(event.stream, start, event.name));
            let cut = |&length: &Picoseconds| Interval::starting_at(start, length);
            Some(plausible.map_or(event.interval, cut))
        });
        add(&mut readings, devices, cut, ReadingKind::OverrunsCut, |_| {
            "with records cut that outlast a later record of their stream".to_owned()
        });
    }
    let common = devices.iter().map(|device| device.window).reduce(Interval::hull);
    for (readings, device) in readings.iter_mut().zip(devices) {
        let window = common.filter(|&window| window != device.window);
        readings.extend(window.map(|window| Reading {
            kind: ReadingKind::CommonWindow,
            words: "in the window of all devices of the capture together".to_owned(),
            window,
            busy: device.busy_time(),
            kernel_sum: device.kernel_sum,
        }));
    }
    readings
}

/// The work of one device by a reading: the time of each piece, that of kernels in all, and how many pieces are left out.
#[derive(Default)]
struct Work {
    pieces: Vec<Interval>,
    kernel_sum: Picoseconds,
    n_left_out: u64,
}

/// The work of each device of the timeline, with the time that a reading gives to each piece by its index; pieces without one are
/// left out.
fn by_device(
    trace: &Trace,
    devices: &[DeviceTimeline],
    time: impl Fn(usize, &DeviceEvent) -> Option<Interval>,
) -> Vec<Work> {
    let places = devices.iter().enumerate().map(|(at, device)| (device.device, at));
    let places: FxHashMap<DeviceId, usize> = places.collect();
    let room = |device: &DeviceTimeline| usize::try_from(device.n_events).unwrap_or_default();
    let empty = |device| Work { pieces: Vec::with_capacity(room(device)), ..Work::default() };
    let mut work: Vec<Work> = devices.iter().map(empty).collect();
    for (at, event) in trace.device_events.iter().enumerate() {
        let Some(&place) = places.get(&trace.stream(event.stream).device) else { continue };
        match time(at, event) {
            Some(interval) => {
                work[place].pieces.push(interval);
                if event.kind.is_kernel() {
                    work[place].kernel_sum += interval.duration();
                }
            }
            None => work[place].n_left_out += 1,
        }
    }
    work
}

/// Adds a reading to each device whose budget it changes.
fn add(
    readings: &mut [Vec<Reading>],
    devices: &[DeviceTimeline],
    work: Vec<Work>,
    kind: ReadingKind,
    words: impl Fn(u64) -> String,
) {
    for ((readings, device), Work { pieces, kernel_sum, n_left_out }) in
        readings.iter_mut().zip(devices).zip(work)
    {
        let Some(window) = pieces.iter().copied().reduce(Interval::hull) else { continue };
        if n_left_out == 0 && kernel_sum == device.kernel_sum {
            continue;
        }
        readings.push(Reading {
            kind,
            words: words(n_left_out),
            window,
            busy: IntervalSet::from_intervals(pieces).total(),
            kernel_sum,
        });
    }
}
