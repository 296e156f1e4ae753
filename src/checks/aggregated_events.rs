//! `aggregated-events`: device records that stand for several runs of a kernel and have no place in time.

use super::{Check, Doc, Measure, Measurement, WORK_IS_MISSING, count};
use crate::analysis::Analysis;
use crate::report::{Bound, Unit};
use crate::trace::{Capture, FileFormat};
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "aggregated-events",
    summary: "device records stand for several occurrences and have no time",
    doc: Doc {
        measures: "The number of device records that give a number of occurrences (`num_occurrences`) in place of a start.",
        misleads: "Such a record has a duration and lies nowhere: a reader that takes its missing start for 0 puts all of it to \
            the front of the capture, and one that leaves it out turns it into idle time.",
        remedy: "Record with a tracer level that keeps single events, or fewer steps.",
        limit: "0: no public capture at hand holds any.",
        exceptions: "Aggregated host events take no part in any figure and are not counted.",
    },
    since: "0.1.0",
    guards: WORK_IS_MISSING,
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, _analysis: &Analysis) -> Measurement {
    let record = capture.primary();
    if record.source.format != FileFormat::Xplane {
        return Measurement::not_applicable("only an XSpace can hold aggregated events");
    }
    let aggregated = &record.trace.profiler.aggregated;
    let message = if aggregated.device_events == 0 {
        "every device record has its own time".to_owned()
    } else {
        format!(
            "{} device records stand for {} occurrences and have no time",
            aggregated.device_events, aggregated.device_occurrences
        )
    };
    Measurement::measured(
        count(aggregated.device_events),
        [
            ("device_records", json!(aggregated.device_events)),
            ("occurrences", json!(aggregated.device_occurrences)),
            ("host_events", json!(aggregated.host_events)),
        ],
        message,
    )
}
