//! XSpaces for tests: a small builder whose bytes are written by prost, which shares no code with the reader's walk.

#[rustfmt::skip]
#[expect(unreachable_pub, reason = "generated from proto/hlo.proto")]
#[path = "../../src/read/xplane/hlo_pb.rs"]
pub(crate) mod hlo_pb;
pub(crate) mod json;
mod program;
#[rustfmt::skip]
#[expect(unreachable_pub, clippy::enum_variant_names, reason = "generated from proto/xplane.proto; tests need a part of it")]
#[path = "xplane_pb.rs"]
pub(crate) mod xplane_pb;

pub(crate) use program::{Computation, Element, Frame, Instruction, Program};

use prost::Message as _;
use std::collections::BTreeMap;
use xplane_pb as pb;

/// Picoseconds in a microsecond.
const PS: i64 = 1_000_000;

/// A statistic's value.
#[derive(Clone, Debug)]
pub(crate) enum Stat {
    Double(f64),
    Unsigned(u64),
    Signed(i64),
    Text(&'static str),
    Bytes(Vec<u8>),
    /// A text that stands among the names of statistics, as XLA writes most texts.
    Ref(String),
}

/// One event: times in microseconds after its line's base.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) start_ps: i64,
    pub(crate) duration_ps: i64,
    pub(crate) occurrences: Option<i64>,
    pub(crate) stats: Vec<(&'static str, Stat)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) base_ns: i64,
    pub(crate) events: Vec<Event>,
}

#[derive(Clone, Debug)]
pub(crate) struct Plane {
    pub(crate) name: String,
    pub(crate) id: i64,
    pub(crate) stats: Vec<(&'static str, Stat)>,
    pub(crate) lines: Vec<Line>,
    /// Names of events that no event has: compiled programs stand there.
    pub(crate) programs: Vec<Program>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Space {
    pub(crate) planes: Vec<Plane>,
    pub(crate) errors: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

/// An event at `start_us` that lasts `duration_us`.
pub(crate) fn event(name: &str, start_us: i64, duration_us: i64) -> Event {
    Event {
        name: name.to_owned(),
        start_ps: start_us * PS,
        duration_ps: duration_us * PS,
        occurrences: None,
        stats: Vec::new(),
    }
}

/// A kernel with its launch configuration and correlation id.
pub(crate) fn kernel(name: &str, start_us: i64, duration_us: i64, correlation: u64) -> Event {
    event(name, start_us, duration_us)
        .with("correlation_id", Stat::Unsigned(correlation))
        .with("kernel_details", Stat::Ref(" grid:16,1,1 block:512,1,1".to_owned()))
}

/// A call into the runtime.
pub(crate) fn call(api: &str, start_us: i64, duration_us: i64, correlation: u64) -> Event {
    event(api, start_us, duration_us)
        .with("device_id", Stat::Unsigned(47_645))
        .with("correlation_id", Stat::Unsigned(correlation))
}

impl Event {
    pub(crate) fn with(mut self, name: &'static str, value: Stat) -> Self {
        self.stats.push((name, value));
        self
    }

    /// The labels that XLA's tracer writes for a kernel of its own.
    pub(crate) fn labelled(self, op: &str, program: &Program) -> Self {
        self.with("tf_op", Stat::Ref("XlaModule:".to_owned()))
            .with("hlo_op", Stat::Ref(op.to_owned()))
            .with("hlo_module", Stat::Ref(program.name.clone()))
            .with("program_id", Stat::Signed(program.id.cast_signed()))
    }
}

pub(crate) fn line(id: i64, name: &str, events: Vec<Event>) -> Line {
    Line { id, name: name.to_owned(), base_ns: 1_000, events }
}

pub(crate) fn stream(id: i64, events: Vec<Event>) -> Line {
    line(id, &format!("Stream #{id}(Kernel)"), events)
}

pub(crate) fn plane(name: &str, lines: Vec<Line>) -> Plane {
    Plane { name: name.to_owned(), id: 0, stats: Vec::new(), lines, programs: Vec::new() }
}

pub(crate) fn gpu(ordinal: i64, lines: Vec<Line>) -> Plane {
    Plane { id: ordinal, ..plane(&format!("/device:GPU:{ordinal}"), lines) }
}

pub(crate) fn host(lines: Vec<Line>) -> Plane {
    plane("/host:CPU", lines)
}

pub(crate) fn metadata(programs: Vec<Program>) -> Plane {
    Plane { programs, ..plane("/host:metadata", Vec::new()) }
}

/// The plane that says when the session ran.
pub(crate) fn session(start_ns: u64, stop_ns: u64) -> Plane {
    let stats = vec![
        ("profile_start_time", Stat::Unsigned(start_ns)),
        ("profile_stop_time", Stat::Unsigned(stop_ns)),
    ];
    Plane { stats, ..plane("Task Environment", Vec::new()) }
}

pub(crate) fn space(planes: Vec<Plane>) -> Space {
    Space { planes, ..Space::default() }
}

impl Space {
    /// The message that JAX would have written.
    pub(crate) fn message(&self) -> pb::XSpace {
        let texts = |texts: &[String]| texts.iter().map(|text| text.clone().into_bytes()).collect();
        pb::XSpace {
            planes: self.planes.iter().map(Plane::message).collect(),
            errors: texts(&self.errors),
            warnings: texts(&self.warnings),
            hostnames: vec![b"synth-host".to_vec()],
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.message().encode_to_vec()
    }
}

/// Ids of names, counted from 1 in the order of their first use.
#[derive(Default)]
struct Ids(BTreeMap<String, i64>);

impl Ids {
    fn of(&mut self, name: &str) -> i64 {
        let next = self.0.len() as i64 + 1;
        *self.0.entry(name.to_owned()).or_insert(next)
    }
}

impl Plane {
    fn message(&self) -> pb::XPlane {
        let (mut events, mut stats) = (Ids::default(), Ids::default());
        let lines = self.lines.iter().map(|line| line.message(&mut events, &mut stats)).collect();
        let plane_stats = messages(&self.stats, &mut stats);
        let mut event_metadata = BTreeMap::new();
        for program in &self.programs {
            let text = format!("{}({})", program.name, program.id);
            let id = events.of(&text);
            let own = messages(&[("Hlo Proto", Stat::Bytes(program.bytes()))], &mut stats);
            let row = pb::XEventMetadata {
                id,
                name: text.into_bytes(),
                display_name: Vec::new(),
                stats: own,
            };
            event_metadata.insert(id, row);
        }
        for (name, id) in events.0 {
            let row = pb::XEventMetadata { id, name: name.into_bytes(), ..Default::default() };
            event_metadata.entry(id).or_insert(row);
        }
        let stat_metadata = stats.0.into_iter();
        pb::XPlane {
            id: self.id,
            name: self.name.clone().into_bytes(),
            lines,
            event_metadata,
            stat_metadata: stat_metadata
                .map(|(name, id)| (id, pb::XStatMetadata { id, name: name.into_bytes() }))
                .collect(),
            stats: plane_stats,
        }
    }
}

impl Line {
    fn message(&self, events: &mut Ids, stats: &mut Ids) -> pb::XLine {
        let event = |event: &Event| pb::XEvent {
            metadata_id: events.of(&event.name),
            duration_ps: event.duration_ps,
            stats: messages(&event.stats, stats),
            data: Some(match event.occurrences {
                Some(occurrences) => pb::x_event::Data::NumOccurrences(occurrences),
                None => pb::x_event::Data::OffsetPs(event.start_ps),
            }),
        };
        let events = self.events.iter().map(event).collect();
        let name = self.name.clone().into_bytes();
        pb::XLine { id: self.id, name, timestamp_ns: self.base_ns, events }
    }
}

fn messages(stats: &[(&'static str, Stat)], ids: &mut Ids) -> Vec<pb::XStat> {
    let message = |(name, stat): &(&'static str, Stat)| pb::XStat {
        metadata_id: ids.of(name),
        value: Some(match stat {
            Stat::Double(value) => pb::x_stat::Value::DoubleValue(*value),
            Stat::Unsigned(value) => pb::x_stat::Value::Uint64Value(*value),
            Stat::Signed(value) => pb::x_stat::Value::Int64Value(*value),
            Stat::Text(value) => pb::x_stat::Value::StrValue(value.as_bytes().to_vec()),
            Stat::Bytes(value) => pb::x_stat::Value::BytesValue(value.clone()),
            Stat::Ref(value) => pb::x_stat::Value::RefValue(ids.of(value).cast_unsigned()),
        }),
    };
    stats.iter().map(message).collect()
}
