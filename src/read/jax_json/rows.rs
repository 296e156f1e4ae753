//! What becomes of the events: names of lanes, and records on them.

use super::super::chrome::{Event, Events, NoEvent, OddNumber, OddPlace};
use super::super::jax::{self, Builder, HostLine, Record};
use super::super::kineto;
use super::super::limits::{NAMES_BYTES_MAX, STREAMS_MAX, THREADS_MAX};
use super::super::refusal::Refusal;
use super::super::sort::sort_streams;
use super::super::tally::Oddity;
use super::args::{self, Args};
use super::axis::Axis;
use super::fields::Field;
use super::lanes::{Kind, Lanes};
use crate::trace::{DamageFault, Origin, RecordSide};

/// What an event is, by its phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// `X`: a start and a length.
    Complete,
    /// `i`: a start without a length, as XProf's trace viewer writes it.
    Instant,
    /// `B` or `E`: half of a pair.
    Pair,
    /// `M`: it names something.
    Name,
    /// Any other one.
    Other,
    /// None.
    Missing,
}

/// The rows of one file.
pub(super) struct Rows {
    /// Processes and threads.
    pub(super) lanes: Lanes,
    builder: Builder,
    axis: Axis,
    /// True once an event has a category of the PyTorch profiler, which no event of this one has.
    is_kineto: bool,
    /// True where the last element was an empty object, as the exporter ends its list.
    ends_empty: bool,
    /// Why reading ends, once it must.
    refusal: Option<Refusal>,
}

impl Rows {
    /// Rows on lanes whose names may be known already.
    pub(super) fn new(lanes: Lanes) -> Self {
        Self {
            lanes,
            builder: Builder::default(),
            axis: Axis::default(),
            is_kineto: false,
            ends_empty: false,
            refusal: None,
        }
    }

    /// True where the file is one of this format.
    pub(super) fn is_jax(&self) -> bool {
        self.lanes.has_planes() && !self.is_kineto
    }

    /// The tables, with what is known only at the end.
    pub(super) fn finish(self) -> Result<Builder, Refusal> {
        let mut builder = self.builder;
        if builder.n_events == 0 {
            return Err(super::no_events());
        }
        self.lanes.tell(&mut builder);
        builder.trace.origin = Origin { file_ns: self.axis.origin_ns(), base_unix_ns: None };
        sort_streams(&mut builder.trace);
        Ok(builder)
    }

    /// Stops the reading where it must end.
    pub(super) fn check_limits(&self) -> Result<(), Refusal> {
        let exceeded = [
            (self.lanes.len() > THREADS_MAX + STREAMS_MAX, "processes and threads"),
            (self.lanes.name_bytes() > NAMES_BYTES_MAX, "names of threads"),
        ];
        match (&self.refusal, exceeded.iter().find(|(exceeded, _)| *exceeded)) {
            (Some(refusal), _) => Err(refusal.clone()),
            (None, Some((_, what))) => {
                Err(Refusal::too_large(format!("the trace has too many {what}")))
            }
            (None, None) => Ok(()),
        }
    }

    /// An element follows: an empty object before it was not the last one.
    fn go_on(&mut self) {
        if std::mem::take(&mut self.ends_empty) {
            self.bad("an empty object in the middle");
        }
    }

    /// A number outside of events that is no JSON.
    pub(super) fn odd_field(&mut self, token: &[u8], offset: u64) {
        self.builder.tally.non_finite(token, offset);
        let named = self.builder.intern("").map(|name| Record { name, offset: Some(offset) });
        self.count(named, DamageFault::NonFinite, RecordSide::Field);
    }

    /// Counts damage of a record, or remembers why reading must end.
    fn count(&mut self, record: Result<Record, Refusal>, fault: DamageFault, side: RecordSide) {
        match record {
            Ok(record) => self.builder.damaged(fault, side, record),
            Err(refusal) => self.refusal = Some(refusal),
        }
    }

    fn event(&mut self, event: &Event<'_>, phase: Phase) -> Result<(), Refusal> {
        match phase {
            Phase::Name => {
                self.lanes.name(event);
                return Ok(());
            }
            Phase::Missing if event.is_empty() => {
                self.ends_empty = true;
                return Ok(());
            }
            _ => self.builder.n_events += 1,
        }
        let row = self.lanes.row(event);
        let lane = self.lanes.lane_mut(row);
        lane.n_events += 1;
        match (lane.kind, phase) {
            (Kind::Stream { .. } | Kind::Host, Phase::Complete | Phase::Instant) => {
                return self.record(event, phase, row);
            }
            (Kind::Untold, Phase::Complete | Phase::Instant) => {
                return self.lost(event, "on a lane without a name of its own");
            }
            (Kind::Stream { .. }, _) => return self.lost(event, "no complete event of a stream"),
            (_, Phase::Pair) => self.builder.tally.note(Oddity::BeginEndEvents, "", 1),
            (_, Phase::Missing) => self.bad("no phase"),
            _ => {}
        }
        Ok(())
    }

