//! Events become rows of the tables.
//!
//! Until all events are read the tables hold times as nanoseconds on the file's own axis; [`super::settle`] then picks the
//! origin and makes them picoseconds.

use super::super::api::{self, Naming};
use super::super::chrome::{Event, NoEvent, NoTime, OddNumber, OddPlace, ValueKind};
use super::super::collectives;
use super::super::name_map::NameMap;
use super::super::runtime_kernels::blit;
use super::super::tally::{Oddity, Tally};
use super::fields::Field;
use super::flows::Flows;
use super::inputs::InputTable;
use super::lanes::{Lanes, flow_lane};
use super::values;
use crate::trace::{
    Annotation, Collective, CollectiveId, CopyDetail, CorrelationId, DamageFault, DeviceEvent,
    DeviceEventKind, ExternalId, GraphNode, GraphNodeId, GraphTask, HostCall, HostCallKind, NameId,
    Op, RecordSide, Trace,
};
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;

/// What becomes of an event, by its phase and category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Nothing: it is counted.
    Counted,
    /// Work on a device.
    DeviceWork(DeviceEventKind),
    /// A runtime call.
    HostCall,
    /// An operator.
    Op,
    /// A marked range.
    Annotation,
    /// The profiler's span.
    ProfilerSpan,
    /// An instant mark.
    Instant,
    /// The start of an arrow.
    FlowStart,
    /// The end of an arrow.
    FlowEnd,
}

impl Class {
    /// The side on which events of this class were recorded, where tables keep them.
    fn side(self) -> Option<RecordSide> {
        match self {
            Self::DeviceWork(_) => Some(RecordSide::Device),
            Self::HostCall | Self::Op | Self::Annotation => Some(RecordSide::Host),
            _ => None,
        }
    }
}

/// The tables while they grow.
#[derive(Default)]
pub(super) struct Builder {
    /// The tables, with absolute times in nanoseconds.
    pub(super) trace: Trace,
    /// What was tolerated.
    pub(super) tally: Tally,
    /// Arrows, where they are needed.
    pub(super) flows: Flows,
    /// The profiler's span and the window's end, in nanoseconds.
    pub(super) span_ns: Option<(i64, i64)>,
    /// The instant of "Record Window End", in nanoseconds.
    pub(super) window_end_ns: Option<i64>,
    /// Offsets of the first device and the first host record that start at 0.
    pub(super) first_zero: [Option<u64>; 2],
    lanes: Lanes,
    graph_nodes: FxHashMap<(u64, u64), GraphNodeId>,
    call_kinds: NameMap<HostCallKind>,
    kernel_kinds: NameMap<DeviceEventKind>,
    inputs: InputTable,
}

impl Builder {
    /// Takes one event.
    pub(super) fn take(&mut self, event: &Event<'_>, class: Class) {
        match class {
            Class::Counted => {}
            Class::DeviceWork(kind) => self.device_event(event, kind),
            Class::HostCall => self.host_call(event),
            Class::Op => self.op(event),
            Class::Annotation => self.annotation(event),
            Class::ProfilerSpan => self.profiler_span(event),
            Class::Instant => self.instant(event),
            Class::FlowStart => self.flow_start(event),
            Class::FlowEnd => self.flow_end(event),
        }
    }

    /// Rows of all tables together.
    pub(super) fn kept(&self) -> u64 {
        let trace = &self.trace;
        let rows = trace.device_events.len()
            + trace.host_calls.len()
            + trace.ops.len()
            + trace.annotations.len()
            + trace.collectives.len()
            + self.flows.len();
        rows as u64
    }

