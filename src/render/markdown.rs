//! The full report in Markdown, findings first.
//!
//! What the records say is printed as recorded arithmetic; what would be a claim goes through its guard.

mod counted;
mod gaps;
mod idle;
mod path;
mod records;
mod roofline;
mod shares;

pub(super) use path::{saving, saving_at_roofline};

use super::cells::{self, table};
use super::escape::{html, markdown, markdown_block, markdown_code};
use super::format::{DASH, bytes, count, counted};
use super::{Form, Needs, Output, runs, tally, trust, words};
use crate::report::{
    CaptureReport, CheckReport, FileRole, GoldenReport, GoldenState, Level, Outcome, Report, State,
    WhyNotEvaluable,
};
use std::fmt::Write as _;

pub(super) static OUTPUT: Output = Output {
    kind: "markdown",
    summary: "the full report: findings first, then every figure that the capture supports",
    form: Form::Text(render),
    needs: Needs::Report,
    golden: Some(capture_body),
};

pub(super) const BASIS: &str = "All figures are measured from the records unless marked: *read* is what the profiler wrote \
                     about itself, *inferred* is a conclusion. A figure that a violated check withholds is an em dash \
                     with the check's id.\n";

/// How much of a table is shown; the JSON report has all of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Rows of most tables.
    pub(super) rows: usize,
    /// Kernels by recorded time.
    pub(super) kernels: usize,
    /// Steps one by one.
    pub(super) steps: usize,
    /// Host events in idle time, over all devices.
    pub(super) host_events: usize,
    /// Gaps one by one, over all devices.
    pub(super) gaps: usize,
    /// Characters of a name: demangled kernel names run to thousands.
    pub(super) name_chars: usize,
}

/// The room of the Markdown report.
const ROOM: Room =
    Room { rows: 25, kernels: 10, steps: 5, host_events: 12, gaps: 10, name_chars: 72 };

/// The section that the Markdown report has in front.
const CHANGES: &str = "changes";

/// Another one.
const COUNTED: &str = "counted";

/// A part of a capture's figures.
pub(super) struct Section {
    /// What it is about, for renderers that place it.
    pub(super) id: &'static str,
    /// Its title, in HTML.
    pub(super) title: String,
    /// Its text; empty where there is nothing to say.
    pub(super) body: String,
}

// Writing to a String cannot fail: the results of `write!` are dropped throughout.

fn render(report: &Report) -> String {
    let mut text = format!("# idleproof: {}\n\n", words::verdict(report.verdict));
    let _ = writeln!(
        text,
        "{}. Checks: {}. Policy {}.{}",
        tally::captures(report),
        tally::Tally::of_report(report).text(),
        markdown(&report.policy.name),
        tally::goldens(report).map(|goldens| format!(" Goldens: {goldens}.")).unwrap_or_default()
    );
    text.push_str(&overview(report));
    for capture in &report.captures {
        let _ = write!(
            text,
            "\n## {}: {}\n\n{}{}",
            markdown(&capture.name),
            words::verdict(capture.verdict()),
            capture_body(capture),
            files(capture)
        );
    }
    text.push_str(&runs::section(report));
    text.push_str(&goldens(report));
    text.push_str(&policy(report));
    text.push_str(&skipped(report));
    let _ = write!(text, "\n{BASIS}");
    text
}

/// One line a capture, where there are several.
fn overview(report: &Report) -> String {
    if report.captures.len() < 2 {
        return String::new();
    }
    let rows = report.captures.iter().map(|capture| {
        let failing = capture.checks.iter().filter(|check| check.state == State::Violated);
        let idle = match capture.outcome {
            Outcome::Report => cells::idle(capture),
            Outcome::Refused => DASH.to_owned(),
        };
        vec![
            markdown(&capture.name),
            words::verdict(capture.verdict()).to_owned(),
            idle,
            cells::codes(failing.map(|check| check.id.as_str())),
        ]
    });
    format!("\n{}", table(&["capture", "verdict", "idle", "violated"], 4, rows))
}

