//! Processes and threads: what they are, by the names that rows of their own give them.
//!
//! In the order of the file a name precedes the events. One that comes late, or a second name, makes a second pass needed, in which
//! all names are known from the start. So the order of the rows changes nothing.

use super::super::chrome::Event;
use super::super::jax::{Builder, Key, Role, is_stream, role, stream_number};
use super::super::number;
use super::super::tally::Oddity;
use super::fields::Field;
use crate::trace::{DeviceProperties, StreamId, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// How lanes are called on which XProf's trace viewer repeats a stream in other words: `XLA Ops - from #16`.
const VIEWER_LANE: &str = " - from #";

/// A process and a thread in it, as the file numbers them.
type Numbers = (i64, i64);

/// What a lane is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A stream of a GPU.
    Stream {
        /// The GPU.
        ordinal: i64,
        /// The stream.
        number: i64,
    },
    /// A lane of a GPU that repeats others in other words.
    Derived,
    /// A host thread.
    Host,
    /// A lane of a device that is not supported.
    UnsupportedDevice,
    /// Nothing that is used.
    Unused,
    /// No name tells, or two names tell different things: its events may be work.
    Untold,
}

/// A lane on which events were met.
#[derive(Debug)]
pub(super) struct Lane {
    numbers: Numbers,
    /// What it is.
    pub(super) kind: Kind,
    /// Its stream, once it has work.
    pub(super) stream: Option<StreamId>,
    /// Its thread, once it recorded something.
    pub(super) thread: Option<ThreadId>,
    /// Events that were met on it.
    pub(super) n_events: u64,
}

/// The names that were given to one thing: one, in a sound file.
type Given = BTreeSet<String>;

/// The lanes of one file.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    processes: FxHashMap<i64, Given>,
    threads: FxHashMap<Numbers, Given>,
    rows: Vec<Lane>,
    row_of: FxHashMap<Numbers, usize>,
    last: Option<(Numbers, usize)>,
    /// Processes of lanes on which events were met.
    met: FxHashSet<i64>,
    /// True in the second pass: all names are known.
    settled: bool,
    /// True once a name was given to something that had events already.
    late: bool,
    name_bytes: usize,
}

impl Lanes {
    /// Takes a row that names a process or a thread.
    pub(super) fn name(&mut self, event: &Event<'_>) {
        let Some(name) = event.get(Field::Statistic(Key::OpName)).filter(|_| !self.settled) else {
            return;
        };
        let name = name.text().0;
        let (process, thread) = numbers(event);
        match event.get(Field::Name).map(|what| what.bytes) {
            Some(b"process_name") => {
                self.late |= self.met.contains(&process);
                self.name_bytes += add(self.processes.entry(process).or_default(), &name);
            }
            Some(b"thread_name") => {
                self.late |= self.row_of.contains_key(&(process, thread));
                self.name_bytes += add(self.threads.entry((process, thread)).or_default(), &name);
            }
            _ => {}
        }
    }

    /// The row of an event's lane.
    #[inline]
    pub(super) fn row(&mut self, event: &Event<'_>) -> usize {
        let numbers = numbers(event);
        match self.last {
            Some((last, row)) if last == numbers => row,
            _ => {
                let row = self.look_up(numbers);
                self.last = Some((numbers, row));
                row
            }
        }
    }

    fn look_up(&mut self, numbers: Numbers) -> usize {
        if let Some(&known) = self.row_of.get(&numbers) {
            return known;
        }
        let kind = self.kind(numbers);
        let lane = Lane { numbers, kind, stream: None, thread: None, n_events: 0 };
        self.rows.push(lane);
        self.met.insert(numbers.0);
        self.row_of.insert(numbers, self.rows.len() - 1);
        self.rows.len() - 1
    }

    /// The lane of a row, to note what was met on it.
    pub(super) fn lane_mut(&mut self, row: usize) -> &mut Lane {
        &mut self.rows[row]
    }

    /// A lane's thread number and the name of it.
    pub(super) fn thread(&self, row: usize) -> (i64, &str) {
        let numbers = self.rows[row].numbers;
        (numbers.1, first(self.threads.get(&numbers)))
    }

    /// The name of a lane's process.
    pub(super) fn process(&self, row: usize) -> &str {
        let process = self.rows[row].numbers.0;
        first(self.processes.get(&process))
    }

