//! The trap cases that were given to the project, against the pipeline. They do not ship.
//!
//! Every key of an `expect.json` must be understood here, or stand in [`LATER`] with the reason: nothing is passed over in silence.

mod figures;
mod flags;

use crate::harness::{Run, assert_no_mismatch, claim_state, outside_data, pipeline_at, verdict};
use idleproof::report::{CaptureReport, Outcome};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The cases of Kineto files, 01–41 and 55, and of JAX files.
const CASES: [&str; 37] = [
    "01", "02", "03", "04", "05", "06", "08", "10", "11", "12", "13", "14", "15", "17", "19", "20",
    "22", "24", "25", "27", "28", "30", "31", "32", "34", "35", "37", "40", "41", "42", "43", "45",
    "49", "51", "52", "54", "55",
];

/// What waits for a later feature: case, key of the expectation, and the feature.
/// An entry whose expectation is met fails the test, so that the table only shrinks.
const LATER: &[(&str, &str, &str)] = &[];

/// One input of a case and its report.
pub(super) struct Subject<'a> {
    /// True where figures of devices are expected in the window of all of them.
    common_window: bool,
    /// The input's file name.
    file: String,
    report: &'a CaptureReport,
    run: &'a Run,
}

/// An expectation that was held against a report: the key, and what is wrong.
pub(super) type Verdicts = Vec<(String, Result<(), String>)>;

#[test]
fn every_given_case() {
    let Some(folder) = outside_data("IDLEPROOF_CASES", "../shared/cases", "cases") else {
        return;
    };
    let (mut mismatches, mut met, mut unmet) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for number in CASES {
        let Some(case) = case_folder(&folder, number) else {
            mismatches.push(format!("case {number} is not in {}", folder.display()));
            continue;
        };
        for (file, key, verdict) in run_case(number, &case) {
            let later = LATER.iter().find(|(case, later, _)| *case == number && *later == key);
            match (verdict, later) {
                (Ok(()), Some(_)) => drop(met.insert((number, key))),
                (Ok(()), None) => {}
                (Err(_), Some(_)) => drop(unmet.insert((number, key))),
                (Err(wrong), None) => {
                    mismatches.push(format!("{number} {file}: {key}: {wrong}"));
                }
            }
        }
    }
    for (number, key, _) in LATER {
        let at = (*number, (*key).to_owned());
        if !unmet.contains(&at) {
            let why = if met.contains(&at) { "is met by now" } else { "is no key of the case" };
            mismatches.push(format!("LATER ({number}, {key}) {why}: remove it"));
        }
    }
    assert_no_mismatch(&mismatches);
}

fn case_folder(cases: &Path, number: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(cases).ok()?.flatten();
    let mut named = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&format!("{number}-")));
    named.next().map(|entry| entry.path())
}

/// Every expectation of a case against every input: file, key, verdict.
fn run_case(number: &str, folder: &Path) -> Vec<(String, String, Result<(), String>)> {
    let text = std::fs::read_to_string(folder.join("expect.json")).unwrap_or_default();
    let expected: Map<String, Value> =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("case {number}: {error}"));
    let mut verdicts = Vec::new();
    let mut inputs = inputs(folder);
    if expected.contains_key("ranks") {
        inputs = vec![inputs.concat()];
    }
    for input in inputs {
        let named = input[0].file_name().unwrap_or_default();
        let file = named.to_string_lossy().into_owned();
        let run = pipeline_at(&input);
        // Ranks of one job are captures of their own; what is expected of one holds for the first.
        let report = match run.captures.as_slice() {
            [report] => report,
            [report, ..] if expected.contains_key("ranks") => report,
            all => {
                let found = all.len();
                verdicts.push((file, "outcome".into(), Err(format!("{found} captures, not one"))));
                continue;
            }
        };
        let common_window = expected.contains_key("window_basis");
        let subject = Subject { common_window, file: file.clone(), report, run: &run };
        let of_input = check_all(&subject, "", &expected);
        verdicts.extend(of_input.into_iter().map(|(key, verdict)| (file.clone(), key, verdict)));
    }
    verdicts
}

