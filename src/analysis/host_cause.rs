//! Host cause: what the host was doing while a device was idle.
//!
//! In each gap the thread counts that launched the work which ends it, and at each instant the innermost event on it: of those
//! that cover the instant, the one that began last. The rows of a device add up to its recorded idle, exactly.

mod innermost;
mod rows;
mod sums;

pub(super) use self::innermost::{HostEvent, Segment, innermost};
use self::rows::Rows;
use self::sums::{DeviceSums, Parts};
use super::hlo::executing_threads;
use super::launches::Launches;
use super::timeline::Timeline;
use super::waits::Launched;
use crate::trace::{NameId, ThreadId, Trace};
use crate::units::{Interval, Picoseconds};

/// What the host did while one device was idle.
#[derive(Debug)]
pub struct DeviceCause {
    /// By what the host did, with the longest time first.
    pub rows: Vec<CauseRow>,
    /// One entry a gap of the device, in order of time.
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
    /// The call that launched the work which ends the gap, by index.
    pub call: Option<u32>,
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

/// Finds what the host did in the gaps of every device, in the order of the timeline.
pub(super) fn host_cause(
    trace: &Trace,
    timeline: &Timeline,
    launches: &Launches,
    launched: &Launched,
) -> Vec<DeviceCause> {
    let threads = SameThread::of(trace, launches);
    let mut rows = Rows::default();
    let mut devices: Vec<DeviceSums> = Vec::with_capacity(timeline.devices.len());
    let mut of_thread: Vec<Vec<Place>> = vec![Vec::new(); trace.threads.len()];
    for (device, one) in timeline.devices.iter().enumerate() {
        let mut gaps = DeviceSums::default();
        for (gap, interval) in one.gaps.iter().enumerate() {
            let call = launched.call_of_start(one.device, interval.end());
            // Tracers were seen to join kernels to waits of other threads.
            let call = call.filter(|&call| trace.host_calls[call].kind.hands_over_work());
            match call {
                Some(call) => {
                    let thread = threads.of_call(trace, call);
                    of_thread[thread.index()].push(Place { device, gap, interval });
                }
                None => gaps.tally(rows.unknown_thread(), interval.duration()),
            }
            gaps.causes.push(GapCause {
                call: call.and_then(|call| u32::try_from(call).ok()),
                row: rows.unknown_thread(),
                time: interval.duration(),
            });
        }
        devices.push(gaps);
    }
    let events = events_by_thread(trace, &threads, &of_thread, &mut rows);
    let mut parts = Parts::default();
    for (places, events) in of_thread.iter().zip(events) {
        let segments = innermost(events);
        for place in places {
            parts.fill(&segments, place.interval, rows.no_event());
            devices[place.device].take(place.gap, &mut parts);
        }
    }
    devices.into_iter().map(|device| device.finish(&rows)).collect()
}

/// A gap whose launching thread is known.
#[derive(Clone, Copy)]
struct Place {
    device: usize,
    gap: usize,
    interval: Interval,
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

/// The host events of every thread that launched the end of a gap; of the others none is needed.
fn events_by_thread<'t>(
    trace: &'t Trace,
    threads: &SameThread,
    gaps: &[Vec<Place>],
    rows: &mut Rows<'t>,
) -> Vec<Vec<HostEvent>> {
    let mut by_thread: Vec<Vec<HostEvent>> = Vec::new();
    by_thread.resize_with(gaps.len(), Vec::new);
    let mut take = |activity, thread, interval: Interval, name: NameId| {
        let thread = threads.of_thread(thread).index();
        if !gaps[thread].is_empty() && !interval.is_empty() {
            let row = rows.of(trace, activity, name);
            by_thread[thread].push(HostEvent { interval, row });
        }
    };
    for one in &trace.annotations {
        take(HostActivity::Annotation, one.thread, one.interval, one.name);
    }
    for one in &trace.ops {
        take(HostActivity::Op, one.thread, one.interval, one.name);
    }
    for one in &trace.host_spans {
        take(HostActivity::Span, one.thread, one.interval, one.name);
    }
    for one in &trace.host_calls {
        take(HostActivity::Call, one.thread, one.interval, one.api);
    }
    by_thread
}
