//! What a rank's host and device show beside its collectives: by that a rank that the others wait for may differ from them.

use crate::report::{CaptureReport, ClaimState, RankHostTime, RankRecord};
use std::collections::BTreeMap;

/// One rank's host and device. Times are picoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankHost {
    /// When its first device work starts, on the axis of the first rank's file.
    pub first_work: Option<i128>,
    /// When its first host record starts, likewise.
    pub first_host: Option<i128>,
    /// When its last device work ends, likewise.
    pub last_work: Option<i128>,
    /// The host's own time by kind and name of event; absent where its capture does not support what is said of idle and its causes.
    pub own_times: Option<BTreeMap<(&'static str, String), i128>>,
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
        host(capture, record, offset)
    };
    ranks.iter().enumerate().map(of_rank).collect()
}

fn host(capture: &CaptureReport, record: &RankRecord, offset: i128) -> RankHost {
    let path = capture.critical_path.as_ref().map(|path| path.window_us);
    let mut found = RankHost {
        path_window: path.map(|(start, end)| (start.ps(), end.ps())),
        ..RankHost::default()
    };
    let Some(records) = &capture.records else { return found };
    let windows = || records.devices.iter().map(|device| device.window_us);
    found.first_work = windows().map(|(start, _)| start.ps() + offset).min();
    found.last_work = windows().map(|(_, end)| end.ps() + offset).max();
    found.first_host = records.host_window_us.map(|(start, _)| start.ps() + offset);
    if capture.claims.idle.state == ClaimState::Supported {
        let time = |one: &RankHostTime| ((one.kind, one.name.clone()), one.time_ps);
        found.own_times = Some(record.host_times.iter().map(time).collect());
    }
    found
}
