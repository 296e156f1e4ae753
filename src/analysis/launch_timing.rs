//! Launch timing: how long launches take to become running kernels, as the SKIP paper measures it (arXiv 2504.11750).
//!
//! A launch counts once, with its first kernel: a graph replay charged for each of its kernels would outweigh all others.
//! One capture shows no inflection over batch sizes, so these figures tell launch-bound from compute-bound only roughly.

use super::launches::Launches;
use crate::trace::{DeviceEventKind, Trace};
use crate::units::{Picoseconds, rounded};

/// Below this many launches into an empty queue the floor is not stated: one capture has 109 of them, another one.
const FLOOR_LAUNCHES_MIN: usize = 20;

/// How long launches take, and kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchTiming {
    /// Launch calls with a kernel that starts after the call does.
    pub n_launches: u64,
    /// From the start of the call to the start of its first kernel: the call itself, the driver and the queue.
    pub latency: Quantiles,
    /// All of it: SKIP's TKLQT. It weighs the depth of the queue and adds up to no wall time.
    pub latency_sum: Picoseconds,
    /// Launches when the stream had nothing left to run.
    pub n_into_empty_queue: u64,
    /// The 5th percentile of their latency: what a launch costs at least. Absent below twenty of them.
    pub floor: Option<Picoseconds>,
    /// The mean duration of kernels: SKIP's AKD.
    pub kernel_mean: Picoseconds,
    /// The median.
    pub kernel_median: Picoseconds,
}

/// The place of some times, each one of them: of an even number, the lower middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantiles {
    /// 5th percentile.
    pub p5: Picoseconds,
    /// Median.
    pub median: Picoseconds,
    /// Largest.
    pub max: Picoseconds,
}

impl Quantiles {
    fn of(mut times: Vec<Picoseconds>) -> Option<Self> {
        times.sort_unstable();
        let max = *times.last()?;
        let p5 = times[(times.len() * 5).div_ceil(100) - 1];
        Some(Self { p5, median: times[(times.len() - 1) / 2], max })
    }
}

/// Measures the launches of a trace; `None` where no kernel follows a launch that is known.
pub(super) fn launch_timing(trace: &Trace, launches: &Launches) -> Option<LaunchTiming> {
    let first = first_kernels(trace, launches);
    let latency = |call: usize| {
        let kernel = &trace.device_events[first[call]? as usize];
        let latency = kernel.interval.start() - trace.host_calls[call].interval.start();
        // What starts before its launch has another clock or another call; a check of its own says so.
        (!latency.is_negative()).then_some(latency)
    };
    let latencies: Vec<Picoseconds> = (0..trace.host_calls.len()).filter_map(latency).collect();
    let into_empty = into_empty_queue(trace, launches, &first);
    let floor: Vec<Picoseconds> = into_empty.into_iter().filter_map(latency).collect();
    let kernels = trace.device_events.iter().filter(|event| is_launched(event.kind));
    let kernels: Vec<Picoseconds> = kernels.map(|event| event.interval.duration()).collect();
    Some(LaunchTiming {
        n_launches: latencies.len() as u64,
        latency_sum: latencies.iter().copied().sum(),
        latency: Quantiles::of(latencies)?,
        n_into_empty_queue: floor.len() as u64,
        floor: if floor.len() < FLOOR_LAUNCHES_MIN {
            None
        } else {
            Quantiles::of(floor).map(|of| of.p5)
        },
        kernel_mean: mean(&kernels)?,
        kernel_median: Quantiles::of(kernels)?.median,
    })
}

/// Kernels that a program launches: those with which the runtime copies and fills belong to calls that copy and fill.
fn is_launched(kind: DeviceEventKind) -> bool {
    kind.is_kernel() && !kind.copies_or_fills()
}

/// The kernel of each work-giving call that starts first, by index of the device event.
fn first_kernels(trace: &Trace, launches: &Launches) -> Vec<Option<u32>> {
    let mut first: Vec<Option<u32>> = vec![None; trace.host_calls.len()];
    for ((index, event), launch) in (0_u32..).zip(&trace.device_events).zip(&launches.of_event) {
        let Some(call) = launch.call().filter(|_| is_launched(event.kind)) else { continue };
        if !trace.host_calls[call].kind.hands_over_work() {
            continue;
        }
        let known = first[call].map(|known| trace.device_events[known as usize].interval.start());
        if known.is_none_or(|known| event.interval.start() < known) {
            first[call] = Some(index);
        }
    }
    first
}

/// The calls whose first kernel found its stream empty: all that ran there before had ended when the call began.
fn into_empty_queue(trace: &Trace, launches: &Launches, first: &[Option<u32>]) -> Vec<usize> {
    let mut order: Vec<u32> = (0_u32..).take(trace.device_events.len()).collect();
    let event = |index: u32| &trace.device_events[index as usize];
    order.sort_by_key(|&index| (event(index).stream, event(index).interval.start(), index));
    let mut calls = Vec::new();
    for stream in order.chunk_by(|&a, &b| event(a).stream == event(b).stream) {
        let mut busy_until: Option<Picoseconds> = None;
        for &index in stream {
            let call = launches.of_event[index as usize].call();
            if let Some(call) = call.filter(|&call| first[call] == Some(index)) {
                let began = trace.host_calls[call].interval.start();
                calls.extend(busy_until.is_none_or(|until| until <= began).then_some(call));
            }
            let end = event(index).interval.end();
            busy_until = Some(busy_until.map_or(end, |until| until.max(end)));
        }
    }
    calls
}

fn mean(times: &[Picoseconds]) -> Option<Picoseconds> {
    let sum: u128 = times.iter().map(|time| u128::from(time.ps().unsigned_abs())).sum();
    let mean = rounded(sum, u128::try_from(times.len()).ok().filter(|&n| n > 0)?);
    i64::try_from(mean).ok().map(Picoseconds::new)
}
