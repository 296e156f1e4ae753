//! The trust list: what a capture supports, what it does not, and why. It is also the body of goldens.
//!
//! Order and rounding are chosen so that the text changes when the capture's meaning does: counts are exact, parts
//! have one decimal, times three digits; no digest, no version, no path of a file.

use super::cells::{self, table};
use super::escape::{markdown, markdown_code, markdown_prose};
use super::format::{DASH, count, counted};
use super::{Form, Needs, Output, runs, tally, words};
use crate::report::{
    CaptureReport, CheckReport, Claim, ClaimState, Outcome, Report, State, StatedState, TrustItem,
    WhyNotEvaluable,
};
use std::fmt::Write as _;

pub(super) static OUTPUT: Output = Output {
    kind: "trust",
    summary: "the trust list: what each capture supports, what not, and why",
    form: Form::Text(render),
    needs: Needs::Report,
    golden: Some(capture_body),
};

fn render(report: &Report) -> String {
    let mut text = format!(
        "# Trust list: {}\n\nPolicy {}. {}.\n",
        words::verdict(report.verdict),
        markdown(&report.policy.name),
        tally::captures(report)
    );
    text.extend(report.captures.iter().map(section));
    text.push_str(&runs::section(report));
    text
}

/// The trust list of one capture, under its name.
pub(super) fn section(capture: &CaptureReport) -> String {
    format!("\n## {}\n\n{}", markdown(&capture.name), capture_body(capture))
}

/// The trust list of one capture, without a heading.
fn capture_body(capture: &CaptureReport) -> String {
    let mut text = verdict_line(capture);
    if capture.outcome == Outcome::Refused {
        return text;
    }
    text.push('\n');
    text.push_str(&claims(capture));
    text.push_str(&findings(capture, "###"));
    text.push_str(&stated(capture, "###"));
    text.push_str(&limits(capture, "###"));
    text
}

/// Statements made elsewhere, those that do not hold first.
pub(super) fn stated(capture: &CaptureReport, heading: &str) -> String {
    if capture.stated.is_empty() {
        return String::new();
    }
    let order = [StatedState::Refuted, StatedState::Undetermined, StatedState::Supported];
    let rows = order.into_iter().flat_map(|state| {
        let of = capture.stated.iter().filter(move |one| one.state == state);
        of.map(|one| {
            vec![one.state.name().to_owned(), markdown(&one.message), markdown_code(&one.source)]
        })
    });
    let head = ["statement", "what the capture says", "stands in"];
    format!("\n{heading} Stated elsewhere\n\n{}", table(&head, 3, rows))
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

/// Every claim and whether it may be stated; those without anything to compute them from in one line.
pub(super) fn claims(capture: &CaptureReport) -> String {
    let mut rows = Vec::new();
    let mut undefined = Vec::new();
    for claim in Claim::ALL {
        let state = match capture.claims.get(claim) {
            (ClaimState::Undefined, _) => {
                undefined.push(claim);
                continue;
            }
            (ClaimState::Supported, _) => {
                let doubts = words::open_doubts(capture, claim).into_iter();
                let doubts = doubts.map(|(what, ids)| format!(", {what} {}", cells::codes(ids)));
                format!("supported{}", doubts.collect::<String>())
            }
            (ClaimState::Withheld, by) => {
                format!("withheld by {}", cells::codes(by.iter().map(String::as_str)))
            }
        };
        let figure = match claim {
            Claim::Idle => cells::idle(capture),
            Claim::HostStarved => cells::host_starved(capture),
            Claim::KernelTime => cells::kernel_time(capture),
            _ => String::new(),
        };
        rows.push(vec![words::claim(claim).to_owned(), state, figure]);
    }
    let mut text = String::new();
    if !rows.is_empty() {
        text = table(&["claim", "state", "figure"], 2, rows);
    }
    if !undefined.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(
            text,
            "{gap}Not computed from this capture alone: {}.",
            words::claims(&undefined)
        );
    }
    text
}

