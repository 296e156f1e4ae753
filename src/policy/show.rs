//! The effective policy as text, with the origin of each value.

use super::{Policy, Row, Sourced};
use crate::report::{Level, Limit};
use crate::text::visible;
use std::fmt::Write;
use toml::Value;

impl Policy {
    /// Every value with its origin, as a policy file would say it.
    pub fn show(&self) -> String {
        let mut text = format!("# {}, sha256 {}\nversion = 1\n", visible(&self.name), self.sha256);
        if let Some(Sourced { value, origin }) = &self.captures {
            let _ = writeln!(
                text,
                "captures = {} # {}",
                list(value.texts()),
                visible(&origin.to_string())
            );
        }
        text.push_str("\n[checks]\n");
        // Rows have flags applied: what they change holds for every capture.
        for row in self.rows.iter().filter_map(|row| self.row(row.id, &[])) {
            text.push_str(&show_row(&row));
        }
        self.show_overrides(&mut text);
        self.show_exceptions(&mut text);
        self.show_golden(&mut text);
        text
    }

    fn show_overrides(&self, text: &mut String) {
        for one in &self.overrides {
            let _ = writeln!(text, "\n[[overrides]]\npaths = {}", list(one.paths.texts()));
            text.push_str("[overrides.checks]\n");
            for change in &one.changes {
                let mut values = Vec::new();
                values.extend(change.level.as_ref().map(|level| show_level("level", level)));
                if let Some(Sourced { value, origin }) = &change.limit {
                    let key = self.limit_key(change.id);
                    values.push((format!("{key} = {value}"), origin.to_string()));
                }
                values
                    .extend(change.missing.as_ref().map(|missing| show_level("missing", missing)));
                text.push_str(&show_values(change.id, &values));
            }
        }
    }

    fn limit_key(&self, id: &str) -> &'static str {
        let row = self.rows.iter().find(|row| row.id == id);
        let limit = row.and_then(|row| row.limit.as_ref());
        limit.map_or("max", |(limit, _)| limit.value.bound.key())
    }

    fn show_exceptions(&self, text: &mut String) {
        for one in &self.exceptions {
            let _ = writeln!(
                text,
                "\n[[exceptions]] # {}\ncheck = \"{}\"",
                visible(&one.origin.to_string()),
                one.check
            );
            let _ = writeln!(text, "paths = {}", list(one.paths.texts()));
            let _ = writeln!(text, "reason = {}\nexpires = {}", quoted(&one.reason), one.expires);
        }
    }

    fn show_golden(&self, text: &mut String) {
        let Some(golden) = &self.golden else { return };
        let _ = writeln!(
            text,
            "\n[golden]\ndir = {}\noutputs = {}",
            quoted(&golden.dir),
            list(&golden.outputs)
        );
        if !golden.tolerances.is_empty() {
            text.push_str("[golden.tolerances]\n");
        }
        for one in &golden.tolerances {
            let numbers = [("abs", one.abs), ("rel", one.rel)];
            let numbers =
                numbers.iter().filter_map(|(key, number)| Some(format!("{key} = {}", (*number)?)));
            let numbers: Vec<String> = numbers.collect();
            let _ = writeln!(text, "{} = {{ {} }}", quoted(&one.field), numbers.join(", "));
        }
    }
}

fn show_row(row: &Row) -> String {
    let mut values = vec![show_level("level", &row.level)];
    if let Some((limit, missing)) = &row.limit {
        values.push((show_limit(limit.value), limit.origin.to_string()));
        values.push(show_level("missing", missing));
    }
    show_values(row.id, &values)
}

/// One line; the origins stand once where they are all the same.
fn show_values(id: &str, values: &[(String, String)]) -> String {
    let texts: Vec<&str> = values.iter().map(|(text, _)| text.as_str()).collect();
    let origins: Vec<&str> = values.iter().map(|(_, origin)| origin.as_str()).collect();
    let same = origins.windows(2).all(|pair| pair[0] == pair[1]);
    let origins = if same {
        origins.first().copied().unwrap_or_default().to_owned()
    } else {
        origins.join(", ")
    };
    format!("{id} = {{ {} }} # {}\n", texts.join(", "), visible(&origins))
}

fn show_level(key: &str, level: &Sourced<Level>) -> (String, String) {
    (format!("{key} = \"{}\"", level.value.name()), level.origin.to_string())
}

/// `max = 0.015`, as a policy file writes it.
fn show_limit(limit: Limit) -> String {
    format!("{} = {}", limit.bound.key(), limit.value)
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn list(texts: &[String]) -> String {
    Value::from(texts.to_vec()).to_string()
}
