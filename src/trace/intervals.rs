//! The one interval algebra: sorted disjoint sets of half-open intervals.

use crate::units::{Interval, Picoseconds};
use std::iter;

/// A set of instants as sorted, disjoint, non-touching, non-empty intervals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntervalSet(Vec<Interval>);

impl IntervalSet {
    /// The union of intervals in any order. Empty ones vanish.
    pub fn from_intervals(intervals: impl IntoIterator<Item = Interval>) -> Self {
        let mut sorted: Vec<Interval> =
            intervals.into_iter().filter(|one| !one.is_empty()).collect();
        if !sorted.is_sorted() {
            sorted.sort_unstable();
        }
        sorted.dedup_by(|next, last| {
            let meets = next.start() <= last.end();
            if meets {
                *last = last.hull(*next);
            }
            meets
        });
        Self::fitted(sorted)
    }

    /// The instants of any of some sets.
    pub fn union_of(sets: Vec<Self>) -> Self {
        match <[Self; 1]>::try_from(sets) {
            Ok([only]) => only,
            Err(sets) => Self::from_intervals(sets.iter().flat_map(Self::iter)),
        }
    }

    /// Instants of `window` that are in none of some sets.
    pub fn outside_all(sets: [&Self; 3], window: Interval) -> Self {
        Self::fitted(gaps(joined(in_order(sets)), window).collect())
    }

    /// The length of the union of some sets.
    pub fn total_of(sets: [&Self; 3]) -> Picoseconds {
        time_of(joined(in_order(sets)))
    }

    /// Sets are kept for as long as a report takes: without what they had set aside to grow.
    fn fitted(mut disjoint: Vec<Interval>) -> Self {
        disjoint.shrink_to_fit();
        Self(disjoint)
    }

    /// The intervals in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Interval> + '_ {
        self.0.iter().copied()
    }

    /// How many intervals there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True where no instant is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Time covered.
    pub fn total(&self) -> Picoseconds {
        time_of(self.iter())
    }

    /// The longest interval.
    pub fn longest(&self) -> Option<Interval> {
        self.iter().max_by_key(|one| one.duration())
    }

    /// From the first instant to the last.
    pub fn hull(&self) -> Option<Interval> {
        Some(self.0.first()?.hull(*self.0.last()?))
    }

    /// True where `instant` is in the set.
    pub fn contains(&self, instant: Picoseconds) -> bool {
        self.index_of(instant).is_some()
    }

    /// The interval at an index.
    pub fn get(&self, index: usize) -> Option<Interval> {
        self.0.get(index).copied()
    }

    /// The index of the interval that ends at an instant.
    pub fn index_ending_at(&self, instant: Picoseconds) -> Option<usize> {
        self.0.binary_search_by_key(&instant, |one| one.end()).ok()
    }

    /// The place of the interval that an instant lies in.
    pub fn index_of(&self, instant: Picoseconds) -> Option<usize> {
        let at = self.0.partition_point(|one| one.start() <= instant).checked_sub(1)?;
        self.0[at].contains(instant).then_some(at)
    }

    /// Instants in either set.
    pub fn union(&self, other: &Self) -> Self {
        Self::fitted(joined(merged(self.iter(), other.iter())).collect())
    }

    /// Instants of both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        common(self.iter(), other.iter()).collect()
    }

    /// Instants of this set that are not in the other.
    pub fn difference(&self, other: &Self) -> Self {
        outside(self.iter(), other.iter()).collect()
    }

    /// Instants of `window` that are not in the set, in order of time.
    pub fn complement(&self, window: Interval) -> impl Iterator<Item = Interval> + '_ {
        gaps(self.iter(), window)
    }

    /// The intervals that share an instant with `window`, as long as they are.
    pub fn meeting(&self, window: Interval) -> Self {
        let first = self.0.partition_point(|one| one.end() <= window.start());
        let inside = self.0[first..].iter().take_while(|one| one.start() < window.end());
        Self::fitted(inside.copied().collect())
    }

    /// Instants of the set that lie in `window`.
    pub fn clip(&self, window: Interval) -> Self {
        let first = self.0.partition_point(|one| one.end() <= window.start());
        let inside = self.0[first..].iter().take_while(|one| one.start() < window.end());
        Self::fitted(inside.filter_map(|one| one.intersection(window)).collect())
    }
}

/// Intervals that are disjoint and in order already, such as those of [`common`] and [`outside`].
impl FromIterator<Interval> for IntervalSet {
    fn from_iter<I: IntoIterator<Item = Interval>>(disjoint: I) -> Self {
        Self::from_intervals(disjoint)
    }
}

/// The time that disjoint intervals cover.
pub fn time_of(disjoint: impl Iterator<Item = Interval>) -> Picoseconds {
    disjoint.map(Interval::duration).sum()
}

/// Instants of both, in order of time, one by one: nothing is kept of what may be as long as a capture. On either side intervals
/// are disjoint and in order.
pub fn common(
    left: impl IntoIterator<Item = Interval>,
    right: impl IntoIterator<Item = Interval>,
) -> impl Iterator<Item = Interval> {
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    iter::from_fn(move || {
        loop {
            let (one, other) = (*left.peek()?, *right.peek()?);
            match one.end() < other.end() {
                true => left.next(),
                false => right.next(),
            };
            if let Some(both) = one.intersection(other) {
                return Some(both);
            }
        }
    })
}

