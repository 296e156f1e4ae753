//! What a kernel's name says in the terms of one program.

use super::families::{Emitter, KernelFamily, kernel_family, may_launch};
use super::module::InstructionRef;
use super::names::{kernel_base, stem};
use super::schedule::{Schedule, Slot};
use crate::trace::{DeviceEvent, DeviceEventKind, NameId, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

/// A kernel's name in the terms of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// The number of its function name, where an instruction of the program has it, and the class of that instruction.
    pub(super) known: Option<(u32, u32)>,
    /// The number of its name without numbers, where an instruction of the program has it.
    pub(super) stem: Option<u32>,
    /// The family that its name tells.
    pub(super) family: KernelFamily,
}

/// The looks of names and kinds, for one program.
#[derive(Debug, Default)]
pub(super) struct Looks(FxHashMap<(NameId, DeviceEventKind), Look>);

impl Looks {
    /// How a device event looks in a program.
    pub(super) fn get(&mut self, trace: &Trace, event: &DeviceEvent, schedule: &Schedule) -> Look {
        let look = || {
            let name = trace.name(event.name);
            let base = kernel_base(name);
            let number = schedule.bases.get(&base).copied();
            Look {
                known: number.map(|base| (base, schedule.class_of_base[base as usize])),
                stem: schedule.stems.get(stem(&base)).copied(),
                family: kernel_family(name, event.kind),
            }
        };
        *self.0.entry((event.name, event.kind)).or_insert_with(look)
    }
}

/// What the tracer says of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tagged {
    /// Nothing that the schedule knows.
    Open,
    /// This instruction, which occurs once in the schedule: at this slot.
    At(u32),
    /// This instruction, which occurs several times.
    Of(InstructionRef),
}

/// What some slots look like, so that a kernel is held against all of them at once.
#[derive(Debug, Default)]
pub(super) struct Due {
    bases: FxHashSet<u32>,
    classes: FxHashSet<u32>,
    stems: FxHashSet<u32>,
    emitters: FxHashSet<Emitter>,
}

impl Due {
    /// Adds a slot.
    pub(super) fn add(&mut self, slot: &Slot) {
        self.bases.insert(slot.base);
        self.classes.insert(slot.class);
        self.stems.insert(slot.stem);
        self.emitters.insert(slot.emits.emitter);
    }

    /// True where a kernel without a label fits one of them, as [`score`] has it.
    pub(super) fn may_be(&self, look: Look) -> bool {
        match look.known {
            Some((base, class)) => self.bases.contains(&base) || self.classes.contains(&class),
            None => {
                let same_stem = look.family == KernelFamily::Generated
                    && look.stem.is_some_and(|stem| self.stems.contains(&stem));
                same_stem || self.emitters.iter().any(|&one| may_launch(one, look.family))
            }
        }
    }
}

/// How well a kernel fits a slot; `None` where it cannot be the slot's.
///
/// The order of the scores matters, not their size: an instruction's own name, the name of an instruction that may share
/// its kernel, the family.
pub(super) fn score(tagged: Tagged, look: Look, slot: &Slot) -> Option<i32> {
    const TAGGED: i32 = 10;
    const OWN_NAME: i32 = 6;
    const SHARED_KERNEL: i32 = 4;
    const FAMILY: i32 = 3;
    match (tagged, look.known) {
        (Tagged::Of(instruction), _) => (slot.instruction == instruction).then_some(TAGGED),
        (Tagged::At(_), _) => None,
        (Tagged::Open, Some((base, _))) if base == slot.base => Some(OWN_NAME),
        (Tagged::Open, Some((_, class))) => (class == slot.class).then_some(SHARED_KERNEL),
        (Tagged::Open, None) => {
            let same_stem = look.family == KernelFamily::Generated && look.stem == Some(slot.stem);
            if same_stem {
                return Some(SHARED_KERNEL);
            }
            may_launch(slot.emits.emitter, look.family).then_some(FAMILY)
        }
    }
}
