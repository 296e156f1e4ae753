//! The host's own time in each of its events, whether the device ran meanwhile or not: by that ranks can be compared. Idle under an
//! event cannot tell them apart, as the device of a rank that waits in a collective is not idle.

use super::records::by_thread;
use super::rows::{NO_EVENT, Rows};
use super::{HostActivity, HostEvent, SameThread, handing_over, innermost};
use crate::analysis::launches::Launches;
use crate::trace::{HostCallKind, Trace};
use crate::units::{Interval, Picoseconds};
use std::collections::BTreeMap;

/// How long each event was the innermost on a thread that launched work, until the last device work ends, in picoseconds. Calls that
/// wait for the device, or may, count as nothing: they tell of the device, and on a rank that waits for others of those.
pub(in crate::analysis) fn own_times<'t>(
    trace: &'t Trace,
    launches: &Launches,
) -> BTreeMap<(HostActivity, &'t str), i128> {
    let mut found = BTreeMap::new();
    let threads = SameThread::of(trace, launches);
    let mut is_wanted = vec![false; trace.threads.len()];
    for call in launches.of_event.iter().filter_map(|&launch| handing_over(trace, launch)) {
        is_wanted[threads.of_call(trace, call).index()] = true;
    }
    let Some(ends) = trace.device_events.iter().map(|event| event.interval.end()).max() else {
        return found;
    };
    let mut rows = Rows::default();
    let mut sums: Vec<Picoseconds> = Vec::new();
    for records in by_thread(trace, &threads, &is_wanted) {
        let events = records.into_iter().map(|record| {
            let event = record.event(trace, &mut rows);
            let waits = record.call(trace).is_some_and(|call| may_wait(launches.kinds[call]));
            if waits { HostEvent { row: NO_EVENT, ..event } } else { event }
        });
        for segment in innermost(events).filter(|segment| segment.row != NO_EVENT) {
            let until = segment.interval.end().min(ends);
            let Some(part) = Interval::new(segment.interval.start(), until) else { continue };
            let row = segment.row as usize;
            if sums.len() <= row {
                sums.resize(row + 1, Picoseconds::ZERO);
            }
            sums[row] += part.duration();
        }
    }
    for (row, time) in (0_u32..).zip(sums).filter(|(_, time)| *time > Picoseconds::ZERO) {
        *found.entry(rows.get(row)).or_default() += i128::from(time.ps());
    }
    found
}

/// True for calls that return when the device has come so far. A copy to memory that is not pinned does, whatever its call says.
const fn may_wait(kind: HostCallKind) -> bool {
    matches!(kind, HostCallKind::Sync | HostCallKind::DeviceSync) || kind.copies_or_fills()
}
