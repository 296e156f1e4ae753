//! `json-xplane-mismatch`: the two files that JAX writes of one run hold different device events.

use super::{Check, Doc, Measure, Measurement, count, twins};
use crate::analysis::Analysis;
use crate::report::{Bound, Unit};
use crate::trace::Capture;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "json-xplane-mismatch",
    summary: "the two files of a run hold different device events",
    doc: Doc {
        measures: "The number of device events that only one of `<host>.xplane.pb` and `<host>.trace.json.gz` holds. Events are the \
            same with the same device (by the name of its process), stream, name, length and start; a constant offset \
            between the two time axes is allowed for.",
        misleads: "The JSON is made from the xplane and stops at a limit on its events. Whoever reads it instead sees a device \
            that goes idle where the export ended, and nothing in the file says so.",
        remedy: "Quote the xplane's figures, which the report does; do not use the JSON, or export it again with a higher \
            `TF_PROFILER_TRACE_VIEWER_MAX_EVENTS` or from a shorter window.",
        limit: "0: in seven given pairs, and in the exports of seven further captures by JAX and by XProf, every device event \
            has its twin to the picosecond.",
        exceptions: "What the exporter leaves out by design is on the host: allocations and the like are not compared. Lines that \
            repeat a stream in other words are left out of both.",
    },
    since: "0.1.0",
    guards: &[],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    if analysis.reconciled.is_empty() {
        return Measurement::not_applicable(twins::ONE_RECORD);
    }
    let compared = &analysis.reconciled;
    let only_primary: u64 = compared.iter().map(|one| one.n_only_primary()).sum();
    let only_other: u64 = compared.iter().map(|one| one.n_only_other()).sum();
    let (primary, other) = twins::totals(compared);
    let message = match only_primary + only_other {
        0 => format!("each of {primary} device events is in both files"),
        n => format!(
            "{n} device events are in one file only: {only_primary} in the xplane, {only_other} in the JSON{}",
            twins::example(capture, compared)
        ),
    };
    Measurement::measured(
        count(only_primary + only_other),
        [
            ("xplane_device_events", json!(primary)),
            ("json_device_events", json!(other)),
            ("only_in_xplane", json!(only_primary)),
            ("only_in_json", json!(only_other)),
            ("devices", twins::devices(compared)),
        ],
        message,
    )
}
