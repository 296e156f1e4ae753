//! The trust list: everything that limits what a capture can support.

use crate::report::{
    CheckReport, Level, NoticeReport, Share, State, TrustItem, Unit, WhyNotEvaluable,
};

/// Lists violations first, then what could not be told, then what was not asked, then what the reader tolerated.
pub(super) fn list(checks: &[CheckReport], notices: &[NoticeReport]) -> Vec<TrustItem> {
    let found = checks.iter().filter_map(violation);
    let missing = checks.iter().filter_map(|check| gap(check, WhyNotEvaluable::NoEvidence));
    let switched_off = checks.iter().filter_map(|check| gap(check, WhyNotEvaluable::SwitchedOff));
    found.chain(missing).chain(switched_off).chain(notices.iter().map(notice)).collect()
}

fn violation(check: &CheckReport) -> Option<TrustItem> {
    let item = match (check.state, &check.exception) {
        (State::Violated, _) => check.message.clone(),
        (State::Excepted, Some(exception)) => format!("{}; excepted: {exception}", check.message),
        (State::Excepted, None) => check.message.clone(),
        (State::Holds | State::NotEvaluable, _) => return None,
    };
    Some(TrustItem { count: count(check), share: share(check), ..about(check, item) })
}

fn gap(check: &CheckReport, why: WhyNotEvaluable) -> Option<TrustItem> {
    if check.state != State::NotEvaluable || check.why != Some(why) {
        return None;
    }
    let item = match (why, &check.exception) {
        // The policy says that this evidence is not needed.
        (WhyNotEvaluable::NoEvidence, _) if check.level == Level::Allow => return None,
        (WhyNotEvaluable::NoEvidence, Some(exception)) => {
            format!("{} can't be told: {}; excepted: {exception}", check.id, check.message)
        }
        (WhyNotEvaluable::NoEvidence, None) => {
            format!("{} can't be told: {}", check.id, check.message)
        }
        (WhyNotEvaluable::SwitchedOff | WhyNotEvaluable::NotApplicable, _) => check.message.clone(),
    };
    Some(about(check, item))
}

fn notice(notice: &NoticeReport) -> TrustItem {
    TrustItem {
        item: notice.message.clone(),
        count: Some(notice.count),
        share: None,
        check: None,
        claims: Vec::new(),
    }
}

fn about(check: &CheckReport, item: String) -> TrustItem {
    TrustItem {
        item,
        count: None,
        share: None,
        check: Some(check.id.clone()),
        claims: check.claims.clone(),
    }
}

/// How many records: `count` of the evidence, or the measured number where that is a count.
fn count(check: &CheckReport) -> Option<u64> {
    if let Some(count) = check.evidence.get("count") {
        return count.as_u64();
    }
    let measured = measured_in(check, Unit::Count)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count is a whole number, and the cast saturates"
    )]
    Some(measured as u64)
}

/// Which share: `share` of the evidence, or the measured number where that is a share. A deviation may be many times the whole, and is
/// none then.
fn share(check: &CheckReport) -> Option<Share> {
    let percent = || measured_in(check, Unit::Percent).map(|percent| percent / 100.0);
    let share = match check.evidence.get("share") {
        Some(share) => share.as_f64(),
        None => measured_in(check, Unit::Share).or_else(percent),
    };
    share.filter(|share| (0.0..=1.0).contains(share)).map(Share::rounded)
}

fn measured_in(check: &CheckReport, unit: Unit) -> Option<f64> {
    check.limit.filter(|limit| limit.unit == unit).and(check.measured)
}