/// What the policy's checks found, with what to do about it, under headings of the given level.
pub(super) fn findings(capture: &CaptureReport, level: &str) -> String {
    let weighs = |check: &CheckReport| {
        !check.claims.is_empty() && (check.fails || words::consequence(capture, check).is_some())
    };
    let of = |wanted: bool| {
        let found = capture.checks.iter().filter(|check| is_finding(check));
        let found = found.filter(|check| weighs(check) == wanted);
        found.map(|check| finding(capture, check)).collect::<String>()
    };
    titled(&[
        (level, "Cannot be trusted", of(true)),
        (level, "Notes, which withhold nothing", of(false)),
    ])
}

/// What else limits the capture, under headings of the given level.
pub(super) fn limits(capture: &CaptureReport, level: &str) -> String {
    titled(&[
        (level, "Also limits what can be said", other_items(capture)),
        (level, "Not evaluated", not_evaluated(capture)),
        (level, "Tolerated", tolerated(capture)),
        (level, "Excepted", excepted(capture)),
        (level, "Needs a new capture", needs_new_capture(capture)),
    ])
}

/// Sections under their headings; those without content are left out.
fn titled(sections: &[(&str, &str, String)]) -> String {
    let mut text = String::new();
    for (level, title, body) in sections.iter().filter(|(_, _, body)| !body.is_empty()) {
        let _ = write!(text, "\n{level} {title}\n\n{body}");
    }
    text
}

/// A violation, or evidence that is missing although the policy requires it.
fn is_finding(check: &CheckReport) -> bool {
    check.state == State::Violated || check.fails
}

fn finding(capture: &CaptureReport, check: &CheckReport) -> String {
    let missing = match check.state {
        State::NotEvaluable => "not evaluated, and the policy requires it: ",
        _ => "",
    };
    let mut text = format!(
        "- {} ({}): {missing}{}\n",
        markdown_code(&check.id),
        words::level_of(check),
        markdown(&check.message)
    );
    if let Some(against) = cells::against(check) {
        let records = match cells::concerned(capture, check) {
            Some(number) => format!("; {}", counted(number, "record", "records")),
            None => String::new(),
        };
        let _ = writeln!(text, "  - {}{records}", markdown(&against));
    }
    if !check.claims.is_empty() {
        let gone = words::consequence(capture, check);
        let _ = writeln!(
            text,
            "  - {}",
            gone.as_deref().unwrap_or("withheld: nothing that this capture could state")
        );
    }
    if !check.help.is_empty() {
        let _ = writeln!(text, "  - **what to do**: {}", markdown_prose(&check.help));
    }
    text
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
        let limited = words::computed(capture, &item.claims);
        if !limited.is_empty() {
            let _ = write!(text, " (limits {})", words::claims(&limited));
        }
        text.push('\n');
    }
    text
}

fn not_evaluated(capture: &CaptureReport) -> String {
    let why = |check: &CheckReport| check.why.unwrap_or(WhyNotEvaluable::NoEvidence);
    let of = |wanted: WhyNotEvaluable| {
        capture
            .checks_in(State::NotEvaluable)
            .filter(move |check| why(check) == wanted && !is_finding(check))
    };
    let mut text = String::new();
    for check in of(WhyNotEvaluable::NoEvidence) {
        let _ = writeln!(
            text,
            "- {}: {}{}",
            markdown_code(&check.id),
            markdown(&check.message),
            unverified(capture, check)
        );
    }
    for check in of(WhyNotEvaluable::SwitchedOff) {
        let _ = writeln!(
            text,
            "- {}: switched off by the policy{}",
            markdown_code(&check.id),
            unverified(capture, check)
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
        let gone = words::consequence(capture, check);
        let gone = gone.map(|gone| format!("; {gone}")).unwrap_or_default();
        let exception = check.exception.as_deref().unwrap_or(DASH);
        let _ = writeln!(
            text,
            "- {}: {}; excepted: {}{gone}",
            markdown_code(&check.id),
            markdown(&cells::headline(check)),
            markdown(exception)
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

fn unverified(capture: &CaptureReport, check: &CheckReport) -> String {
    match words::computed(capture, &check.claims) {
        open if open.is_empty() => String::new(),
        open => format!(" (not verified for: {})", words::claims(&open)),
    }
}
