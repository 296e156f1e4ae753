//! `explain` and `checks`: everything that is known about a check, from its own file and the default policy.

use super::Stop;
use idleproof::checks::{self, CHECKS, Check};
use idleproof::document::nearest;
use idleproof::policy::{GOLDEN_GATES, GoldenGate, Policy};
use idleproof::report::{Claim, FindingId, Limit, Unit};
use std::fmt::Write;

/// Width of the text.
const COLUMNS: usize = 96;

/// What the key `missing` of a policy means.
const MISSING: &str = "`missing` is for a capture without the evidence: `deny` fails it and withholds the claims, `warn` \
    notes it, `allow` passes it over.";

/// A check or gate in full.
pub(crate) fn explain(id: &str) -> Result<String, Stop> {
    let policy = default_policy()?;
    if let Some(check) = checks::find(id) {
        return Ok(explain_check(check, &policy));
    }
    if let Some(gate) = GOLDEN_GATES.iter().find(|gate| gate.id == id) {
        return Ok(explain_gate(gate, &policy));
    }
    if let Some(finding) = FindingId::ALL.into_iter().find(|finding| finding.name() == id) {
        let (found, remedy) = finding.words();
        return Ok(format!("{id}: {found}\n\nWhat to do\n{}", wrap(remedy)));
    }
    // Claims are written `op_attribution`, ids `low-op-attribution`: who mixes the two is understood.
    let name = id.replace('-', "_");
    let is_it = |claim: &Claim| claim.name() == name || claim.noun() == id;
    if let Some(claim) = Claim::ALL.into_iter().find(is_it) {
        return Ok(explain_claim(claim));
    }
    let vocabulary = idleproof::vocabulary(&[]);
    let claims = Claim::ALL.into_iter().map(Claim::name);
    let known = vocabulary.ids().chain(claims).chain(FindingId::ALL.map(FindingId::name));
    let help = match nearest(id, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            "`idleproof checks` lists the checks; the claims are ".to_owned()
                + &Claim::ALL.map(Claim::name).join(", ")
        }
    };
    Err(Stop::Usage(format!("unknown check or claim `{id}`: {help}")))
}

/// A table of all checks and gates.
pub(crate) fn list() -> Result<String, Stop> {
    let policy = default_policy()?;
    let mut rows: Vec<[String; 4]> = Vec::new();
    for check in CHECKS {
        if let Some(rule) = policy.rule(check.id, &[]) {
            let level = rule.level.value.name().to_owned();
            rows.push([
                check.id.to_owned(),
                level,
                limit(rule.limit.value),
                check.summary.to_owned(),
            ]);
        }
    }
    for gate in &GOLDEN_GATES {
        if let Some(level) = policy.golden_level(gate.id, &[]) {
            let level = level.value.name().to_owned();
            rows.push([gate.id.to_owned(), level, String::new(), gate.summary.to_owned()]);
        }
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (first, second, third) = (width(0), width(1), width(2));
    let mut text = String::new();
    for [id, level, limit, summary] in &rows {
        let _ = writeln!(text, "{id:first$}  {level:second$}  {limit:third$}  {summary}");
    }
    Ok(text)
}

fn default_policy() -> Result<Policy, Stop> {
    Ok(Policy::preset("default", idleproof::vocabulary(&[]))?)
}

fn explain_check(check: &Check, policy: &Policy) -> String {
    let mut text = format!("{}: {}\n\n", check.id, check.summary);
    if let Some(rule) = policy.rule(check.id, &[]) {
        let _ = writeln!(text, "default  {}, {}", rule.level.value.name(), limit(rule.limit.value));
        let _ = writeln!(text, "missing  {}", rule.missing.value.name());
    }
    let guards: Vec<&str> = check.guards.iter().copied().map(Claim::name).collect();
    match check.requires {
        Some(claim) => {
            let _ = writeln!(
                text,
                "judges   the workload, where the {} claim is supported",
                claim.name()
            );
        }
        None => {
            let _ = writeln!(text, "guards   {}", guards.join(", "));
        }
    }
    let _ = writeln!(text, "since    {}", check.since);
    let doc = &check.doc;
    for (title, body) in [
        ("What it measures", doc.measures),
        ("Why a claim misleads without it", doc.misleads),
        ("What to do", doc.remedy),
        ("The limit", doc.limit),
        ("Honest captures that look like it", doc.exceptions),
    ] {
        let _ = write!(text, "\n{title}\n{}", wrap(body));
    }
    if let Some(rule) = policy.rule(check.id, &[]) {
        let (level, missing) = (rule.level.value.name(), rule.missing.value.name());
        let Limit { bound, value, .. } = rule.limit.value;
        let key = bound.key();
        let _ = write!(
            text,
            "\nIn a policy\n  [checks]\n  {} = {{ level = \"{level}\", {key} = {value}, missing = \"{missing}\" }}\n",
            check.id
        );
        text.push_str(&wrap(MISSING));
    }
    text
}

/// A claim: what would withhold it.
fn explain_claim(claim: Claim) -> String {
    let name = claim.name();
    let mut text = format!(
        "{name} ({}): a claim; it is withheld where one of these checks is violated\n\n",
        claim.noun()
    );
    let guards: Vec<&Check> =
        CHECKS.iter().copied().filter(|check| check.guards.contains(&claim)).collect();
    let width = guards.iter().map(|check| check.id.len()).max().unwrap_or(0);
    for check in &guards {
        let _ = writeln!(text, "  {:width$}  {}", check.id, check.summary);
    }
    if guards.is_empty() {
        text.push_str("  none: it is not stated yet\n");
    }
    let judging = CHECKS.iter().filter(|check| check.requires == Some(claim));
    for check in judging {
        let _ = writeln!(text, "\n{} judges it where it is supported.", check.id);
    }
    text
}

fn explain_gate(gate: &GoldenGate, policy: &Policy) -> String {
    let mut text = format!("{}: {}\n\n", gate.id, gate.summary);
    if let Some(level) = policy.golden_level(gate.id, &[]) {
        let _ = writeln!(text, "default  {}", level.value.name());
    }
    let _ = write!(text, "\nIn a policy\n  [checks]\n  {} = \"warn\"\n", gate.id);
    text
}

/// A limit as a policy writes it, with its unit.
fn limit(limit: Limit) -> String {
    let unit = match limit.unit {
        Unit::Count => "",
        Unit::Share => " (share)",
        Unit::Percent => " %",
        Unit::Microseconds => " µs",
    };
    format!("{} {}{unit}", limit.bound.key(), limit.value)
}

/// Paragraphs in lines of at most [`COLUMNS`], indented.
fn wrap(body: &str) -> String {
    let mut text = String::new();
    for paragraph in body.split('\n') {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > COLUMNS - 2 {
                let _ = writeln!(text, "  {line}");
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        let _ = writeln!(text, "{}", format!("  {line}").trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, wrap};

    #[test]
    fn lines_keep_their_width_and_their_words() {
        let body = "word ".repeat(60) + "\n\n" + &"x".repeat(200);
        let wrapped = wrap(&body);
        assert!(wrapped.split_whitespace().eq(body.split_whitespace()));
        let long = |line: &&str| line.chars().count() > COLUMNS;
        assert_eq!(wrapped.lines().filter(long).count(), 1, "only the word that can't be broken");
    }
}
