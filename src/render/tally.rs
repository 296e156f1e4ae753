//! How many captures, checks and goldens stand where, for one line of summary.

use super::format::{count, counted};
use crate::report::{
    CaptureReport, CheckReport, GoldenState, Level, Outcome, Report, State, Verdict,
    WhyNotEvaluable,
};

/// Checks by state. A pass is counted apart from everything that is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    holds: u64,
    violated: u64,
    warned: u64,
    not_evaluable: u64,
    not_applicable: u64,
    switched_off: u64,
    excepted: u64,
}

impl Tally {
    /// The checks of some captures.
    pub(super) fn of<'a>(captures: impl IntoIterator<Item = &'a CaptureReport>) -> Self {
        Self::of_checks(captures.into_iter().flat_map(|capture| &capture.checks))
    }

    /// The checks of all captures and runs.
    pub(super) fn of_report(report: &Report) -> Self {
        let of_captures = report.captures.iter().flat_map(|capture| &capture.checks);
        Self::of_checks(of_captures.chain(report.runs.iter().flat_map(|run| &run.checks)))
    }

    fn of_checks<'a>(checks: impl Iterator<Item = &'a CheckReport>) -> Self {
        let mut tally = Self::default();
        for check in checks {
            let counter = match (check.state, check.why) {
                (State::Holds, _) => &mut tally.holds,
                (State::Violated, _) if check.fails => &mut tally.violated,
                (State::Violated, _) => &mut tally.warned,
                (State::Excepted, _) => &mut tally.excepted,
                (State::NotEvaluable, Some(WhyNotEvaluable::NotApplicable)) => {
                    &mut tally.not_applicable
                }
                (State::NotEvaluable, Some(WhyNotEvaluable::SwitchedOff)) => {
                    &mut tally.switched_off
                }
                (State::NotEvaluable, _) => &mut tally.not_evaluable,
            };
            *counter += 1;
        }
        tally
    }

    /// `39 hold · 2 violated · 1 not evaluable`; states in which there is no check are left out.
    pub(super) fn text(self) -> String {
        let parts = [
            (self.holds, "hold"),
            (self.violated, "violated"),
            (self.warned, "violated at warn"),
            (self.not_evaluable, "not evaluable"),
            (self.excepted, "excepted"),
            (self.switched_off, "switched off"),
            (self.not_applicable, "not applicable"),
        ];
        joined(parts).unwrap_or_else(|| "none made".to_owned())
    }
}

/// `3 captures: 1 pass · 1 fail · 1 refused`; of a part of a run, which part: it is not the whole.
pub(super) fn captures(report: &Report) -> String {
    let of = |wanted: Verdict| {
        report.captures.iter().filter(|capture| capture.verdict() == wanted).count() as u64
    };
    let refused = report.captures.iter().filter(|capture| capture.outcome == Outcome::Refused);
    let total = counted(report.captures.len() as u64, "capture", "captures");
    let parts = [
        (of(Verdict::Pass), "pass"),
        (of(Verdict::Fail), "fail"),
        (refused.count() as u64, "refused"),
    ];
    let counts = joined(parts).map_or(total.clone(), |parts| format!("{total}: {parts}"));
    match &report.partition {
        Some(partition) => format!("part {} of {}, {counts}", partition.part, partition.of),
        None => counts,
    }
}

/// `11 same · 1 changed`; `None` where no golden is compared.
pub(super) fn goldens(report: &Report) -> Option<String> {
    let of = |wanted: GoldenState| {
        report.goldens.iter().filter(|golden| golden.state == wanted).count() as u64
    };
    joined([
        (of(GoldenState::Same), "same"),
        (of(GoldenState::Changed), "changed"),
        (of(GoldenState::Missing), "missing"),
        (of(GoldenState::Unreferenced), "unreferenced"),
    ])
}

/// `1 error · 2 warnings` about the policy file and an earlier report; `None` where there are none.
pub(super) fn findings(report: &Report) -> Option<String> {
    let of = |level| report.policy_findings.iter().filter(|one| one.level == level).count() as u64;
    let parts = [("error", "errors", of(Level::Deny)), ("warning", "warnings", of(Level::Warn))];
    let parts = parts.into_iter().filter(|(.., n)| *n > 0);
    let texts: Vec<String> = parts.map(|(one, many, n)| counted(n, one, many)).collect();
    (!texts.is_empty()).then(|| texts.join(" · "))
}

fn joined<const N: usize>(parts: [(u64, &str); N]) -> Option<String> {
    let texts: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{} {what}", count(number)))
        .collect();
    (!texts.is_empty()).then(|| texts.join(" · "))
}
