//! What was met and tolerated, and which records were damaged: counted while reading, worded at the end.

use super::super::refusal;
use crate::trace::{DamageFault, DamagedRecords, NameId, Notice, RecordSide};
use std::collections::BTreeMap;
use std::path::Path;

/// The counts of one file.
#[derive(Default)]
pub(super) struct Tally {
    notices: BTreeMap<&'static str, Counted>,
    damaged: BTreeMap<(DamageFault, RecordSide), Damage>,
    non_finite: Option<(String, u64)>,
}

#[derive(Default)]
struct Counted {
    count: u64,
    /// What it was that was met, with its own count; the first few kinds.
    kinds: BTreeMap<String, u64>,
}

struct Damage {
    count: u64,
    name: NameId,
    offset: Option<u64>,
}

/// Different things that one notice names.
const KINDS_MAX: usize = 8;

impl Tally {
    /// Counts something that was met, by its kind.
    pub(super) fn note(&mut self, code: &'static str, kind: &str, count: u64) {
        let counted = self.notices.entry(code).or_default();
        counted.count += count;
        if let Some(known) = counted.kinds.get_mut(kind) {
            *known += count;
        } else if counted.kinds.len() < KINDS_MAX {
            counted.kinds.insert(kind.to_owned(), count);
        }
    }

    /// Counts a damaged record.
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
        let token = String::from_utf8_lossy(token).into_owned();
        self.note("non-finite-number", &token, 1);
        self.non_finite.get_or_insert((token, offset));
    }

    /// The notices and damaged records. The file is read again for the lines of what was damaged, if anything was.
    pub(super) fn finish(self, path: &Path) -> (Vec<Notice>, Vec<DamagedRecords>) {
        let mut offsets: Vec<u64> =
            self.damaged.values().filter_map(|damage| damage.offset).collect();
        offsets.extend(self.non_finite.as_ref().map(|&(_, offset)| offset));
        offsets.sort_unstable();
        offsets.dedup();
        let lines = if offsets.is_empty() { Vec::new() } else { refusal::lines(path, &offsets) };
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
        let first_odd = self.non_finite.as_ref().and_then(|&(_, offset)| line(offset));
        let notices = self.notices.into_iter().map(|(code, counted)| Notice {
            code,
            count: counted.count,
            message: message(code, &counted, first_odd),
        });
        (notices.collect(), damaged)
    }
}

/// The sentence of a notice: what was met, and what was done about it.
fn message(code: &'static str, counted: &Counted, line: Option<u64>) -> String {
    let kinds: Vec<String> =
        counted.kinds.iter().map(|(kind, count)| format!("`{kind}` {count}×")).collect();
    let kinds = kinds.join(", ");
    match code {
        "bom" => "the text starts with a UTF-8 byte order mark; it was skipped".to_owned(),
        "invalid-utf8" => {
            "names with bytes that are no UTF-8; U+FFFD stands in their place".to_owned()
        }
        "duplicate-json-key" => {
            format!("keys that occur twice in one object ({kinds}); the last one counts")
        }
        "string-number" => {
            format!("numbers written as strings ({kinds}); they were read as numbers")
        }
        "legacy-schema" => format!(
            "categories in the spelling of old profilers ({kinds}); they were read as today's"
        ),
        "unsupported-category" => {
            format!("activity of devices that are not supported ({kinds}); it is in no table")
        }
        "unknown-launch-api" => format!(
            "calls whose names speak of a launch and are not known ({kinds}); they count as other calls"
        ),
        "begin-end-events" => {
            format!("events as pairs of begin and end ({kinds}); only complete events are read")
        }
        "bad-event" => format!(
            "elements of `traceEvents` that are no usable event ({kinds}); they were left out"
        ),
        "non-finite-number" => {
            let line = line.map_or_else(String::new, |line| format!(", first in line {line}"));
            format!(
                "numbers that are no JSON ({kinds}{line}); the events were kept where the number is no time"
            )
        }
        "rounded-time" => {
            format!("times finer than a nanosecond ({kinds}); they were rounded half to even")
        }
        "flow-links" => format!(
            "device records without correlation; launches were linked by flow arrows ({kinds})"
        ),
        "large-header" => {
            format!("top-level fields that are too large to be read ({kinds}); they were left out")
        }
        _ => kinds,
    }
}
