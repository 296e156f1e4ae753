//! The sample captures that ship: each is what its text says, byte for byte.

use crate::fixture::{self, Written};
use crate::harness::{assert_no_mismatch, claim_state, ids_in, in_crate, pipeline_at, verdict};
use idleproof::report::State;
use std::path::PathBuf;

/// The file of every sample: compressed, under the name that PyTorch's handler gives.
pub(crate) const FILE: &str = "rank_0.pt.trace.json.gz";

/// The sample captures: folders with a `capture.fixture`.
pub(crate) fn samples() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(in_crate("tests/captures")).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.join("capture.fixture").is_file())
        .collect();
    folders.sort();
    folders
}

/// A stale or missing capture is written anew, and the test fails once.
#[test]
fn captures_are_what_their_text_says() {
    let folders = samples();
    assert_eq!(folders.len(), 5, "{folders:?}");
    let mut stale = Vec::new();
    for folder in folders {
        let shown = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let source = folder.join("SOURCE.md");
        assert!(source.is_file(), "tests/captures/{shown} has no SOURCE.md");
        let text = std::fs::read_to_string(folder.join("capture.fixture")).unwrap();
        let written = match fixture::write(&text) {
            Ok(Written::Kineto(json)) => json,
            Ok(Written::Jax(jax)) => jax.xplane,
            Err(error) => {
                stale.push(format!("tests/captures/{shown}/capture.fixture: {error}"));
                continue;
            }
        };
        let path = folder.join(FILE);
        let committed = std::fs::read(&path).unwrap_or_default();
        // The text is compared, not its compression: that may change with the library.
        if fixture::gunzip(&committed).ok().as_ref() != Some(&written) {
            std::fs::write(&path, fixture::gzip(&written).unwrap()).unwrap();
            stale.push(format!("tests/captures/{shown}/{FILE} was stale: written anew"));
        }
    }
    assert_no_mismatch(&stale);
}

/// Sample, verdict under the default policy, state of the idle claim, checks that must be violated.
/// Where none is listed, none may be. Operators end at a graph launch, so tables of operators say little of graph workloads.
const JUDGED: [(&str, &str, &str, &[&str]); 5] = [
    ("eager", "pass", "supported", &[]),
    ("healthy", "pass", "supported", &["low-op-attribution"]),
    ("idle-graph", "pass", "supported", &["high-idle", "low-op-attribution"]),
    ("incident", "fail", "withheld", &["under-recorded-graph-replays", "idle-with-queued-work"]),
    ("partial-replays", "fail", "withheld", &["idle-with-queued-work"]),
];

#[test]
fn samples_are_judged_as_their_stories_say() {
    let mut mismatches = Vec::new();
    for (name, wanted, idle, violated) in JUDGED {
        let run = pipeline_at(&[in_crate("tests/captures").join(name).join(FILE)]);
        let report = &run.captures[0];
        let found = ids_in(report, State::Violated);
        let stated = claim_state(report, "idle").unwrap_or_default();
        let as_listed = violated.iter().all(|id| found.contains(id))
            && (!violated.is_empty() || found.is_empty());
        if (verdict(report), stated) != (wanted, idle) || !as_listed {
            let found = found.join(", ");
            mismatches
                .push(format!("{name}: {}, idle {stated}, violated: {found}", verdict(report)));
        }
    }
    assert_no_mismatch(&mismatches);
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
