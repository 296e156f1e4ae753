//! The words that every output uses for states, levels and claims.

use super::format::{self, FINE};
use crate::report::{
    CaptureReport, Change, ChangePart, ChangeStretches, CheckReport, Claim, ClaimState,
    GoldenState, Level, RunReport, State, Verdict, WhyNotEvaluable,
};

/// The gate's outcome in one word.
pub(super) const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Error => "error",
    }
}

/// What the outcome says, and what not.
pub(super) const fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => {
            "No check speaks against what is stated here: of the recorded window, under the conditions that stand beside each figure. That says nothing \
             about how fast the job is, nor about what was not recorded."
        }
        Verdict::Fail => {
            "A capture would mislead, or is not what the policy or an expected report kept beside it (a golden) asks for: checks below say which. That \
             says nothing about whether the job itself failed."
        }
        Verdict::Error => "A capture could not be read, so nothing is said about it.",
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

/// What the policy asks of the check; where evidence is missing, how it takes that.
pub(super) fn level_of(check: &CheckReport) -> String {
    match (check.state, check.why) {
        (State::NotEvaluable, Some(WhyNotEvaluable::NoEvidence)) => {
            format!("missing: {}", level(check.level))
        }
        _ => level(check.level).to_owned(),
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
    claim.noun()
}

/// What still stands where a claim is withheld.
pub(super) const fn instead(claim: Claim) -> Option<&'static str> {
    match claim {
        Claim::Idle => Some("busy time as a lower bound"),
        Claim::KernelTime | Claim::Ranking => Some("kernels by recorded time"),
        Claim::OpAttribution | Claim::SourceLine | Claim::StepTime => Some("record counts"),
        Claim::HostStarved
        | Claim::CriticalPath
        | Claim::CollectiveSplit
        | Claim::Roofline
        | Claim::Estimate => None,
    }
}

/// That a Python tracer ran, without which the host would have been faster; `None` where none did.
pub(super) fn tracer(capture: &CaptureReport) -> Option<String> {
    let frames = capture.records.as_ref().map_or(0, |records| records.python_frames);
    let frames = (frames > 0).then(|| format::counted(frames, "frame", "frames"))?;
    Some(format!("A Python tracer ran ({frames}) and slowed the host down"))
}

/// What was recorded makes the host look slower, or one step stand for all: `1 step`, `Python tracer on`.
pub(super) fn conditions(capture: &CaptureReport) -> Vec<String> {
    let Some(records) = &capture.records else { return Vec::new() };
    let steps = records.steps.as_ref().map(|steps| steps.count);
    let few = steps.filter(|n| (1..STEPS_MIN).contains(n));
    let few = few.map(|n| format::counted(n, "step", "steps"));
    let tracer = (records.python_frames > 0).then(|| "Python tracer on".to_owned());
    few.into_iter().chain(tracer).collect()
}

/// Fewer steps tell of themselves alone.
const STEPS_MIN: u64 = 3;

/// How a figure of idle is to be read under the capture's conditions: `as recorded: 1 step; it tells of this step alone`.
pub(super) fn read_as(capture: &CaptureReport) -> Option<String> {
    let conditions = conditions(capture);
    if conditions.is_empty() {
        return None;
    }
    let how = match tracer(capture) {
        Some(_) => "read as an upper bound",
        None => "it tells of no other step",
    };
    Some(format!("as recorded, {}: {how}", conditions.join(", ")))
}

/// True where a tracer makes a saving look larger than it is: the cause is time of the host.
pub(super) fn is_slowed_by_tracer(change: &Change) -> bool {
    change.cause.starts_with(Change::WAITS_FOR_HOST) || change.cause == "launch overhead"
}

/// What to try, with what the time goes to. Not escaped.
pub(super) fn knob(change: &Change) -> String {
    let part = |part: &ChangePart| {
        format!("{} {}", format::name(&part.what, PART_CHARS_MAX), format::time(part.time_us, FINE))
    };
    let parts: Vec<String> = change.parts.iter().map(part).collect();
    match parts.is_empty() {
        true => change.knob.clone(),
        false => format!("{} ({})", change.knob, parts.join(", ")),
    }
}

