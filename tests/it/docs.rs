//! Generated pages, written from the tables in the source so that they cannot disagree with it, and the examples in
//! those that are written by hand.

use crate::harness::{default_policy, in_crate};
use idleproof::checks::{CHECKS, Check};
use idleproof::policy::{PRESETS, Policy};
use idleproof::render::OUTPUTS;
use idleproof::report::{Bound, Level, Unit};
use std::fmt::Write as _;

/// A stale page is written anew, and the test fails once.
#[test]
fn the_page_of_checks_is_fresh() {
    let path = in_crate("docs/checks.md");
    let page = checks_page();
    // A checkout may have turned the line ends.
    let committed = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    if committed != page {
        std::fs::write(&path, page).unwrap();
        panic!("docs/checks.md was stale: written anew from the table of checks");
    }
}

/// Each TOML block of the documentation is a policy that the program takes.
#[test]
fn the_policies_in_the_documentation_are_valid() {
    let outputs: Vec<&str> =
        OUTPUTS.iter().filter(|output| output.golden.is_some()).map(|output| output.kind).collect();
    let vocabulary = idleproof::vocabulary(&outputs);
    for (page, example) in toml_blocks() {
        let loader = |path: &str| Err(format!("an example extends {path}"));
        let parsed = Policy::parse(page, example.as_bytes(), vocabulary, &loader);
        parsed.unwrap_or_else(|errors| panic!("{errors}"));
    }
    let page = std::fs::read_to_string(in_crate("docs/policy.md")).unwrap();
    for preset in &PRESETS {
        assert!(page.contains(&format!("| `{}` |", preset.name)), "{}", preset.name);
    }
}

/// The examples of policies in the documentation, each with its page.
pub(crate) fn toml_blocks() -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    for page in ["README.md", "docs/policy.md", "docs/goldens.md"] {
        let text =
            std::fs::read_to_string(in_crate(page)).unwrap_or_default().replace("\r\n", "\n");
        let before = all.len();
        for block in text.split("\n```toml\n").skip(1) {
            all.push((page, block.split("\n```").next().unwrap_or_default().to_owned()));
        }
        assert!(all.len() > before, "{page} has no example of a policy");
    }
    all
}

fn checks_page() -> String {
    let policy = default_policy();
    let mut page = String::from(
        "# Checks\n\n\
         Written from the source by a test; edit `src/checks/<id>.rs` instead.\n\n\
         | check | defect | withholds | by default |\n\
         | --- | --- | --- | --- |\n",
    );
    for check in CHECKS {
        let id = check.id;
        let _ = writeln!(
            page,
            "| [`{id}`](#{id}) | {} | {} | {} |",
            check.summary,
            claims(check),
            default_rule(&policy, check)
        );
    }
    for check in CHECKS {
        let doc = &check.doc;
        let _ = write!(
            page,
            "\n## {}\n\n{}. Since {}.\n",
            check.id,
            capitalised(check.summary),
            check.since
        );
        for (title, text) in [
            ("What is measured", doc.measures),
            ("Why a claim misleads without it", doc.misleads),
            ("What to do", doc.remedy),
            ("Where the limit comes from", doc.limit),
            ("Honest captures that look like it", doc.exceptions),
        ] {
            let _ = write!(page, "\n**{title}.** {}\n", text.trim());
        }
        let _ = write!(
            page,
            "\nWithholds: {}. Measured in {}; the limit's key in a policy is `{}`.\n",
            claims(check),
            unit(check.unit),
            if check.bound == Bound::Min { "min" } else { "max" }
        );
    }
    page
}

fn claims(check: &Check) -> String {
    let names: Vec<String> =
        check.guards.iter().map(|claim| format!("`{}`", claim.name())).collect();
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}

/// Level and limit of the embedded policy: `deny, at least 1`.
fn default_rule(policy: &Policy, check: &Check) -> String {
    let rule = policy.rule(check.id, &[]).unwrap_or_else(|| panic!("`{}` has no row", check.id));
    let side = if check.bound == Bound::Min { "at least" } else { "at most" };
    let level = match rule.level.value {
        Level::Allow => "allow",
        Level::Warn => "warn",
        Level::Deny => "deny",
    };
    format!("{level}, {side} {}", rule.limit.value.value)
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Count => "records",
        Unit::Share => "a share from 0 to 1",
        Unit::Percent => "percent",
        Unit::Microseconds => "microseconds",
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), characters.as_str())
}
