//! `missing-ranks`: a job has more ranks than there are captures.

use super::{Check, Doc, Measure, Measurement, count};
use crate::analysis::Run;
use crate::report::{Bound, Claim, Unit};
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "missing-ranks",
    summary: "ranks of the job that have no capture beside the others",
    doc: Doc {
        measures: "The size of the job, as its captures state it, minus the ranks that lie in one folder. Made where a folder holds \
                   captures of several ranks.",
        misleads: "The rank that came last may be one that is missing: what the others waited for is then put on the last of those that \
                   are there.",
        remedy: "put the captures of all ranks into one folder, or compare no ranks",
        limit: "0: who waited for whom needs everyone.",
        exceptions: "A capture of one rank alone is no comparison, so nothing is missing. Ranks of which several captures lie in one \
                     folder are not compared: nothing says which belong together.",
    },
    since: "0.1.0",
    guards: &[Claim::CollectiveSplit],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Run(measure),
};

fn measure(run: &Run) -> Measurement {
    let Some(world_size) = run.world_size else {
        return Measurement::no_evidence("the captures do not say how many ranks the job has");
    };
    let foreign: Vec<u64> = run.ranks.iter().copied().filter(|rank| *rank >= world_size).collect();
    let there = (run.ranks.len() - foreign.len()) as u64;
    // A rank that no job of this size has contradicts the others: which are missing can't be told, but not all are there.
    let missing = world_size.saturating_sub(there).saturating_add(foreign.len() as u64);
    let first: Vec<u64> =
        (0..world_size).filter(|rank| !run.ranks.contains(rank)).take(10).collect();
    Measurement::measured(
        count(missing),
        [
            ("ranks", json!(there)),
            ("world_size", json!(world_size)),
            ("first_missing", json!(first)),
        ],
        match foreign.first() {
            None => format!("{there} of {world_size} ranks of the job are there"),
            Some(rank) => format!(
                "{there} of {world_size} ranks of the job are there, and rank {rank}, which a job of {world_size} has not"
            ),
        },
    )
}
