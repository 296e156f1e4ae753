//! Programs: the identity of a program is its id. A name may stand for several programs, and then it decides nothing.

use super::lanes::Lanes;
use super::module::{InstructionRef, ModuleIndex};
use super::schedule::{Room, Schedule};
use crate::trace::{Hlo, HloLabel, NameId, Trace};
use rustc_hash::FxHashMap;

/// What all programs together may take: as much as four of the largest.
const ROOM_TOTAL: Room = Room { slots: 4 * Room::PROGRAM.slots, steps: 4 * Room::PROGRAM.steps };

/// A program whose HLO is at hand.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub(super) index: ModuleIndex<'a>,
    pub(super) schedule: Schedule,
    pub(super) lanes: Lanes,
}

/// The programs of a trace.
#[derive(Debug)]
pub(super) struct Programs<'a> {
    /// By index of `Trace::programs`; absent where the HLO is not at hand.
    pub(super) prepared: Vec<Option<Prepared<'a>>>,
    by_id: FxHashMap<u64, u32>,
    by_name: FxHashMap<NameId, Vec<u32>>,
}

/// What a label says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// The program, by index.
    pub(super) program: Option<u32>,
    /// True where the label names a program that several ids share, and no id.
    pub(super) is_ambiguous: bool,
    /// True where the label names a program that the capture does not list.
    pub(super) is_unlisted: bool,
    /// What it says of the instruction.
    pub(super) op: LabelOp,
}

/// What a label says of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelOp {
    /// Nothing.
    Unsaid,
    /// This one of the program's stored HLO.
    Known(InstructionRef),
    /// A name that the program's stored HLO lacks.
    NotStored,
    /// A name, and the program's HLO is not at hand.
    Unchecked,
}

impl<'a> Programs<'a> {
    pub(super) fn of(trace: &'a Trace) -> Self {
        let mut by_id = FxHashMap::default();
        let mut by_name: FxHashMap<NameId, Vec<u32>> = FxHashMap::default();
        for (at, program) in (0_u32..).zip(&trace.programs) {
            by_id.entry(program.id).or_insert(at);
            by_name.entry(program.name).or_default().push(at);
        }
        let mut left = ROOM_TOTAL;
        let prepared = trace.programs.iter().map(|program| {
            let Hlo::Stored(module) = &program.hlo else { return None };
            let index = ModuleIndex::of(module);
            let schedule = Schedule::of(&index, left);
            left = left.less(&schedule);
            let lanes = Lanes::of(&schedule);
            Some(Prepared { index, schedule, lanes })
        });
        Self { prepared: prepared.collect(), by_id, by_name }
    }

    /// The HLO of a program.
    pub(super) fn get(&self, program: u32) -> Option<&Prepared<'a>> {
        self.prepared.get(program as usize)?.as_ref()
    }

    /// The programs of a name.
    pub(super) fn named(&self, name: NameId) -> &[u32] {
        self.by_name.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Reads a label.
    pub(super) fn read(&self, trace: &Trace, label: &HloLabel) -> Label {
        let named = label.module.map_or(&[][..], |module| self.named(module));
        let (program, is_ambiguous) = match (label.program, named) {
            (Some(id), _) => (self.by_id.get(&id).copied(), false),
            (None, [one]) => (Some(*one), false),
            (None, several) => (None, several.len() > 1),
        };
        let names_program = label.program.is_some() || label.module.is_some();
        let is_unlisted = names_program && program.is_none() && !is_ambiguous;
        let op = match (label.op, program.and_then(|program| self.get(program))) {
            (None, _) => LabelOp::Unsaid,
            (Some(op), Some(prepared)) => match prepared.index.named(trace.name(op)) {
                Some(place) => LabelOp::Known(place),
                None => LabelOp::NotStored,
            },
            (Some(_), None) => LabelOp::Unchecked,
        };
        Label { program, is_ambiguous, is_unlisted, op }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Sample, fusion, module};
    use super::{Label, LabelOp, Programs};
    use crate::trace::HloLabel;

    #[test]
    fn an_id_decides_and_a_shared_name_does_not() {
        let mut sample = Sample::default();
        sample.program(1, "jit_f", module(vec![fusion("a", &["add"])]));
        sample.program(2, "jit_f", module(vec![fusion("b", &["add"])]));
        sample.program(3, "jit_g", module(vec![fusion("c", &["add"])]));
        let mut check = |module: &str,
                         id: Option<u64>,
                         op: &str,
                         program,
                         is_ambiguous,
                         found: Option<bool>| {
            let label = HloLabel {
                module: sample.trace.names.intern(module),
                program: id,
                op: sample.trace.names.intern(op),
                op_name: None,
            };
            let programs = Programs::of(&sample.trace);
            let Label { program: got, is_ambiguous: ambiguous, op, .. } =
                programs.read(&sample.trace, &label);
            assert_eq!((got, ambiguous), (program, is_ambiguous));
            match found {
                Some(true) => assert!(matches!(op, LabelOp::Known(_))),
                Some(false) => assert_eq!(op, LabelOp::NotStored),
                None => assert_eq!(op, LabelOp::Unchecked),
            }
        };
        check("jit_f", Some(2), "b", Some(1), false, Some(true));
        check("jit_f", Some(2), "a", Some(1), false, Some(false));
        check("jit_f", None, "a", None, true, None);
        check("jit_g", None, "c", Some(2), false, Some(true));
        check("jit_h", Some(9), "c", None, false, None);
    }
}
