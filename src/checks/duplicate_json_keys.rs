//! `duplicate-json-keys`: a field is written twice in one event.

use super::{Check, Doc, Measure, Measurement, count};
use crate::analysis::Analysis;
use crate::report::{Bound, Unit};
use crate::trace::Capture;
use serde_json::json;

/// The reader's notice code.
const NOTICE: &str = "duplicate-json-key";

pub(super) static CHECK: Check = Check {
    id: "duplicate-json-keys",
    summary: "events write a field twice",
    doc: Doc {
        measures: "The number of repeated keys among the fields that are read from runtime calls and device records. The \
            last one counts, as in Python's and most other JSON readers.",
        misleads: "JSON does not say which of two equal keys holds. Where the key is the stream, one tool's stream table \
            is another tool's fiction.",
        remedy: "Use a producer that writes each key once; until then quote no per-stream figure of this capture.",
        limit: "0 by definition of a sound document.",
        exceptions: "Fields that the analysis does not read are not examined.",
    },
    since: "0.1.0",
    guards: &[],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, _analysis: &Analysis) -> Measurement {
    let notices = capture.records.iter().flat_map(|record| &record.notices);
    let mut repeated = notices.filter(|notice| notice.code == NOTICE).peekable();
    let detail = repeated.peek().map(|notice| notice.message.clone());
    let n: u64 = repeated.map(|notice| notice.count).sum();
    let message = detail.unwrap_or_else(|| "no field is written twice".to_owned());
    Measurement::measured(count(n), [("repeated_keys", json!(n))], message)
}
