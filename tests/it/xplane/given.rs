//! Given captures and cases, against figures that were computed without this project. They lie beside the repository.

use super::{given_captures, read};
use crate::fixture::gunzip;
use crate::harness::outside_data;
use crate::xspace::json;
use crate::xspace::xplane_pb::XSpace;
use idleproof::read::{ReadErrorKind, read_xplane};
use idleproof::trace::{
    DeviceEventKind, ExecutionScope, Hlo, HostCallKind, IntervalSet, Record, Trace,
};
use prost::Message as _;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[test]
fn captures_have_the_figures_of_the_oracle() {
    let Some(facts) = outside_data("IDLEPROOF_FACTS", "../shared/facts", "facts") else { return };
    let text = std::fs::read(facts.join("jax_oracle.json")).unwrap();
    let oracle: Value = serde_json::from_slice(&text).unwrap();
    for (name, bytes) in given_captures() {
        let expected = &oracle[format!("jax/{name}")];
        let record = read(&bytes);
        assert_eq!(
            Value::from(record.source.sha256.clone()),
            oracle_sha(expected, &record),
            "{name}"
        );
        per_device(&name, &record.trace, &expected["raw_per_device"]);
        sums(&name, &record.trace, &expected["raw"]);
        let found = facts_of(&record);
        for (fact, value) in expected["facts"].as_object().unwrap() {
            match found.get(fact.as_str()) {
                Some(found) => assert_eq!(found, value, "{name}: {fact}"),
                None => assert!(
                    NOT_OF_READING.contains(&fact.as_str()),
                    "{name}: {fact} is not compared"
                ),
            }
        }
    }
}

/// The profiler's own JSON, or its exporter's, of the given captures.
#[test]
fn the_json_of_fixtures_is_that_of_the_exporter() {
    let Some(corpus) = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures") else {
        return;
    };
    for (name, bytes) in given_captures() {
        let json = corpus.join("jax").join(&name).join("host.trace.json.gz");
        let Ok(json) = std::fs::read(json) else { continue };
        let expected = String::from_utf8(gunzip(&json).unwrap()).unwrap();
        let found = json::write(&XSpace::decode(bytes.as_slice()).unwrap());
        let differs = expected.bytes().zip(found.bytes()).position(|(a, b)| a != b);
        let near =
            |text: &str, at: usize| text.get(at.saturating_sub(120)..at + 40).map(str::to_owned);
        let shown = differs.map(|at| (near(&expected, at), near(&found, at)));
        assert!(expected == found, "{name}: {shown:?}");
    }
}

/// Facts of the oracle that need more than the tables: schedules, runs, or the truth of a synthetic file.
const NOT_OF_READING: &[&str] = &[
    "calls",
    "kernels_per_execution",
    "recorded_executions",
    "runs",
    "events_per_run",
    "duplicate_program_name",
    "runs_equal_schedule_multiset",
    "runs_in_schedule_order",
    "label",
    "label_events",
    "label_us",
    "graph_runs",
    "recorded_graph_runs",
    "launches_with_records",
    "records_per_graph_launch",
    "slots_per_run",
];

fn oracle_sha(expected: &Value, record: &Record) -> Value {
    assert_eq!(expected["xplane_bytes"], Value::from(record.source.bytes));
    expected["xplane_sha256"].clone()
}

/// Microseconds with three digits, as the oracle has them.
fn us(ps: i128) -> Value {
    let text = format!("{}.{:03}", ps / 1_000_000, ps % 1_000_000 / 1_000);
    Value::from(text.parse::<f64>().unwrap())
}

