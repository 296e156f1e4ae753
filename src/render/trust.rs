//! The trust list: what a capture supports, what it does not, and why. It is also the body of goldens.
//!
//! Order and rounding are chosen so that the text changes when the capture's meaning does: counts are exact, parts
//! have one decimal, times three digits; no digest, no version, no path of a file.

use super::cells::{self, table};
use super::escape::{markdown, markdown_code};
use super::format::{DASH, count};
use super::{Output, tally, words};
use crate::report::{
    CaptureReport, CheckReport, Claim, ClaimState, Outcome, Report, State, TrustItem,
    WhyNotEvaluable,
};
use std::fmt::Write as _;

pub(super) static OUTPUT: Output = Output {
    kind: "trust",
    summary: "the trust list: what each capture supports, what not, and why",
    render,
    golden: Some(capture_body),
};

fn render(report: &Report) -> String {
    let mut text = format!(
        "# Trust list: {}\n\nPolicy {}. {}.\n",
        words::verdict(report.verdict),
        markdown(&report.policy.name),
        tally::captures(report)
    );
    for capture in &report.captures {
        // Writing to a String cannot fail, here and below.
        let _ = write!(text, "\n## {}\n\n{}", markdown(&capture.name), capture_body(capture));
    }
    text
}

/// The trust list of one capture, without a heading.
fn capture_body(capture: &CaptureReport) -> String {
    let mut text = verdict_line(capture);
    if capture.outcome == Outcome::Refused {
        return text;
    }
    text.push('\n');
    text.push_str(&claims(capture));
    text.push_str(&sections(capture, "###"));
    text
}

/// The verdict with the figure that matters most, or why there is none.
pub(super) fn verdict_line(capture: &CaptureReport) -> String {
    let verdict = words::verdict(capture.verdict());
    match &capture.error {
        Some(error) => format!(
            "**{verdict}**: not read, so nothing about it is judged: {} ({})\n",
            markdown(&error.message),
            markdown(&error.kind)
        ),
        None => format!(
            "**{verdict}**: idle {}; checks: {}\n",
            cells::idle(capture),
            tally::Tally::of([capture]).text()
        ),
    }
}

/// Every claim and whether it may be stated.
pub(super) fn claims(capture: &CaptureReport) -> String {
    let rows = Claim::ALL.map(|claim| {
        let state = match capture.claims.get(claim) {
            (ClaimState::Supported, _) => "stated".to_owned(),
            (ClaimState::Undefined, _) => "undefined".to_owned(),
            (ClaimState::Withheld, by) => {
                format!("withheld by {}", cells::codes(by.iter().map(String::as_str)))
            }
        };
        let figure = match claim {
            Claim::Idle => cells::idle(capture),
            Claim::HostStarved => cells::host_starved(capture),
            _ => String::new(),
        };
        vec![words::claim(claim).to_owned(), state, figure]
    });
    table(&["claim", "state", "of the time"], 2, rows)
}

/// Everything that limits the capture, under headings of the given level; sections without content are left out.
pub(super) fn sections(capture: &CaptureReport, level: &str) -> String {
    let mut text = String::new();
    let mut section = |title: &str, body: String| {
        if !body.is_empty() {
            let _ = write!(text, "\n{level} {title}\n\n{body}");
        }
    };
    section("Cannot be trusted", cannot_be_trusted(capture));
    section("Also limits what can be said", other_items(capture));
    section("Not evaluated", not_evaluated(capture));
    section("Tolerated", tolerated(capture));
    section("Excepted", excepted(capture));
    section("Needs a new capture", needs_new_capture(capture));
    text
}

