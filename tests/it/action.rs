//! The action for GitHub and the workflows: what their scripts do with hostile inputs, and what every workflow keeps to.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]

use crate::cli::{folder, write};
use crate::harness::{in_crate, say};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The action's script `name` in a folder, as a runner would start it. `None` where there is no bash.
fn script(name: &str, here: &Path, inputs: &[(&str, &str)]) -> Option<Output> {
    let program = Path::new(env!("CARGO_BIN_EXE_idleproof"));
    let programs = program.parent().unwrap_or(Path::new(".")).display().to_string();
    let runner = here.join("runner");
    fs::create_dir_all(&runner).unwrap();
    let mut command = Command::new("bash");
    command.arg(in_crate(".github/action").join(name)).current_dir(here).env_clear();
    command.env("PATH", format!("{programs}:/usr/bin:/bin")).env("RUNNER_TEMP", &runner);
    for file in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH"] {
        command.env(file, here.join(file));
    }
    let output = command.envs(inputs.iter().copied()).output().ok();
    if output.is_none() {
        say("there is no bash: the scripts of the action were not run");
    }
    output
}

fn text(path: PathBuf) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn the_gate_tells_its_verdict_and_counts() {
    let world = folder(&["incident", "healthy"], "");
    let here = world.path();
    for (paths, code, verdict) in [
        ("captures/incident", 1, "verdict=fail\ncaptures=1\npassed=0\nfailed=1\nrefused=0\n"),
        ("captures/healthy", 0, "verdict=pass\ncaptures=1\npassed=1\nfailed=0\nrefused=0\n"),
        ("  captures/healthy\n\n captures/incident ", 1, "verdict=fail\ncaptures=2\npassed=1\n"),
        ("captures/nowhere", 4, "verdict=error\ncaptures=1\npassed=0\nfailed=0\nrefused=1\n"),
    ] {
        for file in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
            write(&here.join(file), "");
        }
        let Some(output) = script("gate", here, &[("IDLEPROOF_PATHS", paths)]) else { return };
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{paths}\n{told}");
        let outputs = text(here.join("GITHUB_OUTPUT"));
        assert!(outputs.starts_with(verdict), "{paths}: {outputs}");
        assert!(outputs.ends_with(&format!("exit_code={code}\n")), "{paths}: {outputs}");
        assert!(text(here.join("GITHUB_STEP_SUMMARY")).starts_with("# idleproof: "), "{paths}");
        let annotations = String::from_utf8_lossy(&output.stdout);
        assert_eq!(annotations.contains("::error "), code != 0, "{paths}: {annotations}");
        for report in ["report.json", "junit.xml", "report.md", "comment.md", "report.sarif"] {
            assert!(here.join("idleproof-reports").join(report).exists(), "{report}");
        }
    }
    // What never became a run has a code and no verdict.
    write(&here.join("GITHUB_OUTPUT"), "");
    let Some(wrong) = script("gate", here, &[("IDLEPROOF_ARGS", "--preset=nosuch")]) else {
        return;
    };
    assert_eq!(wrong.status.code(), Some(2));
    assert_eq!(text(here.join("GITHUB_OUTPUT")), "exit_code=2\n");
}

#[test]
fn the_gate_joins_the_parts_of_a_divided_run() {
    let world = folder(&["incident", "healthy"], "");
    let here = world.path();
    for part in ["1", "2"] {
        let (arguments, reports) = (format!("--partition={part}/2"), format!("part {part}"));
        let inputs = [
            ("IDLEPROOF_PATHS", "captures"),
            ("IDLEPROOF_ARGS", arguments.as_str()),
            ("IDLEPROOF_REPORTS", reports.as_str()),
        ];
        let Some(_) = script("gate", here, &inputs) else { return };
    }
    for (merge, code, outputs) in [
        ("part */report.json", 1, "verdict=fail\ncaptures=2\npassed=1\nfailed=1\n"),
        ("part 1/report.json", 4, "exit_code=4\n"),
        ("nowhere/*.json", 4, "exit_code=4\n"),
        ("$(touch pwned)", 4, "exit_code=4\n"),
    ] {
        write(&here.join("GITHUB_OUTPUT"), "");
        let Some(output) = script("gate", here, &[("IDLEPROOF_MERGE", merge)]) else { return };
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{merge}\n{told}");
        let told = text(here.join("GITHUB_OUTPUT"));
        assert!(told.starts_with(outputs), "{merge}: {told}");
    }
    assert!(!here.join("pwned").exists());
}

