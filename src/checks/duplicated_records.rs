//! `duplicated-records`: device records that occur twice.

use super::{Check, Doc, Measure, Measurement, count, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "duplicated-records",
    summary: "device records occur more than once",
    doc: Doc {
        measures: "The number of device records that repeat another one exactly: same stream, start, end, name and \
            correlation id.",
        misleads: "Kernel sums and counts double while busy time, a union, stays the same: every share and every ranking \
            that rests on a sum is wrong, and nothing looks odd.",
        remedy: "Do not merge a file with itself or with an overlapping chunk; export once per session.",
        limit: "0: in 39 public captures no device record occurs twice.",
        exceptions: "Records without a duration are not compared: in files that resolve microseconds only, two short \
            kernels of one graph replay can look alike.",
    },
    since: "0.1.0",
    guards: &[
        Claim::KernelTime,
        Claim::Ranking,
        Claim::OpAttribution,
        Claim::CriticalPath,
        Claim::Roofline,
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
    if trace.device_events.is_empty() {
        return Measurement::not_applicable("no device work was recorded");
    }
    let order = &analysis.order;
    let all = trace.device_events.len();
    let first = order.first_duplicate.map(|name| trace.name(name));
    let message = match first {
        None => format!("none of {all} device records repeats another"),
        Some(name) => format!(
            "{} of {all} device records repeat another exactly, such as `{name}`",
            order.n_duplicates
        ),
    };
    Measurement::measured(
        count(order.n_duplicates),
        [
            ("duplicates", json!(order.n_duplicates)),
            ("device_records", json!(all)),
            ("duplicate_time_us", us(order.duplicate_time)),
            ("first", json!(first)),
        ],
        message,
    )
}
