//! Windows: between two kernels of one execution whose slots are certain lie the slots and the kernels that are open.

use super::align::Budget;
use super::families::KernelFamily;
use super::lanes::{Lane, Lanes, is_collective};
use super::looks::{Look, Tagged};
use super::match_window::{Window, match_by_name, match_window};
use super::programs::Prepared;
use std::ops::Range;

/// A device record of an execution, as far as matching needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel {
    pub(super) look: Look,
    pub(super) tagged: Tagged,
}

/// What was found out about a kernel that the tracer did not label, or about the iteration of one that it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) found: Found,
    /// Slots of its window.
    pub(super) n_window: u32,
}

impl Answer {
    /// No slot.
    pub(super) const NONE: Self =
        Self { found: Found::Nothing(Unattributed::NoCandidate, 0), n_window: 0 };
}

/// The slot of a kernel and how it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It is the only kernel of its name in the window, and the slot the only one of that name.
    Name(u32),
    /// The order of the schedule leaves only this slot.
    Order(u32),
    /// None; so many slots are possible.
    Nothing(Unattributed, u32),
}

/// Why a kernel is not attributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unattributed {
    /// No record tells which program launched it.
    NoProgram,
    /// Several programs of one name are possible.
    AmbiguousProgram,
    /// The capture lacks the program's HLO.
    HloMissing,
    /// It could not be told which execution of the program it belongs to.
    NoExecution,
    /// Kernels of its window are missing, so the rest cannot be matched in order.
    Incomplete,
    /// More kernels of a name were recorded than the window can launch.
    Surplus,
    /// The kernels of its window did not run in the order of the schedule.
    OutOfOrder,
    /// The window holds a loop of unknown length or a branch.
    UnknownPart,
    /// The program states no order of execution.
    NoSchedule,
    /// The window is too large to be matched.
    TooLarge,
    /// No open slot of its window can have launched it.
    NoCandidate,
    /// Several slots can have launched it.
    Ambiguous,
}

impl Unattributed {
    /// The reason in words.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NoProgram => "no record tells the program",
            Self::AmbiguousProgram => "several programs of one name are possible",
            Self::HloMissing => "the capture lacks the program's HLO",
            Self::NoExecution => "its execution of the program is unknown",
            Self::Incomplete => "kernels of its execution are missing",
            Self::Surplus => "more kernels were recorded than the schedule launches",
            Self::OutOfOrder => "its execution did not run in the order of the schedule",
            Self::UnknownPart => "a loop of unknown length or a branch is in the way",
            Self::NoSchedule => "the program states no order of execution",
            Self::TooLarge => "too many kernels between two certain ones",
            Self::NoCandidate => "no open instruction can have launched it",
            Self::Ambiguous => "several instructions can have launched it",
        }
    }
}

/// The outcome for one execution.
#[derive(Debug)]
pub(super) struct Matched {
    /// One answer for each kernel, in their order.
    pub(super) answers: Vec<Answer>,
    /// True where every window is complete.
    pub(super) is_complete: bool,
}

/// Finds the slots of an execution's kernels, given in the order of launch.
pub(super) fn match_execution(
    prepared: &Prepared<'_>,
    kernels: &[Kernel],
    budget: &mut Budget,
) -> Matched {
    let mut matched = Matched { answers: vec![Answer::NONE; kernels.len()], is_complete: true };
    let lanes: &Lanes = &prepared.lanes;
    for collective in [false, true] {
        let members: Vec<usize> = (0..kernels.len())
            .filter(|&at| lane_is_collective(prepared, &kernels[at]) == collective)
            .collect();
        let lane = if collective { &lanes.collective } else { &lanes.compute };
        LaneMatch { prepared, lane, kernels, members: &members }.run(&mut matched, budget);
    }
    matched
}

