//! Outputs that a CI platform reads: within its limits, and inert whatever names a capture holds.

use super::builder::{HOSTILE, check, everything, healthy, incident, report};
use idleproof::render;
use idleproof::report::{CaptureReport, Claim, Level, Report, State, Verdict};
use std::collections::BTreeSet;

fn rendered(kind: &str, report: &Report) -> String {
    render::find(kind).and_then(|output| output.text(report)).expect("a text")
}

/// A capture in which every text of others is hostile.
pub(super) fn hostile() -> CaptureReport {
    let mut capture = incident();
    capture.name = HOSTILE.to_owned();
    capture.files[0].path = format!("captures/{HOSTILE}");
    for check in &mut capture.checks {
        check.message = format!("{HOSTILE} 5 %,a:b");
        check.help = HOSTILE.to_owned();
        check.origin = HOSTILE.to_owned();
        check.exception = check.exception.as_ref().map(|_| HOSTILE.to_owned());
        check.evidence.insert("kernel".to_owned(), HOSTILE.into());
    }
    capture
}

/// So many captures, each with one violation at each level.
pub(super) fn many(n: usize) -> Report {
    let one = |number: usize| {
        let mut capture = healthy();
        capture.name = format!("captures/{number:05}");
        capture.files[0].path = format!("captures/{number:05}.json.gz");
        let at = |id, level| check(id, State::Violated, level, &[Claim::Idle]);
        capture.checks = vec![at("damaged-records", Level::Deny), at("high-idle", Level::Warn)];
        capture
    };
    report(Verdict::Fail, (0..n).map(one).collect())
}

#[test]
fn annotations_stay_within_the_platforms_limits() {
    for (n, shown) in [(1, 1), (10, 10), (11, 10), (500, 10)] {
        let text = rendered("github", &many(n));
        for command in ["::error ", "::warning "] {
            let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(command)).collect();
            assert_eq!(lines.len(), shown, "{n} captures\n{text}");
            let more = format!("{} more findings", n.saturating_sub(9));
            let left = lines.iter().any(|line| line.contains(&more));
            assert_eq!(left, n > 10, "{text}");
        }
    }
    let mut long = healthy();
    long.checks = vec![check("damaged-records", State::Violated, Level::Deny, &[])];
    long.checks[0].message = "é".repeat(100_000);
    assert!(rendered("github", &report(Verdict::Fail, vec![long])).chars().count() < 5_000);
    assert_eq!(rendered("github", &report(Verdict::Pass, vec![healthy()])), "");
}

#[test]
fn a_name_gives_the_runner_no_command() {
    let report = report(Verdict::Fail, vec![hostile()]);
    let text = rendered("github", &report);
    let expected = everything().captures.iter().filter(|one| one.name.ends_with("rank_0")).count();
    assert_eq!(expected, 1);
    let found = |capture: &CaptureReport| {
        capture.checks.iter().filter(|one| one.fails || one.state == State::Violated).count()
    };
    assert_eq!(text.lines().count(), found(&report.captures[0]), "{text}");
    for line in text.lines() {
        let rest = line.strip_prefix("::error ").or(line.strip_prefix("::warning "));
        let (properties, message) = rest.and_then(|rest| rest.split_once("::")).expect(line);
        // Each property is one key and one value: neither a comma nor a colon of a name stays.
        let keys: Vec<&str> =
            properties.split(',').map(|one| one.split('=').next().unwrap_or_default()).collect();
        assert_eq!(keys, ["file", "title"], "{line}");
        assert!(!properties.contains(':'), "{line}");
        let acts = |one: char| one.is_control() || matches!(one, '\u{202e}' | '\u{fffe}');
        assert!(!message.contains(acts) && !message.contains("%0A::"), "{line}");
    }
}

#[test]
fn annotations_stand_where_the_policy_was_set() {
    let mut capture = healthy();
    let mut found = check("damaged-records", State::Violated, Level::Deny, &[]);
    for (origin, place) in [
        ("idleproof.toml:7", "file=idleproof.toml,line=7,"),
        ("level --warn, limit idleproof.toml:9", "file=idleproof.toml,line=9,"),
        ("level idleproof.toml:3, limit idleproof.toml:12", "file=idleproof.toml,line=12,"),
        ("default", "file=captures/decode/rank_1.pt.trace.json,"),
        ("--deny", "file=captures/decode/rank_1.pt.trace.json,"),
    ] {
        found.origin = origin.to_owned();
        capture.checks = vec![found.clone()];
        capture.files[0].path = "captures/decode/rank_1.pt.trace.json".to_owned();
        let text = rendered("github", &report(Verdict::Fail, vec![capture.clone()]));
        assert!(text.starts_with(&format!("::error {place}title=")), "{origin}\n{text}");
    }
}