/// Files beside the expectation; a folder is one input, and so are an XSpace and the JSON of its name.
fn inputs(folder: &Path) -> Vec<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut inputs: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            let name = name(path);
            let is_capture = name.contains(".json") || name.ends_with(".xplane.pb");
            path.is_dir() || is_capture && !name.starts_with("expect.")
        })
        .collect();
    inputs.sort_by_key(|path| (!name(path).ends_with(".xplane.pb"), name(path)));
    let (spaces, mut others): (Vec<_>, Vec<_>) =
        inputs.into_iter().partition(|path| name(path).ends_with(".xplane.pb"));
    let with_json = |space: PathBuf| {
        let stem = name(&space).trim_end_matches("xplane.pb").to_owned();
        let is_its = |path: &mut PathBuf| name(path).starts_with(&format!("{stem}trace.json"));
        let json: Vec<PathBuf> = others.extract_if(.., is_its).collect();
        std::iter::once(space).chain(json).collect()
    };
    let pairs: Vec<Vec<PathBuf>> = spaces.into_iter().map(with_json).collect();
    pairs.into_iter().chain(others.into_iter().map(|one| vec![one])).collect()
}

fn check_all(subject: &Subject<'_>, prefix: &str, expected: &Map<String, Value>) -> Verdicts {
    let mut verdicts = Verdicts::new();
    let refused = subject.report.outcome == Outcome::Refused;
    for (key, value) in expected {
        let path = format!("{prefix}{key}");
        let one = |verdict| vec![(path.clone(), verdict)];
        verdicts.extend(match (key.as_str(), value) {
            ("outcome", _) => one(outcome(subject, value)),
            ("says", Value::Object(by_stem)) => one(says_by_stem(subject, by_stem)),
            ("exit", _) => one(exit(subject, value)),
            ("ci", Value::String(text)) => one(ci(subject, text)),
            ("flags", Value::Array(flags)) => flags::check(subject, flags),
            ("claims", Value::Object(claims)) => claims_of(subject, claims),
            // The expectation of one of several inputs, by its stem.
            ("cpu_only" | "launches_only", Value::Object(inner)) => {
                if subject.file.starts_with(key) {
                    check_all(subject, "", inner)
                } else {
                    Verdicts::new()
                }
            }
            // The figures of one of two records: of the xplane they are the report's, the JSON is judged by itself.
            ("xplane", Value::Object(devices)) => figures::by_device(subject, key, devices),
            ("json", Value::Object(devices)) => json_alone(subject, devices),
            ("if_reported", Value::Object(inner)) if !refused => check_all(subject, "", inner),
            ("if_reported", Value::Object(_)) => Verdicts::new(),
            ("refuse", Value::Object(inner)) if refused => refusal(subject, inner),
            ("refuse", Value::Object(_)) => Verdicts::new(),
            // What the input would be if it were whole: nothing of it may be shown.
            _ if key.starts_with("naive_") => one(naive(subject, value)),
            ("intact_would_be" | "partial_cut_json", _) => {
                let silent = subject.report.records.is_none();
                one(silent.then_some(()).ok_or_else(|| "a refused file shows figures".into()))
            }
            _ if refused => Verdicts::new(),
            _ => figures::check(subject, key, value),
        });
    }
    verdicts
}

fn json_alone(subject: &Subject<'_>, devices: &Map<String, Value>) -> Verdicts {
    let is_json = |format: &Option<String>| format.as_deref() == Some("jax-json");
    let json = subject.report.files.iter().find(|file| is_json(&file.format));
    let Some(path) = json.map(|file| PathBuf::from(&file.path)) else {
        return vec![("json".into(), Err("no JSON belongs to the capture".into()))];
    };
    let run = pipeline_at(std::slice::from_ref(&path));
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let alone = Subject { common_window: false, file, report: &run.captures[0], run: &run };
    figures::by_device(&alone, "json", devices)
}

