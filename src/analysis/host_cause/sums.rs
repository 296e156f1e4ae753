//! Sums: the parts of one gap, and the rows of one device.

use super::innermost::Segment;
use super::rows::{Rows, UNKNOWN_THREAD};
use super::{CauseRow, DeviceCause, GapCause};
use crate::units::{Interval, Picoseconds};
use std::iter::Peekable;

/// The parts of one gap, by row.
#[derive(Default)]
pub(super) struct Parts {
    time: Vec<Picoseconds>,
    /// Rows with a part, in the order of time: only those are cleared again.
    met: Vec<u32>,
}

impl Parts {
    /// Adds up what the segments of a thread have of a gap, and the rest as time without an event. Segments before it are passed
    /// over; what reaches beyond it stays for the gaps behind it.
    pub(super) fn fill(
        &mut self,
        segments: &mut Peekable<impl Iterator<Item = Segment>>,
        gap: Interval,
        no_event: u32,
    ) {
        let mut rest = gap.duration();
        while let Some(&Segment { interval, row }) = segments.peek() {
            if interval.start() >= gap.end() {
                break;
            }
            if let Some(part) = interval.intersection(gap) {
                rest -= part.duration();
                self.add(row, part.duration());
            }
            if interval.end() > gap.end() {
                break;
            }
            segments.next();
        }
        if rest > Picoseconds::ZERO {
            self.add(no_event, rest);
        }
    }

    fn add(&mut self, row: u32, time: Picoseconds) {
        let at = row as usize;
        if self.time.len() <= at {
            self.time.resize(at + 1, Picoseconds::ZERO);
        }
        if self.time[at] == Picoseconds::ZERO {
            self.met.push(row);
        }
        self.time[at] += time;
    }

    /// The parts, each once; nothing is left.
    fn drain(&mut self) -> impl Iterator<Item = (u32, Picoseconds)> + '_ {
        let time = &mut self.time;
        self.met.drain(..).map(move |row| (row, std::mem::take(&mut time[row as usize])))
    }
}

/// The sums of one device while they grow.
pub(super) struct DeviceSums {
    /// Gaps and time, by row.
    sums: Vec<(u64, Picoseconds)>,
    /// The gaps that are kept, in order of time.
    causes: Vec<GapCause>,
}

impl DeviceSums {
    /// Nothing yet, for a device of which these gaps are kept, in order of time.
    pub(super) fn of(kept: impl Iterator<Item = (u32, Interval)>) -> Self {
        let unknown = |(gap, one): (u32, Interval)| GapCause {
            gap,
            row: UNKNOWN_THREAD,
            time: one.duration(),
        };
        Self { sums: Vec::new(), causes: kept.map(unknown).collect() }
    }

    /// Adds a part of a gap.
    pub(super) fn tally(&mut self, row: u32, time: Picoseconds) {
        let at = row as usize;
        if self.sums.len() <= at {
            self.sums.resize(at + 1, (0, Picoseconds::ZERO));
        }
        let (n_gaps, sum) = &mut self.sums[at];
        (*n_gaps, *sum) = (*n_gaps + 1, *sum + time);
    }

    /// Takes the parts of a gap; of equal ones the earlier is named.
    pub(super) fn take(&mut self, gap: u32, parts: &mut Parts) {
        let mut most = (0, Picoseconds::ZERO);
        for (row, time) in parts.drain() {
            self.tally(row, time);
            if time > most.1 {
                most = (row, time);
            }
        }
        if let Ok(at) = self.causes.binary_search_by_key(&gap, |cause| cause.gap) {
            self.causes[at] = GapCause { gap, row: most.0, time: most.1 };
        }
    }

    /// The rows in the order of the report, and the gaps pointing at them.
    pub(super) fn finish(mut self, rows: &Rows<'_>) -> DeviceCause {
        let with_time = (0_u32..).zip(&self.sums).filter(|(_, (n_gaps, _))| *n_gaps > 0);
        let mut found: Vec<(u32, CauseRow)> = with_time
            .map(|(at, &(n_gaps, time))| {
                let (activity, name) = rows.get(at);
                (at, CauseRow { activity, name: name.to_owned(), n_gaps, time })
            })
            .collect();
        found.sort_by(|(_, a), (_, b)| {
            (b.time, a.activity, &a.name).cmp(&(a.time, b.activity, &b.name))
        });
        let mut place = vec![0_u32; self.sums.len()];
        for (new, (old, _)) in (0_u32..).zip(&found) {
            place[*old as usize] = new;
        }
        for gap in &mut self.causes {
            gap.row = place[gap.row as usize];
        }
        DeviceCause { gaps: self.causes, rows: found.into_iter().map(|(_, row)| row).collect() }
    }
}
