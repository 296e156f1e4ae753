//! One capture: its verdict, its findings, and every figure beside what limits it.

use super::super::escape::html;
use super::super::format::shortened;
use super::super::markdown::{self, Room, Section};
use super::super::swimlanes::{self, CAPTURES_MAX, figure, notes};
use super::super::{cells, trust, words};
use super::{claims, limited_by, markup, path, range, verdict};
use crate::report::{CaptureReport, Claim, ClaimState, State, Verdict};
use std::fmt::Write as _;

/// How much of each table the page shows.
const ROOM: Room =
    Room { rows: 200, kernels: 200, steps: 10, host_events: 48, gaps: 40, name_chars: 240 };

/// Characters of a capture's name.
const CAPTURE_CHARS_MAX: usize = 200;

/// The sections of the page, in its order, with the claims that their figures make. Those of the report that are not listed follow.
const ORDER: [(&str, &[Claim]); 15] = [
    ("counted", &[]),
    ("steps", &[Claim::StepTime]),
    (SWIMLANES, &[]),
    ("path", &[Claim::CriticalPath]),
    ("host-events", &[Claim::Idle, Claim::HostStarved]),
    ("gaps", &[Claim::Idle]),
    ("kernels", &[Claim::KernelTime, Claim::Ranking]),
    ("operators", &[Claim::OpAttribution]),
    ("lines", &[Claim::SourceLine]),
    ("roofline", &[Claim::Roofline]),
    ("devices", &[Claim::Idle, Claim::KernelTime]),
    ("attribution", &[]),
    ("streams", &[Claim::Idle]),
    ("graph", &[]),
    ("launches", &[]),
];

/// Those that stand elsewhere.
const ELSEWHERE: [&str; 3] = ["reconciliation", "idle", CHANGES];

/// Straight behind the answers: what a reader acts on.
const CHANGES: &str = "changes";

const SWIMLANES: &str = "swimlanes";

/// Where a capture stands on the page.
pub(super) struct Place {
    /// Its number among the captures.
    pub(super) number: usize,
    /// Its name there.
    pub(super) name: String,
    /// The run of which it is a rank.
    pub(super) run: Option<verdict::InRun>,
    /// True where it is the only one: of several, those that pass are folded.
    pub(super) is_alone: bool,
}

/// The article of a capture.
pub(super) fn capture(capture: &CaptureReport, place: &Place) -> String {
    let state = words::verdict(capture.verdict());
    let heading = format!(
        "<h2>{}: <span class=\"verdict {state}\">{state}</span></h2>",
        html(&shortened(&place.name, CAPTURE_CHARS_MAX)),
    );
    let number = place.number;
    let body = content(capture, place);
    if place.is_alone {
        return format!("<article id=\"capture-{number}\">\n{heading}\n{body}</article>\n");
    }
    let open = if capture.verdict() == Verdict::Pass { "" } else { " open=\"\"" };
    // A link to what is inside opens it.
    format!(
        "<article>\n<details class=\"capture\"{open}><summary>{heading}{}</summary>\n<div id=\"capture-{number}\">\n{body}</div>\n</details>\n\
         </article>\n",
        gist(capture)
    )
}

/// What stands beside the verdict of a folded capture.
fn gist(capture: &CaptureReport) -> String {
    if capture.error.is_some() || capture.records.is_none() {
        return String::new();
    }
    let violated = capture.checks_in(State::Violated);
    let ids: Vec<String> =
        violated.map(|check| format!("<code>{}</code>", html(&check.id))).collect();
    let ids =
        if ids.is_empty() { String::new() } else { format!("; violated: {}", ids.join(", ")) };
    let idle = match capture.claims.get(Claim::Idle).0 {
        ClaimState::Withheld => "withheld".to_owned(),
        ClaimState::Undefined => "undefined".to_owned(),
        ClaimState::Supported => supported_idle(capture),
    };
    format!(" <span class=\"gist\">idle {idle}{ids}</span>")
}

