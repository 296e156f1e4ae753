//! `uneven-kernels-per-step`: marked steps of one run launched different numbers of kernels.

use super::{Check, Doc, Measure, Measurement};
use crate::analysis::{Analysis, MIN_STEPS};
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use crate::units::Ratio;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "uneven-kernels-per-step",
    summary: "steps of one run have different numbers of kernels",
    doc: Doc {
        measures: "1 − kernels of the step with the fewest ÷ kernels of the step with the most, counted by the step in which they \
            were launched; from three marked steps on.",
        misleads: "A median step is a statement about steps that do the same. Where records of some are missing, or the first one \
            compiles and the last one is cut, the median is that of another workload.",
        remedy: "Where records are missing, mend that first. Let the profiler warm up for a step, and record whole steps. Where steps differ by design (accumulation, evaluation), \
            allow this check or capture them apart.",
        limit: "1 %: in public captures with three steps they are equal to the kernel, and a loss of 5 % of the records shows.",
        exceptions: "Captures with fewer than three steps make no claim about a step. It warns, since steps may differ by design.",
    },
    since: "0.1.0",
    guards: &[Claim::StepTime, Claim::CriticalPath, Claim::Estimate],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Share,
    part_of: Some("fewer kernels than the fullest step"),
    measure: Measure::Capture(measure),
};

fn measure(_capture: &Capture, analysis: &Analysis) -> Measurement {
    let Some(steps) = analysis.steps.as_ref().filter(|steps| steps.are_marked()) else {
        return Measurement::not_applicable("no step is marked");
    };
    if steps.steps.len() < MIN_STEPS {
        let n = steps.steps.len();
        return Measurement::not_applicable(format!("{n} steps are marked, fewer than three"));
    }
    let kernels = || steps.steps.iter().map(|step| step.n_kernels);
    let (fewest, most) = (kernels().min().unwrap_or(0), kernels().max().unwrap_or(0));
    let Some(share) = Ratio::new(fewest, most) else {
        return Measurement::not_applicable("no kernel was launched in a marked step");
    };
    Measurement::measured(
        1.0 - share.share(),
        [
            ("steps", json!(steps.steps.len())),
            ("fewest", json!(fewest)),
            ("most", json!(most)),
            ("marker", json!(steps.marker)),
        ],
        format!("{} steps have records of {fewest} to {most} kernels each", steps.steps.len()),
    )
}
