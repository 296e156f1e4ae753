//! GPU planes: streams and the work on them, and what the tracer says of the device.
//!
//! What an event is, its own statistics tell, else its name. The line's suffix, as in `Stream #8(MemcpyOther)`, tells
//! nothing: newer tracers leave it out or put copies under `(Kernel)` (measured).
//! ROCm since rocprofiler-sdk records copies and fills as kernels (`__amd_rocclr_copyBuffer.kd`) with a launch configuration.
//! The record says kernel, so the model says kernel; that such a kernel copies is told by its name.

use super::super::collectives::is_collective;
use super::super::refusal::Refusal;
use super::super::tally::Oddity;
use super::builder::Builder;
use super::id_map::IdMap;
use super::lines::{Anchor, Opened, is_stream};
use super::plane::{Dictionary, Line};
use super::stat::{Key, Stat, Stats, Value};
use super::walk::{self, Walk};
use crate::trace::{
    CopyDetail, DamageFault, Device, DeviceEvent, DeviceEventKind, DeviceId, DeviceProperties,
    GraphTask, NameId, RecordSide, Stream, StreamId,
};

/// How CUPTI's whole-graph records begin; the executable graph's id follows.
const WHOLE_GRAPH: &str = "CudaGraphExec";

/// A name of device events, and what it tells.
#[derive(Clone, Copy)]
struct DeviceName {
    name: NameId,
    kind: DeviceEventKind,
}

/// Reads a GPU plane.
pub(super) fn read(
    builder: &mut Builder,
    opened: &Opened<'_, '_>,
    ordinal: i64,
    anchor: Anchor,
) -> Result<(), Refusal> {
    let mut dictionary = opened.plane.dictionary()?;
    builder.tally.note(Oddity::RepeatedId, "", dictionary.n_repeated);
    properties(builder, opened, ordinal, &dictionary)?;
    let mut names = IdMap::default();
    for line in &opened.lines {
        if is_stream(line) {
            stream(builder, *line, ordinal, anchor, &mut dictionary, &mut names)?;
        } else {
            derived_line(builder, *line)?;
        }
    }
    Ok(())
}

fn derived_line(builder: &mut Builder, line: Line<'_>) -> Result<(), Refusal> {
    let n_events = walk::count(line)?;
    builder.n_events += n_events;
    if n_events > 0 {
        let name = String::from_utf8_lossy(line.name).into_owned();
        let lines = &mut builder.trace.profiler.derived_lines;
        match lines.binary_search_by(|(known, _)| known.cmp(&name)) {
            Ok(row) => lines[row].1 += n_events,
            Err(row) => lines.insert(row, (name, n_events)),
        }
    }
    Ok(())
}

fn stream<'a>(
    builder: &mut Builder,
    line: Line<'a>,
    ordinal: i64,
    anchor: Anchor,
    dictionary: &mut Dictionary<'a>,
    names: &mut IdMap<DeviceName>,
) -> Result<(), Refusal> {
    let base = anchor.base_ps(&line);
    let mut stream = None;
    let mut walk = Walk::new(line);
    while let Some(event) = walk.step(dictionary)? {
        builder.n_events += 1;
        if let Some(occurrences) = event.occurrences {
            aggregated(builder, occurrences);
            continue;
        }
        let name = device_name(builder, event.name, dictionary, names)?;
        let side = RecordSide::Device;
        let Some(interval) = builder.interval(base, event.timing, side, name.name) else {
            continue;
        };
        if interval.is_empty() {
            builder.tally.damage(DamageFault::ZeroDuration, side, name.name, None);
        }
        builder.keep()?;
        let stream = *stream.get_or_insert_with(|| stream_id(builder, ordinal, line.id));
        let kind = kind(&walk.stats, name.kind);
        if walk.stats.has(Key::GraphExec) {
            builder.tally.note(Oddity::WholeGraphRecord, WHOLE_GRAPH, 1);
        }
        let row = DeviceEvent {
            interval,
            correlation: builder.correlation(&walk.stats),
            external: None,
            stream,
            name: name.name,
            collective: None,
            graph_node: builder.graph_node(&walk.stats),
            hlo: builder.label(&walk.stats, dictionary)?,
            kind,
            graph_task: GraphTask::Unsaid,
        };
        if kind == DeviceEventKind::Memcpy {
            copy(builder, &walk.stats, dictionary)?;
        }
        builder.trace.device_events.push(row);
    }
    walk.finish(&mut builder.tally);
    Ok(())
}