fn lane_is_collective(prepared: &Prepared<'_>, kernel: &Kernel) -> bool {
    let schedule = &prepared.schedule;
    let slot = match kernel.tagged {
        Tagged::At(slot) => Some(slot),
        Tagged::Of(instruction) => schedule.slots_of(instruction).first().copied(),
        Tagged::Open => None,
    };
    slot.map_or(kernel.look.family == KernelFamily::Collective, |slot| {
        is_collective(&schedule.slots[slot as usize])
    })
}

struct LaneMatch<'a, 'b> {
    prepared: &'a Prepared<'b>,
    lane: &'a Lane,
    kernels: &'a [Kernel],
    /// Indices of the lane's kernels, in the order of launch.
    members: &'a [usize],
}

impl LaneMatch<'_, '_> {
    fn run(&self, matched: &mut Matched, budget: &mut Budget) {
        let anchors = self.anchors();
        let many = |position: usize| self.slot(position).emits.many;
        let in_order = anchors
            .windows(2)
            .all(|pair| pair[0].1 < pair[1].1 || (pair[0].1 == pair[1].1 && many(pair[0].1)));
        if !in_order {
            return self.without_order(matched);
        }
        let (mut from_kernel, mut from_slot, mut left) = (0, 0, None);
        let end = (self.members.len(), self.lane.slots.len());
        let bounds = anchors.into_iter().map(Some).chain([None]);
        for anchor in bounds {
            let (to_kernel, to_slot) = anchor.unwrap_or(end);
            let right = anchor.map(|(_, slot)| slot).filter(|&slot| many(slot));
            let window = Window {
                lane: self.lane,
                members: &self.members[from_kernel..to_kernel],
                // Two kernels of one slot have no slot between them.
                slots: from_slot.min(to_slot)..to_slot,
                edges: [left, right.filter(|_| left != right)],
            };
            self.window(&window, matched, budget);
            if let Some((kernel, slot)) = anchor {
                (from_kernel, from_slot) = (kernel + 1, slot + 1);
                left = right;
            }
        }
    }

    fn slot(&self, position: usize) -> &super::schedule::Slot {
        &self.prepared.schedule.slots[self.lane.slots[position] as usize]
    }

    /// Kernels whose slot the label tells: (index in `members`, position in the lane).
    fn anchors(&self) -> Vec<(usize, usize)> {
        let anchor = |(member, &kernel): (usize, &usize)| match self.kernels[kernel].tagged {
            Tagged::At(slot) => {
                Some((member, self.prepared.lanes.position[slot as usize] as usize))
            }
            _ => None,
        };
        self.members.iter().enumerate().filter_map(anchor).collect()
    }

    fn window(&self, window: &Window<'_>, matched: &mut Matched, budget: &mut Budget) {
        if window.members.is_empty() {
            matched.is_complete &= window.lane.n_required(&window.slots) == 0;
            return;
        }
        let n_window = u32::try_from(window.slots.len()).unwrap_or(u32::MAX);
        let mut answer = |member: usize, found: Found| {
            matched.answers[member] = Answer { found, n_window };
        };
        match match_window(self.prepared, window, self.kernels, budget) {
            Ok(found) => {
                window.members.iter().zip(found).for_each(|(&member, found)| answer(member, found));
            }
            Err(reason) => {
                let found = match_by_name(self.prepared, window, self.kernels, reason);
                window.members.iter().zip(found).for_each(|(&member, found)| answer(member, found));
                matched.is_complete = false;
            }
        }
    }

    /// Labels contradict the order of the schedule: names alone may still decide, over the whole execution.
    fn without_order(&self, matched: &mut Matched) {
        let slots: Range<usize> = 0..self.lane.slots.len();
        let n_window = u32::try_from(slots.len()).unwrap_or(u32::MAX);
        let window = Window { lane: self.lane, members: self.members, slots, edges: [None, None] };
        let found = match_by_name(self.prepared, &window, self.kernels, Unattributed::OutOfOrder);
        for (&member, found) in self.members.iter().zip(found) {
            matched.answers[member] = Answer { found, n_window };
        }
        matched.is_complete = false;
    }
}