    /// Counts an event that was work, or may have been.
    fn lost(&mut self, event: &Event<'_>, why: &str) -> Result<(), Refusal> {
        self.bad(why);
        let record = self.named(event)?;
        self.builder.damaged(DamageFault::Unreadable, RecordSide::Device, record);
        Ok(())
    }

    /// Takes an event of a stream or a host thread.
    fn record(&mut self, event: &Event<'_>, phase: Phase, row: usize) -> Result<(), Refusal> {
        for key in &event.map.repeated {
            self.builder.tally.note(Oddity::DuplicateJsonKey, key, 1);
        }
        if phase == Phase::Instant {
            self.builder.tally.note(Oddity::XprofViewerJson, "instant", 1);
        }
        let record = self.named(event)?;
        let kind = self.lanes.lane_mut(row).kind;
        let side = match kind {
            Kind::Stream { .. } => RecordSide::Device,
            _ => RecordSide::Host,
        };
        let placed = self.axis.place(event, phase);
        if placed == Err(DamageFault::Unreadable) {
            self.bad("time missing or no number");
        }
        let Some(interval) = self.builder.interval(placed, side, record)? else { return Ok(()) };
        let (builder, args) = (&mut self.builder, &mut Args(event));
        match kind {
            Kind::Stream { ordinal, number } => {
                let lane = self.lanes.lane_mut(row);
                let stream = *lane.stream.get_or_insert_with(|| builder.stream(ordinal, number));
                jax::device_event(builder, record, interval, stream, args)
            }
            _ => {
                let thread = self.lanes.lane_mut(row).thread;
                let ((id, name), process) = (self.lanes.thread(row), self.lanes.process(row));
                let mut line = HostLine { id, name: name.as_bytes(), process, thread };
                jax::host_event(builder, record.name, interval, &mut line, args)?;
                self.lanes.lane_mut(row).thread = line.thread;
                Ok(())
            }
        }
    }

    /// The event's name and place.
    fn named(&mut self, event: &Event<'_>) -> Result<Record, Refusal> {
        let value = event.get(Field::LongName).or_else(|| event.get(Field::Name));
        let name = match value {
            Some(value) => args::name(value, &mut self.builder)?,
            None => self.builder.intern("")?,
        };
        Ok(Record { name, offset: Some(event.offset) })
    }

    fn bad(&mut self, what: &str) {
        self.builder.tally.note(Oddity::BadEvent, what, 1);
    }
}

impl Events for Rows {
    type Field = Field;
    type Class = Phase;

    fn class(&mut self, phase: u8, category: &str) -> Phase {
        self.is_kineto |= !category.is_empty() && kineto::is_own_category(category);
        match phase {
            b'X' => Phase::Complete,
            b'i' | b'I' => Phase::Instant,
            b'B' | b'E' => Phase::Pair,
            b'M' => Phase::Name,
            0 => Phase::Missing,
            _ => Phase::Other,
        }
    }

    fn take(&mut self, event: &Event<'_>, phase: Phase) {
        self.go_on();
        if self.refusal.is_none()
            && let Err(refusal) = self.event(event, phase)
        {
            self.refusal = Some(refusal.at(event.offset));
        }
    }

    fn no_event(&mut self, event: &Event<'_>, why: NoEvent, _phase: Phase) {
        self.go_on();
        if why == NoEvent::NotAnObject {
            return self.bad("no object");
        }
        self.bad("args no object");
        let row = self.lanes.row(event);
        let side = match self.lanes.lane_mut(row).kind {
            Kind::Stream { .. } | Kind::Untold => RecordSide::Device,
            Kind::Host => RecordSide::Host,
            Kind::Derived | Kind::UnsupportedDevice | Kind::Unused => return,
        };
        let record = self.named(event);
        self.count(record, DamageFault::Unreadable, side);
    }

    fn odd_number(&mut self, event: &Event<'_>, odd: OddNumber<'_>, _phase: Phase) {
        self.builder.tally.non_finite(odd.token, odd.offset);
        // One in place of a time costs the event, and is counted there.
        if odd.place == OddPlace::Other {
            let named = self.named(event);
            let record = named.map(|record| Record { offset: Some(odd.offset), ..record });
            self.count(record, DamageFault::NonFinite, RecordSide::Field);
        }
    }
}
