//! Two published rules for graph captures, as they are stated, to be held beside ours.

use super::capture::{Capture, correlation, is_graph_launch, is_kernel, name};
use idleproof::report::CaptureReport;
use std::collections::HashSet;

/// Idle above this, together with any graph launch, is called unreliable.
const IDLE_PERCENT: f64 = 80.0;

/// Idle above a threshold and any graph launch.
pub(crate) fn idle_and_graphs(capture: &Capture, report: &CaptureReport) -> bool {
    let replays =
        capture.events.iter().any(|event| event["cat"] == "cuda_runtime" && is_graph_launch(event));
    let devices = report.records.iter().flat_map(|records| &records.devices);
    let mut idle = devices.filter_map(|device| device.idle_pct);
    replays && idle.any(|idle| idle.get() > IDLE_PERCENT)
}

/// Of two graph launches or more, at least one has kernels and less than half have.
pub(crate) fn half_covered(capture: &Capture) -> bool {
    let launches = capture
        .events
        .iter()
        .filter(|event| event["cat"] == "cuda_runtime" && name(event).contains("GraphLaunch"));
    // A launch with an External id makes its kernels count as an operator's, and no longer as a graph's.
    let launches: Vec<(u64, bool)> = launches
        .filter_map(|event| Some((correlation(event)?, event["args"]["External id"].is_null())))
        .collect();
    let ids: HashSet<u64> = launches.iter().map(|(id, _)| *id).collect();
    let kernels = || capture.work().filter(|event| is_kernel(event)).filter_map(correlation);
    let with_kernels: HashSet<u64> = kernels().filter(|id| ids.contains(id)).collect();
    let any_graph_kernel = launches.iter().any(|(id, plain)| *plain && with_kernels.contains(id));
    ids.len() >= 2 && any_graph_kernel && with_kernels.len() * 2 < ids.len()
}
