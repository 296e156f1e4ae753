//! What each kernel took in each step: the samples by which two captures are compared.

use super::Steps;
use crate::analysis::HotKernel;
use crate::report::Microseconds;
use crate::trace::{NameId, Trace};
use crate::units::{Picoseconds, evenly};
use rustc_hash::FxHashMap;

/// Steps whose times are kept: beyond them a median hardly moves, and the report grows.
const STEPS_MAX: usize = 256;

/// Kernels are kept from this part of the kernel time on, in parts of a thousand: half of what a comparison looks at, so that one
/// that grows or shrinks beyond that is known on both sides.
const PER_MILLE_MIN: i64 = 5;

/// The time of each kernel in each complete step, or in some of them spread evenly, in the order of `kernels`; empty for kernels that take too little, and
/// where no step is complete.
pub(in crate::analysis) fn samples(
    trace: &Trace,
    steps: Option<&Steps>,
    kernels: &[HotKernel],
    total: Picoseconds,
) -> Vec<Vec<Microseconds>> {
    let none = || vec![Vec::new(); kernels.len()];
    let Some(steps) = steps else { return none() };
    let mut place = vec![None; steps.steps.len()];
    let complete = steps.steps.iter().enumerate().filter(|(_, step)| step.incomplete.is_none());
    let complete: Vec<usize> = complete.map(|(step, _)| step).collect();
    let n_steps = complete.len().min(STEPS_MAX);
    for (at, one) in evenly(complete.len(), STEPS_MAX).enumerate() {
        place[complete[one]] = Some(at);
    }
    if n_steps == 0 {
        return none();
    }
    let takes_enough = |time: Picoseconds| time.ps() >= total.ps() / 1_000 * PER_MILLE_MIN;
    let kept = kernels.iter().enumerate().filter(|(_, kernel)| takes_enough(kernel.time));
    let row_of: FxHashMap<NameId, usize> = kept.map(|(row, kernel)| (kernel.name, row)).collect();
    let mut times = vec![Vec::new(); kernels.len()];
    for (index, event) in trace.device_events.iter().enumerate() {
        if !event.kind.is_kernel() {
            continue;
        }
        let (Some(&row), Some(step)) = (row_of.get(&event.name), steps.of_event(index)) else {
            continue;
        };
        let Some(at) = place[step] else { continue };
        let row: &mut Vec<Picoseconds> = &mut times[row];
        row.resize(n_steps, Picoseconds::ZERO);
        row[at] += event.interval.duration();
    }
    times.into_iter().map(|row| row.into_iter().map(Microseconds::from).collect()).collect()
}
