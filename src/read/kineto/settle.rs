//! From absolute nanoseconds to picoseconds after the origin, once all times are known.
//!
//! The origin must not depend on a stray record: it is the earliest time near the median of all times. What lies too far from
//! it, or at a 0 that cannot be meant, is counted as damaged and left out.

use super::super::sort::sort_streams;
use super::super::tally::Oddity;
use super::builder::{Builder, side_row};
use crate::trace::{DamageFault, NameId, Origin, RecordSide, Trace};
use crate::units::{Interval, Picoseconds};

/// Times further than this from the median, in nanoseconds, belong to no capture: half of what the model admits, so that
/// any two times that stay are within [`Picoseconds::LIMIT`] of each other.
const REACH_NS: i64 = Picoseconds::LIMIT.ps() / 2_000;

/// How far from 0 a capture must lie for a record of some length at 0 to be a lost time: an hour in nanoseconds. No
/// capture goes without any record for an hour after its first one.
const FAR_FROM_ZERO_NS: i64 = 3_600_000_000_000;

/// Times of a trace, in nanoseconds.
#[derive(Clone, Copy)]
struct Bounds {
    /// The middle one.
    median: i64,
    /// The first and last near the median, of records that do not start at 0.
    nonzero: Option<(i64, i64)>,
}

/// Picks the origin, takes out damaged records, links flows and makes all times relative.
pub(super) fn settle(builder: &mut Builder, base_unix_ns: Option<i64>) {
    let Some(bounds) = bounds(&builder.trace) else {
        builder.trace.python_frames = Vec::new();
        place_marks(builder, None);
        return;
    };
    remove_damaged(builder, bounds);
    builder.trace.resolution = resolution(&builder.trace);
    count_empty_work(builder);
    let flows = std::mem::take(&mut builder.flows);
    builder.trace.flow_links = flows.links(&builder.trace);
    if !builder.trace.flow_links.is_empty() {
        builder.tally.note(Oddity::FlowLinks, "ac2g", builder.trace.flow_links.len() as u64);
    }
    let file_ns = starts(&builder.trace).min().unwrap_or(0);
    builder.trace.origin = Origin { file_ns, base_unix_ns };
    rebase(&mut builder.trace, file_ns);
    place_marks(builder, Some(file_ns));
    sort_streams(&mut builder.trace);
    shrink(&mut builder.trace);
}

/// Gives back what the tables reserved while they grew.
fn shrink(trace: &mut Trace) {
    trace.device_events.shrink_to_fit();
    trace.host_calls.shrink_to_fit();
    trace.ops.shrink_to_fit();
    trace.annotations.shrink_to_fit();
    trace.python_frames.shrink_to_fit();
    trace.collectives.shrink_to_fit();
}

fn intervals(trace: &Trace) -> impl Iterator<Item = Interval> + '_ {
    let device = trace.device_events.iter().map(|event| event.interval);
    let calls = trace.host_calls.iter().map(|call| call.interval);
    let ops = trace.ops.iter().map(|op| op.interval);
    device.chain(calls).chain(ops).chain(trace.annotations.iter().map(|range| range.interval))
}

fn starts(trace: &Trace) -> impl Iterator<Item = i64> + '_ {
    intervals(trace).map(|interval| interval.start().ps())
}

fn bounds(trace: &Trace) -> Option<Bounds> {
    // Even where most times were lost to 0, the others tell where the capture lies.
    let mut all: Vec<i64> = starts(trace).filter(|&start| start != 0).collect();
    if all.is_empty() {
        all = starts(trace).take(1).collect();
    }
    let middle = all.len().checked_sub(1)? / 2;
    let (_, &mut median, _) = all.select_nth_unstable(middle);
    let nonzero = intervals(trace)
        .filter(|one| one.start().ps() != 0 && in_reach(*one, median))
        .map(|one| (one.start().ps(), one.end().ps()))
        .reduce(|(first, last), (start, end)| (first.min(start), last.max(end)));
    Some(Bounds { median, nonzero })
}

fn in_reach(interval: Interval, median: i64) -> bool {
    let distance = |at: Picoseconds| at.ps().abs_diff(median);
    let reach = REACH_NS.unsigned_abs();
    distance(interval.start()) <= reach && distance(interval.end()) <= reach
}

/// What is wrong with a record's time, if anything.
///
/// A start at 0 is a lost time where the other records lie further from 0 than they span themselves. Where the record
/// has a length, its time was clamped rather than lost, and only a distance that no capture has tells that.
fn fault(interval: Interval, bounds: Bounds) -> Option<DamageFault> {
    if interval.start().ps() == 0
        && let Some((first, last)) = bounds.nonzero
    {
        let distance = if first > 0 { first } else { last.saturating_neg() };
        let needed = if interval.is_empty() { 0 } else { FAR_FROM_ZERO_NS };
        if distance > last.saturating_sub(first).max(needed) {
            return Some(DamageFault::ZeroTimestamp);
        }
    }
    (!in_reach(interval, bounds.median)).then_some(DamageFault::OutOfRange)
}

