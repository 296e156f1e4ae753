//! The reader against a plain reading of the same file with `serde_json`, on every capture of a corpus.
//!
//! The corpus is not part of the repository: set `IDLEPROOF_CORPUS` to a folder of captures.

#![expect(clippy::unwrap_used, reason = "a test that cannot prepare its input has failed")]

use flate2::read::MultiGzDecoder;
use idleproof::read::{Family, FoundFile, find, read_family};
use idleproof::trace::{DeviceEventKind, FileFormat, Trace};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An event as `serde_json` sees it.
#[derive(Deserialize)]
struct PlainEvent {
    ph: Option<String>,
    cat: Option<String>,
    name: Option<Value>,
    pid: Option<Value>,
    tid: Option<Value>,
    ts: Option<Box<RawValue>>,
    dur: Option<Box<RawValue>>,
    #[serde(default)]
    args: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct PlainDocument {
    #[serde(rename = "traceEvents")]
    events: Vec<Box<RawValue>>,
}

/// A kept record, as text to compare: its table, name, start and end in nanoseconds, and its ids.
type Row = String;

#[test]
#[expect(clippy::print_stdout, reason = "a skipped test must be seen")]
fn agrees_with_serde_json_on_every_capture() {
    let corpus = std::env::var_os("IDLEPROOF_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/captures"),
        PathBuf::from,
    );
    if !corpus.is_dir() {
        println!("corpus absent: skipped");
        return;
    }
    let found = find(&[corpus]).unwrap();
    // What is no JSON has an oracle of its own.
    let is_json = |file: &FoundFile| !file.shown.ends_with(".xplane.pb");
    let files = found.families.into_iter().flat_map(|family| family.files);
    let files: Vec<FoundFile> = files.filter(is_json).collect();
    assert!(!files.is_empty());
    for file in files {
        let plain = plain_rows(&file.path);
        let path = file.shown.clone();
        let named = Family { files: vec![FoundFile { named: true, ..file }] };
        for capture in read_family(&named).captures {
            let capture = capture.unwrap();
            let record = capture.primary();
            match record.source.format {
                // It has no category at all; the xplane beside it is its oracle.
                FileFormat::JaxJson => assert!(plain.1.is_empty(), "{path}"),
                _ => compare(&path, &record.trace, record.source.events, &plain),
            }
        }
    }
}

fn compare(
    path: &str,
    trace: &Trace,
    events: u64,
    plain: &(u64, BTreeMap<&'static str, Vec<Row>>),
) {
    assert_eq!(events, plain.0, "{path}: events");
    let ours = our_rows(trace);
    for (table, rows) in &plain.1 {
        let theirs = ours.get(table).map_or(&[][..], Vec::as_slice);
        assert_eq!(theirs.len(), rows.len(), "{path}: rows of {table}");
        for (ours, theirs) in theirs.iter().zip(rows) {
            assert_eq!(ours, theirs, "{path}: {table}");
        }
    }
    for (table, rows) in &ours {
        assert_eq!(rows.len(), plain.1.get(table).map_or(0, Vec::len), "{path}: {table}");
    }
}

fn our_rows(trace: &Trace) -> BTreeMap<&'static str, Vec<Row>> {
    let mut rows: BTreeMap<&'static str, Vec<Row>> = BTreeMap::new();
    let time = |interval: idleproof::units::Interval| {
        let ns = |at| trace.origin.on_file_axis(at) / 1_000;
        (ns(interval.start()), ns(interval.end()))
    };
    for event in &trace.device_events {
        let table = match event.kind {
            kind if kind.is_kernel() => "kernel",
            DeviceEventKind::Memcpy => "memcpy",
            _ => "memset",
        };
        let stream = trace.stream(event.stream);
        let ids =
            (event.correlation.map_or(0, |id| id.get()), event.external.map_or(0, |id| id.get()));
        let lane = (trace.device(stream.device).raw_id, stream.raw_id);
        rows.entry(table).or_default().push(format!(
            "{} {:?} {ids:?} {lane:?}",
            trace.name(event.name),
            time(event.interval)
        ));
    }
    let lane = |thread: idleproof::trace::ThreadId| {
        let thread = &trace.threads[thread.index()];
        (trace.name(trace.processes[thread.process.index()].raw_id), trace.name(thread.raw_id))
    };
    for call in &trace.host_calls {
        let ids =
            (call.correlation.map_or(0, |id| id.get()), call.external.map_or(0, |id| id.get()));
        rows.entry("call").or_default().push(format!(
            "{} {:?} {ids:?} {:?}",
            trace.name(call.api),
            time(call.interval),
            lane(call.thread)
        ));
    }
    for op in &trace.ops {
        let ids = (0, op.external.map_or(0, |id| id.get()));
        rows.entry("op").or_default().push(format!(
            "{} {:?} {ids:?} {:?}",
            trace.name(op.name),
            time(op.interval),
            lane(op.thread)
        ));
    }
    for range in &trace.annotations {
        rows.entry("annotation").or_default().push(format!(
            "{} {:?} {:?}",
            trace.name(range.name),
            time(range.interval),
            lane(range.thread)
        ));
    }
    rows
}

