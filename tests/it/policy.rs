//! Policies: presets, layers, exceptions, and every mistake that a file can hold.

use crate::snapshot;
use idleproof::checks::CHECKS;
use idleproof::document::{MAX_DOCUMENT_BYTES, Mistakes};
use idleproof::policy::{Coverage, Exceptable, PRESETS, Policy, Vocabulary};
use idleproof::report::{Level, State};
use std::fmt::Write;

pub(crate) const VOCABULARY: Vocabulary<'static> =
    Vocabulary { checks: CHECKS, outputs: &["trust", "markdown"] };

/// A policy file in a world of other files.
fn parse_among(files: &[(&str, &str)], path: &str, text: &str) -> Result<Policy, Mistakes> {
    let loader = |wanted: &str| {
        let found = files.iter().find(|(path, _)| *path == wanted);
        found.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| "no such file".to_owned())
    };
    Policy::parse(path, text.as_bytes(), VOCABULARY, &loader)
}

pub(crate) fn parse(text: &str) -> Policy {
    parse_among(&[], "idleproof.toml", text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn mistakes(bytes: &[u8]) -> String {
    match Policy::parse("idleproof.toml", bytes, VOCABULARY, &|_| Err("no such file".to_owned())) {
        Ok(_) => "no mistake was found".to_owned(),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn every_mistake_is_told_with_its_place_and_a_way_out() {
    let mut told = String::new();
    for section in include_str!("policy_mistakes.txt").split("\n=== ").skip(1) {
        let (name, text) = section.split_once('\n').unwrap_or((section, ""));
        let _ = writeln!(told, "=== {name}\n{}\n", mistakes(text.as_bytes()));
    }
    assert!(!told.contains("no mistake was found"), "{told}");
    snapshot("policy_mistakes", &told);
}

/// A policy as the schema's validators see it: days are texts.
fn as_json(value: &toml::Value) -> serde_json::Value {
    match value {
        toml::Value::Datetime(day) => serde_json::Value::String(day.to_string()),
        toml::Value::Table(table) => {
            table.iter().map(|(key, value)| (key.clone(), as_json(value))).collect()
        }
        toml::Value::Array(entries) => entries.iter().map(as_json).collect(),
        plain => serde_json::to_value(plain).unwrap_or_default(),
    }
}

#[test]
fn the_schema_takes_what_the_program_takes() {
    let schema = VOCABULARY.schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let check = |name: &str, text: &str| {
        let file: toml::Table = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        let json = as_json(&toml::Value::Table(file));
        validator.validate(&json).map_err(|error| format!("{name}: {error}"))
    };
    for preset in &PRESETS {
        check(preset.name, preset.text).unwrap();
    }
    for (page, block) in crate::docs::toml_blocks() {
        check(page, &block).unwrap();
    }
    // What it cannot know: globs, what other files hold, and days that no calendar has.
    let beyond = [
        "bad-glob",
        "bad-glob-of-an-override",
        "absolute-glob",
        "folder-as-glob",
        "absolute-extends",
        "missing-file",
        "date-in-quotes",
        "tolerance-without-a-field",
    ];
    for section in include_str!("policy_mistakes.txt").split("\n=== ").skip(1) {
        let (name, text) = section.split_once('\n').unwrap_or((section, ""));
        if text.parse::<toml::Table>().is_err() || beyond.contains(&name) {
            continue;
        }
        assert!(check(name, text).is_err(), "the schema takes `{name}`");
    }
}

#[test]
fn bytes_that_are_no_text_are_mistakes() {
    let large = vec![b'#'; MAX_DOCUMENT_BYTES + 1];
    let mut told = String::new();
    for (name, bytes) in [("not-utf-8", &b"version = 1\n# \xff\n"[..]), ("too-large", &large)] {
        let _ = writeln!(told, "=== {name}\n{}\n", mistakes(bytes));
    }
    snapshot("policy_bytes", &told);
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_no_mistakes() {
    let policy = parse("\u{feff}version = 1\r\n[checks]\r\nhigh-idle = \"deny\"\r\n");
    let rule = policy.rule("high-idle", &[]).unwrap();
    assert_eq!(
        (rule.level.value, rule.origin().as_str()),
        (Level::Deny, "level idleproof.toml:3, limit default")
    );
}

#[test]
fn extending_ends() {
    let own = "version = 1\nextends = [\"a.toml\"]\n";
    let circle = [
        ("a.toml", "version = 1\nextends = [\"b/b.toml\"]\n"),
        ("b/b.toml", "version = 1\nextends = [\"../a.toml\"]\n"),
    ];
    // Each file extends the next one twice: without an end that is 2²⁰ files.
    let names: Vec<(String, String)> = (0..20)
        .map(|n| {
            (
                format!("{n}.toml"),
                format!("version = 1\nextends = [\"{0}.toml\", \"{0}.toml\"]\n", n + 1),
            )
        })
        .chain([("20.toml".to_owned(), "version = 1\n".to_owned())])
        .collect();
    let bushy: Vec<(&str, &str)> = names.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let in_other = [("a.toml", "version = 1\n[checks]\nhigh-idel = \"deny\"\n")];

    let mut told = String::new();
    for (name, files, text) in [
        ("circle", &circle[..], own),
        ("itself", &[("a.toml", "version = 1\nextends = [\"./a.toml\"]\n")], own),
        ("mistake-in-the-other-file", &in_other, own),
        ("too-many-files", &bushy, "version = 1\nextends = [\"0.toml\"]\n"),
    ] {
        let errors = parse_among(files, "idleproof.toml", text).unwrap_err();
        let first = errors.to_string();
        let first: Vec<&str> = first.split("\n\n").take(1).collect();
        let _ = writeln!(told, "=== {name}\n{}\n", first.join("\n\n"));
    }
    snapshot("policy_extends", &told);
}

#[test]
fn later_layers_win_and_every_value_knows_its_origin() {
    let team = "version = 1\nextends = [\"strict\"]\n[checks]\nhigh-idle = { max = 50 }\n";
    let own = r#"version = 1
extends = ["ci/team.toml"]
captures = ["./captures/**/*.json"]

[checks]
low-op-attribution = { min = 0.5, missing = "allow" }
damaged-records = "warn"

[golden]
outputs = ["trust", "markdown"]
tolerances = { idle_pct = { abs = 0.5 } }

[[overrides]]
paths = ["captures/decode/**"]
checks = { low-op-attribution = { min = 0.2 }, high-idle = "allow" }

[[exceptions]]
check = "shared-correlation-ids"
paths = ["captures/legacy/**"]
reason = "an old \"profiler\""
expires = 2027-01-31
"#;
    let policy = parse_among(&[("ci/team.toml", team)], "idleproof.toml", own)
        .and_then(|policy| policy.with_level("damaged-records", Level::Deny, "--deny", VOCABULARY))
        .unwrap();
    let hidden = policy.show().replace(&policy.sha256, "[digest]");
    snapshot("policy_show", &hidden);

    let decode = policy.rule("low-op-attribution", &["captures/decode/a.json"]).unwrap();
    assert_eq!(decode.origin(), "level strict, limit idleproof.toml:15");
    let other = policy.rule("low-op-attribution", &["captures/a.json"]).unwrap();
    assert_eq!((other.limit.value.value, other.missing.value), (0.5, Level::Allow));
}

#[test]
fn the_effective_policy_is_a_policy_that_says_the_same() {
    for preset in &PRESETS {
        let policy = Policy::preset(preset.name, VOCABULARY).unwrap();
        let again = parse(&policy.show());
        for check in CHECKS {
            let (a, b) = (policy.rule(check.id, &[]).unwrap(), again.rule(check.id, &[]).unwrap());
            assert_eq!(
                (a.level.value, a.limit.value, a.missing.value),
                (b.level.value, b.limit.value, b.missing.value)
            );
        }
    }
}

#[test]
fn every_check_has_a_row_in_each_preset_and_every_row_a_check() {
    for preset in &PRESETS {
        let file: toml::Table = preset.text.parse().unwrap();
        let rows: Vec<&str> =
            file["checks"].as_table().unwrap().keys().map(String::as_str).collect();
        let mut ids: Vec<&str> = VOCABULARY.ids().collect();
        ids.sort_unstable();
        assert_eq!(rows, ids, "{}", preset.name);
        // Complete: a preset on its own is a policy.
        Policy::preset(preset.name, VOCABULARY).unwrap_or_else(|errors| panic!("{errors}"));
    }
}

#[test]
fn the_default_preset_gives_a_reason_for_every_number() {
    let [default, ..] = &PRESETS;
    let rows = default.text.split_once("[checks]\n").unwrap().1;
    for block in rows.split("\n\n").filter(|block| !block.trim().is_empty()) {
        let lines: Vec<&str> = block.trim().lines().collect();
        let (row, reason) = lines.split_last().unwrap();
        assert!(!reason.is_empty() && reason.iter().all(|line| line.starts_with("# ")), "{row}");
        assert!(!row.starts_with('#'), "{block}");
    }
}

#[test]
fn presets_do_what_they_are_for() {
    let levels = |name: &str| -> Vec<(Level, Level)> {
        let policy = Policy::preset(name, VOCABULARY).unwrap();
        let rules = CHECKS.iter().map(|check| policy.rule(check.id, &[]).unwrap());
        rules.map(|rule| (rule.level.value, rule.missing.value)).collect()
    };
    assert!(levels("strict").iter().all(|(level, _)| *level == Level::Deny));
    assert!(
        levels("advisory")
            .iter()
            .all(|(level, missing)| *level == Level::Warn && *missing < Level::Deny)
    );
}

#[test]
fn flags_win_over_overrides() {
    let text = "version = 1\n[[overrides]]\npaths = [\"**\"]\nchecks = { high-idle = \"deny\", golden-differs = \"allow\" }\n";
    let policy = parse(text).with_level("high-idle", Level::Allow, "--allow", VOCABULARY).unwrap();
    assert_eq!(policy.rule("high-idle", &["x"]).unwrap().level.value, Level::Allow);
    assert_eq!(policy.golden_level("golden-differs", &["x"]).unwrap().value, Level::Allow);
    assert_eq!(policy.golden_level("golden-differs", &[]).unwrap().value, Level::Deny);
    let errors =
        parse(text).with_level("hihg-idle", Level::Allow, "--allow", VOCABULARY).unwrap_err();
    assert!(errors.to_string().contains("did you mean `high-idle`?"), "{errors}");
}

#[test]
fn the_digest_covers_what_changes_the_policy() {
    let team = [("team.toml", "version = 1\n")];
    let changed = [("team.toml", "version = 1\n[checks]\nhigh-idle = \"deny\"\n")];
    let own = "version = 1\nextends = [\"team.toml\"]\n";
    let one = parse_among(&team, "idleproof.toml", own).unwrap();
    let other = parse_among(&changed, "idleproof.toml", own).unwrap();
    assert_ne!(one.sha256, other.sha256);
    assert_eq!(one.sha256, parse_among(&team, "idleproof.toml", own).unwrap().sha256);
    let flagged = one.clone().with_level("high-idle", Level::Warn, "--warn", VOCABULARY).unwrap();
    assert_ne!(one.sha256, flagged.sha256);
}

#[test]
fn exceptions_are_reported_when_they_end_or_are_of_no_use() {
    use crate::judge::{capture, measured};
    let policy = parse(
        r#"version = 1
[[exceptions]]
check = "shared-correlation-ids"
paths = ["captures/legacy/*"]
reason = "an old profiler"
expires = 2027-01-31
"#,
    );
    let excepted = |path: &str, value: f64, today| {
        let draft = capture(path);
        idleproof::judge::judge(draft, &[measured("shared-correlation-ids", value)], &policy, today)
    };
    for (path, value, today, coverage, expected) in [
        ("captures/legacy/a", 3.0, (2027, 1, 1), Coverage::Everything, None),
        ("captures/legacy/a", 3.0, (2027, 1, 16), Coverage::Everything, None),
        ("captures/legacy/a", 3.0, (2027, 1, 17), Coverage::Everything, Some("expiring-exception")),
        ("captures/legacy/a", 3.0, (2027, 1, 31), Coverage::Named, Some("expiring-exception")),
        ("captures/legacy/a", 3.0, (2027, 2, 1), Coverage::Named, Some("expired-exception")),
        ("captures/legacy/a", 0.0, (2027, 1, 1), Coverage::Named, Some("unused-exception")),
        ("captures/other/a", 3.0, (2027, 1, 1), Coverage::Everything, Some("unused-exception")),
        ("captures/other/a", 3.0, (2027, 1, 1), Coverage::Named, None),
    ] {
        let (year, month, day) = today;
        let today = jiff::civil::date(year, month, day);
        let judged = excepted(path, value, today);
        let is_excepted = judged.checks[0].state == State::Excepted;
        assert_eq!(
            is_excepted,
            path.contains("legacy") && value > 0.0 && today.year() == 2027 && today.month() == 1
        );
        let findings =
            policy.findings(Exceptable { captures: &[judged], runs: &[] }, coverage, today);
        let ids: Vec<&str> = findings.iter().map(|finding| finding.id.as_str()).collect();
        assert_eq!(ids, Vec::from_iter(expected), "{path} {value} {today}");
    }
}

#[test]
fn an_override_that_is_about_nothing_is_reported_where_everything_was_looked_at() {
    use crate::judge::capture;
    let policy = parse(
        "version = 1\n[[overrides]]\npaths = [\"captures/old/*\"]\nchecks = { high-idle = \"allow\" }\n",
    );
    for (path, coverage, expected) in [
        ("captures/old/a", Coverage::Everything, None),
        ("captures/new/a", Coverage::Everything, Some("unused-override")),
        ("captures/new/a", Coverage::Named, None),
    ] {
        let today = jiff::civil::date(2027, 1, 1);
        let judged = Exceptable { captures: &[capture(path)], runs: &[] };
        let findings = policy.findings(judged, coverage, today);
        let ids: Vec<&str> = findings.iter().map(|finding| finding.id.as_str()).collect();
        assert_eq!(ids, Vec::from_iter(expected), "{path}");
    }
}
