//! What a trace holds, told by content and never by a file's name.

use super::{HostCallKind, IntervalSet, Trace};

/// What a trace holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A workload: device work, or at least calls that should have caused some.
    Workload,
    /// The building of graphs: most launch calls lie inside stream capture, where they record a node and run nothing.
    CaptureShard,
    /// Host activity that handed nothing to a device.
    HostOnly,
}

/// Classifies a trace.
///
/// A graph-capture shard is told by its launch calls: more than half of them lie between the begin and the end of
/// a stream capture, where a launch leaves no device record by design. A workload that captures its graphs in the same
/// session replays them too, or runs more than it captures; a shard does neither for the most part. A file whose
/// launch calls were not recorded at all is a shard where it begins a stream capture and holds no device work.
pub fn content(trace: &Trace) -> Content {
    let launches = trace.host_calls.iter().filter(|call| call.kind == HostCallKind::Launch);
    let windows = stream_capture_windows(trace);
    let (mut inside, mut all) = (0_u64, 0_u64);
    for call in launches {
        all += 1;
        inside += u64::from(windows.contains(call.interval.start()));
    }
    let only_captures = all == 0 && !windows.is_empty() && trace.device_events.is_empty();
    if only_captures || inside * 2 > all {
        return Content::CaptureShard;
    }
    // A tracer that lost both halves of every pair leaves the executions, on a host that has devices.
    let executed = !trace.executions.is_empty() && !trace.profiler.device_properties.is_empty();
    let handed_over = executed || trace.host_calls.iter().any(|call| call.kind.hands_over_work());
    if trace.device_events.is_empty() && !handed_over && trace.profiler.counter_ranges == 0 {
        // Without any launch, a stream capture that was begun still tells what was recorded.
        return if windows.is_empty() { Content::HostOnly } else { Content::CaptureShard };
    }
    Content::Workload
}

/// The spans between the begin and the end of stream captures, over all threads.
/// A begin without an end reaches to the last host call, but only where no device work starts after it: otherwise work
/// ran that was not being captured. An end without a begin is ignored.
pub fn stream_capture_windows(trace: &Trace) -> IntervalSet {
    let mut marks: Vec<_> = trace
        .host_calls
        .iter()
        .filter(|call| matches!(call.kind, HostCallKind::CaptureBegin | HostCallKind::CaptureEnd))
        .collect();
    marks.sort_by_key(|call| call.interval.start());
    let mut windows = Vec::new();
    let mut open = Vec::new();
    for mark in marks {
        match mark.kind {
            HostCallKind::CaptureBegin => open.push(mark.interval),
            _ => windows.extend(open.pop().map(|begin| begin.hull(mark.interval))),
        }
    }
    let last =
        trace.host_calls.iter().map(|call| call.interval).reduce(crate::units::Interval::hull);
    let last_work = trace.device_events.iter().map(|event| event.interval.start()).max();
    open.retain(|begin| last_work.is_none_or(|work| work < begin.start()));
    windows.extend(open.into_iter().filter_map(|begin| Some(begin.hull(last?))));
    IntervalSet::from_intervals(windows)
}
