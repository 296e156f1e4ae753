//! JUnit as others read it: every parser of the kit finds the same cases, in the same states, with the same totals.
//!
//! A parser in Rust is always there. Those of Python and Node that CI systems are built on are used where they are installed
//! (`.ci/junit-kit` does that); the test says which it did without.

use super::builder::{check, everything, healthy, report};
use super::ci::{hostile, many};
use crate::harness::{in_crate, say};
use idleproof::render;
use idleproof::report::{CaptureReport, Level, Report, State, Verdict};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a parser makes of a file.
#[derive(Clone, Debug, Deserialize)]
struct Reading {
    file: PathBuf,
    parser: String,
    #[serde(flatten)]
    content: Content,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
struct Content {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
    /// Suite, class, name and state.
    cases: Vec<(String, String, String, String)>,
}

/// Every parser that may be absent.
const OTHERS: [&str; 5] = ["expat", "junitparser", "lxml", "xml2js", "xml-js"];

#[test]
fn every_parser_reads_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut expected = BTreeMap::new();
    for (name, report) in reports() {
        let path = folder.path().join(format!("{name}.xml"));
        let text = render::find("junit").and_then(|output| output.text(&report)).expect("a text");
        std::fs::write(&path, &text).expect("a file");
        let read = in_rust(&text);
        assert_eq!(
            stated(&report),
            (read.tests, read.failures, read.errors, read.skipped),
            "{name}"
        );
        expected.insert(path, read);
    }
    assert!(expected.values().all(|content| content.tests > 0));
    let paths: Vec<&Path> = expected.keys().map(PathBuf::as_path).collect();
    let readings = [in_python(&paths), in_node(&paths)].concat();
    for parser in OTHERS {
        let n = readings.iter().filter(|reading| reading.parser == parser).count();
        match n {
            0 => say(&format!(
                "JUnit was not read by {parser}, which is not installed: .ci/junit-kit does that"
            )),
            n => assert_eq!(n, paths.len(), "{parser} did not read every file"),
        }
    }
    for Reading { file, parser, content } in readings {
        let expected = &expected[&file];
        for (theirs, ours) in content.cases.iter().zip(&expected.cases) {
            assert_eq!(theirs, ours, "{parser} of {}", file.display());
        }
        assert_eq!(&content, expected, "{parser} of {}", file.display());
    }
}

/// Reports that are hard on a reader.
fn reports() -> Vec<(&'static str, Report)> {
    let hostile = hostile();
    let mut odd = healthy();
    odd.name = "x".repeat(10_000);
    odd.checks = [
        "]]>",
        "a\u{0}b\u{8}\u{b}\u{1f}\u{7f}\u{85}\u{9f}",
        "\u{fffe}\u{ffff}\u{202e}\u{feff}",
        "\"double\" 'single' &amp; &#10; <b> &lt;",
        "\u{1b}[31mred\u{1b}]0;title\u{7}",
        " spaces  and\ttabs\nand\r\nlines ",
        "é \u{1f600} e\u{301}",
        "<![CDATA[ ]]]]><![CDATA[>",
        "",
        "damaged-records",
        "damaged-records",
    ]
    .map(text_everywhere)
    .to_vec();
    odd.checks.push(text_everywhere(&"long name ".repeat(1_000)));
    let states = [State::Holds, State::NotEvaluable, State::Excepted];
    odd.checks.extend(states.map(|state| check("high-idle", state, Level::Warn, &[])));
    vec![
        ("everything", everything()),
        ("hostile", report(Verdict::Fail, vec![hostile.clone(), hostile, odd.clone(), odd])),
        ("many", many(300)),
    ]
}

fn text_everywhere(text: &str) -> idleproof::report::CheckReport {
    let mut check = check(text, State::Violated, Level::Deny, &[]);
    check.message = text.to_owned();
    check.help = format!("{text}\n{text}");
    check.evidence.insert(text.to_owned(), text.into());
    check
}

/// Totals that follow from the report alone: cases, failures, errors, skipped.
fn stated(report: &Report) -> (u64, u64, u64, u64) {
    let of_runs = || report.runs.iter().flat_map(|run| &run.checks);
    let checks = || report.captures.iter().flat_map(|capture| &capture.checks).chain(of_runs());
    let count = |n: usize| u64::try_from(n).expect("few");
    let errors = report.captures.iter().filter(|one| one.error.is_some()).count();
    let denied = report.policy_findings.iter().filter(|one| one.level == Level::Deny).count();
    let failing_goldens = report.goldens.iter().filter(|golden| golden.fails()).count();
    let is_skipped = |state| matches!(state, State::NotEvaluable | State::Excepted);
    let skipped = checks().filter(|one| is_skipped(one.state) && !one.fails).count();
    let failures = checks().filter(|one| one.fails).count() + denied + failing_goldens;
    let all = checks().count() + errors + report.policy_findings.len() + report.goldens.len();
    (count(all), count(failures), count(errors), count(skipped))
}

fn in_rust(text: &str) -> Content {
    use junit_parser::TestStatus;
    let read = junit_parser::from_reader(std::io::Cursor::new(text)).expect("a JUnit file");
    let mut content = Content::default();
    for suite in read.suites {
        content.tests += suite.tests;
        content.failures += suite.failures;
        content.errors += suite.errors;
        content.skipped += suite.skipped;
        content.cases.extend(suite.cases.into_iter().map(|case| {
            let state = match case.status {
                TestStatus::Success => "passed",
                TestStatus::Failure(_) => "failed",
                TestStatus::Error(_) => "error",
                TestStatus::Skipped(_) => "skipped",
            };
            let class = case.classname.unwrap_or_default();
            (suite.name.clone(), class, case.original_name, state.to_owned())
        }));
    }
    content
}

/// Where `.ci/junit-kit` installs.
fn kit() -> PathBuf {
    in_crate("target/junit-kit")
}

fn in_python(paths: &[&Path]) -> Vec<Reading> {
    let installed = kit().join("venv/bin/python");
    let python = if installed.exists() { installed } else { PathBuf::from("python3") };
    readings(Command::new(python).arg(in_crate("tests/junit_kit/read.py")).args(paths))
}

fn in_node(paths: &[&Path]) -> Vec<Reading> {
    if !kit().is_dir() {
        return Vec::new();
    }
    let mut node = Command::new("node");
    readings(node.current_dir(kit()).arg(in_crate("tests/junit_kit/read.mjs")).args(paths))
}

/// What a script read. No interpreter reads nothing; one that fails refused a file.
fn readings(command: &mut Command) -> Vec<Reading> {
    let Ok(output) = command.output() else { return Vec::new() };
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "a parser refused a file:\n{told}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("a reading")).collect()
}

/// The state of a case does not depend on whose name it has.
#[test]
fn a_capture_of_doubled_names_keeps_every_case() {
    let (_, report) = reports().swap_remove(1);
    let of =
        |captures: &[CaptureReport]| captures.iter().map(|one| one.checks.len()).sum::<usize>();
    let text = render::find("junit").and_then(|output| output.text(&report)).expect("a text");
    let mut names: Vec<_> = in_rust(&text).cases;
    assert_eq!(names.len(), of(&report.captures));
    names.sort();
    names.dedup_by(|a, b| (&a.1, &a.2) == (&b.1, &b.2));
    assert_eq!(names.len(), of(&report.captures), "two cases of one name");
}
