//! JAX's own `trace.json` of an XSpace, byte for byte as the exporter of jaxlib 0.10 writes it.
//!
//! What is left out, and how numbers are spelled, follows `xplane_to_trace_events.cc` and `trace_events_to_json.cc` of
//! openxla/xla; recordings of a profiler that wrote both files prove it.

use super::xplane_pb::{XEvent, XLine, XPlane, XSpace, XStat, x_event::Data, x_stat::Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The process that stands for the host.
const HOST_PROCESS: u32 = 701;
/// The process of the plane with id 0.
const FIRST_DEVICE: u32 = 1;
/// A line that is not exported.
const ASYNC_OPS: &[u8] = b"Async XLA Ops";
/// Events that are not exported, as far as they were seen.
const INTERNAL_EVENTS: [&[u8]; 2] = [b"MemoryAllocation", b"MemoryDeallocation"];
/// Statistics that are not exported.
const INTERNAL_STATS: [&str; 8] =
    ["_pt", "_p", "_ct", "_c", "_r", "program_id", "symbol_id", "flops"];

/// The text of `trace.json`.
pub(crate) fn write(space: &XSpace) -> String {
    let planes = exported(space);
    let mut text = String::from(
        r#"{"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":["#,
    );
    let by_process: BTreeMap<u32, &XPlane> = planes.iter().copied().collect();
    for (process, plane) in by_process {
        names(&mut text, process, plane);
    }
    for (process, plane) in planes {
        for line in plane.lines.iter().filter(|line| line.name != ASYNC_OPS) {
            line.events.iter().for_each(|event| row(&mut text, process, plane, line, event));
        }
    }
    // The last element is empty, which saves the exporter from thinking about commas.
    text + "{}]}"
}

/// The host, then the planes of the first kind of device that there is, each with its process.
fn exported(space: &XSpace) -> Vec<(u32, &XPlane)> {
    let host = space.planes.iter().find(|plane| plane.name == b"/host:CPU");
    let of_kind = |prefix: &str| -> Vec<&XPlane> {
        space.planes.iter().filter(|plane| plane.name.starts_with(prefix.as_bytes())).collect()
    };
    let kinds = ["/device:GPU:", "/device:TPU:", "/device:CUSTOM:"];
    let devices = kinds.map(of_kind).into_iter().find(|planes| !planes.is_empty());
    let devices = devices.unwrap_or_default().into_iter();
    let device = |plane: &XPlane| FIRST_DEVICE.wrapping_add(low_half(plane.id));
    host.map(|plane| (HOST_PROCESS, plane))
        .into_iter()
        .chain(devices.map(|plane| (device(plane), plane)))
        .collect()
}

/// Ids are 32 bits in the JSON.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the exporter keeps the low half of an id, so that two may become one"
)]
fn low_half(id: i64) -> u32 {
    id as u32
}

/// The rows that name a process and its threads.
fn names(text: &mut String, process: u32, plane: &XPlane) {
    let name = quoted(&plane.name);
    let _ = write!(
        text,
        r#"{{"ph":"M","pid":{process},"name":"process_name","args":{{"name":{name}}}}},{{"ph":"M","pid":{process},"name":"process_sort_index","args":{{"sort_index":{process}}}}},"#
    );
    let mut threads: BTreeMap<u32, (u32, &XLine)> = BTreeMap::new();
    for (ordinal, line) in (1..).zip(&plane.lines) {
        let thread = low_half(line.id);
        let sort_index = if process == HOST_PROCESS { ordinal } else { thread };
        threads.insert(thread, (sort_index, line));
    }
    for (thread, (sort_index, line)) in threads {
        if !line.name.is_empty() {
            let name = quoted(&line.name);
            let _ = write!(
                text,
                r#"{{"ph":"M","pid":{process},"tid":{thread},"name":"thread_name","args":{{"name":{name}}}}},"#
            );
        }
        let _ = write!(
            text,
            r#"{{"ph":"M","pid":{process},"tid":{thread},"name":"thread_sort_index","args":{{"sort_index":{sort_index}}}}},"#
        );
    }
}

