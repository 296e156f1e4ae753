//! The join: which host call launched which device record.
//!
//! A producer writes a correlation id on both sides. Where it writes none at all, the file's flow arrows or the
//! external id that both sides carry take its place: one method for the whole record, never a mixture.

use super::collect::{CallIndex, by_external, by_key};
use super::recording::Recording;
use crate::trace::{
    HostCall, HostCallKind, IntervalSet, NameId, ThreadId, Trace, stream_capture_windows,
};
use crate::units::Picoseconds;
use rustc_hash::{FxHashMap, FxHashSet};

/// How device records were joined to host calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinMethod {
    /// By the correlation id.
    Correlation,
    /// By the flow arrows that the file draws.
    Flow,
    /// By the external id that both sides carry.
    ExternalId,
    /// Not at all: no device record carries any of them.
    None,
}

/// What launched a device record: a host call, by index, or one of the two constants. Records are many: an `enum` would take
/// twice the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch(u32);

impl Launch {
    /// A call before recording began: on its stream the record precedes all that recorded calls launched, and its
    /// correlation id is below every recorded one.
    pub const BEFORE_WINDOW: Self = Self(u32::MAX);

    /// Unknown.
    pub const UNKNOWN: Self = Self(u32::MAX - 1);

    /// The recorded call at an index. A trace has fewer calls than would reach the constants.
    pub const fn by(call: u32) -> Self {
        Self(call)
    }

    /// The launching call's index, where it was recorded.
    pub const fn call(self) -> Option<usize> {
        match self {
            Self::BEFORE_WINDOW | Self::UNKNOWN => None,
            Self(index) => Some(index as usize),
        }
    }
}

/// The join of a trace.
#[derive(Debug)]
pub struct Launches {
    /// How the sides were joined.
    pub method: JoinMethod,
    /// What launched each device event, by index.
    pub of_event: Vec<Launch>,
    /// How many device records each host call owns, by index.
    pub n_records: Vec<u32>,
    /// What each host call does, by index: by its name, or, where that does not tell, by its records. A name of which a
    /// quarter of the calls own a kernel launches kernels.
    pub kinds: Vec<HostCallKind>,
    /// When streams were being recorded into graphs: a launch call inside leaves no device record by design.
    pub capture_windows: IntervalSet,
    /// The call that answers for an ambiguous id, for each id that several work-giving calls carry.
    pub n_shared_ids: u64,
    /// Device records that belong to such an id.
    pub n_shared_id_records: u64,
    /// Device records without an id although others of the trace have one.
    pub n_without_id: u64,
    /// Their summed duration.
    pub without_id_time: Picoseconds,
    /// Device records beyond the first of a call that launches one kernel.
    pub n_surplus_records: u64,
    /// Windows of stream capture in which launches of a thread left work: that thread was not capturing.
    working: FxHashSet<(usize, ThreadId)>,
    /// Calls whose record is not in the file because recording ended first: see [`Launches::is_cut_off`].
    cut_off: Vec<bool>,
}

impl Launches {
    /// The call that launched a device event.
    pub fn call<'a>(&self, trace: &'a Trace, event: usize) -> Option<&'a HostCall> {
        self.of_event[event].call().map(|call| &trace.host_calls[call])
    }

    /// True where the call lies inside stream capture and owns no record, and neither does any launch of its thread in that window:
    /// work that ran was not being captured.
    pub fn is_captured(&self, index: usize, call: &HostCall) -> bool {
        let window = || self.capture_windows.index_of(call.interval.start());
        self.n_records[index] == 0
            && window().is_some_and(|window| !self.working.contains(&(window, call.thread)))
    }

    /// True where a call without a record may be explained by the end of recording: it was made after every call that has
    /// a record, with a higher id, no wait for the whole device began after it and returned, and either recording ended
    /// within the dispatch latency of the call, or the call was queued behind recorded work that lasted to the end of
    /// recording. Work in flight at the end is dropped by the producer, so "to the end" allows for one more of the longest
    /// record. A window that was cut ends at one instant for both sides: where host records stop before device records
    /// begin, recording did not end first.
    pub fn is_cut_off(&self, call: usize) -> bool {
        self.cut_off[call]
    }

    /// Launch calls outside stream capture whose records should be in the file, by index.
    pub fn accountable<'a>(
        &'a self,
        trace: &'a Trace,
        kind: HostCallKind,
    ) -> impl Iterator<Item = (usize, &'a HostCall)> + 'a {
        let calls = trace.host_calls.iter().enumerate();
        calls.filter(move |(index, call)| {
            self.kinds[*index] == kind
                && !self.is_captured(*index, call)
                && !self.is_cut_off(*index)
        })
    }
}

