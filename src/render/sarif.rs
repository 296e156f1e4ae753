//! SARIF 2.1.0: findings for code scanning.
//!
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>. Only the first results of a long list are shown by
//! those who read it, so what fails the gate comes first.

use super::escape::terminal_lines;
use super::findings::{self, Finding, Weight};
use super::format::counted;
use super::{Form, Needs, Output};
use crate::report::{Report, Verdict};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) static OUTPUT: Output = Output {
    kind: "sarif",
    summary: "SARIF 2.1.0, for code scanning",
    form: Form::Text(render),
    needs: Needs::Report,
    golden: None,
};

/// GitHub keeps so many results of a run, and takes no more than five times as many.
const RESULTS_MAX: usize = 5_000;

/// What stays as it is in the path of a URI: unreserved characters, and the slash between its parts.
const PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

fn render(report: &Report) -> String {
    let findings = findings::of(report);
    let mut rules: BTreeMap<&str, &Finding<'_>> = BTreeMap::new();
    for finding in &findings {
        rules.entry(finding.id).or_insert(finding);
    }
    let ids: Vec<&str> = rules.keys().copied().collect();
    let shown = findings.iter().take(RESULTS_MAX);
    let results: Vec<Value> = shown.map(|finding| result(finding, &ids)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": report.tool.name,
                "semanticVersion": report.tool.version,
                "rules": rules.values().map(|finding| rule(finding)).collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": report.verdict != Verdict::Error,
                "toolExecutionNotifications": left_out(findings.len() - results.len()),
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn rule(finding: &Finding<'_>) -> Value {
    let mut rule = json!({
        "id": finding.id,
        "shortDescription": { "text": finding.id.replace('-', " ") },
    });
    if !finding.help.is_empty() {
        rule["help"] = json!({ "text": message(finding.help) });
    }
    rule
}

fn result(finding: &Finding<'_>, rules: &[&str]) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri(finding.place.path) } });
    if let Some(line) = finding.place.line {
        place["region"] = json!({ "startLine": line.max(1) });
    }
    let mut result = json!({
        "ruleId": finding.id,
        "ruleIndex": rules.iter().position(|id| *id == finding.id),
        "level": match finding.weight {
            Weight::Error => "error",
            Weight::Warning => "warning",
        },
        "message": { "text": message(&finding.text()) },
        "locations": [{
            "physicalLocation": place,
            "logicalLocations": [{ "fullyQualifiedName": message(finding.subject) }],
        }],
        // The only fingerprint that GitHub looks at. Captures share a line of the policy, so it is made from their names.
        "partialFingerprints": {
            "primaryLocationLineHash": finding.fingerprint(),
        },
    });
    if let Some(exception) = finding.exception {
        result["suppressions"] =
            json!([{ "kind": "external", "justification": message(exception) }]);
    }
    result
}

/// Text of a message: characters that act are spelled out, and `[text](target)` of a name does not become a link.
fn message(text: &str) -> String {
    terminal_lines(text).replace("](", "] (")
}

/// A path as a URI, relative where the path is.
fn uri(path: &str) -> String {
    let encoded = utf8_percent_encode(path, PATH);
    if path.starts_with('/') { format!("file://{encoded}") } else { encoded.to_string() }
}

fn left_out(n: usize) -> Value {
    if n == 0 {
        return json!([]);
    }
    let text = format!(
        "{} left out: no more are shown by those who read this",
        counted(n as u64, "result is", "results are")
    );
    json!([{ "level": "warning", "message": { "text": text } }])
}

#[cfg(test)]
mod tests {
    use super::{message, uri};

    #[test]
    fn paths_are_uris_and_names_are_no_links() {
        assert_eq!(uri("captures/a b/k#1.json"), "captures/a%20b/k%231.json");
        assert_eq!(uri("/tmp/é"), "file:///tmp/%C3%A9");
        assert_eq!(uri("a:b"), "a%3Ab");
        assert_eq!(message("[x](http://y)\u{1b}"), "[x] (http://y)\\u{1b}");
    }
}
