//! The summary that people read in a terminal or a CI log: diagnostics in the style of rustc, then the verdict.
//!
//! Colours are always written; the caller's stream drops them where they are not wanted.

use super::cells::Detail;
use super::escape::{terminal as clean, terminal_lines};
use super::format::{count, counted};
use super::{cells, runs, tally, words};
use crate::report::{
    CaptureReport, CheckReport, ErrorReport, FindingId, GoldenReport, GoldenState, Level, Report,
    RunReport, State, StatedReport, StatedState, Verdict,
};
use anstyle::{AnsiColor, Style as Paint};
use std::fmt::Write as _;

/// How much is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    /// What fails the gate or will before long, how many stand where, and the verdict.
    Quiet,
    /// Everything that limits a claim, one line for each capture that passes, and the verdict.
    #[default]
    Normal,
    /// Also the checks that hold or do not apply, notices and skipped files.
    Verbose,
}

const ERROR: Paint = AnsiColor::BrightRed.on_default().bold();
const WARNING: Paint = AnsiColor::BrightYellow.on_default().bold();
const GOOD: Paint = AnsiColor::BrightGreen.on_default().bold();
const NOTE: Paint = AnsiColor::BrightCyan.on_default().bold();
const FRAME: Paint = AnsiColor::BrightBlue.on_default().bold();
const BOLD: Paint = Paint::new().bold();

/// Lines of a golden's diff that are worth a terminal; the whole diff is in the reports.
const DIFF_LINES_MAX: usize = 40;

/// Statements that are worth a terminal.
const STATED_MAX: usize = 5;

