//! `silent-head-or-tail`: the host launches work at one end of the capture, and no device record is there.

use super::{Check, Doc, Measure, Measurement, WORK_IS_MISSING, us};
use crate::analysis::{Analysis, DISPATCH_LATENCY};
use crate::report::{Bound, Unit};
use crate::trace::{Capture, HostCall};
use crate::units::{Interval, Picoseconds};
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "silent-head-or-tail",
    summary: "the host launches work before the first device record, or after the last",
    doc: Doc {
        measures: "The longer of two spans ÷ the span from first to last launch or device record. Head: from the first launch call \
            to the first device record, where that call left no record. Tail: from the last device record to the last launch call \
            that left none. Of each 100 µs are taken off for the dispatch. Calls inside stream capture do not count.",
        misleads: "A full buffer ends the device's records while the host's go on: what is left looks like a shorter run, with an idle \
            share and a step of its own.",
        remedy: "Capture fewer steps, or raise the profiler's buffer limit. Idle within the window of the records stands; the run was \
            longer.",
        limit: "1 %: the launches of complete public captures and their records cover the same span.",
        exceptions: "Work that is still queued when recording ends was launched before the last device record, and is no silence. Copies \
            and fills may leave no record.",
    },
    since: "0.1.0",
    guards: WORK_IS_MISSING,
    requires: None,
    bound: Bound::Max,
    unit: Unit::Share,
    part_of: Some("of the recorded span"),
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let launches = || {
        trace.host_calls.iter().enumerate().filter(|(index, call)| {
            call.kind.launches_kernels() && !analysis.launches.is_captured(*index, call)
        })
    };
    let work = trace.device_events.iter().map(|event| event.interval).reduce(Interval::hull);
    let Some(work) = work else {
        return Measurement::not_applicable("no device work was recorded");
    };
    let hull = launches().map(|(_, call)| call.interval).reduce(Interval::hull);
    let Some(hull) = hull.map(|calls| calls.hull(work)) else {
        return Measurement::not_applicable("no launch call was recorded");
    };
    let without = |(index, _): &(usize, &HostCall)| analysis.launches.n_records[*index] == 0;
    let first = launches().min_by_key(|(_, call)| call.interval.start()).filter(without);
    let last = launches().filter(without).map(|(_, call)| call.interval.start()).max();
    let span =
        |from: Picoseconds, to: Picoseconds| (to - from - DISPATCH_LATENCY).max(Picoseconds::ZERO);
    let head = first.map_or(Picoseconds::ZERO, |(_, call)| span(call.interval.end(), work.start()));
    let tail = last.map_or(Picoseconds::ZERO, |last| span(work.end(), last));
    let longer = head.max(tail);
    let Some(share) = longer.share_of(hull.duration()) else {
        return Measurement::not_applicable("the capture has no length");
    };
    let message = if longer == Picoseconds::ZERO {
        "launches and device records cover the same span".to_owned()
    } else if head > tail {
        format!("the host launched work for {} before the first device record", head.human())
    } else {
        format!("the host launched work for {} after the last device record", tail.human())
    };
    Measurement::measured(
        share.share(),
        [
            ("head_us", us(head)),
            ("tail_us", us(tail)),
            ("span_us", us(hull.duration())),
            ("device_records", json!(trace.device_events.len())),
        ],
        message,
    )
}
