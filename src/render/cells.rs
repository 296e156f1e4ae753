//! Figures behind their claims, and facts about checks, as text. Every human output prints them through here.

use super::format::{self, DASH};
use super::{escape, words};
use crate::report::{
    CaptureReport, Cell, CheckReport, Claim, ClaimState, Microseconds, Percent, Unit,
};
use serde_json::Value;

/// How much of what a check saw is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Without zeros, gaps, and what the check's message says already.
    Telling,
    /// Everything.
    All,
}

/// A figure behind the claim that it would make: the figure, `— (check-id and 1 more)` or `undefined`.
pub(super) fn guarded<T>(
    capture: &CaptureReport,
    claim: Claim,
    figure: Option<T>,
    print: impl FnOnce(T) -> String,
) -> String {
    match capture.cell(claim, figure) {
        Cell::Stated(figure) => print(figure),
        // Ids need no escaping, but those of a report that was read back could be anything.
        Cell::Withheld(by) => {
            let first = by.first().map_or("", String::as_str);
            let more = match by.len() {
                0 | 1 => String::new(),
                n_checks => format!(" and {} more", n_checks - 1),
            };
            format!("{DASH} ({}{more})", escape::markdown(first))
        }
        Cell::Undefined => "undefined".to_owned(),
    }
}

/// A title, in HTML, that says what is withheld or not verified below it.
pub(super) fn titled(capture: &CaptureReport, title: &str, claim: Claim, what: &str) -> String {
    if let Some(by) = words::withheld_by(capture, claim) {
        return format!("{title}: {what} withheld ({})", escape::html(&by.join(", ")));
    }
    let doubts = words::open_doubts(capture, claim).into_iter();
    let doubts: Vec<String> =
        doubts.map(|(what, ids)| format!("{what} {}", escape::html(&ids.join(", ")))).collect();
    if doubts.is_empty() { title.to_owned() } else { format!("{title}: {}", doubts.join("; ")) }
}

/// Which part of the time the capture's devices did no work.
pub(super) fn idle(capture: &CaptureReport) -> String {
    range(capture, Claim::Idle, capture.claims.idle.device_inactive_pct)
}

/// Which part of the time they waited for the host.
pub(super) fn host_starved(capture: &CaptureReport) -> String {
    range(capture, Claim::HostStarved, capture.claims.idle.host_starved_pct)
}

/// The summed time of all recorded kernels; where work is missing that is the least it can be.
pub(super) fn kernel_time(capture: &CaptureReport) -> String {
    let devices = capture.records.as_ref().map_or(&[][..], |records| &records.devices);
    let sum: i128 = devices.iter().map(|device| device.kernel_sum_us.ps()).sum();
    let sum = (!devices.is_empty()).then(|| Microseconds::from_ps(sum));
    let is_missing = capture.claims.ranking.state == ClaimState::Withheld;
    let least = if is_missing { "at least " } else { "" };
    let print = |sum| format!("{least}{}", format::time(sum, format::COARSE));
    guarded(capture, Claim::KernelTime, sum, print)
}

fn range(capture: &CaptureReport, claim: Claim, bounds: Option<(Percent, Percent)>) -> String {
    // A range over devices is no doubt about one of them.
    let n_devices = capture.records.as_ref().map_or(0, |records| records.devices.len());
    let over = if n_devices > 1 { format!(" over {n_devices} devices") } else { String::new() };
    let print = |bounds| format!("{}{over}", format::percent_range(bounds));
    let stated = guarded(capture, claim, bounds, print);
    match (capture.cell(claim, bounds), bounds) {
        // What is withheld is a number; that it lies between these is known all the same.
        (Cell::Withheld(_), Some((lo, hi))) if lo < hi => {
            format!("{stated}, within {}", print((lo, hi)))
        }
        _ => stated,
    }
}

/// What the bounds of a withheld figure say all the same; `None` where it is not withheld, or they are no range.
pub(super) fn bounds_all_the_same(
    capture: &CaptureReport,
    claim: Claim,
) -> Option<(Percent, Percent)> {
    let idle = &capture.claims.idle;
    let bounds = match claim {
        Claim::Idle => idle.device_inactive_pct,
        Claim::HostStarved => idle.host_starved_pct,
        _ => None,
    };
    words::withheld_by(capture, claim)?;
    bounds.filter(|(lo, hi)| lo < hi)
}

/// From the first start to the last end of device work: of several devices the longest.
pub(super) fn window(capture: &CaptureReport) -> Option<Microseconds> {
    capture.records.as_ref()?.devices.iter().map(|device| device.total_us).max()
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

/// The measured number against its limit: `measured 2.3 %, limit: at least 100 %`. `None` where nothing was measured.
pub(super) fn against(check: &CheckReport) -> Option<String> {
    check.measured.and(check.limit)?;
    let (measured, limit) = measured_and_limit(check);
    Some(format!("measured {measured}{}, limit: {limit}", whole(check)))
}

/// What a check's percentages are parts of, behind the number; empty of counts and times.
pub(super) fn whole(check: &CheckReport) -> String {
    let is_part = matches!(check.limit.map(|limit| limit.unit), Some(Unit::Share | Unit::Percent));
    let of = check.part_of.as_ref().filter(|_| is_part);
    of.map(|of| format!(" {of}")).unwrap_or_default()
}

/// The check's message with the measured number and its limit. Not escaped.
pub(super) fn headline(check: &CheckReport) -> String {
    match against(check) {
        Some(against) => format!("{} ({against})", check.message),
        None => check.message.clone(),
    }
}

/// What a check saw, in one line: `graph launches 128, with records 3`. Not escaped.
pub(super) fn evidence(check: &CheckReport, detail: Detail) -> Option<String> {
    let seen: Vec<String> = check
        .evidence
        .iter()
        .map(|(key, value)| (value, format::evidence(key, value)))
        .filter(|(value, (_, text))| detail == Detail::All || tells(check, value, text))
        .map(|(_, (name, text))| format!("{name} {text}"))
        .collect();
    (!seen.is_empty()).then(|| seen.join(", "))
}

/// True where a piece of evidence says more than the check's message.
fn tells(check: &CheckReport, value: &Value, text: &str) -> bool {
    // Rows of a table are for programs; the message has their sum.
    let is_table =
        |value: &Value| value.as_array().is_some_and(|rows| rows.iter().any(Value::is_object));
    if value.is_object() || is_table(value) {
        return false;
    }
    let nothing = value.is_null() || value.as_f64() == Some(0.0) || text.is_empty() || text == DASH;
    let bare_count = text.chars().all(|character| character.is_ascii_digit() || character == ',');
    !nothing && (bare_count || !check.message.contains(text))
}

/// How many records a check's items of the trust list concern, where the measured number does not say it.
pub(super) fn concerned(capture: &CaptureReport, check: &CheckReport) -> Option<u64> {
    if check.limit.is_some_and(|limit| limit.unit == Unit::Count) {
        return None;
    }
    let item = capture.trust_list.iter().find(|item| item.check.as_ref() == Some(&check.id));
    item.and_then(|item| item.count)
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
