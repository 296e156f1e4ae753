//! Queued idle that speaks for missing records: which gaps no honest cause explains.

use super::{DeviceWaits, QueuedGap};
use crate::units::Picoseconds;

/// From this many gaps on, queued idle is no longer one slow first launch.
const REPEATED: usize = 3;

/// A single gap counts from here: it is longer than any first-use delay behind the return of a launch call; 1.1 ms was measured.
const SINGLE_GAP_FLOOR: Picoseconds = Picoseconds::from_us(2_000);

/// A gap counts behind an event wait as well where it is longer than this and the host itself spent nine tenths of it waiting.
const BLOCKED_FLOOR: Picoseconds = Picoseconds::from_us(10_000);
const BLOCKED_TENTHS: i64 = 9;

impl DeviceWaits {
    /// The gaps that count; `None` where no launch is known.
    ///
    /// An event wait explains a gap unless the host was blocked on the device throughout: on one device the awaited work would
    /// have kept it busy.
    pub fn unexplained_gaps(&self) -> Option<Vec<QueuedGap>> {
        let blocked = |gap: &QueuedGap| {
            let length = gap.pending.duration();
            length > BLOCKED_FLOOR && gap.host_blocked.ps() / BLOCKED_TENTHS >= length.ps() / 10
        };
        let gaps = self.queued.as_ref()?.iter();
        let unexplained: Vec<QueuedGap> =
            gaps.filter(|gap| !gap.behind_event_wait || blocked(gap)).copied().collect();
        if unexplained.len() >= REPEATED {
            return Some(unexplained);
        }
        let is_long = |gap: &QueuedGap| gap.pending.duration() > SINGLE_GAP_FLOOR;
        Some(unexplained.into_iter().filter(is_long).collect())
    }

    /// Queued idle behind a wait for an event: the wait explains it.
    pub fn behind_event_waits(&self) -> Picoseconds {
        let gaps = self.queued.iter().flatten().filter(|gap| gap.behind_event_wait);
        gaps.map(|gap| gap.pending.duration()).sum()
    }
}
