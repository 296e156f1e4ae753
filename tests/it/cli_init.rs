//! `init` as it is called: what it writes, what it leaves alone, and that the gate passes after `--baseline`.

use crate::cli::{code, folder, idleproof, stderr, stdout, write};
use std::fs;

#[test]
fn a_project_starts_with_files_that_explain_themselves() {
    let world = folder(&["healthy", "incident"], "");
    let here = world.path();
    write(&here.join("runs/host.xplane.pb"), "");
    write(&here.join("node_modules/x/a.trace.json"), "");
    write(&here.join(".cache/a.trace.json"), "");
    let created = stdout(&idleproof(here, &["init"]));
    let policy = fs::read_to_string(here.join("idleproof.toml")).unwrap();
    assert!(
        policy.contains(
            r#"captures = ["captures/**/*.{trace.json,trace.json.gz,xplane.pb}", "runs/**/*.{trace.json,trace.json.gz,xplane.pb}"]"#
        ),
        "{policy}"
    );
    let again = stdout(&idleproof(here, &["init"]));
    assert_eq!(fs::read_to_string(here.join("idleproof.toml")).unwrap(), policy);
    crate::snapshot("cli_init", &format!("$ idleproof init\n{created}\n$ idleproof init\n{again}"));
    fs::remove_dir_all(here.join("runs")).unwrap();
    let valid = idleproof(here, &["policy", "validate"]);
    assert!(
        stdout(&valid).contains("it sets 1 check otherwise"),
        "{}{}",
        stdout(&valid),
        stderr(&valid)
    );
    // Every line that is commented out is one that the program takes.
    let uncommented: Vec<&str> = policy.lines().map(uncomment).collect();
    write(&here.join("all.toml"), uncommented.join("\n"));
    let all = idleproof(here, &["policy", "validate", "all.toml"]);
    assert_eq!(code(&all), 0, "{}\n{}", stderr(&all), uncommented.join("\n"));
    // Nobody has accepted a golden yet: that is noted, and the incident fails.
    let checked = idleproof(here, &["check"]);
    assert_eq!(code(&checked), 1);
    assert!(stderr(&checked).contains("warning[golden-missing]"), "{}", stderr(&checked));
}

/// A line of the policy file with its comment mark taken off, where it is TOML.
fn uncomment(line: &str) -> &str {
    let bare = line.strip_prefix("# ").unwrap_or(line);
    let is_toml = bare.contains(" = ") || bare.starts_with("[[");
    if is_toml { bare } else { line }
}

#[test]
fn nothing_that_is_there_is_overwritten() {
    let world = folder(&["healthy"], "version = 1 # mine\n");
    let here = world.path();
    let own = ["goldens/Cargo.toml", "goldens/.gitignore", ".github/workflows/idleproof.yml"];
    for path in own {
        write(&here.join(path), "mine\n");
    }
    let told = stdout(&idleproof(here, &["init"]));
    assert!(
        told.contains("kept idleproof.toml as it is\ncreated goldens/lib.rs\nkept .github"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(here.join("idleproof.toml")).unwrap(), "version = 1 # mine\n");
    for path in own {
        assert_eq!(fs::read_to_string(here.join(path)).unwrap(), "mine\n", "{path}");
    }
}

#[test]
fn what_fails_at_adoption_is_excepted_by_name_until_a_day() {
    let world = folder(&["healthy", "incident"], "");
    let here = world.path();
    let run = |arguments: &[&str]| idleproof(here, arguments);
    let past = run(&["init", "--baseline", "--expires", "2020-01-01"]);
    assert_eq!(code(&past), 2);
    assert!(stderr(&past).contains("this day is over") && !here.join("idleproof.toml").exists());
    assert_eq!(code(&run(&["init", "--expires", "2090-01-01"])), 2);

    let first = run(&["init", "--baseline", "--expires", "2090-01-31"]);
    assert_eq!(code(&first), 0, "{}", stderr(&first));
    crate::snapshot("cli_init_baseline", &stdout(&first));
    let policy = fs::read_to_string(here.join("idleproof.toml")).unwrap();
    assert_eq!(policy.matches("\n[[exceptions]]\n").count(), 3, "{policy}");
    let checked = run(&["check"]);
    assert_eq!(code(&checked), 0, "{}", stderr(&checked));
    let told = stderr(&checked);
    let excepted = "excepted: violated when the gate was adopted (until 2090-01-31)";
    assert!(
        told.contains("warning[under-recorded-graph-replays]") && told.contains(excepted),
        "{told}"
    );
    // The claims stay withheld.
    assert!(told.contains("so: withheld: idle"), "{told}");

    // Nothing is left to except, and a second time nothing is added.
    let second = run(&["init", "--baseline"]);
    assert!(stdout(&second).contains("nothing fails today"), "{}", stdout(&second));
    assert_eq!(fs::read_to_string(here.join("idleproof.toml")).unwrap(), policy);
}

#[test]
fn without_a_capture_there_is_no_baseline() {
    let world = folder(&[], "");
    let here = world.path();
    let told = idleproof(here, &["init", "--baseline"]);
    assert_eq!((code(&told), stdout(&told)), (3, String::new()));
    let told = stderr(&told);
    for part in ["nothing to take a baseline of", "change `captures`", "\ncreated idleproof.toml\n"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    let policy = fs::read_to_string(here.join("idleproof.toml")).unwrap();
    assert!(!policy.contains("\n[[exceptions]]"), "{policy}");
}

#[test]
fn exceptions_are_added_to_a_policy_that_is_there() {
    let own = "version = 1\ncaptures = [\"captures/**/*.gz\"] # ours\nexceptions = []\n";
    let world = folder(&["incident"], own);
    let here = world.path();
    // Its exceptions are a list that ends on its line: what to add is told, and nothing is broken.
    let told = idleproof(here, &["init", "--baseline"]);
    assert_eq!(code(&told), 2, "{}", stdout(&told));
    assert!(
        stderr(&told).contains("add by hand:\n\n[[exceptions]]\ncheck = \"under-recorded"),
        "{}",
        stderr(&told)
    );
    assert_eq!(fs::read_to_string(here.join("idleproof.toml")).unwrap(), own);
    let own = own.replace("exceptions = []\n", "");
    write(&here.join("idleproof.toml"), &own);
    assert_eq!(code(&idleproof(here, &["init", "--baseline"])), 0);
    let after = fs::read_to_string(here.join("idleproof.toml")).unwrap();
    assert!(after.starts_with(&own), "{after}");
    assert_eq!(code(&idleproof(here, &["check"])), 0);
    // What cannot be read takes no exception.
    write(&here.join("captures/cut.json.gz"), "no capture");
    assert_eq!(code(&idleproof(here, &["init", "--baseline"])), 4);
}
