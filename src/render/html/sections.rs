//! One capture: its verdict, its findings, and every figure beside what limits it.

use super::super::escape::html;
use super::super::format::shortened;
use super::super::markdown::{self, Room, Section};
use super::super::swimlanes::{self, CAPTURES_MAX, figure, notes};
use super::super::{trust, words};
use super::{claims, limited_by, markup, path, range, verdict};
use crate::report::{CaptureReport, Claim};
use std::fmt::Write as _;

/// How much of each table the page shows.
const ROOM: Room =
    Room { rows: 200, kernels: 200, steps: 10, host_events: 48, gaps: 40, name_chars: 240 };

/// Characters of a capture's name.
const CAPTURE_CHARS_MAX: usize = 200;

/// The sections of the page, in its order, with the claims that their figures make. Those of the report that are not listed follow.
const ORDER: [(&str, &[Claim]); 16] = [
    ("steps", &[Claim::StepTime]),
    (SWIMLANES, &[]),
    ("path", &[Claim::CriticalPath]),
    ("changes", &[Claim::Estimate]),
    ("counted", &[]),
    ("host-events", &[Claim::Idle, Claim::HostStarved]),
    ("gaps", &[Claim::Idle]),
    ("kernels", &[Claim::KernelTime, Claim::Ranking]),
    ("operators", &[Claim::OpAttribution]),
    ("lines", &[Claim::SourceLine]),
    ("attribution", &[]),
    // Its place, for the day on which the report has such a section.
    ("roofline", &[Claim::Roofline]),
    ("devices", &[Claim::Idle, Claim::KernelTime]),
    ("streams", &[Claim::Idle]),
    ("graph", &[]),
    ("launches", &[]),
];

/// Those that stand elsewhere.
const ELSEWHERE: [&str; 2] = ["reconciliation", "idle"];

const SWIMLANES: &str = "swimlanes";

/// The article of a capture.
pub(super) fn capture(capture: &CaptureReport, number: usize) -> String {
    let state = words::verdict(capture.verdict());
    let mut text = format!(
        "<article id=\"capture-{number}\">\n<h2>{}: <span class=\"verdict {state}\">{state}</span></h2>\n{}",
        html(&shortened(&capture.name, CAPTURE_CHARS_MAX)),
        verdict::in_words(capture)
    );
    if capture.error.is_none() {
        let mut body = Body { number, text: String::new(), links: Vec::new() };
        body.section("claims", "Claims", &claims::table(capture));
        body.text.push_str(&wrapped(&markup::blocks(&trust::findings(capture, "###"))));
        body.text.push_str(&wrapped(&markup::blocks(&trust::stated(capture, "###"))));
        let found = markdown::sections(capture, &ROOM);
        body.section("idle", "Idle", &idle(capture, &found));
        for (id, limited) in ORDER {
            if id == SWIMLANES {
                body.section(id, "Swimlanes", &drawing(capture, number));
            } else if let Some(one) = found.iter().find(|one| one.id == id) {
                body.section(id, &one.title, &of(capture, one, limited));
            }
        }
        let is_placed =
            |id: &str| ELSEWHERE.contains(&id) || ORDER.iter().any(|(placed, _)| *placed == id);
        for one in found.iter().filter(|one| !is_placed(one.id)) {
            body.section(one.id, &one.title, &of(capture, one, &[]));
        }
        body.section("trust", "Trust list", &markup::blocks(&trust::limits(capture, "####")));
        text.push_str(&body.links());
        text.push_str(&body.text);
        if let Some(all) = found.iter().find(|one| one.id == "reconciliation") {
            text.push_str(&folded("Reconciliation: every check", &markup::blocks(&all.body)));
        }
    }
    text.push_str(&folded("Files", &markup::blocks(&markdown::file_table(capture))));
    text.push_str("</article>\n");
    text
}

/// A section of the report, with what limits its claims, and what the page adds to it.
fn of(capture: &CaptureReport, one: &Section, limited: &[Claim]) -> String {
    if one.body.is_empty() {
        return String::new();
    }
    let segments = if one.id == "path" { path::segments(capture, &ROOM) } else { String::new() };
    format!("{}{}{segments}", limited_by(capture, limited), markup::blocks(&one.body))
}

/// Bounds, classes, and the parts of idle that the host cannot be blamed for.
fn idle(capture: &CaptureReport, found: &[Section]) -> String {
    if capture.records.as_ref().is_none_or(|records| records.devices.is_empty()) {
        return String::new();
    }
    let details = found.iter().find(|one| one.id == "idle").map_or("", |one| one.body.as_str());
    // The first two lines are the bounds, which stand in the table above.
    let rest: Vec<&str> = details.lines().skip(2).collect();
    format!(
        "{}{}{}",
        limited_by(capture, &[Claim::Idle, Claim::HostStarved]),
        range::bounds(capture),
        markup::blocks(&rest.join("\n"))
    )
}

/// The drawing, which a script may zoom.
fn drawing(capture: &CaptureReport, number: usize) -> String {
    let Some(lanes) = &capture.swimlanes else {
        let records = capture.records.as_ref();
        let is_missing = records.is_some_and(|records| !records.devices.is_empty());
        let why = "Not drawn: they are made from the captures themselves, which this page was not made from.";
        return if is_missing { format!("<p>{why}</p>\n") } else { String::new() };
    };
    if number >= CAPTURES_MAX {
        return format!(
            "<p>Not drawn: only those of the first {CAPTURES_MAX} captures are. Name this one alone.</p>\n"
        );
    }
    let drawn = figure(capture, lanes, number);
    let notes: Vec<String> =
        notes(capture, lanes).iter().map(|line| format!("<li>{}</li>", html(line))).collect();
    let mut text = String::new();
    let _ = write!(
        text,
        "<figure class=\"sl-figure\" data-total=\"{}\">\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"swimlanes\">\n\
         <svg class=\"sl-drawing\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Swimlanes on one time axis; each bar has its name, number \
         and time as a title\">\n{}</svg>\n</div>\n<figcaption><ul>{}</ul></figcaption>\n</figure>\n",
        lanes.total_us.ps(),
        swimlanes::WIDTH,
        drawn.height,
        drawn.svg,
        notes.join("")
    );
    text
}

/// The sections of an article, with links to them.
struct Body {
    /// The article's number.
    number: usize,
    text: String,
    links: Vec<String>,
}

impl Body {
    /// A section under its title, which is HTML; nothing where there is nothing to say.
    fn section(&mut self, id: &str, title: &str, body: &str) {
        if body.is_empty() {
            return;
        }
        let anchor = format!("{id}-{}", self.number);
        let _ =
            write!(self.text, "<section id=\"{anchor}\">\n<h3>{title}</h3>\n{body}</section>\n");
        let short = title.split(':').next().unwrap_or(title);
        self.links.push(format!("<a href=\"#{anchor}\">{short}</a>"));
    }

    fn links(&self) -> String {
        format!(
            "<nav class=\"parts\" aria-label=\"parts of this report\">{}</nav>\n",
            self.links.join(" · ")
        )
    }
}

fn wrapped(body: &str) -> String {
    if body.is_empty() {
        String::new()
    } else {
        format!("<section class=\"findings\">\n{body}</section>\n")
    }
}

fn folded(title: &str, body: &str) -> String {
    if body.is_empty() {
        return String::new();
    }
    format!("<details class=\"more\"><summary>{title}</summary>\n{body}</details>\n")
}
