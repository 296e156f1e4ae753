//! The recorded idle of a device by what explains it.

use crate::analysis::latency::DISPATCH_GAP;
use crate::analysis::timeline::DeviceTimeline;
use crate::analysis::waits::{DeviceWaits, QueuedGap};
use crate::trace::{IntervalSet, common, outside, time_of};
use crate::units::{Interval, Picoseconds};

/// The recorded idle by what explains it; each part of a gap is in the first class that it fits. The classes add up to the idle.
///
/// Of the last three, which may have a part in every gap, the times are kept: [`Self::within`] tells them apart again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GapClasses {
    /// Unrecorded work could have run.
    pub suspect: IntervalSet,
    /// The next work had been launched, and no honest cause explains what it waited for.
    pub queued: IntervalSet,
    /// The next work had been launched, and waited for an event of another stream, or rarely and for a moment.
    pub pending: IntervalSet,
    /// When the host waited for the device inside a call, whatever ran meanwhile: calls are fewer than the gaps in them.
    pub waiting: IntervalSet,
    /// The part of the gaps in it.
    pub host_waits: Picoseconds,
    /// What is left of gaps of at most 20 µs: the device's own latency.
    pub dispatch: Picoseconds,
    /// The rest: nothing was there to run.
    pub host_starved: Picoseconds,
}

impl GapClasses {
    /// The names in reports, in order.
    const NAMES: [&str; 6] =
        ["suspect", "queued", "pending", "host-waits", "dispatch", "host-starved"];

    /// Sorts every part of the gaps of a device into the first class that it fits.
    pub(super) fn of(device: &DeviceTimeline, waits: &DeviceWaits, suspect: &IntervalSet) -> Self {
        let spans =
            |gaps: &[QueuedGap]| IntervalSet::from_intervals(gaps.iter().map(|gap| gap.pending));
        let queued = spans(&waits.unexplained_gaps().unwrap_or_default());
        let pending = spans(waits.queued.as_deref().unwrap_or_default());
        let mut explained = IntervalSet::default();
        let mut take = |part: &IntervalSet| {
            let taken: IntervalSet =
                outside(part.intersection(&device.gaps).iter(), explained.iter()).collect();
            explained = explained.union(&taken);
            taken
        };
        let classes = Self {
            suspect: take(suspect),
            queued: take(&queued),
            pending: take(&pending),
            waiting: waits.blocking.difference(&waits.staged),
            ..Self::default()
        };
        let rest = || classes.unexplained(device.gaps.iter());
        let dispatch = time_of(common(rest(), short(&device.gaps)));
        let host_starved = time_of(rest()) - dispatch;
        let host_waits = device.gaps.total() - explained.total() - time_of(rest());
        Self { host_waits, dispatch, host_starved, ..classes }
    }

    /// The time of each class, in order, with its name in reports.
    pub fn times(&self) -> [(&'static str, Picoseconds); 6] {
        let [suspect, queued, pending] =
            [&self.suspect, &self.queued, &self.pending].map(IntervalSet::total);
        let times = [suspect, queued, pending, self.host_waits, self.dispatch, self.host_starved];
        std::array::from_fn(|at| (Self::NAMES[at], times[at]))
    }

    /// What of each class lies in a window, in order, with its name in reports.
    pub fn within(
        &self,
        device: &DeviceTimeline,
        window: Interval,
    ) -> [(&'static str, IntervalSet); 6] {
        let [suspect, queued, pending] =
            [&self.suspect, &self.queued, &self.pending].map(|set| set.clip(window));
        let gaps = device.gaps.meeting(window);
        let no_launch = common(self.without_launch(gaps.iter()), [window]);
        let host_waits: IntervalSet = common(no_launch, self.waiting.iter()).collect();
        let rest: IntervalSet = common(self.unexplained(gaps.iter()), [window]).collect();
        let dispatch: IntervalSet = common(rest.iter(), short(&gaps)).collect();
        let host_starved = rest.difference(&dispatch);
        let sets = [suspect, queued, pending, host_waits, dispatch, host_starved];
        let mut sets = Self::NAMES.into_iter().zip(sets);
        std::array::from_fn(|_| sets.next().unwrap_or_default())
    }

    /// What of some gaps is the device's own latency, or had nothing to run.
    pub(super) fn unexplained(
        &self,
        gaps: impl Iterator<Item = Interval>,
    ) -> impl Iterator<Item = Interval> {
        outside(self.without_launch(gaps), self.waiting.iter())
    }

    /// What of some gaps neither unrecorded work nor launched work explains.
    fn without_launch(
        &self,
        gaps: impl Iterator<Item = Interval>,
    ) -> impl Iterator<Item = Interval> {
        outside(
            outside(outside(gaps, self.suspect.iter()), self.queued.iter()),
            self.pending.iter(),
        )
    }
}

/// Gaps that may be the device's own latency.
fn short(gaps: &IntervalSet) -> impl Iterator<Item = Interval> + '_ {
    gaps.iter().filter(|gap| gap.duration() <= DISPATCH_GAP)
}