fn per_device(name: &str, trace: &Trace, expected: &Value) {
    let Some(expected) = expected.as_object() else { return };
    let mut devices = BTreeMap::new();
    for event in &trace.device_events {
        let device = trace.device(trace.stream(event.stream).device).raw_id;
        let intervals: &mut Vec<_> = devices.entry(format!("/device:GPU:{device}")).or_default();
        intervals.push(event.interval);
    }
    assert_eq!(devices.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{name}");
    for (device, intervals) in devices {
        let union = IntervalSet::from_intervals(intervals.iter().copied());
        let hull = union.hull().unwrap();
        let sum: i64 = intervals.iter().map(|one| one.duration().ps()).sum();
        let found = serde_json::json!({
            "events": intervals.len(),
            "sum_us": us(sum.into()),
            "union_us": us(union.total().ps().into()),
            "first_us": us(trace.origin.on_file_axis(hull.start())),
            "last_us": us(trace.origin.on_file_axis(hull.end())),
        });
        assert_eq!(found, expected[&device], "{name} {device}");
    }
}

fn sums(name: &str, trace: &Trace, expected: &Value) {
    let Some(expected) = expected.as_object() else { return };
    let sum = |wanted: &dyn Fn(&idleproof::trace::DeviceEvent) -> bool| {
        let events: Vec<_> = trace.device_events.iter().filter(|event| wanted(event)).collect();
        let total: i64 = events.iter().map(|event| event.interval.duration().ps()).sum();
        serde_json::json!({ "us": us(total.into()), "events": events.len() })
    };
    let has_op = |event: &idleproof::trace::DeviceEvent| {
        event.hlo.is_some_and(|id| trace.hlo_labels[id.index()].op.is_some())
    };
    for (kind, expected) in expected {
        let found = match kind.as_str() {
            "kernel" => sum(&|event| event.kind.is_kernel()),
            "memcpy" => sum(&|event| event.kind == DeviceEventKind::Memcpy),
            "with_hlo_op" => sum(&has_op),
            other => panic!("{name}: {other} is not compared"),
        };
        assert_eq!(&found, expected, "{name} {kind}");
    }
}

fn facts_of(record: &Record) -> BTreeMap<&'static str, Value> {
    let trace = &record.trace;
    let executions = |scope| trace.executions.iter().filter(|one| one.scope == scope).count();
    let ids: BTreeSet<_> =
        trace.device_events.iter().filter_map(|event| event.correlation).collect();
    let calls: BTreeMap<_, _> =
        trace.host_calls.iter().filter_map(|call| Some((call.correlation?, call))).collect();
    let joined: Vec<_> =
        trace.device_events.iter().filter_map(|event| calls.get(&event.correlation?)).collect();
    let launching = joined.iter().filter(|call| call.kind.hands_over_work()).count();
    let all = trace.device_events.len();
    let hlo_bytes: u64 = trace
        .programs
        .iter()
        .map(|program| match &program.hlo {
            Hlo::Stored(module) => module.bytes,
            Hlo::NotNeeded(bytes) => *bytes,
            Hlo::Damaged(reason) => panic!("{reason}"),
            Hlo::Missing => 0,
        })
        .sum();
    let exact: Vec<_> =
        trace.device_events.iter().filter(|event| op(trace, event.hlo).is_some()).collect();
    let in_hlo = exact.iter().filter(|event| is_stored(trace, event.hlo)).count();
    let exact_us: i64 = exact.iter().map(|event| event.interval.duration().ps()).sum();
    let agree = trace.device_events.iter().filter(|event| {
        event
            .correlation
            .and_then(|id| calls.get(&id))
            .is_some_and(|call| op(trace, call.hlo) == op(trace, event.hlo))
    });
    let graph_launches =
        trace.host_calls.iter().filter(|call| call.kind == HostCallKind::GraphLaunch);
    let devices = trace.devices.iter().filter(|_| executions(ExecutionScope::Device) > 0).count();
    // Older runtimes record the same executions under another name.
    let is_thunks = |name: &str| name == "GpuExecutable::ExecuteThunks";
    let spans = || trace.host_spans.iter().map(|span| trace.name(span.name));
    let thunks = spans().filter(|name| is_thunks(name)).count();
    let older = spans().filter(|name| name.ends_with(":XLA GPU module")).count();
    // The CPU's runtime has a name of its own for them.
    if !trace.devices.is_empty() {
        assert_eq!(executions(ExecutionScope::DeviceWithProgram), thunks.max(older));
    }
    let mut facts = BTreeMap::from([
        ("hlo_programs", Value::from(trace.programs.len())),
        ("hlo_bytes", Value::from(hlo_bytes)),
        (
            "host_events",
            Value::from(trace.host_calls.len() + trace.host_spans.len() + trace.annotations.len()),
        ),
        (
            "PjRtStreamExecutorLoadedExecutable::ExecuteHelper",
            Value::from(executions(ExecutionScope::Device)),
        ),
        ("GpuExecutable::ExecuteThunks", Value::from(thunks)),
        ("device_events", Value::from(all)),
        ("device_events_joined", Value::from(format!("{}/{all}", joined.len()))),
        ("joined_to_launch_type_call", Value::from(format!("{launching}/{all}"))),
        (
            "host_only_correlation_ids",
            Value::from(calls.keys().filter(|id| !ids.contains(id)).count()),
        ),
        ("exact_events", Value::from(exact.len())),
        ("exact_us", us(exact_us.into())),
        ("hlo_op_found_in_stored_hlo", Value::from(format!("{in_hlo}/{}", exact.len()))),
        ("hlo_op_host_device_agree", Value::from(format!("{}/{all}", agree.count()))),
        ("graph_launches", Value::from(graph_launches.count())),
        ("trip_count", trip_counts(trace)),
    ]);
    // Legacy files record on fewer devices than they execute on: the host's own threads tell.
    if devices > 0 {
        facts.insert("devices_executing", Value::from(executing_devices(trace)));
    }
    // Of the legacy file the oracle counts kernels alone: its copies have no label by nature.
    if trace.device_events.iter().any(|event| event.kind == DeviceEventKind::Memcpy) {
        let kernels: Vec<_> =
            trace.device_events.iter().filter(|event| event.kind.is_kernel()).collect();
        let agree = kernels.iter().filter(|event| {
            event
                .correlation
                .and_then(|id| calls.get(&id))
                .is_some_and(|call| op(trace, call.hlo) == op(trace, event.hlo))
        });
        facts.insert(
            "hlo_op_host_device_agree",
            Value::from(format!("{}/{}", agree.count(), kernels.len())),
        );
    }
    facts
}