/// One capture without a heading and without what identifies its files.
fn capture_body(capture: &CaptureReport) -> String {
    let mut text = trust::verdict_line(capture);
    if let Some(error) = &capture.error {
        let _ = writeln!(
            text,
            "\nat {}; {}",
            markdown_code(&cells::place(error)),
            markdown(&error.help)
        );
        return text;
    }
    text.push_str(&trust::findings(capture, "###"));
    text.push_str(&trust::stated(capture, "###"));
    let changes = path::changes(capture);
    if !changes.is_empty() {
        let _ = write!(text, "\n### {}\n\n{changes}", path::changes_title(capture));
    }
    let counted = counted::counted(capture);
    if !counted.is_empty() {
        let _ = write!(text, "\n### {}\n\n{counted}", counted::TITLE);
    }
    let _ = write!(
        text,
        "\n### Trust list\n\n{}{}",
        trust::claims(capture),
        trust::limits(capture, "####")
    );
    text.push_str(&figures(capture));
    text
}

/// Every figure of a capture, folded: what a reader opens who wants to know more.
fn figures(capture: &CaptureReport) -> String {
    let folded =
        sections(capture, &ROOM).into_iter().filter(|one| ![CHANGES, COUNTED].contains(&one.id));
    folded.map(|one| details(&one.title, &one.body)).collect()
}

/// Every figure of a capture, behind the claims that they would make, in the order of the report.
pub(super) fn sections(capture: &CaptureReport, room: &Room) -> Vec<Section> {
    let mut all = Vec::new();
    let mut section = |id, title: &str, body| {
        all.push(Section { id, title: title.to_owned(), body });
    };
    section("reconciliation", "Reconciliation", reconciliation(capture));
    if let Some(held) = &capture.records {
        section("devices", "Time budget by device, as recorded", records::devices(capture, held));
        section(
            "streams",
            "Time budget by stream, as recorded",
            records::streams(capture, held, room),
        );
        section("idle", "Idle", idle::idle(capture, held));
        section("host-events", &idle::host_title(capture), idle::host(capture, held, room));
        section("gaps", &gaps::title(capture), gaps::gaps(capture, held, room));
        section("graph", "Graph replays", records::graph(&held.graph));
        section("launches", "Launches", idle::launches(capture, &held.launches));
    }
    if let Some(attribution) = &capture.attribution {
        section("attribution", "Attribution of kernel time", shares::classes(attribution, room));
        section("operators", &shares::ops_title(capture), shares::ops(capture, attribution, room));
        section("lines", &shares::lines_title(capture), shares::lines(capture, attribution, room));
    }
    section("kernels", &shares::kernels_title(capture), shares::kernels(capture, room));
    if let Some(held) = &capture.roofline {
        section("roofline", &roofline::title(capture), roofline::roofline(capture, held, room));
    }
    if let Some(held) = &capture.records {
        section("steps", &shares::steps_title(capture), records::steps(capture, held, room));
        section("programs", "Programs", records::programs(held, room));
    }
    section("path", &path::title(capture), path::by_kind(capture));
    section(CHANGES, &path::changes_title(capture), path::changes(capture));
    section(COUNTED, counted::TITLE, counted::counted(capture));
    all
}

/// A folded section. The title is HTML; blank lines around the body let Markdown inside be rendered.
fn details(title: &str, body: &str) -> String {
    if body.is_empty() {
        return String::new();
    }
    format!("\n<details><summary>{title}</summary>\n\n{body}\n</details>\n")
}