    fn device_event(&mut self, event: &Event<'_>, kind: DeviceEventKind) {
        self.repeated_keys(event);
        let Some(name) = self.name(event) else { return };
        let Some(interval) = self.interval(event, RecordSide::Device, name) else { return };
        let Some(stream) = self.lanes.stream(event, &mut self.trace, &mut self.tally) else {
            self.bad(event, RecordSide::Device, name, "device and stream unknown");
            return;
        };
        let collective = self.collective(event);
        let kind = match kind {
            DeviceEventKind::Kernel if collective.is_some() => DeviceEventKind::Collective,
            DeviceEventKind::Kernel => self.kernel_kind(name),
            other => other,
        };
        self.flows.device_event(event.get(Field::Correlation).is_some());
        if kind == DeviceEventKind::Memcpy {
            self.copy(event, name);
        }
        let row = DeviceEvent {
            interval,
            correlation: self.correlation(event),
            external: self.external(event),
            stream,
            name,
            collective,
            graph_node: self.graph_node(event),
            hlo: None,
            kind,
            graph_task: graph_task(event),
        };
        self.trace.device_events.push(row);
    }

    /// Takes the details of the copy that becomes the next device event. Its name tells the direction: `Memcpy HtoD (…)`.
    fn copy(&mut self, event: &Event<'_>, name: NameId) {
        let bytes = values::unsigned(event, Field::Bytes, &mut self.tally).filter(|&n| n != 0);
        let direction = self.trace.name(name).split(' ').nth(1).filter(|word| !word.is_empty());
        let direction = direction.map(str::to_owned);
        let direction = direction.and_then(|word| self.trace.names.intern(&word));
        let event = u32::try_from(self.trace.device_events.len()).unwrap_or(u32::MAX);
        self.trace.copies.push(CopyDetail { event, bytes, direction });
    }

    fn host_call(&mut self, event: &Event<'_>) {
        self.repeated_keys(event);
        let Some(api) = self.name(event) else { return };
        let Some(interval) = self.interval(event, RecordSide::Host, api) else { return };
        let Some(thread) = self.lanes.thread(event, &mut self.trace) else { return };
        let kind = self.call_kind(api);
        let row = HostCall {
            interval,
            correlation: self.correlation(event),
            external: self.external(event),
            thread,
            api,
            hlo: None,
            kind,
        };
        self.trace.host_calls.push(row);
    }

    fn op(&mut self, event: &Event<'_>) {
        let Some(name) = self.name(event) else { return };
        let Some(interval) = self.interval(event, RecordSide::Host, name) else { return };
        let Some(thread) = self.lanes.thread(event, &mut self.trace) else { return };
        let external = self.external(event);
        self.inputs.take(event, name, &mut self.trace);
        self.trace.ops.push(Op { interval, external, thread, name });
    }

    fn annotation(&mut self, event: &Event<'_>) {
        let Some(name) = self.name(event) else { return };
        let Some(interval) = self.interval(event, RecordSide::Host, name) else { return };
        let Some(thread) = self.lanes.thread(event, &mut self.trace) else { return };
        self.trace.annotations.push(Annotation { interval, thread, name });
    }

    /// "PyTorch Profiler (0)": the span that the profiler says it recorded. A counter session writes another one.
    fn profiler_span(&mut self, event: &Event<'_>) {
        let ours =
            event.get(Field::Name).is_some_and(|name| name.bytes.starts_with(b"PyTorch Profiler"));
        let start = values::time(event, Field::Ts, &mut self.tally);
        let duration = values::time(event, Field::Dur, &mut self.tally);
        if let (true, Ok(start), Ok(duration)) = (ours, start, duration) {
            let end = start.saturating_add(duration.max(0));
            self.span_ns = Some(match self.span_ns {
                Some((first, last)) => (first.min(start), last.max(end)),
                None => (start, end),
            });
        }
    }

    fn instant(&mut self, event: &Event<'_>) {
        if event.get(Field::Name).is_some_and(|name| name.bytes == b"Record Window End") {
            self.window_end_ns = values::time(event, Field::Ts, &mut self.tally).ok();
        }
    }

    fn flow_start(&mut self, event: &Event<'_>) {
        if !self.flows.wanted() {
            return;
        }
        let id = values::unsigned(event, Field::Id, &mut self.tally);
        let at = values::time(event, Field::Ts, &mut self.tally);
        if let (Some(id), Ok(at), Some(thread)) =
            (id, at, self.lanes.thread(event, &mut self.trace))
        {
            self.flows.start(id, thread, at);
        }
    }

