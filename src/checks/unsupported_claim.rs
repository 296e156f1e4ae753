//! `unsupported-claim`: a statement made elsewhere about the capture is false, or the capture does not tell.

use super::{Check, Doc, Measure, Measurement, count};
use crate::report::{Bound, StatedReport, StatedState, Unit};
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "unsupported-claim",
    summary: "statements made elsewhere that the capture does not support",
    doc: Doc {
        measures: "The number of statements, given with `--claims`, that the capture refutes or does not decide. Each is held against \
                   the least and the most that the records allow: it is supported where all of that lies within what is stated, \
                   refuted where none of it does, and undetermined otherwise. Statements come from a file of the user's, or from the \
                   tables of TraceLens.",
        misleads: "A number in a pull request, or in another tool's table, is believed because it is a number. Where the profiler \
                   lost records, the table says 97.9 % idle of a device that was busy throughout.",
        remedy: "correct what is stated, or record again where the capture cannot tell: each statement says which, and what it was \
                 held against",
        limit: "0: a statement is supported or it is not. How far a number may lie from the figure is said beside the statement; \
                half a point, or half a percent of a time, where it is not.",
        exceptions: "Other tools read a window otherwise: some leave out work that was launched before recording began. Where a \
                     refuted figure is one of these readings, the message says which.",
    },
    since: "0.1.0",
    guards: &[],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Stated(measure),
};

fn measure(stated: &[StatedReport]) -> Measurement {
    let of = |state| stated.iter().filter(move |one| one.state == state);
    let n = |state| of(state).count() as u64;
    let (refuted, open) = (n(StatedState::Refuted), n(StatedState::Undetermined));
    let first = of(StatedState::Refuted).chain(of(StatedState::Undetermined)).next();
    let message = match first {
        Some(first) => first.message.clone(),
        None => format!("all {} statements are supported", stated.len()),
    };
    Measurement::measured(
        count(refuted + open),
        [
            ("stated", json!(stated.len())),
            ("supported", json!(n(StatedState::Supported))),
            ("refuted", json!(refuted)),
            ("undetermined", json!(open)),
        ],
        message,
    )
}
