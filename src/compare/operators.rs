//! Operators before and after: those that are worth a row, and those whose kernels came or went.
//!
//! An operator seems faster where some of its kernels lost their link to it. So its time is compared only where as many kernels
//! belong to it in a step as before, and the number is told where it differs.

use super::parts::KernelTime;
use super::times::withheld;
use crate::report::{CaptureReport, Claim, OpRow, OperatorKernels, Spread};
use std::collections::BTreeMap;

/// Operators that are listed.
const OPERATORS_MAX: usize = 10;

/// What must be stated on both sides: a step that misses records has too short a sum, and kernels that lost their link are missed.
pub(super) const CLAIMS: &[Claim] = &[Claim::KernelTime, Claim::Ranking, Claim::OpAttribution];

/// An operator before and after; at least one side has it.
type Sides<'a> = (Option<&'a OpRow>, Option<&'a OpRow>);

/// Operators that take enough of the kernel time on one side, the longest before first, then those that are new.
pub(super) fn hot<'a>(before: &'a CaptureReport, after: &'a CaptureReport) -> Vec<Sides<'a>> {
    let rows = |capture: &'a CaptureReport| {
        capture.attribution.as_ref().map_or(&[][..], |all| all.ops.as_slice())
    };
    let by_name = |capture| -> BTreeMap<&'a str, &'a OpRow> {
        rows(capture).iter().map(|op| (op.name.as_str(), op)).collect()
    };
    let (earlier, later) = (by_name(before), by_name(after));
    let old = rows(before).iter().map(|op| (Some(op), later.get(op.name.as_str()).copied()));
    let new = rows(after).iter().filter(|op| !earlier.contains_key(op.name.as_str()));
    let all = old.chain(new.map(|op| (None, Some(op))));
    let [all_old, all_new] = [before, after].map(KernelTime::of);
    let is_hot = |op: Option<&OpRow>, all: KernelTime| op.is_some_and(|op| all.counts(op.time_us));
    all.filter(|(old, new)| is_hot(*old, all_old) || is_hot(*new, all_new)).collect()
}

/// How many kernels a step has of an operator, before and after, where that is known and differs.
pub(super) fn other_kernels(old: &OpRow, new: &OpRow) -> Option<[Spread<u64>; 2]> {
    let (old, new) = (old.kernels_per_step?, new.kernels_per_step?);
    (old != new).then_some([old, new])
}

/// Operators with other numbers of kernels in a step, and how many more there are; none where the attribution may not be stated.
pub(super) fn changed(
    before: &CaptureReport,
    after: &CaptureReport,
) -> (Vec<OperatorKernels>, u64) {
    if withheld([before, after], CLAIMS).is_some() {
        return (Vec::new(), 0);
    }
    let differs = |sides: Sides<'_>| {
        let (name, before, after) = match sides {
            (Some(old), Some(new)) => {
                let [before, after] = other_kernels(old, new)?;
                (&old.name, Some(before), Some(after))
            }
            (Some(old), None) => (&old.name, Some(old.kernels_per_step?), None),
            (None, new) => (&new?.name, None, Some(new?.kernels_per_step?)),
        };
        Some(OperatorKernels { name: name.clone(), before, after })
    };
    let mut all = hot(before, after).into_iter().filter_map(differs);
    let listed: Vec<OperatorKernels> = all.by_ref().take(OPERATORS_MAX).collect();
    (listed, all.count() as u64)
}
