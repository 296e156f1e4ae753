//! GPU planes: their streams, their derived lines, and what the tracer says of the device.

use super::super::jax::{self, Builder, Record, is_stream};
use super::super::refusal::Refusal;
use super::super::tally::Oddity;
use super::lines::{Anchor, Opened};
use super::plane::{Dictionary, Line};
use super::stat::Stat;
use super::told::Told;
use super::walk::{self, Walk};
use crate::trace::{DeviceProperties, RecordSide};
use std::borrow::Cow;

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
    for line in &opened.lines {
        if is_stream(line.name) {
            stream(builder, *line, ordinal, anchor, &mut dictionary)?;
        } else {
            let n_events = walk::count(*line)?;
            builder.n_events += n_events;
            builder.derived(&String::from_utf8_lossy(line.name), n_events);
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
) -> Result<(), Refusal> {
    let base = anchor.base_ps(&line);
    let mut stream = None;
    let mut walk = Walk::new(line);
    while let Some(event) = walk.step(dictionary)? {
        builder.n_events += 1;
        if let Some(occurrences) = event.occurrences {
            let aggregated = &mut builder.trace.profiler.aggregated;
            aggregated.device_events += 1;
            let occurrences = u64::try_from(occurrences).unwrap_or(0);
            aggregated.device_occurrences =
                aggregated.device_occurrences.saturating_add(occurrences);
            continue;
        }
        let name = dictionary.event_name(event.name, builder)?;
        let placed = base.and_then(|base_ps| event.timing.placed(base_ps));
        let record = Record { name, offset: None };
        let interval = builder.interval(placed, RecordSide::Device, record)?;
        if let Some(interval) = interval {
            let stream = *stream.get_or_insert_with(|| builder.stream(ordinal, line.id));
            let told = &mut Told { stats: &walk.stats, dictionary };
            jax::device_event(builder, record, interval, stream, told)?;
        }
    }
    walk.finish(&mut builder.tally);
    Ok(())
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
            b"device_vendor" => properties.vendor = dictionary.text(value).map(Cow::into_owned),
            b"gpu_device_name" => {
                properties.name = dictionary.text(value).map(Cow::into_owned).unwrap_or_default()
            }
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
