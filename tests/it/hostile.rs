//! Damaged and hostile files by the thousand: each ends in a report or in a refusal that says why, and never in a fault of this
//! program.
//!
//! `cargo test` reads a part of them in its own process. `IDLEPROOF_HOSTILE=PROGRAM cargo test --test it hostile::` gives all of them to
//! a program, such as `target/release/idleproof`, each in a process with [`SECONDS_MAX`] of processor time and [`BYTES_MAX`] of memory.

mod bombs;
mod files;
mod programs;

use crate::cli;
use crate::harness::{assert_no_mismatch, in_crate, pipeline_at, say};
use files::Hostile;
use idleproof::report::{CaptureReport, Outcome, Verdict};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// In `cargo test` one file in so many.
const SAMPLE: usize = 16;

/// How many there are at least.
const FILES_MIN: usize = 10_000;

/// Processor time of one run.
const SECONDS_MAX: u32 = 2;

/// Address space of one run.
const BYTES_MAX: u64 = 256 << 20;

#[test]
fn hostile_files_end_in_a_report_or_a_refusal() {
    let all = files::all();
    assert!(all.len() >= FILES_MIN, "{} files", all.len());
    let folder = tempfile::tempdir().expect("a folder");
    let program = std::env::var("IDLEPROOF_HOSTILE").ok().map(|program| in_crate(&program));
    let run = |(number, hostile): (usize, &Hostile)| {
        let path = folder.path().join(format!("{number}.{}", hostile.ending));
        std::fs::write(&path, hostile.bytes()).expect("a file");
        let ended = match &program {
            Some(program) => by_program(program, &path),
            None => in_process(&path),
        };
        std::fs::remove_file(&path).expect("it was written");
        ended.map_err(|fault| {
            let fault = format!("{}: {fault}", hostile.name);
            // All of them take long: what is found is told at once.
            say(&fault);
            fault
        })
    };
    let chosen =
        all.iter().enumerate().filter(|(number, _)| program.is_some() || number % SAMPLE == 0);
    let chosen: Vec<_> = chosen.collect();
    let ended: Vec<Result<String, String>> = chosen.into_par_iter().map(run).collect();

    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for how in ended.iter().flatten() {
        *counts.entry(how).or_default() += 1;
    }
    say(&format!("{} of {} hostile files: {counts:?}", ended.len(), all.len()));
    let faults: Vec<String> = ended.into_iter().filter_map(Result::err).collect();
    assert_no_mismatch(&faults);
}

/// The five calls, here: how it ended in a word, or what must not be.
fn in_process(path: &Path) -> Result<String, String> {
    let run = pipeline_at(&[path.to_owned()]);
    match run.captures.as_slice() {
        [one] => ended(one),
        other => Err(format!("{} captures", other.len())),
    }
}

fn ended(capture: &CaptureReport) -> Result<String, String> {
    match (&capture.error, capture.outcome) {
        (Some(error), _) if error.kind == "internal" => Err(error.message.clone()),
        (Some(error), _) if error.message.is_empty() => Err("refused without a word".to_owned()),
        (Some(error), _) => Ok(error.kind.clone()),
        (None, Outcome::Refused) => Err("refused without a reason".to_owned()),
        (None, Outcome::Report) if capture.verdict() == Verdict::Pass => Ok("pass".to_owned()),
        (None, Outcome::Report) => Ok("fail".to_owned()),
    }
}

/// The program within its limits.
fn by_program(program: &Path, path: &Path) -> Result<String, String> {
    let output = limited(program, &["check", "--threads", "1", &path.to_string_lossy(), "-q"]);
    let told = cli::stderr(&output);
    let is_panic = told.contains("panicked at") || told.contains("internal error");
    match output.status.code() {
        Some(code @ (0 | 1 | 4)) if !is_panic && !told.trim().is_empty() => {
            Ok(format!("exit {code}"))
        }
        other => Err(format!("{other:?} ({}): {}", output.status, told.trim())),
    }
}

/// Runs the program with limits that the system keeps. One arena of the allocator: others reserve room that they do not use.
fn limited(program: &Path, arguments: &[&str]) -> Output {
    let limits =
        format!("ulimit -t {SECONDS_MAX}; ulimit -v {}; exec \"$0\" \"$@\"", BYTES_MAX >> 10);
    let mut command = Command::new("sh");
    command.args(["-c", &limits]).arg(program).args(arguments);
    command
        .env_clear()
        .env("MALLOC_ARENA_MAX", "1")
        .env("RAYON_NUM_THREADS", "1")
        .stdin(Stdio::null());
    command.output().unwrap_or_else(|error| panic!("{error}"))
}