fn plain_rows(path: &Path) -> (u64, BTreeMap<&'static str, Vec<Row>>) {
    let bytes = std::fs::read(path).unwrap();
    let mut text = Vec::new();
    if bytes.starts_with(&[0x1F, 0x8B]) {
        MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text).unwrap();
    } else {
        text = bytes;
    }
    let events = if text.trim_ascii_start().starts_with(b"[") {
        serde_json::from_slice(&text).unwrap()
    } else {
        serde_json::from_slice::<PlainDocument>(&text).unwrap().events
    };
    let mut rows: BTreeMap<&'static str, Vec<Row>> = BTreeMap::new();
    for event in &events {
        let event: PlainEvent = serde_json::from_str(event.get()).unwrap();
        if let Some((table, row)) = plain_row(&event) {
            rows.entry(table).or_default().push(row);
        }
    }
    (events.len() as u64, rows)
}

fn plain_row(event: &PlainEvent) -> Option<(&'static str, Row)> {
    let table = match (event.ph.as_deref(), event.cat.as_deref()?.to_lowercase().as_str()) {
        (Some("X"), "kernel") => "kernel",
        (Some("X"), "gpu_memcpy" | "memcpy") => "memcpy",
        (Some("X"), "gpu_memset" | "memset") => "memset",
        (Some("X"), "cuda_runtime" | "cuda_driver" | "runtime") => "call",
        (Some("X"), "cpu_op" | "operator") => "op",
        (Some("X"), "user_annotation") => "annotation",
        _ => return None,
    };
    let start = plain_ns(event.ts.as_ref().unwrap().get());
    let time = (start, start + plain_ns(event.dur.as_ref().unwrap().get()));
    let id = |keys: [&str; 2]| {
        keys.iter().find_map(|&key| event.args.get(key)).and_then(Value::as_u64).unwrap_or(0)
    };
    let ids = (
        if table == "op" { 0 } else { id(["correlation", "correlation"]) },
        id(["External id", "external id"]),
    );
    let name = event.name.as_ref().unwrap().as_str().unwrap();
    let text = |value: &Option<Value>| match value.as_ref().unwrap() {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let host = (text(&event.pid), text(&event.tid));
    let row = match table {
        "kernel" | "memcpy" | "memset" => {
            let lane = |key: &str, lane: &Option<Value>| {
                event.args.get(key).or(lane.as_ref()).and_then(Value::as_i64).unwrap()
            };
            let lane = (lane("device", &event.pid), lane("stream", &event.tid));
            format!("{name} {time:?} {ids:?} {lane:?}")
        }
        "annotation" => format!("{name} {time:?} {host:?}"),
        _ => format!("{name} {time:?} {ids:?} {host:?}"),
    };
    Some((table, row))
}

/// Decimal microseconds as nanoseconds, by text.
fn plain_ns(text: &str) -> i128 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    assert!(fraction.len() <= 3 || fraction[3..].bytes().all(|digit| digit == b'0'), "{text}");
    let digits: String = format!("{whole}{fraction:0<3}").chars().take(whole.len() + 3).collect();
    digits.parse().unwrap()
}
