//! What was met and tolerated, and the records that could not be placed.

use crate::trace::{DamageFault, DamagedRecords, NameId, Notice, RecordSide};
use std::collections::BTreeMap;

/// A kind of thing that is tolerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Oddity {
    /// A reference to a name that the plane does not define.
    DanglingId,
    /// A name that is not UTF-8.
    InvalidUtf8,
    /// A span of the profiler that ends before it starts, or lies too far from the records.
    ProfilerSpan,
    /// A name that the plane defines twice.
    RepeatedId,
    /// A second plane of one name.
    RepeatedPlane,
    /// A second statistic of one name on an event.
    RepeatedStat,
    /// Work of a device that is not supported.
    UnsupportedDevice,
    /// An id or a number in a kind that cannot hold it.
    UnusableStat,
    /// A device record that stands for a whole graph replay.
    WholeGraphRecord,
}

impl Oddity {
    const fn code(self) -> &'static str {
        match self {
            Self::DanglingId => "dangling-id",
            Self::InvalidUtf8 => "invalid-utf8",
            Self::ProfilerSpan => "profiler-span",
            Self::RepeatedId => "repeated-id",
            Self::RepeatedPlane => "repeated-plane",
            Self::RepeatedStat => "repeated-stat",
            Self::UnsupportedDevice => "unsupported-device",
            Self::UnusableStat => "unusable-stat",
            Self::WholeGraphRecord => "whole-graph-record",
        }
    }

    fn message(self, example: &str) -> String {
        let example = if example.is_empty() { String::new() } else { format!(" ({example})") };
        match self {
            Self::DanglingId => "references to names that the file does not define".to_owned(),
            Self::InvalidUtf8 => {
                format!("names that are not UTF-8{example}; bad bytes became U+FFFD")
            }
            Self::ProfilerSpan => {
                "the profiler's start and stop times make no span beside the records; they were left out".to_owned()
            }
            Self::RepeatedId => "names that one plane defines twice; the last one counts".to_owned(),
            Self::RepeatedPlane => {
                format!("planes whose name is there already{example}; they were read as one device")
            }
            Self::RepeatedStat => {
                format!("statistics that an event carries twice{example}; the last one counts")
            }
            Self::UnsupportedDevice => {
                format!("events of devices that are not supported{example}; they are in no table")
            }
            Self::UnusableStat => {
                format!("statistics whose value cannot be what their name says{example}; they were left out")
            }
            Self::WholeGraphRecord => {
                format!("device records that stand for a whole graph replay{example}; kernels inside them are unknown")
            }
        }
    }
}

/// The counts of one file.
#[derive(Debug, Default)]
pub(super) struct Tally {
    oddities: BTreeMap<Oddity, (u64, String)>,
    damaged: BTreeMap<(DamageFault, RecordSide), (u64, NameId)>,
}

impl Tally {
    /// Counts things that were tolerated; the first example is kept.
    pub(super) fn note(&mut self, oddity: Oddity, example: &str, count: u64) {
        if count > 0 {
            let row = self.oddities.entry(oddity).or_insert_with(|| (0, example.to_owned()));
            row.0 += count;
        }
    }

    /// Counts a damaged record.
    pub(super) fn damage(&mut self, fault: DamageFault, side: RecordSide, name: NameId) {
        self.damaged.entry((fault, side)).or_insert((0, name)).0 += 1;
    }

    /// The notices in the order of their codes, and the damaged records.
    pub(super) fn finish(self) -> (Vec<Notice>, Vec<DamagedRecords>) {
        let notice = |(oddity, (count, example)): (Oddity, (u64, String))| Notice {
            code: oddity.code(),
            count,
            message: oddity.message(&example),
        };
        let damaged = |((fault, side), (count, name))| DamagedRecords {
            fault,
            side,
            count,
            first: (name, None),
        };
        (
            self.oddities.into_iter().map(notice).collect(),
            self.damaged.into_iter().map(damaged).collect(),
        )
    }
}
