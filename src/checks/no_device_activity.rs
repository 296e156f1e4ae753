//! `no-device-activity`: nothing of the device was recorded.

use super::{Check, Doc, Measure, Measurement, count};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::{Capture, HostCallKind};
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "no-device-activity",
    summary: "no device work was recorded",
    doc: Doc {
        measures: "The number of device records: kernels, collectives, copies and fills.",
        misleads: "Without device work there is no window and no idle share. Tools that divide anyway print 0 % idle, or 100 %, \
            and both pass for a result.",
        remedy: "If work was launched: the profiler dropped all device records, or a counter session replaced them; record \
            device activity. If nothing was launched: this is a host-only process; capture the one that drives the GPU.",
        limit: "At least 1 record.",
        exceptions: "A host-only process beside a capture with device work is skipped with that reason, not judged.",
    },
    since: "0.1.0",
    guards: &Claim::ALL,
    requires: None,
    bound: Bound::Min,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, _analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let records = trace.device_events.len() as u64;
    let damaged =
        trace.damaged.iter().filter(|damaged| damaged.side == crate::trace::RecordSide::Device);
    let damaged: u64 = damaged.map(|damaged| damaged.count).sum();
    let of = |kind| trace.host_calls.iter().filter(|call| call.kind == kind).count();
    let (launches, replays) = (of(HostCallKind::Launch), of(HostCallKind::GraphLaunch));
    let counters = trace.profiler.counter_ranges;
    let message = match (records, launches + replays, counters) {
        (0, _, 1..) => format!(
            "0 device records: a counter session replaced them ({counters} profiler ranges), {launches} launch calls were seen"
        ),
        (0, 0, _) => format!(
            "0 device records, and no launch call either: nothing was launched{}",
            trace
                .profiler
                .field("planes")
                .map_or_else(String::new, |names| format!(" (planes: {names})"))
        ),
        (0, _, _) => format!(
            "0 device records although {launches} kernel launch calls and {replays} graph launch calls were seen: the records are lost"
        ),
        _ => format!("{records} device records"),
    };
    Measurement::measured(
        count(records),
        [
            ("device_records", json!(records)),
            ("damaged_device_records", json!(damaged)),
            ("kernel_launch_calls", json!(launches)),
            ("graph_launch_calls", json!(replays)),
            ("counter_session_rows", json!(counters)),
            ("planes", json!(trace.profiler.field("planes"))),
        ],
        message,
    )
}