/// Joins the device records of a trace to its host calls.
pub(super) fn join(trace: &Trace) -> Launches {
    let method = method(trace);
    let index = CallIndex::of(trace);
    let mut of_event: Vec<Launch> = match method {
        JoinMethod::Correlation => {
            by_key(&trace.device_events, |event| index.by_correlation(event.correlation?))
        }
        JoinMethod::Flow => by_flow(trace),
        JoinMethod::ExternalId => {
            let calls = by_external(trace);
            by_key(&trace.device_events, |event| calls.get(&event.external?).copied())
        }
        JoinMethod::None => vec![Launch::UNKNOWN; trace.device_events.len()],
    };
    if method == JoinMethod::Correlation {
        mark_before_window(trace, &mut of_event);
    }
    let mut n_records = vec![0_u32; trace.host_calls.len()];
    for call in of_event.iter().filter_map(|launch| launch.call()) {
        n_records[call] = n_records[call].saturating_add(1);
    }
    let anonymous = || {
        let mixed = method == JoinMethod::Correlation;
        trace.device_events.iter().filter(move |event| mixed && event.correlation.is_none())
    };
    let surplus = |(call, &n): (&HostCall, &u32)| match call.kind {
        HostCallKind::Launch => u64::from(n.saturating_sub(1)),
        _ => 0,
    };
    let capture_windows = stream_capture_windows(trace);
    let launches = trace.host_calls.iter().zip(&n_records);
    let working = launches.filter(|(call, n)| call.kind.launches_kernels() && **n > 0);
    let working = working.filter_map(|(call, _)| {
        Some((capture_windows.index_of(call.interval.start())?, call.thread))
    });
    Launches {
        method,
        working: working.collect(),
        capture_windows,
        n_shared_ids: index.n_shared(),
        n_shared_id_records: if method == JoinMethod::Correlation {
            index.n_shared_records(trace)
        } else {
            0
        },
        n_without_id: anonymous().count() as u64,
        without_id_time: anonymous().map(|event| event.interval.duration()).sum(),
        n_surplus_records: trace.host_calls.iter().zip(&n_records).map(surplus).sum(),
        cut_off: cut_off(trace, &of_event, &n_records),
        kinds: kinds(trace, &of_event),
        of_event,
        n_records,
    }
}

fn method(trace: &Trace) -> JoinMethod {
    if trace.device_events.iter().any(|event| event.correlation.is_some()) {
        JoinMethod::Correlation
    } else if !trace.flow_links.is_empty() {
        JoinMethod::Flow
    } else if trace.device_events.iter().any(|event| event.external.is_some()) {
        JoinMethod::ExternalId
    } else {
        JoinMethod::None
    }
}

fn by_flow(trace: &Trace) -> Vec<Launch> {
    let mut of_event = vec![Launch::UNKNOWN; trace.device_events.len()];
    for &(event, call) in &trace.flow_links {
        of_event[event as usize] = Launch::by(call);
    }
    of_event
}

/// See [`Launches::kinds`].
fn kinds(trace: &Trace, of_event: &[Launch]) -> Vec<HostCallKind> {
    let mut owns_kernel = vec![false; trace.host_calls.len()];
    for (event, launch) in trace.device_events.iter().zip(of_event) {
        if let Some(call) = launch.call().filter(|_| event.kind.is_kernel()) {
            owns_kernel[call] = true;
        }
    }
    let is_unknown = |call: &HostCall| call.kind == HostCallKind::Other;
    let mut by_api: FxHashMap<NameId, (u64, u64)> = FxHashMap::default();
    for (call, &owns) in
        trace.host_calls.iter().zip(&owns_kernel).filter(|(call, _)| is_unknown(call))
    {
        let (owning, all) = by_api.entry(call.api).or_default();
        (*owning, *all) = (*owning + u64::from(owns), *all + 1);
    }
    let launches = |call: &HostCall| {
        by_api
            .get(&call.api)
            .is_some_and(|(owning, all)| is_unknown(call) && *owning > 0 && owning * 4 >= *all)
    };
    let kind = |call| if launches(call) { HostCallKind::Launch } else { call.kind };
    trace.host_calls.iter().map(kind).collect()
}

/// Streams run in order, so work that was queued before recording began precedes all that recorded calls launched.
fn mark_before_window(trace: &Trace, of_event: &mut [Launch]) {
    let Some(first_id) = trace.host_calls.iter().filter_map(|call| call.correlation).min() else {
        return;
    };
    let mut first_linked: Vec<Option<Picoseconds>> = vec![None; trace.streams.len()];
    for (event, launch) in trace.device_events.iter().zip(&*of_event) {
        if launch.call().is_some() {
            let (start, slot) = (event.interval.start(), &mut first_linked[event.stream.index()]);
            *slot = Some(slot.map_or(start, |earliest| earliest.min(start)));
        }
    }
    for (event, launch) in trace.device_events.iter().zip(of_event) {
        let precedes =
            first_linked[event.stream.index()].is_none_or(|first| event.interval.start() < first);
        if *launch == Launch::UNKNOWN
            && precedes
            && event.correlation.is_some_and(|id| id < first_id)
        {
            *launch = Launch::BEFORE_WINDOW;
        }
    }
}

/// See [`Launches::is_cut_off`].
fn cut_off(trace: &Trace, of_event: &[Launch], n_records: &[u32]) -> Vec<bool> {
    let mut cut = vec![false; trace.host_calls.len()];
    let recorded =
        || of_event.iter().filter_map(|launch| launch.call()).map(|call| &trace.host_calls[call]);
    let (Some(recording), Some(last_id), Some(last_launch)) = (
        Recording::of(trace),
        recorded().filter_map(|call| call.correlation).max(),
        recorded().map(|call| call.interval.start()).max(),
    ) else {
        return cut;
    };
    let device_syncs = trace.host_calls.iter().filter(|call| call.kind == HostCallKind::DeviceSync);
    let last_sync = device_syncs.map(|call| call.interval.start()).max();
    for (index, call) in trace.host_calls.iter().enumerate() {
        let start = call.interval.start();
        let waited_for = last_sync.is_some_and(|sync| sync >= call.interval.end());
        cut[index] = n_records[index] == 0
            && call.correlation.is_some_and(|id| id > last_id)
            && start >= last_launch
            && !waited_for
            && recording.may_precede(start);
    }
    cut
}

/// The number of device records that each id owns.
pub(super) fn records_by_id(trace: &Trace) -> FxHashMap<u64, u64> {
    let mut count = FxHashMap::default();
    for id in trace.device_events.iter().filter_map(|event| event.correlation) {
        *count.entry(id.get()).or_insert(0) += 1;
    }
    count
}
