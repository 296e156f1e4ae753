//! The one place where a policy meets a measurement.
//!
//! It decides what is violated, which claims are withheld, and the verdict. A violation withholds claims whatever
//! its level: the level decides the verdict alone.

mod baseline;
mod check;
mod claims;
mod in_run;
mod look_first;
mod merge;
mod needs;
mod run;
mod stated;
mod trust;

pub use baseline::{with_baseline, with_captures_gone};
pub use in_run::told_of_runs;
pub use merge::{MergeError, merge};
pub use needs::answered_by_runs;
pub use run::judge_run;

use crate::checks::{self, CHECKS, Check, Measurement};
use crate::policy::Policy;
use crate::report::{
    CaptureReport, CheckReport, Claims, ErrorReport, FileReport, GoldenReport, Level, Outcome,
    Partition, PolicyFinding, Report, RunReport, SCHEMA_VERSION, SkippedFile, Tool, Verdict,
};
use crate::statements::Statement;
use jiff::civil::Date;
use std::collections::BTreeMap;

/// Judges a capture: fills the checks of an unjudged report, withholds its claims, and writes its trust list.
pub fn judge(
    draft: CaptureReport,
    measurements: &[(&'static Check, Measurement)],
    policy: &Policy,
    today: Date,
) -> CaptureReport {
    let paths = draft.paths();
    let mut claims = draft.claims.clone();
    let mut judged: Vec<(usize, CheckReport)> = Vec::with_capacity(measurements.len());

    // Checks that rest on a claim come after all that could withhold it.
    let numbered = || measurements.iter().enumerate();
    for (index, (check, measurement)) in numbered().filter(|(_, (one, _))| one.requires.is_none()) {
        let report = check::judge(check, measurement, policy, &paths, today);
        claims::withhold_by(&mut claims, &report);
        judged.push((index, report));
    }
    for (index, (check, measurement)) in numbered() {
        let Some(required) = check.requires else { continue };
        let unmet = check::unmet(required, &claims);
        let measurement = unmet.as_ref().unwrap_or(measurement);
        judged.push((index, check::judge(check, measurement, policy, &paths, today)));
    }

    judged.sort_by_key(|&(index, _)| index);
    let checks: Vec<CheckReport> = judged.into_iter().map(|(_, report)| report).collect();
    let trust_list = trust::list(&checks, &draft.notices);
    let judged = CaptureReport { claims, checks, trust_list, ..draft };
    let needs_new_capture = needs::list(&judged);
    claims::without_withheld(CaptureReport { needs_new_capture, ..judged })
}

/// The report with what was stated elsewhere held against it, and the check of that judged.
pub fn with_statements(
    mut report: CaptureReport,
    statements: &[Statement],
    policy: &Policy,
    today: Date,
) -> CaptureReport {
    report.stated = stated::hold(statements, &report);
    if report.stated.is_empty() {
        return report;
    }
    for (check, measurement) in checks::measure_stated(&report.stated) {
        let judged = check::judge(check, &measurement, policy, &report.paths(), today);
        report.checks.push(judged);
    }
    let row = |check: &CheckReport| CHECKS.iter().position(|known| known.id == check.id);
    report.checks.sort_by_key(row);
    report.trust_list = trust::list(&report.checks, &report.notices);
    report
}

/// The report of a capture that could not be read or analysed: no figure, no claim.
pub fn refused(name: String, files: Vec<FileReport>, error: ErrorReport) -> CaptureReport {
    CaptureReport {
        name,
        files,
        outcome: Outcome::Refused,
        error: Some(error),
        notices: Vec::new(),
        records: None,
        claims: Claims::default(),
        attribution: None,
        hot_kernels: Vec::new(),
        roofline: None,
        tables: None,
        swimlanes: None,
        rank: None,
        critical_path: None,
        what_to_change: Vec::new(),
        try_by_count: Vec::new(),
        stated: Vec::new(),
        checks: Vec::new(),
        trust_list: Vec::new(),
        needs_new_capture: Vec::new(),
    }
}

/// Puts everything together, gives goldens their level, and reaches the verdict.
pub fn conclude(
    mut captures: Vec<CaptureReport>,
    runs: Vec<RunReport>,
    skipped: Vec<SkippedFile>,
    goldens: Vec<GoldenReport>,
    policy: &Policy,
    policy_findings: Vec<PolicyFinding>,
) -> Report {
    captures.sort_by(|a, b| (&a.name, a.paths()).cmp(&(&b.name, b.paths())));
    let report = Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool::own(),
        policy: policy.stamp(),
        verdict: Verdict::Error,
        captures,
        runs,
        skipped,
        goldens: Vec::new(),
        policy_findings,
        partition: None,
    };
    with_goldens(report, goldens, policy)
}

/// The report with these goldens in place of its own: they are compared with what the report says, so they come after.
pub fn with_goldens(mut report: Report, mut goldens: Vec<GoldenReport>, policy: &Policy) -> Report {
    let unclaimed = report.partition.iter_mut().filter_map(|part| part.unclaimed_goldens.as_mut());
    for golden in goldens.iter_mut().chain(unclaimed.flatten()) {
        golden.level = golden_level(golden, &report.captures, policy);
    }
    let reach = if report.partition.is_some() { judged } else { verdict };
    let verdict = reach(&report, &goldens);
    Report { verdict, goldens, ..report }
}

/// The report as that of one part of a run. A part without captures is no gate without: the others have some, or the merged
/// report says that there are none.
pub fn as_part(report: Report, partition: Partition) -> Report {
    let verdict = judged(&report, &report.goldens);
    Report { verdict, partition: Some(partition), ..report }
}

/// Gives captures that were found under equal names from different places the paths of their first files.
pub fn name_apart(captures: &mut [CaptureReport]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for capture in &*captures {
        *counts.entry(capture.name.clone()).or_default() += 1;
    }
    for capture in captures {
        let shared = counts.get(&capture.name).is_some_and(|&count| count > 1);
        if let Some(first) = capture.files.first().filter(|_| shared) {
            capture.name.clone_from(&first.path);
        }
    }
}

fn verdict(report: &Report, goldens: &[GoldenReport]) -> Verdict {
    // A gate that saw no capture was not evaluated.
    if report.captures.is_empty() { Verdict::Error } else { judged(report, goldens) }
}

fn judged(report: &Report, goldens: &[GoldenReport]) -> Verdict {
    let (captures, findings) = (&report.captures, &report.policy_findings);
    if captures.iter().any(|capture| capture.outcome == Outcome::Refused) {
        return Verdict::Error;
    }
    let of_captures = captures.iter().flat_map(|capture| &capture.checks);
    let of_runs = report.runs.iter().flat_map(|run| &run.checks);
    let check_fails = of_captures.chain(of_runs).any(|check| check.fails);
    let golden_fails = goldens.iter().any(GoldenReport::fails);
    let finding_fails = findings.iter().any(|finding| finding.level == Level::Deny);
    if check_fails || golden_fails || finding_fails { Verdict::Fail } else { Verdict::Pass }
}

/// The level that the policy gives to what was found about a golden. A state without one is denied.
fn golden_level(golden: &GoldenReport, captures: &[CaptureReport], policy: &Policy) -> Level {
    let Some(gate) = golden.state.check() else { return Level::Allow };
    let capture = captures.iter().find(|capture| capture.name == golden.capture);
    let paths = capture.map_or_else(|| vec![golden.path.as_str()], CaptureReport::paths);
    policy.golden_level(gate, &paths).map_or(Level::Deny, |level| level.value)
}
