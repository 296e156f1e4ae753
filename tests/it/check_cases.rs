//! Cases of one check each, as text: `tests/checks/<id>.txt`.
//!
//! A file holds cases; a case is a title line `== SITUATION: title`, a fixture, and what is expected of the report:
//!
//! ```text
//! == violated: three of 128 replays recorded
//! repeat 128 every 1000 {
//!   graph-launch 0..10
//!   …
//! -- expect
//! state = violated
//! ```
//!
//! A line `-- claims` before `-- expect` begins the text of a claims file: statements to be held against the capture.
//!
//! A line `-- rank` ends one capture's fixture and begins that of another rank of the same job. Then the expectation is of the run:
//! its checks, its claim `collective_split`, and pointers into its report.
//!
//! SITUATION is `violated`, `healthy`, `not-evaluable` or `note`. Lines of the expectation, all optional but `state`:
//!
//! - `state = violated` / `holds` / `not-evaluable`: of the check that names the file
//! - `measured = 0.0234` (within 0.00006)
//! - `evidence KEY = JSON` (numbers within 0.00006, texts by equality)
//! - `says = text`: part of the message, in any case of letters
//! - `helps = text`, `helps not = text`: part of the advice, or none of it
//! - `holds = *`: no other check is violated; `holds = a, b`: these hold
//! - `violated = a, b`: these are violated as well
//! - `CLAIM = supported` / `withheld` / `undefined`, and `CLAIM by = a, b`: claims by their JSON name
//! - `/records/devices/0/busy_us = 12.5`: a JSON pointer into the report
//! - `verdict = pass` / `fail`
//! - `file = NAME`: the capture (of JAX, the xplane) is written under this name; a name that ends in `.gz` is compressed

use crate::fixture::{self, Written};
use crate::harness::{
    assert_no_mismatch, claim_name, in_crate, pipeline, pipeline_at, pipeline_with, state_name,
    verdict,
};
use idleproof::report::{CaptureReport, CheckReport, Claim, RunReport, State};
use idleproof::statements::{self, Statement};
use serde_json::Value;
use std::path::PathBuf;

/// Figures are compared within this.
pub(crate) const TOLERANCE: f64 = 0.00006;

/// One case.
#[derive(Debug)]
pub(crate) struct Case {
    /// `violated`, `healthy`, `not-evaluable` or `note`.
    pub(crate) situation: String,
    /// What it shows.
    pub(crate) title: String,
    /// The line of its title.
    line: usize,
    fixture: String,
    /// The text of a claims file.
    claims: Option<String>,
    expected: Vec<(String, String)>,
}

/// The folder of the cases.
pub(crate) fn case_files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(in_crate("tests/checks")).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    files
}

/// The check that a file of cases is about.
pub(crate) fn check_of(file: &std::path::Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The cases of a file.
pub(crate) fn parse(text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    let mut expecting = false;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if let Some(title) = line.strip_prefix("== ") {
            let (situation, title) =
                title.split_once(": ").ok_or(format!("line {number}: no `SITUATION: title`"))?;
            if !["violated", "healthy", "not-evaluable", "note"].contains(&situation) {
                return Err(format!("line {number}: unknown situation `{situation}`"));
            }
            expecting = false;
            cases.push(Case {
                situation: situation.into(),
                title: title.into(),
                line: number,
                // Blank lines keep the line numbers of fixture errors those of the file.
                fixture: "\n".repeat(number),
                claims: None,
                expected: Vec::new(),
            });
            continue;
        }
        let blank = line.trim().is_empty() || line.starts_with('#');
        let Some(case) = cases.last_mut() else {
            if blank {
                continue;
            }
            return Err(format!("line {number}: text before the first title"));
        };
        if line == "-- expect" {
            expecting = true;
        } else if line == "-- claims" {
            case.claims = Some(String::new());
        } else if let (Some(claims), false) = (&mut case.claims, expecting) {
            claims.push_str(line);
            claims.push('\n');
        } else if !expecting {
            case.fixture.push_str(line);
            case.fixture.push('\n');
        } else if !blank {
            let (key, value) =
                line.split_once('=').ok_or(format!("line {number}: expected key = value"))?;
            case.expected.push((key.trim().into(), value.trim().into()));
        }
    }
    Ok(cases)
}

#[test]
fn every_case_of_every_check() {
    let mut mismatches = Vec::new();
    for file in case_files() {
        let id = check_of(&file);
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        match parse(&text) {
            Ok(cases) => mismatches.extend(cases.iter().filter_map(|case| run(&id, case))),
            Err(error) => mismatches.push(format!("tests/checks/{id}.txt: {error}")),
        }
    }
    assert_no_mismatch(&mismatches);
}

