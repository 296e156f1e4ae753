//! A divided run: its parts joined are the whole run, byte for byte, and nothing less than the whole passes.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]

use crate::cli::{code, folder, idleproof, stderr, write};
use std::fs;
use std::path::Path;
use std::process::Output;

/// Outputs that reports can make.
const KINDS: [&str; 4] = ["json", "junit", "markdown", "trust"];

const POLICY: &str = r#"version = 1
captures = ["captures/**/*.gz"]
[golden]
outputs = ["trust"]
[[exceptions]]
check = "under-recorded-graph-replays"
paths = ["captures/c3?/**"]
reason = "recorded before the buffer was raised"
expires = 2999-01-31
[[exceptions]]
check = "high-idle"
paths = ["captures/**"]
reason = "never used: high idle is a note"
expires = 2020-01-31
[[exceptions]]
check = "duplicated-records"
paths = ["captures/c01/**"]
reason = "excepts nothing"
expires = 2999-01-31
[[overrides]]
paths = ["captures/c01/**"]
checks = { high-idle = "allow" }
[[overrides]]
paths = ["captures/nothing/**"]
checks = { high-idle = "allow" }
"#;

/// Forty folders of captures of every outcome, files that are none, and goldens: accepted, changed, missing and left over.
fn forty() -> tempfile::TempDir {
    let world = folder(&[], POLICY);
    let small = ["eager", "idle-graph", "partial-replays"];
    for number in 0..40 {
        let name = match number {
            0 => "healthy",
            30 | 31 => "incident",
            _ => small[number % small.len()],
        };
        let sample = folder(&[name], "");
        for file in fs::read_dir(sample.path().join("captures").join(name)).unwrap().flatten() {
            let to = world.path().join(format!("captures/c{number:02}")).join(file.file_name());
            write(&to, fs::read(file.path()).unwrap());
        }
    }
    let here = world.path();
    write(
        &here.join("captures/c07/rank_1.pt.trace.json.gz"),
        read(here, "captures/c02/rank_0.pt.trace.json.gz"),
    );
    write(&here.join("captures/c08/notes.json"), "{\"no\": 1}");
    write(&here.join("captures/c09/counters.json.txt"), "none");
    assert_eq!(code(&idleproof(here, &["check", "--pending", "waiting"])), 1);
    assert_eq!(code(&idleproof(here, &["golden", "accept", "--all", "--pending", "waiting"])), 0);
    let missing = "goldens/captures+c11+rank_0.pt.trace.json.gz.trust.snap";
    fs::remove_file(here.join(missing)).unwrap();
    let changed = here.join("goldens/captures+c12+rank_0.pt.trace.json.gz.trust.snap");
    fs::write(&changed, fs::read_to_string(&changed).unwrap() + "more\n").unwrap();
    write(&here.join("goldens/gone.trust.snap"), "---\n---\nx\n");
    world
}

