//! The ends of gaps: which call launched the work that ends each.

use super::super::launches::{Launch, Launches};
use super::super::timeline::{DeviceTimeline, Timeline};
use crate::trace::{DeviceId, Trace};
use rustc_hash::FxHashMap;

/// The ends of one device's gaps.
pub(super) struct GapEnds {
    /// True where the launch of any record of the device is known.
    pub(super) knows_launches: bool,
    /// For each gap, in order of time, the call that launched the work which ends it, by index: of several, the one that returned
    /// first.
    pub(super) calls: Vec<Launch>,
}

/// Finds the call behind the end of every gap, for the devices of a timeline in its order.
pub(super) fn gap_ends(trace: &Trace, timeline: &Timeline, launches: &Launches) -> Vec<GapEnds> {
    let unknown = |device: &DeviceTimeline| GapEnds {
        knows_launches: false,
        calls: vec![Launch::UNKNOWN; device.gaps.len()],
    };
    let mut found: Vec<GapEnds> = timeline.devices.iter().map(unknown).collect();
    let place = timeline.devices.iter().enumerate().map(|(at, device)| (device.device, at));
    let place: FxHashMap<DeviceId, usize> = place.collect();
    let returned = |call: usize| trace.host_calls[call].interval.end();
    for (event, &launch) in trace.device_events.iter().zip(&launches.of_event) {
        let Some(call) = launch.call() else { continue };
        let Some(&at) = place.get(&trace.stream(event.stream).device) else { continue };
        found[at].knows_launches = true;
        if let Some(gap) = timeline.devices[at].gaps.index_ending_at(event.interval.start()) {
            let known = &mut found[at].calls[gap];
            let first = |known: usize| (returned(known), known) <= (returned(call), call);
            if !known.call().is_some_and(first) {
                *known = launch;
            }
        }
    }
    found
}
