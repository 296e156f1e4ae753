//! What may be claimed: which claims there is something to compute from, and the bounds of idle.

use super::idle::{Bounds, DeviceIdle};
use super::{Analysis, DeviceTimeline, MIN_STEPS, Steps};
use crate::report::{
    ClaimReport, ClaimState, Claims, GapClass, IdleClaim, IdleRecords, Microseconds, Percent,
};
use crate::trace::Trace;
use crate::units::Picoseconds;

/// The claims before any check is judged.
pub(super) fn claims(trace: &Trace, analysis: &Analysis) -> Claims {
    let when = |defined: bool| if defined { ClaimState::Supported } else { ClaimState::Undefined };
    let plain = |defined| ClaimReport { state: when(defined), by: Vec::new() };
    let inactive = hull(analysis, |idle| Some(idle.inactive));
    let starved = hull(analysis, |idle| idle.starved);
    let kernels = analysis.attribution.kernel_time > Picoseconds::ZERO;
    let n_steps = analysis.steps.as_ref().map_or(0, Steps::n_complete);
    let path_is_known = analysis.path.as_ref().is_some_and(|path| path.refused.is_none());
    Claims {
        idle: IdleClaim {
            state: when(inactive.is_some()),
            by: Vec::new(),
            device_inactive_pct: inactive,
            host_starved_pct: starved,
        },
        host_starved: plain(starved.is_some()),
        kernel_time: plain(kernels),
        ranking: plain(kernels),
        op_attribution: plain(kernels && (!trace.ops.is_empty() || analysis.hlo.is_some())),
        source_line: plain(analysis.hlo.as_ref().is_some_and(|hlo| !hlo.tables.lines.is_empty())),
        critical_path: plain(path_is_known),
        estimate: plain(path_is_known && inactive.is_some()),
        step_time: plain(n_steps >= MIN_STEPS),
        roofline: plain(analysis.roofline.is_supported()),
        ..Claims::default()
    }
}

/// The lowest and the highest share over all devices.
fn hull(
    analysis: &Analysis,
    bounds: impl Fn(&DeviceIdle) -> Option<Bounds>,
) -> Option<(Percent, Percent)> {
    let devices = analysis.timeline.devices.iter().zip(&analysis.idle.devices);
    let shares = devices.filter_map(|(device, idle)| share(device, bounds(idle)?));
    shares.reduce(|a, b| (lower(a.0, b.0), higher(a.1, b.1)))
}

fn share(device: &DeviceTimeline, bounds: Bounds) -> Option<(Percent, Percent)> {
    let of_window = |time: Picoseconds| time.share_of(device.window.duration()).map(Percent::of);
    of_window(bounds.lo).zip(of_window(bounds.hi))
}

fn lower(a: Percent, b: Percent) -> Percent {
    if b < a { b } else { a }
}

fn higher(a: Percent, b: Percent) -> Percent {
    if b > a { b } else { a }
}

/// The bounds of one device with what explains its idle and what widens them.
pub(super) fn idle_records(idle: &DeviceIdle) -> IdleRecords {
    let range =
        |bounds: Bounds| -> (Microseconds, Microseconds) { (bounds.lo.into(), bounds.hi.into()) };
    let class = |(name, time): (&str, Picoseconds)| GapClass {
        name: name.to_owned(),
        time_us: time.into(),
    };
    IdleRecords {
        inactive_us: Some(range(idle.inactive)),
        host_starved_us: idle.starved.map(range),
        classes: idle.gaps.times().map(class).into(),
        doubts: idle.doubts.iter().map(|doubt| doubt.words()).collect(),
    }
}
