//! Records removed from a complete capture: the claims must fall, whichever way they were lost.
//!
//! Each row edits a real, complete graph capture and says which checks must notice. The unedited capture must pass.

#![expect(clippy::expect_used, reason = "a test fails by panicking, with the reason")]

use crate::harness::{assert_no_mismatch, outside_data, pipeline_at};
use idleproof::report::{CaptureReport, ClaimState, State};
use serde_json::Value;
use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;

/// An edit of a capture's events.
type Edit = fn(&mut Events);

/// Edits of a capture with 25 replays of 4, 23 × 15 and 12 kernels, and the checks that must be violated.
const PIECEWISE: &[(&str, Edit, &[&str])] = &[
    ("nothing lost", |_| {}, &[]),
    (
        "3 replays lost",
        |events| events.keep_replays(|at| !(5..8).contains(&at)),
        &["under-recorded-graph-replays"],
    ),
    (
        "6 replays lost",
        |events| events.keep_replays(|at| at % 4 != 1),
        &["under-recorded-graph-replays"],
    ),
    (
        "12 replays lost",
        |events| events.keep_replays(|at| at % 2 == 0),
        &["under-recorded-graph-replays"],
    ),
    (
        "the last 12 replays lost",
        |events| events.keep_replays(|at| at < 13),
        &["under-recorded-graph-replays"],
    ),
    (
        "all replays but the first lost",
        |events| events.keep_replays(|at| at == 0),
        &["under-recorded-graph-replays"],
    ),
    (
        "no graph kernel left",
        |events| events.keep_replays(|_| false),
        &["under-recorded-graph-replays"],
    ),
    (
        "first kernel of each replay kept",
        |events| events.keep_per_replay(|index, _| index < 1),
        &["idle-with-queued-work", "incomplete-graph-replays"],
    ),
    (
        "first 5 kept",
        |events| events.keep_per_replay(|index, _| index < 5),
        &["idle-with-queued-work"],
    ),
    (
        "a third lost inside every replay",
        |events| events.keep_per_replay(|index, _| index % 3 != 1),
        &["incomplete-graph-replays"],
    ),
    (
        "records stop after 12 replays",
        |events| events.stop_after_replay(12),
        &["under-recorded-graph-replays"],
    ),
    (
        "records stop after 3 replays",
        |events| events.stop_after_replay(3),
        &["under-recorded-graph-replays"],
    ),
    (
        "graph launches stripped",
        |events| events.strip_graph_launches(),
        &["device-record-without-launch"],
    ),
    (
        "launches carry an External id, 20 replays lost",
        |events| {
            events.name_launches("hipGraphLaunch", "cuda_runtime", true);
            events.keep_replays(|at| at < 5);
        },
        &["under-recorded-graph-replays"],
    ),
    (
        "launches by the driver call, 20 replays lost",
        |events| {
            events.name_launches("cuGraphLaunch", "cuda_driver", false);
            events.keep_replays(|at| at < 5);
        },
        &["under-recorded-graph-replays"],
    ),
    ("every device record doubled", |events| events.double(), &["duplicated-records"]),
    (
        "no device record at all",
        |events| events.drop_devices(),
        &["no-device-activity", "under-recorded-graph-replays"],
    ),
];

/// Edits of a capture with a single replay of 421 kernels, whose number only the shard beside it knows.
const SINGLE: &[(&str, Edit, &[&str])] = &[
    ("nothing lost", |_| {}, &[]),
    (
        "a third lost",
        |events| events.keep_per_replay(|index, _| index % 3 != 1),
        &["incomplete-graph-replays"],
    ),
    (
        "first kernel kept",
        |events| events.keep_per_replay(|index, _| index < 1),
        &["incomplete-graph-replays"],
    ),
    (
        "second half lost",
        |events| events.keep_per_replay(|index, n| index * 2 < n),
        &["incomplete-graph-replays"],
    ),
];

#[test]
fn lost_records_are_noticed() {
    let Some(corpus) = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "corpus") else {
        return;
    };
    let mut mismatches = Vec::new();
    for (folder, edits) in
        [("vllm-prefilldecode-piecewise", PIECEWISE), ("vllm-decode-full", SINGLE)]
    {
        let folder = corpus.join("kineto").join(folder);
        let text = unpacked(&folder.join("rank_0.pt.trace.json.gz"));
        for (title, edit, violated) in edits {
            let mut events = Events(serde_json::from_str(&text).expect("a capture is JSON"));
            edit(&mut events);
            let report = judged(&events, &folder.join("capture_traces"));
            mismatches.extend(
                mismatch(&report, violated)
                    .map(|what| format!("{}: {title}: {what}", folder.display())),
            );
        }
    }
    assert_no_mismatch(&mismatches);
}

fn mismatch(report: &CaptureReport, expected: &[&str]) -> Option<String> {
    let violated = |id: &&&str| {
        report
            .checks
            .iter()
            .any(|check| check.id == **id && check.state == State::Violated && check.fails)
    };
    let silent: Vec<_> = expected.iter().filter(|id| !violated(id)).collect();
    let fails: Vec<_> =
        report.checks.iter().filter(|check| check.fails).map(|check| &check.id).collect();
    let duplicates_only = expected == ["duplicated-records"];
    let idle_is_claimed = report.claims.idle.state == ClaimState::Supported;
    match (expected.is_empty(), fails.is_empty()) {
        (true, false) => Some(format!("a complete capture fails: {fails:?}")),
        (false, _) if !silent.is_empty() => {
            Some(format!("{silent:?} did not notice; {fails:?} did"))
        }
        // Idle is a union, which repeated records do not change.
        (false, _) if idle_is_claimed && !duplicates_only => {
            Some("idle is still claimed".to_owned())
        }
        _ => None,
    }
}