/// Every case can be written, whatever the pipeline makes of it.
#[test]
fn every_fixture_of_a_case_can_be_written() {
    let mut wrong = Vec::new();
    for file in case_files() {
        let id = check_of(&file);
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let cases = parse(&text).unwrap_or_else(|error| panic!("tests/checks/{id}.txt: {error}"));
        for case in &cases {
            for text in case.fixture.split("\n-- rank\n") {
                if let Err(error) = fixture::write(text) {
                    wrong.push(format!("tests/checks/{id}.txt, `{}`: {error}", case.title));
                }
            }
            if !case.expected.iter().any(|(key, _)| key == "state") {
                wrong.push(format!("tests/checks/{id}.txt, `{}`: no state expected", case.title));
            }
        }
    }
    assert_no_mismatch(&wrong);
}

/// The mismatches of one case in one paragraph.
fn run(id: &str, case: &Case) -> Option<String> {
    let head = format!("tests/checks/{id}.txt:{}: {}: {}", case.line, case.situation, case.title);
    let statements = match case.claims.as_ref().map(|text| parse_statements(text)).transpose() {
        Ok(statements) => statements.unwrap_or_default(),
        Err(error) => return Some(format!("{head}\n  {error}")),
    };
    let held = match held(case, &statements) {
        Ok(held) => held,
        Err(error) => return Some(format!("{head}\n  {error}")),
    };
    let wrong: Vec<String> = case
        .expected
        .iter()
        .filter_map(|(key, value)| mismatch(id, &held, key, value))
        .map(|wrong| format!("  {wrong}"))
        .collect();
    let message = held.check(id).map_or("", |check| check.message.as_str());
    (!wrong.is_empty()).then(|| format!("{head}\n{}\n  message: {message}", wrong.join("\n")))
}

/// What a case is held against: of a capture, or of the ranks of a job.
struct Held {
    checks: Vec<CheckReport>,
    json: Value,
    /// Name, state and the checks that withhold it.
    claims: Vec<(&'static str, &'static str, Vec<String>)>,
    verdict: &'static str,
}

impl Held {
    fn check(&self, id: &str) -> Option<&CheckReport> {
        self.checks.iter().find(|check| check.id == id)
    }

    fn ids_in(&self, state: State) -> Vec<&str> {
        let matching = self.checks.iter().filter(|check| check.state == state);
        matching.map(|check| check.id.as_str()).collect()
    }

    fn of_capture(report: &CaptureReport) -> Self {
        let claim = |claim: Claim| {
            let (state, by) = report.claims.get(claim);
            (claim.name(), claim_name(state), by.to_vec())
        };
        Self {
            checks: report.checks.clone(),
            json: json(report),
            claims: Claim::ALL.map(claim).into(),
            verdict: verdict(report),
        }
    }

    fn of_run(run: &RunReport) -> Self {
        let split = &run.claims.collective_split;
        Self {
            checks: run.checks.clone(),
            json: json(run),
            claims: vec![(
                Claim::CollectiveSplit.name(),
                claim_name(split.state),
                split.by.clone(),
            )],
            verdict: if run.checks.iter().any(|check| check.fails) { "fail" } else { "pass" },
        }
    }
}

