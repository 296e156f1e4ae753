//! Whether the ranks' clocks agree, from the ends of collectives that no rank can leave before all have come.

use super::instances::Matched;
use crate::units::Picoseconds;

/// The ends of one collective may lie so far apart under one clock: below 10 µs on the one public run of several ranks.
const SHARED_CLOCK: i128 = 50_000_000;

/// Fewer collectives do not carry an estimate of how far two clocks lie apart.
const MIN_FOR_OFFSETS: usize = 10;

/// How the ranks' clocks relate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// What is added to the times of each rank, in picoseconds; all 0 where they are taken as they are.
    pub offsets: Vec<i128>,
    /// How far the ends of one collective lie from their middle in the median, on the rank where that is most.
    pub residual: Picoseconds,
    /// True where it is more than can be counted: the clocks have nothing to do with one another.
    pub is_beyond: bool,
    /// The rank where it is most, by its place in the run.
    pub worst_rank: usize,
    /// Collectives that this rests on.
    pub n_collectives: u64,
    /// True where offsets were estimated: clocks of several hosts.
    pub is_estimated: bool,
}

/// Compares the clocks; `None` where no collective is on several ranks.
pub(super) fn clocks(instances: &[Matched], n_ranks: usize) -> Option<Clocks> {
    let needs_all = |one: &&Matched| is_synchronising(&one.name);
    let mut used: Vec<&Matched> = instances.iter().filter(needs_all).collect();
    if used.is_empty() {
        used = instances.iter().collect();
    }
    if used.is_empty() {
        return None;
    }
    let plain = residual(&used, &vec![0; n_ranks], false)?;
    if plain.residual.ps() <= i64::try_from(SHARED_CLOCK).unwrap_or(i64::MAX) {
        return Some(plain);
    }
    // Kernels that were matched by their order alone may be those of another step: a whole step would look like an offset.
    if used.len() < MIN_FOR_OFFSETS || !used.iter().all(|one| one.by_sequence) {
        return Some(plain);
    }
    let away = deviations(&used, &vec![0; n_ranks]).into_iter();
    let offsets: Vec<i128> = away.map(|away| -median(away).unwrap_or(0)).collect();
    let estimated = residual(&used, &offsets, true)?;
    Some(if estimated.residual < plain.residual { estimated } else { plain })
}

fn residual(used: &[&Matched], offsets: &[i128], is_estimated: bool) -> Option<Clocks> {
    let of_rank = |(rank, away): (usize, Vec<i128>)| {
        median(away.into_iter().map(i128::abs).collect()).map(|away| (away, rank))
    };
    let away = deviations(used, offsets).into_iter().enumerate();
    let (away, worst_rank) = away.filter_map(of_rank).max_by_key(|(away, _)| *away)?;
    Some(Clocks {
        offsets: offsets.to_vec(),
        residual: Picoseconds::new(i64::try_from(away).unwrap_or(i64::MAX)),
        is_beyond: i64::try_from(away).is_err(),
        worst_rank,
        n_collectives: used.len() as u64,
        is_estimated,
    })
}

/// How far each rank's ends lie behind the middle of all ends of each collective.
fn deviations(used: &[&Matched], offsets: &[i128]) -> Vec<Vec<i128>> {
    let mut of_rank: Vec<Vec<i128>> = vec![Vec::new(); offsets.len()];
    for one in used {
        let ends = || one.ranks.iter().map(|&(at, _, end)| (at, end + offsets[at]));
        let Some(middle) = median(ends().map(|(_, end)| end).collect()) else { continue };
        for (at, end) in ends() {
            of_rank[at].push(end - middle);
        }
    }
    of_rank
}

fn median(mut values: Vec<i128>) -> Option<i128> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}

/// True for operations whose result needs something of every rank: none of them can end before all have come.
pub(super) fn is_synchronising(name: &str) -> bool {
    const WORDS: [&str; 5] = ["allreduce", "allgather", "reducescatter", "alltoall", "barrier"];
    let letters: String = name
        .chars()
        .filter(|letter| *letter != '_')
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    WORDS.iter().any(|word| letters.contains(word))
}
