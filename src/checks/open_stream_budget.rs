//! `open-stream-budget`: the parts of a span do not add up.

use super::{Check, Doc, Measure, Measurement, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use crate::units::Picoseconds;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "open-stream-budget",
    summary: "compute, communication, copies and idle do not add up",
    doc: Doc {
        measures: "The largest difference between a span and the sum of its parts: compute + collective + memcpy + idle \
            for every stream, compute + exposed collective + exposed memcpy + idle for every device.",
        misleads: "Sums over streams exceed the span as soon as streams overlap, and tools that subtract them print \
            negative idle. A budget that does not close to the picosecond was not computed from intervals.",
        remedy: "This is an assertion about idleproof itself. Please report the capture.",
        limit: "0 µs: the parts are exact integers.",
        exceptions: "None.",
    },
    since: "0.1.0",
    guards: &[Claim::Idle, Claim::KernelTime, Claim::CriticalPath, Claim::Estimate],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Microseconds,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(_capture: &Capture, analysis: &Analysis) -> Measurement {
    let devices = &analysis.timeline.devices;
    let streams = devices.iter().flat_map(|device| &device.streams);
    let errors = devices
        .iter()
        .map(|device| device.budget_error())
        .chain(streams.map(|stream| stream.budget_error()));
    let Some(worst) = errors.map(|error| error.max(-error)).max() else {
        return Measurement::not_applicable("no device work was recorded");
    };
    let n_streams: usize = devices.iter().map(|device| device.streams.len()).sum();
    let message = if worst == Picoseconds::ZERO {
        let devices = counted(devices.len(), "device");
        format!("the budgets of {devices} and {} add up exactly", counted(n_streams, "stream"))
    } else {
        format!("a budget misses its span by {}", worst.human())
    };
    Measurement::measured(
        worst.as_us_f64(),
        [("devices", json!(devices.len())), ("streams", json!(n_streams)), ("worst_us", us(worst))],
        message,
    )
}

fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