#[test]
fn pages_for_a_platform_fit_and_say_what_they_left_out() {
    let comment = |report: &Report| rendered("comment", report);
    let length = |text: &str| text.encode_utf16().count();
    let small = rendered("comment", &everything());
    assert_eq!(small, rendered("summary", &everything()), "what fits is the same page");
    assert!(!small.contains("Cut here"));

    let mut large = many(3_000);
    large.captures[2_999].checks.clear();
    large.captures.rotate_right(1);
    for (kind, most, size) in [
        ("comment", 65_535, length as fn(&str) -> usize),
        ("summary", 1 << 20, |text: &str| text.len()),
    ] {
        let text = rendered(kind, &large);
        assert!(size(&text) <= most && size(&text) > most - 2_000, "{kind}: {}", size(&text));
        assert!(text.trim_end().ends_with("The other reports have all of them."), "{kind}");
        // What fails comes first; the one that passes stands at the end, and that was cut.
        assert!(text.contains("## captures/00000\n") && !text.contains("## captures/02999\n"));
    }
    // One capture that is too long by itself, and findings that are.
    let mut long = everything();
    long.captures[1].checks[0].message = "\u{1f600}|<b>".repeat(40_000);
    assert!(length(&comment(&long)) <= 65_535);
    let mut findings = everything();
    findings.goldens = vec![findings.goldens[0].clone(); 5_000];
    let text = comment(&findings);
    assert!(length(&text) <= 65_535 && text.contains("Cut here"), "{}", length(&text));
}

#[test]
fn counts_are_one_word_or_number_a_line() {
    let hostile = report(Verdict::Fail, vec![hostile()]);
    for report in [everything(), hostile, report(Verdict::Pass, vec![healthy()])] {
        let text = rendered("counts", &report);
        let lines: Vec<(&str, &str)> =
            text.lines().map(|line| line.split_once('=').expect(line)).collect();
        assert_eq!(lines[0].0, "verdict");
        let words = |text: &str| text.chars().all(|one| one.is_ascii_lowercase() || one == '_');
        assert!(lines.iter().all(|(key, _)| words(key)) && words(lines[0].1), "{text}");
        let count = |wanted: &str| -> usize {
            let line = lines.iter().find(|(key, _)| *key == wanted).expect(wanted);
            line.1.parse().expect("a number")
        };
        assert_eq!(count("captures"), report.captures.len());
        assert_eq!(count("passed") + count("failed") + count("refused"), report.captures.len());
    }
}

#[test]
fn every_finding_of_code_quality_has_a_place_and_is_known_again() {
    let mut reports = vec![everything(), many(20)];
    reports.push(report(Verdict::Fail, vec![hostile()]));
    for report in reports {
        let text = rendered("codequality", &report);
        let list: Vec<serde_json::Value> = serde_json::from_str(&text).expect("a list");
        assert!(!list.is_empty());
        let mut seen = BTreeSet::new();
        for entry in &list {
            let of = |key: &str| entry[key].as_str().expect(key).to_owned();
            assert!(seen.insert(of("fingerprint")), "{entry} twice");
            assert!(["major", "minor"].contains(&of("severity").as_str()));
            assert!(!of("description").is_empty() && !of("check_name").is_empty());
            assert!(entry["location"]["path"].is_string());
            assert!(entry["location"]["lines"]["begin"].as_u64().is_some_and(|line| line > 0));
        }
        // What was measured may change; the finding stays the same.
        let mut again = report.clone();
        for check in again.captures.iter_mut().flat_map(|capture| &mut capture.checks) {
            check.message.push_str(" more");
        }
        let prints = |text: &str| -> Vec<String> {
            let list: Vec<serde_json::Value> = serde_json::from_str(text).expect("a list");
            list.iter().map(|entry| entry["fingerprint"].to_string()).collect()
        };
        assert_eq!(prints(&text), prints(&rendered("codequality", &again)));
    }
}
