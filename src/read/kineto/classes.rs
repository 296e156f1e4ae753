//! Phases and categories as they occur in a file: what becomes of their events, and how many there are.

use super::super::limits::CATEGORIES_MAX;
use super::super::tally::{Oddity, Tally};
use super::builder::Class;
use super::category::{Category, Spelling, category};
use crate::trace::Profiler;

/// The classes of one file, in the order in which they were met.
#[derive(Default)]
pub(super) struct Classes(Vec<Row>);

struct Row {
    phase: u8,
    name: Box<str>,
    category: Category,
    spelling: Spelling,
    class: Class,
    events: u64,
}

impl Classes {
    /// The number of the class with this phase and category, known or new. Once too many categories were met, further
    /// ones are counted together.
    pub(super) fn number(&mut self, phase: u8, name: &str) -> usize {
        let known =
            |name: &str| self.0.iter().position(|row| row.phase == phase && &*row.name == name);
        let name = match known(name) {
            Some(known) => return known,
            None if self.0.len() < CATEGORIES_MAX => name,
            None => match known("further categories") {
                Some(known) => return known,
                None => "further categories",
            },
        };
        let (category, spelling) = category(name);
        let class = class(phase, category, name);
        self.0.push(Row { phase, name: name.into(), category, spelling, class, events: 0 });
        self.0.len() - 1
    }

    /// Counts an event of the class with this number, and says what becomes of it.
    #[inline]
    pub(super) fn count(&mut self, number: usize) -> Class {
        match self.0.get_mut(number) {
            Some(row) => {
                row.events += 1;
                row.class
            }
            None => Class::Counted,
        }
    }

    /// What becomes of events of the class with this number.
    pub(super) fn class(&self, number: usize) -> Class {
        self.0.get(number).map_or(Class::Counted, |row| row.class)
    }

    /// Events without a phase.
    pub(super) fn phaseless(&self) -> u64 {
        self.0.iter().filter(|row| row.phase == 0).map(|row| row.events).sum()
    }

    /// True where any event has a category of this profiler.
    pub(super) fn any_known(&self) -> bool {
        self.0.iter().any(|row| row.events > 0 && row.category != Category::Unknown)
    }

    /// Says what the categories tell: rows that are no work, old spellings, other devices, pairs.
    pub(super) fn tell(&self, profiler: &mut Profiler, tally: &mut Tally) {
        for row in self.0.iter().filter(|row| row.events > 0) {
            match (row.phase, row.category) {
                (b'B' | b'E', _) => tally.note(Oddity::BeginEndEvents, &row.name, row.events),
                (b'X', Category::CounterRange) => profiler.counter_ranges += row.events,
                (b'X', Category::DeviceSync) => profiler.device_syncs += row.events,
                (b'X', Category::PythonFrame) => profiler.python_frames += row.events,
                (b'X', Category::DeviceAnnotation) => profiler.device_annotations += row.events,
                (_, Category::UnsupportedDevice) => {
                    tally.note(Oddity::UnsupportedCategory, &row.name, row.events);
                }
                _ => {}
            }
            if row.phase == b'X' && row.spelling == Spelling::Legacy {
                tally.note(Oddity::LegacySchema, &row.name, row.events);
            }
        }
    }
}

/// What becomes of events of a phase and category. Only complete events (`X`) fill tables.
fn class(phase: u8, category: Category, name: &str) -> Class {
    match (phase, category) {
        (b'X', Category::DeviceWork(kind)) => Class::DeviceWork(kind),
        (b'X', Category::HostCall) => Class::HostCall,
        (b'X', Category::Op) => Class::Op,
        (b'X', Category::Annotation) => Class::Annotation,
        (b'X', Category::ProfilerSpan) => Class::ProfilerSpan,
        (b's', Category::Flow) => Class::FlowStart,
        (b'f', Category::Flow) => Class::FlowEnd,
        // The profiler's own marks have no category; memory events, the other instants, have one.
        (b'i' | b'I', _) if name.is_empty() => Class::Instant,
        _ => Class::Counted,
    }
}