fn row(text: &mut String, process: u32, plane: &XPlane, line: &XLine, event: &XEvent) {
    let metadata = plane.event_metadata.get(&event.metadata_id).cloned().unwrap_or_default();
    if INTERNAL_EVENTS.contains(&metadata.name.as_slice()) {
        return;
    }
    let mut args: BTreeMap<String, String> = BTreeMap::new();
    let mut name = quoted(&metadata.name);
    if !metadata.display_name.is_empty() {
        args.insert("\"long_name\"".to_owned(), name);
        name = quoted(&metadata.display_name);
    }
    for stat in metadata.stats.iter().chain(&event.stats) {
        let key = plane.stat_metadata.get(&stat.metadata_id).map(|row| row.name.as_slice());
        let key = String::from_utf8_lossy(key.unwrap_or_default()).into_owned();
        let Some(value) = value(plane, stat).filter(|_| !INTERNAL_STATS.contains(&key.as_str()))
        else {
            continue;
        };
        args.insert(quoted(key.as_bytes()), value);
    }
    let offset_ps = match event.data {
        Some(Data::OffsetPs(offset)) => offset,
        // An event that stands for several has no offset and is exported all the same.
        Some(Data::NumOccurrences(_)) | None => 0,
    };
    let (thread, ts) = (low_half(line.id), line.timestamp_ns * 1_000 + offset_ps);
    let (ts, dur) = (microseconds(ts), microseconds(event.duration_ps.max(1)));
    let _ = write!(
        text,
        r#"{{"ph":"X","pid":{process},"tid":{thread},"ts":{ts},"dur":{dur},"name":{name}"#
    );
    if !args.is_empty() {
        let args: Vec<String> = args.iter().map(|(key, value)| format!("{key}:{value}")).collect();
        let _ = write!(text, r#","args":{{{}}}"#, args.join(","));
    }
    text.push_str("},");
}

/// A statistic as a JSON string; `None` where it has no value.
fn value(plane: &XPlane, stat: &XStat) -> Option<String> {
    let number = |number: String| format!("\"{number}\"");
    Some(match stat.value.as_ref()? {
        Value::DoubleValue(value) => number(significant(*value, 6)),
        Value::Uint64Value(value) => number(value.to_string()),
        Value::Int64Value(value) => number(value.to_string()),
        Value::StrValue(text) => quoted(text),
        Value::BytesValue(_) => quoted(b"<opaque bytes>"),
        Value::RefValue(id) => {
            let row = plane.stat_metadata.get(&id.cast_signed());
            quoted(row.map_or(&b""[..], |row| &row.name))
        }
    })
}

/// Picoseconds in microseconds, with all digits that a double has.
fn microseconds(ps: i64) -> String {
    significant(ps as f64 / 1e6, 17)
}

/// C's `%.{digits}g`.
fn significant(value: f64, digits: u8) -> String {
    let scientific = format!("{value:.*e}", usize::from(digits) - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let short = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    match usize::try_from(i32::from(digits) - 1 - exponent) {
        Ok(decimals) if exponent >= -4 => short(&format!("{value:.decimals$}")),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", short(mantissa), exponent.abs())
        }
    }
}

/// A JSON string in ASCII. A text ends at its first zero byte, as C's do.
fn quoted(text: &[u8]) -> String {
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    let mut quoted = String::from("\"");
    for character in String::from_utf8_lossy(text).chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            ' '..='\u{7f}' => quoted.push(character),
            _ => {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    let _ = write!(quoted, "\\u{unit:04x}");
                }
            }
        }
    }
    quoted.push('"');
    quoted
}

#[test]
fn numbers_are_spelled_as_c_does() {
    for (value, digits, expected) in [
        (139_016.013, 17, "139016.01300000001"),
        (294.041, 17, "294.041"),
        (9_716_533.018, 17, "9716533.0179999992"),
        (1e-6, 17, "9.9999999999999995e-07"),
        (0.429_844, 6, "0.429844"),
        (0.0, 6, "0"),
        (1e20, 6, "1e+20"),
        (1_234_567.0, 6, "1.23457e+06"),
    ] {
        assert_eq!(significant(value, digits), expected);
    }
}
