//! When work could have run that was not recorded: launches whose work is missing, or may be incomplete.
//!
//! A stream runs in order. So what a launch left unrecorded ran after the work that was launched before it on its stream and
//! before the work that was launched after it, and was over when a later wait for the device returned. Side streams inside a
//! graph join before the stream goes on.
//!
//! An unconfirmed launch with records of its own is counted from the first of them, where that is not overdue, else from when it
//! was due: behind the earlier work of its stream, and behind the return of the call, in which graph launches prepare their
//! graph for up to milliseconds. Where records are known to be missing, the call itself is the earliest start.

use crate::analysis::graphs::{Confirmation, Graphs};
use crate::analysis::hlo::Missing;
use crate::analysis::latency::DISPATCH_LATENCY;
use crate::analysis::launches::Launches;
use crate::analysis::timeline::events_by_stream;
use crate::trace::{
    DamageFault, DamagedRecords, DeviceId, HostCall, HostCallKind, IntervalSet, RecordSide,
    StreamId, ThreadId, Trace,
};
use crate::units::{Interval, Picoseconds};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Why something may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Graph launches without records.
    LostReplay,
    /// Graph launches with fewer records than others say.
    IncompleteReplay,
    /// Graph launches whose records nothing confirms to be complete.
    UnconfirmedReplay,
    /// Kernel launches without a record.
    LostLaunch,
    /// Copies without a record.
    LostCopy,
    /// Records without a length.
    LostLength,
    /// Executions of programs without kernels, or with too few.
    LostExecution,
}

impl Cause {
    /// What there are so many of.
    pub const fn words(self) -> &'static str {
        match self {
            Self::LostReplay => "graph launches without records",
            Self::IncompleteReplay => {
                "graph launches whose records are incomplete, or part of an incomplete set"
            }
            Self::UnconfirmedReplay => {
                "graph launches whose records nothing confirms to be complete"
            }
            Self::LostLaunch => "kernel launches without a record",
            Self::LostCopy => "copies without a record",
            Self::LostLength => "records without a length",
            Self::LostExecution => "executions of programs without their kernels",
        }
    }
}

/// Spans of single launches that are kept, over all devices: above, launches of one cause share one span. Far above any real
/// capture, it bounds time and memory where every launch of a long file may have run on any of many devices.
const SPANS_MAX: usize = 1 << 22;

/// The spans of one device in which unrecorded work could have run, with their causes.
#[derive(Debug, Default)]
pub(super) struct Unrecorded {
    spans: Vec<Span>,
}

/// Where unrecorded work could have run.
#[derive(Clone, Copy, Debug)]
struct Span {
    interval: Interval,
    cause: Cause,
    /// How many launches or records left it.
    n: u64,
}

impl Unrecorded {
    /// The union over all causes, within the device's window.
    pub(super) fn union(&self, window: Interval) -> IntervalSet {
        IntervalSet::from_intervals(self.spans.iter().map(|span| span.interval)).clip(window)
    }

    /// Where this cause alone leaves work unrecorded.
    pub(super) fn only(&self, cause: Cause, window: Interval) -> IntervalSet {
        let of = |is: bool| {
            let spans = self.spans.iter().filter(move |span| (span.cause == cause) == is);
            IntervalSet::from_intervals(spans.map(|span| span.interval))
        };
        of(true).difference(&of(false)).clip(window)
    }

    /// The causes with the number of launches or executions each, in order.
    pub(super) fn causes(&self) -> Vec<(Cause, u64)> {
        let mut causes: BTreeMap<Cause, u64> = BTreeMap::new();
        for span in &self.spans {
            *causes.entry(span.cause).or_default() += span.n;
        }
        causes.into_iter().collect()
    }

    fn add(&mut self, interval: Option<Interval>, cause: Cause) {
        self.spans.extend(interval.map(|interval| Span { interval, cause, n: 1 }));
    }
}

/// How far replays are believed to be complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Belief {
    /// Replays are suspects unless this much confirms them.
    pub(super) needed: Confirmation,
    /// What suspect replays with records are called.
    pub(super) partial: Cause,
}