    fn flow_end(&mut self, event: &Event<'_>) {
        if !self.flows.wanted() {
            return;
        }
        let id = values::unsigned(event, Field::Id, &mut self.tally);
        let at = values::time(event, Field::Ts, &mut self.tally);
        if let (Some(id), Ok(at), Some(lane)) = (id, at, flow_lane(event)) {
            self.flows.end(id, lane, at);
        }
    }

    /// The event's name; an event without one has the empty name.
    #[inline]
    fn name(&mut self, event: &Event<'_>) -> Option<NameId> {
        if event.get(Field::Name).is_none() {
            return self.trace.names.intern("");
        }
        values::name(event, Field::Name, &mut self.trace.names, &mut self.tally)
    }

    /// The event's interval in nanoseconds; `None`, and counted as damaged, where it has none.
    #[inline]
    fn interval(&mut self, event: &Event<'_>, side: RecordSide, name: NameId) -> Option<Interval> {
        let start = values::time(event, Field::Ts, &mut self.tally);
        let duration = values::time(event, Field::Dur, &mut self.tally);
        let end = match (start, duration) {
            (Ok(start), Ok(duration)) => start.checked_add(duration).ok_or(NoTime::OutOfRange),
            (Err(NoTime::Unreadable), _) | (_, Err(NoTime::Unreadable)) => Err(NoTime::Unreadable),
            (Err(no_time), _) | (_, Err(no_time)) => Err(no_time),
        };
        match (start, end) {
            (Ok(start), Ok(end)) if end >= start => {
                if start == 0 {
                    self.first_zero[side_row(side)].get_or_insert(event.offset);
                }
                Interval::new(Picoseconds::new(start), Picoseconds::new(end))
            }
            (_, Ok(_)) => self.damaged(event, DamageFault::NegativeDuration, side, name),
            (_, Err(NoTime::NonFinite)) => self.damaged(event, DamageFault::NonFinite, side, name),
            (_, Err(NoTime::OutOfRange)) => {
                self.damaged(event, DamageFault::OutOfRange, side, name)
            }
            (_, Err(NoTime::Unreadable)) => {
                self.bad(event, side, name, "time missing or no number");
                None
            }
        }
    }

    #[cold]
    fn damaged(
        &mut self,
        event: &Event<'_>,
        fault: DamageFault,
        side: RecordSide,
        name: NameId,
    ) -> Option<Interval> {
        self.tally.damage(fault, side, name, Some(event.offset));
        None
    }

    #[cold]
    fn bad(&mut self, event: &Event<'_>, side: RecordSide, name: NameId, what: &str) {
        self.tally.note(Oddity::BadEvent, what, 1);
        self.tally.damage(DamageFault::Unreadable, side, name, Some(event.offset));
    }

    /// An element of `traceEvents` that is JSON and no event.
    pub(super) fn no_event(&mut self, event: &Event<'_>, why: NoEvent, class: Class) {
        let what = match why {
            NoEvent::NotAnObject => "no object",
            NoEvent::ArgsNotAnObject => "args no object",
        };
        match (class.side(), self.name(event)) {
            (Some(side), Some(name)) => self.bad(event, side, name, what),
            _ => self.tally.note(Oddity::BadEvent, what, 1),
        }
    }

    /// A number of an event that is no JSON. One in place of a time costs the event, and is counted there.
    pub(super) fn odd_number(&mut self, event: &Event<'_>, odd: OddNumber<'_>, class: Class) {
        self.tally.non_finite(odd.token, odd.offset);
        if class.side().is_some() && odd.place == OddPlace::Time {
            return;
        }
        if let Some(name) = self.name(event) {
            self.tally.damage(DamageFault::NonFinite, RecordSide::Field, name, Some(odd.offset));
        }
    }

    /// A number outside of events that is no JSON.
    pub(super) fn odd_field(&mut self, token: &[u8], offset: u64) {
        self.tally.non_finite(token, offset);
        if let Some(name) = self.trace.names.intern("") {
            self.tally.damage(DamageFault::NonFinite, RecordSide::Field, name, Some(offset));
        }
    }

