//! `launch-order-inverted`: work of one stream started in another order than it was launched in.

use super::{Check, Doc, Measure, Measurement, count};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use crate::units::Picoseconds;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "launch-order-inverted",
    summary: "work of a stream started in another order than it was launched in",
    doc: Doc {
        measures: "The number of device records that start although a record was launched before them on the same stream, by a \
            call that had returned, and starts later.",
        misleads: "A stream runs its work in the order of its launches. Where the records do not, ids or times belong to other \
            work: each kernel is then attributed to another's operator, with plausible figures.",
        remedy: "Update the tracer; ids that are used again, or processes that were merged into one file, do this.",
        limit: "0: none of 35,000 linked records of 31 public captures is out of order.",
        exceptions: "Calls of two threads that overlap in time may enter a stream in either order and are not compared. The records of \
            one graph launch have no order among themselves.",
    },
    since: "0.1.0",
    guards: &[
        Claim::OpAttribution,
        Claim::SourceLine,
        Claim::HostStarved,
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
    // Where its stream and its start are, and when its call began and returned.
    let link = |index: usize| {
        let call = analysis.launches.call(trace, index)?.interval;
        let event = &trace.device_events[index];
        Some((event.stream, event.interval.start(), call.start(), call.end()))
    };
    let events = (0_u32..).take(trace.device_events.len());
    let mut linked: Vec<u32> = events.filter(|&index| link(index as usize).is_some()).collect();
    if linked.is_empty() {
        return Measurement::not_applicable("no device record is joined to a call");
    }
    if !linked.is_sorted_by_key(|&index| link(index as usize)) {
        linked.sort_unstable_by_key(|&index| link(index as usize));
    }
    let (mut n, mut stream) = (0_u64, None);
    let mut latest = Picoseconds::ZERO;
    for (on, _, began, returned) in linked.iter().filter_map(|&index| link(index as usize)) {
        if stream != Some(on) {
            (stream, latest) = (Some(on), began);
        }
        // A record that started earlier was launched by a call that began when this one's had returned.
        n += u64::from(returned < latest);
        latest = latest.max(began);
    }
    let message = if n == 0 {
        format!("{} linked records start in the order of their launches", linked.len())
    } else {
        format!("{n} of {} linked records start out of the order of their launches", linked.len())
    };
    Measurement::measured(
        count(n),
        [("out_of_order", json!(n)), ("linked_records", json!(linked.len()))],
        message,
    )
}
