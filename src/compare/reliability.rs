//! What may be stated before and after: a loss counts at once, whatever the times do.

use crate::report::{
    Attribution, CaptureReport, CheckReport, Claim, ClaimState, Direction, Percent,
    ReliabilityChange, State, WhyNotEvaluable,
};

/// Points by which bounds may get wider: what lies below is a matter of single records.
const WIDER_MAX: f64 = 2.0;

/// Points by which a share of what is known may fall.
const SHARE_FALL_MAX: f64 = 1.0;

/// The check of statements made elsewhere: what is stated about one capture says nothing of the other.
const STATEMENTS: &str = "unsupported-claim";

/// Classes of attribution that name the operator without a guess.
const EXACT: [&str; 3] = ["exact", "exact-label", "correlation"];

/// Classes that name none.
const UNATTRIBUTED: [&str; 2] = ["before-window", "none"];

/// Every change, losses first.
pub(super) fn changes(before: &CaptureReport, after: &CaptureReport) -> Vec<ReliabilityChange> {
    let mut all: Vec<ReliabilityChange> =
        Claim::ALL.into_iter().filter_map(|claim| of_claim(claim, before, after)).collect();
    for check in after.checks.iter().filter(|check| check.id != STATEMENTS) {
        let known = before.checks.iter().find(|known| known.id == check.id);
        all.extend(known.and_then(|known| of_check(known, check)));
    }
    let (old, new) = (&before.claims.idle, &after.claims.idle);
    all.extend(of_bounds("idle", old.device_inactive_pct, new.device_inactive_pct));
    all.extend(of_bounds("host_starved", old.host_starved_pct, new.host_starved_pct));
    all.extend(of_shares(before, after));
    all.sort_by_key(|change| change.direction);
    all
}

fn change(
    subject: String,
    [before, after]: [String; 2],
    direction: Direction,
) -> ReliabilityChange {
    ReliabilityChange { subject, before, after, direction }
}

fn of_claim(
    claim: Claim,
    before: &CaptureReport,
    after: &CaptureReport,
) -> Option<ReliabilityChange> {
    let words = |(state, by): (ClaimState, &[String])| match state {
        ClaimState::Withheld => format!("withheld by {}", by.join(", ")),
        other => other.name().to_owned(),
    };
    let (old, new) = (before.claims.get(claim), after.claims.get(claim));
    let is_excepted = |id: &String| {
        after.checks.iter().any(|check| check.id == *id && check.state == State::Excepted)
    };
    let direction = match (old.0, new.0) {
        (ClaimState::Supported, ClaimState::Withheld) if new.1.iter().all(is_excepted) => {
            Direction::Other
        }
        (ClaimState::Supported, ClaimState::Withheld | ClaimState::Undefined) => Direction::Worse,
        (ClaimState::Withheld | ClaimState::Undefined, ClaimState::Supported) => Direction::Better,
        (ClaimState::Withheld, ClaimState::Undefined)
        | (ClaimState::Undefined, ClaimState::Withheld) => Direction::Other,
        _ => return None,
    };
    Some(change(format!("claim {}", claim.name()), [words(old), words(new)], direction))
}

fn of_check(before: &CheckReport, after: &CheckReport) -> Option<ReliabilityChange> {
    let is_bad = |check: &CheckReport| matches!(check.state, State::Violated | State::Excepted);
    let is_off = |check: &CheckReport| check.why == Some(WhyNotEvaluable::SwitchedOff);
    if is_off(before) || is_off(after) {
        return None;
    }
    let has_no_evidence = |check: &CheckReport| check.why == Some(WhyNotEvaluable::NoEvidence);
    let direction = match (is_bad(before), is_bad(after)) {
        // A check without claims judges the workload; what the policy excepts is known.
        (false, true) if after.claims.is_empty() || after.state == State::Excepted => {
            Direction::Other
        }
        (false, true) => Direction::Worse,
        (true, false) if after.state == State::Holds && !after.claims.is_empty() => {
            Direction::Better
        }
        (true, false) => Direction::Other,
        (false, false) if has_no_evidence(before) != has_no_evidence(after) => Direction::Other,
        _ => return None,
    };
    let words = [before, after].map(|check| words(check).to_owned());
    Some(change(format!("check {}", after.id), words, direction))
}

