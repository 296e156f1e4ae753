//! Which collective kernels of several ranks are one operation.

use crate::report::{RankCollective, RankRecord};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One operation on all of its ranks.
#[derive(Clone, Debug)]
pub(super) struct Matched {
    pub(super) name: Arc<str>,
    pub(super) group: Option<Arc<str>>,
    /// True where the producer's sequence number says that these belong together; else they are the same in order.
    pub(super) by_sequence: bool,
    /// Rank, by its place in the run, and start and end in picoseconds since the Unix epoch by its own clock.
    pub(super) ranks: Vec<(usize, i128, i128)>,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct AllMatched {
    pub(super) instances: Vec<Matched>,
    /// Kernels without all of their counterparts.
    pub(super) n_unmatched: u64,
    pub(super) first_unmatched: Option<String>,
}

/// Kernels of one operation of one group, by rank.
type ByRank<'r> = BTreeMap<usize, Vec<&'r RankCollective>>;

/// Matches kernels by the sequence number of their group where each of them has one, else the n-th of an operation with the n-th:
/// that needs as many of them on each rank.
pub(super) fn matched(records: &[&RankRecord]) -> AllMatched {
    let mut by_group: BTreeMap<Option<&str>, ByRank<'_>> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        for one in &record.collectives {
            let ranks = by_group.entry(one.group.as_deref()).or_default();
            ranks.entry(at).or_default().push(one);
        }
    }
    let mut all = AllMatched::default();
    for ranks in by_group.into_values() {
        let has_sequence = |one: &&RankCollective| one.sequence.is_some();
        if ranks.values().flatten().all(has_sequence) {
            by_sequence(&ranks, records, &mut all);
        } else {
            in_order(&ranks, records, &mut all);
        }
    }
    all.instances.sort_by_key(|one| one.ranks.iter().map(|rank| rank.1).min());
    all
}

fn by_sequence(ranks: &ByRank<'_>, records: &[&RankRecord], all: &mut AllMatched) {
    let mut by_number: BTreeMap<(u64, &str), ByRank<'_>> = BTreeMap::new();
    for (&at, of_rank) in ranks {
        for one in of_rank {
            let key = (one.sequence.unwrap_or_default(), &*one.name);
            by_number.entry(key).or_default().entry(at).or_default().push(one);
        }
    }
    for one in by_number.into_values() {
        add(&one, ranks, records, true, all);
    }
}

fn in_order(ranks: &ByRank<'_>, records: &[&RankRecord], all: &mut AllMatched) {
    let mut by_name: BTreeMap<&str, ByRank<'_>> = BTreeMap::new();
    for (&at, of_rank) in ranks {
        for one in of_rank {
            by_name.entry(&one.name).or_default().entry(at).or_default().push(one);
        }
    }
    for of_name in by_name.into_values() {
        add(&of_name, ranks, records, false, all);
    }
}

/// Adds the operations of some kernels: each rank of the group has equally many of them.
fn add(
    of_name: &ByRank<'_>,
    group: &ByRank<'_>,
    records: &[&RankRecord],
    by_sequence: bool,
    all: &mut AllMatched,
) {
    let Some(first) = of_name.values().flatten().next() else { return };
    let n_each = of_name.values().map(Vec::len).next().unwrap_or_default();
    // Without a group's name and size every rank of the run takes part.
    let n_ranks = match (first.group_size, &first.group) {
        (Some(size), _) => usize::try_from(size).unwrap_or(usize::MAX),
        (None, Some(_)) => group.len(),
        (None, None) => records.len(),
    };
    let sizes_agree = of_name.values().flatten().all(|one| one.group_size == first.group_size);
    let is_even = sizes_agree && of_name.values().all(|of_rank| of_rank.len() == n_each);
    if !is_even || of_name.len() != n_ranks || n_ranks < 2 {
        all.n_unmatched += of_name.values().map(|of_rank| of_rank.len() as u64).sum::<u64>();
        all.first_unmatched.get_or_insert_with(|| match &first.group {
            Some(group) => format!("{} of group {group}", first.name),
            None => first.name.to_string(),
        });
        return;
    }
    for nth in 0..n_each {
        let interval = |(&at, of_rank): (&usize, &Vec<&RankCollective>)| {
            let (start, end) = of_rank[nth].interval_ps;
            (at, start + records[at].base_ps, end + records[at].base_ps)
        };
        all.instances.push(Matched {
            name: Arc::clone(&first.name),
            group: first.group.clone(),
            by_sequence,
            ranks: of_name.iter().map(interval).collect(),
        });
    }
}
