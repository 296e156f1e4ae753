//! Whether the ranks' clocks agree, from the ends of collectives that no rank can leave before all have come.

use super::instances::Matched;
use crate::units::Picoseconds;

/// The ends of one collective may lie so far apart under one clock: below 10 µs on the one public run of several ranks.
const SHARED_CLOCK: i128 = 50_000_000;

/// Fewer collectives do not carry an estimate of how far two clocks lie apart.
const MIN_FOR_OFFSETS: usize = 10;

/// Clocks of two hosts lie closer together than this: a crystal that nobody sets loses some seconds a day. What is further apart
/// was recorded at another time.
const OFFSET_MAX: i128 = 3_600_000_000_000_000;

/// Of the collectives, so many in ten must end on all ranks within the residual. A median would let half of them disagree.
const TENTHS_WITHIN: usize = 9;

/// How the ranks' clocks relate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// What is added to the times of each rank, in picoseconds; all 0 where they are taken as they are.
    pub offsets: Vec<i128>,
    /// Within this the first and the last end of a collective lie, in nine of ten collectives.
    pub residual: Picoseconds,
    /// True where it is more than can be counted: the clocks have nothing to do with one another.
    pub is_beyond: bool,
    /// The rank whose ends lie furthest from the middle of all ends in the median, by its place in the run.
    pub worst_rank: usize,
    /// Collectives that this rests on.
    pub n_collectives: u64,
    /// True where offsets were estimated: clocks of several hosts.
    pub is_estimated: bool,
}

impl Clocks {
    /// True where the ends of a collective lie so far apart that nothing tells who waited: further than those of nearly all others,
    /// and further than one clock explains.
    pub(super) fn contradict(&self, one: &Matched) -> bool {
        if self.is_beyond {
            return false;
        }
        let allowed = SHARED_CLOCK.max(i128::from(self.residual.ps()));
        is_synchronising(&one.name)
            && apart(one, &self.offsets).is_some_and(|apart| apart > allowed)
    }
}

/// Compares the clocks; `None` where no collective is on several ranks.
pub(super) fn clocks(instances: &[Matched], n_ranks: usize) -> Option<Clocks> {
    let needs_all = |one: &&Matched| is_synchronising(&one.name);
    let mut used: Vec<&Matched> = instances.iter().filter(needs_all).collect();
    if used.is_empty() {
        used = instances.iter().collect();
    }
    let plain = compared(&used, vec![0; n_ranks], false)?;
    if plain.residual.ps() <= i64::try_from(SHARED_CLOCK).unwrap_or(i64::MAX) {
        return Some(plain);
    }
    // Kernels that were matched by their order alone may be those of another step: a whole step would look like an offset.
    if used.len() < MIN_FOR_OFFSETS || !used.iter().all(|one| one.by_sequence) {
        return Some(plain);
    }
    let away = deviations(&used, &plain.offsets).into_iter();
    let offsets: Vec<i128> = away.map(|away| -median(away).unwrap_or(0)).collect();
    let (least, most) = (offsets.iter().min()?, offsets.iter().max()?);
    if most - least > OFFSET_MAX {
        return Some(plain);
    }
    let estimated = compared(&used, offsets, true)?;
    Some(if estimated.residual < plain.residual { estimated } else { plain })
}

/// How well the ends agree with some offsets of the ranks' clocks; `None` where nothing is compared.
fn compared(used: &[&Matched], offsets: Vec<i128>, is_estimated: bool) -> Option<Clocks> {
    let mut all_apart: Vec<i128> = used.iter().filter_map(|one| apart(one, &offsets)).collect();
    all_apart.sort_unstable();
    let residual =
        *all_apart.get((all_apart.len() * TENTHS_WITHIN).div_ceil(10).checked_sub(1)?)?;
    let of_rank = |(rank, away): (usize, Vec<i128>)| {
        median(away.into_iter().map(i128::abs).collect()).map(|away| (away, rank))
    };
    let away = deviations(used, &offsets).into_iter().enumerate();
    let (_, worst_rank) = away.filter_map(of_rank).max_by_key(|(away, _)| *away)?;
    Some(Clocks {
        offsets,
        residual: Picoseconds::new(i64::try_from(residual).unwrap_or(i64::MAX)),
        is_beyond: i64::try_from(residual).is_err(),
        worst_rank,
        n_collectives: used.len() as u64,
        is_estimated,
    })
}

/// How far apart the ends of one collective lie.
fn apart(one: &Matched, offsets: &[i128]) -> Option<i128> {
    let ends = || one.ranks.iter().map(|&(at, _, end)| end + offsets[at]);
    Some(ends().max()? - ends().min()?)
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

/// The middle value; of two the mean, so that neither side is the middle of a pair.
fn median(mut values: Vec<i128>) -> Option<i128> {
    values.sort_unstable();
    let at = values.len().checked_sub(1)? / 2;
    let (lower, upper) = (values[at], values[values.len() / 2]);
    Some(lower + (upper - lower) / 2)
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
