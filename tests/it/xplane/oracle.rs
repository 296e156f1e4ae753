//! The walk against prost's full decode of the same file: every event, its time to the picosecond, and what it says.
//!
//! The decode below is as plain as can be: it shares the schema with the reader, and neither code nor shortcuts.

use super::{given_captures, read, samples};
use crate::xspace::xplane_pb::{XEvent, XPlane, XSpace, XStat, x_event::Data, x_stat::Value};
use idleproof::trace::{DeviceEventKind, HloLabelId, NameId, Record, Trace};
use prost::Message as _;
use std::collections::BTreeMap;

/// Everything that both readers say of one event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    lane: String,
    name: String,
    start_ps: i128,
    duration_ps: i64,
    correlation: Option<u64>,
    label: [String; 4],
}

#[test]
fn the_walk_agrees_with_a_full_decode() {
    let fixtures = [
        samples::graph_replays(5, 1),
        samples::loop_graph(),
        samples::async_label(),
        samples::derived_lines(),
    ];
    let made = fixtures.iter().map(|space| ("fixture".to_owned(), space.bytes()));
    for (name, bytes) in made.chain(given_captures()) {
        let space = XSpace::decode(bytes.as_slice()).unwrap();
        let record = read(&bytes);
        let (device, host) = decoded(&space);
        assert_eq!(walked_device(&record.trace), device, "{name}: device events");
        assert_eq!(walked_host(&record.trace), host, "{name}: host events");
        let all = space.planes.iter().flat_map(|plane| &plane.lines).map(|line| line.events.len());
        assert_eq!(record.source.events, all.sum::<usize>() as u64, "{name}");
        assert_eq!(stored_programs(&record), decoded_programs(&space), "{name}: programs");
    }
}

fn decoded(space: &XSpace) -> (Vec<Seen>, Vec<Seen>) {
    let (mut device, mut host) = (Vec::new(), Vec::new());
    for plane in &space.planes {
        let name = String::from_utf8_lossy(&plane.name);
        let ordinal = name.strip_prefix("/device:GPU:");
        for line in &plane.lines {
            for event in &line.events {
                let start = match event.data {
                    Some(Data::OffsetPs(offset)) => offset,
                    Some(Data::NumOccurrences(_)) => continue,
                    None => 0,
                };
                let start_ps = i128::from(line.timestamp_ns) * 1_000 + i128::from(start);
                match ordinal {
                    Some(ordinal) if line.name.starts_with(b"Stream #") => {
                        let lane = format!("{ordinal}/{}", line.id);
                        device.push(seen(plane, event, lane, start_ps));
                    }
                    None if name == "/host:CPU" => {
                        host.push(seen(plane, event, line.id.to_string(), start_ps));
                    }
                    _ => {}
                }
            }
        }
    }
    device.sort();
    host.sort();
    (device, host)
}