fn op(trace: &Trace, id: Option<idleproof::trace::HloLabelId>) -> Option<&str> {
    trace.hlo_labels[id?.index()].op.map(|name| trace.name(name))
}

fn is_stored(trace: &Trace, id: Option<idleproof::trace::HloLabelId>) -> bool {
    let Some(label) = id.map(|id| trace.hlo_labels[id.index()]) else { return false };
    let modules = trace.programs.iter().filter(|program| Some(program.id) == label.program);
    modules
        .filter_map(|program| match &program.hlo {
            Hlo::Stored(module) => Some(module),
            _ => None,
        })
        .flat_map(|module| &module.computations)
        .flat_map(|computation| &computation.instructions)
        .any(|instruction| Some(instruction.name.as_str()) == op(trace, id))
}

fn trip_counts(trace: &Trace) -> Value {
    let modules = trace.programs.iter().filter_map(|program| match &program.hlo {
        Hlo::Stored(module) => Some(module),
        _ => None,
    });
    let instructions =
        modules.flat_map(|module| &module.computations).flat_map(|one| &one.instructions);
    instructions.filter_map(|instruction| instruction.trip_count).next().into()
}

/// Executions on a device run on that device's own threads: `GPU_7_bfc` and the like are not read, threads are.
fn executing_devices(trace: &Trace) -> usize {
    let of_scope = trace.executions.iter().filter(|one| one.scope == ExecutionScope::Device);
    of_scope.map(|one| one.thread).collect::<BTreeSet<_>>().len()
}

