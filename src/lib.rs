//! idleproof: a gate that keeps false claims about GPU captures out of CI.
//!
//! Five calls in a row: read → analyse → measure → judge → render. A number is printed only if the capture can support it.

pub mod text;
pub mod units;

pub mod report;
pub mod trace;

pub mod read;

pub mod analysis;

pub mod checks;

pub mod document;

pub mod policy;

pub mod statements;

pub mod compare;
pub mod judge;

pub mod golden;
pub mod render;

use jiff::civil::Date;
use rayon::prelude::*;
use read::{Decompression, Family, FamilyRead, Found, Limits, ReadError};
use regex::Regex;
use report::{CaptureReport, ErrorReport, FileReport, FileRole, RunReport, SkippedFile};
use statements::Statement;
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What may be named in policy files, with the outputs that can be goldens in `outputs`.
pub const fn vocabulary<'a>(outputs: &'a [&'a str]) -> policy::Vocabulary<'a> {
    policy::Vocabulary { checks: checks::CHECKS, outputs }
}

/// What a run asks for beside the verdict.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which source files are the user's own; a default rule tells them where nothing is said.
    pub user_files: Option<Regex>,
    /// The compiled program, by id, that the tables of operations and lines are about; all of them where none is named.
    pub program: Option<u64>,
    /// How much of the analysis the report keeps.
    pub detail: Detail,
    /// Statements made elsewhere, to be held against the captures that they are about.
    pub statements: Vec<Statement>,
    /// How much of a file is read.
    pub limits: Limits,
    /// Is told of the run, and tells it nothing.
    pub progress: Progress,
}

/// Is told each time that the files of one place are done: a run may take minutes.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Fn() + Send + Sync>>);

impl Progress {
    /// Tells this.
    pub fn new(done: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(done)))
    }

    fn done(&self) {
        if let Some(done) = &self.0 {
            done();
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Progress(told)" } else { "Progress(untold)" })
    }
}

/// What of an analysis a report keeps beside what its JSON holds: by itself nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// The rows of tables.
    pub tables: bool,
    /// The lanes of drawings.
    pub swimlanes: bool,
}

/// Judged captures, and files that are none.
#[derive(Debug, Default)]
pub struct Evaluation {
    /// The captures, in the order in which they were found.
    pub captures: Vec<CaptureReport>,
    /// Captures of one job, compared with one another.
    pub runs: Vec<RunReport>,
    /// Files that are no capture, in order of their paths.
    pub skipped: Vec<SkippedFile>,
}