/// Finds the spans of each device that recorded work, in the order of `devices`.
pub(super) fn unrecorded(
    trace: &Trace,
    launches: &Launches,
    graphs: &Graphs,
    missing: &[Missing],
    devices: &[(DeviceId, Interval)],
    belief: Belief,
) -> Vec<Unrecorded> {
    let suspects = suspects(trace, launches, graphs, belief);
    let mut found: Vec<Unrecorded> = devices.iter().map(|_| Unrecorded::default()).collect();
    without_length(trace, devices, &mut found);
    if suspects.is_empty() && missing.is_empty() {
        return found;
    }
    if (suspects.len() + missing.len()).saturating_mul(devices.len()) > SPANS_MAX {
        share_spans(trace, &suspects, missing, devices, &mut found);
        return found;
    }
    let lanes = Lanes::of(trace, launches);
    for (call, cause) in suspects {
        let host_call = &trace.host_calls[call];
        let stream = lanes.stream_of(call, (host_call.thread, launches.kinds[call]));
        for (found, &(device, window)) in found.iter_mut().zip(devices) {
            if lanes.may_run_on(trace, call, host_call, device) {
                let on_device = stream.filter(|&stream| trace.stream(stream).device == device);
                let span = lanes.span(trace, (call, cause), on_device, window);
                found.add(span, cause);
            }
        }
    }
    for one in missing {
        for (found, &(device, window)) in found.iter_mut().zip(devices) {
            if one.device.is_none_or(|known| known == device) {
                let next = lanes.first_launched_after(trace, device, one.host.end());
                let span = Interval::new(one.host.start(), next.unwrap_or(window.end()));
                found.add(span, Cause::LostExecution);
            }
        }
    }
    found
}

/// Gives all launches of one cause one span: from the first of them to the end of each device's window.
fn share_spans(
    trace: &Trace,
    suspects: &[(usize, Cause)],
    missing: &[Missing],
    devices: &[(DeviceId, Interval)],
    found: &mut [Unrecorded],
) {
    let calls =
        suspects.iter().map(|&(call, cause)| (cause, trace.host_calls[call].interval.start()));
    let executions = missing.iter().map(|one| (Cause::LostExecution, one.host.start()));
    let mut first: BTreeMap<Cause, (Picoseconds, u64)> = BTreeMap::new();
    for (cause, start) in calls.chain(executions) {
        let row = first.entry(cause).or_insert((start, 0));
        *row = (row.0.min(start), row.1 + 1);
    }
    for (found, (_, window)) in found.iter_mut().zip(devices) {
        let span = |(&cause, &(start, n)): (&Cause, &(Picoseconds, u64))| {
            Some(Span { interval: Interval::new(start, window.end())?, cause, n })
        };
        found.spans.extend(first.iter().filter_map(span));
    }
}

/// The calls whose work is missing or may be incomplete. Calls that fill memory are none: in complete public captures of CUDA most
/// of them own no record.
fn suspects(
    trace: &Trace,
    launches: &Launches,
    graphs: &Graphs,
    belief: Belief,
) -> Vec<(usize, Cause)> {
    let replays = graphs.replays.iter().filter(|replay| replay.confirmed < belief.needed);
    let replays = replays.map(|replay| {
        let cause = if replay.n_records == 0 { Cause::LostReplay } else { belief.partial };
        (replay.call, cause)
    });
    let lost = |kind: HostCallKind, cause: Cause| {
        let calls = launches.accountable(trace, kind);
        calls.filter(|(call, _)| launches.n_records[*call] == 0).map(move |(call, _)| (call, cause))
    };
    replays
        .chain(lost(HostCallKind::Launch, Cause::LostLaunch))
        .chain(lost(HostCallKind::Copy, Cause::LostCopy))
        .chain(lost(HostCallKind::BlockingCopy, Cause::LostCopy))
        .collect()
}

