//! What to change: how long the step would take without one cause, inferred from the records and never run.
//!
//! Each cause is taken out of the window of the critical path, and the window is played again: every piece of work starts when all
//! that it waited for is over. What is stated is a range. Its ends differ in how soon work may start that now waits for something else,
//! and in what the bounds of idle leave open. No saving exceeds the cause's own part of the critical path. With several streams the
//! range reaches from no saving to that part, as far as the busiest stream lets it.

mod at_roofline;
mod causes;
mod knobs;
mod lay_out;
mod lead;
mod parts;
mod replay;
mod stretches;

pub use at_roofline::AtRoofline;
pub use causes::Cause;
pub(super) use lay_out::lay_out;
pub use parts::Part;
pub use stretches::Stretches;

use super::idle::Idle;
use super::latency::QUEUE_GAP;
use super::path::{Model, Path, SegmentKind};
use super::roofline::Floors;
use super::steps::Steps;
use super::timeline::Timeline;
use crate::trace::{HostCallKind, IntervalSet, StreamId, common, time_of};
use crate::units::{Interval, Picoseconds};
use at_roofline::at_roofline;
use causes::{Candidate, candidates};
use lead::{Lead, Without};
use rayon::prelude::*;
use replay::{Lags, Recorded, Replay, Slack};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The shortest time that is a saving.
const MOMENT: Picoseconds = Picoseconds::new(1);

/// A cause, and how long the step takes with and without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// What is gone.
    pub cause: Cause,
    /// The length of the window.
    pub now: Picoseconds,
    /// Without the cause: at least and at most.
    pub if_gone: (Picoseconds, Picoseconds),
    /// Amdahl's ceiling: the window without the cause's part of the path, and no shorter than the device is busy with what stays.
    pub at_best: Picoseconds,
    /// The part of the critical path that hangs on it.
    pub on_path: Picoseconds,
    /// What to try.
    pub knob: &'static str,
    /// Where its time goes, the longest first, as far as records tell.
    pub parts: Vec<Part>,
    /// Of time of the host: the stretches of the path that it is made of.
    pub stretches: Option<Stretches>,
    /// Of a kernel: what it saves at its roofline, where that is known of every launch in the window and is more than noise.
    pub at_roofline: Option<AtRoofline>,
    /// True where only the records of what streams wait for each other for could narrow the range.
    pub is_open: bool,
    /// True where the ends of the ranges order it and another cause differently.
    pub order_undetermined: bool,
}

/// Estimates for every cause that is worth a row, the largest part of the critical path first; waits, which have none, last.
pub(super) fn estimates(
    path: &Path,
    model: &Model<'_>,
    timeline: &Timeline,
    idle: &Idle,
    steps: Option<&Steps>,
    floors: &Floors<'_>,
) -> Vec<Estimate> {
    let now = path.window.duration();
    let threshold = Picoseconds::new(now.ps() / 100).max(spread(steps));
    if path.refused.is_some() || path.of_kind(SegmentKind::Unexplained) == now {
        return Vec::new();
    }
    let lags = Lags::of(model);
    let recorded = Recorded::of(model);
    let room = HostRoom::of(path, timeline, idle);
    let several_streams = runs_on_several_streams(model);
    let lead = Lead::of(model);
    let device = timeline.devices.iter().find(|one| one.device == path.device);
    let busy = device.map_or(Picoseconds::ZERO, |one| time_of(common(one.busy(), [path.window])));
    let estimate = |candidate: Candidate| {
        let saved = |slack| {
            let replay = Replay::of(model, &recorded, &candidate.change, slack, lags);
            now - replay.length().unwrap_or(now)
        };
        let (least, most) = (saved(Slack::Most), saved(Slack::Least));
        let (least, most) = match (&candidate.cause, room) {
            (Cause::Host | Cause::HostEvent(_), Some(room)) => room.within(least, most),
            (Cause::Host | Cause::HostEvent(_), None) => return None,
            _ => (least, most),
        };
        let on_path = candidate.on_path.unwrap_or(most);
        // Which stream waits for which is not always recorded: then a cause may save nothing, or all of its part of the path.
        let (least, most) = match several_streams {
            true => (Picoseconds::ZERO, most.max(on_path).min(now - kept(model, &candidate))),
            false => (least, most),
        };
        let within = |saved: Picoseconds| saved.min(on_path).max(Picoseconds::ZERO);
        let (least, most) = (within(least.min(most)), within(most.max(least)));
        // What takes no work off the device leaves it as long as it is busy.
        let floor = if candidate.cause.takes_work() { Picoseconds::ZERO } else { busy };
        let without = Without {
            replayed: (now - most, now - least),
            now,
            kept: kept(model, &candidate),
            taken: taken(model, &candidate),
            rest_of_path: now - on_path,
        };
        let (shortest, longest) = lead.settled(&candidate.cause, without);
        let (least, most) = (now - longest, now - shortest);
        if most <= Picoseconds::ZERO || most < threshold {
            return None;
        }
        let stretches = stretches::stretches(&candidate.cause, path, model);
        let (knob, parts) = knobs::knob(&candidate.cause, stretches.as_ref(), path, model);
        let is_kernel = matches!(candidate.cause, Cause::Kernel(_));
        let at_roofline = is_kernel.then(|| at_roofline(model, &candidate.change, most, floors));
        Some(Estimate {
            at_best: (now - on_path).max(floor.min(now - most)).min(now - most),
            knob,
            parts,
            stretches,
            at_roofline: at_roofline.flatten().filter(|one| one.saved >= threshold.max(MOMENT)),
            is_open: several_streams,
            cause: candidate.cause,
            now,
            if_gone: (now - most, now - least),
            on_path,
            order_undetermined: false,
        })
    };
    let candidates = candidates(path, model, threshold).into_par_iter();
    let mut rows: Vec<Estimate> = candidates.filter_map(estimate).collect();
    // What has no part of the path of its own goes before nothing that has.
    let place = |row: &Estimate| (row.cause == Cause::Waits, Reverse(row.on_path));
    rows.sort_by(|a, b| (place(a), &a.cause).cmp(&(place(b), &b.cause)));
    mark_undetermined(&mut rows);
    rows
}

