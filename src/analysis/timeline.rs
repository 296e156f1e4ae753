//! Time budgets: per stream and per device, each adding up exactly to its span.
//!
//! A device is busy in the union of the work of all its streams; devices are never united.

use crate::trace::{
    DeviceEvent, DeviceEventKind, DeviceId, IntervalSet, StreamId, Trace, outside, time_of,
};
use crate::units::{Interval, Picoseconds, Ratio};
use std::collections::BTreeMap;

/// The budgets of every device that recorded work.
#[derive(Debug, Default)]
pub struct Timeline {
    /// Devices in the order of the trace; a device without work is left out.
    pub devices: Vec<DeviceTimeline>,
}

/// The time budget of one device.
#[derive(Debug)]
pub struct DeviceTimeline {
    /// The device.
    pub device: DeviceId,
    /// First start of its work to last end.
    pub window: Interval,
    /// When no stream ran anything.
    pub gaps: IntervalSet,
    /// Union of compute kernels.
    pub compute: Picoseconds,
    /// Union of collective kernels.
    pub collective: Picoseconds,
    /// Union of copies and fills, by kernel or not.
    pub memcpy: Picoseconds,
    /// Collectives while no compute ran.
    pub exposed_collective: Picoseconds,
    /// Copies and fills while neither compute nor a collective ran.
    pub exposed_memcpy: Picoseconds,
    /// Kernels: collectives included, and copies and fills by kernel.
    pub n_kernels: u64,
    /// Those of them with which the runtime copies or fills.
    pub n_copies_by_kernel: u64,
    /// Plain sum of kernel durations.
    pub kernel_sum: Picoseconds,
    /// Work of every kind.
    pub n_events: u64,
    /// Its streams, in the order of the trace.
    pub streams: Vec<StreamTimeline>,
}

/// The time budget of one stream.
#[derive(Debug)]
pub struct StreamTimeline {
    /// The stream.
    pub stream: StreamId,
    /// First start to last end.
    pub span: Interval,
    /// Compute.
    pub compute: Picoseconds,
    /// Collectives outside compute.
    pub collective: Picoseconds,
    /// Copies and fills outside both.
    pub memcpy: Picoseconds,
    /// The rest of the span.
    pub idle: Picoseconds,
    /// Work of every kind.
    pub n_events: u64,
}

impl DeviceTimeline {
    /// When any stream ran anything.
    pub fn busy(&self) -> impl Iterator<Item = Interval> + '_ {
        self.gaps.complement(self.window)
    }

    /// When no stream ran anything in a span, which may reach beyond the window.
    pub fn idle_in(&self, span: Interval) -> IntervalSet {
        outside([span], [self.window]).collect::<IntervalSet>().union(&self.gaps.clip(span))
    }

    /// How long any stream ran anything.
    pub fn busy_time(&self) -> Picoseconds {
        self.window.duration() - self.gaps.total()
    }

    /// Idle as a part of the window; `None` where the window has no length.
    pub fn idle_ratio(&self) -> Option<Ratio> {
        self.gaps.total().share_of(self.window.duration())
    }

    /// What the exposed sums and idle miss of the window, or exceed it by: zero unless this program is wrong.
    pub fn budget_error(&self) -> Picoseconds {
        let sum = self.compute + self.exposed_collective + self.exposed_memcpy + self.gaps.total();
        sum - self.window.duration()
    }
}

impl StreamTimeline {
    /// What the parts miss of the span, or exceed it by: zero unless this program is wrong.
    pub fn budget_error(&self) -> Picoseconds {
        self.compute + self.collective + self.memcpy + self.idle - self.span.duration()
    }
}

/// Computes the budgets of a trace.
pub(super) fn timeline(trace: &Trace) -> Timeline {
    let by_stream = events_by_stream(trace);
    let mut by_device: BTreeMap<DeviceId, Vec<&(StreamId, Vec<&DeviceEvent>)>> = BTreeMap::new();
    for entry in &by_stream {
        by_device.entry(trace.stream(entry.0).device).or_default().push(entry);
    }
    let devices =
        by_device.iter().filter_map(|(device, streams)| device_timeline(*device, streams));
    Timeline { devices: devices.collect() }
}

