//! What was met and tolerated, and which records were damaged: counted while reading, worded at the end.

use crate::trace::{DamageFault, DamagedRecords, NameId, Notice, RecordSide};
use std::collections::BTreeMap;

/// A kind of thing that is tolerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Oddity {
    /// An element of `traceEvents` that is no usable event.
    BadEvent,
    /// An event as a pair of begin and end.
    BeginEndEvents,
    /// A byte order mark.
    Bom,
    /// A reference to a name that the file does not define.
    DanglingId,
    /// A key that occurs twice in one object.
    DuplicateJsonKey,
    /// A launch that only a flow arrow links to its device record.
    FlowLinks,
    /// A name that is not UTF-8.
    InvalidUtf8,
    /// A top-level field that is too large to be read.
    LargeHeader,
    /// A category in the spelling of old profilers.
    LegacySchema,
    /// A number that is no JSON.
    NonFiniteNumber,
    /// A span of the profiler that ends before it starts, or lies too far from the records.
    ProfilerSpan,
    /// A name that a plane defines twice.
    RepeatedId,
    /// A second plane of one name.
    RepeatedPlane,
    /// A second statistic of one name on an event.
    RepeatedStat,
    /// A time finer than a nanosecond.
    RoundedTime,
    /// A lane that two names are given to.
    SharedLane,
    /// A number written as a string.
    StringNumber,
    /// A call whose name speaks of a launch and is not known.
    UnknownLaunchApi,
    /// Activity in a category of devices that are not supported.
    UnsupportedCategory,
    /// Work of a device that is not supported.
    UnsupportedDevice,
    /// An id or a number in a kind that cannot hold it.
    UnusableStat,
    /// A device record that stands for a whole graph replay.
    WholeGraphRecord,
    /// An event that only XProf's trace viewer writes.
    XprofViewerJson,
}

impl Oddity {
    /// The code in reports.
    const fn code(self) -> &'static str {
        match self {
            Self::BadEvent => "bad-event",
            Self::BeginEndEvents => "begin-end-events",
            Self::Bom => "bom",
            Self::DanglingId => "dangling-id",
            Self::DuplicateJsonKey => "duplicate-json-key",
            Self::FlowLinks => "flow-links",
            Self::InvalidUtf8 => "invalid-utf8",
            Self::LargeHeader => "large-header",
            Self::LegacySchema => "legacy-schema",
            Self::NonFiniteNumber => "non-finite-number",
            Self::ProfilerSpan => "profiler-span",
            Self::RepeatedId => "repeated-id",
            Self::RepeatedPlane => "repeated-plane",
            Self::RepeatedStat => "repeated-stat",
            Self::RoundedTime => "rounded-time",
            Self::SharedLane => "shared-lane",
            Self::StringNumber => "string-number",
            Self::UnknownLaunchApi => "unknown-launch-api",
            Self::UnsupportedCategory => "unsupported-category",
            Self::UnsupportedDevice => "unsupported-device",
            Self::UnusableStat => "unusable-stat",
            Self::WholeGraphRecord => "whole-graph-record",
            Self::XprofViewerJson => "xprof-viewer-json",
        }
    }

    /// What was met, and what was done about it.
    const fn sentence(self) -> (&'static str, &'static str) {
        match self {
            Self::BadEvent => {
                ("elements of `traceEvents` that are no usable event", "they were left out")
            }
            Self::BeginEndEvents => {
                ("events as pairs of begin and end", "only complete events are read")
            }
            Self::Bom => ("the text starts with a UTF-8 byte order mark", "it was skipped"),
            Self::DanglingId => {
                ("references to names that the file does not define", "they stay without a name")
            }
            Self::DuplicateJsonKey => {
                ("keys that occur twice in one object", "the last one counts")
            }
            Self::FlowLinks => {
                ("device records without correlation", "launches were linked by flow arrows")
            }
            Self::InvalidUtf8 => {
                ("names with bytes that are no UTF-8", "U+FFFD stands in their place")
            }
            Self::LargeHeader => {
                ("top-level fields that are too large to be read", "they were left out")
            }
            Self::LegacySchema => {
                ("categories in the spelling of old profilers", "they were read as today's")
            }
            Self::NonFiniteNumber => {
                ("numbers that are no JSON", "the events were kept where the number is no time")
            }
            Self::ProfilerSpan => (
                "the profiler's start and stop times make no span beside the records",
                "they were left out",
            ),
            Self::RepeatedId => ("names that one plane defines twice", "the last one counts"),
            Self::RepeatedPlane => {
                ("planes whose name is there already", "they were read as one device")
            }
            Self::RepeatedStat => ("statistics that an event carries twice", "the last one counts"),
            Self::RoundedTime => {
                ("times finer than a nanosecond", "they were rounded half to even")
            }
            Self::SharedLane => (
                "events of threads whose ids became one in this format",
                "they were read as one thread",
            ),
            Self::StringNumber => ("numbers written as strings", "they were read as numbers"),
            Self::UnknownLaunchApi => (
                "calls whose names say that they launch, and are not known",
                "they were read as kernel launches",
            ),
            Self::UnsupportedCategory => {
                ("activity of devices that are not supported", "it is in no table")
            }
            Self::UnsupportedDevice => {
                ("events of devices that are not supported", "they are in no table")
            }
            Self::UnusableStat => {
                ("statistics whose value cannot be what their name says", "they were left out")
            }
            Self::WholeGraphRecord => (
                "device records that stand for a whole graph replay",
                "kernels inside them are unknown",
            ),
            Self::XprofViewerJson => (
                "events that only XProf's trace viewer writes",
                "derived lines were left out, and instants read as records without length",
            ),
        }
    }
}

