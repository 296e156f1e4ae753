//! `launch-without-device-record`: launch calls whose kernel was not recorded.

use super::{Check, Doc, Measure, Measurement, count};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::{Capture, HostCallKind};
use serde_json::json;
use std::collections::BTreeMap;

pub(super) static CHECK: Check = Check {
    id: "launch-without-device-record",
    summary: "kernels were launched, but not recorded",
    doc: Doc {
        measures: "The number of kernel launch calls that own no device record. Not counted: calls inside stream capture, \
            which record a graph node and run nothing; and calls at the very end whose kernel cannot have finished before \
            recording did, unless a later wait for the device returned. A call whose name does not tell what it does launches \
            kernels where a quarter of the calls of that name own one.",
        misleads: "Every missing kernel turns into idle time and vanishes from the ranking. What is left looks like a \
            shorter and emptier run.",
        remedy: "Capture fewer steps or raise the profiler's buffer limit. If the records were cut by a tool afterwards, \
            judge the original file.",
        limit: "0: in every complete public workload capture each kernel launch call owns a record.",
        exceptions: "Memset and copy calls may stay without a record (small ones are done by the host) and are not \
            counted. Launches in graph-capture files lie inside stream capture by design.",
    },
    since: "0.1.0",
    guards: &[
        Claim::Idle,
        Claim::HostStarved,
        Claim::OpAttribution,
        Claim::SourceLine,
        Claim::Ranking,
        Claim::CriticalPath,
        Claim::Estimate,
    ],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let launches = &analysis.launches;
    let calls = trace.host_calls.iter().enumerate();
    let outside = calls.filter(|&(index, call)| {
        launches.kinds[index] == HostCallKind::Launch && !launches.is_captured(index, call)
    });
    let n_outside = outside.count();
    if n_outside == 0 {
        return Measurement::not_applicable("no kernel launch call outside stream capture");
    }
    let accountable: Vec<_> = launches.accountable(trace, HostCallKind::Launch).collect();
    let mut lost: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, call) in accountable.iter().filter(|(index, _)| launches.n_records[*index] == 0) {
        *lost.entry(trace.name(call.api)).or_default() += 1;
    }
    let n: u64 = lost.values().sum();
    let cut_off = n_outside - accountable.len();
    let names: Vec<String> = lost.iter().map(|(api, n)| format!("{n} × {api}")).collect();
    let message = if n == 0 {
        format!("each of {} kernel launch calls owns a device record", accountable.len())
    } else {
        format!(
            "{n} of {} kernel launch calls own no device record ({})",
            accountable.len(),
            names.join(", ")
        )
    };
    Measurement::measured(
        count(n),
        [
            ("without_record", json!(n)),
            ("launch_calls", json!(n_outside)),
            ("cut_off_at_the_end", json!(cut_off)),
            ("by_api", json!(lost)),
            ("counter_session_rows", json!(trace.profiler.counter_ranges)),
        ],
        message,
    )
}
