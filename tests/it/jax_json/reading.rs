//! What the reader makes of JAX's JSON, piece by piece.

use super::export::{HOST, document, event, instant, process, rows, thread};
use super::{notices, read_bytes, read_text};
use crate::xplane::samples;
use idleproof::read::ReadErrorKind;
use idleproof::trace::{
    DamageFault, DeviceEventKind, FileFormat, HostCallKind, Record, RecordSide, Trace,
};
use idleproof::units::{Picoseconds, decimal_us};

/// A GPU with one stream, and a host thread of runtime calls.
fn lanes() -> Vec<String> {
    vec![
        process(1, "/device:GPU:0"),
        thread(1, 16, "Stream #16(Kernel)"),
        process(HOST, "/host:CPU"),
        thread(HOST, 583, "Host Threads/583"),
    ]
}

const STREAM: (i64, i64) = (1, 16);
const CALLS: (i64, i64) = (HOST, 583);

fn kernel(ts: &str, dur: &str, name: &str) -> String {
    event(STREAM, ts, dur, name, r#""correlation_id":"7","kernel_details":" grid:16,1,1""#)
}

fn with(more: impl IntoIterator<Item = String>) -> String {
    document(&lanes().into_iter().chain(more).collect::<Vec<_>>())
}

/// Device events, one line each: lane, name, start and length in microseconds.
fn device_events(trace: &Trace) -> Vec<String> {
    let line = |event: &idleproof::trace::DeviceEvent| {
        let stream = trace.stream(event.stream);
        format!(
            "{}/{} {} {}+{}",
            trace.device(stream.device).raw_id,
            stream.raw_id,
            trace.name(event.name),
            decimal_us(trace.origin.on_file_axis(event.interval.start())),
            event.interval.duration()
        )
    };
    trace.device_events.iter().map(line).collect()
}

fn damage(record: &Record) -> Vec<(DamageFault, RecordSide, u64, Option<u64>)> {
    let rows = record.trace.damaged.iter();
    rows.map(|one| (one.fault, one.side, one.count, one.first.1)).collect()
}

#[test]
fn an_export_reads_like_its_xplane() {
    for space in [
        samples::graph_replays(4, 2),
        samples::loop_graph(),
        samples::async_label(),
        samples::derived_lines(),
    ] {
        let xplane = idleproof::read::read_xplane(&space.bytes(), "host.xplane.pb").unwrap();
        let json = read_text(&document(&rows(&space)));
        assert_eq!(json.source.format, FileFormat::JaxJson);
        assert_eq!(json.source.events, xplane.source.events);
        let (json, xplane) = (&json.trace, &xplane.trace);
        assert_eq!(device_events(json), device_events(xplane));
        assert_eq!((&json.devices, &json.streams), (&xplane.devices, &xplane.streams));
        let calls = |trace: &Trace| -> Vec<_> {
            let calls = trace.host_calls.iter();
            calls
                .map(|call| (trace.name(call.api).to_owned(), call.kind, call.correlation))
                .collect()
        };
        assert_eq!(calls(json), calls(xplane));
        assert_eq!(json.executions.len(), xplane.executions.len());
        // The lines of one id became one, under one of their names.
        let derived = |trace: &Trace| -> u64 {
            trace.profiler.derived_lines.iter().map(|(_, events)| events).sum()
        };
        assert_eq!(derived(json), derived(xplane));
        let listed = |trace: &Trace| trace.profiler.device_properties.len();
        assert_eq!(listed(json), listed(xplane));
    }
}

#[test]
fn order_of_keys_and_rows_changes_nothing() {
    let space = samples::graph_replays(4, 4);
    let sorted = rows(&space);
    let shown = |text: &str| {
        let record = read_text(text);
        assert_eq!(record.notices, []);
        format!("{:?} {:?}", record.trace, record.source.events)
    };
    let events: Vec<String> = sorted.iter().filter(|row| row.contains("\"X\"")).cloned().collect();
    let names: Vec<String> = sorted.iter().filter(|row| row.contains("\"M\"")).cloned().collect();
    let expected = shown(&document(&[names.clone(), events.clone()].concat()));
    assert_eq!(shown(&document(&[events.clone(), names.clone()].concat())), expected);
    let list = [names, events].concat().join(",");
    for text in [
        format!(r#"{{"traceEvents":[{list}],"metadata":{{"highres-ticks":true}}}}"#),
        format!(r#"{{"traceEvents" : [ {list} , {{ }} ] , "displayTimeUnit" : "ns" }}"#),
        format!("[{list}]"),
    ] {
        assert_eq!(shown(&text), expected);
    }
    let turned = |row: &String| {
        let value: serde_json::Value = serde_json::from_str(row).unwrap();
        let fields = value.as_object().unwrap().iter().rev();
        let fields = fields.map(|(key, value)| format!("{} : {value}", serde_json::json!(key)));
        format!("{{ {} }}", fields.collect::<Vec<_>>().join(" , "))
    };
    let turned: Vec<String> = sorted.iter().map(turned).collect();
    assert_eq!(shown(&document(&turned)), shown(&document(&sorted)));
}

#[test]
fn times_are_exact_to_the_picosecond() {
    for (ts, dur, expected) in [
        ("9716533.0179999992", "369.54500000000002", "9716533.018+369.545"),
        ("0", "1e-06", "0+0"),
        ("1.5e3", "2.000001", "1500+2.000001"),
        ("0.000001", "0.000002", "0.000001+0.000002"),
        (r#""12.25""#, r#""3""#, "12.25+3"),
        ("-3.5", "1", "-3.5+1"),
    ] {
        let record = read_text(&with([kernel(ts, dur, "k")]));
        assert_eq!(device_events(&record.trace), [format!("0/16 k {expected}")]);
    }
    assert_eq!(read_text(&with([kernel("1", "2", "k")])).trace.resolution, Picoseconds::new(1_000));
    assert_eq!(
        read_text(&with([kernel("1", "2.000001", "k")])).trace.resolution,
        Picoseconds::new(1)
    );
}

#[test]
fn an_axis_far_from_zero_keeps_its_distances() {
    let record = read_text(&with([
        kernel("1700000000000000.25", "50", "a"),
        kernel("1700000000000100.5", "50", "b"),
    ]));
    assert_eq!(
        device_events(&record.trace),
        ["0/16 a 1700000000000000.25+50", "0/16 b 1700000000000100.5+50"]
    );
    assert_eq!(damage(&record), []);
}

#[test]
fn times_that_are_none_cost_their_event_and_are_counted() {
    use DamageFault::{NegativeDuration, NonFinite, OutOfRange, Unreadable, ZeroDuration};
    for (ts, dur, fault) in [
        ("1", "-2", NegativeDuration),
        ("1e30", "2", OutOfRange),
        ("1e99", "2", OutOfRange),
        ("1", "1e15", OutOfRange),
        ("null", "2", Unreadable),
        (r#""soon""#, "2", Unreadable),
        ("1", "[]", Unreadable),
        ("nan", "2", NonFinite),
        ("1", "Infinity", NonFinite),
    ] {
        let record = read_text(&with([kernel("5", "5", "good"), kernel(ts, dur, "bad")]));
        assert_eq!(device_events(&record.trace), ["0/16 good 5+5"], "{ts} {dur}");
        assert_eq!(damage(&record), [(fault, RecordSide::Device, 1, Some(6))], "{ts} {dur}");
    }
    let record = read_text(&with([kernel("5", "0", "empty")]));
    assert_eq!(damage(&record), [(ZeroDuration, RecordSide::Device, 1, Some(5))]);
    assert_eq!(record.trace.device_events.len(), 1);
    let host = event(CALLS, "1", "-1", "hipModuleLaunchKernel", "");
    let record = read_text(&with([kernel("5", "5", "good"), host]));
    assert_eq!(damage(&record), [(NegativeDuration, RecordSide::Host, 1, Some(6))]);
}

#[test]
fn numbers_that_are_no_json_are_counted_where_they_stand() {
    let odd = event(STREAM, "5", "5", "k", r#""fragmentation":nan,"correlation_id":"7""#);
    let record = read_text(&with([odd]));
    assert_eq!(damage(&record), [(DamageFault::NonFinite, RecordSide::Field, 1, Some(5))]);
    assert_eq!(record.trace.device_events[0].correlation.map(|id| id.get()), Some(7));
    assert_eq!(notices(&record), [("non-finite-number", 1)]);
}

#[test]
fn args_are_texts_and_the_last_of_equal_keys_counts() {
    for (args, expected) in [
        (r#""correlation_id":"7""#, Some(7)),
        (r#""correlation_id":7"#, Some(7)),
        (r#""correlation_id":"-1""#, Some(u64::MAX)),
        (r#""correlation_id":"18446744073709551615""#, Some(u64::MAX)),
        (r#""correlation_id":"0""#, None),
        (r#""correlation_id":null"#, None),
        (r#""correlation_id":"7","correlation_id":"8""#, Some(8)),
    ] {
        let record = read_text(&with([event(STREAM, "5", "5", "k", args)]));
        let found = record.trace.device_events[0].correlation.map(|id| id.get());
        assert_eq!(found, expected, "{args}");
        let repeated = args.matches("correlation_id").count() > 1;
        let expected: &[_] = if repeated { &[("duplicate-json-key", 1)] } else { &[] };
        assert_eq!(notices(&record), expected, "{args}");
    }
    let record = read_text(&with([event(STREAM, "5", "5", "k", r#""correlation_id":"$$5""#)]));
    assert_eq!(notices(&record), [("unusable-stat", 1)]);
    let short = event(STREAM, "5", "5", "short", r#""long_name":"the whole name""#);
    assert_eq!(device_events(&read_text(&with([short])).trace), ["0/16 the whole name 5+5"]);
}

#[test]
fn labels_copies_steps_and_executions_are_read() {
    let label = r#""hlo_op":"fusion.1","hlo_module":"jit_f","tf_op":"XlaModule:","name":"(null)","correlation_id":"3""#;
    let copy = r#""memcpy_details":"kind:Unknown size:655360 dest:2 async:1""#;
    let thunks =
        event((HOST, 9), "1", "1", "GpuExecutable::ExecuteThunks", r#""module_name":"jit_f""#);
    let record = read_text(&with([
        thread(HOST, 9, "python"),
        event(STREAM, "5", "5", "fusion_1.kd", label),
        event(STREAM, "15", "5", "CopyDeviceToDevice", copy),
        event(
            CALLS,
            "1",
            "1",
            "hipModuleLaunchKernel",
            r#""correlation_id":"3","device_id":"47645""#,
        ),
        event((HOST, 9), "1", "1", "train", r#""step_num":"4""#),
        thunks,
        event((HOST, 9), "1", "1", "loop_fusion", r#""correlation_id":"4""#),
    ]));
    let trace = &record.trace;
    let label = trace.hlo_labels[0];
    assert_eq!((trace.hlo_labels.len(), label.program, label.op_name), (1, None, None));
    assert_eq!(label.op.map(|name| trace.name(name)), Some("fusion.1"));
    assert_eq!(trace.device_events[1].kind, DeviceEventKind::Memcpy);
    assert_eq!((trace.copies[0].event, trace.copies[0].bytes), (1, Some(655_360)));
    assert_eq!(trace.name(trace.annotations[0].name), "train#4");
    let module = trace.executions[0].module.map(|name| trace.name(name));
    assert_eq!((trace.executions.len(), module), (1, Some("jit_f")));
    let kinds: Vec<_> = trace.host_calls.iter().map(|call| call.kind).collect();
    assert_eq!(kinds, [HostCallKind::Launch, HostCallKind::Launch]);
    assert!(trace.programs.is_empty() && trace.origin.base_unix_ns.is_none());
}

#[test]
fn the_viewers_variant_is_known_and_read_alike() {
    let space = samples::graph_replays(4, 4);
    let own = read_text(&document(&rows(&space)));
    // Threads are numbered anew, and lines are added that repeat the stream.
    let number = own.trace.streams[0].raw_id;
    let numbered = format!("\"pid\":1,\"tid\":{number},");
    let mut viewer: Vec<String> = rows(&space)
        .into_iter()
        .filter(|row| !row.contains("Stream #"))
        .map(|row| row.replace(&numbered, "\"pid\":1,\"tid\":8,"))
        .collect();
    viewer.insert(0, thread(1, 8, &format!("Stream #{number}(Kernel)")));
    let names = [format!("XLA Modules - from #{number}"), format!("XLA Ops - from #{number}")];
    for (tid, name) in (9..).zip(&names) {
        viewer.push(thread(1, tid, name));
        viewer.push(event((1, tid), "21", "9", "fusion", r#""group_id":"0""#));
    }
    viewer.push(instant((HOST, 12), "50.5", "Release"));
    viewer.push(event((HOST, 12), "60", "5", "train 4", r#""step_num":"4","step_name":"train 4""#));
    let viewer = read_text(&document(&viewer));
    assert_eq!(device_events(&viewer.trace), device_events(&own.trace));
    assert_eq!(viewer.trace.streams, own.trace.streams);
    assert_eq!(notices(&own), []);
    assert_eq!(notices(&viewer), [("xprof-viewer-json", 3)]);
    assert_eq!(viewer.trace.profiler.derived_lines, names.map(|name| (name, 1)));
    assert_eq!(viewer.trace.name(viewer.trace.annotations[0].name), "train#4");
    let last = viewer.trace.host_spans.last().unwrap();
    assert_eq!((viewer.trace.name(last.name), last.interval.is_empty()), ("Release", true));
}

#[test]
fn a_lane_that_is_not_told_may_be_work() {
    let lost = (DamageFault::Unreadable, RecordSide::Device, 1);
    for (case, more) in [
        ("no name of the thread", vec![event((1, 99), "5", "5", "k", "")]),
        ("no name of the process", vec![event((2, 16), "5", "5", "k", "")]),
        (
            "two names of the thread",
            vec![
                thread(1, 9, "Stream #9"),
                thread(1, 9, "XLA Ops"),
                event((1, 9), "5", "5", "k", ""),
            ],
        ),
        (
            "two names of the process",
            vec![
                process(3, "/device:GPU:1"),
                thread(3, 9, "Stream #9"),
                event((3, 9), "5", "5", "k", ""),
                process(3, "/host:CPU"),
            ],
        ),
    ] {
        let record = read_text(&with([vec![kernel("1", "1", "good")], more].concat()));
        assert_eq!(device_events(&record.trace), ["0/16 good 1+1"], "{case}");
        let [(fault, side, count, Some(_))] = damage(&record)[..] else { panic!("{case}") };
        assert_eq!((fault, side, count), lost, "{case}");
        assert_eq!(notices(&record), [("bad-event", 1)], "{case}");
    }
}

#[test]
fn threads_whose_ids_became_one_are_read_as_one() {
    let tid = -5_026_324_119_379_378_357_i64 & 0xFFFF_FFFF;
    let record = read_text(&with([
        thread(HOST, tid, "py_xla_execute/-5026324119379378357"),
        thread(HOST, tid, "py_xla_execute/4197047917475397451"),
        event((HOST, tid), "1", "9", "a", ""),
        event((HOST, tid), "2", "9", "b", ""),
        kernel("1", "1", "k"),
    ]));
    assert_eq!(notices(&record), [("shared-lane", 2)]);
    assert_eq!((record.trace.threads.len(), record.trace.host_spans.len()), (1, 2));
}

#[test]
fn what_is_no_event_is_noted() {
    for (rows, expected) in [
        (vec!["{}".to_owned(), kernel("1", "1", "k")], ("bad-event", 1)),
        (vec![kernel("1", "1", "k"), "{}".to_owned()], ("bad-event", 1)),
        (vec![kernel("1", "1", "k"), "17".to_owned()], ("bad-event", 1)),
        (vec![kernel("1", "1", "k"), r#"{"pid":701,"tid":583}"#.to_owned()], ("bad-event", 1)),
        (
            vec![kernel("1", "1", "k"), r#"{"ph":"B","pid":701,"tid":583,"ts":1}"#.to_owned()],
            ("begin-end-events", 1),
        ),
        (
            vec![
                kernel("1", "1", "k"),
                process(9, "/device:TPU:0"),
                event((9, 1), "1", "1", "fusion", ""),
            ],
            ("unsupported-device", 1),
        ),
    ] {
        let record = read_text(&with(rows.clone()));
        assert_eq!(notices(&record), [expected], "{rows:?}");
        assert_eq!(record.trace.device_events.len(), 1);
    }
}

#[test]
fn an_event_of_a_stream_that_is_none_was_work() {
    for (from, to) in [
        (r#""args":{"#, r#""args":[],"x":{"#),
        (r#""ph":"X""#, r#""ph":"B""#),
        (r#""ph":"X""#, r#""ph":"Y""#),
        (r#""ph":"X","#, ""),
    ] {
        let lost = kernel("1", "1", "k").replace(from, to);
        let record = read_text(&with([kernel("1", "1", "k"), lost]));
        let expected = [(DamageFault::Unreadable, RecordSide::Device, 1, Some(6))];
        assert_eq!(damage(&record), expected, "{from} → {to}");
        assert_eq!(notices(&record), [("bad-event", 1)], "{from} → {to}");
    }
}

#[test]
fn devices_without_work_are_listed_and_no_more() {
    let record = read_text(&with([process(3, "/device:GPU:1"), kernel("1", "1", "k")]));
    let listed: Vec<i64> =
        record.trace.profiler.device_properties.iter().map(|device| device.id).collect();
    assert_eq!((listed, record.trace.devices.len()), (vec![0, 1], 1));
    assert_eq!(
        record.trace.profiler.field("planes"),
        Some("/device:GPU:0, /device:GPU:1, /host:CPU")
    );
}

#[test]
fn a_file_without_events_is_refused() {
    let error = read_bytes(document(&lanes()).as_bytes()).unwrap_err();
    assert_eq!(error.kind, ReadErrorKind::NoEvents);
    assert!(error.message.contains("recorded nothing"), "{}", error.message);
}
