//! Idle that the host cannot be blamed for: work was queued, or the host itself waited for the device.

mod unexplained;

use super::latency::QUEUE_GAP;
use super::launches::Launches;
use super::timeline::{DeviceTimeline, Timeline};
use crate::trace::{DeviceId, HostCallKind, IntervalSet, Trace};
use crate::units::{Interval, Picoseconds};
use rustc_hash::{FxHashMap, FxHashSet};

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
    /// When the host waited inside a synchronisation call, within the span of all device work; calls over 50 µs, trimmed by
    /// 20 µs at each end. A blocking copy from the device waits until it begins there. Copies to the device are left out:
    /// staging pageable memory keeps the host and not the device.
    pub synchronising: IntervalSet,
    /// The part of it in which no device of the trace ran anything, the first 5 µs behind each record left aside.
    pub synchronising_idle: IntervalSet,
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

/// Computes the waits of every device in a timeline.
pub(super) fn waits(
    trace: &Trace,
    timeline: &Timeline,
    launches: &Launches,
    launched: &Launched,
) -> Waits {
    let blocking = blocking_calls(trace, HostCallKind::blocks_on_device);
    let synchronising =
        blocking_calls(trace, |kind| kind != HostCallKind::BlockingCopy && kind.blocks_on_device())
            .union(&waits_of_copies(trace, launches));
    let span = timeline.devices.iter().map(|device| device.window).reduce(Interval::hull);
    let synchronising = span.map_or_else(IntervalSet::default, |span| synchronising.clip(span));
    // What the device needs from one queued kernel to the next is its own, and adds up where kernels are short.
    let with_gap = |one: Interval| Interval::starting_at(one.start(), one.duration() + QUEUE_GAP);
    let busy = timeline.devices.iter().flat_map(|device| device.busy.iter());
    let busy = IntervalSet::from_intervals(busy.map(with_gap));
    let event_waits = EventWaits::of(trace);
    let devices = timeline.devices.iter().map(|device| {
        let blocking = blocking.clip(device.window);
        DeviceWaits {
            device: device.device,
            queued: queued_gaps(device, launched, &blocking, &event_waits),
            under_blocking: device.gaps.intersection(&blocking),
            blocking,
        }
    });
    Waits {
        devices: devices.collect(),
        synchronising_idle: synchronising.difference(&busy),
        synchronising,
    }
}

/// The spans in which the host waited for a device inside a call.
fn blocking_calls(trace: &Trace, blocks: fn(HostCallKind) -> bool) -> IntervalSet {
    let calls = trace.host_calls.iter().filter(|call| blocks(call.kind));
    IntervalSet::from_intervals(calls.filter_map(|call| trimmed(call.interval)))
}

/// The spans in which a blocking copy from a device waited for the work before it: from the call to the copy's own record.
fn waits_of_copies(trace: &Trace, launches: &Launches) -> IntervalSet {
    let copies =
        trace.device_events.iter().zip(&launches.of_event).filter_map(|(event, launch)| {
            let call = &trace.host_calls[launch.call()?];
            let waits = call.kind == HostCallKind::BlockingCopy
                && comes_from_device(trace.name(event.name));
            let wait = Interval::new(call.interval.start(), event.interval.start());
            wait.filter(|_| waits).and_then(trimmed)
        });
    IntervalSet::from_intervals(copies)
}

/// By the names that producers give to copies: `Memcpy DtoH (Device -> Pageable)`, `CopyDeviceToHost`, `MemcpyD2H`.
fn comes_from_device(copy: &str) -> bool {
    ["DtoH", "D2H", "DeviceToHost"].iter().any(|direction| copy.contains(direction))
}

/// What a blocking call tells: nothing where it is short, else all but its ends.
fn trimmed(call: Interval) -> Option<Interval> {
    let inner = Interval::new(call.start() + BLOCKING_TRIM, call.end() - BLOCKING_TRIM)?;
    (call.duration() > BLOCKING_FLOOR).then_some(inner)
}

impl DeviceWaits {
    /// The same waits if the host's clock were so much early: what it did, it did later.
    pub(super) fn with_later_host(&self, trace: &Trace, window: Interval, by: Picoseconds) -> Self {
        let later = |one: Interval| Interval::starting_at(one.start() + by, one.duration());
        let blocking = blocking_calls(trace, HostCallKind::blocks_on_device);
        let blocking = IntervalSet::from_intervals(blocking.iter().map(later)).clip(window);
        let pending = |gap: &QueuedGap| {
            let returned = trace.host_calls[gap.call].interval.end() + by;
            let pending = Interval::new(gap.pending.start().max(returned), gap.pending.end())?;
            let host_blocked = blocking.clip(pending).total();
            (pending.duration() > QUEUED_FLOOR).then_some(QueuedGap {
                pending,
                host_blocked,
                ..*gap
            })
        };
        Self {
            device: self.device,
            queued: self.queued.as_ref().map(|gaps| gaps.iter().filter_map(pending).collect()),
            under_blocking: IntervalSet::default(),
            blocking,
        }
    }
}

/// For each gap of the device union, the part that is later than the return of the launch call of the record that ends it.
///
/// Counted from the *return*: a graph launch may block until its replay starts. Of several records that end a gap at one
/// instant, the one launched first counts.
fn queued_gaps(
    device: &DeviceTimeline,
    launched: &Launched,
    blocking: &IntervalSet,
    event_waits: &EventWaits,
) -> Option<Vec<QueuedGap>> {
    if !launched.devices.contains(&device.device) {
        return None;
    }
    let queued = device.gaps.iter().filter_map(|gap| {
        let &(returned, call) = launched.first_at.get(&(device.device, gap.end()))?;
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

/// Device records with a known launch, by where they begin.
#[derive(Default)]
pub(super) struct Launched {
    /// Devices with any such record.
    devices: FxHashSet<DeviceId>,
    /// The return of the launch call and the call, for each start of a record: the call that returned first.
    first_at: FxHashMap<(DeviceId, Picoseconds), (Picoseconds, usize)>,
}

impl Launched {
    /// The call that launched the work which starts then on a device: of several, the one that returned first.
    pub(super) fn call_of_start(&self, device: DeviceId, start: Picoseconds) -> Option<usize> {
        self.first_at.get(&(device, start)).map(|&(_, call)| call)
    }

    pub(super) fn of(trace: &Trace, launches: &Launches) -> Self {
        let mut launched = Self::default();
        for (event, launch) in trace.device_events.iter().zip(&launches.of_event) {
            let Some(call) = launch.call() else { continue };
            let device = trace.stream(event.stream).device;
            let candidate = (trace.host_calls[call].interval.end(), call);
            launched.devices.insert(device);
            launched
                .first_at
                .entry((device, event.interval.start()))
                .and_modify(|known| *known = (*known).min(candidate))
                .or_insert(candidate);
        }
        launched
    }
}

/// Which calls follow a stream-wait call on their thread with no other work handed over in between.
pub(super) struct EventWaits(Vec<bool>);

impl EventWaits {
    pub(super) fn of(trace: &Trace) -> Self {
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
    pub(super) fn precede(&self, call: usize) -> bool {
        self.0[call]
    }
}
