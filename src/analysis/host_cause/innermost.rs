//! The innermost of overlapping host events at each instant.

use crate::units::{Interval, Picoseconds};
use std::cmp::Reverse;
use std::iter::Peekable;

/// A host event of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) struct HostEvent {
    /// From entry to return.
    pub(in crate::analysis) interval: Interval,
    /// What it counts as.
    pub(in crate::analysis) row: u32,
}

/// A span of time in which one event is the innermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) struct Segment {
    /// When.
    pub(in crate::analysis) interval: Interval,
    /// What the event counts as.
    pub(in crate::analysis) row: u32,
}

/// The order in which [`innermost`] wants events: by their start, the longer first where they begin together.
pub(in crate::analysis) fn sweep_order(event: Interval) -> (Picoseconds, Reverse<Picoseconds>) {
    (event.start(), Reverse(event.end()))
}

/// Splits the time that events cover by the innermost: of those that cover an instant, the one that began last. Of events that
/// begin together it is the shorter, and of equal ones the later in the list. Events need not be nested; they come in
/// [`sweep_order`], and the segments in order of time.
pub(in crate::analysis) fn innermost<E>(events: E) -> Innermost<E::IntoIter>
where
    E: IntoIterator<Item = HostEvent>,
{
    Innermost {
        events: events.into_iter().peekable(),
        open: Vec::new(),
        at: Picoseconds::new(i64::MIN),
    }
}

/// The segments of some events, while they are found.
pub(in crate::analysis) struct Innermost<E: Iterator<Item = HostEvent>> {
    /// Events that have not begun.
    events: Peekable<E>,
    /// Events that have begun, the latest last; those that have ended go when they come to the top.
    open: Vec<HostEvent>,
    /// How far the segments reach.
    at: Picoseconds,
}

impl<E: Iterator<Item = HostEvent>> Iterator for Innermost<E> {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        loop {
            let to =
                self.events.peek().map_or(Picoseconds::new(i64::MAX), |next| next.interval.start());
            let Some(top) = self.open.last().copied().filter(|_| self.at < to) else {
                let next = self.events.next()?;
                self.at = next.interval.start();
                self.open.push(next);
                continue;
            };
            let until = top.interval.end().min(to);
            if top.interval.end() <= to {
                self.open.pop();
            }
            let interval = Interval::new(self.at, until).filter(|one| !one.is_empty());
            self.at = self.at.max(until);
            if let Some(interval) = interval {
                return Some(Segment { interval, row: top.row });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HostEvent, Segment, innermost, sweep_order};
    use crate::units::{Interval, Picoseconds};

    fn at(start: i64, end: i64) -> Interval {
        Interval::new(Picoseconds::new(start), Picoseconds::new(end)).unwrap()
    }

    fn split(events: &[(i64, i64)]) -> Vec<(i64, i64, u32)> {
        let events = events.iter().zip(0..);
        let events = events.map(|(&(start, end), row)| HostEvent { interval: at(start, end), row });
        let shown = |segment: Segment| {
            (segment.interval.start().ps(), segment.interval.end().ps(), segment.row)
        };
        let mut events: Vec<HostEvent> = events.collect();
        events.sort_by_key(|event| sweep_order(event.interval));
        innermost(events).map(shown).collect()
    }

    #[test]
    fn the_inner_event_goes_before_the_outer() {
        for (events, expected) in [
            (
                &[(0, 10), (2, 4), (6, 8)][..],
                &[(0, 2, 0), (2, 4, 1), (4, 6, 0), (6, 8, 2), (8, 10, 0)][..],
            ),
            (&[(0, 10), (2, 8), (4, 6)], &[(0, 2, 0), (2, 4, 1), (4, 6, 2), (6, 8, 1), (8, 10, 0)]),
            // Two that begin together, in either order; a pause; one after the other.
            (&[(0, 4), (0, 10)], &[(0, 4, 0), (4, 10, 1)]),
            (&[(0, 10), (0, 4)], &[(0, 4, 1), (4, 10, 0)]),
            (&[(0, 2), (5, 6), (6, 7)], &[(0, 2, 0), (5, 6, 1), (6, 7, 2)]),
            // Not nested: the later one counts where both run.
            (&[(0, 10), (5, 15)], &[(0, 5, 0), (5, 15, 1)]),
            (&[(0, 20), (1, 10), (5, 15)], &[(0, 1, 0), (1, 5, 1), (5, 15, 2), (15, 20, 0)]),
            (&[(3, 9), (3, 9)], &[(3, 9, 1)]),
        ] {
            assert_eq!(split(events), expected, "{events:?}");
        }
    }

    #[test]
    fn segments_agree_with_the_obvious_model() {
        // A fixed scramble of many small events over forty instants.
        let mut state = 7_u32;
        for _ in 0..300 {
            let mut next = |below: u32| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                i64::from((state >> 16) % below)
            };
            let events: Vec<(i64, i64)> = (0..1 + next(9))
                .map(|_| {
                    let start = next(30);
                    (start, start + 1 + next(10))
                })
                .collect();
            let segments = split(&events);
            for instant in 0..40 {
                let covers = |&(start, end): &(i64, i64)| start <= instant && instant < end;
                let expected = (0..)
                    .zip(&events)
                    .filter(|(_, event)| covers(event))
                    .max_by_key(|&(row, &(start, end))| (start, std::cmp::Reverse(end), row));
                let found = segments.iter().filter(|&&(start, end, _)| covers(&(start, end)));
                let found: Vec<u32> = found.map(|&(_, _, row)| row).collect();
                let expected: Vec<u32> = expected.map(|(row, _)| row).into_iter().collect();
                assert_eq!(found, expected, "{events:?} at {instant}");
            }
        }
    }
}
