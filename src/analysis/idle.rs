//! Idle as bounds: what the records allow, and why it is no single number.
//!
//! The device did nothing for at most as long as nothing was recorded, and for at least as long as nothing could have run. Both ends
//! are one number where nothing speaks for missing records.

mod classes;
mod unrecorded;

pub use classes::GapClasses;
pub use unrecorded::Cause;

use super::graphs::{Confirmation, Graphs};
use super::hlo::HloAttribution;
use super::latency::{DISPATCH_GAP, DISPATCH_LATENCY};
use super::launches::{JoinMethod, Launches};
use super::order::StreamOrder;
use super::timeline::{DeviceTimeline, Timeline};
use super::waits::{DeviceWaits, Waits};
use crate::trace::{
    DamageFault, DeviceId, IntervalSet, RecordSide, Trace, common, outside, time_of,
};
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;
use unrecorded::{Belief, Unrecorded, unrecorded};

/// Share of a window from which on queued idle speaks for missing records: 22 of 23 complete public captures stay below 0.0081.
const QUEUED_SHARE_MIN: f64 = 0.015;

/// Share of the host's waits for the device under which something must have been recorded as running: complete public captures
/// show 0.92 and more, captures that lost a third of their kernels 0.69 and less.
const WAITS_WITH_WORK_MIN: f64 = 0.9;

/// Waits that are shorter in all say nothing. Public captures with more of them show 13 µs without work at most, and one 0.5 %.
const WAITS_MIN: Picoseconds = Picoseconds::from_us(200);

/// The idle of every device with work, in the order of the timeline.
#[derive(Debug, Default)]
pub struct Idle {
    /// One entry a device.
    pub devices: Vec<DeviceIdle>,
}

/// What may be said of one device's idle.
#[derive(Debug)]
pub struct DeviceIdle {
    /// The device.
    pub device: DeviceId,
    /// How long it did nothing, within its window.
    pub inactive: Bounds,
    /// How long it waited for the host to launch something; absent where no launch of its work is known.
    pub starved: Option<Bounds>,
    /// The recorded idle by what explains it.
    pub gaps: GapClasses,
    /// The part of the suspect idle that only unconfirmed replays account for.
    pub unconfirmed: Picoseconds,
    /// The part of that in gaps of over 20 µs, which are more than the device's own latency.
    pub unconfirmed_long: Picoseconds,
    /// What widens the bounds.
    pub doubts: Vec<Doubt>,
}

/// The least and the most that the records allow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// At least so long.
    pub lo: Picoseconds,
    /// At most so long.
    pub hi: Picoseconds,
}

/// One reason why a device's idle is no single number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// So many launches or executions may have run work that is not recorded.
    Unrecorded(Cause, u64),
    /// Work was queued for so long while nothing ran, and nothing explains it.
    Queued(Picoseconds),
    /// The host waited for the device for so long while nothing ran.
    WaitsWithoutWork(Picoseconds),
    /// So many records have lost their time, and may have run at any.
    LostTimes(u64),
    /// Records are longer than they can have been, by so much in all.
    Overlong(Picoseconds),
    /// So many records lie where they cannot have run.
    Misplaced(u64),
    /// So many correlation ids are carried by several calls: whose work it was cannot be told, nor whether one device did it all.
    SharedIds(u64),
    /// So many kernels start before their launch: the clocks of host and device disagree.
    Clocks(u64),
    /// So much idle ends with work whose launch is not recorded: whether it waited for the host is not known.
    Unlaunched(Picoseconds),
    /// No record starts sooner than this after its call: every one was queued, or the host's clock is early by as much.
    LateStarts(Picoseconds),
}

impl Doubt {
    /// The reason in words.
    pub fn words(self) -> String {
        match self {
            Self::Unrecorded(cause, n) => format!("{n} {}", cause.words()),
            Self::Queued(time) => {
                format!("work was queued for {} while nothing ran", time.human())
            }
            Self::WaitsWithoutWork(time) => {
                format!("the host waited for the device for {} while nothing ran", time.human())
            }
            Self::LostTimes(n) => format!("{n} records have lost their time"),
            Self::Overlong(time) => {
                format!("records are {} longer than their stream allows", time.human())
            }
            Self::Misplaced(n) => format!("{n} records lie where they cannot have run"),
            Self::SharedIds(n) => format!("{n} correlation ids are carried by several calls"),
            Self::Clocks(n) => format!("{n} kernels start before their launch"),
            Self::Unlaunched(time) => {
                format!(
                    "{} of it ends with work whose launch is not recorded: that may not have been the host",
                    time.human()
                )
            }
            Self::LateStarts(time) => {
                format!("no record starts sooner than {} after its call", time.human())
            }
        }
    }
}

