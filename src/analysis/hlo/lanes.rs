//! Lanes: the slots of a schedule whose kernels run one after another. Collectives have a lane of their own, since they run beside
//! the compute kernels and start when their peers do.

use super::families::Emitter;
use super::schedule::{Schedule, Slot};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The slots of one lane with the counts that windows ask for.
#[derive(Debug, Default)]
pub(super) struct Lane {
    /// Indices of `Schedule::slots`, in order.
    pub(super) slots: Vec<u32>,
    /// Kernels that the slots before each position must launch.
    required_before: Vec<u32>,
    /// Parts before each position that are not known in advance.
    unknown_before: Vec<u32>,
    by_base: FxHashMap<u32, Vec<u32>>,
    by_class: FxHashMap<u32, Vec<u32>>,
    by_stem: FxHashMap<u32, Vec<u32>>,
}

/// The two lanes of a schedule.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    pub(super) compute: Lane,
    pub(super) collective: Lane,
    /// The position of each slot in its lane.
    pub(super) position: Vec<u32>,
}

/// True for a slot of the collective lane.
pub(super) fn is_collective(slot: &Slot) -> bool {
    slot.emits.emitter == Emitter::Collective
}

impl Lanes {
    pub(super) fn of(schedule: &Schedule) -> Self {
        let mut lanes = Self::default();
        for (at, slot) in (0_u32..).zip(&schedule.slots) {
            let lane = if is_collective(slot) { &mut lanes.collective } else { &mut lanes.compute };
            lanes.position.push(lane.push(at, slot));
        }
        lanes.compute.close();
        lanes.collective.close();
        lanes
    }
}

impl Lane {
    fn push(&mut self, at: u32, slot: &Slot) -> u32 {
        self.close();
        let position = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        let last = self.slots.len();
        self.required_before.push(self.required_before[last] + slot.emits.min);
        let unknown = u32::from(slot.emits.emitter == Emitter::Unknown);
        self.unknown_before.push(self.unknown_before[last] + unknown);
        self.by_base.entry(slot.base).or_default().push(position);
        self.by_class.entry(slot.class).or_default().push(position);
        self.by_stem.entry(slot.stem).or_default().push(position);
        self.slots.push(at);
        position
    }

    /// The counts have one entry more than there are slots.
    fn close(&mut self) {
        if self.required_before.is_empty() {
            self.required_before.push(0);
            self.unknown_before.push(0);
        }
    }

    /// Kernels that the slots of a range must launch at least.
    pub(super) fn n_required(&self, range: &Range<usize>) -> usize {
        (self.required_before[range.end] - self.required_before[range.start]) as usize
    }

    /// True where a part of a range is not known in advance.
    pub(super) fn is_unknown(&self, range: &Range<usize>) -> bool {
        self.unknown_before[range.end] > self.unknown_before[range.start]
    }

    /// Positions of a range whose slots have this function name.
    pub(super) fn with_base(&self, base: u32, range: &Range<usize>) -> &[u32] {
        within(self.by_base.get(&base), range)
    }

    /// Positions of a range whose slots are of this class.
    pub(super) fn with_class(&self, class: u32, range: &Range<usize>) -> &[u32] {
        within(self.by_class.get(&class), range)
    }

    /// Positions of a range whose slots have this stem.
    pub(super) fn with_stem(&self, stem: u32, range: &Range<usize>) -> &[u32] {
        within(self.by_stem.get(&stem), range)
    }
}

fn within<'a>(positions: Option<&'a Vec<u32>>, range: &Range<usize>) -> &'a [u32] {
    let positions = positions.map_or(&[][..], Vec::as_slice);
    let from = positions.partition_point(|&one| (one as usize) < range.start);
    let to = positions.partition_point(|&one| (one as usize) < range.end);
    &positions[from..to]
}
