//! The words that every output uses for states, levels and claims.

use crate::report::{
    CaptureReport, CheckReport, Claim, ClaimState, GoldenState, Level, State, Verdict,
    WhyNotEvaluable,
};

/// The gate's outcome in one word.
pub(super) const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Error => "error",
    }
}

/// A check's state; of one that was not evaluated, why.
pub(super) const fn state(check: &CheckReport) -> &'static str {
    match (check.state, check.why) {
        (State::Holds, _) => "holds",
        (State::Violated, _) => "violated",
        (State::Excepted, _) => "excepted",
        (State::NotEvaluable, Some(WhyNotEvaluable::NotApplicable)) => "not-applicable",
        (State::NotEvaluable, Some(WhyNotEvaluable::SwitchedOff)) => "switched-off",
        (State::NotEvaluable, _) => "not-evaluable",
    }
}

/// A level as policies write it.
pub(super) const fn level(level: Level) -> &'static str {
    match level {
        Level::Allow => "allow",
        Level::Warn => "warn",
        Level::Deny => "deny",
    }
}

/// What is wrong with a golden, behind its path.
pub(super) const fn golden(state: GoldenState) -> &'static str {
    match state {
        GoldenState::Same => "is the same",
        GoldenState::Changed => "differs",
        GoldenState::Missing => "does not exist",
        GoldenState::Unreferenced => "belongs to no capture",
    }
}

/// What a claim states, as a noun.
pub(super) const fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::Idle => "idle",
        Claim::HostStarved => "waiting for the host",
        Claim::KernelTime => "kernel time",
        Claim::Ranking => "kernel ranking",
        Claim::OpAttribution => "operator time",
        Claim::SourceLine => "source-line time",
        Claim::StepTime => "step time",
        Claim::CriticalPath => "critical path",
        Claim::CollectiveSplit => "collective split",
        Claim::Roofline => "roofline",
        Claim::Estimate => "estimates of savings",
    }
}

/// What still stands where a claim is withheld.
const fn instead(claim: Claim) -> Option<&'static str> {
    match claim {
        Claim::Idle => Some("busy time is at least what was recorded"),
        Claim::KernelTime | Claim::Ranking => Some("kernels are ranked by recorded time only"),
        Claim::OpAttribution => Some("operators keep their record counts"),
        Claim::SourceLine => Some("source lines keep their record counts"),
        Claim::StepTime => Some("steps keep their record counts"),
        Claim::HostStarved
        | Claim::CriticalPath
        | Claim::CollectiveSplit
        | Claim::Roofline
        | Claim::Estimate => None,
    }
}

/// Claims as a list of nouns: `idle, kernel ranking`.
pub(super) fn claims(list: &[Claim]) -> String {
    let names: Vec<&str> = list.iter().map(|listed| claim(*listed)).collect();
    names.join(", ")
}

/// What follows from a violation: which claims go, and what stays. `None` where no claim goes.
pub(super) fn consequence(list: &[Claim]) -> Option<String> {
    if list.is_empty() {
        return None;
    }
    let verb = if list.len() == 1 { "is" } else { "are" };
    let mut parts = vec![format!("{} {verb} withheld: — instead of a number", claims(list))];
    for stays in list.iter().filter_map(|listed| instead(*listed)) {
        if parts.iter().all(|part| part != stays) {
            parts.push(stays.to_owned());
        }
    }
    Some(parts.join("; "))
}

/// The ids of the checks that withhold a claim; `None` where it is not withheld.
pub(super) fn withheld_by(capture: &CaptureReport, claim: Claim) -> Option<&[String]> {
    match capture.claims.get(claim) {
        (ClaimState::Withheld, by) => Some(by),
        _ => None,
    }
}
