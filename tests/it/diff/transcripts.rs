//! `idleproof diff` as it is called: exit codes, and what it says in words.

use super::program::{Program, bytes_of, replayed};
use crate::cli::{code, folder, idleproof, stderr, stdout, write};
use idleproof::report::{ComparisonOutcome, Comparisons, Report};
use std::fs;
use tempfile::TempDir;

/// A name that tries to break out of every output.
const HOSTILE: &str = "k<T>|`x`@octo\u{1b}[31m\u{202e}";

/// Steps of two kernels, the first of which takes about so many microseconds.
fn program(us: i64) -> Program {
    let step = |n: i64| vec![us * 1_000 + (n * 7_919) % 2_000, 200_000 + (n * 104_729) % 1_000];
    Program::of((0..12).map(step).collect())
}

/// A folder of captures that differ in known ways.
fn world() -> TempDir {
    let world = folder(&[], "");
    let put = |name: &str, bytes: Vec<u8>| write(&world.path().join(name), bytes);
    let named = |us: i64, name: &str| {
        let names = vec![name.to_owned(), "reduce".to_owned()];
        Program { names, ..program(us) }.bytes()
    };
    put("before.json", named(300, "matmul"));
    put("alike.json", named(301, "matmul"));
    put("slower.json", named(340, "matmul"));
    put("faster.json", named(250, "matmul"));
    put("hostile.json", named(340, HOSTILE));
    let header = "gpu 0 \"NVIDIA B200\"\n".to_owned();
    put("other.json", Program { header, ..program(300) }.bytes());
    put("two.json", Program::of(vec![vec![300_000]; 2]).bytes());
    put("brief.json", Program::of(vec![vec![600_000]; 2]).bytes());
    put("whole.json", bytes_of(&replayed("")));
    put("lost.json", bytes_of(&replayed("lose replays=5..5\n")));
    put("old/a/run.json", named(300, "matmul"));
    put("old/b/run.json", named(300, "matmul"));
    put("new/a/run.json", named(300, "matmul"));
    put("new/b/run.json", named(340, "matmul"));
    put("new/c/run.json", named(340, "matmul"));
    put("cut.json", b"{\"traceEvents\": [{\"ph\": \"X\"".to_vec());
    put("notes/readme.txt", b"no capture".to_vec());
    world
}

#[test]
fn exit_codes_tell_what_got_worse_from_what_cannot_be_compared() {
    let world = world();
    let run = |arguments: &[&str]| idleproof(world.path(), &[&["diff"], arguments].concat());
    for (name, side) in [("before", "before.json"), ("slower", "slower.json")] {
        let target = format!("json={name}.report");
        let made = idleproof(world.path(), &["report", side, "--report", &target]);
        assert_eq!(code(&made), 0, "{}", stderr(&made));
    }
    let text = fs::read_to_string(world.path().join("before.report")).unwrap_or_default();
    write(&world.path().join("cut.report"), &text[..text.len() / 2]);
    let newer = text.replace("\"schema_version\": 1", "\"schema_version\": 2");
    write(&world.path().join("newer.report"), newer);
    for (expected, arguments) in [
        (0, "before.json before.json"),
        (0, "before.json alike.json"),
        (0, "before.json faster.json"),
        (0, "slower.json before.json"),
        (1, "before.json slower.json"),
        (1, "whole.json lost.json"),
        (1, "before.report slower.json"),
        (1, "before.json slower.report"),
        (1, "before.report slower.report"),
        (0, "slower.report before.report"),
        (1, "old new"),
        (0, "old/a new/a"),
        (0, "old/a old/b"),
        (2, "before.json"),
        (2, "before.json alike.json --format xml"),
        (2, "before.json alike.json -o alike.json"),
        (2, "before.report alike.json -o before.report"),
        (2, "before.json alike.json -o goldens/x.snap"),
        (2, "newer.report alike.json"),
        (3, "before.json other.json"),
        // Other kernels, and too few steps: nothing says that it is the same program.
        (3, "before.json two.json"),
        (3, "two.json brief.json"),
        (3, "before.json notes"),
        (3, "before.json old"),
        (4, "before.json cut.json"),
        (4, "cut.report before.json"),
        (4, "before.json nowhere.json"),
    ] {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let output = run(&arguments);
        let told = format!("{arguments:?}\n{}{}", stdout(&output), stderr(&output));
        assert_eq!(code(&output), expected, "{told}");
    }
}

