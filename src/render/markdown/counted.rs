//! What to try where records show it by count.

use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, FINE, count};
use crate::report::{CaptureReport, Claim, ClaimState, CountedRow};
use std::fmt::Write as _;

/// Characters of a name.
const NAME_CHARS_MAX: usize = 90;

pub(super) const TITLE: &str = "What to try, by count (inferred)";

/// Each advice with what was counted and why no saving stands beside it.
pub(super) fn counted(capture: &CaptureReport) -> String {
    // What may lack records is not counted.
    if capture.claims.get(Claim::Ranking).0 == ClaimState::Withheld {
        return String::new();
    }
    let mut text = String::new();
    for advice in &capture.try_by_count {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(
            text,
            "- {}. Try: {}. No saving is computed: {}.",
            markdown(&advice.found),
            markdown(&advice.action),
            markdown(&advice.no_saving)
        );
        for CountedRow { what, count: n, time_us } in &advice.rows {
            let time = time_us.map(|us| format!(", {}", format::time(us, FINE)));
            let what = markdown_code(&format::name(what, NAME_CHARS_MAX));
            let _ = writeln!(text, "  - {} × {what}{}", count(*n), time.unwrap_or_default());
        }
    }
    text
}
