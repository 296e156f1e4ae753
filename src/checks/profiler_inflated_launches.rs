//! `profiler-inflated-launches`: launch calls take so long that the profiler, and not the workload, decides the pace.

use super::{Check, Doc, Measure, Measurement};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::{Capture, HostCallKind};
use crate::units::Picoseconds;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "profiler-inflated-launches",
    summary: "launch calls are slowed down by the profiler",
    doc: Doc {
        measures: "The median duration of the kernel launch calls outside stream capture, in captures with at least twenty.",
        misleads: "Idle time is measured, and real, and exists only under the profiler: a tracer that serialises kernels or leaves \
            the fast path of graphs makes a busy GPU wait for its host.",
        remedy: "Compare the length of a step with a run without the profiler. Switch counters off; use another release of the tracer.",
        limit: "100 µs: medians of 31 public captures lie between 1.3 and 15 µs, the one of a counter session at 52,900 µs.",
        exceptions: "Single slow calls (first use of a module, a full queue) do not move a median. Launches of graphs are not \
            counted: they wait for room in the queue.",
    },
    since: "0.1.0",
    guards: &[Claim::HostStarved, Claim::StepTime, Claim::Estimate],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Microseconds,
    part_of: None,
    measure: Measure::Capture(measure),
};

/// Fewer calls have no median that says anything: the first ones load modules.
const MIN_CALLS: usize = 20;

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let launches = trace.host_calls.iter().enumerate().filter(|(index, call)| {
        call.kind == HostCallKind::Launch && !analysis.launches.is_captured(*index, call)
    });
    let mut durations: Vec<Picoseconds> =
        launches.map(|(_, call)| call.interval.duration()).collect();
    let n = durations.len();
    if n < MIN_CALLS {
        return Measurement::not_applicable(format!("{n} kernel launch calls, fewer than twenty"));
    }
    durations.sort_unstable();
    let median = durations[n / 2];
    let longest = durations[n - 1];
    Measurement::measured(
        median.as_us_f64(),
        [("calls", json!(n)), ("median_us", super::us(median)), ("longest_us", super::us(longest))],
        format!("half of {n} kernel launch calls take {} or more", median.human()),
    )
}