fn unpacked(path: &Path) -> String {
    let file = std::fs::File::open(path).expect("the capture opens");
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).expect("the capture is text");
    text
}

/// Judges the edited trace with the original's shards beside it.
fn judged(events: &Events, shards: &Path) -> CaptureReport {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("rank_0.pt.trace.json"), events.0.to_string())
        .expect("the trace is written");
    let below = folder.path().join("capture_traces");
    std::fs::create_dir(&below).expect("a folder for shards");
    for shard in std::fs::read_dir(shards).expect("the shards' folder").flatten() {
        std::fs::copy(shard.path(), below.join(shard.file_name())).expect("the shard is copied");
    }
    let mut captures = pipeline_at(&[folder.path().to_path_buf()]).captures;
    assert_eq!(captures.len(), 1, "a trace with shards is one capture");
    captures.remove(0)
}

/// A capture as JSON.
struct Events(Value);

impl Events {
    fn all(&mut self) -> &mut Vec<Value> {
        self.0["traceEvents"].as_array_mut().expect("events")
    }

    /// The correlation ids of graph launches, in order of time.
    fn replays(&mut self) -> Vec<u64> {
        let mut launches: Vec<(i64, u64)> = Vec::new();
        for event in self.all() {
            let name = event["name"].as_str().unwrap_or_default();
            if name.to_ascii_lowercase().contains("graphlaunch") {
                let start = event["ts"].as_f64().unwrap_or_default();
                #[expect(clippy::cast_possible_truncation, reason = "only the order matters")]
                launches.push((
                    (start * 1e3) as i64,
                    event["args"]["correlation"].as_u64().unwrap_or_default(),
                ));
            }
        }
        launches.sort_unstable();
        launches.into_iter().map(|(_, id)| id).collect()
    }

    /// Keeps the device records of a replay where `keep` says so, by its position in time.
    fn keep_replays(&mut self, keep: fn(usize) -> bool) {
        let at: HashMap<u64, usize> = self.replays().into_iter().zip(0..).collect();
        self.all().retain(|event| {
            let id = event["args"]["correlation"].as_u64().unwrap_or_default();
            !is_device(event) || at.get(&id).is_none_or(|&at| keep(at))
        });
    }

    /// Keeps the device records of each replay where `keep` says so, by position in the replay and the replay's size.
    fn keep_per_replay(&mut self, keep: fn(usize, usize) -> bool) {
        let mut sizes: HashMap<u64, usize> = self.replays().into_iter().map(|id| (id, 0)).collect();
        let id_of = |event: &Value| event["args"]["correlation"].as_u64().unwrap_or_default();
        for event in self.all().iter().filter(|event| is_device(event)) {
            sizes.entry(id_of(event)).and_modify(|size| *size += 1);
        }
        let mut seen: HashMap<u64, usize> = HashMap::new();
        self.all().retain(|event| {
            let id = id_of(event);
            let Some(&size) = sizes.get(&id).filter(|_| is_device(event)) else { return true };
            let index = seen.entry(id).or_default();
            *index += 1;
            keep(*index - 1, size)
        });
    }

    /// Drops every device record that starts after the last record of the given replay.
    fn stop_after_replay(&mut self, replay: usize) {
        let id = self.replays()[replay - 1];
        let start = |event: &Value| event["ts"].as_f64().unwrap_or_default();
        let of_replay =
            |event: &&Value| is_device(event) && event["args"]["correlation"].as_u64() == Some(id);
        let last = self.all().iter().filter(of_replay).map(start).fold(0.0, f64::max);
        self.all().retain(|event| !is_device(event) || start(event) <= last);
    }

    fn strip_graph_launches(&mut self) {
        self.all()
            .retain(|event| !event["name"].as_str().unwrap_or_default().contains("GraphLaunch"));
    }

    fn name_launches(&mut self, api: &str, category: &str, external: bool) {
        let op = self
            .all()
            .iter()
            .find(|event| event["cat"] == "cpu_op")
            .map(|op| op["args"]["External id"].clone());
        for event in self.all() {
            if event["name"].as_str().unwrap_or_default().contains("GraphLaunch") {
                event["name"] = api.into();
                event["cat"] = category.into();
                if external {
                    event["args"]["External id"] = op.clone().unwrap_or_default();
                }
            }
        }
    }

    fn double(&mut self) {
        let copies: Vec<Value> =
            self.all().iter().filter(|event| is_device(event)).cloned().collect();
        self.all().extend(copies);
    }

    fn drop_devices(&mut self) {
        self.all().retain(|event| !is_device(event));
    }
}

fn is_device(event: &Value) -> bool {
    matches!(event["cat"].as_str(), Some("kernel" | "gpu_memcpy" | "gpu_memset"))
        && event["ph"] == "X"
}
