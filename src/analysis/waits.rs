//! Idle that the host cannot be blamed for: work was queued, or the host itself waited for the device.

mod events;
mod gap_ends;
mod unexplained;

pub(super) use events::EventWaits;

use super::latency::{QUEUE_GAP, WAKE_MAX};
use super::launches::{Launch, Launches};
use super::timeline::{DeviceTimeline, Timeline};
use crate::trace::{DeviceId, HostCallKind, IntervalSet, Trace, common, outside, time_of};
use crate::units::{Interval, Picoseconds};
use gap_ends::{GapEnds, gap_ends};
use rustc_hash::FxHashSet;

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
    /// How long the device was idle while the host waited for it inside a call.
    pub under_blocking: Picoseconds,
    /// The parts of gaps in which a call was about to copy to the device, and blocked until it had; the copy ends the gap. The
    /// device waited for the host there, which staged pageable memory, and not the host for the device.
    pub staged: IntervalSet,
    /// When the host waited so: blocking calls over 50 µs, trimmed by 20 µs at each end, within the device's window.
    pub blocking: IntervalSet,
    /// For each gap of the device, in order of time, what launched the work which ends it: of several calls, the one that returned
    /// first.
    pub ended_by: Vec<Launch>,
}

/// A gap whose ending record had been launched for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedGap {
    /// The part of the gap later than the return of the launch call.
    pub pending: Interval,
    /// The launching call, by index.
    pub call: usize,
    /// True where the launching thread may have told the stream to wait for an event before it: the wait explains the gap.
    pub behind_event_wait: bool,
    /// How much of the pending part the host spent waiting for the device inside a call.
    pub host_blocked: Picoseconds,
}

impl Waits {
    /// The parts of waits that outlast all work by more than returning takes, from the end of the work to the return.
    pub(super) fn outlasting_work(&self) -> IntervalSet {
        let late = self.synchronising_idle.iter().filter(|one| one.duration() > WAKE_MAX);
        let whole = late
            .filter_map(|one| Interval::new(one.start() - QUEUE_GAP, one.end() + BLOCKING_TRIM));
        IntervalSet::from_intervals(whole)
    }
}

/// Computes the waits of every device in a timeline.
pub(super) fn waits(trace: &Trace, timeline: &Timeline, launches: &Launches) -> Waits {
    let blocking = blocking_calls(trace, HostCallKind::blocks_on_device);
    let synchronising =
        blocking_calls(trace, |kind| kind != HostCallKind::BlockingCopy && kind.blocks_on_device())
            .union(&waits_of_copies(trace, launches));
    let span = timeline.devices.iter().map(|device| device.window).reduce(Interval::hull);
    let synchronising = span.map_or_else(IntervalSet::default, |span| synchronising.clip(span));
    // What the device needs from one queued kernel to the next is its own, and adds up where kernels are short.
    let with_gap = |one: Interval| Interval::starting_at(one.start(), one.duration() + QUEUE_GAP);
    let synchronising_idle = timeline.devices.iter().fold(synchronising.clone(), |idle, device| {
        outside(idle.iter(), device.busy().map(with_gap)).collect()
    });
    let event_waits = EventWaits::of(trace, launches);
    let uploads = uploads(trace, launches);
    let devices =
        timeline.devices.iter().zip(gap_ends(trace, timeline, launches)).map(|(device, ends)| {
            let blocking = blocking.clip(device.window);
            DeviceWaits {
                device: device.device,
                queued: queued_gaps(trace, device, &ends, &blocking, &event_waits),
                under_blocking: time_of(common(device.gaps.iter(), blocking.iter())),
                staged: staged(trace, device, &ends.calls, &uploads),
                blocking,
                ended_by: ends.calls,
            }
        });
    Waits { devices: devices.collect(), synchronising_idle, synchronising }
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

/// The gaps that a copy to the device ends whose call blocks, from the call on.
fn staged(
    trace: &Trace,
    device: &DeviceTimeline,
    ended_by: &[Launch],
    uploads: &FxHashSet<usize>,
) -> IntervalSet {
    let parts = device.gaps.iter().zip(ended_by).filter_map(|(gap, launch)| {
        let call = launch.call().filter(|call| uploads.contains(call))?;
        let began = trace.host_calls[call].interval.start();
        Interval::new(gap.start().max(began), gap.end())
    });
    IntervalSet::from_intervals(parts)
}

/// The calls that block until they have copied something to a device.
fn uploads(trace: &Trace, launches: &Launches) -> FxHashSet<usize> {
    let calls = trace.device_events.iter().zip(&launches.of_event).filter_map(|(event, launch)| {
        let call = launch.call()?;
        let is_upload = trace.host_calls[call].kind == HostCallKind::BlockingCopy
            && comes_from_host(trace.name(event.name));
        Some(call).filter(|_| is_upload)
    });
    calls.collect()
}

/// By the names that producers give to copies: `Memcpy DtoH (Device -> Pageable)`, `CopyDeviceToHost`, `MemcpyD2H`.
fn comes_from_device(copy: &str) -> bool {
    ["DtoH", "D2H", "DeviceToHost"].iter().any(|direction| copy.contains(direction))
}

/// By their names as well.
fn comes_from_host(copy: &str) -> bool {
    ["HtoD", "H2D", "HostToDevice"].iter().any(|direction| copy.contains(direction))
}

/// What a blocking call tells: nothing where it is short, else all but its ends.
fn trimmed(call: Interval) -> Option<Interval> {
    let inner = Interval::new(call.start() + BLOCKING_TRIM, call.end() - BLOCKING_TRIM)?;
    (call.duration() > BLOCKING_FLOOR).then_some(inner)
}

impl DeviceWaits {
    /// The queued and the blocking part of the same waits if the host's clock were so much early: what it did, it did later.
    pub(super) fn with_later_host(&self, trace: &Trace, window: Interval, by: Picoseconds) -> Self {
        let later = |one: Interval| Interval::starting_at(one.start() + by, one.duration());
        let blocking = blocking_calls(trace, HostCallKind::blocks_on_device);
        let blocking = IntervalSet::from_intervals(blocking.iter().map(later)).clip(window);
        let staged =
            self.staged.iter().filter_map(|one| Interval::new(one.start() + by, one.end()));
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
            under_blocking: Picoseconds::ZERO,
            staged: IntervalSet::from_intervals(staged),
            blocking,
            ended_by: Vec::new(),
        }
    }
}

/// For each gap of the device union, the part that is later than the return of the launch call of the record that ends it.
///
/// Counted from the *return*: a graph launch may block until its replay starts. Of several records that end a gap at one
/// instant, the one launched first counts.
fn queued_gaps(
    trace: &Trace,
    device: &DeviceTimeline,
    ends: &GapEnds,
    blocking: &IntervalSet,
    event_waits: &EventWaits,
) -> Option<Vec<QueuedGap>> {
    if !ends.knows_launches {
        return None;
    }
    let queued = device.gaps.iter().zip(&ends.calls).filter_map(|(gap, launch)| {
        let call = launch.call()?;
        let returned = trace.host_calls[call].interval.end();
        let pending = Interval::new(gap.start().max(returned), gap.end())?;
        (pending.duration() > QUEUED_FLOOR).then(|| QueuedGap {
            pending,
            call,
            behind_event_wait: event_waits.may_precede(call),
            host_blocked: blocking.clip(pending).total(),
        })
    });
    Some(queued.collect())
}
