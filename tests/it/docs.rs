//! Generated pages, written from the tables in the source so that they cannot disagree with it, and the examples in
//! those that are written by hand.

use crate::harness::{default_policy, in_crate};
use idleproof::checks::{BOUNDED, CHECKS, Check};
use idleproof::policy::{PRESETS, Policy};
use idleproof::render::OUTPUTS;
use idleproof::report::{Bound, Claim, Level, Unit};
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

/// The whole of which check withholds which claim: the judge withholds by the same table.
fn matrix() -> String {
    let guarded = |claim: &Claim| CHECKS.iter().any(|check| check.guards.contains(claim));
    let claims: Vec<Claim> = Claim::ALL.into_iter().filter(guarded).collect();
    let names = claims.iter().map(|claim| format!(" `{}` |", claim.name()));
    let mut text = format!(
        "\n## Which check withholds which claim\n\n\
         A violation at any level withholds the claims that are marked in its row. ○ marks the idle claim where the bounds of idle take \
         the finding into account: the number is withheld, and the bounds still stand.\n\n| check |{}\n| --- |{}\n",
        names.collect::<String>(),
        " :---: |".repeat(claims.len())
    );
    for check in CHECKS.iter().filter(|check| !check.guards.is_empty()) {
        let _ = write!(text, "| [`{0}`](#{0}) |", check.id);
        for claim in &claims {
            let is_idle = matches!(claim, Claim::Idle | Claim::HostStarved);
            let mark = match check.guards.contains(claim) {
                // Waiting for the host is a part of idle.
                false if *claim != Claim::HostStarved || !check.guards.contains(&Claim::Idle) => "",
                _ if is_idle && BOUNDED.contains(&check.id) => "○",
                _ => "●",
            };
            let _ = write!(text, " {mark} |");
        }
        text.push('\n');
    }
    text
}

/// Every row of the catalogue says what became of it, and names checks and tests that there are.
#[test]
fn the_catalogue_of_reconciliations_names_what_there_is() {
    let page = std::fs::read_to_string(in_crate("docs/reconciliation.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| R")).collect();
    let mut named = std::collections::BTreeSet::new();
    for (at, row) in rows.iter().enumerate() {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(cells[0], format!("R{}", at + 1));
        let becomes = cells[3].trim_end_matches('|').trim();
        for id in becomes.split('`').skip(1).step_by(2) {
            named.insert(id.to_owned());
        }
        let kinds = ["check `", "assertion `", "refusal:", "figure `", "not evaluable: "];
        assert!(kinds.iter().any(|kind| becomes.starts_with(kind)), "{row}");
    }
    assert_eq!(rows.len(), 46);
    let others = [
        "sums_add_up",
        "segments_add_up_to_the_step",
        "attribution.hlo.left_out_by_op_views",
        "records.steps",
    ];
    for id in &named {
        let is_check = CHECKS.iter().any(|check| check.id == id);
        assert!(is_check || others.contains(&id.as_str()), "`{id}` is neither a check nor a test");
    }
    // What judges the workload or statements about it reconciles nothing.
    let judges = ["high-idle", "low-compute", "unsupported-claim", "duplicate-json-keys"];
    for check in CHECKS {
        let id = format!("`{}`", check.id);
        assert!(page.contains(&id) || judges.contains(&check.id), "{id} is not in the catalogue");
    }
}

/// A number in percent says nothing without what it is a part of.
#[test]
fn every_part_says_of_what() {
    for check in CHECKS {
        let is_part = matches!(check.unit, Unit::Share | Unit::Percent);
        assert_eq!(check.part_of.is_some(), is_part, "{}", check.id);
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
    page.push_str(&matrix());
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
