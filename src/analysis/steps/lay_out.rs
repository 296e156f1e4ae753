//! Lays the steps out for the report.

use super::{Incomplete, Step, Steps};
use crate::analysis::lay_out::on_file_axis;
use crate::report::{Microseconds, Spread, StepRecords, StepRow, StepsLeftOut};
use crate::trace::Trace;
use std::collections::BTreeMap;

/// The steps as evidence.
pub(in crate::analysis) fn lay_out(trace: &Trace, steps: &Steps) -> Option<StepRecords> {
    let counted = counted(steps);
    let durations = counted.iter().map(|step| Microseconds::from(step.host.duration()));
    let times = steps.times().into_iter().map(|time| Microseconds::from(time.window.duration()));
    let mut critical = vec![None; steps.steps.len()];
    for time in steps.critical_times() {
        critical[time.step] = Some(Microseconds::from(time.window.duration()));
    }
    Some(StepRecords {
        marker: steps.marker.clone(),
        marked: steps.are_marked(),
        trust: steps.delimiter.words().to_owned(),
        program: steps.program.map(|program| trace.programs[program as usize].id),
        count: steps.steps.len() as u64,
        complete: steps.n_complete() as u64,
        left_out: left_out(steps),
        step_time_us: Spread::of(times),
        median_step: steps.median().map(|time| steps.steps[time.step].name.clone()),
        duration_us: Spread::of(durations)?,
        records_per_step: Spread::of(counted.iter().map(|step| step.n_records)),
        rows: steps.steps.iter().zip(critical).map(|(step, time)| row(trace, step, time)).collect(),
    })
}

/// The steps that the records cover; all of them where they cover none.
fn counted(steps: &Steps) -> Vec<&Step> {
    let complete: Vec<&Step> =
        steps.steps.iter().filter(|step| step.incomplete.is_none()).collect();
    if complete.is_empty() { steps.steps.iter().collect() } else { complete }
}

fn left_out(steps: &Steps) -> Vec<StepsLeftOut> {
    let mut counts: BTreeMap<Incomplete, u64> = BTreeMap::new();
    for why in steps.steps.iter().filter_map(|step| step.incomplete) {
        *counts.entry(why).or_default() += 1;
    }
    let row =
        |(why, count): (Incomplete, u64)| StepsLeftOut { count, reason: why.words().to_owned() };
    counts.into_iter().map(row).collect()
}

fn row(trace: &Trace, step: &Step, step_time_us: Option<Microseconds>) -> StepRow {
    StepRow {
        name: step.name.clone(),
        kernels: step.n_kernels,
        kernel_sum_us: step.kernel_sum.into(),
        device_window_us: step.device_window.map(|window| on_file_axis(trace, window)),
        busy_in_host_window_us: step.busy_in_host_window.into(),
        step_time_us,
        left_out: step.incomplete.map(|why| why.words().to_owned()),
    }
}