#[test]
fn no_input_is_read_as_code_or_option() {
    let world = folder(&["eager"], "");
    let here = world.path();
    let hostile = [
        "$(touch pwned)",
        "`touch pwned`",
        "; touch pwned",
        "x\"; touch pwned; \"",
        "'; touch pwned; '",
        "${IFS}touch${IFS}pwned",
        "a && touch pwned",
        "--report=json=pwned",
        "x'$(touch pwned)'",
    ];
    for text in hostile {
        for (name, input, must_fail) in [
            ("gate", "IDLEPROOF_PATHS", true),
            ("gate", "IDLEPROOF_POLICY", true),
            ("gate", "IDLEPROOF_GOLDENS", true),
            ("gate", "IDLEPROOF_REPORTS", false),
            ("install", "IDLEPROOF_VERSION", true),
            ("install", "IDLEPROOF_REPOSITORY", true),
        ] {
            let inputs = [("IDLEPROOF_PATHS", "captures/eager"), (input, text)];
            let Some(output) = script(name, here, &inputs) else { return };
            assert_eq!(must_fail, !output.status.success(), "{name} {input}={text}");
            assert!(!here.join("pwned").exists(), "{name} {input}={text}");
        }
        // Arguments may be options, but each line is one argument and no code.
        let arguments = format!("--color=never\n-A\n{text}");
        let Some(wrong) = script("gate", here, &[("IDLEPROOF_ARGS", &arguments)]) else { return };
        assert_eq!(wrong.status.code(), Some(2), "args {text}");
        assert!(!here.join("pwned").exists(), "args {text}");
    }
}

#[test]
fn an_install_takes_a_version_and_nothing_else() {
    let world = folder(&[], "");
    let here = world.path();
    for (version, repository, told) in [
        ("latest", "owner/idleproof", "the input version is none"),
        ("../../x", "owner/idleproof", "the input version is none"),
        ("0.1.0", "", "give 'source' as version"),
        ("0.1.0", "owner/idleproof/../x", "give 'source' as version"),
    ] {
        let inputs = [("IDLEPROOF_VERSION", version), ("IDLEPROOF_REPOSITORY", repository)];
        let Some(output) = script("install", here, &inputs) else { return };
        assert_eq!(output.status.code(), Some(1), "{version} {repository}");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.starts_with("::error title=idleproof::") && said.contains(told), "{said}");
    }
    let Some(installed) = script("install", here, &[("IDLEPROOF_VERSION", "installed")]) else {
        return;
    };
    assert!(installed.status.success());
    assert!(String::from_utf8_lossy(&installed.stdout).starts_with("idleproof "));
}

/// The action, the workflows of this project, and those that are proposed to others.
fn workflows() -> Vec<(String, String)> {
    let mut paths = vec![in_crate("action.yml")];
    for folder in [".github/workflows", "docs/examples"] {
        let entries = fs::read_dir(in_crate(folder)).unwrap();
        paths.extend(entries.flatten().map(|entry| entry.path()));
    }
    paths.sort();
    assert!(paths.len() >= 6, "{paths:?}");
    paths.into_iter().map(|path| (path.display().to_string(), text(path))).collect()
}

#[test]
fn actions_of_others_are_pinned() {
    for (path, text) in workflows() {
        for line in text.lines().map(|line| line.trim_start().trim_start_matches("- ")) {
            let Some(used) = line.strip_prefix("uses: ") else { continue };
            let (action, comment) = used.split_once(" # ").unwrap_or((used, ""));
            if action == "./" {
                continue;
            }
            let commit = action.split_once('@').map_or("", |(_, commit)| commit);
            let is_commit = commit.len() == 40 && commit.chars().all(|one| one.is_ascii_hexdigit());
            let is_version = comment.strip_prefix('v').is_some_and(|version| {
                version.split('.').count() == 3
                    && version.split('.').all(|part| part.parse::<u32>().is_ok())
            });
            assert!(is_commit && is_version, "{path}: {line}");
        }
    }
}

#[test]
fn no_script_holds_an_expression() {
    for (path, text) in workflows() {
        assert!(path.ends_with("action.yml") || text.contains("permissions: {}"), "{path}");
        let mut script: Option<usize> = None;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let depth = line.len() - line.trim_start().len();
            let begins = line.trim_start().trim_start_matches("- ").starts_with("run:");
            if begins {
                script = Some(depth);
            } else if script.is_some_and(|from| depth <= from) {
                script = None;
            }
            assert!(script.is_none() || !line.contains("${{"), "{path}: {line}");
        }
    }
}

#[test]
fn the_outputs_of_the_action_are_those_of_its_script() {
    let action = text(in_crate("action.yml"));
    let named: Vec<&str> = action
        .split("steps.gate.outputs.")
        .skip(1)
        .filter_map(|rest| rest.split(|one: char| one != '_' && !one.is_ascii_lowercase()).next())
        .collect();
    assert!(named.len() >= 8, "{named:?}");
    let report = idleproof::render::find("counts");
    let world = folder(&["healthy"], "");
    let counts = world.path().join("counts");
    let target = format!("counts={}", counts.display());
    crate::cli::idleproof(world.path(), &["check", "captures", "--report", &target]);
    let counts = text(counts);
    assert!(report.is_some() && !counts.is_empty());
    for name in named.into_iter().filter(|name| *name != "exit_code") {
        assert!(counts.lines().any(|line| line.starts_with(&format!("{name}="))), "{name}");
    }
}