/// What the bounds are made from.
pub(super) struct Evidence<'a> {
    pub(super) trace: &'a Trace,
    pub(super) timeline: &'a Timeline,
    pub(super) launches: &'a Launches,
    pub(super) graphs: &'a Graphs,
    pub(super) waits: &'a Waits,
    pub(super) order: &'a StreamOrder,
    pub(super) hlo: Option<&'a HloAttribution>,
}

/// Bounds the idle of every device.
pub(super) fn idle(evidence: &Evidence<'_>) -> Idle {
    let belief = if is_loss_evident(evidence) {
        Belief { needed: Confirmation::Capture, partial: Cause::IncompleteReplay }
    } else {
        Belief { needed: Confirmation::Replays, partial: Cause::UnconfirmedReplay }
    };
    let windows: Vec<_> =
        evidence.timeline.devices.iter().map(|device| (device.device, device.window)).collect();
    let missing = evidence.hlo.map_or(&[][..], |hlo| &hlo.loss.missing);
    let unrecorded =
        unrecorded(evidence.trace, evidence.launches, evidence.graphs, missing, &windows, belief);
    let devices = evidence.timeline.devices.iter().zip(&evidence.waits.devices).zip(&unrecorded);
    let overlong = overlong(evidence);
    let devices = devices.map(|((device, waits), unrecorded)| {
        let overlong = overlong.get(&device.device).copied().unwrap_or_default();
        device_idle(evidence, device, waits, unrecorded, overlong)
    });
    Idle { devices: devices.collect() }
}

/// True where records of replays are missing, whichever they are: some own fewer than others of their kind, or a device stands
/// still with work queued or the host waiting for it. Then replays that are alike may all lack the same.
fn is_loss_evident(evidence: &Evidence<'_>) -> bool {
    let devices = evidence.timeline.devices.iter().zip(&evidence.waits.devices);
    let mut queued = devices.map(|(device, waits)| {
        let gaps = GapClasses::of(device, waits, &IntervalSet::default());
        is_share(gaps.queued.total(), device.window.duration(), QUEUED_SHARE_MIN)
    });
    evidence.graphs.shortfall.as_ref().is_some_and(|sum| sum.n_incomplete > 0)
        || lacks_work(evidence.waits, &IntervalSet::default())
        || queued.any(|is_queued| is_queued)
}

fn device_idle(
    evidence: &Evidence<'_>,
    device: &DeviceTimeline,
    waits: &DeviceWaits,
    unrecorded: &Unrecorded,
    overlong: Picoseconds,
) -> DeviceIdle {
    let gaps = GapClasses::of(device, waits, &unrecorded.union(device.window));
    let idle = device.gaps.total();
    let mut doubts: Vec<Doubt> = Vec::new();
    if !gaps.suspect.is_empty() {
        let causes = unrecorded.causes().into_iter();
        doubts.extend(causes.map(|(cause, n)| Doubt::Unrecorded(cause, n)));
    }
    let mut inactive = Bounds { lo: idle - gaps.suspect.total(), hi: idle };
    let window = device.window.duration();
    // What is missing here is not known, and may have run in any gap.
    if is_share(gaps.queued.total(), window, QUEUED_SHARE_MIN) {
        doubts.push(Doubt::Queued(gaps.queued.total()));
        inactive.lo = Picoseconds::ZERO;
    }
    let unexplained = |waits: &IntervalSet| {
        time_of(outside(common(waits.iter(), device.gaps.iter()), gaps.suspect.iter()))
    };
    if lacks_work(evidence.waits, &gaps.suspect) {
        doubts.push(Doubt::WaitsWithoutWork(unexplained(&evidence.waits.synchronising)));
        inactive.lo = Picoseconds::ZERO;
    } else {
        // A wait that returns so much later than the last record ended may have waited for work that was not recorded.
        let waits = unexplained(&evidence.waits.outlasting_work());
        if waits > Picoseconds::ZERO {
            doubts.push(Doubt::WaitsWithoutWork(waits));
            inactive.lo = (inactive.lo - waits).max(Picoseconds::ZERO);
        }
    }
    let lost_times = lost_times(evidence.trace);
    if lost_times > 0 {
        doubts.push(Doubt::LostTimes(lost_times));
        inactive.lo = Picoseconds::ZERO;
    }
    if overlong > Picoseconds::ZERO {
        doubts.push(Doubt::Overlong(overlong));
        // Where one duration is impossible, another may be false as well and fill a gap unnoticed.
        inactive.hi = window;
    }
    let misplaced = (evidence.order.misplaced.len() + evidence.order.late_ends.len()) as u64;
    if misplaced > 0 {
        doubts.push(Doubt::Misplaced(misplaced));
        inactive = Bounds { lo: Picoseconds::ZERO, hi: window };
    }
    if evidence.launches.n_shared_ids > 0 {
        doubts.push(Doubt::SharedIds(evidence.launches.n_shared_ids));
        inactive = Bounds { lo: Picoseconds::ZERO, hi: window };
    }
    let starved = starved(evidence, device, waits, &gaps, inactive, &mut doubts);
    let only_unconfirmed = unrecorded.only(Cause::UnconfirmedReplay, device.window);
    let unconfirmed = gaps.suspect.intersection(&only_unconfirmed);
    let long = device.gaps.iter().filter(|gap| gap.duration() > DISPATCH_GAP);
    let unconfirmed_long = time_of(common(unconfirmed.iter(), long));
    let unconfirmed = unconfirmed.total();
    DeviceIdle {
        device: device.device,
        inactive,
        starved,
        gaps,
        unconfirmed,
        unconfirmed_long,
        doubts,
    }
}

