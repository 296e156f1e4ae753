//! What a report finds, one by one, for outputs that list findings with a place: annotations, SARIF, code quality.
//!
//! A capture is seldom text of the repository, so a finding stands where its level or limit was set in a policy file, else at
//! the capture's own path.

use super::{cells, digest, words};
use crate::report::{
    CaptureReport, CheckReport, FindingId, GoldenReport, GoldenState, Level, Report, State,
};

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// It fails the gate.
    Error,
    /// It withholds claims; the gate passes.
    Warning,
}

/// One finding. Its texts are as they stand in the report: not escaped.
#[derive(Clone, Debug)]
pub(super) struct Finding<'a> {
    pub(super) weight: Weight,
    /// The check's id, or `unreadable`.
    pub(super) id: &'a str,
    /// The capture, or the file that it is about.
    pub(super) subject: &'a str,
    /// One line.
    pub(super) headline: String,
    /// What follows from it: key and text.
    pub(super) details: Vec<(&'static str, String)>,
    /// What to do.
    pub(super) help: &'a str,
    pub(super) place: Place<'a>,
    /// The exception that covers it.
    pub(super) exception: Option<&'a str>,
    /// What tells it from others of this id and subject; empty where there is one.
    pub(super) apart: &'a str,
}

/// A file, and a line of it where one is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place<'a> {
    pub(super) path: &'a str,
    pub(super) line: Option<u64>,
}

impl Finding<'_> {
    /// By what another run's finding is known as the same one: whatever was measured, and wherever the policy was set.
    pub(super) fn fingerprint(&self) -> String {
        digest::of([self.id, self.subject, self.apart])
    }

    /// Headline, details and help, one a line.
    pub(super) fn text(&self) -> String {
        let mut lines = vec![if self.headline.contains(self.subject) {
            self.headline.clone()
        } else {
            format!("{}: {}", self.subject, self.headline)
        }];
        lines.extend(self.details.iter().map(|(key, text)| format!("{key}: {text}")));
        if !self.help.is_empty() {
            lines.push(format!("help: {}", self.help));
        }
        lines.join("\n")
    }
}

/// Everything that is found, what fails the gate first, else in the order of the report; excepted violations last.
pub(super) fn of(report: &Report) -> Vec<Finding<'_>> {
    let mut all = Vec::new();
    for capture in &report.captures {
        all.extend(unreadable(capture));
        let path = capture.files.first().map_or(&capture.name, |file| &file.path);
        let subject = Subject { name: &capture.name, path };
        let of_one = |check| of_check(report, subject, check, words::consequence(capture, check));
        all.extend(capture.checks.iter().filter_map(of_one));
    }
    for run in &report.runs {
        let subject = Subject { name: &run.name, path: &run.name };
        let of_one = |check| of_check(report, subject, check, words::run_consequence(run, check));
        all.extend(run.checks.iter().filter_map(of_one));
    }
    all.extend(report.goldens.iter().filter_map(of_golden));
    all.extend(of_policy(report));
    all.sort_by_key(|finding| (finding.exception.is_some(), finding.weight));
    all
}

fn unreadable(capture: &CaptureReport) -> Option<Finding<'_>> {
    let error = capture.error.as_ref()?;
    // A line of what was decompressed is no line of the file.
    let is_text = capture.files.iter().all(|file| !file.path.ends_with(".gz"));
    Some(Finding {
        weight: Weight::Error,
        id: FindingId::Unreadable.name(),
        subject: &capture.name,
        headline: error.message.clone(),
        details: vec![("so", "nothing about this capture is judged".to_owned())],
        help: &error.help,
        place: Place { path: &error.path, line: error.line.filter(|_| is_text) },
        exception: None,
        apart: "",
    })
}

/// What a check is about: a capture, or the ranks of a job, which are known by their folder.
#[derive(Clone, Copy)]
struct Subject<'a> {
    name: &'a str,
    path: &'a str,
}

fn of_check<'a>(
    report: &'a Report,
    subject: Subject<'a>,
    check: &'a CheckReport,
    so: Option<String>,
) -> Option<Finding<'a>> {
    let exception = check.exception.as_deref().filter(|_| check.state == State::Excepted);
    let is_found = check.fails || check.state == State::Violated || exception.is_some();
    if !is_found {
        return None;
    }
    let mut details = Vec::new();
    if let Some(seen) = cells::evidence(check, cells::Detail::Telling) {
        details.push(("measured", seen));
    }
    if let Some(so) = so {
        details.push(("so", so));
    }
    details.push(("policy", format!("{} {}", check.origin, words::level_of(check))));
    let missing = match check.state {
        State::NotEvaluable => "not evaluated, and the policy requires it: ",
        _ => "",
    };
    Some(Finding {
        weight: weight(check.fails),
        id: &check.id,
        subject: subject.name,
        headline: format!("{missing}{}", cells::headline(check)),
        details,
        help: &check.help,
        place: in_policy(report, &check.origin).unwrap_or(Place { path: subject.path, line: None }),
        exception,
        apart: "",
    })
}

fn of_golden(golden: &GoldenReport) -> Option<Finding<'_>> {
    let id = golden.state.check().filter(|_| golden.level != Level::Allow)?;
    let subject = match golden.state {
        GoldenState::Unreferenced => &golden.path,
        _ => &golden.capture,
    };
    Some(Finding {
        weight: weight(golden.fails()),
        id,
        subject,
        headline: format!("the golden {} {}", golden.path, words::golden(golden.state)),
        details: Vec::new(),
        help: "if the change is meant: run again with --pending DIR, look, then idleproof golden accept",
        place: Place { path: &golden.path, line: None },
        exception: None,
        apart: "",
    })
}

fn of_policy(report: &Report) -> impl Iterator<Item = Finding<'_>> {
    let told = report.policy_findings.iter().filter(|finding| finding.level != Level::Allow);
    told.map(|finding| Finding {
        weight: weight(finding.level == Level::Deny),
        id: &finding.id,
        subject: &report.policy.name,
        headline: finding.message.clone(),
        details: Vec::new(),
        help: "",
        place: in_policy(report, &finding.message)
            .unwrap_or(Place { path: &report.policy.name, line: None }),
        exception: None,
        apart: &finding.message,
    })
}

const fn weight(fails: bool) -> Weight {
    if fails { Weight::Error } else { Weight::Warning }
}

/// The place in a policy file that an origin names: `idleproof.toml:7`, also within `level --warn, limit idleproof.toml:7`.
/// Of two places the limit's is the later one, and the one that decided.
fn in_policy<'a>(report: &'a Report, text: &str) -> Option<Place<'a>> {
    let path = report.policy.name.as_str();
    let (_, behind) = text.rsplit_once(&format!("{path}:"))?;
    let digits = behind.split(|one: char| !one.is_ascii_digit()).next()?;
    Some(Place { path, line: Some(digits.parse().ok()?) })
}