fn read(folder: &Path, path: &str) -> Vec<u8> {
    fs::read(folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Runs a command with every output into a folder.
fn into(here: &Path, out: &str, arguments: &[&str]) -> Output {
    let reports: Vec<String> = KINDS.iter().map(|kind| format!("{kind}={out}/{kind}")).collect();
    let mut all = arguments.to_vec();
    for report in &reports {
        all.extend(["--report", report]);
    }
    idleproof(here, &all)
}

/// The parts of a run, each with every output; the paths of their JSON reports.
fn parts(here: &Path, of: u32, arguments: &[&str]) -> Vec<String> {
    let part = |part: u32| {
        let (slice, out) = (format!("{part}/{of}"), format!("part-{part}"));
        let arguments = [&["check", "--partition", &slice], arguments].concat();
        let output = into(here, &out, &arguments);
        assert!(here.join(&out).join("json").exists(), "{}", stderr(&output));
        format!("{out}/json")
    };
    (1..=of).map(part).collect()
}

fn merge(here: &Path, reports: &[String]) -> Output {
    let mut arguments = vec!["merge"];
    arguments.extend(reports.iter().map(String::as_str));
    into(here, "merged", &arguments)
}

fn assert_merged_is_whole(here: &Path, of: u32, arguments: &[&str], expected: i32) {
    let whole = into(here, "whole", &[&["check"], arguments].concat());
    assert_eq!(code(&whole), expected, "{}", stderr(&whole));
    let mut reports = parts(here, of, arguments);
    // The order in which they are given does not matter.
    reports.reverse();
    let merged = merge(here, &reports);
    assert_eq!(code(&merged), expected, "{}", stderr(&merged));
    for kind in KINDS {
        let (a, b) = (read(here, &format!("whole/{kind}")), read(here, &format!("merged/{kind}")));
        assert!(a == b, "{kind} of {of} parts differs from that of one run");
    }
    // What people read is the same but for the names of what was written.
    let told = |output: &Output| {
        let text = stderr(output);
        text.lines()
            .filter(|line| !line.starts_with("wrote "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(told(&merged), told(&whole));
}

#[test]
fn parts_that_are_joined_are_the_whole_run() {
    let world = forty();
    let here = world.path();
    // Named captures and searched folders: other findings about the policy, and files that are skipped.
    assert_merged_is_whole(here, 3, &["captures", "--goldens", "goldens"], 1);
    assert!(
        String::from_utf8(read(here, "whole/json")).unwrap().contains("captures/c08/notes.json")
    );
    assert_merged_is_whole(here, 4, &[], 1);
    let whole = String::from_utf8(read(here, "whole/json")).unwrap();
    for said in [
        "\"unreferenced\"",
        "\"changed\"",
        "\"missing\"",
        "unused-exception",
        "unused-override",
        "expired-exception",
        "\"excepted\"",
    ] {
        assert!(whole.contains(said), "the world has no {said}");
    }
    // No part alone says what only the whole can know.
    for part in 1..=4 {
        let junit = String::from_utf8(read(here, &format!("part-{part}/junit"))).unwrap();
        assert!(!junit.contains("gone.trust.snap"), "part {part}");
        // And each says that it is one.
        let page = String::from_utf8(read(here, &format!("part-{part}/markdown"))).unwrap();
        assert!(page.contains(&format!("part {part} of 4, ")), "{page}");
    }
    // Each part has its share of the captures, and every capture one part.
    let report = |path: &str| -> idleproof::report::Report {
        serde_json::from_slice(&read(here, path)).unwrap()
    };
    let counts = (1..=4).map(|part| report(&format!("part-{part}/json")).captures.len());
    let counts: Vec<usize> = counts.collect();
    assert_eq!(counts.iter().sum::<usize>(), 41, "{counts:?}");
    assert!(counts.iter().all(|&count| count >= 8), "{counts:?}");

    // Less than all of them, one twice, or one of another run is no whole.
    let reports: Vec<String> = (1..=4).map(|part| format!("part-{part}/json")).collect();
    fs::remove_dir_all(here.join("merged")).unwrap();
    let missing = merge(here, &reports[..3]);
    assert_eq!(code(&missing), 4);
    assert!(
        stderr(&missing).contains("of 4 parts, no report is given of 4"),
        "{}",
        stderr(&missing)
    );
    let doubled = merge(here, &[&reports[..], &reports[..1]].concat());
    assert_eq!(code(&doubled), 2, "{}", stderr(&doubled));
    for (arguments, why) in [
        (&["check", "--partition", "4/4", "-W", "high-idle"][..], "different policies"),
        (&["check", "--partition", "4/5"], "one is of 5, the other of 4 parts"),
        (&["check", "--partition", "4/4", "captures"], "other captures, or had other options"),
        (
            &["check", "--partition", "4/4", "--user-re", "x"],
            "other captures, or had other options",
        ),
        (&["check", "captures/c00"], "the report of a whole run"),
    ] {
        into(here, "foreign", arguments);
        let mut mixed = reports.clone();
        mixed[3] = "foreign/json".to_owned();
        let foreign = merge(here, &mixed);
        assert_eq!(code(&foreign), 2, "{arguments:?}\n{}", stderr(&foreign));
        assert!(stderr(&foreign).contains(why), "{arguments:?}\n{}", stderr(&foreign));
    }
    assert!(!here.join("merged").exists(), "no output of less than the whole");
}

#[test]
fn ranks_of_a_job_are_compared_in_their_part() {
    let world = folder(&["eager", "idle-graph"], "");
    let here = world.path();
    for (job, rank, of) in [("a", 0, 2), ("a", 1, 2), ("b", 0, 8), ("b", 5, 8)] {
        let text = format!(
            "rank {rank} of {of}\nop forward 0..1000\nlaunch 0..5\n\
             kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL 20+80\n"
        );
        let capture = crate::fixture::write(&text).unwrap_or_else(|error| panic!("{error}"));
        write(&here.join(format!("captures/{job}/rank_{rank}.json")), capture.kineto());
    }
    // Named files are found one by one, and are of one job all the same.
    let named = ["captures/b/rank_5.json", "captures/a/rank_0.json", "captures/a/rank_1.json"];
    for (arguments, of) in [
        (&["captures"][..], 3),
        (&["captures", "-D", "missing-ranks"], 4),
        (&[&named[..], &["captures/b/rank_0.json"]].concat(), 2),
    ] {
        let expected = i32::from(arguments.contains(&"-D"));
        assert_merged_is_whole(here, of, arguments, expected);
        let whole: idleproof::report::Report =
            serde_json::from_slice(&read(here, "whole/json")).unwrap();
        let runs: Vec<&str> = whole.runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(runs, ["captures/a", "captures/b"]);
    }
    let denied =
        idleproof(here, &["check", "captures", "-D", "missing-ranks", "--report=github=-"]);
    let told = String::from_utf8_lossy(&denied.stdout).into_owned();
    assert!(told.contains("::error file=captures/b,title=idleproof%3A missing-ranks::"), "{told}");
}

#[test]
fn a_refused_capture_is_refused_in_the_whole() {
    let world = folder(&["healthy", "eager"], "");
    let here = world.path();
    write(&here.join("captures/cut/rank_0.pt.trace.json"), "{\"traceEvents\": [{\"ph\": \"X\"");
    assert_merged_is_whole(here, 2, &["captures", "nowhere"], 4);
    // More parts than folders: some are empty, which is no failure of theirs.
    assert_merged_is_whole(here, 5, &["captures/healthy", "captures/eager"], 0);
    let empty = idleproof(here, &["check", "captures/eager", "--partition", "2/2"]);
    assert_eq!(code(&empty), 0, "{}", stderr(&empty));
    assert!(stderr(&empty).contains("no capture falls to this part"));
}

#[test]
fn a_golden_that_cannot_be_read_leaves_the_whole_unjudged() {
    let world = folder(&["healthy", "eager"], "");
    let here = world.path();
    let golden = "goldens/captures+eager+rank_0.pt.trace.json.gz.trust.snap";
    write(&here.join(golden), "no golden");
    let reports = parts(here, 2, &["captures", "--goldens", "goldens", "-W", "golden-missing"]);
    let merged = merge(here, &reports);
    assert_eq!(code(&merged), 4, "{}", stderr(&merged));
}

#[test]
fn a_statement_is_about_a_capture_of_some_part() {
    let world = folder(&["healthy", "eager"], "");
    let here = world.path();
    let claim = |glob: &str| {
        format!("[[claim]]\ncapture = \"{glob}\"\nquantity = \"device_inactive_pct\"\nabove = 0\n")
    };
    write(&here.join("claims.toml"), claim("captures/eager/**"));
    assert_merged_is_whole(here, 2, &["captures", "--claims", "claims.toml"], 0);
    write(&here.join("claims.toml"), claim("captures/nowhere/**"));
    let reports = parts(here, 2, &["captures", "--claims", "claims.toml"]);
    let merged = merge(here, &reports);
    assert_eq!(code(&merged), 2, "{}", stderr(&merged));
    assert!(stderr(&merged).contains("no capture of this run is meant"), "{}", stderr(&merged));
}

#[test]
fn what_is_no_report_of_a_part_is_told() {
    let world = folder(&["healthy"], "");
    let here = world.path();
    let reports = parts(here, 1, &["captures"]);
    let text = String::from_utf8(read(here, &reports[0])).unwrap();
    write(&here.join("cut.json"), &text[..30]);
    write(
        &here.join("old.json"),
        text.replacen("\"schema_version\": 1", "\"schema_version\": 0", 1),
    );
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    write(&here.join("other.json"), text.replacen(&version, "\"version\": \"0.0.1\"", 1));
    let mut told = String::new();
    for (expected, arguments) in [
        (4, "merge nowhere.json"),
        (4, "merge cut.json"),
        (2, "merge old.json"),
        (2, "merge other.json"),
        (2, "merge part-1/json --report csv=tables"),
        (2, "merge part-1/json --report trust=part-1/json"),
        (2, "merge"),
        (2, "check captures --partition 5/4"),
        (2, "check captures --partition 1/2 --program 7"),
        (3, "check *.gz --partition 1/2"),
    ] {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let output = idleproof(here, &arguments);
        assert_eq!(code(&output), expected, "{arguments:?}\n{}", stderr(&output));
        told.push_str(&format!("$ idleproof {}\n{}\n", arguments.join(" "), stderr(&output)));
    }
    crate::snapshot("merge_usage", &told);
}

/// Forgery can't be kept out, but what no report of this program says of itself is told.
#[test]
fn parts_that_contradict_themselves_are_no_parts() {
    let world = folder(&["healthy", "incident"], "");
    let here = world.path();
    let reports = parts(here, 2, &["captures"]);
    let text = |at: usize| String::from_utf8(read(here, &reports[at])).unwrap();
    let incident = (0..2).find(|&at| text(at).contains("\"verdict\": \"fail\"")).unwrap();
    let other = &reports[1 - incident];
    let without_checks = |text: &str| {
        let mut report: serde_json::Value = serde_json::from_str(text).unwrap();
        report["captures"][0]["checks"] = serde_json::json!([]);
        report.to_string()
    };
    for (edited, says) in [
        (
            text(incident).replacen("\"verdict\": \"fail\"", "\"verdict\": \"pass\"", 1),
            "its verdict",
        ),
        (text(incident).replace("\"fails\": true", "\"fails\": false"), "does not fail"),
        (without_checks(&text(incident)), "lacks checks"),
    ] {
        write(&here.join("edited.json"), edited);
        let merged = merge(here, &[other.clone(), "edited.json".to_owned()]);
        assert_eq!(code(&merged), 2, "{}", stderr(&merged));
        assert!(stderr(&merged).contains(says), "{says}: {}", stderr(&merged));
    }
    // One part under the number of the other one.
    let mut twice: serde_json::Value = serde_json::from_str(&text(incident)).unwrap();
    twice["partition"]["part"] = serde_json::json!(2 - incident);
    write(&here.join("edited.json"), twice.to_string());
    let merged = merge(here, &[reports[incident].clone(), "edited.json".to_owned()]);
    assert_eq!(code(&merged), 2, "{}", stderr(&merged));
    assert!(stderr(&merged).contains("is in two parts"), "{}", stderr(&merged));
    // A part says nothing of the captures of the others.
    let part = idleproof(here, &["check", "captures", "--baseline", &reports[0]]);
    assert_eq!(code(&part), 2, "{}", stderr(&part));
}
