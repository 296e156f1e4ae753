//! The report as JSON: the public interface, complete and exact.

use super::{Form, Needs, Output};
use crate::report::{Report, SCHEMA_VERSION};
use serde_json::json;

pub(super) static OUTPUT: Output = Output {
    kind: "json",
    summary: "the whole report, for other tools",
    form: Form::Text(render),
    needs: Needs::Report,
    golden: None,
};

fn render(report: &Report) -> String {
    // Only a map with keys that are no text could fail, and the report has none. Should it ever, the document must
    // not look like a passed gate.
    let mut text = serde_json::to_string_pretty(report).unwrap_or_else(|error| {
        json!({ "schema_version": SCHEMA_VERSION, "verdict": "error", "error": error.to_string() })
            .to_string()
    });
    text.push('\n');
    text
}
