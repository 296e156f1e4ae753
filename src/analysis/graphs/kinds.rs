//! Kinds of replays: replays that own records of the same nodes, or, where no record names its node, of the same names equally
//! often, replay the same graph as far as records tell.
//!
//! Loss inside replays shows in kinds. A graph replays all its kernels each time, so that replays differ only where graphs do.
//! Two patterns do not come from different graphs: replays of equal marks and unequal counts, and many kinds that
//! are parts of another.

use super::GraphReplay;
use crate::analysis::launches::Launches;
use crate::trace::{DeviceEvent, GraphNodeId, NameId, Trace};
use rustc_hash::FxHashMap;

/// Kinds that are a part of another kind without loss: a model that is cut into pieces has a first and a last one that are
/// often contained in the ones between (1 of 25 in a public capture).
const PARTS_TOLERATED: usize = 2;

/// Comparisons of one mark's count; a trace with more kinds than these allow is not compared to the end.
const MAX_STEPS: usize = 1 << 26;

/// What tells one record of a replay from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Mark {
    /// Its node. Nodes of two graphs are never the same.
    Node(GraphNodeId),
    /// Its name, where the producer writes no node.
    Name(NameId),
}

impl Mark {
    fn of(event: &DeviceEvent) -> Self {
        event.graph_node.map_or(Self::Name(event.name), Self::Node)
    }
}

/// The records of a replay by mark, in order of the mark.
type Marks = Vec<(Mark, u32)>;

/// The kinds of a trace's replays.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    /// By replay; absent for those without records.
    of_replay: Vec<Option<u32>>,
    /// By kind: how many replays it has, and how many records one of them owns.
    sizes: Vec<(u64, u64)>,
    /// By kind: the records of the smallest kind of which it must be an incomplete form.
    whole: Vec<Option<u64>>,
    /// By kind: true where it is contained in another.
    is_part: Vec<bool>,
}

impl Kinds {
    /// Sorts replays into kinds.
    pub(super) fn of(trace: &Trace, launches: &Launches, replays: &[GraphReplay]) -> Self {
        let at_call: FxHashMap<usize, usize> =
            replays.iter().enumerate().map(|(at, replay)| (replay.call, at)).collect();
        let mut marks: Vec<FxHashMap<Mark, u32>> = vec![FxHashMap::default(); replays.len()];
        for (event, launch) in trace.device_events.iter().zip(&launches.of_event) {
            if let Some(&at) = launch.call().and_then(|call| at_call.get(&call)) {
                *marks[at].entry(Mark::of(event)).or_default() += 1;
            }
        }
        let sorted = |marks: FxHashMap<Mark, u32>| {
            let mut marks: Marks = marks.into_iter().collect();
            marks.sort_unstable();
            marks
        };
        Self::from_marks(marks.into_iter().map(sorted).collect())
    }

    fn from_marks(replays: Vec<Marks>) -> Self {
        let mut known: FxHashMap<Marks, u32> = FxHashMap::default();
        let mut kinds = Self::default();
        for marks in replays {
            let kind = (!marks.is_empty()).then(|| {
                let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
                let size = marks.iter().map(|(_, n)| u64::from(*n)).sum();
                let kind = *known.entry(marks).or_insert(next);
                if kind == next {
                    kinds.sizes.push((0, size));
                }
                kinds.sizes[kind as usize].0 += 1;
                kind
            });
            kinds.of_replay.push(kind);
        }
        let mut distinct: Vec<(Marks, u32)> = known.into_iter().collect();
        distinct.sort_unstable_by_key(|(_, kind)| *kind);
        let distinct: Vec<Marks> = distinct.into_iter().map(|(marks, _)| marks).collect();
        let parts = parts(&distinct);
        kinds.is_part = parts.iter().map(Option::is_some).collect();
        kinds.whole = wholes(&distinct, parts);
        kinds
    }

    /// So many replays of which no two are alike.
    #[cfg(test)]
    pub(super) fn unlike(n: u32) -> Self {
        Self::from_marks(
            (0..n).map(|name| vec![(Mark::Name(NameId::new(name)), name + 1)]).collect(),
        )
    }

    /// The records that a replay should own, where its kind is an incomplete form of another.
    pub(super) fn whole(&self, replay: usize) -> Option<u64> {
        self.whole[self.of_replay[replay]? as usize]
    }

    /// True where another replay owns the same records, more than one, and no other kind owns all of them and more: a replay that
    /// shows its first kernel alone looks like every other that does, and what two replays have kept of a third one's may be alike.
    pub(super) fn has_twin(&self, replay: usize) -> bool {
        self.of_replay[replay].is_some_and(|kind| {
            let (n, records) = self.sizes[kind as usize];
            n > 1 && records > 1 && !self.is_part[kind as usize]
        })
    }