/// What a careless reader gets: its idle share may not be any device's.
fn naive(subject: &Subject<'_>, figures: &Value) -> Result<(), String> {
    let devices = subject.report.records.iter().flat_map(|records| &records.devices);
    let (mut devices, busy) = (devices, figures.get("busy_us").and_then(Value::as_f64));
    let is_naive = devices.find(|device| {
        let idle = device.idle_pct.map(|idle| idle.get());
        idle.zip(figures.get("idle_pct").and_then(Value::as_f64))
            .is_some_and(|(a, b)| crate::check_cases::near(a, b))
            || busy == Some(device.busy_us.as_f64())
    });
    is_naive.map_or(Ok(()), |device| Err(format!("{} has the naive figures", device.name)))
}

fn outcome(subject: &Subject<'_>, expected: &Value) -> Result<(), String> {
    let text = match expected {
        Value::Object(by_file) => by_file
            .iter()
            .find(|(name, _)| {
                subject.file.starts_with(name.as_str()) && longest(by_file, subject, name)
            })
            .and_then(|(_, text)| text.as_str()),
        other => other.as_str(),
    };
    let text = text.ok_or("no outcome is expected of this input")?;
    let kind = subject.report.error.as_ref().map(|error| error.kind.as_str());
    let fits = text.split(" or ").any(|one| match (one.strip_prefix("refuse("), kind) {
        (Some(wanted), Some(kind)) => wanted.strip_suffix(')') == Some(kind),
        (None, None) => one.starts_with("report"),
        // Any kind will do where none is named.
        (None, Some(_)) => one == "refuse",
        _ => false,
    });
    fits.then_some(()).ok_or_else(|| format!("expected `{text}`, found {:?}", subject.report.error))
}

/// `empty.trace.json.gz` also starts with `empty.trace.json`: the longest name counts.
fn longest(by_file: &Map<String, Value>, subject: &Subject<'_>, name: &str) -> bool {
    by_file
        .keys()
        .all(|other| other.len() <= name.len() || !subject.file.starts_with(other.as_str()))
}

fn exit(subject: &Subject<'_>, expected: &Value) -> Result<(), String> {
    let expected = match expected {
        Value::Object(by_stem) => by_stem
            .iter()
            .find(|(stem, _)| subject.file.starts_with(stem.as_str()))
            .map(|(_, value)| value),
        other => Some(other),
    };
    let zero = verdict(subject.report) == "pass";
    match expected {
        Some(Value::Number(_)) if !zero => Err("expected exit 0".into()),
        Some(Value::String(text)) if text.contains("unless") && zero => Ok(()),
        Some(Value::String(text)) if text.starts_with("non-zero") && zero => {
            Err(format!("expected `{text}`, found a pass"))
        }
        Some(Value::Number(_) | Value::String(_)) => Ok(()),
        other => Err(format!("`exit` is not understood: {other:?}")),
    }
}

fn ci(subject: &Subject<'_>, text: &str) -> Result<(), String> {
    let found = verdict(subject.report);
    let fits = match text {
        _ if text.contains("or non-zero exit") => found != "fail",
        // A policy that asks for attribution fails it; the flag beside it must show.
        _ if text.starts_with("fail (attribution policy)") => found == "pass",
        _ if text.starts_with("fail if") || text.starts_with("pass") => found == "pass",
        _ if text.starts_with("fail") => found == "fail",
        _ => return Err(format!("`{text}` is not understood")),
    };
    let failing: Vec<&str> = subject
        .report
        .checks
        .iter()
        .filter(|check| check.fails)
        .map(|check| check.id.as_str())
        .collect();
    fits.then_some(())
        .ok_or_else(|| format!("expected `{text}`, found {found} by [{}]", failing.join(", ")))
}