/// Adds where work of a device may have gone on whose record has no length, up to the next of its stream. Files that resolve
/// whole microseconds round short work down, and are not concerned.
fn without_length(trace: &Trace, devices: &[(DeviceId, Interval)], found: &mut [Unrecorded]) {
    let lost = |damaged: &DamagedRecords| {
        damaged.fault == DamageFault::ZeroDuration && damaged.side == RecordSide::Device
    };
    if !trace.damaged.iter().any(lost) {
        return;
    }
    let places = devices.iter().enumerate().map(|(at, (device, window))| (*device, (at, *window)));
    let places: FxHashMap<DeviceId, (usize, Interval)> = places.collect();
    for (stream, events) in events_by_stream(trace) {
        let Some(&(at, window)) = places.get(&trace.stream(stream).device) else { continue };
        let mut starts: Vec<Picoseconds> =
            events.iter().map(|event| event.interval.start()).collect();
        starts.sort_unstable();
        for event in events.iter().filter(|event| event.interval.is_empty()) {
            let start = event.interval.start();
            let next = starts.get(starts.partition_point(|&other| other <= start));
            let span = Interval::new(start, next.copied().unwrap_or(window.end()));
            found[at].add(span, Cause::LostLength);
        }
    }
}

/// A launch with what it left on one stream.
#[derive(Clone, Copy)]
struct Left {
    launched: Picoseconds,
    first_start: Picoseconds,
    last_end: Picoseconds,
}

/// The recorded work of a stream, in the order of its launch.
#[derive(Default)]
struct Lane {
    launched: Vec<Picoseconds>,
    /// The latest end up to each launch.
    end_before: Vec<Picoseconds>,
    /// The earliest start from each launch on.
    start_from: Vec<Picoseconds>,
}

impl Lane {
    fn of(mut left: Vec<Left>) -> Self {
        left.sort_unstable_by_key(|one| one.launched);
        let mut lane = Self::default();
        for one in &left {
            let before = lane.end_before.last().copied().unwrap_or(one.last_end);
            lane.launched.push(one.launched);
            lane.end_before.push(before.max(one.last_end));
        }
        lane.start_from = left.iter().map(|one| one.first_start).collect();
        for at in (1..lane.start_from.len()).rev() {
            lane.start_from[at - 1] = lane.start_from[at - 1].min(lane.start_from[at]);
        }
        lane
    }

    /// When all was over that had been launched before an instant.
    fn end_before(&self, instant: Picoseconds) -> Option<Picoseconds> {
        let before = self.launched.partition_point(|&launched| launched < instant);
        self.end_before.get(before.checked_sub(1)?).copied()
    }

    /// When the first began that was launched after an instant.
    fn start_after(&self, instant: Picoseconds) -> Option<Picoseconds> {
        let before = self.launched.partition_point(|&launched| launched <= instant);
        self.start_from.get(before).copied()
    }

    /// The same, of those that were launched at the instant or after it.
    fn start_from(&self, instant: Picoseconds) -> Option<Picoseconds> {
        let before = self.launched.partition_point(|&launched| launched < instant);
        self.start_from.get(before).copied()
    }
}

/// Where launches ran, as far as records tell.
struct Lanes {
    by_stream: FxHashMap<StreamId, Lane>,
    /// The first record of each call that left any: when it began, and its stream.
    first_of_call: FxHashMap<usize, (Picoseconds, StreamId)>,
    /// The streams on which calls of a thread and kind left records.
    usual: FxHashMap<(ThreadId, HostCallKind), FxHashSet<StreamId>>,
    /// The devices on which calls of a thread left records.
    devices_of: FxHashMap<ThreadId, FxHashSet<DeviceId>>,
    /// Ends of waits for a whole device, by when they began: the earliest end among those that began later.
    waits: Lane,
}