    /// True where incomplete forms were found.
    pub(super) fn has_incomplete(&self) -> bool {
        self.whole.iter().any(Option::is_some)
    }
}

/// For each kind, the records of the whole form of which it must be a part.
fn wholes(kinds: &[Marks], parts: Vec<Option<u64>>) -> Vec<Option<u64>> {
    let mut whole = vec![None; kinds.len()];
    unequal_counts(kinds, &mut whole);
    if parts.iter().flatten().count() > PARTS_TOLERATED {
        for (whole, part) in whole.iter_mut().zip(parts) {
            *whole = whole.or(part);
        }
    }
    whole
}

fn size(marks: &Marks) -> u64 {
    marks.iter().map(|(_, n)| u64::from(*n)).sum()
}

/// Kinds with the same marks in different numbers: the largest is nearest to the whole.
fn unequal_counts(kinds: &[Marks], whole: &mut [Option<u64>]) {
    let mut largest: FxHashMap<Vec<Mark>, u64> = FxHashMap::default();
    let key = |marks: &Marks| marks.iter().map(|(mark, _)| *mark).collect::<Vec<_>>();
    for marks in kinds {
        let known = largest.entry(key(marks)).or_default();
        *known = (*known).max(size(marks));
    }
    for (marks, whole) in kinds.iter().zip(whole) {
        let largest = largest.get(&key(marks)).copied().unwrap_or_default();
        *whole = (size(marks) < largest).then_some(largest);
    }
}

/// For each kind that is contained in another, the size of the smallest such other.
fn parts(kinds: &[Marks]) -> Vec<Option<u64>> {
    let mut by_size: Vec<usize> = (0..kinds.len()).collect();
    by_size.sort_by_key(|&kind| size(&kinds[kind]));
    let mut parts = vec![None; kinds.len()];
    let mut left = MAX_STEPS;
    for (at, &kind) in by_size.iter().enumerate() {
        for &other in &by_size[at + 1..] {
            let Some(rest) = left.checked_sub(kinds[other].len()) else { return parts };
            left = rest;
            if size(&kinds[kind]) < size(&kinds[other]) && is_part(&kinds[kind], &kinds[other]) {
                parts[kind] = Some(size(&kinds[other]));
                break;
            }
        }
    }
    parts
}

/// True where every mark of `part` occurs in `whole` at least as often. Both are in order of the mark.
fn is_part(part: &Marks, whole: &Marks) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|(name, n)| rest.any(|(other, m)| other == name && m >= n))
}

#[cfg(test)]
mod tests {
    use super::{Kinds, Mark, Marks};
    use crate::trace::NameId;
    use std::collections::BTreeSet;

    fn names(text: &str) -> Marks {
        let distinct: BTreeSet<u8> = text.bytes().collect();
        let mut names: Marks = distinct
            .into_iter()
            .map(|letter| {
                let n = text.bytes().filter(|one| *one == letter).count();
                (Mark::Name(NameId::new(u32::from(letter))), u32::try_from(n).unwrap())
            })
            .collect();
        names.sort_unstable();
        names
    }

    fn whole(replays: &[&str]) -> Vec<Option<u64>> {
        let kinds = Kinds::from_marks(replays.iter().map(|text| names(text)).collect());
        (0..replays.len()).map(|replay| kinds.whole(replay)).collect()
    }

    #[test]
    fn replays_of_equal_names_have_equal_counts() {
        assert_eq!(whole(&["aab", "aab", "ab"]), [None, None, Some(3)]);
        assert_eq!(whole(&["aab", "aac", ""]), [None, None, None]);
    }

    #[test]
    fn a_first_and_a_last_piece_may_be_parts_and_more_may_not() {
        assert_eq!(whole(&["ab", "abcd", "abcd", "cd"]), [None; 4]);
        let found = whole(&["abcd", "abcd", "abc", "bcd", "acd"]);
        assert_eq!(found, [None, None, Some(4), Some(4), Some(4)]);
    }

    #[test]
    fn a_twin_owns_more_than_one_record_and_is_no_part() {
        let replays = ["ab", "ab", "c", "c", "de", "fgh", "fgh", "fg", "fg"];
        let kinds = Kinds::from_marks(replays.map(names).into());
        let twins: Vec<bool> = (0..9).map(|replay| kinds.has_twin(replay)).collect();
        assert_eq!(twins, [true, true, false, false, false, true, true, false, false]);
    }
}