/// What is left after the device's own waits; where the clocks of host and device disagree, only the upper end stands.
fn starved(
    evidence: &Evidence<'_>,
    device: &DeviceTimeline,
    waits: &DeviceWaits,
    gaps: &GapClasses,
    inactive: Bounds,
    doubts: &mut Vec<Doubt>,
) -> Option<Bounds> {
    if evidence.launches.method == JoinMethod::None || evidence.trace.host_calls.is_empty() {
        return None;
    }
    let (early, ..) = evidence.order.kernels_before_launch;
    if early > 0 {
        doubts.push(Doubt::Clocks(early));
    }
    if early > 0 || inactive.hi > device.gaps.total() {
        return Some(Bounds { lo: Picoseconds::ZERO, hi: inactive.hi });
    }
    // Of the suspect part, all that the device did not wait for by itself may have been spent on the host.
    let unlaunched = |gaps: &GapClasses| {
        time_of(common(gaps.unexplained(device.gaps.iter()), unlaunched(device, waits)))
    };
    let bounds = |gaps: &GapClasses| {
        let most = gaps.dispatch + gaps.host_starved;
        let sure = most - unlaunched(gaps);
        Bounds { lo: sure.min(inactive.lo), hi: most + gaps.suspect.total() }
    };
    let open = unlaunched(gaps);
    if open > Picoseconds::ZERO {
        doubts.push(Doubt::Unlaunched(open));
    }
    let as_recorded = bounds(gaps);
    let Some(latency) = evidence.order.quickest_start.filter(|&least| least > DISPATCH_LATENCY)
    else {
        return Some(as_recorded);
    };
    let later = waits.with_later_host(evidence.trace, device.window, latency);
    let if_later = bounds(&GapClasses::of(device, &later, &gaps.suspect));
    // On true clocks the quickest start comes a moment after its launch: each wait may have ended by so much sooner.
    let moments: Picoseconds = later.blocking.iter().map(|_| DISPATCH_GAP).sum();
    let hull = Bounds {
        lo: as_recorded.lo.min(if_later.lo - moments).max(Picoseconds::ZERO),
        hi: as_recorded.hi.max(if_later.hi + moments).min(inactive.hi),
    };
    if hull != as_recorded {
        doubts.push(Doubt::LateStarts(latency));
    }
    Some(hull)
}

/// Gaps before work whose launch is not recorded: it may have been queued long before, so that nobody waited for the host.
fn unlaunched<'a>(
    device: &'a DeviceTimeline,
    waits: &'a DeviceWaits,
) -> impl Iterator<Item = Interval> + 'a {
    let ends = device.gaps.iter().zip(&waits.ended_by);
    ends.filter(|(_, launch)| launch.call().is_none()).map(|(gap, _)| gap)
}

fn is_share(part: Picoseconds, whole: Picoseconds, least: f64) -> bool {
    part.share_of(whole).is_some_and(|ratio| ratio.share() > least)
}

/// True where the host waited for the device, and too little was recorded as running meanwhile, what is explained left aside.
fn lacks_work(waits: &Waits, explained: &IntervalSet) -> bool {
    let all = waits.synchronising.total();
    let idle = time_of(outside(waits.synchronising_idle.iter(), explained.iter()));
    all >= WAITS_MIN && is_share(idle, all, 1.0 - WAITS_WITH_WORK_MIN)
}

/// Device records that are in no table because their time is lost.
fn lost_times(trace: &Trace) -> u64 {
    let lost = trace.damaged.iter().filter(|damaged| {
        damaged.side == RecordSide::Device && damaged.fault != DamageFault::ZeroDuration
    });
    lost.map(|damaged| damaged.count).sum()
}

/// By how much records of each device are longer than a later record of their stream allows.
fn overlong(evidence: &Evidence<'_>) -> FxHashMap<DeviceId, Picoseconds> {
    let mut by_device: FxHashMap<DeviceId, Picoseconds> = FxHashMap::default();
    for one in &evidence.order.containments {
        let device = evidence.trace.stream(one.stream).device;
        *by_device.entry(device).or_default() += one.recorded - one.plausible;
    }
    by_device
}
