//! `unmatched-collectives`: ranks of one job recorded different collectives.

use super::{Check, Doc, Measure, Measurement};
use crate::analysis::Run;
use crate::report::{Bound, Claim, Unit};
use crate::units::Ratio;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "unmatched-collectives",
    summary: "collectives that not all of their ranks recorded",
    doc: Doc {
        measures: "The share of collective kernels, over the ranks of a job, that can't be put together with one on each other rank of their \
                   group. They are matched by the group's sequence number where the profiler wrote it, else the first of an \
                   operation with the first and so on, which needs equally many on each rank.",
        misleads: "A rank that lost the record of a collective looks like one that did not take part, and all later ones are put together \
                   with the wrong partner.",
        remedy: "record the same steps on every rank; PyTorch 2.2 and later write the sequence numbers",
        limit: "0: a collective runs on all of its ranks.",
        exceptions: "Captures that begin or end at different times have different collectives at their ends; with sequence numbers only \
                     those are unmatched. So it warns, and what the ranks waited is withheld.",
    },
    since: "0.1.0",
    guards: &[Claim::CollectiveSplit],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Share,
    part_of: Some("of collective kernels"),
    measure: Measure::Run(measure),
};

fn measure(run: &Run) -> Measurement {
    let Some(share) = Ratio::new(run.n_unmatched, run.n_collectives) else {
        return Measurement::not_applicable("no rank recorded a collective");
    };
    let first = run.first_unmatched.as_deref();
    let of = first.map(|first| format!(", first {first}")).unwrap_or_default();
    let message = format!(
        "{} of {} collective kernels have no counterpart on each of their ranks{of}",
        run.n_unmatched, run.n_collectives
    );
    Measurement::measured(
        share.share(),
        [
            ("count", json!(run.n_unmatched)),
            ("collectives", json!(run.n_collectives)),
            ("matched", json!(run.instances.len())),
        ],
        message,
    )
}
