//! `unknown-device`: which model the devices with work are is not in the capture.

use super::{Check, Doc, Measure, Measurement, count};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::{Capture, DeviceProperties};
use serde_json::{Value, json};

pub(super) static CHECK: Check = Check {
    id: "unknown-device",
    summary: "devices with work are not among those that the profiler listed",
    doc: Doc {
        measures: "The number of devices with work whose id is not in the profiler's list of devices, or is listed with neither a \
            name nor any property by which its model could be told.",
        misleads: "ROCm numbers agents, so that device 9 need not be the tenth of the list: peaks of another model would make a \
            roofline, and look like one.",
        remedy: "Keep `deviceProperties` in the file. Only the model is unknown: that speaks against no time and no idle.",
        limit: "0.",
        exceptions: "A capture without any list has nothing to be looked up in: then this is not evaluable.",
    },
    since: "0.1.0",
    guards: &[Claim::Roofline],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let devices = analysis.timeline.devices.iter().map(|one| trace.device(one.device).raw_id);
    let devices: Vec<i64> = devices.collect();
    if devices.is_empty() {
        return Measurement::not_applicable("no device work was recorded");
    }
    let listed = &trace.profiler.device_properties;
    if !listed.iter().any(says_model) {
        return Measurement::no_evidence("the profiler listed no device, or nothing about any");
    }
    let is_known = |id: &&i64| listed.iter().any(|one| one.id == **id && says_model(one));
    let unknown: Vec<i64> = devices.iter().filter(|id| !is_known(id)).copied().collect();
    let ids: Vec<i64> = listed.iter().map(|one| one.id).collect();
    let message = match unknown.first() {
        None => format!("each of {} devices with work is listed", devices.len()),
        Some(id) => format!(
            "the model of {} of {} devices with work is unknown, such as gpu:{id}",
            unknown.len(),
            devices.len()
        ),
    };
    Measurement::measured(
        count(unknown.len() as u64),
        [
            ("unknown_ids", shown(&unknown)),
            ("device_ids", shown(&devices)),
            ("listed_ids", shown(&ids)),
        ],
        message,
    )
}

/// Ids as text: a list of one number would read as a count.
fn shown(ids: &[i64]) -> Value {
    json!(ids.iter().map(|id| format!("gpu:{id}")).collect::<Vec<_>>())
}

fn says_model(listed: &DeviceProperties) -> bool {
    !listed.name.trim().is_empty()
        || listed.compute_capability.is_some()
        || listed.multiprocessors.is_some()
}
