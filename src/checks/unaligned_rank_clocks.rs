//! `unaligned-rank-clocks`: the clocks of a job's ranks do not agree.

use super::{Check, Doc, Measure, Measurement, us};
use crate::analysis::Run;
use crate::report::{Bound, Claim, Unit};
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "unaligned-rank-clocks",
    summary: "the clocks of the ranks do not agree",
    doc: Doc {
        measures: "How far apart the ranks' ends of a collective lie, from the first to the last, in nine of ten of the collectives that \
                   need every rank (all-reduce, all-gather, reduce-scatter, all-to-all, barrier; where there are none, of all). Where \
                   the profiler wrote sequence numbers, and ten or more collectives carry it, the offsets of the clocks are estimated \
                   from the medians first, and the rest is measured; clocks that would lie more than an hour apart are not. A \
                   collective whose own ends lie further apart than that and than 50 µs is left out of what the ranks waited for.",
        misleads: "A clock that is a millisecond early makes its rank look like the one that waited.",
        remedy: "compare ranks of one host, or record with clocks that are synchronised to microseconds",
        limit: "50 µs. On the one public run of several ranks, eight on one host, the ends lie within 10 µs; a wait that is stated \
                should be well above what the clocks disagree by.",
        exceptions: "Ranks of several hosts honestly have different clocks, so it warns; their times stand, and only what they waited for \
                     one another is withheld.",
    },
    since: "0.1.0",
    guards: &[Claim::CollectiveSplit],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Microseconds,
    part_of: None,
    measure: Measure::Run(measure),
};

fn measure(run: &Run) -> Measurement {
    let Some(clocks) = &run.clocks else {
        return Measurement::not_applicable("no collective is on several ranks");
    };
    let worst = run.ranks.get(clocks.worst_rank).copied().unwrap_or_default();
    let how = if clocks.is_estimated { ", with their clocks set by them" } else { "" };
    let more = if clocks.is_beyond { "more than " } else { "" };
    let left_out = match run.n_contradicting {
        0 => String::new(),
        n => format!("; {n} whose ends lie further apart are left out"),
    };
    // Of fewer than ten, nine in ten are all.
    let part = if clocks.n_collectives < 10 { "" } else { "nine in ten of " };
    let message = format!(
        "the ends of {part}{} collectives lie within {more}{}{how}, those of rank {worst} furthest from the middle{left_out}",
        clocks.n_collectives,
        clocks.residual.human()
    );
    Measurement::measured(
        clocks.residual.as_us_f64(),
        [
            ("residual_us", us(clocks.residual)),
            ("collectives", json!(clocks.n_collectives)),
            ("worst_rank", json!(worst)),
            ("left_out", json!(run.n_contradicting)),
            ("estimated_offsets", json!(clocks.is_estimated)),
        ],
        message,
    )
}
