//! The kernels that one execution of a program should launch: its schedule with known loops expanded and calls inlined.

use super::families::{Emits, Emitter, emits};
use super::looks::{Due, Look, Tagged};
use super::module::{InstructionRef, MAX_DEPTH, ModuleIndex};
use super::names::stem;
use crate::trace::{Computation, Instruction};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// A program that launches more kernels than this in one execution is not expanded further: the loop that
/// passes the limit stays a marker. 2¹⁸ slots take 8 MiB.
pub(super) const MAX_SLOTS: usize = 1 << 18;

/// Instructions and computations visited while expanding: calls that call twice would otherwise double the work at each level.
const MAX_STEPS: usize = 1 << 21;

/// What may still be spent on schedules: of one program, or of all programs of a capture together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Places at which kernels are launched.
    pub(super) slots: usize,
    /// Instructions and computations visited.
    pub(super) steps: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self::PROGRAM
    }
}

impl Room {
    /// As much as one program may take.
    pub(super) const PROGRAM: Self = Self { slots: MAX_SLOTS, steps: MAX_STEPS };

    /// What is left after a schedule.
    pub(super) fn less(self, schedule: &Schedule) -> Self {
        Self {
            slots: self.slots.saturating_sub(schedule.slots.len()),
            steps: self.steps.saturating_sub(schedule.n_steps),
        }
    }
}

/// One place of the schedule at which kernels are launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The instruction.
    pub instruction: InstructionRef,
    /// What it launches.
    pub emits: Emits,
    /// The iteration, counted through all loops around it; meaningful where `n_iterations` is not 0.
    pub iteration: u32,
    /// How many iterations the loops around it have together; 0 outside of loops.
    pub n_iterations: u32,
    /// Which instructions may share its kernel, as a number of the schedule.
    pub(super) class: u32,
    /// The function name that its own kernel has, as a number of the schedule.
    pub(super) base: u32,
    /// That name without its numbers.
    pub(super) stem: u32,
}

impl Slot {
    /// The iteration, where the instruction is in a loop.
    pub fn loop_iteration(&self) -> Option<u32> {
        (self.n_iterations > 0).then_some(self.iteration)
    }
}

/// Why part of a schedule is not known in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OpenPart {
    /// A loop whose number of iterations the compiler did not know.
    UnknownTripCount,
    /// A loop that is too long to expand.
    TooLong,
    /// A branch of which one side runs.
    Branch,
    /// Calls that lead in a circle or nest too deeply.
    TooDeep,
}

/// How many kernels one execution launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelRange {
    /// At least so many.
    pub min: u64,
    /// At most so many; absent where a library call or a loop of unknown length may launch any number.
    pub max: Option<u64>,
}

impl KernelRange {
    fn of(slots: &[Slot]) -> Self {
        let min = slots.iter().map(|slot| u64::from(slot.emits.min)).sum();
        let unbounded = slots.iter().any(|slot| slot.emits.many);
        Self { min, max: (!unbounded).then_some(slots.len() as u64) }
    }
}

/// The expanded schedule of a program.
#[derive(Debug, Default)]
pub struct Schedule {
    /// The places in order of execution.
    pub slots: Vec<Slot>,
    /// Parts that are not known in advance, with the number of places at which each kind occurs.
    pub open_parts: Vec<(OpenPart, u64)>,
    /// Kernels of one execution: the sum of what every slot emits.
    pub kernels: KernelRange,
    /// False where the module states no order of execution, so that the order of the file stands in for it.
    pub is_ordered: bool,
    /// Slots of each instruction that occurs.
    pub(super) slots_of: FxHashMap<InstructionRef, Vec<u32>>,
    /// Slots of each class.
    slots_of_class: Vec<Vec<u32>>,
    /// Numbers of the function names.
    pub(super) bases: FxHashMap<String, u32>,
    /// Numbers of the names without numbers.
    pub(super) stems: FxHashMap<String, u32>,
    /// The class of each function name: of the first instruction that bears it.
    pub(super) class_of_base: Vec<u32>,
    /// Classes of instructions inside the open parts.
    pub(super) open_classes: FxHashSet<u32>,
    /// Names without numbers of instructions inside the open parts.
    pub(super) open_stems: FxHashSet<u32>,
    /// What the slots that launch at least one kernel look like.
    due: Due,
    classes: FxHashMap<u64, u32>,
    n_steps: usize,
    room: Room,
    /// Other instructions whose work a slot stands for: those inside an asynchronous wrapper.
    aliases: FxHashMap<InstructionRef, InstructionRef>,
}

