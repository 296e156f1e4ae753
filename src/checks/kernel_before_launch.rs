//! `kernel-before-launch`: effects before their causes.

use super::{Check, Doc, Measure, Measurement, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use crate::units::Ratio;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "kernel-before-launch",
    summary: "kernels start before they are launched",
    doc: Doc {
        measures: "The share of linked kernels that start more than 1 µs (and the file's resolution) before their launch \
            call does.",
        misleads: "Host and device clocks disagree, or the ids join the wrong pairs. Whether the device waited for the \
            host cannot be told from such times.",
        remedy: "Capture again; if it persists, update the profiler: its clock conversion is at fault.",
        limit: "0.1 %: no kernel of 39 public captures does so; the margin is for single drifting conversions.",
        exceptions: "Rounding to whole microseconds is allowed for.",
    },
    since: "0.1.0",
    guards: &[Claim::HostStarved, Claim::CriticalPath, Claim::Estimate],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Share,
    part_of: Some("of linked kernels"),
    measure: Measure::Capture(measure),
};

fn measure(_capture: &Capture, analysis: &Analysis) -> Measurement {
    let (early, linked, worst) = analysis.order.kernels_before_launch;
    let Some(share) = Ratio::new(early, linked) else {
        return Measurement::not_applicable("no kernel is linked to its launch call");
    };
    let message = if early == 0 {
        format!("none of {linked} linked kernels starts before its launch call")
    } else {
        format!(
            "{early} of {linked} linked kernels start before their launch call, by up to {}",
            worst.human()
        )
    };
    Measurement::measured(
        share.share(),
        [("kernels", json!(early)), ("linked_kernels", json!(linked)), ("earliest_us", us(worst))],
        message,
    )
}
