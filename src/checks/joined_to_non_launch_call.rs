//! `joined-to-non-launch-call`: device records whose id leads to a call that launches nothing.

use super::{Check, Doc, Measure, Measurement, count, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use crate::units::Picoseconds;
use serde_json::json;
use std::collections::BTreeMap;

pub(super) static CHECK: Check = Check {
    id: "joined-to-non-launch-call",
    summary: "device records are joined to calls that launch nothing",
    doc: Doc {
        measures: "The number of device records whose correlation id belongs to a call that hands no work to a device, such as \
            a wait or a query.",
        misleads: "The record counts as joined, and everything that is read from its launch is that of another call: its \
            thread, its time of launch, its place in the program.",
        remedy: "Nothing to mend in the workload: the tracer mixed ids up (seen in rocprofiler-sdk as JAX 0.8 uses it). Such \
            records are attributed by their place among their neighbours or not at all.",
        limit: "0: a wait launches no kernel. One public capture shows 4 of 235.",
        exceptions: "Calls are known by their API name; older tracers name a launch after its kernel, which counts as a launch.",
    },
    since: "0.1.0",
    guards: &[Claim::CriticalPath, Claim::Estimate],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let mut by_api: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut joined, mut time) = (0_u64, Picoseconds::ZERO);
    for (event, launch) in trace.device_events.iter().zip(&analysis.launches.of_event) {
        let Some(call) = launch.call().map(|call| &trace.host_calls[call]) else { continue };
        joined += 1;
        if !call.kind.hands_over_work() {
            *by_api.entry(trace.name(call.api)).or_default() += 1;
            time += event.interval.duration();
        }
    }
    if joined == 0 {
        return Measurement::not_applicable("no device record is joined to a call");
    }
    let n: u64 = by_api.values().sum();
    let message = if n == 0 {
        format!("each of {joined} joined device records leads to a call that hands over work")
    } else {
        let names: Vec<String> = by_api.iter().map(|(api, n)| format!("{n} × {api}")).collect();
        format!("{n} of {joined} device records are joined to {}", names.join(", "))
    };
    Measurement::measured(
        count(n),
        [
            ("records", json!(n)),
            ("time_us", us(time)),
            ("joined", json!(joined)),
            ("by_api", json!(by_api)),
        ],
        message,
    )
}
