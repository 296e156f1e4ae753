//! `low-compute`: the device computes for little of its window.

use super::{Check, Doc, Measure, Measurement, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "low-compute",
    summary: "the device computes for little of its window",
    doc: Doc {
        measures: "Compute kernels in percent of the window, for the device where it is least. Collectives, copies and fills are no \
            compute.",
        misleads: "A device that waits inside a collective, or copies all the time, is busy and does no useful work. This check judges \
            the workload, not the capture, and only where the idle claim is supported.",
        remedy: "See what the rest of the window is: idle (`high-idle`), collectives, or copies that no compute overlaps.",
        limit: "10 %, as a warning, beside `high-idle`.",
        exceptions: "Deny it in a policy of your own for workloads that must compute.",
    },
    since: "0.1.0",
    guards: &[],
    requires: Some(Claim::Idle),
    bound: Bound::Min,
    unit: Unit::Percent,
    part_of: Some("of the window in compute"),
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let devices = analysis.timeline.devices.iter();
    let devices = devices.filter_map(|device| {
        Some((device.compute.share_of(device.window.duration())?.percent(), device))
    });
    let Some((percent, device)) = devices.min_by(|a, b| a.0.total_cmp(&b.0)) else {
        return Measurement::not_applicable("no device work was recorded");
    };
    let name = format!("gpu:{}", trace.device(device.device).raw_id);
    let message = format!(
        "{name} computes for {} of its window of {}",
        device.compute.human(),
        device.window.duration().human()
    );
    Measurement::measured(
        percent,
        [
            ("device", json!(name)),
            ("compute_us", us(device.compute)),
            ("collective_us", us(device.collective)),
            ("memcpy_us", us(device.memcpy)),
            ("window_us", us(device.window.duration())),
        ],
        message,
    )
}
