//! Lays the estimates out for the report.

use super::at_roofline::ASSUMPTION;
use super::{AtRoofline, Cause, Estimate, Part, Stretches};
use crate::analysis::Analysis;
use crate::report::{Change, ChangeAtRoofline, ChangePart, ChangeStretches, Share, StepChange};

/// Why no lower bound of a saving is known.
const OPEN: &str = "several streams have work, and which of them waits for which is not all recorded: a dependency that is not in the records may keep the work waiting \
    as long as now";

/// The rows of what to change.
pub(in crate::analysis) fn lay_out(analysis: &Analysis) -> Vec<Change> {
    analysis.estimates.iter().map(row).collect()
}

fn row(estimate: &Estimate) -> Change {
    let (least, most) = estimate.if_gone;
    Change {
        cause: estimate.cause.words(),
        step_us: StepChange { now: estimate.now.into(), if_gone: (least.into(), most.into()) },
        is_upper_bound: most == estimate.now && least < most,
        in_run: None,
        // The path shows what waits delay, and not the waits themselves.
        share: estimate
            .on_path
            .share_of(estimate.now)
            .filter(|_| estimate.cause != Cause::Waits)
            .map(Share::of),
        at_best_us: Some(estimate.at_best.into()),
        order_undetermined: estimate.order_undetermined,
        assumption: estimate.cause.assumption().to_owned(),
        knob: estimate.knob.to_owned(),
        parts: estimate.parts.iter().map(part).collect(),
        stretches: estimate.stretches.as_ref().map(stretches),
        at_roofline: estimate.at_roofline.as_ref().map(at_roofline),
        open: (estimate.is_open && least < most).then(|| OPEN.to_owned()),
        basis: "inferred".to_owned(),
    }
}

fn at_roofline(one: &AtRoofline) -> ChangeAtRoofline {
    ChangeAtRoofline {
        kernels_us: one.now.into(),
        floor_us: one.floor.into(),
        saves_at_most_us: one.saved.into(),
        bound: one.bound.name().to_owned(),
        assumption: ASSUMPTION.to_owned(),
        knob: one.knob().to_owned(),
    }
}

fn stretches(of: &Stretches) -> ChangeStretches {
    ChangeStretches {
        count: of.count as u64,
        longest: of.name.clone(),
        longest_us: of.longest.into(),
        mostly_one: of.mostly_one,
    }
}

fn part(part: &Part) -> ChangePart {
    ChangePart { what: part.what.clone(), time_us: part.time.into() }
}