impl Schedule {
    /// Expands the schedule of a module's entry computation as far as there is room.
    pub(super) fn of(index: &ModuleIndex<'_>, room: Room) -> Self {
        let room = Room {
            slots: room.slots.min(Room::PROGRAM.slots),
            steps: room.steps.min(Room::PROGRAM.steps),
        };
        let mut schedule = Self { is_ordered: true, room, ..Self::default() };
        if let Some((entry, _)) = index.entry() {
            schedule.expand(index, entry, 0);
        }
        schedule.kernels = KernelRange::of(&schedule.slots);
        schedule.slots_of_class = vec![Vec::new(); schedule.classes.len()];
        for (at, slot) in (0_u32..).zip(&schedule.slots) {
            schedule.slots_of_class[slot.class as usize].push(at);
            if slot.emits.min > 0 {
                schedule.due.add(slot);
            }
            if slot.emits.emitter != Emitter::Unknown {
                schedule.slots_of.entry(slot.instruction).or_default().push(at);
            }
        }
        schedule
    }

    /// The slot of a class that has one slot only, which launches one kernel and no part that is not known launches too.
    pub(super) fn only_slot_of_class(&self, class: u32) -> &[u32] {
        match self.slots_of_class.get(class as usize).map(Vec::as_slice) {
            Some(slots @ [one])
                if !self.slots[*one as usize].emits.many && !self.open_classes.contains(&class) =>
            {
                slots
            }
            _ => &[],
        }
    }

    /// True where a kernel may be one that the schedule must launch.
    pub(super) fn may_be_due(&self, tagged: Tagged, look: Look) -> bool {
        let is_due = |slot: &u32| self.slots[*slot as usize].emits.min > 0;
        match tagged {
            Tagged::At(slot) => is_due(&slot),
            Tagged::Of(instruction) => self.slots_of(instruction).iter().any(is_due),
            Tagged::Open => self.due.may_be(look),
        }
    }

    /// Slots of an instruction, in order.
    pub(super) fn slots_of(&self, place: InstructionRef) -> &[u32] {
        let aliased = self.aliases.get(&place).and_then(|wrapper| self.slots_of.get(wrapper));
        aliased.or_else(|| self.slots_of.get(&place)).map_or(&[], Vec::as_slice)
    }

    fn expand(&mut self, index: &ModuleIndex<'_>, computation: u32, depth: usize) {
        self.n_steps += 1;
        if self.n_steps > self.room.steps {
            return self.count(OpenPart::TooDeep);
        }
        let body: &Computation = &index.module.computations[computation as usize];
        let in_file: Vec<usize>;
        let order = match &body.schedule {
            Some(order) => order,
            None => {
                self.is_ordered = false;
                in_file = (0..body.instructions.len()).collect();
                &in_file
            }
        };
        for &position in order {
            let (Some(instruction), Ok(at)) =
                (body.instructions.get(position), u32::try_from(position))
            else {
                continue;
            };
            let place = InstructionRef { computation, instruction: at };
            self.add(index, place, instruction, depth);
        }
    }

    fn add(
        &mut self,
        index: &ModuleIndex<'_>,
        place: InstructionRef,
        instruction: &Instruction,
        depth: usize,
    ) {
        self.n_steps += 1;
        let too_deep = depth >= MAX_DEPTH || self.n_steps > self.room.steps;
        match instruction.opcode.as_str() {
            "call" | "while" if too_deep => self.mark(index, place, OpenPart::TooDeep),
            "call" => {
                let called: Vec<u32> = index.called(index.get(place)).collect();
                called.into_iter().for_each(|called| self.expand(index, called, depth + 1));
            }
            "while" => self.add_loop(index, place, instruction, depth),
            "conditional" => self.mark(index, place, OpenPart::Branch),
            "async-start" => self.add_wrapper(index, place),
            _ => {
                if let Some(emits) = emits(instruction, || index.moves_only(index.get(place))) {
                    self.push(index, place, emits);
                }
            }
        }
    }