/// Counts an event that stands for several occurrences: it has no place on a timeline.
pub(super) fn aggregated(builder: &mut Builder, occurrences: i64) {
    let (events, all) = &mut builder.trace.profiler.aggregated;
    *events += 1;
    *all = all.saturating_add(u64::try_from(occurrences).unwrap_or(0));
}

fn kind(stats: &Stats<'_>, by_name: DeviceEventKind) -> DeviceEventKind {
    let is_kernel = stats.has(Key::KernelDetails);
    match by_name {
        _ if stats.has(Key::MemcpyDetails) => DeviceEventKind::Memcpy,
        _ if stats.has(Key::MemsetDetails) => DeviceEventKind::Memset,
        DeviceEventKind::Memcpy | DeviceEventKind::Memset if is_kernel => DeviceEventKind::Kernel,
        by_name => by_name,
    }
}

fn device_name(
    builder: &mut Builder,
    id: i64,
    dictionary: &Dictionary<'_>,
    names: &mut IdMap<DeviceName>,
) -> Result<DeviceName, Refusal> {
    if let Some(known) = names.get(id) {
        return Ok(*known);
    }
    let text = dictionary.events.get(id).map_or(&b""[..], |name| name.text);
    let name = builder.name(text)?;
    let known = DeviceName { name, kind: kind_of_name(builder.trace.name(name)) };
    names.insert(id, known);
    Ok(known)
}

/// Names of copies and fills: `MemcpyD2D`, `Memset` (CUPTI), `CopyDeviceToDevice` (roctracer).
fn kind_of_name(name: &str) -> DeviceEventKind {
    let is_copy = name.starts_with("Copy") && name.contains("To") && !name.contains(['<', '(']);
    if name.starts_with("Memcpy") || is_copy {
        DeviceEventKind::Memcpy
    } else if name.starts_with("Memset") {
        DeviceEventKind::Memset
    } else if is_collective(name) {
        DeviceEventKind::Collective
    } else {
        DeviceEventKind::Kernel
    }
}

/// The row of a stream, and of its device: only those that have work are in the tables.
fn stream_id(builder: &mut Builder, ordinal: i64, line_id: i64) -> StreamId {
    let trace = &mut builder.trace;
    let index = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
    let known = trace.devices.iter().position(|device| device.raw_id == ordinal);
    let device_row = known.unwrap_or_else(|| {
        trace.devices.push(Device { raw_id: ordinal });
        trace.devices.len() - 1
    });
    *builder.streams.entry((ordinal, line_id)).or_insert_with(|| {
        trace.streams.push(Stream { device: DeviceId::new(index(device_row)), raw_id: line_id });
        StreamId::new(index(trace.streams.len() - 1))
    })
}

/// Takes the details of the copy that becomes the next device event.
fn copy(
    builder: &mut Builder,
    stats: &Stats<'_>,
    dictionary: &Dictionary<'_>,
) -> Result<(), Refusal> {
    let event = u32::try_from(builder.trace.device_events.len()).unwrap_or(u32::MAX);
    let details = text(stats.get(Key::MemcpyDetails), dictionary).unwrap_or_default();
    let direction = match direction(&details) {
        Some(direction) => Some(builder.name(direction.as_bytes())?),
        None => None,
    };
    builder.trace.copies.push(CopyDetail { event, bytes: bytes(&details), direction });
    Ok(())
}

/// A field of `kind:Unknown size:655360 dest:2 async:1`.
fn field<'a>(details: &'a str, key: &str) -> Option<&'a str> {
    let value = |pair: &'a str| pair.strip_prefix(key)?.strip_prefix(':');
    details.split_whitespace().find_map(value)
}

