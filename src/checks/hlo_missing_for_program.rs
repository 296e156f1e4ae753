//! `hlo-missing-for-program`: kernels belong to programs whose HLO is not in the capture.

use super::{Check, Doc, Measure, Measurement, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::{Capture, FileFormat, Hlo, Program};
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "hlo-missing-for-program",
    summary: "kernels belong to programs whose HLO is not in the capture",
    doc: Doc {
        measures: "Time of the kernels whose program the capture names and whose HLO it does not hold, or holds damaged ÷ all \
            kernel time.",
        misleads: "Without the HLO a kernel without a label stays without an instruction, and no label leads to a source line. \
            A table of lines then shows the programs that were stored, as if they were the workload.",
        remedy: "Start the trace before the program is compiled or first run, and keep the `.xplane.pb`: the JSON beside it \
            never holds HLO.",
        limit: "0 %: every program that ran is stored in all public captures.",
        exceptions: "Kernels of no program, such as those of autotuning, are not counted.",
    },
    since: "0.1.0",
    guards: &[Claim::SourceLine, Claim::Roofline],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Share,
    part_of: Some("of kernel time"),
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let record = capture.primary();
    let Some(hlo) = &analysis.hlo else {
        return Measurement::not_applicable("the capture knows no compiled program");
    };
    if record.source.format == FileFormat::JaxJson {
        return Measurement::no_evidence("the JSON export holds no HLO; the `.xplane.pb` does");
    }
    let stores = |program: &Program| !matches!(program.hlo, Hlo::Missing);
    if !record.trace.programs.iter().any(stores) {
        return Measurement::no_evidence("the capture stores no HLO");
    }
    let lacking = hlo.counts.without_hlo;
    let Some(share) = lacking.time.share_of(hlo.kernels.time) else {
        return Measurement::not_applicable("no kernel was recorded");
    };
    let programs = &hlo.counts.programs_without_hlo;
    let damaged = |program: &&Program| {
        matches!(program.hlo, Hlo::Damaged(_)) && programs.binary_search(&program.id).is_ok()
    };
    let n_damaged = record.trace.programs.iter().filter(damaged).count();
    let message = if lacking.n == 0 {
        "the HLO of every program that ran is at hand".to_owned()
    } else {
        format!(
            "{} kernels ({}) belong to {} programs whose HLO is not in the capture",
            lacking.n,
            lacking.time.human(),
            programs.len()
        )
    };
    Measurement::measured(
        share.share(),
        [
            ("kernels", json!(lacking.n)),
            ("time_us", us(lacking.time)),
            ("programs", json!(programs)),
            ("programs_with_damaged_hlo", json!(n_damaged)),
        ],
        message,
    )
}
