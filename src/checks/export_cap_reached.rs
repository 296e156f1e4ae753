//! `export-cap-reached`: the figures stand on an export that stopped at its limit.

use super::{Check, Doc, Measure, Measurement, WORK_IS_MISSING, count};
use crate::analysis::Analysis;
use crate::report::{Bound, Unit};
use crate::trace::{Capture, FileFormat, RecordSource};
use crate::units::grouped;
use serde_json::json;

/// Limits that exporters of JAX's JSON have by default: jaxlib 0.10.2 (measured) and newer XLA
/// (`xplane_to_trace_events.cc`).
const CAPS: [u64; 2] = [1_000_000, 5_000_000];

pub(super) static CHECK: Check = Check {
    id: "export-cap-reached",
    summary: "the figures stand on an export that stopped at its limit",
    doc: Doc {
        measures: "1 where the capture is known by its `<host>.trace.json.gz` alone and that file holds exactly as many events as \
            its exporter writes at most: 1,000,000 or 5,000,000. Else 0.",
        misleads: "The exporter keeps the earliest events and says nothing of the rest. Every device reads as idle from where the \
            export ended, or seems to have done nothing more.",
        remedy: "Put the `<host>.xplane.pb` of the same run beside the JSON, which has no limit. Without it: record a shorter \
            window, or export with a higher `TF_PROFILER_TRACE_VIEWER_MAX_EVENTS`.",
        limit: "0: a run with exactly 1,000,000 events by chance is one in a million.",
        exceptions: "A JSON beside its xplane is only compared with it: the figures stand on the xplane, so it may have reached its \
            limit, and this is noted. A limit that was set to another number can't be told from a run that ended there.",
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
    let sources = capture.records.iter().map(|record| &record.source);
    let exports: Vec<&RecordSource> =
        sources.filter(|source| source.format == FileFormat::JaxJson).collect();
    let Some(&first) = exports.first() else {
        return Measurement::not_applicable("no record is an export with a limit on its events");
    };
    let is_at_cap = |source: &RecordSource| CAPS.contains(&source.events);
    let primary = &capture.primary().source;
    let stands_on_export = primary.format == FileFormat::JaxJson;
    let shown = exports.iter().find(|source| is_at_cap(source)).unwrap_or(&first);
    let events = grouped(&shown.events.to_string());
    let message = match (is_at_cap(shown), stands_on_export) {
        (true, true) => format!(
            "the export holds exactly {events} events, its exporter's limit: it keeps the earliest, and what ran later is not in \
             the file"
        ),
        (true, false) => format!(
            "the JSON stopped at its exporter's limit of {events} events; the figures stand on the xplane, which has none"
        ),
        (false, _) => format!("the export holds {events} events, no exporter's limit"),
    };
    let cut_off = u64::from(stands_on_export && is_at_cap(primary));
    Measurement::measured(count(cut_off), [("exported_events", json!(shown.events))], message)
}
