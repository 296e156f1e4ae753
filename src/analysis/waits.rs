//! Idle that the host cannot be blamed for: work was queued, or the host itself waited for the device.

use super::launches::Launches;
use super::timeline::{DeviceTimeline, Timeline};
use crate::trace::{DeviceId, HostCallKind, IntervalSet, StreamId, Trace};
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;

/// A gap counts as queued idle only beyond this: 13–14 µs of dispatch latency a gap were measured on MI300X, and over
/// 23 complete public captures at most 0.81 % of the span lay above 100 µs but for one true multi-stream stall.
pub(super) const QUEUED_FLOOR: Picoseconds = Picoseconds::from_us(100);

/// Blocking calls shorter than this say nothing about the device: they return at once.
const BLOCKING_FLOOR: Picoseconds = Picoseconds::from_us(50);

/// Taken off each end of a blocking call: entering it, and waking up after it.
const BLOCKING_TRIM: Picoseconds = Picoseconds::from_us(20);

/// The waits of every device, in the order of the timeline.
#[derive(Debug)]
pub struct Waits {
    /// One entry a device of the timeline.
    pub devices: Vec<DeviceWaits>,
}

/// How one device's gaps stand to the host.
#[derive(Debug)]
pub struct DeviceWaits {
    /// The device.
    pub device: DeviceId,
    /// Gaps with queued idle, in order of time; `None` where the launch of no gap-ending record is known.
    pub queued: Option<Vec<QueuedGap>>,
    /// Idle while the host waited for the device inside a call: blocking calls over 50 µs, trimmed by 20 µs at each end.
    pub under_blocking: IntervalSet,
    /// The blocking calls themselves, clipped to the device's window.
    pub blocking: IntervalSet,
}

/// A gap whose ending record had been launched for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedGap {
    /// The part of the gap later than the return of the launch call.
    pub pending: Interval,
    /// The launching call, by index.
    pub call: usize,
    /// True where the launching thread had told the stream to wait for an event before it: the wait explains the gap.
    pub behind_event_wait: bool,
    /// How much of the pending part the host spent waiting for the device inside a call.
    pub host_blocked: Picoseconds,
}

impl DeviceWaits {
    /// Queued idle that no event wait explains.
    pub fn unexplained(&self) -> Option<Picoseconds> {
        let gaps = self.queued.as_ref()?.iter().filter(|gap| !gap.behind_event_wait);
        Some(gaps.map(|gap| gap.pending.duration()).sum())
    }
}

/// Computes the waits of every device in a timeline.
pub(super) fn waits(trace: &Trace, timeline: &Timeline, launches: &Launches) -> Waits {
    let blocking = blocking_calls(trace);
    let event_waits = EventWaits::of(trace);
    let devices = timeline.devices.iter().map(|device| {
        let blocking = blocking.clip(device.window);
        DeviceWaits {
            device: device.device,
            queued: queued_gaps(trace, device, launches, &blocking, &event_waits),
            under_blocking: device.gaps.intersection(&blocking),
            blocking,
        }
    });
    Waits { devices: devices.collect() }
}

/// The spans in which the host waited for a device inside a call.
fn blocking_calls(trace: &Trace) -> IntervalSet {
    let long = trace.host_calls.iter().filter(|call| call.kind.blocks_on_device());
    IntervalSet::from_intervals(
        long.filter(|call| call.interval.duration() > BLOCKING_FLOOR).filter_map(|call| {
            Interval::new(
                call.interval.start() + BLOCKING_TRIM,
                call.interval.end() - BLOCKING_TRIM,
            )
        }),
    )
}

/// For each gap of the device union, the part that is later than the return of the launch call of the record that ends it.
///
/// Counted from the *return*: a graph launch may block until its replay starts. Of several records that end a gap at one
/// instant, the one launched first counts.
fn queued_gaps(
    trace: &Trace,
    device: &DeviceTimeline,
    launches: &Launches,
    blocking: &IntervalSet,
    event_waits: &EventWaits,
) -> Option<Vec<QueuedGap>> {
    let mut first_call_at: FxHashMap<Picoseconds, (Picoseconds, usize, StreamId)> =
        FxHashMap::default();
    for (event, launch) in trace.device_events.iter().zip(&launches.of_event) {
        let Some(call) = launch.call() else { continue };
        if trace.stream(event.stream).device != device.device {
            continue;
        }
        let returned = trace.host_calls[call].interval.end();
        let candidate = (returned, call, event.stream);
        first_call_at
            .entry(event.interval.start())
            .and_modify(|known| *known = (*known).min(candidate))
            .or_insert(candidate);
    }
    if first_call_at.is_empty() {
        return None;
    }
    let queued = device.gaps.iter().filter_map(|gap| {
        let &(returned, call, _) = first_call_at.get(&gap.end())?;
        let pending = Interval::new(gap.start().max(returned), gap.end())?;
        (pending.duration() > QUEUED_FLOOR).then(|| QueuedGap {
            pending,
            call,
            behind_event_wait: event_waits.precede(call),
            host_blocked: blocking.clip(pending).total(),
        })
    });
    Some(queued.collect())
}

/// Which calls follow a stream-wait call on their thread with no other work handed over in between.
struct EventWaits(Vec<bool>);

impl EventWaits {
    fn of(trace: &Trace) -> Self {
        let mut order: Vec<usize> = (0..trace.host_calls.len()).collect();
        let calls = &trace.host_calls;
        if !order.is_sorted_by_key(|&call| (calls[call].thread, calls[call].interval.start())) {
            order.sort_by_key(|&call| (calls[call].thread, calls[call].interval.start()));
        }
        let mut behind = vec![false; calls.len()];
        let (mut thread, mut waiting) = (None, false);
        for call in order {
            if thread != Some(calls[call].thread) {
                (thread, waiting) = (Some(calls[call].thread), false);
            }
            match calls[call].kind {
                HostCallKind::StreamWait => waiting = true,
                kind if kind.hands_over_work() => {
                    behind[call] = waiting;
                    waiting = false;
                }
                _ => {}
            }
        }
        Self(behind)
    }

    /// True where the work of `call` was queued right behind an event wait.
    fn precede(&self, call: usize) -> bool {
        self.0[call]
    }
}
