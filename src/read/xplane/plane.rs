//! Planes and lines, opened without their events: a first pass that hops over the long lists by their length.
//!
//! A plane's names stand behind its lines in the file, so the events can be read only in a second pass.

use super::super::jax::{Builder, Key};
use super::super::limits::{HEADER_ROWS_MAX, NAMES_MAX};
use super::super::refusal::Refusal;
use super::id_map::IdMap;
use super::limits::{LINES_MAX, NAME_STATS_MAX, PLANE_STATS_MAX, PLANES_MAX};
use super::stat::{Stat, Value, stat};
use super::wire::{Fault, Message, Why};
use crate::trace::NameId;
use std::borrow::Cow;

/// A file's content at its first level.
#[derive(Debug, Default)]
pub(super) struct Space<'a> {
    /// The planes, in the order of the file.
    pub(super) planes: Vec<Message<'a>>,
    /// What the profiler reports as errors.
    pub(super) errors: Vec<&'a [u8]>,
    /// What the profiler reports as warnings.
    pub(super) warnings: Vec<&'a [u8]>,
    /// The hosts that were profiled.
    pub(super) hostnames: Vec<&'a [u8]>,
}

/// One plane: a device, a host, or the profiler's own notes.
#[derive(Debug, Default)]
pub(super) struct Plane<'a> {
    /// Its name: the one key that planes have. Ids repeat (measured).
    pub(super) name: &'a [u8],
    lines: Vec<Message<'a>>,
    event_names: Vec<Message<'a>>,
    stat_names: Vec<Message<'a>>,
    stats: Vec<Message<'a>>,
}

/// One line of a plane: a stream, a thread, or a summary of other lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Stream or thread id.
    pub(super) id: i64,
    /// Its name.
    pub(super) name: &'a [u8],
    /// What its events' offsets count from, in nanoseconds on the file's axis.
    pub(super) base_ns: i64,
    /// True where it has an event.
    pub(super) has_events: bool,
    /// The whole line.
    pub(super) message: Message<'a>,
}

/// The names of a plane.
#[derive(Debug, Default)]
pub(super) struct Dictionary<'a> {
    /// Names of events, by their id.
    pub(super) events: IdMap<EventName<'a>>,
    /// Names of statistics, by their id.
    pub(super) stats: IdMap<StatName<'a>>,
    /// Ids that were defined more than once; the last definition counts.
    pub(super) n_repeated: u64,
}

/// A name that events share.
#[derive(Clone, Debug, Default)]
pub(super) struct EventName<'a> {
    /// The name; the shorter one for displays where there is no other.
    pub(super) text: &'a [u8],
    /// Statistics that all events of the name share.
    pub(super) stats: Vec<Message<'a>>,
    /// Those of them that the reader uses, each once: they are taken over by every event of the name.
    pub(super) shared: Vec<(Key, Value<'a>)>,
    /// The text in the trace's names, once an event had it.
    interned: Option<NameId>,
}

/// A name of statistics, and a text that values may refer to.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatName<'a> {
    /// The text.
    pub(super) text: &'a [u8],
    /// What the reader uses it for.
    pub(super) key: Option<Key>,
    /// The text in the trace's names, once a value referred to it.
    pub(super) interned: Option<NameId>,
}

/// Adds a row, as long as there are no more than any real file has: an empty message takes two bytes in a file and many in memory.
fn push<T>(
    rows: &mut Vec<T>,
    row: T,
    most: usize,
    what: &'static str,
    offset: usize,
) -> Result<(), Fault> {
    if rows.len() == most {
        return Err(Fault { offset, why: Why::TooMany(what) });
    }
    rows.push(row);
    Ok(())
}

/// Opens a file.
pub(super) fn open(bytes: &[u8]) -> Result<Space<'_>, Fault> {
    let (mut fields, mut space) = (Message::whole(bytes).fields(), Space::default());
    while let Some(field) = fields.step()? {
        match field.number {
            1 => push(&mut space.planes, field.message()?, PLANES_MAX, "planes", fields.offset())?,
            2 if space.errors.len() < HEADER_ROWS_MAX => space.errors.push(field.bytes()?),
            3 if space.warnings.len() < HEADER_ROWS_MAX => space.warnings.push(field.bytes()?),
            // A file is of one host, merged ones of some.
            4 if space.hostnames.len() < HEADER_ROWS_MAX => space.hostnames.push(field.bytes()?),
            _ => {}
        }
    }
    Ok(space)
}

impl<'a> Dictionary<'a> {
    /// The name of events of this id; the empty name where the file does not define it.
    #[inline]
    pub(super) fn event_name(&mut self, id: i64, builder: &mut Builder) -> Result<NameId, Refusal> {
        match self.events.get(id).and_then(|row| row.interned) {
            Some(known) => Ok(known),
            None => self.new_event_name(id, builder),
        }
    }

    #[cold]
    fn new_event_name(&mut self, id: i64, builder: &mut Builder) -> Result<NameId, Refusal> {
        let Some(row) = self.events.get_mut(id) else { return builder.intern("") };
        let name = builder.name(row.text)?;
        row.interned = Some(name);
        Ok(name)
    }