    #[inline]
    fn repeated_keys(&mut self, event: &Event<'_>) {
        for key in &event.map.repeated {
            self.tally.note(Oddity::DuplicateJsonKey, key, 1);
        }
    }

    #[inline]
    fn correlation(&mut self, event: &Event<'_>) -> Option<CorrelationId> {
        CorrelationId::new(values::unsigned(event, Field::Correlation, &mut self.tally)?)
    }

    #[inline]
    fn external(&mut self, event: &Event<'_>) -> Option<ExternalId> {
        ExternalId::new(values::unsigned(event, Field::ExternalId, &mut self.tally)?)
    }

    /// The node of a graph that ran. CUPTI writes 0 for both ids outside of graphs, and numbers nodes from 0.
    #[inline]
    fn graph_node(&mut self, event: &Event<'_>) -> Option<GraphNodeId> {
        let graph =
            values::unsigned(event, Field::GraphId, &mut self.tally).filter(|&graph| graph != 0)?;
        let node = values::unsigned(event, Field::GraphNodeId, &mut self.tally)?;
        if let Some(&known) = self.graph_nodes.get(&(graph, node)) {
            return Some(known);
        }
        let id = GraphNodeId::new(u32::try_from(self.trace.graph_nodes.len()).ok()?);
        self.trace.graph_nodes.push(GraphNode { graph, node });
        self.graph_nodes.insert((graph, node), id);
        Some(id)
    }

    /// What the producer wrote about a collective, where it wrote something.
    #[inline]
    fn collective(&mut self, event: &Event<'_>) -> Option<CollectiveId> {
        event.get(Field::CollectiveName)?;
        let id = CollectiveId::new(u32::try_from(self.trace.collectives.len()).ok()?);
        let (names, tally) = (&mut self.trace.names, &mut self.tally);
        let row = Collective {
            operation: values::name(event, Field::CollectiveName, names, tally),
            group: values::name(event, Field::GroupName, names, tally),
            group_size: values::unsigned(event, Field::GroupSize, tally),
            sequence: values::unsigned(event, Field::Sequence, tally),
            dtype: values::name(event, Field::ElementType, names, tally),
            in_elements: values::unsigned(event, Field::InElements, tally),
            out_elements: values::unsigned(event, Field::OutElements, tally),
        };
        self.trace.collectives.push(row);
        Some(id)
    }

    #[inline]
    fn call_kind(&mut self, api: NameId) -> HostCallKind {
        if let Some(kind) = self.call_kinds.get(api) {
            return kind;
        }
        let (kind, naming) = api::classify(self.trace.names.get(api));
        if naming == Naming::UnknownLaunch {
            let name = self.trace.names.get(api).to_owned();
            self.tally.note(Oddity::UnknownLaunchApi, &name, 1);
            // Not remembered, so that each call is counted.
            return kind;
        }
        self.call_kinds.insert(api, kind);
        kind
    }

    /// What a kernel of this name is.
    #[inline]
    fn kernel_kind(&mut self, name: NameId) -> DeviceEventKind {
        if let Some(known) = self.kernel_kinds.get(name) {
            return known;
        }
        let text = self.trace.names.get(name);
        let kind = match collectives::is_collective(text) {
            true => DeviceEventKind::Collective,
            false => blit(text).unwrap_or(DeviceEventKind::Kernel),
        };
        self.kernel_kinds.insert(name, kind);
        kind
    }
}

/// The row of a side in a pair of device and host.
pub(super) fn side_row(side: RecordSide) -> usize {
    usize::from(side != RecordSide::Device)
}

/// roctracer's `kind`: "Dispatch Task" for what a graph replay dispatched, "Dispatch Kernel" for a launch of its own.
#[inline]
fn graph_task(event: &Event<'_>) -> GraphTask {
    match event.get(Field::Kind) {
        Some(value) if value.kind == ValueKind::String => match value.bytes {
            b"Dispatch Task" => GraphTask::Replay,
            b"Dispatch Kernel" => GraphTask::Single,
            _ => GraphTask::Unsaid,
        },
        _ => GraphTask::Unsaid,
    }
}
