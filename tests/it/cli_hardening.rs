//! The program among hostile names, pipes, full disks and edited reports.

#![expect(clippy::unwrap_used, reason = "a test that cannot prepare its input has failed")]

use crate::cli::{code, folder, idleproof, stderr, stdout, write};
use crate::harness::pipeline;
use idleproof::report::ClaimState;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A name that would forge a line of a log, hide a part of itself, and turn the rest around.
const HOSTILE: &str =
    "x\n::error::forged\u{1b}[2J\u{202e}\u{3164}\u{e0041}\u{115f}\u{ffa0}##[error]y";

fn assert_inert(output: &Output, what: &str) {
    for text in [stderr(output), stdout(output)] {
        for line in text.lines() {
            assert!(!line.trim_start().starts_with("::"), "{what}: {line}");
            assert!(!line.contains("##["), "{what}: {line}");
        }
        let acting = ['\u{202e}', '\u{3164}', '\u{e0041}', '\u{115f}', '\u{ffa0}'];
        assert!(!text.contains(acting) && !text.contains("\u{1b}[2J"), "{what}: {text:?}");
    }
}

/// What a profiler logged has lines, and none of them is a command where a report goes to the log.
#[test]
fn lines_of_a_capture_do_nothing_in_a_log() {
    let world = folder(&[], "version = 1\n");
    let here = world.path();
    let log = "lost\\n::error file=x::forged\\n ##[group]y\\r::stop-commands::z";
    let text = format!(
        "{{\"traceEvents\": [{{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\\n::error::k\", \"pid\": 0, \"tid\": 7, \"ts\": 5, \
         \"dur\": 5, \"args\": {{\"device\": 0, \"stream\": 7}}}}], \"WARNING\": [\"{log}\"]}}"
    );
    write(&here.join("rank_0.pt.trace.json"), text);
    for kind in
        ["junit", "markdown", "trust", "summary", "comment", "github", "sarif", "codequality"]
    {
        let report = format!("{kind}=-");
        let output = idleproof(here, &["check", ".", "--report", &report]);
        assert!(stdout(&output).len() > 100 || kind == "github", "{kind}: {}", stdout(&output));
        for line in stdout(&output).split(['\n', '\r']).filter(|_| kind != "github") {
            let is_command = line.trim_start().starts_with("::") || line.contains("##[");
            assert!(!is_command, "{kind}: {line}");
        }
    }
}

/// Whatever is said of a name, it stays in its line.
#[test]
fn names_do_nothing_where_they_are_told() {
    let world = folder(&["healthy"], "version = 1\n");
    let here = world.path();
    let file = format!("{HOSTILE}.toml");
    write(&here.join(&file), "version = 1\n[checks]\nno-such-check = \"deny\"\n");
    let capture = format!("{HOSTILE}.trace.json");
    write(&here.join(&capture), "{\"traceEvents\": [");
    write(&here.join(format!("{HOSTILE}/a.txt")), "no capture");
    fs::create_dir_all(here.join("goldens")).unwrap();
    write(&here.join(format!("goldens/{HOSTILE}.snap.new")), format!("---\n---\nbody {HOSTILE}\n"));
    let report = format!("json={HOSTILE}/../{capture}");
    let kind = format!("json{HOSTILE}=x");
    for (expected, arguments) in [
        (4, vec!["check", &capture]),
        (4, vec!["report", &capture]),
        (4, vec!["diff", &capture, &capture]),
        (4, vec!["merge", &capture]),
        (4, vec!["check", HOSTILE, "no such"]),
        (3, vec!["check", HOSTILE]),
        (2, vec!["check", "captures", "--policy", &file]),
        (2, vec!["check", "captures", "--policy", HOSTILE]),
        (2, vec!["policy", "validate", &file]),
        (2, vec!["policy", "show", "--policy", &file]),
        (2, vec!["check", "captures", "--report", &kind]),
        (2, vec!["check", &capture, "--report", &report]),
        (2, vec!["check", "captures", "--claims", HOSTILE]),
        (2, vec!["check", "captures", "--baseline", HOSTILE]),
        (2, vec!["check", "captures", "--program", HOSTILE]),
        (2, vec!["explain", HOSTILE]),
        (2, vec![HOSTILE]),
        (0, vec!["golden", "status"]),
        (2, vec!["golden", "accept", HOSTILE]),
        (0, vec!["golden", "accept", "--all"]),
    ] {
        let output = idleproof(here, &arguments);
        assert_eq!(code(&output), expected, "{arguments:?}: {}", stderr(&output));
        assert_inert(&output, &format!("{arguments:?}"));
    }
}