fn seen(plane: &XPlane, event: &XEvent, lane: String, start_ps: i128) -> Seen {
    let name =
        plane.event_metadata.get(&event.metadata_id).map_or("".into(), |row| text(&row.name));
    let stat = |name: &str| {
        let named = |stat: &&XStat| {
            plane
                .stat_metadata
                .get(&stat.metadata_id)
                .is_some_and(|row| row.name == name.as_bytes())
        };
        event.stats.iter().rfind(named).and_then(|stat| stat.value.clone())
    };
    let string = |name: &str| match stat(name) {
        Some(Value::StrValue(value)) => text(&value),
        Some(Value::RefValue(id)) => text(&plane.stat_metadata[&id.cast_signed()].name),
        _ => String::new(),
    };
    let number = |name: &str| match stat(name) {
        Some(Value::Uint64Value(number)) => Some(number),
        Some(Value::Int64Value(number)) => Some(number.cast_unsigned()),
        _ => None,
    };
    let is_call = stat("correlation_id").is_some();
    let step = number("step_num").filter(|_| !is_call).map(|step| format!("#{step}"));
    let op_name = match string("name").as_str() {
        "" => string("tf_op"),
        name => name.to_owned(),
    };
    let label = [
        string("hlo_op"),
        string("hlo_module"),
        number("program_id").map(|id| id.to_string()).unwrap_or_default(),
        if matches!(op_name.as_str(), "XlaModule:" | "(null)") { String::new() } else { op_name },
    ];
    Seen {
        lane,
        name: name + step.as_deref().unwrap_or(""),
        start_ps,
        duration_ps: event.duration_ps,
        correlation: number("correlation_id").filter(|&id| id != 0),
        label: if is_call { label } else { Default::default() },
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn walked_device(trace: &Trace) -> Vec<Seen> {
    let row = |event: &idleproof::trace::DeviceEvent| {
        let stream = trace.stream(event.stream);
        let device = trace.device(stream.device);
        Seen {
            lane: format!("{}/{}", device.raw_id, stream.raw_id),
            name: trace.name(event.name).to_owned(),
            start_ps: trace.origin.on_file_axis(event.interval.start()),
            duration_ps: event.interval.duration().ps(),
            correlation: event.correlation.map(|id| id.get()),
            label: label(trace, event.hlo),
        }
    };
    let mut seen: Vec<_> = trace.device_events.iter().map(row).collect();
    seen.sort();
    seen
}

fn walked_host(trace: &Trace) -> Vec<Seen> {
    let calls = trace.host_calls.iter().map(|call| {
        (call.interval, call.thread, call.api, call.correlation.map(|id| id.get()), call.hlo)
    });
    let spans =
        trace.host_spans.iter().map(|span| (span.interval, span.thread, span.name, None, None));
    let steps =
        trace.annotations.iter().map(|one| (one.interval, one.thread, one.name, None, None));
    let row = |(interval, thread, name, correlation, hlo): (
        idleproof::units::Interval,
        _,
        NameId,
        _,
        _,
    )| {
        let thread: idleproof::trace::ThreadId = thread;
        Seen {
            lane: trace.name(trace.threads[thread.index()].raw_id).to_owned(),
            name: trace.name(name).to_owned(),
            start_ps: trace.origin.on_file_axis(interval.start()),
            duration_ps: interval.duration().ps(),
            correlation,
            label: label(trace, hlo),
        }
    };
    let mut seen: Vec<_> = calls.chain(spans).chain(steps).map(row).collect();
    seen.sort();
    seen
}

fn label(trace: &Trace, id: Option<HloLabelId>) -> [String; 4] {
    let Some(id) = id else { return Default::default() };
    let label = trace.hlo_labels[id.index()];
    let text =
        |name: Option<NameId>| name.map(|name| trace.name(name).to_owned()).unwrap_or_default();
    let program = label.program.map(|id| id.to_string()).unwrap_or_default();
    [text(label.op), text(label.module), program, text(label.op_name)]
}

/// Name with id, and bytes, of each stored program.
fn decoded_programs(space: &XSpace) -> BTreeMap<String, u64> {
    let planes = space.planes.iter().filter(|plane| plane.name == b"/host:metadata");
    let rows = planes.flat_map(|plane| plane.event_metadata.values());
    let size = |stat: &XStat| match &stat.value {
        Some(Value::BytesValue(bytes)) => Some(bytes.len() as u64),
        _ => None,
    };
    rows.map(|row| (text(&row.name), row.stats.iter().filter_map(size).sum())).collect()
}

fn stored_programs(record: &Record) -> BTreeMap<String, u64> {
    use idleproof::trace::Hlo;
    let programs = record.trace.programs.iter().filter_map(|program| {
        let bytes = match &program.hlo {
            Hlo::Stored(module) => module.bytes,
            Hlo::NotNeeded(bytes) => *bytes,
            Hlo::Missing | Hlo::Damaged(_) => return None,
        };
        Some((format!("{}({})", record.trace.name(program.name), program.id), bytes))
    });
    programs.collect()
}

#[test]
fn kinds_are_those_of_the_records() {
    let trace = super::trace(&samples::async_label());
    let kinds: Vec<_> = trace.device_events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [DeviceEventKind::Kernel, DeviceEventKind::Collective]);
}
