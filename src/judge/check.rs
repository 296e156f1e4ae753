//! One measurement against one rule.

use crate::checks::{Check, Measurement};
use crate::policy::{Exception, Policy, Rule};
use crate::report::{
    CheckReport, Claim, ClaimState, Claims, Evidence, Level, Limit, State, Unit, WhyNotEvaluable,
};
use jiff::civil::Date;

/// What stands in place of a measurement whose claim is not supported; `None` where it is.
pub(super) fn unmet(required: Claim, claims: &Claims) -> Option<Measurement> {
    let (state, by) = claims.get(required);
    let (why, reason) = match state {
        ClaimState::Supported => return None,
        ClaimState::Withheld => {
            (WhyNotEvaluable::NoEvidence, format!("is withheld ({})", by.join(", ")))
        }
        ClaimState::Undefined => {
            (WhyNotEvaluable::NotApplicable, "has nothing to be computed from".to_owned())
        }
    };
    let reason = format!("the {} claim {reason}", required.name());
    Some(Measurement::NotEvaluable { why, reason })
}

/// Judges one check.
pub(super) fn judge(
    check: &'static Check,
    measurement: &Measurement,
    policy: &Policy,
    paths: &[&str],
    today: Date,
) -> CheckReport {
    let Some(rule) = policy.rule(check.id, paths) else { return without_rule(check) };
    let blank = blank(check, &rule);
    if rule.level.value == Level::Allow {
        return CheckReport {
            why: Some(WhyNotEvaluable::SwitchedOff),
            message: format!(
                "{}: not checked, switched off by {}",
                check.summary, rule.level.origin
            ),
            ..blank
        };
    }
    let judged = match measurement {
        Measurement::NotEvaluable { why, reason } => not_evaluable(blank, &rule, *why, reason),
        Measurement::Measured { value, .. } if !value.is_finite() => {
            let reason = "the measurement is no finite number: please report this";
            not_evaluable(blank, &rule, WhyNotEvaluable::NoEvidence, reason)
        }
        Measurement::Measured { value, evidence, message, help } => {
            let judged = measured(blank, &rule, *value, evidence, message);
            CheckReport { help: help.clone().unwrap_or(judged.help), ..judged }
        }
    };
    match policy.exception(check.id, paths) {
        Some(exception) => excepted(judged, exception, today),
        None => judged,
    }
}

/// What is the same wherever the check stands.
fn blank(check: &Check, rule: &Rule) -> CheckReport {
    CheckReport {
        id: check.id.to_owned(),
        state: State::NotEvaluable,
        level: rule.level.value,
        fails: false,
        why: None,
        measured: None,
        limit: Some(rule.limit.value),
        part_of: check.part_of.map(str::to_owned),
        claims: check.guards.to_vec(),
        evidence: Evidence::new(),
        message: String::new(),
        help: check.doc.remedy.to_owned(),
        origin: rule.origin(),
        exception: None,
    }
}

fn not_evaluable(
    blank: CheckReport,
    rule: &Rule,
    why: WhyNotEvaluable,
    reason: &str,
) -> CheckReport {
    // Where evidence is missing, what counts is how the policy takes that.
    let level = match why {
        WhyNotEvaluable::NoEvidence => &rule.missing,
        WhyNotEvaluable::NotApplicable | WhyNotEvaluable::SwitchedOff => &rule.level,
    };
    CheckReport {
        level: level.value,
        fails: why == WhyNotEvaluable::NoEvidence && level.value == Level::Deny,
        why: Some(why),
        message: reason.to_owned(),
        origin: if why == WhyNotEvaluable::NoEvidence {
            level.origin.to_string()
        } else {
            blank.origin
        },
        ..blank
    }
}

fn measured(
    blank: CheckReport,
    rule: &Rule,
    value: f64,
    evidence: &Evidence,
    message: &str,
) -> CheckReport {
    let limit = rule.limit.value;
    let violated = limit.is_violated_by(value);
    CheckReport {
        state: if violated { State::Violated } else { State::Holds },
        fails: violated && blank.level == Level::Deny,
        measured: Some(printed(value, limit)),
        evidence: evidence.clone(),
        message: message.to_owned(),
        ..blank
    }
}

/// An exception covers a violation, and evidence whose absence would fail the gate, until it ends.
fn excepted(judged: CheckReport, exception: &Exception, today: Date) -> CheckReport {
    if !(judged.state == State::Violated || judged.fails) {
        return judged;
    }
    let Exception { reason, expires, .. } = exception;
    if exception.has_expired(today) {
        let message = format!("{}; its exception expired on {expires}", judged.message);
        return CheckReport { message, ..judged };
    }
    CheckReport {
        state: if judged.state == State::Violated { State::Excepted } else { judged.state },
        fails: false,
        exception: Some(format!("{reason} (until {expires})")),
        ..judged
    }
}

/// A measured number as it is printed. Rounding must not carry it over the limit: `0.015, at most 0.015` explains nothing.
fn printed(value: f64, limit: Limit) -> f64 {
    let digits = match limit.unit {
        Unit::Count | Unit::Share | Unit::Microseconds => 1e6,
        Unit::Percent => 1e4,
    };
    let rounded = (value * digits).round() / digits;
    let faithful = limit.is_violated_by(rounded) == limit.is_violated_by(value);
    if faithful && rounded.is_finite() { rounded } else { value }
}

/// A policy that does not know a check can't have found it harmless.
fn without_rule(check: &Check) -> CheckReport {
    CheckReport {
        id: check.id.to_owned(),
        state: State::NotEvaluable,
        level: Level::Deny,
        fails: true,
        why: Some(WhyNotEvaluable::NoEvidence),
        measured: None,
        limit: None,
        part_of: None,
        claims: check.guards.to_vec(),
        evidence: Evidence::new(),
        message: "the policy has no rule for this check: please report this".to_owned(),
        help: String::new(),
        origin: String::new(),
        exception: None,
    }
}
