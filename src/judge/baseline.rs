//! A report against an earlier one of the same captures: what became less reliable fails, what was known before does not.

use super::{trust, verdict};
use crate::checks::{self, Measure};
use crate::compare::compare;
use crate::report::{
    CaptureReport, CheckReport, Claim, ClaimState, Figure, FindingId, Level, Outcome,
    PolicyFinding, Report, State, TimeVerdict,
};
use crate::units::human_time;

/// The report judged against an earlier one, which is shown as `path`. Captures are the same where their names are; what the earlier one
/// does not know, or could not read, is judged by the policy alone.
pub fn with_baseline(mut report: Report, baseline: &Report, path: &str) -> Report {
    for capture in report.captures.iter_mut().filter(|one| one.outcome == Outcome::Report) {
        let Some(before) = find(baseline, &capture.name) else { continue };
        for check in &mut capture.checks {
            let known = before.checks.iter().find(|known| known.id == check.id);
            if let Some(known) = known {
                against(check, known, path);
            }
        }
        capture.trust_list = trust::list(&capture.checks, &capture.notices);
        report.policy_findings.extend(lost(capture, before, path));
        report.policy_findings.extend(slower(capture, before, path));
    }
    for run in &mut report.runs {
        let Some(before) = baseline.runs.iter().find(|known| known.name == run.name) else {
            continue;
        };
        for check in &mut run.checks {
            if let Some(known) = before.checks.iter().find(|known| known.id == check.id) {
                against(check, known, path);
            }
        }
    }
    report.verdict = verdict(&report, &report.goldens);
    report
}

/// The report with a note for each capture of an earlier one that it lacks. Only meaningful where every capture was looked at.
pub fn with_captures_gone(mut report: Report, baseline: &Report, path: &str) -> Report {
    let is_here = |name: &str| report.captures.iter().any(|capture| capture.name == name);
    let gone = baseline.captures.iter().filter(|before| !is_here(&before.name));
    let findings: Vec<PolicyFinding> = gone
        .map(|before| PolicyFinding {
            id: FindingId::BaselineCaptureGone.name().to_owned(),
            level: Level::Warn,
            message: format!("{} is in {path} and not in this run", before.name),
        })
        .collect();
    report.policy_findings.extend(findings);
    report
}

fn find<'a>(baseline: &'a Report, name: &str) -> Option<&'a CaptureReport> {
    let mut judged = baseline.captures.iter().filter(|one| one.outcome == Outcome::Report);
    judged.find(|one| one.name == name)
}

fn is_of_statements(check: &CheckReport) -> bool {
    checks::find(&check.id).is_some_and(|known| matches!(known.measure, Measure::Stated(_)))
}

/// A violation, or evidence that is missing and required.
fn is_bad(check: &CheckReport) -> bool {
    check.state == State::Violated || check.fails
}

fn against(check: &mut CheckReport, before: &CheckReport, path: &str) {
    // What was stated then says nothing of what is stated now.
    if !is_bad(check) || is_of_statements(check) {
        return;
    }
    let was_bad = is_bad(before) || before.state == State::Excepted;
    // A check without claims judges the workload: a regression of that is the policy's business.
    let is_regression = before.state == State::Holds && !check.claims.is_empty();
    if was_bad && check.fails {
        check.fails = false;
        check.exception = Some(format!("it does not hold in {path} either"));
        if check.state == State::Violated {
            check.state = State::Excepted;
        }
    } else if is_regression {
        check.fails = true;
        check.message.push_str(&format!("; it held in {path}"));
    }
}

/// Steps that take longer beyond noise. A time is no loss of reliability: it is noted, and `diff` gates it.
fn slower(capture: &CaptureReport, before: &CaptureReport, path: &str) -> Option<PolicyFinding> {
    let compared = compare(before, capture);
    let step = compared.step_time().filter(|step| step.verdict == TimeVerdict::Slower)?;
    let median = |figure: &Option<Figure>| {
        let median = figure.as_ref().and_then(|figure| figure.median_us);
        median.map_or_else(String::new, |time| human_time(time.ps(), 4))
    };
    let message = format!(
        "{}: a step takes {}, and took {} in {path} ({:+.1} %, beyond noise)",
        capture.name,
        median(&step.after),
        median(&step.before),
        step.change_pct.unwrap_or_default(),
    );
    Some(PolicyFinding {
        id: FindingId::BaselineSlower.name().to_owned(),
        level: Level::Warn,
        message,
    })
}

/// Claims that were supported and are not, in one finding. An exception of the policy knows of those that it covers.
fn lost(capture: &CaptureReport, before: &CaptureReport, path: &str) -> Option<PolicyFinding> {
    let is_excepted = |id: &String| {
        capture.checks.iter().any(|check| check.id == *id && check.state == State::Excepted)
    };
    let mut lost: Vec<String> = Vec::new();
    for claim in Claim::ALL {
        if before.claims.get(claim).0 != ClaimState::Supported {
            continue;
        }
        match capture.claims.get(claim) {
            (ClaimState::Supported, _) => {}
            (ClaimState::Undefined, _) => lost.push(format!("{} (undefined)", claim.name())),
            (ClaimState::Withheld, by) if by.iter().all(is_excepted) => {}
            (ClaimState::Withheld, by) => {
                lost.push(format!("{} (withheld by {})", claim.name(), by.join(", ")));
            }
        }
    }
    let message = format!("{}: supported in {path} and no more: {}", capture.name, lost.join(", "));
    let id = FindingId::BaselineRegression.name().to_owned();
    let finding = PolicyFinding { id, level: Level::Deny, message };
    (!lost.is_empty()).then_some(finding)
}
