//! Given pairs: the JSON says the same as the xplane, but for what its exporter is known to leave out.

use super::read_file;
use crate::harness::outside_data;
use idleproof::trace::{FileFormat, HloLabelId, NameId, Record, ThreadId, Trace};
use idleproof::units::Interval;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Host events that the exporter leaves out of each given pair.
const LEFT_OUT: &[(&str, u64)] = &[
    ("cpu-grad", 0),
    ("cpu-pmap", 0),
    ("cpu-scan", 0),
    ("mi300-attention", 288),
    ("mi300-conv", 230),
    ("mi300-conv-legacy", 460),
    ("mi300-gemm", 162),
];

/// What it leaves out by name: XLA's `IsInternalEvent`.
const INTERNAL: &[&str] = &["MemoryAllocation", "MemoryDeallocation"];

/// A record in words, and how often it occurs.
type Rows = BTreeMap<String, u64>;

/// Every folder of the given captures that holds both files.
fn given_pairs() -> Vec<(String, Record, Record)> {
    let Some(corpus) = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures") else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(corpus.join("jax")).unwrap();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|folder| folder.join("host.trace.json.gz").is_file());
    folders.sort();
    assert!(!folders.is_empty(), "no pair under {}", corpus.display());
    let record = |folder: &PathBuf, file: &str| {
        let mut capture = read_file(&folder.join(file)).unwrap();
        assert_eq!(capture.records.len(), 1);
        capture.records.remove(0)
    };
    folders
        .iter()
        .map(|folder| {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            (name, record(folder, "host.xplane.pb"), record(folder, "host.trace.json.gz"))
        })
        .collect()
}

#[test]
fn device_records_are_equal() {
    for (name, xplane, json) in given_pairs() {
        assert_eq!(json.source.format, FileFormat::JaxJson, "{name}");
        assert_same(&name, &device_rows(&xplane.trace), &device_rows(&json.trace));
        assert_eq!(copies(&xplane.trace), copies(&json.trace), "{name}");
        assert_eq!(json.trace.damaged, [], "{name}");
        let devices = |trace: &Trace| -> Vec<_> {
            let listed = trace.profiler.device_properties.iter().map(|device| device.id);
            let used = trace.devices.iter().map(|device| device.raw_id);
            listed.chain(used).collect()
        };
        assert_eq!(devices(&xplane.trace), devices(&json.trace), "{name}");
    }
}

#[test]
fn host_records_differ_by_internal_events_alone() {
    for (name, xplane, json) in given_pairs() {
        let (left_out, kept): (Rows, Rows) =
            host_rows(&xplane.trace).into_iter().partition(|(row, _)| is_internal(row));
        assert_same(&name, &kept, &host_rows(&json.trace));
        let left_out: u64 = left_out.values().sum();
        assert_eq!(xplane.source.events, json.source.events + left_out, "{name}");
        if let Some((_, expected)) = LEFT_OUT.iter().find(|(known, _)| *known == name) {
            assert_eq!(left_out, *expected, "{name}");
        }
    }
}

fn is_internal(row: &str) -> bool {
    INTERNAL.iter().any(|internal| row.starts_with(&format!("span {internal} ")))
}

fn assert_same(name: &str, xplane: &Rows, json: &Rows) {
    let only = |a: &Rows, b: &Rows| -> Vec<String> {
        let rows = a.iter().filter(|(row, count)| b.get(*row) != Some(count));
        rows.map(|(row, count)| format!("{row} × {count}")).take(5).collect()
    };
    let (only_xplane, only_json) = (only(xplane, json), only(json, xplane));
    assert!(
        only_xplane.is_empty() && only_json.is_empty(),
        "{name}: xplane alone {only_xplane:#?}, JSON alone {only_json:#?}"
    );
}

fn count(rows: impl Iterator<Item = String>) -> Rows {
    let mut counts = Rows::new();
    rows.for_each(|row| *counts.entry(row).or_default() += 1);
    counts
}

fn device_rows(trace: &Trace) -> Rows {
    count(trace.device_events.iter().map(|event| {
        let stream = trace.stream(event.stream);
        format!(
            "{:?} {} {} {}/{} {:?} {}",
            event.kind,
            trace.name(event.name),
            at(trace, event.interval),
            trace.device(stream.device).raw_id,
            stream.raw_id,
            event.correlation,
            label(trace, event.hlo)
        )
    }))
}

fn host_rows(trace: &Trace) -> Rows {
    let calls = trace.host_calls.iter().map(|call| {
        let (api, label) = (trace.name(call.api), label(trace, call.hlo));
        let lane = lane(trace, call.thread);
        let at = at(trace, call.interval);
        format!("call {api} {:?} {at} {lane} {:?} {label}", call.kind, call.correlation)
    });
    let row = |what: &str, name: NameId, interval: Interval, thread: ThreadId| {
        format!("{what} {} {} {}", trace.name(name), at(trace, interval), lane(trace, thread))
    };
    let spans = trace.host_spans.iter().map(|one| row("span", one.name, one.interval, one.thread));
    let steps = trace.annotations.iter().map(|one| row("step", one.name, one.interval, one.thread));
    let executions = trace.executions.iter().map(|one| {
        let module = one.module.map_or("", |name| trace.name(name));
        let at = at(trace, one.interval);
        format!("execution {:?} {module} {at} {}", one.scope, lane(trace, one.thread))
    });
    count(calls.chain(spans).chain(steps).chain(executions))
}

/// Start and length in picoseconds, on the file's own axis.
fn at(trace: &Trace, interval: Interval) -> String {
    format!("{}+{}", trace.origin.on_file_axis(interval.start()), interval.duration().ps())
}

/// A thread by its name and what the export leaves of its id: the lower 32 bits.
fn lane(trace: &Trace, thread: ThreadId) -> String {
    let thread = &trace.threads[thread.index()];
    let id: i64 = trace.name(thread.raw_id).parse().unwrap();
    format!("{}/{}", id & 0xFFFF_FFFF, thread.name.map_or("", |name| trace.name(name)))
}

/// The export has no ids of programs.
fn label(trace: &Trace, id: Option<HloLabelId>) -> String {
    let Some(id) = id else { return String::new() };
    let label = &trace.hlo_labels[id.index()];
    let text = |name: Option<NameId>| name.map_or("", |name| trace.name(name));
    format!("[{} {} {}]", text(label.op), text(label.module), text(label.op_name))
}

fn copies(trace: &Trace) -> Rows {
    count(trace.copies.iter().map(|copy| {
        let event = &trace.device_events[copy.event as usize];
        let direction = copy.direction.map(|name| trace.name(name));
        format!("{} {:?} {direction:?}", at(trace, event.interval), copy.bytes)
    }))
}