/// What a cause of the host is made of: `41 stretches, the longest 3.056 s in cudaFree`. The name is as `escaped` writes it.
pub(super) fn stretches(of: &ChangeStretches, escaped: fn(&str) -> String) -> String {
    let longest = format::time(of.longest_us, FINE);
    let name = of.longest.as_deref().map(|name| escaped(&format::name(name, PART_CHARS_MAX)));
    let place = name.map_or_else(|| "without a host event".to_owned(), |name| format!("in {name}"));
    match of.count {
        1 => format!("1 stretch of {longest} {place}"),
        n => format!("{} stretches, the longest {longest} {place}", format::count(n)),
    }
}

/// Characters of what a part of a cause's time goes to.
const PART_CHARS_MAX: usize = 72;

/// Claims as a list of nouns: `idle, kernel ranking`.
pub(super) fn claims(list: &[Claim]) -> String {
    let names: Vec<&str> = list.iter().map(|listed| claim(*listed)).collect();
    names.join(", ")
}

/// What follows from a check in this capture: which claims go, and what stays. `None` where no claim goes.
pub(super) fn consequence(capture: &CaptureReport, check: &CheckReport) -> Option<String> {
    let gone = withheld(capture, check);
    if gone.is_empty() {
        return None;
    }
    let mut kept: Vec<&str> = Vec::new();
    for stays in gone.iter().filter_map(|claim| instead(*claim)) {
        if !kept.contains(&stays) {
            kept.push(stays);
        }
    }
    let kept = if kept.is_empty() { String::new() } else { format!("; kept: {}", kept.join(", ")) };
    Some(format!("withheld: {}{kept}", claims(&gone)))
}

/// What follows from a check of a run: whether the waits in its collectives go. `None` where they stay.
pub(super) fn run_consequence(run: &RunReport, check: &CheckReport) -> Option<String> {
    let split = &run.claims.collective_split;
    let is_reason = split.state == ClaimState::Withheld && split.by.contains(&check.id);
    is_reason.then(|| format!("withheld: {}", claim(Claim::CollectiveSplit)))
}

/// The claims that a check withholds in this capture. What has nothing to be computed from is not withheld.
fn withheld(capture: &CaptureReport, check: &CheckReport) -> Vec<Claim> {
    let by_it =
        |claim: &Claim| withheld_by(capture, *claim).is_some_and(|by| by.contains(&check.id));
    Claim::ALL.into_iter().filter(by_it).collect()
}

/// Those of some claims that the capture has something to compute from.
pub(super) fn computed(capture: &CaptureReport, list: &[Claim]) -> Vec<Claim> {
    let defined = |claim: &Claim| capture.claims.get(*claim).0 != ClaimState::Undefined;
    list.iter().copied().filter(defined).collect()
}

/// The checks that guard a stated claim and could not be evaluated for want of evidence, where the policy wants it.
fn unverified_by(capture: &CaptureReport, claim: Claim) -> Vec<&str> {
    if capture.claims.get(claim).0 != ClaimState::Supported {
        return Vec::new();
    }
    let open = |check: &&CheckReport| {
        check.why == Some(WhyNotEvaluable::NoEvidence)
            && check.level != Level::Allow
            && check.claims.contains(&claim)
    };
    capture.checks_in(State::NotEvaluable).filter(open).map(|check| check.id.as_str()).collect()
}

/// What a supported claim was not held against, in words and ids: evidence that is missing, and checks that the policy switched off.
pub(super) fn open_doubts(capture: &CaptureReport, claim: Claim) -> Vec<(&'static str, Vec<&str>)> {
    let all = [
        ("not verified by", unverified_by(capture, claim)),
        ("switched off:", switched_off(capture, claim)),
    ];
    all.into_iter().filter(|(_, ids)| !ids.is_empty()).collect()
}

/// The checks that guard a stated claim and were switched off.
fn switched_off(capture: &CaptureReport, claim: Claim) -> Vec<&str> {
    if capture.claims.get(claim).0 != ClaimState::Supported {
        return Vec::new();
    }
    let is_off = |check: &&CheckReport| {
        check.why == Some(WhyNotEvaluable::SwitchedOff) && check.claims.contains(&claim)
    };
    capture.checks_in(State::NotEvaluable).filter(is_off).map(|check| check.id.as_str()).collect()
}

/// The ids of the checks that withhold a claim; `None` where it is not withheld.
pub(super) fn withheld_by(capture: &CaptureReport, claim: Claim) -> Option<&[String]> {
    match capture.claims.get(claim) {
        (ClaimState::Withheld, by) => Some(by),
        _ => None,
    }
}