fn held(case: &Case, statements: &[Statement]) -> Result<Held, String> {
    let ranks: Vec<&str> = case.fixture.split("\n-- rank\n").collect();
    let write = |text: &str| fixture::write(text).map_err(|error| error.to_string());
    if let [text] = ranks.as_slice() {
        let files = files(case, write(text)?);
        return Ok(Held::of_capture(&match statements {
            [] => pipeline(&files),
            statements => pipeline_with(&files, statements),
        }));
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    for (rank, text) in ranks.iter().enumerate() {
        let path = folder.path().join(format!("rank_{rank}.pt.trace.json"));
        std::fs::write(path, write(text)?.kineto()).map_err(|error| error.to_string())?;
    }
    match pipeline_at(&[folder.path().to_owned()]).runs.as_slice() {
        [run] => Ok(Held::of_run(run)),
        runs => Err(format!("{} runs, not one", runs.len())),
    }
}

fn parse_statements(text: &str) -> Result<Vec<Statement>, String> {
    statements::parse("claims.toml", text.as_bytes(), None).map_err(|mistakes| mistakes.to_string())
}

/// The files of a case with their names.
fn files(case: &Case, written: Written) -> Vec<(String, Vec<u8>)> {
    let named = case.expected.iter().find(|(key, _)| key == "file").map(|(_, name)| name.clone());
    let compress = |bytes: &[u8]| fixture::gzip(bytes).unwrap_or_else(|error| panic!("{error}"));
    match written {
        Written::Kineto(json) => {
            let name = named.unwrap_or_else(|| "trace.pt.trace.json".to_owned());
            let bytes = if name.ends_with(".gz") { compress(&json) } else { json };
            vec![(name, bytes)]
        }
        Written::Jax(jax) => {
            let json = jax.json.map(|json| ("host.trace.json.gz".to_owned(), compress(&json)));
            let name = named.unwrap_or_else(|| "host.xplane.pb".to_owned());
            std::iter::once((name, jax.xplane)).chain(json).collect()
        }
    }
}

fn mismatch(id: &str, report: &Held, key: &str, expected: &str) -> Option<String> {
    let Some(own) = report.check(id) else {
        // A check of statements or of ranks is not made where there are none.
        let absent = key == "state" && expected == "absent";
        return (!absent).then(|| format!("the report has no check `{id}`"));
    };
    let differs = |found: &str| {
        (found != expected).then(|| format!("{key}: expected `{expected}`, found `{found}`"))
    };
    match key {
        "file" => None,
        "state" => differs(state_name(own.state)),
        "measured" => {
            let close = own.measured.zip(expected.parse().ok()).is_some_and(|(a, b)| near(a, b));
            (!close).then(|| format!("measured: expected {expected}, found {:?}", own.measured))
        }
        "says" => {
            let says = own.message.to_lowercase().contains(&expected.to_lowercase());
            (!says).then(|| format!("the message does not say `{expected}`"))
        }
        "helps" | "helps not" => {
            let helps = own.help.to_lowercase().contains(&expected.to_lowercase());
            (helps != (key == "helps")).then(|| format!("{key} `{expected}`: {}", own.help))
        }
        "holds" if expected == "*" => {
            let others: Vec<&str> =
                report.ids_in(State::Violated).into_iter().filter(|other| *other != id).collect();
            (!others.is_empty()).then(|| format!("also violated: {}", others.join(", ")))
        }
        "holds" => missing(report, State::Holds, expected),
        "violated" => missing(report, State::Violated, expected),
        pointer if pointer.starts_with('/') => {
            evidence_mismatch(report.json.pointer(pointer), pointer, expected)
        }
        "verdict" => differs(report.verdict),
        _ => match (key.strip_prefix("evidence "), key.strip_suffix(" by")) {
            (Some(name), _) => evidence_mismatch(own.evidence.get(name), name, expected),
            (None, Some(claim)) => withheld_by_mismatch(report, claim, expected),
            (None, None) => match report.claims.iter().find(|(name, ..)| *name == key) {
                Some((_, state, _)) => differs(state),
                None => Some(format!("`{key}` is no key of an expectation")),
            },
        },
    }
}

/// The report as its JSON form is read back.
pub(crate) fn json(report: &impl serde::Serialize) -> Value {
    let text = serde_json::to_string(report).unwrap_or_else(|error| panic!("{error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}"))
}

fn evidence_mismatch(found: Option<&Value>, name: &str, expected: &str) -> Option<String> {
    let wanted: Value = serde_json::from_str(expected).unwrap_or_else(|_| Value::from(expected));
    let close = match (found.and_then(Value::as_f64), wanted.as_f64()) {
        (Some(found), Some(wanted)) => near(found, wanted),
        _ => found == Some(&wanted),
    };
    (!close).then(|| format!("{name}: expected {wanted}, found {found:?}"))
}

fn withheld_by_mismatch(report: &Held, claim: &str, expected: &str) -> Option<String> {
    let (claim, _, by) = report.claims.iter().find(|(name, ..)| *name == claim)?;
    let absent: Vec<&str> =
        list(expected).into_iter().filter(|id| !by.iter().any(|one| one == id)).collect();
    (!absent.is_empty())
        .then(|| format!("{claim}: withheld by [{}], not by {}", by.join(", "), absent.join(", ")))
}

fn missing(report: &Held, state: State, expected: &str) -> Option<String> {
    let found = report.ids_in(state);
    let absent: Vec<&str> = list(expected).into_iter().filter(|id| !found.contains(id)).collect();
    (!absent.is_empty()).then(|| format!("not {}: {}", state_name(state), absent.join(", ")))
}

fn list(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect()
}

/// True where two figures are the same within [`TOLERANCE`].
pub(crate) fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE
}

#[test]
fn a_case_file_is_read_as_it_is_written() {
    let cases = parse(
        "# what this is about\n\n== healthy: one\nkernel k 0+1\n-- expect\nstate = holds\nevidence a b = 3\n\n\
         == violated: two\n-- expect\nstate = violated\n",
    )
    .unwrap();
    assert_eq!(cases.len(), 2);
    assert_eq!(cases[0].fixture.trim(), "kernel k 0+1");
    assert_eq!(cases[0].expected[1], ("evidence a b".into(), "3".into()));
    assert_eq!((cases[1].line, cases[1].situation.as_str()), (9, "violated"));
    assert!(parse("== broken: x\n").is_err());
}
