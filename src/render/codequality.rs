//! Code quality of GitLab: findings as its merge requests show them.

use super::escape::terminal_lines;
use super::findings::{self, Finding, Weight};
use super::{Form, Needs, Output};
use crate::report::Report;
use serde_json::{Value, json};

pub(super) static OUTPUT: Output = Output {
    kind: "codequality",
    summary: "code quality for GitLab's merge requests",
    form: Form::Text(render),
    needs: Needs::Report,
    golden: None,
};

fn render(report: &Report) -> String {
    let found = findings::of(report);
    let shown = found.iter().filter(|finding| finding.exception.is_none());
    let list = Value::Array(shown.map(entry).collect());
    format!("{list:#}\n")
}

fn entry(finding: &Finding<'_>) -> Value {
    let place = finding.place;
    json!({
        "check_name": finding.id,
        "description": terminal_lines(&finding.text()),
        // What is found again in the next run has the same one, whatever was measured.
        "fingerprint": finding.fingerprint(),
        "severity": match finding.weight {
            Weight::Error => "major",
            Weight::Warning => "minor",
        },
        "location": { "path": place.path, "lines": { "begin": place.line.unwrap_or(1) } },
    })
}
