//! `check --baseline`: what became less reliable fails, what was known passes and is named.

use crate::cli::{code, folder, idleproof, stderr, write};
use idleproof::report::{Report, State};
use std::fs;
use std::path::Path;

const CAPTURE: &str = "captures/run/rank_0.pt.trace.json.gz";

/// Puts a sample capture in the place of the one that is gated.
fn record(here: &Path, sample: &str) {
    let from =
        crate::harness::in_crate(&format!("tests/captures/{sample}/rank_0.pt.trace.json.gz"));
    write(&here.join(CAPTURE), fs::read(from).unwrap_or_default());
}

#[test]
fn a_loss_of_reliability_fails_and_what_was_lost_before_is_named() {
    let policy = "version = 1\ncaptures = [\"captures/**/*.gz\"]\n";
    let world = folder(&[], policy);
    let here = world.path();
    let run = |arguments: &[&str]| idleproof(here, arguments);
    record(here, "healthy");
    assert_eq!(code(&run(&["check", "--report", "json=healthy.json"])), 0);
    assert_eq!(code(&run(&["check", "--baseline", "healthy.json"])), 0);

    // The same run, recorded with losses. At `advisory` no check would fail.
    record(here, "incident");
    let advisory = ["check", "captures", "--preset", "advisory"];
    assert_eq!(code(&run(&advisory)), 0);
    let lost =
        run(&[&advisory[..], &["--baseline", "healthy.json", "--report", "json=lost.json"]]
            .concat());
    assert_eq!(code(&lost), 1, "{}", stderr(&lost));
    let told = stderr(&lost);
    assert!(
        told.contains("error[under-recorded-graph-replays]")
            && told.contains("; it held in healthy.json"),
        "{told}"
    );
    let claims = "error[baseline-regression]: captures/run/rank_0.pt.trace.json.gz: supported in healthy.json and no more: \
                  idle (withheld by under-recorded-graph-replays, idle-with-queued-work, sync-without-recorded-work)";
    assert!(told.contains(claims), "{told}");
    crate::snapshot("cli_baseline", &told);

    // Known losses fail no second time, and are named.
    assert_eq!(code(&run(&["check", "--report", "json=incident.json"])), 1);
    let known = run(&["check", "--baseline", "incident.json", "--report", "json=known.json"]);
    assert_eq!(code(&known), 0, "{}", stderr(&known));
    assert!(
        stderr(&known).contains("excepted: it does not hold in incident.json either"),
        "{}",
        stderr(&known)
    );
    let report: Report =
        serde_json::from_slice(&fs::read(here.join("known.json")).unwrap()).unwrap();
    let excepted = report.captures[0].checks_in(State::Excepted).count();
    assert_eq!(excepted, 3);

    // What became better does not fail either.
    record(here, "healthy");
    assert_eq!(code(&run(&["check", "--baseline", "incident.json"])), 0);
    // A report that was written against a baseline is one itself.
    record(here, "incident");
    assert_eq!(code(&run(&["check", "--baseline", "known.json"])), 0);
}

#[test]
fn a_baseline_that_compares_nothing_is_no_pass() {
    let policy = "version = 1\ncaptures = [\"captures/**/*.gz\"]\n";
    let world = folder(&["healthy", "eager"], policy);
    let here = world.path();
    let run = |arguments: &[&str]| idleproof(here, arguments);
    assert_eq!(code(&run(&["check", "--report", "json=base.json"])), 0);
    let text = fs::read_to_string(here.join("base.json")).unwrap();
    write(&here.join("newer.json"), text.replace("\"schema_version\": 1", "\"schema_version\": 2"));
    write(&here.join("renamed.json"), text.replace("captures/", "elsewhere/"));
    write(&here.join("other.json"), "{}");
    for (file, expected) in [
        ("nowhere.json", "it does not exist"),
        ("other.json", "this is no report of idleproof"),
        ("newer.json", "its schema_version is 2, and this program knows 1"),
        ("renamed.json", "none of its captures is in this run; it holds elsewhere/eager"),
    ] {
        let output = run(&["check", "--baseline", file]);
        assert_eq!(code(&output), 2, "{file} {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{file} {}", stderr(&output));
    }
    let over = run(&["check", "--baseline", "base.json", "--report", "json=base.json"]);
    assert_eq!(code(&over), 2, "{}", stderr(&over));

    fs::remove_dir_all(here.join("captures/eager")).unwrap();
    let gone = run(&["check", "--baseline", "base.json"]);
    assert_eq!(code(&gone), 0);
    assert!(
        stderr(&gone).contains("warning[baseline-capture-gone]: captures/eager"),
        "{}",
        stderr(&gone)
    );
    assert!(
        !stderr(&run(&["check", "captures", "--baseline", "base.json"])).contains("capture-gone")
    );
}

#[test]
fn a_statement_that_was_false_before_excuses_no_other() {
    let world = folder(&["healthy"], "");
    let here = world.path();
    let claim = |percent: u32| format!("[[claim]]\nquantity = \"busy_pct\"\nvalue = {percent}\n");
    write(&here.join("old.toml"), claim(9));
    write(&here.join("new.toml"), claim(1));
    let run = |arguments: &[&str]| idleproof(here, &[&["check", "captures"], arguments].concat());
    assert_eq!(code(&run(&["--claims", "old.toml", "--report", "json=base.json"])), 1);
    let later = run(&["--claims", "new.toml", "--baseline", "base.json"]);
    assert_eq!(code(&later), 1, "{}", stderr(&later));
    assert!(stderr(&later).contains("error[unsupported-claim]"), "{}", stderr(&later));
}