/// Instants of the left that are not in the right, likewise. Those on the right may overlap, if they end in the order in which they
/// begin.
pub fn outside(
    left: impl IntoIterator<Item = Interval>,
    right: impl IntoIterator<Item = Interval>,
) -> impl Iterator<Item = Interval> {
    let (mut left, mut right) = (left.into_iter(), right.into_iter().peekable());
    let mut rest: Option<Interval> = None;
    iter::from_fn(move || {
        loop {
            let one = rest.take().or_else(|| left.next())?;
            while right.next_if(|other| other.end() <= one.start()).is_some() {}
            let Some(other) = right.peek().filter(|other| other.start() < one.end()) else {
                return Some(one);
            };
            let part = |from, to| Interval::new(from, to).filter(|part| !part.is_empty());
            rest = part(other.end(), one.end());
            if let Some(before) = part(one.start(), other.start()) {
                return Some(before);
            }
        }
    })
}

/// The intervals of three sets by where they begin.
fn in_order([a, b, c]: [&IntervalSet; 3]) -> impl Iterator<Item = Interval> {
    merged(merged(a.iter(), b.iter()), c.iter())
}

/// Two lists by where their intervals begin, as each of them is.
fn merged(
    left: impl Iterator<Item = Interval>,
    right: impl Iterator<Item = Interval>,
) -> impl Iterator<Item = Interval> {
    let (mut left, mut right) = (left.peekable(), right.peekable());
    iter::from_fn(move || match (left.peek(), right.peek()) {
        (Some(a), Some(b)) if b.start() < a.start() => right.next(),
        (Some(_), _) => left.next(),
        (None, _) => right.next(),
    })
}

/// Intervals by where they begin, with those that overlap or touch as one.
fn joined(sorted: impl Iterator<Item = Interval>) -> impl Iterator<Item = Interval> {
    let mut sorted = sorted.peekable();
    iter::from_fn(move || {
        let mut one = sorted.next()?;
        while let Some(next) = sorted.next_if(|next| next.start() <= one.end()) {
            one = one.hull(next);
        }
        Some(one)
    })
}

/// What of a window lies between disjoint intervals in order.
fn gaps(
    disjoint: impl Iterator<Item = Interval>,
    window: Interval,
) -> impl Iterator<Item = Interval> {
    let mut from = window.start();
    let behind = iter::once(Interval::starting_at(window.end(), Picoseconds::ZERO));
    disjoint.chain(behind).filter_map(move |one| {
        let gap = Interval::new(from, one.start().min(window.end()));
        from = from.max(one.end());
        gap.filter(|gap| !gap.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::IntervalSet;
    use crate::units::{Interval, Picoseconds};

    fn set(pairs: &[(i64, i64)]) -> IntervalSet {
        IntervalSet::from_intervals(pairs.iter().map(|&(start, end)| at(start, end)))
    }

    fn at(start: i64, end: i64) -> Interval {
        Interval::starting_at(Picoseconds::new(start), Picoseconds::new(end - start))
    }

    #[test]
    fn union_merges_what_overlaps_or_touches() {
        assert_eq!(set(&[(5, 9), (0, 3), (3, 4), (8, 12), (20, 20)]), set(&[(0, 4), (5, 12)]));
    }

    #[test]
    fn algebra_agrees_with_a_bitmap() {
        // Every pair of sets over eight instants, against the obvious model.
        let sets: Vec<(u8, IntervalSet)> = (0..=255_u8)
            .map(|bits| {
                let instants = (0..8).filter(|i| bits >> i & 1 == 1);
                (bits, IntervalSet::from_intervals(instants.map(|i| at(i, i + 1))))
            })
            .collect();
        let bits_of = |set: &IntervalSet| {
            (0..8)
                .filter(|&i| set.contains(Picoseconds::new(i)))
                .fold(0_u8, |bits, i| bits | 1 << i)
        };
        for (a_bits, a) in &sets {
            assert_eq!(bits_of(&a.complement(at(0, 8)).collect()), !a_bits);
            assert_eq!(bits_of(&a.complement(at(2, 5)).collect()), !a_bits & 0b0001_1100);
            assert_eq!(a.total().ps(), i64::from(a_bits.count_ones()));
            assert_eq!(bits_of(&a.clip(at(2, 5))), a_bits & 0b0001_1100);
            let meeting: u8 =
                a.meeting(at(2, 5)).iter().map(|one| bits_of(&IntervalSet(vec![one]))).sum();
            assert_eq!(bits_of(&a.meeting(at(2, 5)).clip(at(2, 5))), a_bits & 0b0001_1100);
            assert_eq!(meeting & !a_bits, 0);
            let clipped = a.clip(at(3, 7));
            let (all, outside) = ([a, &clipped, &sets[77].1], a_bits | sets[77].0);
            assert_eq!(bits_of(&IntervalSet::outside_all(all, at(0, 8))), !outside);
            assert_eq!(IntervalSet::total_of(all).ps(), i64::from(outside.count_ones()));
            for (b_bits, b) in &sets {
                assert_eq!(bits_of(&a.union(b)), a_bits | b_bits);
                assert_eq!(bits_of(&a.intersection(b)), a_bits & b_bits);
                assert_eq!(bits_of(&a.difference(b)), a_bits & !b_bits);
            }
        }
    }
}
