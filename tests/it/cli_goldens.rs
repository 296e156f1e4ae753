//! The `golden` commands and the comparison as they are called: tolerances, what is left over, and what must not weaken the gate.

use crate::cli::{code, folder, idleproof, stderr, stdout, write};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const POLICY: &str = "version = 1\ncaptures = [\"captures/**/*.gz\"]\n[golden]\n";

/// The only golden of a folder, and its text.
fn golden(here: &Path) -> (std::path::PathBuf, String) {
    let files =
        fs::read_dir(here.join("goldens")).into_iter().flatten().flatten().map(|one| one.path());
    let is_golden = |path: &std::path::PathBuf| path.extension().is_some_and(|one| one == "snap");
    let mut files: Vec<_> = files.filter(is_golden).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let path = files.remove(0);
    let text = fs::read_to_string(&path).unwrap_or_default();
    (path, text)
}

#[test]
fn figures_within_their_tolerance_are_no_difference() {
    let tolerances = "[golden.tolerances]\ndevice_inactive_pct = { abs = 0.5 }\nhost_starved_pct = { abs = 0.5 }\n\
                      \"checks.*.message\" = { rel = 0.1 }\n";
    let world = folder(&["healthy"], &format!("{POLICY}{tolerances}"));
    let here = world.path();
    assert_eq!(code(&idleproof(here, &["check", "--pending", "goldens"])), 1);
    assert_eq!(code(&idleproof(here, &["golden", "accept", "--all"])), 0);
    assert_eq!(code(&idleproof(here, &["check"])), 0);
    let (path, text) = golden(here);
    assert_eq!(
        insta::Snapshot::from_file(&path).unwrap().metadata().source(),
        Some("idleproof.toml")
    );

    let figure = |text: &str, key: &str| -> f64 {
        let line = text.lines().find(|line| line.contains(&format!("figure {key}"))).unwrap();
        line.rsplit(' ').next().unwrap().trim_matches('"').parse().unwrap()
    };
    let idle = figure(&text, "claims.idle.device_inactive_pct.0");
    // As if it had been accepted of another recording, that idled so much more.
    let accepted = |more: f64| {
        let (old, new) = (idle.to_string(), (idle + more).to_string());
        let (old_shown, new_shown) = (format!("{idle:.1} %"), format!("{:.1} %", idle + more));
        let line = |line: &str| match line {
            waiting
                if waiting.contains("waiting for the host |")
                    || waiting.contains("host_starved") =>
            {
                waiting.to_owned()
            }
            other => other.replace(&old_shown, &new_shown).replace(&old, &new),
        };
        let lines: Vec<String> = text.lines().map(line).collect();
        (lines.join("\n") + "\n").replace("5888 kernels", "6001 kernels")
    };
    let near = accepted(0.4);
    assert_ne!(near.split("\n---\n").nth(1), text.split("\n---\n").nth(1), "the body is another");
    write(&path, &near);
    let same = idleproof(here, &["check"]);
    assert_eq!(code(&same), 0, "{}", stderr(&same));
    assert_eq!(golden(here).1, near, "a golden is not drawn along");

    write(&path, accepted(0.6));
    let far = idleproof(here, &["check"]);
    assert_eq!(code(&far), 1, "{}", stderr(&far));
    let expected = format!(
        "beyond: claims.idle.device_inactive_pct.0: golden {}, this run {idle}, tolerance abs 0.5",
        idle + 0.6
    );
    assert!(stderr(&far).contains(&expected), "{expected}\n{}", stderr(&far));

    // What no tolerance is for is compared as text.
    write(&path, near.replace("**pass**", "**fail**"));
    assert_eq!(code(&idleproof(here, &["check"])), 1);
}

#[test]
fn a_golden_from_before_its_tolerances_is_told_and_renewed() {
    let world = folder(&["healthy"], POLICY);
    let here = world.path();
    idleproof(here, &["check", "--pending", "goldens"]);
    idleproof(here, &["golden", "accept", "--all"]);
    let (path, text) = golden(here);
    assert!(!text.contains("figure claims"), "{text}");
    let tolerances =
        "[golden.tolerances]\ndevice_inactive_pct = { abs = 0.5 }\nidle_pc = { abs = 1 }\n";
    write(&here.join("idleproof.toml"), format!("{POLICY}{tolerances}"));
    let same = idleproof(here, &["check", "--pending", "goldens"]);
    assert_eq!(code(&same), 0, "{}", stderr(&same));
    assert!(
        stderr(&same).contains("has the field `idle_pc` of golden.tolerances"),
        "{}",
        stderr(&same)
    );
    assert!(!stderr(&same).contains("`device_inactive_pct`"), "{}", stderr(&same));
    let status = stdout(&idleproof(here, &["golden", "status"]));
    assert!(status.contains("the figures that its tolerances need are new"), "{status}");
    write(&path, text.replace("2.1 %", "2.2 %"));
    let other = stderr(&idleproof(here, &["check"]));
    assert!(other.contains("the golden holds no figure for 2 fields"), "{other}");
    write(&path, &text);
    assert_eq!(code(&idleproof(here, &["golden", "accept", "--all"])), 0);
    assert!(golden(here).1.contains("figure claims.idle.device_inactive_pct.0"));

    // A field that is a whole table is no figure.
    write(
        &here.join("idleproof.toml"),
        format!("{POLICY}tolerances = {{ \"*\" = {{ rel = 1 }} }}\n"),
    );
    let many = idleproof(here, &["check"]);
    assert_eq!(code(&many), 2, "{}", stderr(&many));
    assert!(stderr(&many).contains("a golden keeps at most"), "{}", stderr(&many));
}

