//! The one interval algebra: sorted disjoint sets of half-open intervals.

use crate::units::{Interval, Picoseconds};

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
        let mut merged: Vec<Interval> = Vec::new();
        for next in sorted {
            match merged.last_mut() {
                Some(last) if next.start() <= last.end() => *last = last.hull(next),
                _ => merged.push(next),
            }
        }
        Self(merged)
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
        self.iter().map(Interval::duration).sum()
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

    /// The place of the interval that an instant lies in.
    pub fn index_of(&self, instant: Picoseconds) -> Option<usize> {
        let at = self.0.partition_point(|one| one.start() <= instant).checked_sub(1)?;
        self.0[at].contains(instant).then_some(at)
    }

    /// Instants in either set.
    pub fn union(&self, other: &Self) -> Self {
        Self::from_intervals(self.iter().chain(other.iter()))
    }

    /// Instants in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        let (mut left, mut right) = (self.0.as_slice(), other.0.as_slice());
        let mut common = Vec::new();
        while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
            common.extend(a.intersection(*b));
            if a.end() <= b.end() { left = left_rest } else { right = right_rest }
        }
        Self(common)
    }

    /// Instants of this set that are not in the other.
    pub fn difference(&self, other: &Self) -> Self {
        match self.hull() {
            Some(hull) => self.intersection(&other.complement(hull)),
            None => Self::default(),
        }
    }

    /// Instants of `window` that are not in the set.
    pub fn complement(&self, window: Interval) -> Self {
        let mut gaps = Vec::new();
        let mut from = window.start();
        for one in self.iter() {
            if one.start() >= window.end() {
                break;
            }
            gaps.extend(Interval::new(from, one.start()).filter(|gap| !gap.is_empty()));
            from = from.max(one.end());
        }
        gaps.extend(Interval::new(from, window.end()).filter(|gap| !gap.is_empty()));
        Self(gaps)
    }

    /// Instants of the set that lie in `window`.
    pub fn clip(&self, window: Interval) -> Self {
        let first = self.0.partition_point(|one| one.end() <= window.start());
        let inside = self.0[first..].iter().take_while(|one| one.start() < window.end());
        Self(inside.filter_map(|one| one.intersection(window)).collect())
    }
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
            assert_eq!(bits_of(&a.complement(at(0, 8))), !a_bits);
            assert_eq!(bits_of(&a.complement(at(2, 5))), !a_bits & 0b0001_1100);
            assert_eq!(a.total().ps(), i64::from(a_bits.count_ones()));
            assert_eq!(bits_of(&a.clip(at(2, 5))), a_bits & 0b0001_1100);
            for (b_bits, b) in &sets {
                assert_eq!(bits_of(&a.union(b)), a_bits | b_bits);
                assert_eq!(bits_of(&a.intersection(b)), a_bits & b_bits);
                assert_eq!(bits_of(&a.difference(b)), a_bits & !b_bits);
            }
        }
    }
}
