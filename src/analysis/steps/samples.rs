//! What each kernel and each operator took in each step: the samples by which two captures are compared.

use super::Steps;
use crate::report::{Microseconds, Spread};
use crate::trace::{DeviceEvent, Trace};
use crate::units::{Picoseconds, evenly};

/// Steps whose times are kept: beyond them a median hardly moves, and the report grows.
const STEPS_MAX: usize = 256;

/// Rows are kept from this part of the kernel time on, in parts of a thousand: half of what a comparison looks at, so that one
/// that grows or shrinks beyond that is known on both sides.
const PER_MILLE_MIN: i64 = 5;

/// What one row took in each complete step, or in some of them spread evenly.
#[derive(Clone, Debug, Default)]
pub(in crate::analysis) struct Samples {
    times: Vec<Picoseconds>,
    kernels: Vec<u64>,
}

impl Samples {
    /// The time in each step.
    pub(in crate::analysis) fn times(&self) -> Vec<Microseconds> {
        self.times.iter().copied().map(Microseconds::from).collect()
    }

    /// How many kernels a step has; `None` where no step is known.
    pub(in crate::analysis) fn kernels(&self) -> Option<Spread<u64>> {
        Spread::of(self.kernels.iter().copied())
    }
}

/// The samples of rows whose whole times are given, in their order; `row_of` tells to which of them a kernel's record belongs. Empty for
/// rows that take too little of the `total`, and where no step is complete.
pub(in crate::analysis) fn samples(
    trace: &Trace,
    steps: Option<&Steps>,
    rows: &[Picoseconds],
    total: Picoseconds,
    row_of: impl Fn(usize, &DeviceEvent) -> Option<usize>,
) -> Vec<Samples> {
    let mut samples = vec![Samples::default(); rows.len()];
    let Some(steps) = steps else { return samples };
    let mut place = vec![None; steps.steps.len()];
    let complete = steps.steps.iter().enumerate().filter(|(_, step)| step.incomplete.is_none());
    let complete: Vec<usize> = complete.map(|(step, _)| step).collect();
    let n_steps = complete.len().min(STEPS_MAX);
    for (at, one) in evenly(complete.len(), STEPS_MAX).enumerate() {
        place[complete[one]] = Some(at);
    }
    let takes_enough = |time: Picoseconds| time.ps() >= total.ps() / 1_000 * PER_MILLE_MIN;
    for (index, event) in trace.device_events.iter().enumerate() {
        let at = steps.of_event(index).and_then(|step| place[step]);
        let Some(at) = at.filter(|_| event.kind.is_kernel()) else { continue };
        let row = row_of(index, event).filter(|&row| takes_enough(rows[row]));
        let Some(row) = row.map(|row| &mut samples[row]) else { continue };
        row.times.resize(n_steps, Picoseconds::ZERO);
        row.kernels.resize(n_steps, 0);
        row.times[at] += event.interval.duration();
        row.kernels[at] += 1;
    }
    samples
}
