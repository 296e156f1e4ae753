//! `xplane-misses-json-events`: the record that the figures stand on lacks device work that the other one has.

use super::{Check, Doc, Measure, Measurement, WORK_IS_MISSING, count, twins};
use crate::analysis::Analysis;
use crate::report::{Bound, Unit};
use crate::trace::Capture;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "xplane-misses-json-events",
    summary: "the xplane lacks device events that its own JSON has",
    doc: Doc {
        measures: "The number of device events of `<host>.trace.json.gz` without a twin in `<host>.xplane.pb`, in the sense of \
            `json-xplane-mismatch`.",
        misleads: "The JSON is made from the xplane, so the xplane had these events once. The figures are made from what is left \
            of it: the time of the lost work reads as idle, and shares and rankings describe the rest.",
        remedy: "Find out what rewrote the xplane after the run, such as a tool that filters or cuts it, and gate the file \
            that the profiler wrote. If the files come from different runs, keep them apart.",
        limit: "0: an export cannot hold more than what it was made from.",
        exceptions: "A JSON that lacks events, because its export stopped early, says nothing against the xplane: that is \
            `json-xplane-mismatch` alone.",
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
    let compared = &analysis.reconciled;
    if compared.is_empty() {
        return Measurement::not_applicable(twins::ONE_RECORD);
    }
    let lost: u64 = compared.iter().map(|one| one.n_only_other()).sum();
    let (primary, other) = twins::totals(compared);
    let message = match lost {
        0 => format!("the xplane has each of the {other} device events of the JSON"),
        _ => format!(
            "the xplane lacks {lost} of the {other} device events of the JSON{}",
            twins::example_lost(capture, compared)
        ),
    };
    Measurement::measured(
        count(lost),
        [
            ("xplane_device_events", json!(primary)),
            ("json_device_events", json!(other)),
            ("devices", twins::devices(compared)),
        ],
        message,
    )
}
