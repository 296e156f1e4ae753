//! `unaligned-rank-clocks`: the clocks of a job's ranks do not agree.

use super::{Check, Doc, Measure, Measurement, us};
use crate::analysis::Run;
use crate::report::{Bound, Claim, Unit};
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "unaligned-rank-clocks",
    summary: "the clocks of the ranks do not agree",
    doc: Doc {
        measures: "How far a rank's end of a collective lies from the middle of all ranks' ends: the median over the collectives that need \
                   every rank (all-reduce, all-gather, reduce-scatter, all-to-all, barrier; where there are none, over all), of the rank \
                   where it is most. Where the profiler wrote sequence numbers, and ten or more collectives carry it, the offsets \
                   of the clocks are estimated from the medians first, and the rest is measured.",
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
    measure: Measure::Run(measure),
};

fn measure(run: &Run) -> Measurement {
    let Some(clocks) = &run.clocks else {
        return Measurement::not_applicable("no collective is on several ranks");
    };
    let worst = run.ranks.get(clocks.worst_rank).copied().unwrap_or_default();
    let how = if clocks.is_estimated { ", with their clocks set by them" } else { "" };
    let more = if clocks.is_beyond { "more than " } else { "" };
    let message = format!(
        "the ends of {} collectives lie {more}{} apart in the median on rank {worst}{how}",
        clocks.n_collectives,
        clocks.residual.human()
    );
    Measurement::measured(
        clocks.residual.as_us_f64(),
        [
            ("residual_us", us(clocks.residual)),
            ("collectives", json!(clocks.n_collectives)),
            ("worst_rank", json!(worst)),
            ("estimated_offsets", json!(clocks.is_estimated)),
        ],
        message,
    )
}