    /// What a lane is by its names; untold where there is none, or where they contradict each other.
    fn kind(&self, numbers: Numbers) -> Kind {
        let role = agreed(self.processes.get(&numbers.0), role);
        match role {
            None => Kind::Untold,
            Some(Role::Gpu(ordinal)) => {
                let of_thread = |thread: &str| match stream_number(thread) {
                    Some(number) => Kind::Stream { ordinal, number },
                    None if is_stream(thread.as_bytes()) => {
                        Kind::Stream { ordinal, number: numbers.1 }
                    }
                    None => Kind::Derived,
                };
                agreed(self.threads.get(&numbers), of_thread).unwrap_or(Kind::Untold)
            }
            Some(Role::Host) => Kind::Host,
            Some(Role::UnsupportedDevice) => Kind::UnsupportedDevice,
            Some(Role::Programs | Role::Session | Role::Other) => Kind::Unused,
        }
    }

    /// True where a process is named as JAX's profiler names planes.
    pub(super) fn has_planes(&self) -> bool {
        self.processes.values().flatten().any(|name| role(name) != Role::Other)
    }

    /// True where a name came after events that it belongs to.
    pub(super) fn has_late_names(&self) -> bool {
        self.late
    }

    /// The same names for a second pass.
    pub(super) fn settled(self) -> Self {
        let Self { processes, threads, .. } = self;
        Self { processes, threads, settled: true, ..Self::default() }
    }

    /// How many lanes are named or were met.
    pub(super) fn len(&self) -> usize {
        self.processes.len() + self.threads.len() + self.rows.len()
    }

    /// Bytes of all names that are held.
    pub(super) fn name_bytes(&self) -> usize {
        self.name_bytes
    }

    /// Says what the lanes tell: devices, lanes that were left out, and whose file this is.
    pub(super) fn tell(&self, builder: &mut Builder) {
        let planes = self.processes.values().flatten();
        let mut planes: Vec<(Role, &str)> = planes.map(|name| (role(name), &**name)).collect();
        planes.sort_unstable();
        planes.dedup();
        let devices = planes.iter().filter_map(|(role, _)| match role {
            Role::Gpu(ordinal) => {
                Some(DeviceProperties { id: *ordinal, ..DeviceProperties::default() })
            }
            _ => None,
        });
        let profiler = &mut builder.trace.profiler;
        profiler.device_properties = devices.collect();
        let planes: Vec<&str> = planes.iter().map(|(_, name)| *name).collect();
        profiler.fields.push(("planes".to_owned(), planes.join(", ")));
        for (row, lane) in self.rows.iter().enumerate().filter(|(_, lane)| lane.n_events > 0) {
            let name = self.thread(row).1;
            match lane.kind {
                Kind::Derived => {
                    builder.derived(name, lane.n_events);
                    if name.contains(VIEWER_LANE) {
                        builder.tally.note(Oddity::XprofViewerJson, "derived", lane.n_events);
                    }
                }
                Kind::UnsupportedDevice => {
                    let process = self.process(row);
                    builder.tally.note(Oddity::UnsupportedDevice, process, lane.n_events);
                }
                Kind::Host
                    if self.threads.get(&lane.numbers).is_some_and(|given| given.len() > 1) =>
                {
                    builder.tally.note(Oddity::SharedLane, name, lane.n_events);
                }
                Kind::Host | Kind::Stream { .. } | Kind::Unused | Kind::Untold => {}
            }
        }
    }
}

/// Adds a name, and returns how many bytes more are held.
fn add(given: &mut Given, name: &str) -> usize {
    if given.contains(name) {
        return 0;
    }
    given.insert(name.to_owned());
    name.len()
}

/// The first name in the order of text.
fn first(given: Option<&Given>) -> &str {
    given.and_then(|given| given.first()).map_or("", String::as_str)
}

/// What all names say, where they say the same.
fn agreed<T: PartialEq>(given: Option<&Given>, says: impl Fn(&str) -> T) -> Option<T> {
    let mut said = given?.iter().map(|name| says(name));
    let first = said.next()?;
    said.all(|other| other == first).then_some(first)
}

/// Process and thread as the event numbers them; 0 where it does not.
#[inline]
fn numbers(event: &Event<'_>) -> Numbers {
    let number = |field: Field| {
        let digits = event.get(field).and_then(|value| value.digits().ok());
        digits.and_then(number::signed).unwrap_or(0)
    };
    (number(Field::Pid), number(Field::Tid))
}
