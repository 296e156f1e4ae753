//! A comparison of two sides as text, Markdown or JSON: what got worse first, then what changed, then what did not.

mod rows;

use super::escape;
use crate::report::{Comparison, ComparisonOutcome, Comparisons, SCHEMA_VERSION};
use rows::{Row, Section};
use serde_json::json;
use std::fmt::Write as _;

/// For people.
pub fn text(all: &Comparisons) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail, here and below.
    for comparison in &all.captures {
        let _ = writeln!(text, "{}", escape::terminal(&headline(comparison)));
        for Section { title, rows } in rows::sections(comparison) {
            let _ = writeln!(text, "{title}");
            for row in rows {
                let _ = writeln!(text, "  {}", escape::terminal(&line(&row)));
            }
        }
        text.push('\n');
    }
    for Section { title, rows } in rows::of_sides(all) {
        let _ = writeln!(text, "{title}");
        for row in rows {
            let _ = writeln!(text, "  {}", escape::terminal(&line(&row)));
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{}", escape::terminal(&conclusion(all)));
    text
}

/// For a comment or a summary.
pub fn markdown(all: &Comparisons) -> String {
    let mut text = format!("# idleproof diff: {}\n", all.outcome.name());
    let _ = write!(text, "\n{}\n", escape::markdown(&conclusion(all)));
    for comparison in &all.captures {
        let _ = write!(text, "\n## {}\n", escape::markdown(&headline(comparison)));
        push_sections(&mut text, rows::sections(comparison));
    }
    push_sections(&mut text, rows::of_sides(all));
    text
}

fn push_sections(text: &mut String, sections: Vec<Section>) {
    for Section { title, rows } in sections {
        let _ = write!(text, "\n**{title}**\n\n");
        for Row { subject, name, detail } in rows {
            let name =
                name.map_or_else(String::new, |name| format!(" {}", escape::markdown_code(&name)));
            let detail = if detail.is_empty() {
                String::new()
            } else {
                format!(": {}", escape::markdown(&detail))
            };
            let _ = writeln!(text, "- {}{name}{detail}", escape::markdown(&subject));
        }
    }
}

/// For other tools: the whole comparison.
pub fn json(all: &Comparisons) -> String {
    // As with reports: what cannot be written must not look like a pass.
    let mut text = serde_json::to_string_pretty(all).unwrap_or_else(|error| {
        json!({ "schema_version": SCHEMA_VERSION, "outcome": "not-comparable", "unreadable": [error.to_string()] })
            .to_string()
    });
    text.push('\n');
    text
}

fn line(Row { subject, name, detail }: &Row) -> String {
    let name = name.as_ref().map_or_else(String::new, |name| format!(" {name}"));
    let colon = if detail.is_empty() { "" } else { ": " };
    format!("{subject}{name}{colon}{detail}")
}

fn headline(comparison: &Comparison) -> String {
    let Comparison { before, after, outcome, .. } = comparison;
    let outcome = outcome.name();
    if before == after {
        format!("{outcome}: {after}")
    } else {
        format!("{outcome}: {after} against {before}")
    }
}

fn conclusion(all: &Comparisons) -> String {
    let sides = format!("{} against {}", all.after.path, all.before.path);
    let outcome = match all.outcome {
        _ if !all.unreadable.is_empty() => "a capture could not be read",
        ComparisonOutcome::Same => "same structure, and nothing differs beyond noise",
        ComparisonOutcome::Changed => "nothing got worse beyond noise",
        ComparisonOutcome::Regressed => "something got worse",
        ComparisonOutcome::NotComparable => "what takes how long cannot be compared",
    };
    format!("{sides}: {outcome}")
}