/// Reads, analyses and judges everything that was found; side by side where threads allow, with one result.
pub fn evaluate(
    found: &Found,
    policy: &policy::Policy,
    today: Date,
    options: &Options,
) -> Evaluation {
    let files = found.families.iter().flat_map(|family| &family.files);
    let decompression = Decompression::for_files(files);
    let evaluated = found.families.par_iter().map(|family| {
        let read = || read::read_family_as(family, decompression, options.limits);
        let evaluation = evaluate_family(family, read, policy, today, options);
        options.progress.done();
        evaluation
    });
    let families: Vec<Evaluation> = evaluated.collect();
    let mut all = Evaluation { skipped: skipped(&found.skipped), ..Evaluation::default() };
    for family in families {
        all.captures.extend(family.captures);
        all.skipped.extend(family.skipped);
    }
    judge::name_apart(&mut all.captures);
    let runs = analysis::runs(&all.captures);
    all.runs = runs.iter().map(|run| judge::judge_run(run, policy, today)).collect();
    judge::answered_by_runs(&mut all.captures, &all.runs);
    judge::told_of_runs(&mut all.captures, &runs, &all.runs);
    all.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

fn evaluate_family(
    family: &Family,
    read: impl FnOnce() -> FamilyRead,
    policy: &policy::Policy,
    today: Date,
    options: &Options,
) -> Evaluation {
    let read = match guarded(read) {
        Ok(read) => read,
        Err(panic) => {
            let path = family.files.first().map_or("", |file| &file.shown);
            let captures = vec![broken(path, path, &panic)];
            return Evaluation { captures, ..Evaluation::default() };
        }
    };
    let mut all = Evaluation { skipped: skipped(&read.skipped), ..Evaluation::default() };
    let judged = read.captures.into_par_iter().map(|capture| match capture {
        Ok(capture) => evaluate_capture(&capture, policy, today, options),
        Err(error) => unreadable(error),
    });
    all.captures = judged.collect();
    all
}

/// Analyses and judges a capture that was read.
pub fn evaluate_capture(
    capture: &trace::Capture,
    policy: &policy::Policy,
    today: Date,
    options: &Options,
) -> CaptureReport {
    let is_user = options.user_files.as_ref().map(|files| |file: &str| files.is_match(file));
    let is_user = is_user.as_ref().map(|is_user| is_user as &(dyn Fn(&str) -> bool + Sync));
    let every_gap = options.detail.tables;
    let choice = analysis::Choice { is_user, program: options.program, every_gap };
    let judged = guarded(|| {
        let analysis = analysis::analyse_for(capture, choice);
        let mut draft = analysis::lay_out(capture, &analysis);
        if options.detail.tables {
            draft.tables = Some(analysis::tables(capture, &analysis, choice));
        }
        if options.detail.swimlanes {
            draft.swimlanes = analysis::swimlanes(capture, &analysis);
        }
        let measurements = checks::measure(capture, &analysis);
        let judged = judge::judge(draft, &measurements, policy, today);
        judge::with_statements(judged, &options.statements, policy, today)
    });
    judged.unwrap_or_else(|panic| broken(&capture.name, &capture.primary().source.path, &panic))
}

/// The report of a file that could not be read.
pub fn unreadable(error: ReadError) -> CaptureReport {
    let ReadError { kind, message, help, path, position, offset, bytes } = error;
    let file = FileReport {
        path: path.clone(),
        format: None,
        role: FileRole::Record,
        bytes,
        sha256: None,
        events: None,
    };
    let (line, column) = position.unzip();
    let kind = kind.name().to_owned();
    let error = ErrorReport {
        kind,
        message,
        help: help.to_owned(),
        path: path.clone(),
        line,
        column,
        offset,
    };
    judge::refused(path, vec![file], error)
}

/// The report of a capture on which this program failed: one bad capture does not hide what the others show.
fn broken(name: &str, path: &str, panic: &str) -> CaptureReport {
    let error = ErrorReport {
        kind: "internal".to_owned(),
        message: format!("internal error: {panic}"),
        help:
            "this is a fault of idleproof: please report it, with the capture if you may share it"
                .to_owned(),
        path: path.to_owned(),
        line: None,
        column: None,
        offset: None,
    };
    judge::refused(name.to_owned(), Vec::new(), error)
}

/// Runs something that must not, but might, panic. What it saw is dropped with it, so nothing broken is seen later.
fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| panic_text(panic.as_ref()))
}

/// What a panic said.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without words").to_owned()
}

fn skipped(files: &[trace::Skipped]) -> Vec<SkippedFile> {
    let report = |file: &trace::Skipped| SkippedFile {
        path: file.path.clone(),
        reason: file.reason.clone(),
    };
    files.iter().map(report).collect()
}

#[cfg(test)]
mod tests {
    use super::{broken, guarded};
    use crate::report::Outcome;

    #[test]
    fn a_panic_is_a_refused_capture_and_no_end() {
        let panic = guarded(|| -> u8 { panic!("index {} of {}", 3, 2) }).unwrap_err();
        let report = broken("a", "captures/a", &panic);
        assert_eq!(report.outcome, Outcome::Refused);
        let error = report.error.unwrap();
        assert_eq!(
            (error.kind.as_str(), error.message.as_str()),
            ("internal", "internal error: index 3 of 2")
        );
        assert_eq!(guarded(|| 5), Ok(5));
    }
}