impl Lanes {
    fn of(trace: &Trace, launches: &Launches) -> Self {
        let mut left: FxHashMap<(StreamId, usize), Left> = FxHashMap::default();
        let mut lanes = Self {
            by_stream: FxHashMap::default(),
            first_of_call: FxHashMap::default(),
            usual: FxHashMap::default(),
            devices_of: FxHashMap::default(),
            waits: Lane::of(device_waits(trace)),
        };
        for (event, launch) in trace.device_events.iter().zip(&launches.of_event) {
            let Some(call) = launch.call() else { continue };
            let host_call = &trace.host_calls[call];
            let one = left.entry((event.stream, call)).or_insert(Left {
                launched: host_call.interval.start(),
                first_start: event.interval.start(),
                last_end: event.interval.end(),
            });
            one.first_start = one.first_start.min(event.interval.start());
            one.last_end = one.last_end.max(event.interval.end());
            let record = (event.interval.start(), event.stream);
            let first = lanes.first_of_call.entry(call).or_insert(record);
            *first = record.min(*first);
            let key = (host_call.thread, launches.kinds[call]);
            lanes.usual.entry(key).or_default().insert(event.stream);
            let device = trace.stream(event.stream).device;
            lanes.devices_of.entry(host_call.thread).or_default().insert(device);
        }
        let mut by_stream: FxHashMap<StreamId, Vec<Left>> = FxHashMap::default();
        let mut rows: Vec<_> = left.into_iter().collect();
        rows.sort_unstable_by_key(|(key, _)| *key);
        for ((stream, _), one) in rows {
            by_stream.entry(stream).or_default().push(one);
        }
        lanes.by_stream =
            by_stream.into_iter().map(|(stream, left)| (stream, Lane::of(left))).collect();
        lanes
    }

    /// The stream of a call's work: where its own records are, else where all work of such calls of its thread is.
    fn stream_of(&self, call: usize, usual: (ThreadId, HostCallKind)) -> Option<StreamId> {
        if let Some(&(_, own)) = self.first_of_call.get(&call) {
            return Some(own);
        }
        let usual = self.usual.get(&usual)?;
        (usual.len() == 1).then(|| usual.iter().next().copied()).flatten()
    }

    /// True unless the call's own records, or all others of its thread, are on other devices.
    fn may_run_on(&self, trace: &Trace, call: usize, host_call: &HostCall, on: DeviceId) -> bool {
        match self.first_of_call.get(&call) {
            Some(&(_, stream)) => trace.stream(stream).device == on,
            None => self.devices_of.get(&host_call.thread).is_none_or(|known| known.contains(&on)),
        }
    }

    /// When a call's work could have run on a device.
    fn span(
        &self,
        trace: &Trace,
        (call, cause): (usize, Cause),
        stream: Option<StreamId>,
        window: Interval,
    ) -> Option<Interval> {
        let launched = trace.host_calls[call].interval.start();
        let returned = trace.host_calls[call].interval.end();
        let own = self.first_of_call.get(&call).filter(|_| cause == Cause::UnconfirmedReplay);
        let lane = stream.and_then(|stream| self.by_stream.get(&stream));
        let before = lane.and_then(|lane| lane.end_before(launched));
        let due = before.map_or(returned, |before| before.max(returned));
        let is_overdue = |start: Picoseconds| start > due + DISPATCH_LATENCY;
        let from = own.map_or(launched, |&(start, _)| if is_overdue(start) { due } else { start });
        let after = lane.and_then(|lane| lane.start_after(launched));
        // Which device a wait is for is not recorded.
        let waited = self.waits.start_from(returned).filter(|_| trace.devices.len() == 1);
        let end = [after, waited].into_iter().flatten().min().unwrap_or(window.end());
        Interval::new(before.map_or(from, |before| before.max(from)), end)
    }

    /// When the first work began on a device that was launched after an instant, on whatever stream.
    fn first_launched_after(
        &self,
        trace: &Trace,
        device: DeviceId,
        instant: Picoseconds,
    ) -> Option<Picoseconds> {
        let on_device = |stream: &StreamId| trace.stream(*stream).device == device;
        let lanes = self.by_stream.iter().filter(|(stream, _)| on_device(stream));
        lanes.filter_map(|(_, lane)| lane.start_after(instant)).min()
    }
}

/// Waits for a whole device: by when they began, with their end.
fn device_waits(trace: &Trace) -> Vec<Left> {
    let waits = trace.host_calls.iter().filter(|call| call.kind == HostCallKind::DeviceSync);
    let wait = |call: &HostCall| Left {
        launched: call.interval.start(),
        first_start: call.interval.end(),
        last_end: call.interval.end(),
    };
    waits.map(wait).collect()
}