#[test]
fn a_report_stands_for_its_capture() {
    let world = world();
    let run = |arguments: &[&str]| idleproof(world.path(), arguments);
    for (name, side) in [("before", "before.json"), ("slower", "slower.json")] {
        run(&["report", side, "--report", &format!("json={name}.report")]);
        let report = fs::read_to_string(world.path().join(format!("{name}.report")));
        let report: Result<Report, _> = serde_json::from_str(&report.unwrap_or_default());
        assert_eq!(report.map(|one| one.captures.len()).unwrap_or_default(), 1);
    }
    let captures = |before: &str, after: &str| {
        let output = run(&["diff", before, after, "--format", "json"]);
        let compared: Comparisons = serde_json::from_str(&stdout(&output))
            .unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)));
        assert_eq!(compared.outcome, ComparisonOutcome::Regressed);
        compared.captures
    };
    let expected = captures("before.json", "slower.json");
    for (before, after) in [
        ("before.report", "slower.json"),
        ("before.json", "slower.report"),
        ("before.report", "slower.report"),
    ] {
        assert_eq!(captures(before, after), expected, "{before} {after}");
    }
}

#[test]
fn the_text_tells_the_finding_first() {
    let world = world();
    let mut told = String::new();
    for arguments in [
        "before.json slower.json",
        "whole.json lost.json",
        "before.json other.json",
        "two.json brief.json",
        "before.json hostile.json",
        "old new",
    ] {
        let arguments: Vec<&str> = ["diff"].into_iter().chain(arguments.split(' ')).collect();
        let output = idleproof(world.path(), &arguments);
        assert!(output.stderr.is_empty(), "{}", stderr(&output));
        assert!(!stdout(&output).contains(['\u{1b}', '\u{202e}']));
        told.push_str(&format!("$ idleproof {}\n{}\n", arguments.join(" "), stdout(&output)));
    }
    crate::snapshot("diff", &told);
}

#[test]
fn markdown_goes_to_a_file_and_holds_no_markup_of_a_capture() {
    let world = world();
    let arguments =
        ["diff", "before.json", "hostile.json", "--format", "markdown", "-o", "out/diff.md"];
    let output = idleproof(world.path(), &arguments);
    assert!(output.stdout.is_empty());
    assert_eq!(stderr(&output), "wrote out/diff.md\n");
    let page = fs::read_to_string(world.path().join("out/diff.md")).unwrap_or_default();
    assert!(!page.contains(['\u{1b}', '\u{202e}']) && !page.contains("<T>"), "{page}");
    crate::snapshot("diff_markdown", &page);
}

/// Beside the loss of reliability, steps that take longer are noted where a run is held against an earlier one.
#[test]
fn a_baseline_notes_slower_steps() {
    let world = folder(&[], "version = 1\ncaptures = [\"captures/*.json\"]\n");
    let capture = world.path().join("captures/run.json");
    let run = |arguments: &[&str]| idleproof(world.path(), arguments);
    write(&capture, program(300).bytes());
    assert_eq!(code(&run(&["check", "--report", "json=base.json"])), 0);
    for (us, is_noted) in [(301, false), (250, false), (340, true)] {
        write(&capture, program(us).bytes());
        let output = run(&["check", "--baseline", "base.json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let noted = "warning[baseline-slower]: captures/run.json: a step takes 559.9 µs";
        assert_eq!(stderr(&output).contains(noted), is_noted, "{us}: {}", stderr(&output));
    }
}
