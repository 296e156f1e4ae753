//! `attribution-methods-disagree`: two independent ways lead to different operators.

use super::{Check, Doc, Measure, Measurement, count};
use crate::analysis::{Analysis, IdChain};
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "attribution-methods-disagree",
    summary: "ids and nesting attribute kernels to different operators",
    doc: Doc {
        measures: "The number of kernels that the ids (launch call → external id → operator) and the nesting (innermost \
            operator around the launch call on its thread) give to different operators.",
        misleads: "The two ways share nothing but the launch. If they differ, one of them joins the wrong records, and an \
            operator table built on it blames the wrong code.",
        remedy: "Do not quote operators of this capture. Merged or rewritten files often mix id spaces; judge the original.",
        limit: "0: in 20 modern public captures the ways agree on every kernel, 18,000 in all.",
        exceptions: "Old CUPTI builds write the correlation id where the external id belongs; ids that do so are no link, and in \
            such a file nesting stands alone.",
    },
    since: "0.1.0",
    guards: &[Claim::OpAttribution, Claim::SourceLine],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let attribution = &analysis.attribution;
    match attribution.id_chain {
        IdChain::NoOps => return Measurement::not_applicable("no operator was recorded"),
        IdChain::SelfIds => {
            return Measurement::not_applicable(
                "the file writes the correlation id where the external id belongs, so nesting stands alone",
            );
        }
        IdChain::Usable => {}
    }
    let methods = &attribution.methods;
    if methods.n_compared == 0 {
        return Measurement::not_applicable("no kernel is attributed by both ids and nesting");
    }
    let differing = methods.n_compared - methods.n_agreeing;
    let first = methods.first_conflict.map(|(kernel, by_id, by_nesting)| {
        let name = |id| trace.name(id);
        format!("`{}`: `{}` by id, `{}` by nesting", name(kernel), name(by_id), name(by_nesting))
    });
    let message = match &first {
        None => format!("ids and nesting agree on all of {} kernels", methods.n_compared),
        Some(first) => format!(
            "ids and nesting differ on {differing} of {} kernels; {first}",
            methods.n_compared
        ),
    };
    Measurement::measured(
        count(differing),
        [
            ("differing", json!(differing)),
            ("compared", json!(methods.n_compared)),
            ("first", json!(first)),
        ],
        message,
    )
}