    /// The body, once for each iteration. The condition of a loop of known length is not executed (measured).
    fn add_loop(
        &mut self,
        index: &ModuleIndex<'_>,
        place: InstructionRef,
        instruction: &Instruction,
        depth: usize,
    ) {
        let Some(trips) = instruction.trip_count else {
            return self.mark(index, place, OpenPart::UnknownTripCount);
        };
        // The condition is the computation that returns one truth value; the order of the two is no key.
        let bodies = index.called(index.get(place)).filter(|&called| !index.is_condition(called));
        let bodies: Vec<u32> = bodies.collect();
        let from = self.slots.len();
        bodies.into_iter().for_each(|body| self.expand(index, body, depth + 1));
        let body = from..self.slots.len();
        if trips == 0 || body.is_empty() {
            return self.slots.truncate(from);
        }
        let wanted = usize::try_from(trips).ok().and_then(|trips| body.len().checked_mul(trips));
        let (Some(wanted), Ok(trips)) = (wanted, u32::try_from(trips)) else {
            self.slots.truncate(from);
            return self.mark(index, place, OpenPart::TooLong);
        };
        if from + wanted > self.room.slots {
            self.slots.truncate(from);
            return self.mark(index, place, OpenPart::TooLong);
        }
        self.repeat(body, trips);
    }

    fn repeat(&mut self, body: Range<usize>, trips: u32) {
        // The first iteration is in place; the others are copied from it, and then all have the same count.
        for trip in 1..trips {
            for at in body.clone() {
                let mut slot = self.slots[at];
                let before = trip.saturating_mul(slot.n_iterations.max(1));
                slot.iteration = before.saturating_add(slot.iteration);
                self.slots.push(slot);
            }
        }
        for slot in &mut self.slots[body.start..] {
            slot.n_iterations = trips.saturating_mul(slot.n_iterations.max(1));
        }
    }

    /// An asynchronous wrapper launches what the instructions inside it would.
    fn add_wrapper(&mut self, index: &ModuleIndex<'_>, place: InstructionRef) {
        let called: Vec<u32> = index.called(index.get(place)).collect();
        let mut wrapped = None;
        for computation in called {
            let body = &index.module.computations[computation as usize];
            self.n_steps += body.instructions.len();
            if self.n_steps > self.room.steps {
                break;
            }
            for (at, instruction) in (0_u32..).zip(&body.instructions) {
                let inner = InstructionRef { computation, instruction: at };
                if let Some(emits) = emits(instruction, || index.moves_only(index.get(inner))) {
                    self.aliases.insert(inner, place);
                    wrapped = wrapped.or(Some(emits));
                }
            }
        }
        self.push(index, place, wrapped.unwrap_or(Emits::ANY));
    }

    fn push(&mut self, index: &ModuleIndex<'_>, place: InstructionRef, emits: Emits) {
        if self.slots.len() >= self.room.slots {
            return self.count(OpenPart::TooLong);
        }
        let (class, base, stem) = self.number(index, place);
        let slot =
            Slot { instruction: place, emits, iteration: 0, n_iterations: 0, class, base, stem };
        self.slots.push(slot);
    }

    /// Numbers for an instruction's kernel class, function name and stem.
    fn number(&mut self, index: &ModuleIndex<'_>, place: InstructionRef) -> (u32, u32, u32) {
        let class = next_number(&mut self.classes, index.kernel_key(place));
        let name = index.base(place);
        let stem = next_number(&mut self.stems, stem(&name).to_owned());
        let base = next_number(&mut self.bases, name);
        if base as usize == self.class_of_base.len() {
            self.class_of_base.push(class);
        }
        (class, base, stem)
    }

    fn count(&mut self, part: OpenPart) {
        match self.open_parts.iter_mut().find(|(known, _)| *known == part) {
            Some((_, n)) => *n += 1,
            None => self.open_parts.push((part, 1)),
        }
    }

