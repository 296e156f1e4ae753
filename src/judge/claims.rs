//! What a judged check does to the claims.

use crate::checks::BOUNDED;
use crate::report::{
    CaptureReport, CheckReport, Claim, ClaimState, Claims, Level, LongGap, State, WhyNotEvaluable,
};

/// Withholds the claims that a check guards, if it gives reason to.
pub(super) fn withhold_by(claims: &mut Claims, check: &CheckReport) {
    if !is_reason_to_withhold(check) {
        return;
    }
    for &guarded in &check.claims {
        withhold(claims, guarded, &check.id);
        // Waiting for the host is a part of idle: it can't be stated where the whole can't.
        if guarded == Claim::Idle {
            withhold(claims, Claim::HostStarved, &check.id);
        }
        // What a change would save rests on both.
        if matches!(guarded, Claim::Idle | Claim::CriticalPath) {
            withhold(claims, Claim::Estimate, &check.id);
        }
    }
}

/// The report without conclusions that are withheld: unlike records, they are no evidence of anything else.
pub(super) fn without_withheld(mut capture: CaptureReport) -> CaptureReport {
    if capture.claims.critical_path.state == ClaimState::Withheld {
        capture.critical_path = None;
    }
    if capture.claims.idle.state == ClaimState::Withheld {
        let devices = capture.records.iter_mut().flat_map(|records| &mut records.devices);
        devices.flat_map(|device| &mut device.longest_gaps).for_each(without_cause);
    }
    // Where records may be missing, what executions launch is not known, and neither is whether a wait was for work that nobody could do sooner.
    if capture.claims.ranking.state == ClaimState::Withheld {
        capture.try_by_count.clear();
    }
    if capture.claims.roofline.state != ClaimState::Supported {
        capture.what_to_change.iter_mut().for_each(|change| change.at_roofline = None);
    }
    if capture.claims.estimate.state == ClaimState::Withheld {
        capture.what_to_change.clear();
    }
    capture
}

/// A gap that may hold work has nothing that explains it.
fn without_cause(gap: &mut LongGap) {
    gap.class = None;
    gap.launch = None;
    gap.host_event = None;
    gap.host_kind = None;
    gap.host_us = None;
}

/// A violation is one at every level and under every exception; missing evidence is one where the policy asks for it.
pub(super) fn is_reason_to_withhold(check: &CheckReport) -> bool {
    match check.state {
        State::Violated | State::Excepted => true,
        State::NotEvaluable => {
            check.why == Some(WhyNotEvaluable::NoEvidence) && check.level == Level::Deny
        }
        State::Holds => false,
    }
}

fn withhold(claims: &mut Claims, claim: Claim, id: &str) {
    let (state, by) = claims.get_mut(claim);
    // What has nothing to be computed from stays undefined, and still names what speaks against it.
    if *state == ClaimState::Supported {
        *state = ClaimState::Withheld;
    }
    if !by.iter().any(|known| known == id) {
        by.push(id.to_owned());
    }
    match claim {
        _ if BOUNDED.contains(&id) => {}
        Claim::Idle => claims.idle.device_inactive_pct = None,
        Claim::HostStarved => claims.idle.host_starved_pct = None,
        _ => {}
    }
}
