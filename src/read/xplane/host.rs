//! Host planes: their lines, and the process that they belong to.

use super::super::jax::{self, Builder, HostLine, Record};
use super::super::refusal::Refusal;
use super::super::tally::Oddity;
use super::lines::{Anchor, Opened};
use super::plane::Dictionary;
use super::told::Told;
use super::walk::Walk;
use crate::trace::RecordSide;

/// Reads a host plane.
pub(super) fn read(
    builder: &mut Builder,
    opened: &Opened<'_, '_>,
    anchor: Anchor,
) -> Result<(), Refusal> {
    let mut dictionary = opened.plane.dictionary()?;
    builder.tally.note(Oddity::RepeatedId, "", dictionary.n_repeated);
    let process = process(opened, &dictionary)?;
    for &line in &opened.lines {
        let base = anchor.base_ps(&line);
        let mut host_line =
            HostLine { id: line.id, name: line.name, process: &process, thread: None };
        let mut walk = Walk::new(line);
        while let Some(event) = walk.step(&dictionary)? {
            builder.n_events += 1;
            if event.occurrences.is_some() {
                builder.trace.profiler.aggregated.host_events += 1;
                continue;
            }
            let name = dictionary.event_name(event.name, builder)?;
            let placed = base.and_then(|base_ps| event.timing.placed(base_ps));
            let record = Record { name, offset: None };
            if let Some(interval) = builder.interval(placed, RecordSide::Host, record)? {
                let told = &mut Told { stats: &walk.stats, dictionary: &mut dictionary };
                jax::host_event(builder, name, interval, &mut host_line, told)?;
            }
        }
        walk.finish(&mut builder.tally);
    }
    Ok(())
}

/// The id of a plane's process, or the plane's name where the file does not say.
fn process(opened: &Opened<'_, '_>, dictionary: &Dictionary<'_>) -> Result<String, Refusal> {
    for stat in opened.plane.stats()? {
        let is_id = dictionary.stats.get(stat.name).is_some_and(|name| name.text == b"process_id");
        if let Some(id) = stat.value.id().filter(|_| is_id) {
            return Ok(id.to_string());
        }
    }
    Ok(String::from_utf8_lossy(opened.plane.name).into_owned())
}
