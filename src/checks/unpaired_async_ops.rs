//! `unpaired-async-ops`: asynchronous operations whose other half, or whose instruction, the program lacks.

use super::{Check, Doc, Measure, Measurement, count, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "unpaired-async-ops",
    summary: "asynchronous operations have no counterpart in their program",
    doc: Doc {
        measures: "Kernels whose label names an instruction that the stored HLO of their program lacks, and asynchronous \
            starts without a done, or the reverse, over all executions with kernels.",
        misleads: "XLA labels an asynchronous collective by the operation inside its wrapper, such as `all-gather.34`, which is \
            no instruction of the stored program. Views that look it up drop the kernel and count its time as idle.",
        remedy: "Take the label for what it is: a name without a line. For lines of collectives capture with asynchronous \
            collectives off, as a second capture.",
        limit: "0: a kernel that is named by no instruction of its program leads to no line, and the overlap of a collective \
            is not known without both of its ends.",
        exceptions: "The kernel's time and name stand. Where one collective of the schedule is left at its turn, the report \
            names it beside the label.",
    },
    since: "0.1.0",
    guards: &[Claim::SourceLine, Claim::CollectiveSplit],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(_capture: &Capture, analysis: &Analysis) -> Measurement {
    let Some(hlo) = &analysis.hlo else {
        return Measurement::not_applicable("the capture knows no compiled program");
    };
    if !hlo.expected.iter().any(Option::is_some) {
        return Measurement::no_evidence("the capture stores no HLO of the programs that ran");
    }
    let (labels, unpaired) = (hlo.counts.label_not_stored, hlo.counts.n_unpaired_async);
    let message = if labels.n + unpaired == 0 {
        "every label is an instruction of its program, and every asynchronous start has its done"
            .to_owned()
    } else {
        format!(
            "{} kernels ({}) are labelled with instructions that their programs lack; {unpaired} asynchronous operations have no \
             counterpart",
            labels.n,
            labels.time.human()
        )
    };
    Measurement::measured(
        count(labels.n + unpaired),
        [
            ("labels_not_stored", json!(labels.n)),
            ("labels_not_stored_us", us(labels.time)),
            ("unpaired", json!(unpaired)),
        ],
        message,
    )
}
