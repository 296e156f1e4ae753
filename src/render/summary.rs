//! The trust list where a platform limits the length of a page: captures that fail come first, and what does not fit is said.

use super::escape::markdown;
use super::format::counted;
use super::{Form, Needs, Output, runs, tally, trust, words};
use crate::report::{CaptureReport, Report, Verdict};
use std::fmt::Write as _;

/// For `GITHUB_STEP_SUMMARY`: a larger one is dropped as a whole.
pub(super) static SUMMARY: Output = Output {
    kind: "summary",
    summary: "the trust list within 1 MiB, for $GITHUB_STEP_SUMMARY",
    form: Form::Text(|report| page(report, |text| text.len(), STEP_SUMMARY_BYTES_MAX)),
    needs: Needs::Report,
    golden: None,
};

/// For a comment on a pull request: a longer one is refused.
pub(super) static COMMENT: Output = Output {
    kind: "comment",
    summary: "the trust list within 65,535 characters, for a comment on a pull request",
    form: Form::Text(|report| page(report, utf16_length, COMMENT_CHARS_MAX)),
    needs: Needs::Report,
    golden: None,
};

/// <https://docs.github.com/actions/using-workflows/workflow-commands-for-github-actions>: 1 MiB a step.
const STEP_SUMMARY_BYTES_MAX: usize = 1 << 20;
/// The longest body of a comment.
const COMMENT_CHARS_MAX: usize = 65_535;
/// What the line that tells of a cut may take.
const NOTE_MAX: usize = 200;

/// Counted as the strictest platform does: a character beyond the first plane is two.
fn utf16_length(text: &str) -> usize {
    text.encode_utf16().count()
}

fn page(report: &Report, length: fn(&str) -> usize, most: usize) -> String {
    let heading = format!(
        "# idleproof: {}\n\nPolicy {}. {}.\n",
        words::verdict(report.verdict),
        markdown(&report.policy.name),
        tally::captures(report)
    );
    let mut captures: Vec<&CaptureReport> = report.captures.iter().collect();
    captures.sort_by_key(|capture| match capture.verdict() {
        Verdict::Error => 0,
        Verdict::Fail => 1,
        Verdict::Pass => 2,
    });
    let mut text = heading + &goldens(report) + &findings(report) + &runs::section(report);
    let mut room = most.saturating_sub(NOTE_MAX);
    if length(&text) > room {
        text = shortened(&text, length, room);
        return text + &note(report.captures.len());
    }
    room -= length(&text);
    for (row, capture) in captures.iter().enumerate() {
        let section = trust::section(capture);
        let size = length(&section);
        if size > room {
            if row == 0 {
                text.push_str(&shortened(&section, length, room));
            }
            return text + &note(captures.len() - row);
        }
        text.push_str(&section);
        room -= size;
    }
    text
}

/// Goldens that are not as they should be, one a line: the differences are in the full report.
fn goldens(report: &Report) -> String {
    let mut text = String::new();
    for golden in &report.goldens {
        if let Some(id) = golden.state.check() {
            let path = markdown(&golden.path);
            // Writing to a String cannot fail, here and below.
            let _ = writeln!(
                text,
                "- `{id}` ({}): {path} {}",
                golden.level.name(),
                words::golden(golden.state)
            );
        }
    }
    if text.is_empty() { text } else { format!("\n## Goldens\n\n{text}") }
}

fn findings(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.policy_findings {
        let (id, message) = (markdown(&finding.id), markdown(&finding.message));
        let _ = writeln!(text, "- {id} ({}): {message}", finding.level.name());
    }
    if text.is_empty() { text } else { format!("\n## The policy\n\n{text}") }
}

/// As many whole lines as fit.
fn shortened(text: &str, length: fn(&str) -> usize, room: usize) -> String {
    let mut kept = String::new();
    let mut left = room;
    for line in text.split_inclusive('\n') {
        match left.checked_sub(length(line)) {
            Some(rest) => left = rest,
            None => break,
        }
        kept.push_str(line);
    }
    kept
}

fn note(n_captures: usize) -> String {
    let captures = counted(n_captures as u64, "capture is", "captures are");
    format!(
        "\n**Cut here**: {captures} not shown in full, for this page may not be longer. The other reports have all of them.\n"
    )
}
