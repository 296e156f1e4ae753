//! `shared-correlation-ids`: ids that do not tell launches apart.

use super::{Check, Doc, Measure, Measurement, count, us};
use crate::analysis::{Analysis, JoinMethod};
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "shared-correlation-ids",
    summary: "correlation ids do not tell launches apart",
    doc: Doc {
        measures: "The number of device records that cannot be joined to one launch: their correlation id is 0 or absent \
            while others have one, several separate calls carry it, or a call that launches one kernel owns several \
            records.",
        misleads: "A plain join credits all kernels with id 0 to whatever call also wrote 0: in one reported case 300 µs \
            of collectives went to `aten::item`. Merged files repeat ids across ranks.",
        remedy: "Judge each rank's own file. Id 0 is written by older ROCm tracers for collectives; a newer one links them.",
        limit: "0: no complete public capture with ids shares one.",
        exceptions: "A graph launch owns many records by design. A runtime call that contains the driver call of the same \
            id is one launch seen twice. A producer that writes no ids at all is joined by external ids or flows instead.",
    },
    since: "0.1.0",
    guards: &[Claim::OpAttribution, Claim::SourceLine, Claim::CriticalPath, Claim::Estimate],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let launches = &analysis.launches;
    let all = capture.primary().trace.device_events.len();
    if launches.method != JoinMethod::Correlation {
        return Measurement::not_applicable("no device record carries a correlation id");
    }
    let parts = [launches.n_without_id, launches.n_shared_id_records, launches.n_surplus_records];
    let n: u64 = parts.iter().sum();
    let message = if n == 0 {
        format!("the ids of {all} device records tell their launches apart")
    } else {
        format!(
            "{n} of {all} device records cannot be joined to one launch: {} without an id, {} with an id that several \
             calls carry, {} beyond the first of a single launch",
            parts[0], parts[1], parts[2]
        )
    };
    Measurement::measured(
        count(n),
        [
            ("without_id", json!(parts[0])),
            ("without_id_time_us", us(launches.without_id_time)),
            ("shared_ids", json!(launches.n_shared_ids)),
            ("records_of_shared_ids", json!(parts[1])),
            ("surplus_records", json!(parts[2])),
            ("device_records", json!(all)),
        ],
        message,
    )
}
