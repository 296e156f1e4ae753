//! Merging: records that would fall into one pixel become one bar, which knows how many they are and how long they ran.

use crate::trace::NameId;
use crate::units::{Interval, Picoseconds};

/// Bars of a lane for each column. Short records need one at most, and so do long ones that follow one another.
const BARS_PER_COLUMN: usize = 2;

/// A record of a lane, clipped to the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) interval: Interval,
    pub(super) kind: &'static str,
    pub(super) name: Option<NameId>,
    pub(super) on_path: bool,
}

/// One bar.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    pub(super) interval: Interval,
    /// Time and number of each kind, in order of first appearance.
    pub(super) kinds: Vec<(&'static str, Picoseconds, u64)>,
    /// The name of the longest.
    pub(super) name: Option<NameId>,
    pub(super) several_names: bool,
    pub(super) records: u64,
    pub(super) time: Picoseconds,
    pub(super) on_path: bool,
    longest: Picoseconds,
}

/// The columns that a window is divided into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    start: Picoseconds,
    pub(super) width: Picoseconds,
    n_columns: usize,
}

impl Grid {
    pub(super) fn of(window: Interval, n_columns: u16) -> Self {
        let columns = i64::from(n_columns.max(1));
        let width = window.duration().ps().max(1) / columns;
        let width = Picoseconds::new(width.max(1));
        Self { start: window.start(), width, n_columns: usize::from(n_columns) }
    }

    fn column(self, at: Picoseconds) -> i64 {
        (at - self.start).ps() / self.width.ps()
    }
}

/// Merges the records of a lane, which are in order of their start. Records of a column's length and more stand alone, unless they
/// overlap in such numbers that there would be more bars than columns.
pub(super) fn merge(items: &[Item], grid: Grid) -> Vec<Merged> {
    let is_short = |item: &Item| item.interval.duration() < grid.width;
    let bars = merge_where(items, grid, is_short);
    if bars.len() > BARS_PER_COLUMN * grid.n_columns + BARS_PER_COLUMN {
        return merge_where(items, grid, |_| true);
    }
    bars
}

fn merge_where(items: &[Item], grid: Grid, may_merge: impl Fn(&Item) -> bool) -> Vec<Merged> {
    let mut bars: Vec<Merged> = Vec::new();
    // The column that the last bar takes more records of; none where it stands alone.
    let mut open: Option<i64> = None;
    for item in items {
        let column = may_merge(item).then(|| grid.column(item.interval.start()));
        match bars.last_mut() {
            Some(bar) if column.is_some() && open == column => bar.take(item),
            _ => bars.push(Merged::of(item)),
        }
        open = column;
    }
    bars
}

impl Merged {
    fn of(item: &Item) -> Self {
        let time = item.interval.duration();
        Self {
            interval: item.interval,
            kinds: vec![(item.kind, time, 1)],
            name: item.name,
            several_names: false,
            records: 1,
            time,
            on_path: item.on_path,
            longest: time,
        }
    }

    fn take(&mut self, item: &Item) {
        let time = item.interval.duration();
        self.interval = self.interval.hull(item.interval);
        match self.kinds.iter_mut().find(|(kind, ..)| *kind == item.kind) {
            Some((_, sum, n)) => (*sum, *n) = (*sum + time, *n + 1),
            None => self.kinds.push((item.kind, time, 1)),
        }
        self.several_names |= self.name != item.name;
        if time > self.longest {
            (self.name, self.longest) = (item.name, time);
        }
        self.records += 1;
        self.time += time;
        self.on_path |= item.on_path;
    }

    /// The kind with the most time; of equal ones the first.
    pub(super) fn kind(&self) -> &'static str {
        let mut most = ("", Picoseconds::new(-1));
        for &(kind, time, _) in &self.kinds {
            if time > most.1 {
                most = (kind, time);
            }
        }
        most.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Grid, Item, merge};
    use crate::units::{Interval, Picoseconds};

    fn at(start: i64, end: i64) -> Interval {
        Interval::new(Picoseconds::new(start), Picoseconds::new(end)).unwrap()
    }

    fn items(spans: &[(i64, i64, &'static str)]) -> Vec<Item> {
        let item = |&(start, end, kind)| Item {
            interval: at(start, end),
            kind,
            name: None,
            on_path: false,
        };
        spans.iter().map(item).collect()
    }

    #[test]
    fn only_short_records_of_one_column_become_one_bar() {
        // Ten columns of ten.
        let grid = Grid::of(at(0, 100), 10);
        let lane = items(&[
            (0, 2, "kernel"),
            (3, 5, "copy"),
            (5, 8, "copy"),
            (12, 40, "kernel"),
            (40, 41, "kernel"),
            (42, 60, "kernel"),
            (61, 62, "kernel"),
            (75, 76, "kernel"),
        ]);
        let bars = merge(&lane, grid);
        let shown: Vec<_> = bars
            .iter()
            .map(|bar| {
                let (start, end) = (bar.interval.start().ps(), bar.interval.end().ps());
                (start, end, bar.kind(), bar.records, bar.time.ps())
            })
            .collect();
        assert_eq!(
            shown,
            [
                (0, 8, "copy", 3, 7),
                (12, 40, "kernel", 1, 28),
                (40, 41, "kernel", 1, 1),
                (42, 60, "kernel", 1, 18),
                (61, 62, "kernel", 1, 1),
                (75, 76, "kernel", 1, 1),
            ]
        );
        assert_eq!(
            bars[0].kinds.iter().map(|one| (one.0, one.2)).collect::<Vec<_>>(),
            [("kernel", 1), ("copy", 2)]
        );
    }

    #[test]
    fn nothing_is_lost_and_bars_stay_few() {
        // A fixed scramble: dense, overlapping, of every length.
        let mut state = 11_u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            i64::from((state >> 8) % below)
        };
        for longest in [1, 5, 40, 4_000] {
            let mut spans: Vec<(i64, i64, &'static str)> = (0..5_000)
                .map(|_| {
                    let start = next(9_000);
                    (start, start + next(longest), "kernel")
                })
                .collect();
            spans.sort_unstable();
            let lane = items(&spans);
            let sum: i64 = spans.iter().map(|(start, end, _)| end - start).sum();
            for columns in [1, 7, 100, 1_000] {
                let bars = merge(&lane, Grid::of(at(0, 13_000), columns));
                assert_eq!(bars.iter().map(|bar| bar.records).sum::<u64>(), 5_000);
                assert_eq!(bars.iter().map(|bar| bar.time.ps()).sum::<i64>(), sum);
                assert!(bars.len() <= 2 * usize::from(columns) + 2, "{} bars", bars.len());
                assert!(bars.is_sorted_by_key(|bar| bar.interval.start()));
            }
        }
    }

    #[test]
    fn a_window_without_length_has_a_column() {
        let bars = merge(&items(&[(5, 5, "kernel")]), Grid::of(at(5, 5), 0));
        assert_eq!(bars.len(), 1);
    }
}
