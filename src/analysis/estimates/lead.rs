//! Where the host runs ahead of the device from one step to the next: what a window alone does not show.
//!
//! A window begins and ends with device work, and a replay of it takes for granted what was handed over before it. In a program that
//! does not wait for each of its steps, a step lasts as long as the device works on it or as long as the host takes to hand it over,
//! whichever is longer. With less device work the host becomes the limit, and with less host time more is saved than lies on
//! the path of one window.

use super::causes::Cause;
use crate::analysis::path::{Model, Target};
use crate::trace::IntervalSet;
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;

/// The host's part in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lead {
    /// True where the host handed over the first work of the window, or of the one behind it, while earlier work had not ended.
    is_ahead: bool,
    /// From the call that handed over the first work of the window to that of the next; the window itself where either is not known.
    period: Period,
}

/// What the host does from step to step.
#[derive(Clone, Copy, Debug)]
struct Period {
    /// All of it.
    length: Picoseconds,
    /// How much of it the host spent in calls that wait for a device.
    in_waits: Picoseconds,
    /// The same without copies on their way, which no wait for other work explains.
    for_others: Picoseconds,
}

/// What a window is without a cause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Without {
    /// How long it takes at least and at most, by a replay.
    pub(super) replayed: (Picoseconds, Picoseconds),
    /// How long it is now.
    pub(super) now: Picoseconds,
    /// How long the busiest stream works on what stays.
    pub(super) kept: Picoseconds,
    /// How long the work or the calls that go take in all.
    pub(super) taken: Picoseconds,
    /// The part of the path that does not hang on the cause.
    pub(super) rest_of_path: Picoseconds,
}

impl Lead {
    pub(super) fn of(model: &Model<'_>) -> Self {
        let opens = model.window.start();
        let mut mine = model.nodes.iter().filter(|node| node.device == model.device);
        let first = mine.find(|node| node.interval.start() == opens);
        let first = first.and_then(|node| model.launch_call(node.event));
        let next = match model.target {
            Some(Target::Start(node)) => model.launch_call(model.nodes[node as usize].event),
            Some(Target::End(_)) | None => None,
        };
        let calls = &model.trace.host_calls;
        let between = first.zip(next).and_then(|(first, next)| {
            Interval::new(calls[first].interval.start(), calls[next].interval.start())
        });
        let within = between.unwrap_or(model.window);
        let (in_waits, for_others) = waits(model, within);
        let period = Period { length: within.duration(), in_waits, for_others };
        let is_ahead = [(first, opens), (next, model.window.end())]
            .into_iter()
            .any(|(call, start)| call.is_some_and(|call| was_busy(model, call, start)));
        Self { is_ahead, period }
    }

    /// How long a step takes at least and at most without a cause, once the host and the device have settled.
    pub(super) fn settled(self, cause: &Cause, without: Without) -> (Picoseconds, Picoseconds) {
        let Without { replayed: (least, most), now, kept, taken, rest_of_path } = without;
        let Period { length, in_waits, for_others } = self.period;
        // What the host takes for a step if it waits for nothing, and for no more than its copies, and for all but this work.
        let host = |waits: Picoseconds| (length - waits).min(now);
        let limit = host(in_waits).max(kept);
        match cause {
            // Without the waits the host runs ahead: the longer of the two is the limit. No more is saved than the calls take.
            Cause::Waits => {
                let least = least.min(limit).max(now - taken);
                (least, most.max(host(for_others)).max(kept).max(least))
            }
            // Calls that return at once wait for nothing either.
            Cause::CopyCalls => {
                let least = least.min(limit).max(now - taken);
                (least, most.max(least))
            }
            one if one.takes_work() && self.is_ahead => {
                (least.min(limit.max(now - taken)), most.max(host(for_others.min(taken))))
            }
            one if one.takes_work() => (least, most),
            _ if self.is_ahead => (least.min(kept), most),
            // A host that waits for nothing gets ahead as soon as it is faster.
            _ if in_waits == Picoseconds::ZERO => (least.min(kept.max(rest_of_path)), most),
            _ => (least, most),
        }
    }
}

/// True where work of the device that began before an instant had not ended when a call began.
fn was_busy(model: &Model<'_>, call: usize, start: Picoseconds) -> bool {
    let called = model.trace.host_calls[call].interval.start();
    model.trace.device_events.iter().any(|event| {
        model.trace.stream(event.stream).device == model.device
            && event.interval.start() < start
            && event.interval.end() > called
    })
}

/// How long the host is in calls within an interval that wait for a device, by their kind or since their copy ends before them; and
/// how long without the copies that they make.
fn waits(model: &Model<'_>, within: Interval) -> (Picoseconds, Picoseconds) {
    let trace = model.trace;
    let calls = (0_u32..).zip(&trace.host_calls).filter(|(index, _)| model.blocks(*index as usize));
    let waits: FxHashMap<u32, Interval> = calls
        .filter_map(|(index, call)| Some((index, call.interval.intersection(within)?)))
        .collect();
    let mut for_others = waits.clone();
    for (event, record) in (0_u32..).zip(&trace.device_events) {
        let call = model.launch_call(event).and_then(|call| u32::try_from(call).ok());
        if let Some(wait) = call.and_then(|call| for_others.get_mut(&call)) {
            let until = record.interval.start().max(wait.start()).min(wait.end());
            *wait = Interval::new(wait.start(), until).unwrap_or(*wait);
        }
    }
    let total =
        |all: FxHashMap<u32, Interval>| IntervalSet::from_intervals(all.into_values()).total();
    (total(waits), total(for_others))
}
