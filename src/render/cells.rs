//! Figures behind their claims, and facts about checks, as text. Every human output prints them through here.

use super::escape;
use super::format::{self, DASH};
use crate::report::{CaptureReport, Cell, CheckReport, Claim, Percent};

/// A figure behind the claim that it would make: the figure, `— (check-id)` or `undefined`.
pub(super) fn guarded<T>(
    capture: &CaptureReport,
    claim: Claim,
    figure: Option<T>,
    print: impl FnOnce(T) -> String,
) -> String {
    match capture.cell(claim, figure) {
        Cell::Stated(figure) => print(figure),
        // Ids need no escaping, but those of a report that was read back could be anything.
        Cell::Withheld(by) => format!("{DASH} ({})", escape::markdown(&by.join(", "))),
        Cell::Undefined => "undefined".to_owned(),
    }
}

/// Which part of the time the capture's devices did no work.
pub(super) fn idle(capture: &CaptureReport) -> String {
    range(capture, Claim::Idle, capture.claims.idle.device_inactive_pct)
}

/// Which part of the time they waited for the host.
pub(super) fn host_starved(capture: &CaptureReport) -> String {
    range(capture, Claim::HostStarved, capture.claims.idle.host_starved_pct)
}

fn range(capture: &CaptureReport, claim: Claim, bounds: Option<(Percent, Percent)>) -> String {
    guarded(capture, claim, bounds, format::percent_range)
}

/// A check's measured number and its limit, each a dash where there is none.
pub(super) fn measured_and_limit(check: &CheckReport) -> (String, String) {
    let dash = || DASH.to_owned();
    match (check.measured, check.limit) {
        (Some(measured), Some(limit)) => format::measured_against(measured, limit),
        (None, Some(limit)) => (dash(), format::measured_against(0.0, limit).1),
        (Some(_), None) | (None, None) => (dash(), dash()),
    }
}

/// What a check saw, in one line: `graph launches 128, with records 3`. Not escaped.
pub(super) fn evidence(check: &CheckReport) -> Option<String> {
    let seen: Vec<String> = check
        .evidence
        .iter()
        .map(|(key, value)| {
            let (name, text) = format::evidence(key, value);
            format!("{name} {text}")
        })
        .collect();
    (!seen.is_empty()).then(|| seen.join(", "))
}

/// How many records the trust list's items of a check concern: `125 (97.7 %)`.
pub(super) fn concerned(capture: &CaptureReport, id: &str) -> String {
    let items = capture.trust_list.iter().filter(|item| item.check.as_deref() == Some(id));
    let texts: Vec<String> = items
        .filter_map(|item| match (item.count, item.share) {
            (Some(count), Some(share)) => {
                Some(format!("{} ({})", format::count(count), format::share(share)))
            }
            (Some(count), None) => Some(format::count(count)),
            (None, Some(share)) => Some(format::share(share)),
            (None, None) => None,
        })
        .collect();
    if texts.is_empty() { DASH.to_owned() } else { texts.join(", ") }
}

/// Where a file was refused: `path:line:column`, as far as it is known. Not escaped.
pub(super) fn place(error: &crate::report::ErrorReport) -> String {
    match (error.line, error.column, error.offset) {
        (Some(line), Some(column), _) => format!("{}:{line}:{column}", error.path),
        (Some(line), None, _) => format!("{}:{line}", error.path),
        (None, _, Some(offset)) => format!("{} at byte {offset}", error.path),
        (None, _, None) => error.path.clone(),
    }
}

/// A Markdown table; its cells are escaped already. Columns from `right` on are numbers.
pub(super) fn table(
    head: &[&str],
    right: usize,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let mut text = format!("| {} |\n|", head.join(" | "));
    for column in 0..head.len() {
        text.push_str(if column < right { " --- |" } else { " ---: |" });
    }
    text.push('\n');
    for row in rows {
        text.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    text
}

/// Check ids as inline code.
pub(super) fn codes<'a>(ids: impl IntoIterator<Item = &'a str>) -> String {
    ids.into_iter().map(escape::markdown_code).collect::<Vec<_>>().join(", ")
}