fn remove_damaged(builder: &mut Builder, bounds: Bounds) {
    let (trace, tally, first_zero) = (&mut builder.trace, &mut builder.tally, builder.first_zero);
    let mut keep = |interval: Interval, side: RecordSide, name: NameId| {
        let Some(fault) = fault(interval, bounds) else { return true };
        let offset = first_zero[side_row(side)].filter(|_| fault == DamageFault::ZeroTimestamp);
        tally.damage(fault, side, name, offset);
        false
    };
    let mut stays: Vec<bool> = Vec::new();
    trace.device_events.retain(|event| {
        stays.push(keep(event.interval, RecordSide::Device, event.name));
        stays.last() == Some(&true)
    });
    follow(&mut trace.copies, &stays, |copy| &mut copy.event);
    trace.host_calls.retain(|call| keep(call.interval, RecordSide::Host, call.api));
    let mut ops_stay: Vec<bool> = Vec::new();
    trace.ops.retain(|op| {
        ops_stay.push(keep(op.interval, RecordSide::Host, op.name));
        ops_stay.last() == Some(&true)
    });
    follow(&mut trace.op_inputs, &ops_stay, |(op, _)| op);
    trace.annotations.retain(|range| keep(range.interval, RecordSide::Host, range.name));
    trace.python_frames.retain(|frame| in_reach(frame.interval, bounds.median));
}

/// Lets rows follow the records that they refer to, in order, to the places that are left.
fn follow<T>(rows: &mut Vec<T>, stays: &[bool], place: impl Fn(&mut T) -> &mut u32) {
    let (mut before, mut at) = (0_u32, 0_usize);
    rows.retain_mut(|row| {
        let place = place(row);
        let old = *place as usize;
        before += u32::try_from(stays[at..old].iter().filter(|&&stays| stays).count()).unwrap_or(0);
        at = old;
        *place = before;
        stays[old]
    });
}

/// 1 ns as soon as any time shows it. A file that writes `12.0` shows nothing finer than a microsecond.
fn resolution(trace: &Trace) -> Picoseconds {
    let fine =
        intervals(trace).any(|one| one.start().ps() % 1_000 != 0 || one.end().ps() % 1_000 != 0);
    if fine { Picoseconds::new(1_000) } else { Picoseconds::from_us(1) }
}

/// Device work without length is damage only where the file could have shown it: old files round to microseconds.
fn count_empty_work(builder: &mut Builder) {
    if builder.trace.resolution >= Picoseconds::from_us(1) {
        return;
    }
    for event in builder.trace.device_events.iter().filter(|event| event.interval.is_empty()) {
        builder.tally.damage(DamageFault::ZeroDuration, RecordSide::Device, event.name, None);
    }
}

fn rebase(trace: &mut Trace, origin_ns: i64) {
    let relative = |interval: &mut Interval| *interval = relative(*interval, origin_ns);
    trace.device_events.iter_mut().for_each(|event| relative(&mut event.interval));
    trace.host_calls.iter_mut().for_each(|call| relative(&mut call.interval));
    trace.ops.iter_mut().for_each(|op| relative(&mut op.interval));
    trace.annotations.iter_mut().for_each(|range| relative(&mut range.interval));
    trace.python_frames.iter_mut().for_each(|frame| relative(&mut frame.interval));
}

/// An interval of nanoseconds, in picoseconds after the origin. Both ends are within reach, so nothing saturates.
fn relative(interval: Interval, origin_ns: i64) -> Interval {
    let start = Picoseconds::new((interval.start().ps() - origin_ns) * 1_000);
    Interval::starting_at(
        start,
        Picoseconds::new((interval.end().ps() - interval.start().ps()) * 1_000),
    )
}

/// The profiler's own marks, where they lie near the records.
fn place_marks(builder: &mut Builder, origin_ns: Option<i64>) {
    // Without any record the marks count from themselves.
    let marks = [builder.span_ns.map(|(start, _)| start), builder.window_end_ns];
    let Some(origin_ns) = origin_ns.or_else(|| marks.into_iter().flatten().min()) else { return };
    builder.trace.origin.file_ns = origin_ns;
    let near = |ns: i64| {
        let relative = ns.checked_sub(origin_ns)?;
        let ps = Picoseconds::from_ns(relative)?;
        (ps.ps().abs() <= Picoseconds::LIMIT.ps()).then_some(ps)
    };
    let profiler = &mut builder.trace.profiler;
    profiler.span =
        builder.span_ns.and_then(|(start, end)| Interval::new(near(start)?, near(end)?));
    profiler.window_end = builder.window_end_ns.and_then(near);
}
