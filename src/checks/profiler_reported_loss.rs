//! `profiler-reported-loss`: the profiler itself says that it lost records.

use super::{Check, Doc, Measure, Measurement, WORK_IS_MISSING, count};
use crate::analysis::Analysis;
use crate::report::{Bound, Unit};
use crate::trace::Capture;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "profiler-reported-loss",
    summary: "the profiler itself reports lost records or errors",
    doc: Doc {
        measures: "The number of messages that the profiler left in the capture and that are errors, or speak of lost records: \
            the `errors` and `warnings` of an XSpace, the `ERROR`, `WARNING` and `INFO` lines of Kineto.",
        misleads: "Profilers write into the file that a buffer was full, and viewers do not show it. What follows in time, or on \
            one device, is missing, and reads as idle.",
        remedy: "Do what the message says, as a rule: a larger buffer, fewer steps, fewer kinds of events. Capture again.",
        limit: "0: no public capture at hand holds such a message.",
        exceptions: "Most tracers are silent about loss, so that no message is no proof. Information and warnings about other \
            things are not counted; `dropped 0` is none, and Kineto's `Out-of-range = 4181` counts records outside of the window \
            that was asked for.",
    },
    since: "0.1.0",
    guards: WORK_IS_MISSING,
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

/// What messages of CUPTI's, Kineto's and XLA's collectors say where records are missing (pytorch/kineto
/// `CuptiActivityProfiler.cpp`, openxla/xla `cupti_collector.cc`, `rocm_collector.cc`).
const SAYS_LOSS: &[&str] = &[
    "drop",
    "lost",
    "exceed",
    "collection stopped",
    "overflow",
    "truncated",
    "stopped early? = 1",
];

/// What denies the loss that it names.
const SAYS_NONE: &[&str] = &["dropped 0 ", "dropped: 0", "lost 0 ", "0 dropped", "no dropped"];

/// The messages that evidence quotes.
const QUOTED: usize = 3;

fn measure(capture: &Capture, _analysis: &Analysis) -> Measurement {
    let log = || capture.records.iter().flat_map(|record| &record.trace.profiler.log);
    let lines: Vec<&str> = log()
        .filter(|(level, line)| level == "ERROR" || speaks_of_loss(line))
        .map(|(_, line)| line.as_str())
        .collect();
    let message = match lines.first() {
        None => "the profiler reports no lost record".to_owned(),
        Some(first) => format!("the profiler reports loss {} times, first: {first}", lines.len()),
    };
    Measurement::measured(
        count(lines.len() as u64),
        [
            ("messages", json!(lines.len())),
            ("first", json!(lines.iter().take(QUOTED).collect::<Vec<_>>())),
            ("messages_of_any_kind", json!(log().count())),
        ],
        message,
    )
}

fn speaks_of_loss(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| line.contains(part));
    has(SAYS_LOSS) && !has(SAYS_NONE)
}

#[cfg(test)]
mod tests {
    use super::speaks_of_loss;

    #[test]
    fn loss_is_told_from_other_messages() {
        for (line, expected) in [
            ("Dropped 12 activity records", true),
            ("dropped 0 activity records", false),
            ("Exceeded max GPU buffer count (128 > 32) - terminating tracing", true),
            ("Collection stopped by GPU profiler", true),
            ("4 events lost because the buffer was full", true),
            ("Enabling GPU tracing with max CUPTI buffer size 128MB", false),
            ("Record counts: Out-of-range = 4181, CUPTI stopped early? = 0", false),
            ("Record counts: Out-of-range = 0, CUPTI stopped early? = 1", true),
            ("Completed Stage: Warm Up", false),
            ("", false),
        ] {
            assert_eq!(speaks_of_loss(line), expected, "{line}");
        }
    }
}