fn cannot_be_trusted(capture: &CaptureReport) -> String {
    let rows: Vec<Vec<String>> = capture
        .checks_in(State::Violated)
        .map(|check| {
            let (measured, limit) = cells::measured_and_limit(check);
            vec![
                markdown_code(&check.id),
                markdown(&check.message),
                withholds(&check.claims),
                measured,
                limit,
                cells::concerned(capture, &check.id),
            ]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    table(&["check", "what was measured", "withholds", "measured", "limit", "records"], 3, rows)
}

/// Items of the trust list that no other section shows.
fn other_items(capture: &CaptureReport) -> String {
    let shown_elsewhere = |item: &TrustItem| match &item.check {
        Some(id) => {
            capture.checks.iter().any(|check| check.id == *id && check.state != State::Holds)
        }
        None => capture.notices.iter().any(|notice| notice.message == item.item),
    };
    let mut text = String::new();
    for item in capture.trust_list.iter().filter(|item| !shown_elsewhere(item)) {
        let number = match (item.count, item.share) {
            (Some(number), Some(share)) => {
                format!("{} ({}): ", count(number), super::format::share(share))
            }
            (Some(number), None) => format!("{}: ", count(number)),
            (None, Some(share)) => format!("{}: ", super::format::share(share)),
            (None, None) => String::new(),
        };
        let _ = write!(text, "- {number}{}", markdown(&item.item));
        if !item.claims.is_empty() {
            let _ = write!(text, " (limits {})", words::claims(&item.claims));
        }
        text.push('\n');
    }
    text
}

fn not_evaluated(capture: &CaptureReport) -> String {
    let why = |check: &CheckReport| check.why.unwrap_or(WhyNotEvaluable::NoEvidence);
    let of = |wanted: WhyNotEvaluable| {
        capture.checks_in(State::NotEvaluable).filter(move |check| why(check) == wanted)
    };
    let mut text = String::new();
    for check in of(WhyNotEvaluable::NoEvidence) {
        let fails = if check.fails { ", and the policy requires it" } else { "" };
        let _ = writeln!(
            text,
            "- {}: {}{fails}{}",
            markdown_code(&check.id),
            markdown(&check.message),
            unverified(&check.claims)
        );
    }
    for check in of(WhyNotEvaluable::SwitchedOff) {
        let _ = writeln!(
            text,
            "- {}: switched off by the policy{}",
            markdown_code(&check.id),
            unverified(&check.claims)
        );
    }
    let absent: Vec<&str> =
        of(WhyNotEvaluable::NotApplicable).map(|check| check.id.as_str()).collect();
    if !absent.is_empty() {
        let _ = writeln!(text, "- nothing to check: {}", cells::codes(absent));
    }
    text
}

fn tolerated(capture: &CaptureReport) -> String {
    let mut text = String::new();
    for notice in &capture.notices {
        let _ = writeln!(
            text,
            "- {} × {}: {}",
            count(notice.count),
            markdown_code(&notice.code),
            markdown(&notice.message)
        );
    }
    text
}

fn excepted(capture: &CaptureReport) -> String {
    let mut text = String::new();
    for check in capture.checks_in(State::Excepted) {
        let against = match cells::measured_and_limit(check) {
            (measured, _) if measured == DASH => String::new(),
            (measured, limit) => format!(" ({measured}, needs {limit})"),
        };
        let exception = check.exception.as_deref().unwrap_or(DASH);
        let _ = writeln!(
            text,
            "- {}: {}{against}; excepted: {}; withholds {}",
            markdown_code(&check.id),
            markdown(&check.message),
            markdown(exception),
            withholds(&check.claims)
        );
    }
    text
}

fn needs_new_capture(capture: &CaptureReport) -> String {
    let mut text = String::new();
    for open in &capture.needs_new_capture {
        let _ = writeln!(text, "- {} → {}", markdown(&open.question), markdown(&open.capture));
    }
    text
}

fn withholds(claims: &[Claim]) -> String {
    if claims.is_empty() { "nothing".to_owned() } else { words::claims(claims) }
}

fn unverified(claims: &[Claim]) -> String {
    if claims.is_empty() {
        return String::new();
    }
    format!(" (not verified for: {})", words::claims(claims))
}
