//! The JSON schema of policy files, from the same tables by which they are validated. Editors complete and check a file with it
//! while it is written; what it cannot say, such as whether a glob is one, the validation does.

use super::{GOLDEN_GATES, PRESETS, Vocabulary};
use crate::checks::Check;
use crate::report::{Level, Unit};
use serde_json::{Map, Value, json};

impl Vocabulary<'_> {
    /// The schema, draft 2020-12.
    pub fn schema(&self) -> Value {
        let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        object(
            "A policy file of idleproof: which check fails the build, with which limit, and for which captures.",
            &["version"],
            &[
                ("version", json!({ "const": 1 })),
                (
                    "extends",
                    json!({
                        "description": "what the file stands on, beside the default policy; later ones win",
                        "type": "array",
                        "items": { "anyOf": [{ "enum": presets }, { "type": "string", "pattern": r"\.toml$" }] }
                    }),
                ),
                ("captures", globs("what `idleproof check` gates where no path is given")),
                ("checks", self.rows()),
                ("golden", self.golden()),
                ("overrides", self.overrides()),
                ("exceptions", self.exceptions()),
            ],
            &[
                ("$schema", json!("https://json-schema.org/draft/2020-12/schema")),
                ("title", json!("idleproof policy")),
            ],
        )
    }

    /// `[checks]`: a row for every id.
    fn rows(&self) -> Value {
        let checks = self.checks.iter().map(|check| (check.id, row(check)));
        let gates = GOLDEN_GATES.iter().map(|gate| {
            let table =
                object(gate.summary, &[], &[("level", level())], &[("minProperties", json!(1))]);
            (gate.id, described(gate.summary, &[level(), table]))
        });
        let rows: Vec<(&str, Value)> = checks.chain(gates).collect();
        object("rows that differ from what the file extends", &[], &rows, &[])
    }

    fn golden(&self) -> Value {
        let number = || json!({ "type": "number", "minimum": 0 });
        let tolerance = object(
            "the wider of both counts",
            &[],
            &[("abs", number()), ("rel", number())],
            &[("minProperties", json!(1))],
        );
        let outputs = json!({ "type": "array", "minItems": 1, "items": { "enum": self.outputs } });
        let tolerances = json!({
            "description": "how far figures may lie from the golden's, by field of the report",
            "type": "object",
            "additionalProperties": tolerance
        });
        object(
            "the goldens that `idleproof check` compares",
            &[],
            &[
                ("dir", json!({ "type": "string", "minLength": 1 })),
                ("outputs", outputs),
                ("tolerances", tolerances),
            ],
            &[],
        )
    }

    fn overrides(&self) -> Value {
        let entry = object(
            "rows for some captures; of several overrides the later one wins",
            &["paths", "checks"],
            &[("paths", globs("the captures that it is for")), ("checks", self.rows())],
            &[],
        );
        json!({ "type": "array", "items": entry })
    }

    fn exceptions(&self) -> Value {
        let ids: Vec<&str> = self.checks.iter().map(|check| check.id).collect();
        let entry = object(
            "a violation that is known, until the end of a day",
            &["check", "paths", "reason", "expires"],
            &[
                ("check", json!({ "enum": ids })),
                ("paths", globs("the captures that it is for")),
                ("reason", json!({ "type": "string", "pattern": r"\S" })),
                // A day of TOML, which tools hand over as text.
                (
                    "expires",
                    json!({ "type": "string", "format": "date", "pattern": r"^\d{4}-\d{2}-\d{2}$" }),
                ),
            ],
            &[],
        );
        json!({ "type": "array", "items": entry })
    }
}

/// A row of a check: a level, or a table with the limit's own key and its range.
fn row(check: &Check) -> Value {
    let (most, unit) = match check.unit {
        Unit::Share => (Some(1), "a share from 0 to 1"),
        Unit::Percent => (Some(100), "percent"),
        Unit::Count => (None, "a count"),
        Unit::Microseconds => (None, "microseconds"),
    };
    let mut limit = Map::new();
    limit.insert("description".to_owned(), json!(unit));
    limit.insert("type".to_owned(), json!("number"));
    limit.insert("minimum".to_owned(), json!(0));
    limit.extend(most.map(|most| ("maximum".to_owned(), json!(most))));
    if check.unit == Unit::Percent {
        // A share where percent are meant is refused, as the validation does.
        limit.insert("not".to_owned(), json!({ "exclusiveMinimum": 0, "exclusiveMaximum": 1 }));
    }
    let fields =
        [("level", level()), (check.bound.key(), Value::Object(limit)), ("missing", level())];
    let table = object(check.summary, &[], &fields, &[("minProperties", json!(1))]);
    described(check.summary, &[level(), table])
}

fn level() -> Value {
    let names = [Level::Allow, Level::Warn, Level::Deny].map(Level::name);
    json!({ "enum": names })
}

fn globs(description: &str) -> Value {
    json!({
        "description": description,
        "type": "array",
        "minItems": 1,
        "items": { "type": "string", "minLength": 1 }
    })
}

fn described(description: &str, any_of: &[Value]) -> Value {
    json!({ "description": description, "anyOf": any_of })
}

/// A table with these keys and no others.
fn object(
    description: &str,
    required: &[&str],
    properties: &[(&str, Value)],
    more: &[(&str, Value)],
) -> Value {
    let properties: Map<String, Value> =
        properties.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    let mut table = Map::new();
    table.extend(more.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    table.insert("description".to_owned(), json!(description));
    table.insert("type".to_owned(), json!("object"));
    table.insert("additionalProperties".to_owned(), json!(false));
    if !required.is_empty() {
        table.insert("required".to_owned(), json!(required));
    }
    table.insert("properties".to_owned(), Value::Object(properties));
    Value::Object(table)
}
