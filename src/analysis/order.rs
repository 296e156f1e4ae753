//! Records that contradict the order of their stream, and records that repeat.

use super::launches::Launches;
use super::timeline::events_by_stream;
use crate::trace::{CorrelationId, DeviceEvent, HostCallKind, NameId, StreamId, Trace};
use crate::units::Picoseconds;
use rustc_hash::FxHashSet;

/// A record may outlast a later record of its stream by this much. Same-stream neighbours overlap honestly by up to
/// 4.6 µs under programmatic dependent launch (B300) and by up to 13 µs elsewhere, but in none of 39 public captures does
/// one outlast a whole later record at all.
const CONTAINMENT_TOLERANCE: Picoseconds = Picoseconds::from_us(20);

/// Work that a wait for the device covered may end this much later than the wait: clock conversion; 8.07 µs were measured.
const SYNC_TOLERANCE: Picoseconds = Picoseconds::from_us(50);

/// A kernel may start this much before its launch call: clock conversion between host and device.
const CAUSALITY_TOLERANCE: Picoseconds = Picoseconds::from_us(1);

/// A record that starts this much before its launch call, or ends this much after the profiler's own span, has no true
/// time: clock conversion errs by microseconds, and in every public capture device work lies inside the span.
const MISPLACED_TOLERANCE: Picoseconds = Picoseconds::from_us(1_000);

/// What contradicts the order of streams.
#[derive(Debug, Default)]
pub struct StreamOrder {
    /// Records that outlast a whole later record of their stream.
    pub containments: Vec<Containment>,
    /// Records that end after a wait that covered them returned.
    pub late_ends: Vec<LateEnd>,
    /// Records that start long before their launch call, or end long after the profiler's span.
    pub misplaced: Vec<Misplaced>,
    /// Neighbours of a stream that overlap within the tolerance: honest, and worth a note.
    pub small_overlaps: Overlaps,
    /// Neighbours of a stream that follow one another without any gap, and all neighbours.
    pub zero_gaps: (u64, u64),
    /// Linked kernels that start before their launch call by more than the tolerance, all linked kernels,
    /// and the earliest such start relative to its call.
    pub kernels_before_launch: (u64, u64, Picoseconds),
    /// The least time from the start of a call to the start of its device record.
    pub quickest_start: Option<Picoseconds>,
    /// Records that repeat another one exactly: stream, interval, name and id.
    pub n_duplicates: u64,
    /// Their summed duration.
    pub duplicate_time: Picoseconds,
    /// The name of the first.
    pub first_duplicate: Option<NameId>,
}

/// Overlapping neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlaps {
    /// Pairs.
    pub n_pairs: u64,
    /// Their summed overlap.
    pub total: Picoseconds,
    /// The longest.
    pub longest: Picoseconds,
}

/// A record that is still running when a later record of its stream has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Containment {
    /// The record's name.
    pub name: NameId,
    /// Its stream.
    pub stream: StreamId,
    /// When it starts.
    pub start: Picoseconds,
    /// Its end minus the start of the next record on the stream.
    pub overrun: Picoseconds,
    /// The longest duration that the next record leaves it.
    pub plausible: Picoseconds,
    /// The duration that was recorded.
    pub recorded: Picoseconds,
}

/// A record that lies where it cannot have run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// The record's name.
    pub name: NameId,
    /// How far it lies before its launch call, or beyond the profiler's span.
    pub by: Picoseconds,
}

/// A record that ends after a wait for the device returned that had begun when its launch call was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateEnd {
    /// The record's name.
    pub name: NameId,
    /// Its end minus the return of the wait.
    pub late_by: Picoseconds,
}

/// Examines the order of every stream.
pub(super) fn stream_order(trace: &Trace, launches: &Launches) -> StreamOrder {
    let mut order = StreamOrder {
        late_ends: late_ends(trace, launches),
        misplaced: misplaced(trace, launches),
        kernels_before_launch: kernels_before_launch(trace, launches),
        quickest_start: quickest_start(trace, launches),
        ..StreamOrder::default()
    };
    let replay_ids = replay_ids(trace, launches);
    for (stream, mut events) in events_by_stream(trace) {
        let key = |event: &&DeviceEvent| (event.interval.start(), event.interval.end());
        if !events.is_sorted_by_key(key) {
            events.sort_by_key(key);
        }
        overlaps(&events, &replay_ids, stream, &mut order);
        duplicates(&events, &mut order);
    }
    order
}

/// Walks one stream in order of start.
fn overlaps(
    events: &[&DeviceEvent],
    replay_ids: &ReplayIds,
    stream: StreamId,
    order: &mut StreamOrder,
) {
    let outlasts = outlasts_a_later_record(events, replay_ids);
    for (pair, outlasts) in events.windows(2).zip(outlasts) {
        let (event, next) = (pair[0], pair[1]);
        let overlap = event.interval.end() - next.interval.start();
        order.zero_gaps.0 += u64::from(overlap == Picoseconds::ZERO);
        order.zero_gaps.1 += 1;
        if outlasts {
            order.containments.push(Containment {
                name: event.name,
                stream,
                start: event.interval.start(),
                overrun: overlap,
                plausible: next.interval.start() - event.interval.start(),
                recorded: event.interval.duration(),
            });
        } else if overlap > Picoseconds::ZERO {
            order.small_overlaps.n_pairs += 1;
            order.small_overlaps.total += overlap;
            order.small_overlaps.longest = order.small_overlaps.longest.max(overlap);
        }
    }
}