/// Bytes moved; ROCm writes 0 for copies whose size it does not know (measured).
fn bytes(details: &str) -> Option<u64> {
    field(details, "size")?.parse().ok().filter(|&bytes| bytes != 0)
}

/// The direction, or the two kinds of memory that newer CUPTI tracers write.
fn direction(details: &str) -> Option<String> {
    let known = |kind: &&str| !kind.eq_ignore_ascii_case("unknown") && !kind.is_empty();
    if let Some(kind) = field(details, "kind").filter(known) {
        return Some(kind.to_owned());
    }
    let from = field(details, "kind_src").filter(known)?;
    let to = field(details, "kind_dst").filter(known)?;
    Some(format!("{from} to {to}"))
}

/// Takes what the tracer says of a device, for idle devices too.
fn properties(
    builder: &mut Builder,
    opened: &Opened<'_, '_>,
    ordinal: i64,
    dictionary: &Dictionary<'_>,
) -> Result<(), Refusal> {
    let mut properties = DeviceProperties { id: ordinal, ..DeviceProperties::default() };
    let (mut major, mut minor) = (None, None);
    for Stat { name, value } in opened.plane.stats()? {
        let Some(row) = dictionary.stats.get(name) else {
            builder.tally.note(Oddity::DanglingId, "", 1);
            continue;
        };
        match row.text {
            b"device_vendor" => properties.vendor = text(value, dictionary),
            b"gpu_device_name" => properties.name = text(value, dictionary).unwrap_or_default(),
            b"clock_rate" => properties.clock_khz = value.amount(),
            b"core_count" => properties.multiprocessors = value.amount(),
            b"memory_bandwidth" => properties.memory_bandwidth = value.amount(),
            b"memory_size" => properties.total_memory = value.amount(),
            b"compute_cap_major" => major = value.amount(),
            b"compute_cap_minor" => minor = value.amount(),
            _ => {}
        }
    }
    properties.compute_capability = major.zip(minor);
    let known = &mut builder.trace.profiler.device_properties;
    if known.iter().any(|device| device.id == ordinal) {
        let name = String::from_utf8_lossy(opened.plane.name);
        builder.tally.note(Oddity::RepeatedPlane, &name, 1);
    } else {
        known.push(properties);
    }
    Ok(())
}

/// A plane's statistic as text.
pub(super) fn text(value: Value<'_>, dictionary: &Dictionary<'_>) -> Option<String> {
    let text = match value {
        Value::Text(text) => text,
        Value::Ref(reference) => dictionary.stats.get(reference.cast_signed())?.text,
        _ => return None,
    };
    Some(String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{DeviceEventKind as Kind, bytes, direction, kind_of_name};

    #[test]
    fn copies_tell_what_they_know() {
        for (details, expected) in [
            ("kind:Unknown size:655360 dest:2 async:1", (Some(655_360), None)),
            ("kind:Unknown size:0 dest:512 async:1", (None, None)),
            ("kind:DeviceToDevice size:8", (Some(8), Some("DeviceToDevice"))),
            (
                "kind_src:pageable kind_dst:device size:1024 dest:0 async:1",
                (Some(1_024), Some("pageable to device")),
            ),
            ("", (None, None)),
            ("size:-1 kind:", (None, None)),
        ] {
            let found = (bytes(details), direction(details));
            assert_eq!((found.0, found.1.as_deref()), expected, "{details}");
        }
    }

    #[test]
    fn names_tell_kinds() {
        for (name, expected) in [
            ("CopyDeviceToDevice", Kind::Memcpy),
            ("MemcpyD2H", Kind::Memcpy),
            ("Memset", Kind::Memset),
            ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)", Kind::Collective),
            ("__amd_rocclr_copyBuffer.kd", Kind::Kernel),
            ("CopyToBuffer<float>(float*)", Kind::Kernel),
            ("loop_fusion", Kind::Kernel),
        ] {
            assert_eq!(kind_of_name(name), expected, "{name}");
        }
    }
}
