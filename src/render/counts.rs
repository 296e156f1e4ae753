//! Verdict and counts as `KEY=VALUE` lines: what `$GITHUB_OUTPUT` and a dotenv report of GitLab take.

use super::{Form, Needs, Output, words};
use crate::report::{GoldenState, Level, Report, State, Verdict, WhyNotEvaluable};
use std::fmt::Write as _;

pub(super) static OUTPUT: Output = Output {
    kind: "counts",
    summary: "verdict and counts as KEY=VALUE lines, for $GITHUB_OUTPUT and dotenv files",
    form: Form::Text(render),
    needs: Needs::Report,
    golden: None,
};

fn render(report: &Report) -> String {
    let captures = |verdict| report.captures.iter().filter(|one| one.verdict() == verdict).count();
    let of_captures = report.captures.iter().flat_map(|one| &one.checks);
    let all = of_captures.chain(report.runs.iter().flat_map(|one| &one.checks));
    let checks = |state| all.clone().filter(|one| one.state == state).count();
    let violated = |fails| {
        all.clone().filter(|one| one.state == State::Violated && one.fails == fails).count()
    };
    // What has no subject in a capture, or was switched off, is not missing.
    let without_evidence =
        all.clone().filter(|one| one.why == Some(WhyNotEvaluable::NoEvidence)).count();
    let differing = report.goldens.iter().filter(|one| one.state != GoldenState::Same).count();
    let findings = |level| report.policy_findings.iter().filter(|one| one.level == level).count();
    // Keys are words and values are numbers: no text of a capture can add a line.
    let mut text = format!("verdict={}\n", words::verdict(report.verdict));
    for (key, count) in [
        ("captures", report.captures.len()),
        ("passed", captures(Verdict::Pass)),
        ("failed", captures(Verdict::Fail)),
        ("refused", captures(Verdict::Error)),
        ("checks_violated", violated(true)),
        ("checks_warned", violated(false)),
        ("checks_not_evaluable", without_evidence),
        ("checks_excepted", checks(State::Excepted)),
        ("goldens_differing", differing),
        ("findings_failing", findings(Level::Deny)),
        ("findings_warned", findings(Level::Warn)),
    ] {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{key}={count}");
    }
    text
}
