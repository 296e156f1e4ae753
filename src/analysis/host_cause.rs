//! Host cause: what the host was doing while a device was idle.
//!
//! In each gap the thread counts that launched the work which ends it, and at each instant the innermost event on it: of those
//! that cover the instant, the one that began last. The rows of a device add up to its recorded idle, exactly.

mod innermost;
mod own_time;
mod records;
mod rows;
mod sums;

pub(super) use self::innermost::{HostEvent, Segment, innermost, sweep_order};
pub(super) use self::own_time::own_times;
use self::records::by_thread;
pub(super) use self::rows::without_number;
use self::rows::{NO_EVENT, Rows, UNKNOWN_THREAD};
use self::sums::{DeviceSums, Parts};
use super::Choice;
use super::hlo::executing_threads;
use super::launches::{Launch, Launches};
use super::longest_gaps::longest;
use super::timeline::Timeline;
use super::waits::Waits;
use crate::trace::{ThreadId, Trace};
use crate::units::{Interval, Picoseconds};

/// What the host did while one device was idle.
#[derive(Debug)]
pub struct DeviceCause {
    /// By what the host did, with the longest time first.
    pub rows: Vec<CauseRow>,
    /// The gaps that were asked for, in order of time: see [`super::Choice::every_gap`].
    pub gaps: Vec<GapCause>,
}

/// Idle time under one host activity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseRow {
    /// What kind of record it is.
    pub activity: HostActivity,
    /// Its name; that of a step without its number.
    pub name: String,
    /// Gaps with a part of it.
    pub n_gaps: u64,
    /// Idle time while it was the innermost event.
    pub time: Picoseconds,
}

/// One gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GapCause {
    /// Its index among the gaps of the device.
    pub gap: u32,
    /// What took most of the gap, by index of [`DeviceCause::rows`].
    pub row: u32,
    /// How much of it.
    pub time: Picoseconds,
}

/// What the launching thread was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostActivity {
    /// A call into the GPU's runtime or driver.
    Call,
    /// An operator of the framework.
    Op,
    /// A range that the user or the framework marked.
    Annotation,
    /// A scope of the tracer or a frame of the interpreter.
    Span,
    /// Nothing that was recorded.
    NoEvent,
    /// Unknown: no record tells which thread launched the work that ends the gap.
    UnknownThread,
}

impl HostActivity {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Op => "op",
            Self::Annotation => "annotation",
            Self::Span => "span",
            Self::NoEvent => "none",
            Self::UnknownThread => "unknown-thread",
        }
    }
}

/// Finds what the host did in the gaps of every device, in the order of the timeline. Of the gaps themselves only those that
/// somebody reads are kept: there may be as many as records.
pub(super) fn host_cause(
    trace: &Trace,
    timeline: &Timeline,
    launches: &Launches,
    waits: &Waits,
    choice: Choice<'_>,
) -> Vec<DeviceCause> {
    let threads = SameThread::of(trace, launches);
    let mut rows = Rows::default();
    let mut devices: Vec<DeviceSums> = Vec::with_capacity(timeline.devices.len());
    let mut of_thread: Vec<Vec<Place>> = vec![Vec::new(); trace.threads.len()];
    for ((device, one), waits) in (0_u32..).zip(&timeline.devices).zip(&waits.devices) {
        let kept = (0_u32..).zip(one.gaps.iter());
        let mut gaps = match choice.every_gap {
            true => DeviceSums::of(kept),
            false => DeviceSums::of(longest(&one.gaps).into_iter()),
        };
        let ends = (0_u32..).zip(one.gaps.iter()).zip(&waits.ended_by);
        for ((gap, interval), &launch) in ends {
            match handing_over(trace, launch) {
                Some(call) => {
                    let thread = threads.of_call(trace, call);
                    of_thread[thread.index()].push(Place { device, gap });
                }
                None => gaps.tally(UNKNOWN_THREAD, interval.duration()),
            }
        }
        devices.push(gaps);
    }
    let mut parts = Parts::default();
    let is_wanted: Vec<bool> = of_thread.iter().map(|places| !places.is_empty()).collect();
    for (places, records) in of_thread.iter().zip(by_thread(trace, &threads, &is_wanted)) {
        let segments = innermost(records.iter().map(|record| record.event(trace, &mut rows)));
        let gaps = places.iter().filter_map(|&place| Some((place, place.interval(timeline)?)));
        let mut take = |place: Place, parts: &mut Parts| {
            devices[place.device as usize].take(place.gap, parts);
        };
        // The gaps of one device follow one another, and segments are needed once. Those of several devices run at once.
        if places.first().map(|place| place.device) == places.last().map(|place| place.device) {
            let mut segments = segments.peekable();
            for (place, gap) in gaps {
                parts.fill(&mut segments, gap, NO_EVENT);
                take(place, &mut parts);
            }
        } else {
            let segments: Vec<Segment> = segments.collect();
            for (place, gap) in gaps {
                let from = segments.partition_point(|one| one.interval.end() <= gap.start());
                parts.fill(&mut segments[from..].iter().copied().peekable(), gap, NO_EVENT);
                take(place, &mut parts);
            }
        }
    }
    devices.into_iter().map(|device| device.finish(&rows)).collect()
}

/// The launching call, where it is one that hands over work: tracers were seen to join kernels to waits of other threads.
pub(super) fn handing_over(trace: &Trace, launch: Launch) -> Option<usize> {
    launch.call().filter(|&call| trace.host_calls[call].kind.hands_over_work())
}

/// A gap whose launching thread is known: the device in the timeline, and the gap among those of the device.
#[derive(Clone, Copy)]
struct Place {
    device: u32,
    gap: u32,
}

impl Place {
    fn interval(self, timeline: &Timeline) -> Option<Interval> {
        timeline.devices[self.device as usize].gaps.get(self.gap as usize)
    }
}

/// Lines of a trace that are one thread. Some tracers list the calls into the runtime apart from what else their thread did.
pub(super) struct SameThread(Vec<ThreadId>);

impl SameThread {
    pub(super) fn of(trace: &Trace, launches: &Launches) -> Self {
        let executing = executing_threads(trace, launches);
        let own = (0_u32..).take(trace.threads.len()).map(ThreadId::new);
        Self(own.map(|thread| executing.get(&thread).copied().unwrap_or(thread)).collect())
    }

    pub(super) fn of_thread(&self, thread: ThreadId) -> ThreadId {
        self.0[thread.index()]
    }

    fn of_call(&self, trace: &Trace, call: usize) -> ThreadId {
        self.of_thread(trace.host_calls[call].thread)
    }
}