/// A line of a diagnostic: its key and its text.
type Line = (&'static str, String);

/// The check that statements made elsewhere are judged by.
const UNSUPPORTED: &str = "unsupported-claim";

/// The summary of a report.
pub fn summary(report: &Report, style: Style) -> String {
    let mut page = Page { text: String::new(), style };
    for capture in &report.captures {
        page.capture(capture);
    }
    for run in &report.runs {
        page.run(run);
    }
    for golden in &report.goldens {
        page.golden(golden);
    }
    for finding in report.policy_findings.iter().filter(|finding| finding.level != Level::Allow) {
        // Said even in few words: an exception that ends, or a golden that is stale, will fail or mislead later.
        page.headline(finding.level == Level::Deny, &finding.id, &finding.message);
        // What an earlier report says does not stand in the policy.
        if !finding.id.starts_with("baseline-") {
            page.arrow(&report.policy.name);
        }
        page.end();
    }
    if style == Style::Verbose {
        for file in &report.skipped {
            page.note("skipped", &format!("{}: {}", file.path, file.reason));
        }
    }
    page.verdict(report);
    page.text
}

/// The text so far. Writing to a `String` cannot fail, so the results of `write!` are dropped.
struct Page {
    text: String,
    style: Style,
}

impl Page {
    fn shows(&self, fails: bool) -> bool {
        fails || self.style > Style::Quiet
    }

    fn capture(&mut self, capture: &CaptureReport) {
        if let Some(error) = &capture.error {
            return self.refused(capture, error);
        }
        for check in &capture.checks {
            let stated = if check.id == UNSUPPORTED { self.stated(capture) } else { Vec::new() };
            self.check(&capture.name, check, words::consequence(capture, check), &stated);
        }
        if self.style == Style::Verbose {
            for notice in &capture.notices {
                let times = count(notice.count);
                self.note("notice", &format!("{} × {}: {}", times, notice.code, notice.message));
            }
        }
        if self.style > Style::Quiet {
            let paint = if capture.verdict() == Verdict::Pass { GOOD } else { ERROR };
            let word = words::verdict(capture.verdict());
            let tally = tally::Tally::of([capture]).text();
            let line = format!("{}: idle {}; {tally}", capture.name, cells::idle(capture));
            let _ = writeln!(self.text, "{paint}{word}{paint:#}: {}", clean(&line));
        }
    }

    fn refused(&mut self, capture: &CaptureReport, error: &ErrorReport) {
        self.headline(true, FindingId::Unreadable.name(), &error.message);
        self.arrow(&cells::place(error));
        if capture.name != error.path {
            self.line("capture", &capture.name);
        }
        self.line("so", "nothing about this capture is judged");
        self.line("help", &error.help);
        self.end();
    }

    /// The checks that compare the ranks of a job, and whether what they waited for one another may be stated.
    fn run(&mut self, run: &RunReport) {
        for check in &run.checks {
            self.check(&run.name, check, words::run_consequence(run, check), &[]);
        }
        if self.style > Style::Quiet {
            let fails = run.checks.iter().any(|check| check.fails);
            let (paint, word) = if fails { (ERROR, "fail") } else { (GOOD, "pass") };
            let line = format!("{}: {}", run.name, runs::line(run));
            let _ = writeln!(self.text, "{paint}{word}{paint:#}: {}", clean(&line));
        }
    }

    fn check(&mut self, place: &str, check: &CheckReport, so: Option<String>, more: &[Line]) {
        match check.state {
            State::Violated if self.shows(check.fails) => self.violated(place, check, so, more),
            State::Excepted if self.style > Style::Quiet => self.violated(place, check, so, more),
            State::NotEvaluable if check.fails => {
                let so = "the policy requires this evidence, and the capture has none";
                self.violated(place, check, Some(so.to_owned()), more);
            }
            State::Holds | State::NotEvaluable if self.style == Style::Verbose => {
                self.note(words::state(check), &format!("{}: {}", check.id, check.message));
            }
            _ => {}
        }
    }

    fn violated(&mut self, place: &str, check: &CheckReport, so: Option<String>, more: &[Line]) {
        self.headline(check.fails, &check.id, &cells::headline(check));
        self.arrow(place);
        let detail = if self.style == Style::Verbose { Detail::All } else { Detail::Telling };
        if let Some(seen) = cells::evidence(check, detail) {
            self.line("measured", &seen);
        }
        for (key, text) in more {
            self.line(key, text);
        }
        if let Some(so) = so {
            self.line("so", &so);
        }
        if let Some(exception) = &check.exception {
            self.line("excepted", exception);
        }
        self.line("policy", &format!("{} {}", check.origin, words::level_of(check)));
        if !check.help.is_empty() {
            self.line("help", &check.help);
        }
        self.end();
    }

    /// Statements that do not hold, each with where it stands.
    fn stated(&self, capture: &CaptureReport) -> Vec<Line> {
        let order = [StatedState::Refuted, StatedState::Undetermined];
        let of = |state| capture.stated.iter().filter(move |one| one.state == state);
        let all: Vec<&StatedReport> = order.into_iter().flat_map(of).collect();
        let most = if self.style == Style::Verbose { all.len() } else { STATED_MAX };
        let line =
            |one: &&StatedReport| (one.state.name(), format!("{} at {}", one.message, one.source));
        let mut lines: Vec<Line> = all.iter().take(most).map(line).collect();
        if let Some(left @ 1..) = all.len().checked_sub(most) {
            lines.push(("and", format!("{left} more: -v lists them")));
        }
        lines
    }

    fn golden(&mut self, golden: &GoldenReport) {
        let Some(id) = golden.state.check() else { return };
        if golden.level == Level::Allow || !self.shows(golden.fails()) {
            return;
        }
        let subject = match golden.state {
            GoldenState::Unreferenced => golden.capture.clone(),
            _ => format!("{} of {}", golden.output, golden.capture),
        };
        self.headline(
            golden.fails(),
            id,
            &format!("{subject}: the golden {}", words::golden(golden.state)),
        );
        self.arrow(&golden.path);
        if let Some(diff) = &golden.diff {
            let diff = terminal_lines(diff);
            let n_lines = diff.lines().count();
            for line in diff.lines().take(DIFF_LINES_MAX) {
                let paint = match line.as_bytes().first() {
                    Some(b'+') => AnsiColor::Green.on_default(),
                    Some(b'-') => AnsiColor::Red.on_default(),
                    _ => Paint::new(),
                };
                let _ = writeln!(self.text, "   {FRAME}|{FRAME:#} {paint}{line}{paint:#}");
            }
            if n_lines > DIFF_LINES_MAX {
                let _ = writeln!(
                    self.text,
                    "   {FRAME}|{FRAME:#} … {} more lines",
                    n_lines - DIFF_LINES_MAX
                );
            }
        }
        let help = match golden.state {
            GoldenState::Unreferenced => {
                "find out where the capture went, or remove it with idleproof golden prune"
            }
            GoldenState::Missing => {
                "with --pending DIR the first one is written there to wait: idleproof golden review shows it, and takes it over"
            }
            GoldenState::Same | GoldenState::Changed => {
                "if the change is meant: check --pending DIR, look at what waits, then idleproof golden accept"
            }
        };
        self.line("help", help);
        self.end();
    }

    /// The summary line and the verdict.
    fn verdict(&mut self, report: &Report) {
        let (paint, word) = match report.verdict {
            Verdict::Pass => (GOOD, "PASSED"),
            Verdict::Fail => (ERROR, "FAILED"),
            Verdict::Error => (ERROR, "ERROR"),
        };
        let mut line = format!(
            "{} · checks: {}",
            tally::captures(report),
            tally::Tally::of_report(report).text()
        );
        if let Some(goldens) = tally::goldens(report) {
            let _ = write!(line, " · goldens: {goldens}");
        }
        if let Some(findings) = tally::findings(report) {
            let _ = write!(line, " · policy and baseline: {findings}");
        }
        if !report.skipped.is_empty() {
            let _ = write!(
                line,
                " · {}",
                counted(report.skipped.len() as u64, "file skipped", "files skipped")
            );
        }
        let _ = writeln!(self.text, "{line}");
        let reason = match report.verdict {
            Verdict::Error => ": the gate was not evaluated",
            Verdict::Pass | Verdict::Fail => "",
        };
        let _ = writeln!(self.text, "{paint}{word}{paint:#}{reason}");
    }

    fn headline(&mut self, fails: bool, id: &str, message: &str) {
        let (paint, word) = if fails { (ERROR, "error") } else { (WARNING, "warning") };
        let _ = writeln!(
            self.text,
            "{paint}{word}[{}]{paint:#}{BOLD}: {}{BOLD:#}",
            clean(id),
            clean(message)
        );
    }

    fn arrow(&mut self, place: &str) {
        let _ = writeln!(self.text, "  {FRAME}-->{FRAME:#} {}", clean(place));
    }

    fn line(&mut self, key: &str, text: &str) {
        let _ = writeln!(self.text, "   {FRAME}={FRAME:#} {BOLD}{key}{BOLD:#}: {}", clean(text));
    }

    /// A blank line behind a diagnostic.
    fn end(&mut self) {
        self.text.push('\n');
    }

    fn note(&mut self, word: &str, text: &str) {
        let _ = writeln!(self.text, "{NOTE}{word}{NOTE:#}: {}", clean(text));
    }
}
