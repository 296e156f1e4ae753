//! What a rank's host and device show beside its collectives: by that a rank that the others wait for may differ from them.

use crate::report::{CaptureReport, ClaimState, DeviceRecords, RankRecord};
use std::collections::BTreeMap;

/// One rank's host and device. Times are picoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankHost {
    /// When its first device work starts, on the axis of the first rank's file.
    pub first_work: Option<i128>,
    /// When its first host record starts, likewise.
    pub first_host: Option<i128>,
    /// Idle of its devices; absent where its capture does not support that.
    pub idle: Option<i128>,
    /// That idle by host event: kind and name.
    pub events: BTreeMap<(String, String), i128>,
    /// The window of its critical path, on the axis of its own file.
    pub path_window: Option<(i128, i128)>,
}

/// The hosts of a run's ranks.
pub(super) fn hosts(
    ranks: &[(&CaptureReport, &RankRecord)],
    offsets: &[i128],
    base: i128,
) -> Vec<RankHost> {
    let of_rank = |(at, (capture, record)): (usize, &(&CaptureReport, &RankRecord))| {
        let offset = offsets.get(at).copied().unwrap_or(0) + record.base_ps - base;
        host(capture, offset)
    };
    ranks.iter().enumerate().map(of_rank).collect()
}

fn host(capture: &CaptureReport, offset: i128) -> RankHost {
    let path = capture.critical_path.as_ref().map(|path| path.window_us);
    let mut found = RankHost {
        path_window: path.map(|(start, end)| (start.ps(), end.ps())),
        ..RankHost::default()
    };
    let Some(records) = &capture.records else { return found };
    let starts = records.devices.iter().map(|device| device.window_us.0.ps() + offset);
    found.first_work = starts.min();
    found.first_host = records.host_window_us.map(|(start, _)| start.ps() + offset);
    if capture.claims.idle.state != ClaimState::Supported || records.devices.is_empty() {
        return found;
    }
    found.idle =
        Some(records.devices.iter().map(|device: &DeviceRecords| device.idle_us.ps()).sum());
    for row in records.devices.iter().flat_map(|device| &device.idle_host_events) {
        *found.events.entry((row.kind.clone(), row.name.clone())).or_default() += row.time_us.ps();
    }
    found
}
