//! `incomplete-executions`: executions of a program left fewer kernels than its schedule launches.

use super::{Check, Doc, Measure, Measurement, WORK_IS_MISSING, count};
use crate::analysis::Analysis;
use crate::analysis::hlo::{Loss, ProgramLoss};
use crate::report::{Bound, Unit};
use crate::trace::{Capture, Trace};
use serde_json::{Value, json};

pub(super) static CHECK: Check = Check {
    id: "incomplete-executions",
    summary: "executions of a program left fewer kernels than it launches",
    doc: Doc {
        measures: "The number of executions with fewer recorded kernels than the schedule of their program must launch: one for \
            each fusion, at least one for each library call, loops expanded by their known trip count. A kernel counts where its \
            label, its name or its family says that it may be one of these.",
        misleads: "Each execution left something, so that none is missing, and idle, shares and ranks are still those of what \
            was recorded. Some builds of the ROCm tracer keep one record of a whole graph launch.",
        remedy: "As for `executions-without-kernels`. Where exactly one kernel of each graph launch is left, the tracer is at \
            fault: use another release, or switch command buffers off for the capture.",
        limit: "0: executions of complete public captures launch what their schedule says.",
        exceptions: "Copies and collectives may launch nothing and are not counted. The first execution of a device may lack \
            its beginning and the last its end, where recording began or ended inside it. Library calls launch one kernel or \
            several, so that the loss of one of several is not seen here.",
    },
    since: "0.1.0",
    guards: WORK_IS_MISSING,
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let Some(loss) = analysis.hlo.as_ref().map(|hlo| &hlo.loss) else {
        return Measurement::not_applicable("the capture knows no compiled program");
    };
    let n_executions: u64 = loss.programs.iter().map(|row| row.n_with_kernels).sum();
    if n_executions == 0 {
        return Measurement::not_applicable("no execution left a kernel");
    }
    if loss.n_with_schedule == 0 {
        return Measurement::no_evidence("the capture stores no HLO of the programs that ran");
    }
    let short = || loss.programs.iter().filter(|row| row.n_incomplete > 0);
    let message = match short().next() {
        None => format!(
            "{} of {n_executions} executions were held against the schedule of their program: each left the kernels that it must",
            loss.n_with_schedule
        ),
        Some(row) => format!(
            "{} of {} executions left fewer kernels than their program launches: {}",
            loss.n_incomplete,
            loss.n_with_schedule,
            example(trace, row)
        ),
    };
    Measurement::measured(
        count(loss.n_incomplete),
        [
            ("incomplete", json!(loss.n_incomplete)),
            ("executions_with_schedule", json!(loss.n_with_schedule)),
            ("executions_with_kernels", json!(n_executions)),
            ("programs", rows(trace, loss)),
        ],
        message,
    )
}

fn example(trace: &Trace, row: &ProgramLoss) -> String {
    let fewest = row.fewest_due;
    let least = row.expected.map_or(0, |range| range.min);
    format!("`{}` {fewest} of at least {least}", trace.name(row.name))
}

/// The programs that evidence names.
const PROGRAMS_SHOWN: usize = 5;

fn rows(trace: &Trace, loss: &Loss) -> Value {
    let row = |row: &ProgramLoss| {
        json!({
            "name": trace.name(row.name),
            "ids": row.ids,
            "incomplete": row.n_incomplete,
            "executions": row.n_with_kernels,
            "kernels_at_least": row.expected.map(|range| range.min),
            "fewest": row.kernels_per_execution.iter().min(),
            "most": row.kernels_per_execution.iter().max(),
        })
    };
    let mut worst: Vec<&ProgramLoss> = loss.programs.iter().collect();
    worst.sort_by_key(|row| std::cmp::Reverse(row.n_incomplete));
    worst.into_iter().take(PROGRAMS_SHOWN).map(row).collect()
}