    /// Puts a marker in the place of a part that is not known, and remembers which kernels it may launch.
    fn mark(&mut self, index: &ModuleIndex<'_>, place: InstructionRef, part: OpenPart) {
        self.count(part);
        self.push(index, place, Emits::ANY);
        let mut seen = FxHashSet::default();
        let mut waiting: Vec<u32> = index.called(index.get(place)).collect();
        while let Some(computation) = waiting.pop() {
            let body = &index.module.computations[computation as usize];
            if !seen.insert(computation) || body.is_fusion || self.n_steps > self.room.steps {
                continue;
            }
            self.n_steps += body.instructions.len();
            for (at, instruction) in (0_u32..).zip(&body.instructions) {
                let inner = InstructionRef { computation, instruction: at };
                let (class, _, stem) = self.number(index, inner);
                self.open_classes.insert(class);
                self.open_stems.insert(stem);
                if instruction.opcode != "fusion" {
                    waiting.extend(index.called(index.get(inner)));
                }
            }
        }
    }
}

fn next_number<K: std::hash::Hash + Eq>(numbers: &mut FxHashMap<K, u32>, key: K) -> u32 {
    // A schedule has fewer than 2³² names: modules are limited in bytes.
    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    *numbers.entry(key).or_insert(next)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{call, fusion, looped, module, op, with_target};
    use super::super::module::ModuleIndex;
    use super::{KernelRange, OpenPart, Room, Schedule};
    use crate::trace::HloModule;

    fn check(module: &HloModule, expected: &[(&str, Option<u32>)], open: &[(OpenPart, u64)]) {
        let index = ModuleIndex::of(module);
        let schedule = Schedule::of(&index, Room::PROGRAM);
        let found: Vec<(&str, Option<u32>)> = schedule
            .slots
            .iter()
            .map(|slot| (index.get(slot.instruction).name.as_str(), slot.loop_iteration()))
            .collect();
        assert_eq!(found, expected);
        assert_eq!(schedule.open_parts, open);
    }

    #[test]
    fn silent_instructions_are_skipped() {
        check(
            &module(vec![op("p", "parameter"), fusion("f", &["add"]), op("t", "tuple")]),
            &[("f", None)],
            &[],
        );
    }

    #[test]
    fn calls_are_inlined_and_loops_expanded() {
        let body = vec![fusion("a", &["add"]), fusion("b", &["multiply"])];
        let inner = vec![fusion("c", &["add"])];
        check(
            &module(vec![
                call("call.1", inner),
                looped("while.1", Some(2), body),
                fusion("d", &["add"]),
            ]),
            &[
                ("c", None),
                ("a", Some(0)),
                ("b", Some(0)),
                ("a", Some(1)),
                ("b", Some(1)),
                ("d", None),
            ],
            &[],
        );
    }

    #[test]
    fn nested_loops_count_through() {
        let inner = looped("inner", Some(2), vec![fusion("a", &["add"])]);
        let body = vec![fusion("b", &["add"]), inner];
        check(
            &module(vec![looped("outer", Some(2), body)]),
            &[
                ("b", Some(0)),
                ("a", Some(0)),
                ("a", Some(1)),
                ("b", Some(1)),
                ("a", Some(2)),
                ("a", Some(3)),
            ],
            &[],
        );
    }

    #[test]
    fn what_is_unknown_stays_a_marker() {
        check(
            &module(vec![
                looped("dynamic", None, vec![fusion("a", &["add"])]),
                looped("huge", Some(1 << 40), vec![fusion("b", &["add"])]),
                looped("never", Some(0), vec![fusion("c", &["add"])]),
            ]),
            &[("dynamic", None), ("huge", None)],
            &[(OpenPart::UnknownTripCount, 1), (OpenPart::TooLong, 1)],
        );
    }

    #[test]
    fn expected_kernels_have_a_range_where_a_library_decides() {
        let range =
            |module: &HloModule| Schedule::of(&ModuleIndex::of(module), Room::PROGRAM).kernels;
        let plain = module(vec![fusion("a", &["add"]), op("copy.1", "copy")]);
        assert_eq!(range(&plain), KernelRange { min: 1, max: Some(2) });
        let library = module(vec![fusion("a", &["add"]), with_target("cc", "__cudnn$convForward")]);
        assert_eq!(range(&library), KernelRange { min: 2, max: None });
    }

    #[test]
    fn an_endless_call_ends() {
        let mut looping = module(vec![op("call.1", "call")]);
        looping.computations[0].instructions[0].called = vec![looping.computations[0].id];
        let schedule = Schedule::of(&ModuleIndex::of(&looping), Room::PROGRAM);
        assert_eq!(schedule.open_parts, [(OpenPart::TooDeep, 1)]);
    }
}
