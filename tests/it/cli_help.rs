//! What helps: completions, manual pages, and words at the places where newcomers stumbled.

use crate::cli::{code, folder, idleproof, stderr, stdout, write};
use crate::harness::in_crate;
use idleproof::report::Report;
use std::fs;

#[test]
fn completions_and_pages_know_every_command() {
    let world = folder(&[], "");
    let run = |arguments: &[&str]| stdout(&idleproof(world.path(), arguments));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell]);
        for word in ["check", "golden", "prune", "completions", "baseline"] {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
    }
    let page = run(&["man"]);
    assert!(page.contains(".TH idleproof 1") && page.contains("idleproof\\-check(1)"), "{page}");
    let page = run(&["man", "golden", "accept"]);
    assert!(page.contains(".TH idleproof-golden-accept 1  \"idleproof "), "{page}");
    assert!(page.contains("captures+decode.trust.snap"), "{page}");
}

#[test]
fn few_words_still_say_what_will_fail() {
    let expires = "2999-01-01";
    let policy = format!(
        "version = 1\ncaptures = [\"captures/**/*.gz\"]\n[golden]\n[checks]\ngolden-missing = \"warn\"\n[[exceptions]]\n\
         check = \"damaged-records\"\npaths = [\"captures/**\"]\nreason = \"x\"\nexpires = {expires}\n"
    );
    let world = folder(&["healthy"], &policy);
    let quiet = idleproof(world.path(), &["check", "-q"]);
    assert_eq!(code(&quiet), 0);
    crate::snapshot("cli_quiet", &stderr(&quiet));
}

#[test]
fn a_name_in_place_of_a_programs_id_is_answered_with_the_ids() {
    let world = folder(&[], "");
    let here = world.path();
    let sample = fs::read(in_crate("tests/captures/jax-graph/host.xplane.pb")).unwrap();
    write(&here.join("host.xplane.pb"), sample);
    let read = idleproof(here, &["report", "host.xplane.pb", "--report", "json=-"]);
    let report: Report = serde_json::from_slice(&read.stdout).unwrap();
    let hlo = report.captures[0].attribution.as_ref().unwrap().hlo.as_ref().unwrap();
    let program = &hlo.programs[0];
    let by_name = idleproof(here, &["report", "host.xplane.pb", "--program", &program.name]);
    assert_eq!(code(&by_name), 2);
    let told = stderr(&by_name);
    assert!(
        told.contains("an id is wanted") && told.contains(&format!("\n    {}  ", program.id)),
        "{told}"
    );
    let id = program.id.to_string();
    assert_eq!(code(&idleproof(here, &["report", "host.xplane.pb", "--program", &id])), 0);

    let nothing = idleproof(here, &["report", "host.xplane.pb", "--user-re", "^no/such/file"]);
    let note = "note: no source line of these captures is in a file that `--user-re ^no/such/file` matches";
    assert!(stderr(&nothing).contains(note), "{}", stderr(&nothing));
    let all = idleproof(here, &["report", "host.xplane.pb", "--user-re", "."]);
    assert!(!stderr(&all).contains("--user-re"), "{}", stderr(&all));
}

#[test]
fn progress_is_for_terminals_alone() {
    let world = folder(&["healthy", "eager"], "");
    let told = stderr(&idleproof(world.path(), &["check", "captures"]));
    assert!(
        !told.contains("analysed") && !told.contains('\r') && !told.contains('\u{1b}'),
        "{told}"
    );
}