/// Device events by stream, in the order of the trace's streams; streams without events are left out.
pub(super) fn events_by_stream(trace: &Trace) -> Vec<(StreamId, Vec<&DeviceEvent>)> {
    let mut by_stream: Vec<Option<(StreamId, Vec<&DeviceEvent>)>> = Vec::new();
    by_stream.resize_with(trace.streams.len(), || None);
    for event in &trace.device_events {
        let slot = &mut by_stream[event.stream.index()];
        slot.get_or_insert_with(|| (event.stream, Vec::new())).1.push(event);
    }
    by_stream.into_iter().flatten().collect()
}

fn device_timeline(
    device: DeviceId,
    streams: &[&(StreamId, Vec<&DeviceEvent>)],
) -> Option<DeviceTimeline> {
    let events = || streams.iter().flat_map(|(_, events)| events.iter().copied());
    let window = events().map(|event| event.interval).reduce(Interval::hull)?;
    let (mut of_streams, mut all) = (Vec::new(), Vec::new());
    for (stream, events) in streams {
        let unions = Unions::of(events);
        of_streams.extend(stream_timeline(*stream, events, &unions));
        all.push(unions);
    }
    let mut all_of = |part: fn(&mut Unions) -> &mut IntervalSet| {
        IntervalSet::union_of(all.iter_mut().map(|one| std::mem::take(part(one))).collect())
    };
    let (compute, collective, memcpy) = (
        all_of(|one| &mut one.compute),
        all_of(|one| &mut one.collective),
        all_of(|one| &mut one.memcpy),
    );
    let kernels = || events().filter(|event| event.kind.is_kernel());
    Some(DeviceTimeline {
        device,
        window,
        compute: compute.total(),
        collective: collective.total(),
        memcpy: memcpy.total(),
        exposed_collective: time_of(outside(collective.iter(), compute.iter())),
        exposed_memcpy: time_of(outside(outside(memcpy.iter(), compute.iter()), collective.iter())),
        gaps: IntervalSet::outside_all([&compute, &collective, &memcpy], window),
        n_kernels: kernels().count() as u64,
        n_copies_by_kernel: kernels().filter(|one| one.kind.by_kernel().is_some()).count() as u64,
        kernel_sum: kernels().map(|event| event.interval.duration()).sum(),
        n_events: events().count() as u64,
        streams: of_streams,
    })
}

/// Where work of one stream overlaps, compute goes before collectives, and those before copies.
fn stream_timeline(
    stream: StreamId,
    events: &[&DeviceEvent],
    unions: &Unions,
) -> Option<StreamTimeline> {
    let span = events.iter().map(|event| event.interval).reduce(Interval::hull)?;
    let Unions { compute, collective, memcpy } = unions;
    Some(StreamTimeline {
        stream,
        span,
        compute: compute.total(),
        collective: time_of(outside(collective.iter(), compute.iter())),
        memcpy: time_of(outside(outside(memcpy.iter(), compute.iter()), collective.iter())),
        idle: span.duration() - IntervalSet::total_of([compute, collective, memcpy]),
        n_events: events.len() as u64,
    })
}

/// The union of each category of work.
struct Unions {
    compute: IntervalSet,
    collective: IntervalSet,
    memcpy: IntervalSet,
}

impl Unions {
    fn of(events: &[&DeviceEvent]) -> Self {
        let of = |wanted: fn(DeviceEventKind) -> bool| {
            IntervalSet::from_intervals(
                events.iter().filter(|event| wanted(event.kind)).map(|event| event.interval),
            )
        };
        Self {
            compute: of(|kind| kind == DeviceEventKind::Kernel),
            collective: of(|kind| kind == DeviceEventKind::Collective),
            memcpy: of(DeviceEventKind::copies_or_fills),
        }
    }
}