/// A line that is quoted with a caret does nothing in a log either, and the caret stays below its word.
#[test]
fn quoted_lines_do_nothing_in_a_log() {
    let world = folder(&["healthy"], "version = 1\n");
    let here = world.path();
    let row = "\"##[error]y\" = 'deny' # ##vso[task.x]";
    write(&here.join("p.toml"), format!("version = 1\n[checks]\n{row}\n"));
    write(&here.join("c.toml"), format!("version = 1\n{row}\n"));
    for arguments in [
        &["policy", "validate", "p.toml"][..],
        &["check", "captures", "--policy", "p.toml"],
        &["check", "captures", "--claims", "c.toml"],
    ] {
        let output = idleproof(here, arguments);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert_inert(&output, &format!("{arguments:?}"));
        assert!(!stderr(&output).contains("##vso["), "{}", stderr(&output));
        let lines: Vec<String> = stderr(&output).lines().map(str::to_owned).collect();
        let quoted = lines.iter().position(|line| line.contains("task.x")).unwrap();
        let (begins, caret) =
            (lines[quoted].find('"').unwrap(), lines[quoted + 1].find('^').unwrap());
        assert_eq!(begins, caret, "{}", stderr(&output));
    }
}

/// A policy file that a run could read is kept as well, whatever this run was told.
#[test]
fn no_output_takes_the_place_of_a_policy() {
    let world = folder(&["healthy"], "version = 1\nextends = [\"base.toml\"]\n");
    let here = world.path();
    write(&here.join("base.toml"), "version = 1\n");
    let made = idleproof(here, &["check", "captures", "--report", "json=r.json"]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    for target in ["idleproof.toml", "base.toml", "captures/../base.toml"] {
        let before = fs::read(here.join(target)).unwrap();
        let json = format!("json={target}");
        for arguments in [
            vec!["check", "captures", "--preset", "strict", "--report", &json],
            vec!["report", "captures", "--preset", "strict", "--report", &json],
            vec!["merge", "r.json", "--report", &json],
            vec!["diff", "captures", "captures", "-o", target],
            vec!["diff", "captures", "captures", "--preset", "strict", "-o", target],
            vec!["diff", "r.json", "r.json", "-o", target],
        ] {
            let output = idleproof(here, &arguments);
            assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
            assert_eq!(fs::read(here.join(target)).unwrap(), before, "{arguments:?}");
        }
    }
    // One that is not there would be read by the next run.
    let empty = folder(&["healthy"], "");
    let output = idleproof(empty.path(), &["check", "captures", "--report", "json=idleproof.toml"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
}

#[test]
fn a_comparison_goes_where_it_is_told() {
    let world = folder(&["healthy"], "");
    let here = world.path();
    let sides = ["diff", "captures", "captures"];
    let plain = idleproof(here, &sides);
    let dash = idleproof(here, &[&sides[..], &["-o", "-"]].concat());
    assert_eq!((code(&dash), stdout(&dash)), (0, stdout(&plain)));
    assert!(!here.join("-").exists());
}

/// A pipe that nobody reads from is not waited for; one that is read takes the text.
#[cfg(unix)]
#[test]
fn pipes_take_outputs_where_somebody_reads() {
    let world = folder(&["healthy"], "");
    let here = world.path();
    let made = Command::new("mkfifo").arg(here.join("pipe")).status();
    assert!(made.is_ok_and(|status| status.success()));
    for arguments in [
        vec!["diff", "captures", "captures", "-o", "pipe"],
        vec!["check", "captures", "--report", "json=pipe"],
    ] {
        let output = idleproof(here, &arguments);
        assert_eq!(code(&output), 4, "{}", stderr(&output));
        assert!(stderr(&output).contains("nobody reads"), "{}", stderr(&output));
        let reader =
            Command::new("cat").arg(here.join("pipe")).stdout(Stdio::piped()).spawn().unwrap();
        // The reader may not have opened it yet.
        let ended = (0..50).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            code(&idleproof(here, &arguments)) == 0
        });
        let read = reader.wait_with_output().unwrap();
        assert!(ended && !read.stdout.is_empty(), "{arguments:?}");
    }
    for arguments in [vec!["diff", "pipe", "captures"], vec!["diff", "captures", "pipe"]] {
        assert_eq!(code(&idleproof(here, &arguments)), 4);
    }
}

/// A report is one whatever stands before it, and is refused where no capture gives what it says.
#[test]
fn an_edited_report_is_told_from_a_sound_one() {
    let world = folder(&["healthy"], "");
    let here = world.path();
    assert_eq!(code(&idleproof(here, &["check", "captures", "--report", "json=r.json"])), 0);
    let text = fs::read_to_string(here.join("r.json")).unwrap();
    for (name, before) in [("bom", "\u{feff}".to_owned()), ("blanks", " \n".repeat(40_000))] {
        write(&here.join("edited.json"), format!("{before}{text}"));
        let output = idleproof(here, &["diff", "r.json", "edited.json"]);
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
    }
    let idle = field(&text, "\"idle_pct\": ");
    let busy = field(&text, "\"busy_us\": ");
    let holds = "\"state\": \"holds\"".to_owned();
    for (name, from, to) in [
        ("above all", &idle, "\"idle_pct\": 100.1"),
        ("below nothing", &idle, "\"idle_pct\": -0.1"),
        ("beyond floats", &idle, "\"idle_pct\": 1e999"),
        ("no number", &idle, "\"idle_pct\": NaN"),
        ("a negative length", &busy, "\"busy_us\": -5"),
        ("a check that is violated within its limit", &holds, "\"state\": \"violated\""),
    ] {
        write(&here.join("edited.json"), text.replacen(from.as_str(), to, 1));
        for arguments in [
            vec!["diff", "r.json", "edited.json"],
            vec!["merge", "edited.json"],
            vec!["check", "captures", "--baseline", "edited.json"],
        ] {
            let output = idleproof(here, &arguments);
            let expected = if arguments[0] == "check" { 2 } else { 4 };
            assert_eq!(code(&output), expected, "{name} {arguments:?}: {}", stderr(&output));
        }
    }
}

/// The first field of this name with its value.
fn field(text: &str, name: &str) -> String {
    let at = text.find(name).unwrap();
    let end = text[at..].find([',', '\n']).unwrap();
    text[at..at + end].to_owned()
}

/// One capture against itself says nothing where its times may not be stated.
#[test]
fn nothing_compared_is_not_the_same() {
    let world = folder(&["incident"], "");
    let output = idleproof(world.path(), &["diff", "captures", "captures"]);
    assert_eq!(code(&output), 3);
    assert!(stdout(&output).contains("cannot be compared"), "{}", stdout(&output));
}

#[test]
fn steps_at_one_time_have_no_length() {
    let text =
        fs::read(crate::harness::in_crate("tests/fuzz/trace_json/steps-at-one-time")).unwrap();
    let report = pipeline(&[("a.pt.trace.json".to_owned(), text)]);
    assert_eq!(report.claims.step_time.state, ClaimState::Undefined);
    let steps = report.records.and_then(|records| records.steps).unwrap();
    assert_eq!((steps.count, steps.complete, steps.step_time_us), (4, 1, None));
}

#[test]
fn the_limit_of_a_text_can_be_moved() {
    let world = folder(&["healthy"], "");
    let run =
        |bytes: &str| idleproof(world.path(), &["check", "captures", "--max-text-bytes", bytes]);
    let refused = run("100000");
    assert_eq!(code(&refused), 4);
    assert!(stderr(&refused).contains("--max-text-bytes"), "{}", stderr(&refused));
    assert_eq!(code(&run("1000000000")), 0);
    assert_eq!(code(&run("0")), 2);
}

fn shell(folder: &Path, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_idleproof")]).current_dir(folder);
    command.output().unwrap_or_else(|error| panic!("{error}"))
}

/// What cannot be written whole is not written at all, and what was there stays.
#[cfg(unix)]
#[test]
fn no_output_is_left_in_part() {
    let world = folder(&["healthy"], "version = 1\n[golden]\ndir = \"goldens\"\n");
    let here = world.path();
    write(&here.join("r.json"), "earlier");
    write(&here.join("file"), "a file");
    let names = || {
        let entries = fs::read_dir(here).unwrap().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        names
    };
    fs::create_dir(here.join("goldens")).unwrap();
    let before = names();
    for (script, whose) in [
        // Files end after 512 bytes, and writing on is an error instead of a signal.
        (
            "trap '' XFSZ; ulimit -f 1; exec \"$0\" check captures --goldens none --report json=r.json",
            "r.json",
        ),
        ("trap '' XFSZ; ulimit -f 1; exec \"$0\" check captures --pending goldens", "goldens"),
        ("exec \"$0\" check captures --goldens none --report json=/dev/full", "/dev/full"),
        ("exec \"$0\" check captures --goldens none --report json=file/r.json", "file/r.json"),
        ("exec \"$0\" report captures > /dev/full", "standard output"),
    ] {
        let output = shell(here, script);
        assert_eq!(code(&output), 4, "{script}: {}", stderr(&output));
        assert!(stderr(&output).contains(whose), "{script}: {}", stderr(&output));
        assert_eq!(fs::read_to_string(here.join("r.json")).unwrap(), "earlier", "{script}");
        assert_eq!(names(), before, "{script}");
        assert_eq!(fs::read_dir(here.join("goldens")).unwrap().count(), 0, "{script}");
    }
    let empty = tempfile::tempdir().unwrap();
    let output = shell(empty.path(), "trap '' XFSZ; ulimit -f 1; exec \"$0\" init");
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    assert!(!empty.path().join("idleproof.toml").exists(), "a policy in part");
}

/// Interrupted at any time, a run leaves what was there or what it would have written.
#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_no_part() {
    let world = folder(&["healthy"], "");
    let here = world.path();
    assert_eq!(code(&idleproof(here, &["check", "captures", "--report", "json=r.json"])), 0);
    let whole = fs::read(here.join("r.json")).unwrap();
    for wait in [1, 5, 20, 60, 120, 200, 300, 400] {
        write(&here.join("r.json"), "earlier");
        let mut child = Command::new(env!("CARGO_BIN_EXE_idleproof"))
            .args(["check", "captures", "--report", "json=r.json"])
            .current_dir(here)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        child.wait().unwrap();
        let left = fs::read(here.join("r.json")).unwrap();
        assert!(left == b"earlier" || left == whole, "after {wait} ms: {} bytes", left.len());
    }
}

/// What an interruption can leave is a hidden file beside the one that was being written: no later run takes it for anything.
#[cfg(unix)]
#[test]
fn what_an_interrupted_run_leaves_disturbs_no_other() {
    let world = folder(&["healthy"], "");
    let here = world.path();
    let check = ["check", "captures", "--goldens", "goldens", "--report", "json=r.json"];
    let run = || {
        let output = idleproof(here, &check);
        (code(&output), fs::read(here.join("r.json")).unwrap())
    };
    idleproof(here, &[&check[..], &["--pending", "goldens"]].concat());
    assert_eq!(code(&idleproof(here, &["golden", "accept", "--all"])), 0);
    let before = run();
    assert_eq!(before.0, 0);
    let name = "captures+healthy+rank_0.pt.trace.json.gz.trust.snap";
    assert!(here.join("goldens").join(name).exists());
    for folder in [here.to_owned(), here.join("captures"), here.join("goldens")] {
        write(&folder.join(".r.json.99.tmp"), "{");
        write(&folder.join(format!(".{name}.99.tmp")), "---\n");
    }
    assert_eq!(run(), before);
}
