//! Who waited for whom: each collective's time before and after its last rank came.

use super::clocks::is_synchronising;
use super::instances::Matched;
use crate::report::RankRecord;
use std::sync::Arc;

/// One collective on all of its ranks. Times are picoseconds on the axis of the first rank's file.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The operation, else the kernel's name.
    pub name: Arc<str>,
    /// The process group, where it is known.
    pub group: Option<Arc<str>>,
    /// From the start of the last rank to the last end.
    pub all_present: (i128, i128),
    /// The rank that came last; of several the lowest.
    pub straggler: u64,
    /// How long after the next to last rank it came.
    pub lead: i128,
    /// False where some ranks may have moved data before the last one came: its operation does not need every rank, and there
    /// are more than two.
    pub needs_all: bool,
    /// Each rank.
    pub ranks: Vec<Wait>,
}

/// One rank in one collective, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The rank.
    pub rank: u64,
    /// When its kernel began, on the axis of its own file.
    pub start_in_file: i128,
    /// When it began, on the axis of the first rank's file.
    pub start: i128,
    /// How long its kernel ran.
    pub kernel: i128,
    /// How long of it the last rank had not come.
    pub wait: i128,
}

/// Splits every collective by the arrival of its last rank.
pub(super) fn split(
    matched: &[Matched],
    records: &[&RankRecord],
    offsets: &[i128],
    base: i128,
) -> Vec<Instance> {
    matched.iter().filter_map(|one| instance(one, records, offsets, base)).collect()
}

fn instance(
    matched: &Matched,
    records: &[&RankRecord],
    offsets: &[i128],
    base: i128,
) -> Option<Instance> {
    let on_axis = |&(at, start, end): &(usize, i128, i128)| {
        let offset = offsets.get(at).copied().unwrap_or(0) - base;
        (records[at].rank, start + offset, end + offset)
    };
    let ranks: Vec<(u64, i128, i128)> = matched.ranks.iter().map(on_axis).collect();
    let last_start = ranks.iter().map(|rank| rank.1).max()?;
    let last_end = ranks.iter().map(|rank| rank.2).max()?;
    let straggler = ranks.iter().find(|rank| rank.1 == last_start)?.0;
    let second = ranks.iter().map(|rank| rank.1).filter(|&start| start < last_start).max();
    let tied = ranks.iter().filter(|rank| rank.1 == last_start).count() > 1;
    let in_file = |&(at, start, _): &(usize, i128, i128)| start - records[at].base_ps;
    let wait = |(&(rank, start, end), matched): (&(u64, i128, i128), &(usize, i128, i128))| Wait {
        rank,
        start_in_file: in_file(matched),
        start,
        kernel: end - start,
        wait: (last_start.min(end) - start).max(0),
    };
    Some(Instance {
        name: Arc::clone(&matched.name),
        group: matched.group.clone(),
        all_present: (last_start, last_end),
        straggler,
        needs_all: ranks.len() == 2 || is_synchronising(&matched.name),
        lead: if tied { 0 } else { last_start - second.unwrap_or(last_start) },
        ranks: ranks.iter().zip(&matched.ranks).map(wait).collect(),
    })
}
