//! `impossible-durations`: records that outlast what must have waited for them.

use super::{Check, Doc, Measure, Measurement, count, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use crate::units::Picoseconds;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "impossible-durations",
    summary: "records last longer than their stream allows",
    doc: Doc {
        measures: "The number of device records that are still running when a later record of their stream has ended (by \
            more than 20 µs), that end more than 50 µs after a wait for the whole device returned which covered them, or that \
            start more than 1 ms before their launch call or end more than 1 ms after the profiler's own span. Work of one \
            stream ends in order, and nothing runs before it is launched.",
        misleads: "One damaged duration can be larger than everything else together: sums, shares, rankings and the span \
            are then its artefact, and the device looks busy to the end.",
        remedy: "Capture again with a shorter window. The kernels named in the evidence must not be quoted.",
        limit: "0: no record of 39 public captures outlasts a later one of its stream; the latest end after a \
            wait was 8 µs, none starts before its launch call, and none lies outside the profiler's span.",
        exceptions: "Neighbours that overlap by a few µs are honest: with programmatic dependent launch the next kernel \
            starts in the tail of the last (96–98 % of neighbours on B300, up to 4.6 µs each). Branches of one graph replay \
            may run side by side. Waits are judged only where one device was used.",
    },
    since: "0.1.0",
    guards: &[
        Claim::Idle,
        Claim::HostStarved,
        Claim::KernelTime,
        Claim::Ranking,
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
    let (outlasting, late) = (order.containments.len() as u64, order.late_ends.len() as u64);
    let worst = order.containments.iter().max_by_key(|one| one.overrun);
    let latest = order.late_ends.iter().max_by_key(|one| one.late_by);
    let overrun: Picoseconds = order.containments.iter().map(|one| one.overrun).sum();
    let small = &order.small_overlaps;
    let misplaced = order.misplaced.len() as u64;
    let farthest = order.misplaced.iter().max_by_key(|one| one.by);
    let message = match (worst, latest) {
        (None, None) if farthest.is_some() => {
            let (name, by) =
                farthest.map_or(("", Picoseconds::ZERO), |one| (trace.name(one.name), one.by));
            format!(
                "{misplaced} device records lie where they cannot have run: `{name}` by {} before its launch call, or beyond \
                 the profiler's span",
                by.human()
            )
        }
        (Some(worst), _) => format!(
            "{outlasting} device records outlast a later record of their stream: `{}` is recorded with {} where its \
             stream leaves it {}",
            trace.name(worst.name),
            worst.recorded.human(),
            worst.plausible.human()
        ),
        (None, Some(latest)) => format!(
            "{late} device records end after a wait for the device returned: `{}` by {}",
            trace.name(latest.name),
            latest.late_by.human()
        ),
        (None, None) if small.n_pairs > 0 => format!(
            "no record outlasts a later one of its stream; {} neighbours overlap by at most {}",
            small.n_pairs,
            small.longest.human()
        ),
        (None, None) => "no record outlasts a later one of its stream".to_owned(),
    };
    Measurement::measured(
        count(outlasting + late + misplaced),
        [
            ("outlasting_records", json!(outlasting)),
            ("overrun_us", us(overrun)),
            ("worst", json!(worst.map(|one| trace.name(one.name)))),
            ("worst_recorded_us", worst.map_or(json!(null), |one| us(one.recorded))),
            ("max_plausible_us", worst.map_or(json!(null), |one| us(one.plausible))),
            ("ends_after_wait", json!(late)),
            ("ends_after_wait_by_us", latest.map_or(json!(null), |one| us(one.late_by))),
            ("misplaced", json!(misplaced)),
            ("misplaced_by_us", farthest.map_or(json!(null), |one| us(one.by))),
            ("small_overlaps", json!(small.n_pairs)),
            ("small_overlaps_us", us(small.total)),
            ("small_overlaps_longest_us", us(small.longest)),
        ],
        message,
    )
}