/// True where work of the window's device is on more than one of its streams.
fn runs_on_several_streams(model: &Model<'_>) -> bool {
    let mut streams = streams(model).map(|(_, stream)| stream);
    let first = streams.next();
    streams.any(|stream| Some(stream) != first)
}

/// The nodes of the window's device, by index, with their streams.
fn streams<'m>(model: &'m Model<'_>) -> impl Iterator<Item = (usize, StreamId)> + 'm {
    let nodes = model.nodes.iter().enumerate();
    let mine = nodes.filter(|(_, node)| node.device == model.device);
    mine.map(|(at, node)| (at, model.trace.device_events[node.event as usize].stream))
}

/// How long the busiest stream of the device works on what a cause leaves: the window cannot be shorter.
fn kept(model: &Model<'_>, candidate: &Candidate) -> Picoseconds {
    let mut by_stream: BTreeMap<StreamId, Vec<Interval>> = BTreeMap::new();
    for (at, stream) in streams(model) {
        if !candidate.change.work.get(at).copied().unwrap_or(false) {
            by_stream.entry(stream).or_default().push(model.nodes[at].interval);
        }
    }
    let busy = |work: Vec<Interval>| IntervalSet::from_intervals(work).clip(model.window).total();
    by_stream.into_values().map(busy).max().unwrap_or_default()
}

/// How long the work of a cause takes in all, with the time from the work before each piece; of calls how long they take.
fn taken(model: &Model<'_>, candidate: &Candidate) -> Picoseconds {
    let calls = |is_it: fn(HostCallKind) -> bool| {
        model.items.iter().filter(move |item| is_it(item.kind)).map(|item| item.interval.duration())
    };
    match candidate.cause {
        Cause::Waits => return calls(HostCallKind::blocks_on_device).sum(),
        Cause::CopyCalls => return calls(HostCallKind::copies_or_fills).sum(),
        _ => {}
    }
    let gone = model.nodes.iter().zip(&candidate.change.work).filter(|(_, gone)| **gone);
    gone.map(|(node, _)| node.interval.duration() + QUEUE_GAP).sum()
}

/// Twice the median absolute deviation of the steps' times: less than that is noise.
fn spread(steps: Option<&Steps>) -> Picoseconds {
    let times = steps.map_or_else(Vec::new, Steps::critical_times);
    let mut times: Vec<Picoseconds> = times.iter().map(|time| time.window.duration()).collect();
    let Some(median) = middle(&mut times) else { return Picoseconds::ZERO };
    let mut away: Vec<Picoseconds> =
        times.iter().map(|&time| (time - median).max(median - time)).collect();
    middle(&mut away).map_or(Picoseconds::ZERO, |mad| mad + mad)
}

fn middle(times: &mut [Picoseconds]) -> Option<Picoseconds> {
    times.sort_unstable();
    times.get(times.len().checked_sub(1)? / 2).copied()
}

/// What the device's idle leaves for the host to save: a faster host can end idle and nothing else.
#[derive(Clone, Copy)]
struct HostRoom {
    /// Idle of the device in the window.
    idle: Picoseconds,
    /// How much of what is recorded as waiting for the host may be something else.
    doubt: Picoseconds,
}

impl HostRoom {
    fn of(path: &Path, timeline: &Timeline, idle: &Idle) -> Option<Self> {
        let devices = timeline.devices.iter().zip(&idle.devices);
        let (device, bounds) = devices.into_iter().find(|(one, _)| one.device == path.device)?;
        let recorded = bounds.gaps.host_starved;
        let doubt = recorded - bounds.starved?.lo;
        Some(Self {
            idle: time_of(common(device.gaps.iter(), [path.window])),
            doubt: doubt.max(Picoseconds::ZERO),
        })
    }

    fn within(self, least: Picoseconds, most: Picoseconds) -> (Picoseconds, Picoseconds) {
        let most = most.min(self.idle);
        ((least.min(most) - self.doubt).max(Picoseconds::ZERO), most)
    }
}

/// Marks rows that one end of the ranges puts before another and the other end behind it.
fn mark_undetermined(rows: &mut [Estimate]) {
    let ranges: Vec<_> = rows.iter().map(|row| row.if_gone).collect();
    for (at, row) in rows.iter_mut().enumerate() {
        let (lo, hi) = ranges[at];
        row.order_undetermined = ranges.iter().any(|&(other_lo, other_hi)| {
            lo < other_lo && hi > other_hi || lo > other_lo && hi < other_hi
        });
    }
}
