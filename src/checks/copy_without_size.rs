//! `copy-without-size`: copies of which only the time is known.

use super::{Check, Doc, Measure, Measurement, count, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::{Capture, DeviceEventKind};
use crate::units::Picoseconds;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "copy-without-size",
    summary: "copies have a time and no size",
    doc: Doc {
        measures: "The number of copies that took time and whose size the tracer does not know: none, or 0 bytes.",
        misleads: "A bandwidth from them is 0 GB/s, or a division by zero, and a sum of bytes leaves them out.",
        remedy: "Take sizes from the program (its HLO or operator shapes). Newer ROCm tracers write them to the host's call only.",
        limit: "0. Time and overlap of such copies stand; only their bandwidth is undefined.",
        exceptions: "Copies that the tracer records as kernels (`__amd_rocclr_copyBuffer`) are no copies here, and state no size \
            by design; their time counts as that of copies.",
    },
    since: "0.1.0",
    guards: &[Claim::Roofline],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, _analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let is_copy = |kind: DeviceEventKind| kind == DeviceEventKind::Memcpy;
    let n_copies = trace.device_events.iter().filter(|event| is_copy(event.kind)).count();
    if n_copies == 0 {
        return Measurement::not_applicable("no copy was recorded");
    }
    let lacking = || trace.copies.iter().filter(|copy| copy.bytes.is_none());
    let time = |copy: &crate::trace::CopyDetail| {
        trace.device_events[copy.event as usize].interval.duration()
    };
    let timed = || lacking().filter(|copy| time(copy) > Picoseconds::ZERO);
    let n = timed().count() as u64;
    let all: Picoseconds = timed().map(time).sum();
    let undirected = trace.copies.iter().filter(|copy| copy.direction.is_none()).count();
    let message = if n == 0 {
        format!("the size of each of {n_copies} copies is known")
    } else {
        format!("{n} of {n_copies} copies took {} and state no size", all.human())
    };
    Measurement::measured(
        count(n),
        [
            ("copies", json!(n_copies)),
            ("without_size", json!(n)),
            ("without_size_us", us(all)),
            ("without_direction", json!(undirected)),
        ],
        message,
    )
}
