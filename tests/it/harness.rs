//! The pipeline as the tests drive it: bytes on disk, read, analysed, measured, judged.

use idleproof::checks;
use idleproof::policy::Policy;
use idleproof::read::{self, ReadError};
use idleproof::report::{CaptureReport, CheckReport, Claim, ClaimState, Outcome, RunReport, State};
use idleproof::statements::Statement;
use idleproof::trace::Capture;
use idleproof::{analysis, judge};
use std::path::{Path, PathBuf};

/// What the pipeline made of the given paths.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// One report a capture, refused ones included.
    pub(crate) captures: Vec<CaptureReport>,
    /// Captures of one job, compared with one another.
    pub(crate) runs: Vec<RunReport>,
    /// Path and reason of files that are no capture of their own.
    pub(crate) skipped: Vec<(String, String)>,
}

/// The report of one capture that was written as these files: the five calls one by one, whatever the program gates.
pub(crate) fn pipeline(files: &[(String, Vec<u8>)]) -> CaptureReport {
    judged(&read_one(files))
}

/// The same, with statements held against the capture.
pub(crate) fn pipeline_with(
    files: &[(String, Vec<u8>)],
    statements: &[Statement],
) -> CaptureReport {
    let capture = read_one(files).unwrap_or_else(|error| panic!("{error:?}"));
    let statements = statements.to_vec();
    let options = idleproof::Options {
        statements,
        detail: idleproof::Detail { tables: true, ..idleproof::Detail::default() },
        ..idleproof::Options::default()
    };
    idleproof::evaluate_capture(&capture, &default_policy(), day(), &options)
}

/// Reads the one capture that was written as these files. Files that belong together are found by their folder, a single one
/// is named.
pub(crate) fn read_one(files: &[(String, Vec<u8>)]) -> Result<Capture, ReadError> {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("no temporary folder: {error}"));
    for (name, bytes) in files {
        let path = folder.path().join(name);
        let written = path
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&path, bytes));
        written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let path = match files {
        [(name, _)] => folder.path().join(name),
        _ => folder.path().to_owned(),
    };
    let found = read::find(&[path]).unwrap_or_else(|error| panic!("{error:?}"));
    let families = found.families.iter().map(read::read_family);
    let mut captures: Vec<_> = families.flat_map(|family| family.captures).collect();
    assert_eq!(captures.len(), 1, "the files are one capture");
    captures.remove(0)
}

/// Analyses, measures and judges what was read.
pub(crate) fn judged(read: &Result<Capture, ReadError>) -> CaptureReport {
    let capture = match read {
        Ok(capture) => capture,
        Err(error) => return idleproof::unreadable(error.clone()),
    };
    let analysis = analysis::analyse(capture);
    let draft = analysis::lay_out(capture, &analysis);
    let measurements = checks::measure(capture, &analysis);
    judge::judge(draft, &measurements, &default_policy(), day())
}

/// The reports of every capture under the given paths, under the default policy. A path that cannot be searched is a
/// refused capture, as in the program.
pub(crate) fn pipeline_at(paths: &[PathBuf]) -> Run {
    let found = match read::find(paths) {
        Ok(found) => found,
        Err(error) => {
            return Run { captures: vec![idleproof::unreadable(error)], ..Run::default() };
        }
    };
    let options = idleproof::Options::default();
    let evaluation = idleproof::evaluate(&found, &default_policy(), day(), &options);
    let skipped = evaluation.skipped.into_iter().map(|one| (one.path, one.reason));
    Run { captures: evaluation.captures, runs: evaluation.runs, skipped: skipped.collect() }
}

/// No exception is in the default policy, so the day does not matter.
fn day() -> jiff::civil::Date {
    jiff::civil::date(2026, 1, 1)
}

/// The embedded policy that judges where no other is named.
pub(crate) fn default_policy() -> Policy {
    let policy = Policy::preset("default", idleproof::vocabulary(&[]));
    policy.unwrap_or_else(|errors| panic!("{errors}"))
}

/// What the gate says of one capture: `pass`, `fail`, or `error` where it was refused.
pub(crate) fn verdict(report: &CaptureReport) -> &'static str {
    match (report.outcome, report.checks.iter().any(|check| check.fails)) {
        (Outcome::Refused, _) => "error",
        (Outcome::Report, true) => "fail",
        (Outcome::Report, false) => "pass",
    }
}

/// A check of a report.
pub(crate) fn check<'a>(report: &'a CaptureReport, id: &str) -> Option<&'a CheckReport> {
    report.checks.iter().find(|check| check.id == id)
}

/// Ids of checks that are in this state.
pub(crate) fn ids_in(report: &CaptureReport, state: State) -> Vec<&str> {
    let matching = report.checks.iter().filter(|check| check.state == state);
    matching.map(|check| check.id.as_str()).collect()
}

/// A check's state by the name that it has in JSON.
pub(crate) fn state_name(state: State) -> &'static str {
    match state {
        State::Holds => "holds",
        State::Violated => "violated",
        State::NotEvaluable => "not-evaluable",
        State::Excepted => "excepted",
    }
}

/// A claim's state by the name that it has in JSON.
pub(crate) fn claim_name(state: ClaimState) -> &'static str {
    match state {
        ClaimState::Supported => "supported",
        ClaimState::Withheld => "withheld",
        ClaimState::Undefined => "undefined",
    }
}

/// The state of the claim with this name in JSON.
pub(crate) fn claim_state(report: &CaptureReport, name: &str) -> Option<&'static str> {
    let claim = Claim::ALL.into_iter().find(|claim| claim.name() == name)?;
    Some(claim_name(report.claims.get(claim).0))
}

/// A path under the crate's root.
pub(crate) fn in_crate(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A folder of data that does not ship: from the environment, else beside the crate. `None` is said on stderr.
pub(crate) fn outside_data(variable: &str, default: &str, what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map_or_else(|| in_crate(default), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    say(&format!(
        "{what} absent: skipped ({variable} names their folder; {} is none)",
        folder.display()
    ));
    None
}

/// Past the capture of the test runner, so that a skipped comparison is seen.
pub(crate) fn say(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "idleproof tests: {text}");
}

/// Fails with every mismatch at once.
pub(crate) fn assert_no_mismatch(mismatches: &[String]) {
    assert!(mismatches.is_empty(), "{} mismatches:\n{}", mismatches.len(), mismatches.join("\n"));
}
