//! `damaged-records`: records whose times were lost or make no sense.

use super::{Check, Doc, Measure, Measurement, count};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::{Capture, DamageFault, DamagedRecords, RecordSide};
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "damaged-records",
    summary: "records have lost or impossible times",
    doc: Doc {
        measures: "The number of records with a zero timestamp, a negative duration, no duration although the file \
            resolves nanoseconds, a time that is not finite, not a number or far outside the capture, and of `nan` or \
            `inf` in other fields. Records whose place on the timeline is unknown are counted and left out of every sum.",
        misleads: "A single record at time 0 stretches the span to the age of the Unix epoch and makes any device 100 % \
            idle; records that lost their time are missing from busy time and rankings.",
        remedy: "Capture a shorter window: profilers hand out zero times when their buffers or pools are exhausted. \
            `nan` and `inf` come from exporters that divide by a zero duration; a newer profiler version writes numbers.",
        limit: "0: in 39 public captures no device record is damaged.",
        exceptions: "Zero-length host calls are normal, and so are zero-length device records in old files that resolve \
            microseconds only; neither is counted. A timestamp of 0 is sound where the file's own times lie around 0.",
    },
    since: "0.1.0",
    guards: &[
        Claim::Idle,
        Claim::HostStarved,
        Claim::KernelTime,
        Claim::Ranking,
        Claim::StepTime,
        Claim::CriticalPath,
        Claim::Estimate,
    ],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, _analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let sum = |wanted: &dyn Fn(&DamagedRecords) -> bool| -> u64 {
        trace.damaged.iter().filter(|damaged| wanted(damaged)).map(|damaged| damaged.count).sum()
    };
    let by_fault = |fault| sum(&|damaged| damaged.fault == fault);
    // Device work in a category that the reader does not know is as lost as work without a time.
    let unknown_work =
        capture.primary().notices.iter().filter(|notice| notice.code == "unsupported-category");
    let unknown_work: u64 = unknown_work.map(|notice| notice.count).sum();
    let all = sum(&|_| true) + unknown_work;
    let device = sum(&|damaged| damaged.side == RecordSide::Device);
    let first = trace.damaged.first().map(|damaged| match damaged.first {
        (name, Some(line)) => format!("`{}` in line {line}", trace.name(name)),
        (name, None) => format!("`{}`", trace.name(name)),
    });
    let message = match (&first, all) {
        (None, 0) => "no record is damaged".to_owned(),
        (None, _) => {
            format!("{unknown_work} device records are of a category that is not supported")
        }
        (Some(first), 1) => format!("1 record is damaged: {first}"),
        (Some(first), _) => {
            format!("{all} records are damaged, {device} of them device work; the first is {first}")
        }
    };
    Measurement::measured(
        count(all),
        [
            ("device_records", json!(device)),
            ("intact_device_records", json!(trace.device_events.len())),
            ("zero_timestamp", json!(by_fault(DamageFault::ZeroTimestamp))),
            ("negative_duration", json!(by_fault(DamageFault::NegativeDuration))),
            ("zero_duration", json!(by_fault(DamageFault::ZeroDuration))),
            ("nonfinite_number", json!(by_fault(DamageFault::NonFinite))),
            ("out_of_range", json!(by_fault(DamageFault::OutOfRange))),
            ("unsupported_category", json!(unknown_work)),
            ("unreadable", json!(by_fault(DamageFault::Unreadable))),
            ("first", json!(first)),
        ],
        message,
    )
}
