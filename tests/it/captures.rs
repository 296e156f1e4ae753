//! The sample captures that ship: each is what its text says, byte for byte, or what a profiler recorded.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, with the reason")]

use crate::fixture::{self, Written, gunzip, gzip};
use crate::harness::{
    assert_no_mismatch, claim_state, ids_in, in_crate, pipeline, pipeline_at, verdict,
};
use crate::xspace::json;
use crate::xspace::xplane_pb::XSpace;
use idleproof::report::State;
use prost::Message as _;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file of a sample of the PyTorch profiler: compressed, under the name that its handler gives.
pub(crate) const FILE: &str = "rank_0.pt.trace.json.gz";
/// The file of a sample of JAX's profiler.
pub(crate) const XPLANE: &str = "host.xplane.pb";
/// The profiler's JSON of the same run, where it is kept.
pub(crate) const JAX_JSON: &str = "host.trace.json.gz";
/// The true instruction of each device event of a sample of JAX.
pub(crate) const TRUTH: &str = "truth.txt";
/// The text of a sample that no profiler recorded.
const TEXT: &str = "capture.fixture";

/// The folders of the sample captures.
pub(crate) fn samples() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(in_crate("tests/captures")).unwrap().flatten();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The name of a sample.
pub(crate) fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The files of a sample that a profiler would have written, with their names.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |name: &str| Some((name.to_owned(), std::fs::read(folder.join(name)).ok()?));
    [FILE, XPLANE, JAX_JSON].into_iter().filter_map(read).collect()
}

/// A stale or missing file is written anew, and the test fails once.
#[test]
fn captures_are_what_their_text_says() {
    let mut stale = Vec::new();
    for folder in samples() {
        let shown = format!("tests/captures/{}", name(&folder));
        if !folder.join("SOURCE.md").is_file() {
            stale.push(format!("{shown} has no SOURCE.md"));
        }
        let Ok(text) = std::fs::read_to_string(folder.join(TEXT)) else { continue };
        let written = match fixture::write(&text) {
            Ok(written) => written,
            Err(error) => {
                stale.push(format!("{shown}/{TEXT}: {error}"));
                continue;
            }
        };
        for (file, bytes) in expected_files(written) {
            let path = folder.join(file);
            let committed = std::fs::read(&path).unwrap_or_default();
            // The text is compared, not its compression: that may change with the library.
            if gunzip(&committed).ok().as_ref() != Some(&bytes) {
                let bytes = if file.ends_with(".gz") { gzip(&bytes).unwrap() } else { bytes };
                std::fs::write(&path, bytes).unwrap();
                stale.push(format!("{shown}/{file} was stale: written anew"));
            }
        }
    }
    assert_no_mismatch(&stale);
}

/// The files of a text, before compression.
fn expected_files(written: Written) -> Vec<(&'static str, Vec<u8>)> {
    match written {
        Written::Kineto(json) => vec![(FILE, json)],
        Written::Jax(jax) => {
            let truth = (TRUTH, jax.truth.into_bytes());
            let json = jax.json.map(|json| (JAX_JSON, json));
            [(XPLANE, jax.xplane), truth].into_iter().chain(json).collect()
        }
    }
}

/// Sample, verdict under the default policy, state of the idle claim, checks that must be violated.
type Judged = (&'static str, &'static str, &'static str, &'static [&'static str]);

/// Where no check is listed, none may be violated. Operators end at a graph launch, so tables of operators say little of graph
/// workloads.
const JUDGED: &[Judged] = &[
    ("eager", "pass", "supported", &[]),
    ("healthy", "pass", "supported", &["low-op-attribution"]),
    ("idle-graph", "pass", "supported", &["high-idle", "low-op-attribution"]),
    ("incident", "fail", "withheld", &["under-recorded-graph-replays", "idle-with-queued-work"]),
    ("partial-replays", "fail", "withheld", &["idle-with-queued-work"]),
];

/// The same of JAX.
const JUDGED_JAX: &[Judged] = &[
    ("jax-async-label", "pass", "supported", &["unpaired-async-ops"]),
    ("jax-cpu-devices", "fail", "undefined", &["no-device-activity"]),
    ("jax-cpu-grad", "fail", "undefined", &["no-device-activity"]),
    ("jax-cpu-scan", "fail", "undefined", &["no-device-activity"]),
    (
        "jax-eight-one-recorded",
        "fail",
        "withheld",
        &["executions-without-kernels", "unequal-device-work"],
    ),
    ("jax-graph", "pass", "supported", &["wrong-device-stats"]),
    ("jax-graph-lost", "fail", "withheld", &["executions-without-kernels"]),
    ("jax-loop-graph", "pass", "supported", &["wrong-device-stats"]),
    ("jax-one-of-eight", "pass", "supported", &["wrong-device-stats"]),
];

#[test]
fn samples_are_judged_as_their_stories_say() {
    let rows: BTreeMap<&str, &Judged> =
        JUDGED.iter().chain(JUDGED_JAX).map(|row| (row.0, row)).collect();
    let names: Vec<String> = samples().iter().map(|folder| name(folder)).collect();
    assert!(names.iter().eq(rows.keys()), "a sample without a row, or a row without a sample");
    let mut mismatches = Vec::new();
    for (folder, (name, wanted, idle, violated)) in samples().iter().zip(rows.values()) {
        let report = pipeline(&files(folder));
        let found = ids_in(&report, State::Violated);
        let stated = claim_state(&report, "idle").unwrap_or_default();
        let as_listed = violated.iter().all(|id| found.contains(id))
            && (!violated.is_empty() || found.is_empty());
        if (verdict(&report), stated) != (*wanted, *idle) || !as_listed {
            let found = found.join(", ");
            mismatches
                .push(format!("{name}: {}, idle {stated}, violated: {found}", verdict(&report)));
        }
    }
    assert_no_mismatch(&mismatches);
}

/// The profiler wrote both files of a recording: what the fixtures write is what it would have written.
#[test]
fn the_json_of_a_recording_is_what_fixtures_write() {
    let recorded = |folder: &PathBuf| !folder.join(TEXT).is_file();
    let recordings: Vec<PathBuf> = samples().into_iter().filter(recorded).collect();
    assert_eq!(recordings.len(), 3, "{recordings:?}");
    for folder in recordings {
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
        let space = XSpace::decode(read(XPLANE).as_slice()).unwrap();
        let expected = gunzip(&read(JAX_JSON)).unwrap();
        assert!(json::write(&space).into_bytes() == expected, "{}", folder.display());
    }
}

/// What the incident is known for, as figures of its records.
#[test]
fn the_incident_has_the_figures_of_its_story() {
    let run = pipeline_at(&[in_crate("tests/captures/incident").join(FILE)]);
    let records = run.captures[0].records.as_ref().unwrap();
    let device = &records.devices[0];
    assert_eq!((records.graph.launches, records.graph.launches_with_records), (128, 3));
    assert_eq!((device.kernels, records.graph.kernels), (4404, 4020));
    assert_eq!(device.total_us.to_string(), "7231628.292");
    assert_eq!(device.busy_us.to_string(), "62936.649");
    assert!(device.idle_pct.is_some_and(|idle| (99.0..99.3).contains(&idle.get())));
}