#[test]
fn what_belongs_to_no_capture_is_listed_and_removed_by_name() {
    let world = folder(&["healthy", "eager"], POLICY);
    let here = world.path();
    let run = |arguments: &[&str]| idleproof(here, arguments);
    assert_eq!(code(&run(&["check", "--pending", "goldens"])), 1);
    assert_eq!(code(&run(&["golden", "accept", "--all"])), 0);
    let mut told = String::new();
    let mut tell = |arguments: &[&str], expected: i32| {
        let output = run(arguments);
        assert_eq!(code(&output), expected, "{arguments:?} {}", stderr(&output));
        let said = format!("{}{}", stdout(&output), stderr(&output));
        told.push_str(&format!("$ idleproof {}\n{said}\n", arguments.join(" ")));
    };
    tell(&["golden", "prune"], 0);
    fs::remove_dir_all(here.join("captures/eager")).unwrap();
    // Somebody else's snapshots, one of them broken.
    write(&here.join("goldens/other__test.snap"), "---\nsource: x.rs\n---\nx\n");
    write(&here.join("goldens/broken.trust.snap"), "<<<<<<< ours\n");
    tell(&["golden", "status"], 0);
    tell(&["golden", "prune"], 0);
    tell(&["golden", "prune", "nosuch.trust.snap"], 2);
    tell(&["golden", "prune", "--all", "x"], 2);
    assert!(here.join("goldens/captures+eager+rank_0.pt.trace.json.gz.trust.snap").exists());
    tell(&["golden", "prune", "--all"], 0);
    let mut left: Vec<_> =
        fs::read_dir(here.join("goldens")).unwrap().flatten().map(|one| one.file_name()).collect();
    left.sort();
    assert_eq!(
        left,
        [
            ".gitignore",
            "Cargo.toml",
            "broken.trust.snap",
            "captures+healthy+rank_0.pt.trace.json.gz.trust.snap",
            "lib.rs",
            "other__test.snap"
        ]
    );
    // One capture that can't be read might own any golden.
    write(&here.join("captures/cut.json.gz"), "no capture");
    tell(&["golden", "prune", "--all"], 4);
    tell(&["golden", "status"], 0);
    fs::remove_file(here.join("idleproof.toml")).unwrap();
    tell(&["golden", "prune"], 2);
    tell(&["golden", "review"], 2);
    crate::snapshot("cli_golden_prune", &told);
}

#[test]
fn what_waits_in_an_artifact_is_accepted_without_captures() {
    let runner = folder(&["healthy"], POLICY);
    assert_eq!(code(&idleproof(runner.path(), &["check", "--pending", "pending"])), 1);
    // What the runner uploads, unpacked elsewhere, where no capture is.
    let desk = folder(&[], POLICY);
    for file in fs::read_dir(runner.path().join("pending")).unwrap().flatten() {
        write(&desk.path().join("artifact").join(file.file_name()), fs::read(file.path()).unwrap());
    }
    let accepted = idleproof(desk.path(), &["golden", "accept", "--all", "--pending", "artifact"]);
    assert_eq!(code(&accepted), 0, "{}", stderr(&accepted));
    let (path, text) = golden(desk.path());
    write(&runner.path().join("goldens").join(path.file_name().unwrap()), text);
    assert_eq!(code(&idleproof(runner.path(), &["check"])), 0);
}

#[test]
fn no_variable_of_insta_weakens_the_gate() {
    let world = folder(&["healthy"], POLICY);
    let here = world.path();
    idleproof(here, &["check", "--pending", "goldens"]);
    idleproof(here, &["golden", "accept", "--all"]);
    let (path, text) = golden(here);
    let other = text.replace("**pass**", "**fail**");
    write(&path, &other);
    for (name, value) in [
        ("INSTA_FORCE_PASS", "1"),
        ("INSTA_UPDATE", "always"),
        ("INSTA_UPDATE", "force"),
        ("INSTA_UPDATE", "new"),
        ("INSTA_PENDING_DIR", "elsewhere"),
        ("INSTA_WORKSPACE_ROOT", "/"),
        ("CI", "false"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_idleproof"));
        command.arg("check").current_dir(here).env_clear().env(name, value).stdin(Stdio::null());
        let output = command.output().unwrap();
        assert_eq!(code(&output), 1, "{name}={value}");
        assert!(stderr(&output).contains("golden-differs"), "{name}={value}");
        assert_eq!(golden(here).1, other, "{name}={value} wrote the golden");
        assert!(!here.join("elsewhere").exists());
    }
}

/// The stub makes the folder a project to `cargo insta`, where that is installed.
#[test]
fn cargo_insta_takes_over_what_waits() {
    let world = folder(&["healthy"], POLICY);
    let here = world.path();
    idleproof(here, &["check", "--pending", "goldens"]);
    idleproof(here, &["golden", "accept", "--all"]);
    let (path, text) = golden(here);
    write(&path, text.replace("**pass**", "**fail**"));
    assert_eq!(code(&idleproof(here, &["check", "--pending", "goldens"])), 1);
    let insta = Command::new("cargo")
        .args(["insta", "accept", "--manifest-path", "goldens/Cargo.toml"])
        .current_dir(here)
        .output();
    match insta {
        Ok(output) if output.status.success() => {
            let checked = idleproof(here, &["check"]);
            assert_eq!(code(&checked), 0, "{}", stderr(&checked));
        }
        _ => crate::harness::say("cargo insta absent: skipped"),
    }
}