#[test]
fn given_cases_hold() {
    let Some(folder) = outside_data("IDLEPROOF_CASES", "../shared/cases", "cases") else { return };
    for (case, file) in [
        ("42-json-cap-vs-xplane", "synth-host.xplane.pb"),
        ("43-derived-lines", "synth-host.xplane.pb"),
        ("45-command-buffer-coverage", "synth-host.xplane.pb"),
        ("51-line-base-and-picoseconds", "synth-host.xplane.pb"),
        ("52-memcpy-unknown-size-zero", "synth-host.xplane.pb"),
    ] {
        let trace = case_file(&folder, case, file).unwrap().trace;
        let expected: Value =
            serde_json::from_slice(&std::fs::read(folder.join(case).join("expect.json")).unwrap())
                .unwrap();
        let expected = match &expected["xplane"]["GPU:0"] {
            Value::Null => &expected["device0"],
            device => device,
        };
        let union =
            IntervalSet::from_intervals(trace.device_events.iter().map(|event| event.interval));
        let window = union.hull().unwrap();
        let sum: i64 = trace.device_events.iter().map(|event| event.interval.duration().ps()).sum();
        let kernels = trace.device_events.iter().filter(|event| event.kind.is_kernel());
        for (key, found) in [
            ("total_us", us(window.duration().ps().into())),
            ("busy_us", us(union.total().ps().into())),
            ("idle_us", us((window.duration() - union.total()).ps().into())),
            ("kernel_sum_us", us(sum.into())),
            ("kernel_count", Value::from(kernels.count() as f64)),
            ("streams", Value::from(trace.streams.len() as f64)),
            ("memcpy_count", Value::from(trace.copies.len() as f64)),
        ] {
            if let Some(expected) = expected.get(key) {
                assert_eq!(found.as_f64(), expected.as_f64(), "{case} {key}");
            }
        }
    }
}

#[test]
fn given_cases_say_what_they_are() {
    let Some(folder) = outside_data("IDLEPROOF_CASES", "../shared/cases", "cases") else { return };
    let read = |case: &str| case_file(&folder, case, "synth-host.xplane.pb").unwrap().trace;
    let lines = read("43-derived-lines").profiler.derived_lines;
    assert_eq!(lines.iter().map(|(_, events)| events).sum::<u64>(), 8, "{lines:?}");
    assert_eq!(lines.len(), 7, "{lines:?}");
    let copies = read("52-memcpy-unknown-size-zero").copies;
    assert_eq!((copies.len(), copies[0].bytes, copies[0].direction), (1, None, None));
    let host_only = read("54-no-device-plane");
    assert_eq!(host_only.profiler.field("planes"), Some("/host:CPU"));
    assert!(host_only.device_events.is_empty() && host_only.devices.is_empty());
    let coverage = read("45-command-buffer-coverage");
    assert!(matches!(coverage.programs[0].hlo, Hlo::Missing));
    for (file, kind, says) in [
        ("cut.xplane.pb", ReadErrorKind::Truncated, "truncated at byte offset 554"),
        (
            "mangled.xplane.pb",
            ReadErrorKind::Encoding,
            "not an XSpace; bytes look UTF-8 mangled (EF BF BD)",
        ),
        ("empty.xplane.pb", ReadErrorKind::Empty, "no planes"),
        ("json_named.xplane.pb", ReadErrorKind::NotACapture, "not an XSpace; looks like JSON"),
    ] {
        let error = case_file(&folder, "49-corrupt-xplane", file).unwrap_err();
        assert_eq!(error.kind, kind, "{file}: {error:?}");
        assert!(error.message.contains(says) && !error.help.is_empty(), "{file}: {error:?}");
    }
}

fn case_file(folder: &Path, case: &str, file: &str) -> Result<Record, idleproof::read::ReadError> {
    read_xplane(&std::fs::read(folder.join(case).join(file)).unwrap(), file)
}