fn refusal(subject: &Subject<'_>, expected: &Map<String, Value>) -> Verdicts {
    let one = |key: &str, verdict| (format!("refuse.{key}"), verdict);
    let verdicts = expected.iter().map(|(key, value)| match (key.as_str(), value) {
        ("exit", _) => one(key, exit(subject, value)),
        ("says", Value::Array(parts)) => {
            let parts = parts.iter().filter_map(Value::as_str);
            let missing: Vec<&str> = parts.filter(|part| !conveys(subject, part)).collect();
            let whole = missing.is_empty();
            one(key, whole.then_some(()).ok_or_else(|| not_said(subject, &missing.join(", "))))
        }
        _ => one(key, Err("not understood".into())),
    });
    verdicts.collect()
}

fn says_by_stem(subject: &Subject<'_>, by_stem: &Map<String, Value>) -> Result<(), String> {
    let text = by_stem
        .iter()
        .find(|(stem, _)| subject.file.starts_with(stem.as_str()))
        .and_then(|(_, text)| text.as_str())
        .ok_or("nothing is expected of this input")?;
    // `line 3 invalid escape`: the place must be right, the words are free as long as one of them is there.
    let (place, words) = match text.match_indices(' ').nth(1) {
        Some((at, _)) => text.split_at(at),
        None => (text, ""),
    };
    let conveyed = words.is_empty() || words.split_whitespace().any(|word| conveys(subject, word));
    (conveys(subject, place) && conveyed).then_some(()).ok_or_else(|| not_said(subject, text))
}

fn conveys(subject: &Subject<'_>, part: &str) -> bool {
    let Some(error) = &subject.report.error else { return false };
    let line = error.line.map(|line| format!("line {line}")).unwrap_or_default();
    let said = format!("{} {line}", error.message).to_lowercase();
    said.contains(&part.to_lowercase())
}

fn not_said(subject: &Subject<'_>, text: &str) -> String {
    format!("`{text}` is not said by {:?}", subject.report.error)
}

fn claims_of(subject: &Subject<'_>, expected: &Map<String, Value>) -> Verdicts {
    let verdicts = expected.iter().map(|(claim, wanted)| {
        let wanted = wanted.as_str().unwrap_or_default();
        (format!("claims.{claim}"), claim_fits(subject, claim, wanted))
    });
    verdicts.collect()
}

fn claim_fits(subject: &Subject<'_>, claim: &str, wanted: &str) -> Result<(), String> {
    let name = match claim {
        // A recorded busy time is a lower bound exactly where idle is withheld.
        "idle" | "busy" => "idle",
        "attribution" => "op_attribution",
        "kernel_ranking" => "ranking",
        "kernel_time" => "kernel_time",
        "per_step" => "step_time",
        "communication_is_transfer" => "collective_split",
        "per_stream" => return flags::violated(subject, "duplicate-json-keys"),
        "memcpy_bandwidth" => "roofline",
        "json" => return flags::violated(subject, "json-xplane-mismatch"),
        "device_mapping" => return figures::no_device_is_named(subject),
        _ => return Err("this claim is not understood".into()),
    };
    let found = claim_state(subject.report, name).unwrap_or_default();
    let allowed: &[&str] = match wanted {
        "reliable" | "reliable (xplane)" | "reliable_as_occupancy" | "reliable_by_launch" => {
            &["supported"]
        }
        "reliable for work launched in the window" => &["supported"],
        "lower_bound" => &["withheld"],
        "undefined" => &["undefined"],
        // Attribution ends at the launch: nothing is wrong, and there may be no operator at all.
        "graph_only" => &["supported", "undefined"],
        // Without a second rank nothing can be split, which is as good as withheld.
        "unreliable" if name == "collective_split" => &["withheld", "undefined"],
        "unreliable" => &["withheld"],
        _ => return Err(format!("`{wanted}` is not understood")),
    };
    allowed
        .contains(&found)
        .then_some(())
        .ok_or_else(|| format!("expected {wanted}, found {found}"))
}
