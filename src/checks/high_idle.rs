//! `high-idle`: the workload leaves the device idle.

use super::{Check, Doc, Measure, Measurement, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "high-idle",
    summary: "the device is idle for most of its window",
    doc: Doc {
        measures: "Idle in percent of the window, at least, for the device where it is largest. Window: first start to last end of its \
            device work. Busy: union over its streams.",
        misleads: "This check judges the workload, not the capture. It is evaluable only where the idle claim is supported: a \
            false idle share never gets here.",
        remedy: "Look at what the host does in the gaps. First-use loading and one-step captures read high without being \
            representative.",
        limit: "80 %, as a warning: the gate that a public optimisation pipeline uses before it turns to host tuning. An honest \
            idle capture passes the default policy.",
        exceptions: "Deny it in a policy of your own for workloads that must keep the device busy.",
    },
    since: "0.1.0",
    guards: &[],
    requires: Some(Claim::Idle),
    bound: Bound::Max,
    unit: Unit::Percent,
    part_of: Some("of the window idle"),
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let devices = analysis.timeline.devices.iter().zip(&analysis.idle.devices);
    let devices = devices.filter_map(|(device, idle)| {
        Some((idle.inactive.lo.share_of(device.window.duration())?.percent(), device))
    });
    let Some((percent, device)) = devices.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return Measurement::not_applicable("no device work was recorded");
    };
    let name = format!("gpu:{}", trace.device(device.device).raw_id);
    let message = format!(
        "{name} is idle for {} of its window of {}",
        device.gaps.total().human(),
        device.window.duration().human()
    );
    Measurement::measured(
        percent,
        [
            ("device", json!(name)),
            ("idle_us", us(device.gaps.total())),
            ("window_us", us(device.window.duration())),
            ("gaps", json!(device.gaps.len())),
        ],
        message,
    )
}
