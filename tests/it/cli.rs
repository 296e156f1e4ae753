//! The program as it is called: exit codes, where texts go, and what may not be overwritten.

use crate::harness::in_crate;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A folder with copies of sample captures and a policy file, where there is one.
pub(crate) fn folder(captures: &[&str], policy: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("no temporary folder: {error}"));
    for name in captures {
        let from = in_crate(&format!("tests/captures/{name}"));
        let to = folder.path().join("captures").join(name);
        copy(&from, &to);
    }
    if !policy.is_empty() {
        write(&folder.path().join("idleproof.toml"), policy);
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    let entries = fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default();
        if path.is_file() && name.to_string_lossy().contains(".json") {
            write(&to.join(name), fs::read(&path).unwrap_or_default());
        }
    }
}

pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    let written =
        path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, bytes));
    written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

pub(crate) fn idleproof(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_idleproof"));
    // Nothing in the environment changes what is said.
    command.args(arguments).current_dir(folder).env_clear().stdin(Stdio::null());
    command.output().unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const POLICY: &str = "version = 1\ncaptures = [\"captures/healthy/*.json.gz\"]\n";

#[test]
fn exit_codes_tell_a_violation_from_a_gate_that_was_not_evaluated() {
    let world = folder(&["healthy", "incident"], POLICY);
    let here = world.path();
    write(&here.join("captures/cut/rank_0.pt.trace.json"), "{\"traceEvents\": [{\"ph\": \"X\"");
    write(&here.join("notes/readme.txt"), "no capture");
    let healthy = "captures/healthy/rank_0.pt.trace.json.gz";
    for (expected, arguments) in [
        (0, vec!["check"]),
        (0, vec!["check", healthy]),
        (0, vec!["check", "captures/healthy"]),
        (0, vec!["check", "captures/heal*/**"]),
        (1, vec!["check", "captures/healthy", "captures/incident"]),
        (0, vec!["report", "captures/incident"]),
        (0, vec!["check", "captures/incident", "--preset", "advisory"]),
        (1, vec!["check", "captures/healthy", "-D", "low-op-attribution"]),
        (4, vec!["check", "captures/cut/rank_0.pt.trace.json"]),
        (4, vec!["report", "captures/cut/rank_0.pt.trace.json"]),
        // 4 wins over 1, and one bad path hides no other.
        (4, vec!["check", "captures/incident", "captures/cut/rank_0.pt.trace.json"]),
        (4, vec!["check", "captures/healthy", "captures/nowhere"]),
        (3, vec!["check", "notes"]),
        (3, vec!["check", "captures/*/nothing.json"]),
        (2, vec!["check", "--policy", "nowhere.toml", "captures/healthy"]),
        (0, vec!["policy", "validate"]),
        (0, vec!["checks"]),
        (0, vec!["explain", "golden-differs"]),
        (0, vec!["policy", "schema"]),
        (0, vec!["completions", "bash"]),
        (0, vec!["man"]),
        (0, vec!["man", "golden", "accept"]),
        (0, vec!["--version"]),
        (0, vec!["help", "check"]),
    ] {
        let output = idleproof(here, &arguments);
        assert_eq!(code(&output), expected, "{arguments:?}\n{}", stderr(&output));
    }
}

#[test]
fn wrong_usage_is_told_with_the_way_out() {
    let world = folder(&["healthy"], "");
    write(&world.path().join("wrong.toml"), "version = 1\n[checks]\nhihg-idle = \"deny\"\n");
    write(&world.path().join("no-captures.toml"), "version = 1\n");
    let mut told = String::new();
    for arguments in [
        "",
        "chekc",
        "check",
        "check --policy no-captures.toml",
        "check --policy nowhere.toml",
        "check --policy wrong.toml captures",
        "check --policy wrong.toml --preset strict captures",
        "check --preset strcit captures",
        "check captures -D hihg-idle",
        "check captures -A high-idle --deny high-idle",
        "check captures --report pdf=x",
        "check captures --report jnuit=x",
        "check captures --report junit",
        "check captures --report junit=",
        "check captures --report csv=-",
        "check captures --threads 0",
        "check captures --user-re (train",
        "check captures --program jit_step",
        "check captures --program 5",
        "check captures --pending waiting",
        "check captures -q -v",
        "check captures/[",
        "report",
        "explain hihg-idle",
        "explain op_atribution",
        "explain nothing-like-it",
        "completions tcsh",
        "man chekc",
        "init --expires 2027-01-31",
        "init --baseline --expires tomorrow",
        "golden prune --all x",
        "explain",
        "policy validate wrong.toml",
        "golden accept",
        "golden accept --all x",
    ] {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let output = idleproof(world.path(), &arguments);
        assert_eq!(code(&output), 2, "{arguments:?}\n{}", stderr(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}");
        told.push_str(&format!("$ idleproof {}\n{}\n", arguments.join(" "), stderr(&output)));
    }
    crate::snapshot("cli_usage", &told);
}

#[test]
fn people_read_stderr_and_machines_what_they_asked_for() {
    let world = folder(&["healthy"], POLICY);
    let output = idleproof(
        world.path(),
        &["check", "--report", "json=-", "--report", "junit=out/deep/junit.xml"],
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("PASSED"), "{}", stderr(&output));
    let report: idleproof::report::Report = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report.captures.len(), 1);
    assert_eq!(report.policy.name, "idleproof.toml");
    assert!(
        fs::read_to_string(world.path().join("out/deep/junit.xml"))
            .unwrap()
            .contains("<testsuites")
    );
    // Without a terminal there are no colours, unless they are asked for.
    assert!(!stderr(&output).contains('\u{1b}'));
    let coloured = idleproof(world.path(), &["check", "--color", "always"]);
    assert!(stderr(&coloured).contains('\u{1b}'));
}

#[test]
fn the_policy_that_applies_is_told_when_asked() {
    let world = folder(&["healthy"], POLICY);
    for (arguments, expected) in [
        (&["check", "-v"][..], "note: the policy is idleproof.toml\n"),
        (
            &["check", "-v", "--preset", "strict", "captures"],
            "note: the policy is the preset `strict`\n",
        ),
    ] {
        let output = idleproof(world.path(), arguments);
        assert!(stderr(&output).contains(expected), "{arguments:?}\n{}", stderr(&output));
    }
    let two = folder(&["healthy"], "version = 1\ncaptures = [\"captures/healthy/*\", \"old/*\"]\n");
    let output = idleproof(two.path(), &["check"]);
    assert_eq!(code(&output), 0);
    assert!(stderr(&output).contains("no file matches `old/*`"), "{}", stderr(&output));
}

#[test]
fn the_report_does_not_depend_on_threads_or_on_how_a_path_is_written() {
    let world = folder(&["healthy", "incident", "idle-graph"], "");
    let absolute = world.path().canonicalize().unwrap().join("captures");
    let report = |path: &str, threads: &str| {
        stdout(&idleproof(
            world.path(),
            &["check", path, "--threads", threads, "--report", "json=-"],
        ))
    };
    let one = report("captures", "1");
    assert!(one.len() > 1000);
    for (path, threads) in
        [("captures", "4"), ("./captures", "2"), (absolute.to_str().unwrap(), "2")]
    {
        assert_eq!(report(path, threads), one, "{path} {threads}");
    }
}

#[test]
fn no_output_takes_the_place_of_an_input() {
    let world = folder(&["healthy"], POLICY);
    let capture = "captures/healthy/rank_0.pt.trace.json.gz";
    let before = fs::read(world.path().join(capture)).unwrap();
    for targets in [
        vec![format!("json={capture}")],
        vec!["json=out.json".to_owned(), format!("junit=./captures/../{capture}")],
        vec!["json=idleproof.toml".to_owned()],
        vec!["json=out.json".to_owned(), "junit=./out.json".to_owned()],
        vec!["json=-".to_owned(), "junit=-".to_owned()],
    ] {
        let mut arguments = vec!["check", capture];
        for target in &targets {
            arguments.extend(["--report", target.as_str()]);
        }
        let output = idleproof(world.path(), &arguments);
        assert_eq!(code(&output), 2, "{targets:?}\n{}", stderr(&output));
        assert!(output.stdout.is_empty());
        assert!(
            !world.path().join("out.json").exists(),
            "nothing is written before the clash is seen"
        );
    }
    assert_eq!(fs::read(world.path().join(capture)).unwrap(), before);
}

#[test]
fn an_output_that_cannot_be_written_is_told_and_keeps_no_other_back() {
    let world = folder(&["healthy"], POLICY);
    fs::create_dir(world.path().join("taken")).unwrap();
    let output = idleproof(
        world.path(),
        &["check", "--report", "json=taken", "--report", "junit=junit.xml"],
    );
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    assert!(stderr(&output).contains("can't write taken"), "{}", stderr(&output));
    let mut left: Vec<_> =
        fs::read_dir(world.path()).unwrap().flatten().map(|one| one.file_name()).collect();
    left.sort();
    assert_eq!(
        left,
        ["captures", "idleproof.toml", "junit.xml", "taken"],
        "nothing half written is left"
    );
}

#[test]
fn outputs_of_an_earlier_run_do_not_outlive_a_run_without_captures() {
    let world = folder(&["healthy"], "");
    fs::create_dir(world.path().join("empty")).unwrap();
    for (path, expected, verdict) in
        [("captures", 0, "\"pass\""), ("empty", 3, "\"error\""), ("*.gz", 3, "\"error\"")]
    {
        let output = idleproof(world.path(), &["check", path, "--report", "json=out.json"]);
        assert_eq!(code(&output), expected, "{}", stderr(&output));
        let report = fs::read_to_string(world.path().join("out.json")).unwrap();
        assert!(report.contains(&format!("\"verdict\": {verdict}")), "{path}");
    }
}

#[test]
fn goldens_are_compared_accepted_and_never_written_by_a_check() {
    let world = folder(&["healthy"], "version = 1\ncaptures = [\"captures/**/*.gz\"]\n[golden]\n");
    let here = world.path();
    let run = |arguments: &[&str]| idleproof(here, arguments);
    let missing = run(&["check"]);
    assert_eq!(code(&missing), 1, "{}", stderr(&missing));
    assert!(stderr(&missing).contains("golden-missing") && !here.join("goldens").exists());

    assert_eq!(code(&run(&["check", "--pending", "waiting"])), 1);
    assert!(!here.join("goldens").exists());
    assert!(stdout(&run(&["golden", "status", "--pending", "waiting"])).starts_with("new "));
    assert_eq!(code(&run(&["golden", "accept", "--all", "--pending", "waiting"])), 0);
    let same = run(&["check"]);
    assert_eq!(code(&same), 0, "{}", stderr(&same));

    // The trust list changes with the policy; the golden does not.
    let changed = run(&["check", "-A", "damaged-records", "--pending", "waiting"]);
    assert_eq!(code(&changed), 1, "{}", stderr(&changed));
    assert!(stderr(&changed).contains("golden-differs"));
    assert_eq!(code(&run(&["check", "-A", "damaged-records", "-W", "golden-differs"])), 0);
    assert_eq!(code(&run(&["golden", "reject", "--all", "--pending", "waiting"])), 0);
    assert_eq!(code(&run(&["check"])), 0);

    // A golden without its capture is told where every capture was looked at.
    write(&here.join("goldens/gone.trust.snap"), "---\n---\nx\n");
    assert!(stderr(&run(&["check"])).contains("golden-unreferenced"));
    assert!(!stderr(&run(&["check", "captures"])).contains("golden-unreferenced"));

    // A broken golden is no missing one, and no pass: the gate was not evaluated.
    let name = fs::read_dir(here.join("goldens")).unwrap().flatten().map(|one| one.path());
    for path in name.filter(|path| path.extension().is_some_and(|ending| ending == "snap")) {
        write(&path, "no golden");
    }
    let broken = run(&["check", "--report", "json=out.json"]);
    assert_eq!(code(&broken), 4, "{}", stderr(&broken));
    assert!(fs::read_to_string(here.join("out.json")).unwrap().contains("\"verdict\": \"error\""));
}

#[test]
fn golden_commands_repeat_their_folders_and_end_where_nothing_waits() {
    let world = folder(&["healthy"], "");
    let here = world.path();
    let run = |arguments: &[&str]| idleproof(here, arguments);
    let nothing = run(&["golden", "accept", "--all", "--goldens", "kept"]);
    assert_eq!(code(&nothing), 2, "{}", stderr(&nothing));
    assert!(stderr(&nothing).contains("nothing waits in kept") && !here.join("kept").exists());

    let folders = ["--goldens", "kept", "--pending", "waiting here"];
    assert_eq!(code(&run(&[&["check", "captures"], &folders[..]].concat())), 1);
    let status = stdout(&run(&[&["golden", "status"], &folders[..]].concat()));
    let hint = "idleproof golden accept --all --goldens kept --pending 'waiting here'\n";
    assert!(status.contains(hint), "{status}");
    let unknown = run(&[&["golden", "accept", "nosuch"], &folders[..]].concat());
    assert_eq!(code(&unknown), 2, "{}", stderr(&unknown));
    assert!(stderr(&unknown).contains("no pending golden `nosuch`") && !here.join("kept").exists());
    assert_eq!(code(&run(&[&["golden", "accept", "--all"], &folders[..]].concat())), 0);
    assert_eq!(code(&run(&["check", "captures", "--goldens", "kept"])), 0);
}

#[test]
fn a_report_is_printed_and_passes_no_gate() {
    let world = folder(&["incident"], "");
    let run = |arguments: &[&str]| idleproof(world.path(), arguments);
    let printed = run(&["report", "captures"]);
    assert!(stdout(&printed).starts_with("# idleproof"), "{}", stdout(&printed));
    assert!(stderr(&printed).ends_with("\nnot gated\n"), "{}", stderr(&printed));
    let written = run(&["report", "captures", "--report", "trust=out/trust.md"]);
    assert!(written.stdout.is_empty());
    assert!(stderr(&written).contains("wrote out/trust.md\n"), "{}", stderr(&written));
    let quiet = run(&["check", "captures", "-q", "--report", "trust=out/trust.md"]);
    let told = stderr(&quiet);
    assert!(
        !told.contains("wrote") && !told.contains("warning[") && told.ends_with("FAILED\n"),
        "{told}"
    );
    assert!(told.contains("\n1 capture: 1 fail · checks: "), "few words, but all counts: {told}");
}

#[test]
fn a_policy_that_is_valid_is_told_with_what_it_covers() {
    let policy = format!("{POLICY}[checks]\nhigh-idle = \"deny\"\ngolden-missing = \"deny\"\n");
    let world = folder(&["healthy"], &policy);
    let told = stdout(&idleproof(world.path(), &["policy", "validate"]));
    assert!(told.contains("sets 1 check otherwise"), "{told}");
    assert!(told.contains("captures `captures/healthy/*.json.gz`: 1 file now"), "{told}");
}

#[test]
fn a_file_that_is_no_json_is_no_capture() {
    let world = folder(&[], "");
    write(&world.path().join("notes.md"), "# Notes\n");
    let output = idleproof(world.path(), &["check", "notes.md", "--report", "json=-"]);
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    assert!(stderr(&output).contains("this is no capture: it starts with `#`"));
    assert!(stdout(&output).contains("\"not_a_capture\""));
}

#[test]
fn a_claim_is_explained_by_what_withholds_it() {
    let world = folder(&[], "");
    for claim in idleproof::report::Claim::ALL {
        let told = stdout(&idleproof(world.path(), &["explain", claim.name()]));
        for check in idleproof::checks::CHECKS {
            let guards = check.guards.contains(&claim);
            assert_eq!(told.contains(&format!("  {} ", check.id)), guards, "{told}");
        }
    }
    let check = stdout(&idleproof(world.path(), &["explain", "low-op-attribution"]));
    assert!(
        check.contains("low-op-attribution = { level = \"warn\", min = 0.5, missing = \"warn\" }")
    );
}

#[test]
fn every_check_can_be_explained() {
    let world = folder(&[], "");
    let checks = stdout(&idleproof(world.path(), &["checks"]));
    for id in checks.lines().filter_map(|line| line.split_whitespace().next()) {
        let output = idleproof(world.path(), &["explain", id]);
        assert_eq!(code(&output), 0, "{id}");
        assert!(stdout(&output).starts_with(&format!("{id}: ")), "{id}");
    }
    assert!(checks.lines().count() > idleproof::checks::CHECKS.len());
}

#[test]
fn every_finding_can_be_explained() {
    let world = folder(&[], "");
    for id in idleproof::report::FindingId::ALL {
        let output = idleproof(world.path(), &["explain", id.name()]);
        assert_eq!(code(&output), 0, "{}", id.name());
        assert!(stdout(&output).starts_with(&format!("{}: ", id.name())));
    }
}

/// A pipe that nobody writes to is not waited for, whatever it is given as.
#[cfg(unix)]
#[test]
fn pipes_are_refused_and_not_waited_for() {
    let world = folder(&["healthy"], "");
    let here = world.path();
    fs::create_dir_all(here.join("goldens")).unwrap();
    let golden = "goldens/captures+healthy+rank_0.pt.trace.json.gz.trust.snap";
    for name in ["pipe", golden] {
        let made = Command::new("mkfifo").arg(here.join(name)).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo {name}");
    }
    for (expected, arguments) in [
        (2, "check captures --policy pipe"),
        (2, "check captures --claims pipe"),
        (2, "check captures --baseline pipe"),
        (4, "merge pipe"),
        (4, "check captures --goldens goldens"),
        (4, "check pipe"),
    ] {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let output = idleproof(here, &arguments);
        assert_eq!(code(&output), expected, "{arguments:?}: {}", stderr(&output));
    }
}

/// What a run reads through another file or a folder is its input as well.
#[test]
fn no_output_takes_the_place_of_what_is_read() {
    let policy = "version = 1\nextends = [\"base.toml\"]\n";
    let world = folder(&["healthy"], policy);
    let here = world.path();
    write(&here.join("base.toml"), "version = 1\n");
    let table = "captures/healthy/tracelens_csvs/gpu_timeline.csv";
    write(&here.join(table), "type,time ms,percent\nidle_time,0,2\n");
    for target in ["base.toml", table, "idleproof.toml"] {
        let before = fs::read(here.join(target)).unwrap();
        let report = format!("json={target}");
        let claims = ["--claims", "captures/healthy"];
        let output =
            idleproof(here, &[&["check", "captures", "--report", &report], &claims[..]].concat());
        assert_eq!(code(&output), 2, "{target}: {}", stderr(&output));
        assert!(stderr(&output).contains("would overwrite the input"), "{}", stderr(&output));
        assert_eq!(fs::read(here.join(target)).unwrap(), before, "{target}");
    }
}

/// A capture is nobody's to lose, whether the run reads it or not.
#[test]
fn no_output_takes_the_place_of_a_capture_or_goes_among_goldens() {
    let world = folder(&["healthy", "incident", "jax-graph"], "version = 1\n");
    let here = world.path();
    write(&here.join("goldens/Cargo.toml"), "[package]\n");
    let xplane = "captures/jax-graph/host.xplane.pb";
    write(&here.join(xplane), fs::read(in_crate(&format!("tests/{xplane}"))).unwrap());
    let read = "captures/healthy/rank_0.pt.trace.json.gz";
    let (other, json) =
        ("captures/incident/rank_0.pt.trace.json.gz", "captures/jax-graph/host.trace.json.gz");
    for (input, target, says) in [
        (read, other, "would overwrite the capture"),
        (read, xplane, "would overwrite the capture"),
        (xplane, json, "would overwrite"),
        (read, "goldens/Cargo.toml", "among the goldens"),
    ] {
        let before = fs::read(here.join(target)).unwrap();
        let report = format!("junit={target}");
        let output =
            idleproof(here, &["check", input, "--goldens", "goldens", "--report", &report]);
        assert_eq!(code(&output), 2, "{target}: {}", stderr(&output));
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
        assert_eq!(fs::read(here.join(target)).unwrap(), before, "{target}");
    }
    // What an earlier run wrote is written anew, whatever its name.
    for _ in 0..2 {
        let output = idleproof(here, &["check", read, "--report", "json=own.trace.json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
}