/// For each record of a stream, whether it is still running when a later one has ended, beyond the tolerance.
///
/// Branches of one graph may run side by side and be recorded on the stream of the launch, so records of one replay are
/// not held against each other: from the back, the two earliest ends with different ids are kept.
fn outlasts_a_later_record(events: &[&DeviceEvent], replay_ids: &ReplayIds) -> Vec<bool> {
    let mut outlasts = vec![false; events.len()];
    let mut earliest: Option<(Picoseconds, Option<CorrelationId>)> = None;
    let mut earliest_of_others: Option<Picoseconds> = None;
    for (at, event) in events.iter().enumerate().rev() {
        let replay = event.correlation.filter(|id| replay_ids.contains(id));
        let end = event.interval.end();
        let first_end = match earliest {
            Some((_, id)) if id.is_some() && id == replay => earliest_of_others,
            Some((end, _)) => Some(end),
            None => None,
        };
        outlasts[at] = first_end.is_some_and(|other| end > other + CONTAINMENT_TOLERANCE);
        match earliest {
            Some((known, id)) if id.is_some() && id == replay => {
                earliest = Some((known.min(end), id))
            }
            Some((known, _)) if known <= end => {
                earliest_of_others = Some(earliest_of_others.map_or(end, |other| other.min(end)));
            }
            Some((known, _)) => {
                earliest_of_others = Some(known);
                earliest = Some((end, replay));
            }
            None => earliest = Some((end, replay)),
        }
    }
    outlasts
}

type ReplayIds = FxHashSet<CorrelationId>;

/// The ids of graph replays.
fn replay_ids(trace: &Trace, launches: &Launches) -> ReplayIds {
    let calls = trace.host_calls.iter().enumerate();
    let replays = calls.filter(|(_, call)| call.kind == HostCallKind::GraphLaunch);
    let ran = replays.filter(|&(index, call)| !launches.is_captured(index, call));
    ran.filter_map(|(_, call)| call.correlation).collect()
}

/// Counts exact repetitions. Records without a duration are left out: where a file resolves microseconds only,
/// two short kernels of one graph may look alike.
fn duplicates(events: &[&DeviceEvent], order: &mut StreamOrder) {
    let mut same_start: FxHashSet<(NameId, Picoseconds, Option<CorrelationId>)> =
        FxHashSet::default();
    let mut start = None;
    for event in events.iter().filter(|event| !event.interval.is_empty()) {
        if start != Some(event.interval.start()) {
            start = Some(event.interval.start());
            same_start.clear();
        }
        if !same_start.insert((event.name, event.interval.end(), event.correlation)) {
            order.n_duplicates += 1;
            order.duplicate_time += event.interval.duration();
            order.first_duplicate = order.first_duplicate.or(Some(event.name));
        }
    }
}

fn kernels_before_launch(trace: &Trace, launches: &Launches) -> (u64, u64, Picoseconds) {
    // Times are rounded to the file's resolution on both sides.
    let tolerance = CAUSALITY_TOLERANCE + trace.resolution;
    let (mut early, mut linked, mut worst) = (0, 0, Picoseconds::ZERO);
    for (index, event) in trace.device_events.iter().enumerate() {
        let Some(call) = launches.call(trace, index).filter(|_| event.kind.is_kernel()) else {
            continue;
        };
        let lead = call.interval.start() - event.interval.start();
        linked += 1;
        early += u64::from(lead > tolerance);
        worst = worst.max(lead);
    }
    (early, linked, worst)
}

fn quickest_start(trace: &Trace, launches: &Launches) -> Option<Picoseconds> {
    let records = trace.device_events.iter().enumerate();
    let after_launch = records.filter_map(|(index, event)| {
        Some(event.interval.start() - launches.call(trace, index)?.interval.start())
    });
    after_launch.min()
}

fn misplaced(trace: &Trace, launches: &Launches) -> Vec<Misplaced> {
    let span_end = trace.profiler.span.map(crate::units::Interval::end);
    let mut misplaced = Vec::new();
    for (index, event) in trace.device_events.iter().enumerate() {
        let launch = launches.call(trace, index).map(|call| call.interval.start());
        let early = launch.map_or(Picoseconds::ZERO, |launch| launch - event.interval.start());
        let late = span_end.map_or(Picoseconds::ZERO, |end| event.interval.end() - end);
        let by = early.max(late);
        if by > MISPLACED_TOLERANCE {
            misplaced.push(Misplaced { name: event.name, by });
        }
    }
    misplaced
}

/// A wait for the whole device returns when everything launched before it has ended. Judged only where the trace has a
/// single device, since the call does not say which device it waits for.
fn late_ends(trace: &Trace, launches: &Launches) -> Vec<LateEnd> {
    if trace.devices.len() != 1 {
        return Vec::new();
    }
    let syncs = trace.host_calls.iter().filter(|call| call.kind == HostCallKind::DeviceSync);
    let mut syncs: Vec<(Picoseconds, Picoseconds)> =
        syncs.map(|call| (call.interval.start(), call.interval.end())).collect();
    syncs.sort_unstable();
    // The earliest return among waits that begin at or after each.
    let mut earliest = Picoseconds::new(i64::MAX);
    for (_, end) in syncs.iter_mut().rev() {
        earliest = earliest.min(*end);
        *end = earliest;
    }
    let late = trace.device_events.iter().enumerate().filter_map(|(index, event)| {
        let launched = launches.call(trace, index)?.interval.end();
        let covering = syncs.partition_point(|&(start, _)| start < launched);
        let late_by = event.interval.end() - syncs.get(covering)?.1;
        (late_by > SYNC_TOLERANCE).then_some(LateEnd { name: event.name, late_by })
    });
    late.collect()
}
