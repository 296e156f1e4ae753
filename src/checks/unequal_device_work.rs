//! `unequal-device-work`: the devices of one capture did different amounts of work.

use super::{Check, Doc, Measure, Measurement, us};
use crate::analysis::{Analysis, DeviceTimeline};
use crate::report::{Bound, Claim, Unit};
use crate::trace::{Capture, Trace};
use crate::units::{Interval, Picoseconds};
use serde_json::{Value, json};

pub(super) static CHECK: Check = Check {
    id: "unequal-device-work",
    summary: "the devices did different amounts of work",
    doc: Doc {
        measures: "1 − kernel time of the device with the least ÷ that of the device with the most, among the devices with \
            records; 1 where the host executed programs on more devices than have kernels of one.",
        misleads: "One figure for all GPUs hides the one that did nothing, or whose records are missing: a window that is \
            counted from a device's own first kernel to its own last is 0 % idle however short it is.",
        remedy: "Read the devices one by one. Where devices should share the work: look for the straggler, or for lost records.",
        limit: "50 %: half of the work of another. On the one complete public capture with eight equal devices the difference is 16 %; \
            where stages differ by design, allow this check.",
        exceptions: "Visible GPUs on which nothing was executed do not count.",
    },
    since: "0.1.0",
    guards: &[Claim::CriticalPath, Claim::Estimate],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Share,
    part_of: Some("less work than the busiest device"),
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let devices = &analysis.timeline.devices;
    let used = analysis.hlo.as_ref().map(|hlo| hlo.loss.devices).unwrap_or_default();
    let executing = used.n_executing.unwrap_or(0);
    let lacking = executing.saturating_sub(used.n_with_executions);
    if devices.is_empty() || devices.len() < 2 && lacking == 0 {
        return Measurement::not_applicable("one device did all the work");
    }
    let work = || devices.iter().map(|device| device.kernel_sum);
    let (least, most) = (work().min().unwrap_or_default(), work().max().unwrap_or_default());
    let Some(share) = least.share_of(most) else {
        return Measurement::not_applicable("no device recorded a kernel");
    };
    let difference = if lacking > 0 { 1.0 } else { 1.0 - share.share() };
    let message = if lacking > 0 {
        format!(
            "programs were executed on {executing} devices, and kernels of one were recorded on {}",
            used.n_with_executions
        )
    } else {
        format!(
            "{} devices did {} to {} of kernel work each",
            devices.len(),
            least.human(),
            most.human()
        )
    };
    let common = devices.iter().map(|device| device.window).reduce(Interval::hull);
    let common = common.map_or(Picoseconds::ZERO, Interval::duration);
    Measurement::measured(
        difference,
        [
            ("devices", json!(devices.len())),
            ("devices_executing", json!(used.n_executing)),
            ("devices_with_executions", json!(used.n_with_executions)),
            ("common_window_us", us(common)),
            ("by_device", devices.iter().map(|device| row(trace, device, common)).collect()),
        ],
        message,
    )
}

/// A device within the window that is common to all, and its own span beside it.
fn row(trace: &Trace, device: &DeviceTimeline, common: Picoseconds) -> Value {
    let busy = device.busy_time();
    json!({
        "device": format!("gpu:{}", trace.device(device.device).raw_id),
        "kernels": device.n_kernels,
        "kernel_sum_us": us(device.kernel_sum),
        "busy_us": us(busy),
        "idle_in_common_window_us": us(common - busy),
        "own_span_us": us(device.window.duration()),
    })
}