/// The answers, and every figure behind them.
fn content(capture: &CaptureReport, place: &Place) -> String {
    let number = place.number;
    let mut text = verdict::in_words(capture, place.run);
    if capture.error.is_none() {
        let mut body = Body { number, text: String::new(), links: Vec::new() };
        let found = markdown::sections(capture, &ROOM);
        if let Some(one) = found.iter().find(|one| one.id == CHANGES) {
            body.section(CHANGES, &one.title, &of(capture, number, one, &[Claim::Estimate]));
        }
        body.section("claims", "Claims", &claims::table(capture));
        body.text.push_str(&findings(capture, number));
        body.text.push_str(&wrapped(&markup::blocks(&trust::stated(capture, "###"))));
        body.section("idle", "Idle", &idle(capture, number, &found));
        for (id, limited) in ORDER {
            if id == SWIMLANES {
                body.section(id, "Swimlanes", &drawing(capture, number));
            } else if let Some(one) = found.iter().find(|one| one.id == id) {
                body.section(id, &one.title, &of(capture, number, one, limited));
            }
        }
        let is_placed =
            |id: &str| ELSEWHERE.contains(&id) || ORDER.iter().any(|(placed, _)| *placed == id);
        for one in found.iter().filter(|one| !is_placed(one.id)) {
            body.section(one.id, &one.title, &of(capture, number, one, &[]));
        }
        body.section("trust", "Trust list", &markup::blocks(&trust::limits(capture, "####")));
        text.push_str(&body.links());
        text.push_str(&body.text);
        if let Some(all) = found.iter().find(|one| one.id == "reconciliation") {
            let body = format!("{LEVELS}{}", markup::blocks(&all.body));
            let body = if all.body.is_empty() { String::new() } else { body };
            text.push_str(&folded("Reconciliation: every check", &body));
        }
    }
    text.push_str(&folded("Files", &markup::blocks(&markdown::file_table(capture))));
    text
}

/// `49.3 % of its window of 13.01 ms (1 step)`.
fn supported_idle(capture: &CaptureReport) -> String {
    let idle = markup::inline(&cells::idle(capture));
    let of = claims::window(capture).map(|of| format!(" {}", html(&of))).unwrap_or_default();
    let conditions = words::conditions(capture);
    let how = match conditions.is_empty() {
        true => String::new(),
        false => format!(" ({})", html(&conditions.join(", "))),
    };
    format!("{idle}{of}{how}")
}

/// What a policy's levels are, for who has not written one.
const LEVELS: &str = "<p>Level: a violation at <code>deny</code> fails, one at <code>warn</code> passes; either withholds what the check guards. \
                      <code>allow</code> switches a check off.</p>\n";

/// What the checks found, where links to it lead.
fn findings(capture: &CaptureReport, number: usize) -> String {
    let body = markup::blocks(&trust::findings(capture, "###"));
    if body.is_empty() {
        return body;
    }
    format!("<section class=\"findings\" id=\"findings-{number}\">\n{body}</section>\n")
}

/// A section of the report, with what limits its claims, and what the page adds to it.
fn of(capture: &CaptureReport, number: usize, one: &Section, limited: &[Claim]) -> String {
    if one.body.is_empty() {
        return String::new();
    }
    let segments = if one.id == "path" { path::segments(capture, &ROOM) } else { String::new() };
    format!("{}{}{segments}", limited_by(capture, number, limited), markup::blocks(&one.body))
}

/// Bounds, classes, and the parts of idle that the host cannot be blamed for.
fn idle(capture: &CaptureReport, number: usize, found: &[Section]) -> String {
    if capture.records.as_ref().is_none_or(|records| records.devices.is_empty()) {
        return String::new();
    }
    let details = found.iter().find(|one| one.id == "idle").map_or("", |one| one.body.as_str());
    // The first two lines are the bounds, which stand in the table above. Of withheld figures there is nothing more to say.
    let is_withheld = words::withheld_by(capture, Claim::Idle).is_some();
    let rest = details.lines().skip(2).filter(|_| !is_withheld);
    let rest: Vec<&str> = rest.collect();
    format!(
        "{}{}{}",
        limited_by(capture, number, &[Claim::Idle, Claim::HostStarved]),
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
