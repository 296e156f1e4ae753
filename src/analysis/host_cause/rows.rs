//! The rows of host activity: one for each kind and name.

use super::HostActivity;
use crate::trace::{NameId, Trace};
use rustc_hash::FxHashMap;

/// What no record names, ahead of what records do.
const UNNAMED: [(HostActivity, &str); 2] = [
    (HostActivity::NoEvent, "no host event"),
    (HostActivity::UnknownThread, "launching thread unknown"),
];

/// The row of time without a host event.
pub(super) const NO_EVENT: u32 = 0;

/// The row of time of which the launching thread is not known.
pub(super) const UNKNOWN_THREAD: u32 = 1;

/// Rows in the order in which they were met.
pub(super) struct Rows<'t> {
    rows: Vec<(HostActivity, &'t str)>,
    of_text: FxHashMap<(HostActivity, &'t str), u32>,
    of_name: FxHashMap<(HostActivity, NameId), u32>,
}

impl Default for Rows<'_> {
    fn default() -> Self {
        Self {
            rows: UNNAMED.to_vec(),
            of_text: FxHashMap::default(),
            of_name: FxHashMap::default(),
        }
    }
}

impl<'t> Rows<'t> {
    /// The row of an event. Steps differ in their numbers alone, and share one.
    pub(super) fn of(&mut self, trace: &'t Trace, activity: HostActivity, name: NameId) -> u32 {
        let (rows, of_text) = (&mut self.rows, &mut self.of_text);
        *self.of_name.entry((activity, name)).or_insert_with(|| {
            let text = match activity {
                HostActivity::Annotation => without_number(trace.name(name)),
                _ => trace.name(name),
            };
            *of_text.entry((activity, text)).or_insert_with(|| {
                rows.push((activity, text));
                // There are no more rows than names, of which the reader admits fewer.
                u32::try_from(rows.len() - 1).unwrap_or(u32::MAX)
            })
        })
    }

    /// What a row is about.
    pub(super) fn get(&self, row: u32) -> (HostActivity, &'t str) {
        self.rows[row as usize]
    }
}

/// `ProfilerStep#12` as `ProfilerStep#`: steps differ in their numbers alone.
pub(in crate::analysis) fn without_number(name: &str) -> &str {
    let base = name.trim_end_matches(|character: char| character.is_ascii_digit());
    if base.ends_with('#') { base } else { name }
}

#[cfg(test)]
mod tests {
    use super::without_number;

    #[test]
    fn steps_lose_their_numbers() {
        for (name, expected) in [
            ("ProfilerStep#12", "ProfilerStep#"),
            ("execute_8", "execute_8"),
            ("#", "#"),
            ("x", "x"),
        ] {
            assert_eq!(without_number(name), expected);
        }
    }
}
