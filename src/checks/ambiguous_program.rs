//! `ambiguous-program`: only a name tells which program kernels belong to, and several programs have it.

use super::{Check, Doc, Measure, Measurement, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use serde_json::{Value, json};

pub(super) static CHECK: Check = Check {
    id: "ambiguous-program",
    summary: "kernels belong to one of several programs of the same name",
    doc: Doc {
        measures: "Time of the kernels that only the name of a program places, where several programs bear it and more than \
            one schedule fits ÷ all kernel time.",
        misleads: "JAX compiles one function once for each shape, under one name: five programs `jit_matmul` in one public \
            capture, no two alike. A tool that takes the first of the name gives kernels to lines that never ran them.",
        remedy: "Use a tracer that writes the program's id to each kernel, or capture the shapes apart. `--program` restricts \
            tables to one id.",
        limit: "0 %: what is ambiguous is left unattributed and can't be part of a table.",
        exceptions: "Programs of one name whose kernels carry their id are told apart and not counted.",
    },
    since: "0.1.0",
    guards: &[Claim::OpAttribution, Claim::SourceLine, Claim::Roofline],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Share,
    part_of: Some("of kernel time"),
    measure: Measure::Capture(measure),
};

/// The names that evidence lists.
const NAMES_SHOWN: usize = 5;

fn measure(_capture: &Capture, analysis: &Analysis) -> Measurement {
    let Some(hlo) = &analysis.hlo else {
        return Measurement::not_applicable("the capture knows no compiled program");
    };
    let ambiguous = hlo.counts.ambiguous_program;
    let Some(share) = ambiguous.time.share_of(hlo.kernels.time) else {
        return Measurement::not_applicable("no kernel was recorded");
    };
    let names = &hlo.counts.shared_names;
    let shown = names.iter().take(NAMES_SHOWN);
    let shown: Value = shown.map(|(name, ids)| json!({"name": name, "ids": ids})).collect();
    let message = if ambiguous.n == 0 {
        format!(
            "every kernel's program is known ({} names stand for several programs)",
            names.len()
        )
    } else {
        format!(
            "{} kernels ({}) belong to one of several programs of the same name",
            ambiguous.n,
            ambiguous.time.human()
        )
    };
    Measurement::measured(
        share.share(),
        [
            ("kernels", json!(ambiguous.n)),
            ("time_us", us(ambiguous.time)),
            ("shared_names", json!(names.len())),
            ("names", shown),
        ],
        message,
    )
}