/// The counts of one file.
#[derive(Debug, Default)]
pub(super) struct Tally {
    notices: BTreeMap<Oddity, Counted>,
    damaged: BTreeMap<(DamageFault, RecordSide), Damage>,
    /// The offset of the first number that is no JSON.
    non_finite: Option<u64>,
}

#[derive(Debug, Default)]
struct Counted {
    count: u64,
    /// What it was that was met, with its own count; the first few kinds.
    kinds: BTreeMap<String, u64>,
}

#[derive(Debug)]
struct Damage {
    count: u64,
    name: NameId,
    offset: Option<u64>,
}

/// Different things that one notice names.
const KINDS_MAX: usize = 8;

impl Tally {
    /// Counts things that were met, by their kind; an empty kind names nothing.
    pub(super) fn note(&mut self, oddity: Oddity, kind: &str, count: u64) {
        if count == 0 {
            return;
        }
        let counted = self.notices.entry(oddity).or_default();
        counted.count += count;
        if let Some(known) = counted.kinds.get_mut(kind) {
            *known += count;
        } else if counted.kinds.len() < KINDS_MAX && !kind.is_empty() {
            counted.kinds.insert(kind.to_owned(), count);
        }
    }

    /// Counts a damaged record; its place is known where the file is text.
    pub(super) fn damage(
        &mut self,
        fault: DamageFault,
        side: RecordSide,
        name: NameId,
        offset: Option<u64>,
    ) {
        self.damaged.entry((fault, side)).or_insert(Damage { count: 0, name, offset }).count += 1;
    }

    /// Counts a number that is no JSON.
    pub(super) fn non_finite(&mut self, token: &[u8], offset: u64) {
        self.note(Oddity::NonFiniteNumber, &String::from_utf8_lossy(token), 1);
        self.non_finite.get_or_insert(offset);
    }

    /// The notices in the order of their codes, and the damaged records. `lines` tells line and column of sorted offsets, and
    /// is asked only where there is one.
    pub(super) fn finish(
        self,
        lines: impl FnOnce(&[u64]) -> Vec<(u64, u64)>,
    ) -> (Vec<Notice>, Vec<DamagedRecords>) {
        let mut offsets: Vec<u64> =
            self.damaged.values().filter_map(|damage| damage.offset).collect();
        offsets.extend(self.non_finite);
        offsets.sort_unstable();
        offsets.dedup();
        let lines = if offsets.is_empty() { Vec::new() } else { lines(&offsets) };
        let line = |offset: u64| {
            let row = offsets.binary_search(&offset).ok()?;
            lines.get(row).map(|&(line, _)| line)
        };
        let damaged = self.damaged.iter().map(|(&(fault, side), damage)| DamagedRecords {
            fault,
            side,
            count: damage.count,
            first: (damage.name, damage.offset.and_then(line)),
        });
        let damaged = damaged.collect();
        let first_odd = self.non_finite.and_then(line);
        let notice = |(oddity, counted): (Oddity, Counted)| Notice {
            code: oddity.code(),
            count: counted.count,
            message: message(oddity, &counted, first_odd),
        };
        let mut notices: Vec<Notice> = self.notices.into_iter().map(notice).collect();
        notices.sort();
        (notices, damaged)
    }
}

/// The sentence of a notice: what was met, in which kinds, and what was done about it.
fn message(oddity: Oddity, counted: &Counted, first_odd: Option<u64>) -> String {
    let kinds = counted.kinds.iter().map(|(kind, count)| format!("`{kind}` {count}×"));
    let first = first_odd.filter(|_| oddity == Oddity::NonFiniteNumber);
    let first = first.map(|line| format!("first in line {line}"));
    let named: Vec<String> = kinds.chain(first).collect();
    let named = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
    let (met, done) = oddity.sentence();
    format!("{met}{named}; {done}")
}