/// Every check that was made or could not be made; those without a subject are counted, as the trust list names them.
fn reconciliation(capture: &CaptureReport) -> String {
    let absent = |check: &&CheckReport| check.why == Some(WhyNotEvaluable::NotApplicable);
    let rows: Vec<Vec<String>> = capture
        .checks
        .iter()
        .filter(|check| !absent(check))
        .map(|check| {
            let (measured, limit) = cells::measured_and_limit(check);
            vec![
                markdown_code(&check.id),
                words::state(check).to_owned(),
                words::level_of(check),
                markdown(&check.message),
                format!("{limit}{}", markdown(&cells::whole(check))),
                measured,
            ]
        })
        .collect();
    let mut text = String::new();
    if !rows.is_empty() {
        text =
            table(&["check", "state", "level", "what was measured", "limit", "measured"], 5, rows);
    }
    let without_subject = capture.checks.iter().filter(absent).count() as u64;
    if without_subject > 0 {
        let checks = counted(without_subject, "check has", "checks have");
        let _ = writeln!(text, "\n{checks} nothing to check here: “Not evaluated” names them.");
    }
    text
}

fn files(capture: &CaptureReport) -> String {
    details("Files", &file_table(capture))
}

/// The files of a capture, with their digests.
pub(super) fn file_table(capture: &CaptureReport) -> String {
    if capture.files.is_empty() {
        return String::new();
    }
    let dash = || DASH.to_owned();
    let rows = capture.files.iter().map(|file| {
        let role = match file.role {
            FileRole::Record => "record",
            FileRole::CaptureShard => "capture shard",
        };
        vec![
            markdown_code(&file.path),
            file.format.as_deref().map_or_else(dash, markdown),
            role.to_owned(),
            file.sha256.as_deref().map_or_else(dash, markdown_code),
            bytes(file.bytes),
            file.events.map_or_else(dash, count),
        ]
    });
    let head = ["file", "format", "role", "sha256", "size", "events"];
    table(&head, 4, rows)
}

fn goldens(report: &Report) -> String {
    let mut text = String::new();
    let found =
        |golden: &&GoldenReport| golden.state != GoldenState::Same && golden.level != Level::Allow;
    for golden in report.goldens.iter().filter(found) {
        let state = words::golden(golden.state);
        match &golden.diff {
            Some(diff) => {
                let title = format!("{} {state}", html(&golden.path));
                text.push_str(&details(&title, &markdown_block(diff, "diff")));
            }
            None => {
                let _ = writeln!(text, "\n{} {state}.", markdown(&golden.path));
            }
        }
    }
    if text.is_empty() { text } else { format!("\n## Goldens\n{text}") }
}

/// What is found about the policy itself, as a list.
pub(super) fn policy_findings(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.policy_findings {
        let _ = writeln!(
            text,
            "- {} ({}): {}",
            markdown_code(&finding.id),
            words::level(finding.level),
            markdown(&finding.message)
        );
    }
    text
}

fn policy(report: &Report) -> String {
    let text = policy_findings(report);
    if text.is_empty() { text } else { format!("\n## Policy\n\n{text}") }
}

/// Files that are no capture, as a list.
pub(super) fn skipped_files(report: &Report) -> String {
    let mut text = String::new();
    for file in &report.skipped {
        let _ = writeln!(text, "- {}: {}", markdown_code(&file.path), markdown(&file.reason));
    }
    text
}

fn skipped(report: &Report) -> String {
    let text = skipped_files(report);
    if text.is_empty() { text } else { format!("\n## Skipped files\n\n{text}") }
}

/// What stands below a table that was cut, where an output of tables has all of it.
fn more_in_tables(total: usize, rows_max: usize) -> String {
    match total.checked_sub(rows_max) {
        None | Some(0) => String::new(),
        Some(left) => format!(
            "\n{} more in the JSON report and in the tables of `--report csv=FOLDER`.\n",
            count(left as u64)
        ),
    }
}

/// What stands below another table that was cut.
fn more_rows(total: usize, rows_max: usize) -> String {
    match total.checked_sub(rows_max) {
        None | Some(0) => String::new(),
        Some(left) => format!("\n{} more in the JSON report.\n", count(left as u64)),
    }
}