    /// The statistics that the reader uses; of several with one use the first.
    pub(super) fn used(&self, stats: &[Message<'a>]) -> Result<Vec<(Key, Value<'a>)>, Fault> {
        let mut used: Vec<(Key, Value<'a>)> = Vec::new();
        for &message in stats {
            let Stat { name, value } = stat(message)?;
            let key = self.stats.get(name).and_then(|row| row.key);
            if let Some(key) = key.filter(|key| !used.iter().any(|(known, _)| known == key)) {
                used.push((key, value));
            }
        }
        Ok(used)
    }

    /// A value as text.
    pub(super) fn text(&self, value: Value<'a>) -> Option<Cow<'a, str>> {
        let text = match value {
            Value::Text(text) => text,
            Value::Ref(reference) => self.stats.get(reference.cast_signed())?.text,
            _ => return None,
        };
        Some(String::from_utf8_lossy(text))
    }
}

impl<'a> Space<'a> {
    /// Opens the planes; refuses more lines than any real file has.
    pub(super) fn open_planes(&self) -> Result<Vec<Plane<'a>>, Refusal> {
        let (mut planes, mut n_lines) = (Vec::new(), 0);
        for &message in &self.planes {
            let plane = Plane::open(message)?;
            n_lines += plane.lines.len();
            if n_lines > LINES_MAX {
                return Err(Refusal::too_large("the capture has too many lines"));
            }
            planes.push(plane);
        }
        Ok(planes)
    }
}

impl<'a> Plane<'a> {
    fn open(message: Message<'a>) -> Result<Self, Fault> {
        let (mut fields, mut plane) = (message.fields(), Self::default());
        while let Some(field) = fields.step()? {
            let at = fields.offset();
            match field.number {
                2 => plane.name = field.bytes()?,
                3 => push(&mut plane.lines, field.message()?, LINES_MAX, "lines", at)?,
                4 => push(&mut plane.event_names, field.message()?, NAMES_MAX, "names", at)?,
                5 => push(&mut plane.stat_names, field.message()?, NAMES_MAX, "names", at)?,
                6 => push(&mut plane.stats, field.message()?, PLANE_STATS_MAX, "statistics", at)?,
                _ => {}
            }
        }
        Ok(plane)
    }

    /// The plane's lines, sorted by id, name and base: producers fill them from hash maps, so their order says nothing.
    pub(super) fn lines(&self) -> Result<Vec<Line<'a>>, Fault> {
        let lines: Result<Vec<_>, _> = self.lines.iter().map(|line| Line::open(*line)).collect();
        let mut lines = lines?;
        lines.sort_by_key(|line| (line.id, line.name, line.base_ns));
        Ok(lines)
    }

    /// The plane's names.
    pub(super) fn dictionary(&self) -> Result<Dictionary<'a>, Fault> {
        let mut dictionary = Dictionary::default();
        for &entry in &self.stat_names {
            let (id, value) = map_entry(entry)?;
            let text = stat_name(value)?;
            let name = StatName { text, key: Key::of(text), interned: None };
            dictionary.n_repeated += u64::from(dictionary.stats.insert(id, name).is_some());
        }
        for (id, mut name) in self.event_names()? {
            name.shared = dictionary.used(&name.stats)?;
            dictionary.n_repeated += u64::from(dictionary.events.insert(id, name).is_some());
        }
        Ok(dictionary)
    }

    /// The names of the plane's events with their ids, in the order of the file.
    pub(super) fn event_names(&self) -> Result<Vec<(i64, EventName<'a>)>, Fault> {
        let mut room = NAME_STATS_MAX;
        let entry = |entry: &Message<'a>| {
            let (id, value) = map_entry(*entry)?;
            let name = event_name(value, room)?;
            room -= name.stats.len();
            Ok((id, name))
        };
        self.event_names.iter().map(entry).collect()
    }

    /// The plane's own statistics, in the order of the file.
    pub(super) fn stats(&self) -> Result<Vec<Stat<'a>>, Fault> {
        self.stats.iter().map(|message| stat(*message)).collect()
    }
}

impl<'a> Line<'a> {
    /// Reads a line's head. Every known writer puts it before the events; where a part is missing there, the whole
    /// line is searched for it.
    fn open(message: Message<'a>) -> Result<Self, Fault> {
        let mut line = Self { id: 0, name: b"", base_ns: 0, has_events: false, message };
        let (mut fields, mut parts) = (message.fields(), 0_u8);
        while let Some(field) = fields.step()? {
            match field.number {
                1 => (line.id, parts) = (field.signed()?, parts | 1),
                2 => (line.name, parts) = (field.bytes()?, parts | 2),
                3 => (line.base_ns, parts) = (field.signed()?, parts | 4),
                4 => line.has_events = true,
                _ => {}
            }
            if parts == 7 && line.has_events {
                break;
            }
        }
        Ok(line)
    }
}

/// Key and value of an entry of a map. A missing key is 0, as protobuf has it.
fn map_entry(entry: Message<'_>) -> Result<(i64, Message<'_>), Fault> {
    let (mut fields, mut key, mut value) = (entry.fields(), 0, Message::default());
    while let Some(field) = fields.step()? {
        match field.number {
            1 => key = field.signed()?,
            2 => value = field.message()?,
            _ => {}
        }
    }
    Ok((key, value))
}

/// A name with at most so many statistics.
fn event_name(message: Message<'_>, stats_max: usize) -> Result<EventName<'_>, Fault> {
    let (mut fields, mut name, mut display): (_, _, &[u8]) =
        (message.fields(), EventName::default(), b"");
    while let Some(field) = fields.step()? {
        match field.number {
            2 => name.text = field.bytes()?,
            4 => display = field.bytes()?,
            5 => {
                let offset = fields.offset();
                push(&mut name.stats, field.message()?, stats_max, "statistics of names", offset)?;
            }
            _ => {}
        }
    }
    if name.text.is_empty() {
        name.text = display;
    }
    Ok(name)
}

fn stat_name(message: Message<'_>) -> Result<&[u8], Fault> {
    let (mut fields, mut text): (_, &[u8]) = (message.fields(), b"");
    while let Some(field) = fields.step()? {
        if field.number == 2 {
            text = field.bytes()?;
        }
    }
    Ok(text)
}
