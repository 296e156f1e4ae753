//! Statements of other tools against the given captures, and files that are no statements.

use crate::cli::{code, folder, idleproof, stderr, write};
use crate::harness::{assert_no_mismatch, default_policy, outside_data};
use idleproof::report::{CaptureReport, StatedReport, StatedState};
use idleproof::statements::{Form, Quantity, Said, Statement};
use idleproof::{judge, statements};
use jiff::civil::date;
use std::path::Path;

/// What the records say of the idle that TraceLens states.
const GIVEN: &[(&str, StatedState, &str)] = &[
    ("mi210-gpu-only", StatedState::Supported, ""),
    ("mi300-bert-small", StatedState::Supported, ""),
    ("mi300-falconsai", StatedState::Supported, ""),
    // The table leaves work out that was launched before the window: 10.22 % instead of 8.54 %.
    ("mi300-qwen-0.5b", StatedState::Refuted, "without the 463 records"),
    ("sglang-decode", StatedState::Undetermined, "idle-with-queued-work"),
    ("sglang-prefilldecode", StatedState::Undetermined, "idle-with-queued-work"),
    ("vllm-decode-full", StatedState::Supported, ""),
    ("vllm-prefilldecode-piecewise", StatedState::Supported, ""),
    ("xdit-flux1-aiter-sage", StatedState::Supported, ""),
];

#[test]
fn the_tables_of_tracelens_against_the_given_captures() {
    let Some(corpus) = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures") else {
        return;
    };
    let mut mismatches = Vec::new();
    for &(name, expected, says) in GIVEN {
        let capture = corpus.join("kineto").join(name);
        let report = crate::harness::pipeline_at(std::slice::from_ref(&capture)).captures.remove(0);
        let timeline = table(&capture.join("tracelens_csvs/gpu_timeline.csv"));
        for one in held(&report, &timeline) {
            let is_idle = one.quantity.starts_with("device_inactive");
            let fits = one.state == expected && one.message.contains(says);
            if is_idle && one.quantity.ends_with("_pct") && !fits {
                mismatches.push(format!("{name}: {}", one.message));
            }
            // Whatever else the table states stands or falls with the idle: it is never refuted where that is true.
            if one.state == StatedState::Refuted && expected != StatedState::Refuted {
                mismatches.push(format!("{name}: {}", one.message));
            }
            if expected == StatedState::Supported && one.state != StatedState::Supported {
                mismatches.push(format!("{name}: {}", one.message));
            }
        }
        let ops = capture.join("tracelens_csvs/ops_summary.csv");
        if ops.is_file() {
            let wrong = held(&report, &table(&ops));
            let wrong = wrong.iter().filter(|one| one.state == StatedState::Refuted);
            mismatches.extend(wrong.map(|one| format!("{name}: {}", one.message)));
        }
        // A copy in which one part was made five points larger: never supported, and refuted where the capture tells.
        for doctored in timeline.iter().filter_map(five_points_more) {
            let one = held(&report, std::slice::from_ref(&doctored)).remove(0);
            let fits = match expected {
                StatedState::Supported => one.state == StatedState::Refuted,
                StatedState::Refuted | StatedState::Undetermined => {
                    one.state != StatedState::Supported
                }
            };
            if !fits {
                mismatches.push(format!("{name}, doctored: {}", one.message));
            }
        }
    }
    assert_no_mismatch(&mismatches);
}

fn table(path: &Path) -> Vec<Statement> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let path = path.to_string_lossy();
    statements::parse(&path, &bytes, None).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn held(report: &CaptureReport, statements: &[Statement]) -> Vec<StatedReport> {
    judge::with_statements(report.clone(), statements, &default_policy(), date(2026, 1, 1)).stated
}

fn five_points_more(statement: &Statement) -> Option<Statement> {
    let Quantity::Budget(_, Form::Percent, _) = statement.quantity else { return None };
    let Said::Value(value, tolerance) = statement.said else { return None };
    Some(Statement { said: Said::Value(value + 5.0, tolerance), ..statement.clone() })
}

#[test]
fn a_table_beside_its_capture_is_verified_by_the_program() {
    let world = folder(&["healthy", "incident"], "");
    let here = world.path();
    let idle = |percent: &str| format!("type,time ms,percent\nidle_time,0,{percent}\n");
    write(&here.join("captures/incident/tracelens_csvs/gpu_timeline.csv"), idle("99.1"));
    write(&here.join("captures/healthy/tracelens_csvs/gpu_timeline.csv"), idle("60"));
    let said = |claims: &[&str]| {
        let output = idleproof(here, &[&["check", "captures"], claims].concat());
        (code(&output), stderr(&output))
    };
    let (exit, text) = said(&["--claims", "captures/incident"]);
    assert_eq!(exit, 1, "{text}");
    assert!(text.contains("device_inactive_pct = 99.1 ± 0.5 is not decided"), "{text}");
    let (exit, text) = said(&["--claims", "captures/healthy/tracelens_csvs/gpu_timeline.csv"]);
    assert_eq!(exit, 1, "{text}");
    assert!(text.contains("device_inactive_pct = 60 ± 0.5 is refuted"), "{text}");
}

#[test]
fn what_is_no_statement_about_a_capture_is_wrong_usage() {
    let world = folder(&["healthy", "incident"], "");
    let here = world.path();
    for (name, text, says) in [
        ("empty.toml", "", "states nothing"),
        ("key.toml", "[[claim]]\nquantitty = \"busy_us\"\n", "unknown key `quantitty`"),
        ("unknown.toml", "[[claim]]\nquantity = \"idle_pct\"\nvalue = 3\n", "is no quantity"),
        ("none.toml", "[[claim]]\nquantity = \"busy_us\"\n", "states no number"),
        ("two.toml", "[[claim]]\nquantity = \"busy_us\"\nbelow = 3\nabove = 1\n", "more than one"),
        ("nan.toml", "[[claim]]\nquantity = \"busy_us\"\nvalue = nan\n", "not a finite number"),
        (
            "other.toml",
            "[[claim]]\ncapture = \"runs/**\"\nquantity = \"busy_us\"\nvalue = 3\n",
            "no capture of this run is meant",
        ),
        ("table.csv", "type,time ms,percent\nidle_time,1,2\n", "which capture"),
        ("binary.toml", "\u{0}", "error"),
    ] {
        // Beside no capture.
        write(&here.join("statements").join(name), text);
        let file = format!("statements/{name}");
        let output = idleproof(here, &["check", "captures", "--claims", &file]);
        let told = stderr(&output);
        assert_eq!(code(&output), 2, "{name}: {told}");
        assert!(told.contains(says), "{name}: {told}");
    }
    let output = idleproof(here, &["check", "captures", "--claims", "nowhere.toml"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
}
