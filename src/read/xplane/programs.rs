//! Compiled programs: the plane `/host:metadata`, which holds one program in each name of an event and has no events.
//!
//! A program's key is its id: several programs may share a name (measured). Only the HLO of programs that a record refers
//! to, or may refer to, is decoded: it makes 19 to 69 % of real files.

use super::super::jax::{Builder, Key, Role};
use super::super::refusal::Refusal;
use super::super::tally::Oddity;
use super::hlo;
use super::lines::Opened;
use super::plane::{Dictionary, EventName};
use super::stat::{Value, stat};
use super::wire::Fault;
use crate::trace::{Hlo, HloLabel, NameId, Program};
use rustc_hash::FxHashMap;

/// A program as the file stores it.
#[derive(Clone, Copy, Debug, Default)]
struct Stored<'a> {
    /// The id that the program's own statistics state.
    stated_id: Option<u64>,
    hlo: Option<&'a [u8]>,
}

/// Takes all stored programs, and a row for each program that records refer to by an id that the file does not hold.
pub(super) fn read(builder: &mut Builder, opened: &[Opened<'_, '_>]) -> Result<(), Refusal> {
    for opened in opened.iter().filter(|opened| opened.role == Role::Programs) {
        let dictionary = opened.plane.dictionary()?;
        builder.tally.note(Oddity::RepeatedId, "", dictionary.n_repeated);
        // Producers fill the map from a hash map, so its order says nothing.
        let mut names = opened.plane.event_names()?;
        names.sort_by(|(a_key, a), (b_key, b)| (a.text, a_key).cmp(&(b.text, b_key)));
        for (key, event) in names {
            let stored = stored(&event, &dictionary)?;
            if stored.hlo.is_some() || stored.stated_id.is_some() {
                take(builder, key, &event, stored)?;
            }
        }
    }
    for (id, name) in missing(builder)? {
        builder.trace.programs.push(Program { id, name, hlo: Hlo::Missing });
    }
    let names = &builder.trace.names;
    builder
        .trace
        .programs
        .sort_by(|a, b| (a.id, names.get(a.name)).cmp(&(b.id, names.get(b.name))));
    Ok(())
}

fn stored<'a>(event: &EventName<'a>, dictionary: &Dictionary<'a>) -> Result<Stored<'a>, Fault> {
    let mut stored = Stored::default();
    for message in &event.stats {
        let stat = stat(*message)?;
        match (dictionary.stats.get(stat.name).and_then(|name| name.key), stat.value) {
            (Some(Key::HloProto), Value::Bytes(hlo)) => stored.hlo = Some(hlo),
            (Some(Key::Program), value) => stored.stated_id = value.id(),
            _ => {}
        }
    }
    Ok(stored)
}

fn take(
    builder: &mut Builder,
    key: i64,
    event: &EventName<'_>,
    stored: Stored<'_>,
) -> Result<(), Refusal> {
    let text = String::from_utf8_lossy(event.text);
    let (name, id_in_name) = split(&text);
    // The key of the map is the id in older files only (measured), so it comes last.
    let id = id_in_name.or(stored.stated_id).unwrap_or(key.cast_unsigned());
    let name = builder.name(name.as_bytes())?;
    let is_needed = builder.programs.contains(&id)
        || builder.modules.contains(&name)
        || builder.executes_unnamed_programs();
    let hlo = match stored.hlo {
        None => Hlo::Missing,
        Some(bytes) if is_needed => hlo::decode(bytes),
        Some(bytes) => Hlo::NotNeeded(bytes.len() as u64),
    };
    builder.trace.programs.push(Program { id, name, hlo });
    Ok(())
}

/// Name and id of `jit_train_step(18)`.
fn split(text: &str) -> (&str, Option<u64>) {
    let parts = text.strip_suffix(')').and_then(|text| text.rsplit_once('('));
    match parts.and_then(|(name, id)| Some((name, id.parse().ok()?))) {
        Some((name, id)) => (name, Some(id)),
        None => (text, None),
    }
}

/// Programs that labels name and the file does not hold, with the name that the first such label gives.
fn missing(builder: &mut Builder) -> Result<Vec<(u64, NameId)>, Refusal> {
    let nameless = builder.name(b"")?;
    let mut known: Vec<u64> = builder.trace.programs.iter().map(|program| program.id).collect();
    known.sort_unstable();
    let mut missing: Vec<(u64, NameId)> = Vec::new();
    let mut place: FxHashMap<u64, usize> = FxHashMap::default();
    for HloLabel { program, module, .. } in &builder.trace.hlo_labels {
        let Some(id) = program.filter(|id| known.binary_search(id).is_err()) else { continue };
        let at = *place.entry(id).or_insert_with(|| {
            missing.push((id, nameless));
            missing.len() - 1
        });
        if missing[at].1 == nameless {
            missing[at].1 = module.unwrap_or(nameless);
        }
    }
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn names_and_ids_are_told_apart() {
        for (text, expected) in [
            ("jit_train_step(18)", ("jit_train_step", Some(18))),
            ("jit_f(x)(0)", ("jit_f(x)", Some(0))),
            ("jit_f(x)", ("jit_f(x)", None)),
            ("jit_f(18446744073709551615)", ("jit_f", Some(u64::MAX))),
            ("jit_f(-1)", ("jit_f(-1)", None)),
            ("", ("", None)),
        ] {
            assert_eq!(split(text), expected, "{text}");
        }
    }
}