const fn words(check: &CheckReport) -> &'static str {
    match (check.state, check.why) {
        (State::Holds, _) => "holds",
        (State::Violated, _) => "violated",
        (State::Excepted, _) => "violated, excepted by the policy",
        (State::NotEvaluable, Some(WhyNotEvaluable::NotApplicable)) => "does not apply",
        (State::NotEvaluable, _) => "not evaluable",
    }
}

/// A pair of bounds in percent.
type Bounds = Option<(Percent, Percent)>;

fn of_bounds(name: &str, before: Bounds, after: Bounds) -> Option<ReliabilityChange> {
    let (old, new) = (before?, after?);
    let width = |(low, high): (Percent, Percent)| high.get() - low.get();
    let wider = width(new) - width(old);
    let direction = direction(-wider, WIDER_MAX)?;
    let words = [old, new].map(|(low, high)| {
        format!("{:.1} to {:.1} %, {:.1} points wide", low.get(), high.get(), width((low, high)))
    });
    Some(change(format!("bounds of {name}"), words, direction))
}

/// Better where something rose by more than `most`, worse where it fell by more.
fn direction(rise: f64, most: f64) -> Option<Direction> {
    if rise > most {
        Some(Direction::Better)
    } else if rise < -most {
        Some(Direction::Worse)
    } else {
        None
    }
}

/// Shares of what is known: of replays, of their records, and of kernel time by how its operator is known.
fn of_shares(before: &CaptureReport, after: &CaptureReport) -> Vec<ReliabilityChange> {
    let graph = |capture: &CaptureReport| capture.records.as_ref().map(|one| one.graph.clone());
    let replays = |capture: &CaptureReport| Some(graph(capture)?.launch_coverage?.get());
    let nodes = |capture: &CaptureReport| Some(graph(capture)?.node_coverage?.get());
    // Where kernels are missing, their time is no whole that a share could be of.
    let is_whole =
        [before, after].iter().all(|one| one.claims.ranking.state == ClaimState::Supported);
    let of_classes = |capture: &CaptureReport, wanted: &dyn Fn(&str) -> bool| {
        part(capture.attribution.as_ref().filter(|_| is_whole)?, wanted)
    };
    let known =
        |capture: &CaptureReport| of_classes(capture, &|name| !UNATTRIBUTED.contains(&name));
    let exact = |capture: &CaptureReport| of_classes(capture, &|name| EXACT.contains(&name));
    type Part<'a> = &'a dyn Fn(&CaptureReport) -> Option<f64>;
    let all: [(&str, Part<'_>); 4] = [
        ("graph replays with records", &replays),
        ("records of graph replays", &nodes),
        ("kernel time with an operator", &known),
        ("kernel time whose operator is exact", &exact),
    ];
    let mut found = Vec::new();
    for (name, part) in all {
        let (Some(old), Some(new)) = (part(before), part(after)) else { continue };
        let words = [old, new].map(|part| format!("{:.1} %", part * 100.0));
        let direction = direction((new - old) * 100.0, SHARE_FALL_MAX);
        found.extend(
            direction.map(|direction| change(format!("share of {name}"), words, direction)),
        );
    }
    found
}

/// The part of the kernel time in the classes that are wanted; `None` of no time.
fn part(attribution: &Attribution, wanted: &dyn Fn(&str) -> bool) -> Option<f64> {
    let sum = |wanted: &dyn Fn(&str) -> bool| -> i128 {
        let classes = attribution.classes.iter().filter(|(name, _)| wanted(name));
        classes.map(|(_, class)| class.time_us.ps()).sum()
    };
    let all = sum(&|_| true);
    (all > 0).then(|| sum(wanted) as f64 / all as f64)
}
