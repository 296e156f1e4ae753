//! Look-ups in one HLO module: computations and instructions by id and name, and which instructions share a kernel.
//!
//! XLA compiles equal fusions once, and the kernel keeps the name of the first. The key of its cache is the text of the
//! fused computation; the fingerprint here covers less (opcodes, shapes, operands), so that instructions which share
//! a kernel always have one fingerprint, while equal fingerprints need not share one.

use super::names::instruction_base;
use crate::trace::{Computation, HloModule, Instruction, Shape};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// Calls nested deeper than this are cut: real programs stay below ten.
pub(super) const MAX_DEPTH: usize = 64;

/// An instruction of a module, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstructionRef {
    /// Index of the computation in the module.
    pub computation: u32,
    /// Index of the instruction in the computation.
    pub instruction: u32,
}

/// The look-ups of a module.
#[derive(Debug)]
pub(super) struct ModuleIndex<'a> {
    pub(super) module: &'a HloModule,
    computations: FxHashMap<i64, u32>,
    by_name: FxHashMap<&'a str, InstructionRef>,
    fingerprints: Vec<u64>,
    traits: Vec<Traits>,
    arguments: FxHashSet<&'a str>,
}

/// What is asked of a computation again and again.
#[derive(Debug)]
struct Traits {
    moves_only: bool,
    is_condition: bool,
}

/// Operations that only move data.
const MOVES: &[&str] = &[
    "parameter",
    "bitcast",
    "copy",
    "tuple",
    "get-tuple-element",
    "constant",
    "dynamic-slice",
    "dynamic-update-slice",
];

impl Traits {
    fn of(computation: &Computation) -> Self {
        let body = &computation.instructions;
        let root = body.iter().rev().find(|one| one.id == computation.root_id);
        Self {
            moves_only: body.iter().all(|one| MOVES.contains(&one.opcode.as_str())),
            is_condition: root.is_some_and(|root| {
                root.shape.element == "pred" && root.shape.dimensions.is_empty()
            }),
        }
    }
}

impl<'a> ModuleIndex<'a> {
    pub(super) fn of(module: &'a HloModule) -> Self {
        let mut computations = FxHashMap::default();
        let mut by_name = FxHashMap::default();
        for (computation, at) in module.computations.iter().zip(0_u32..) {
            computations.entry(computation.id).or_insert(at);
            for (instruction, position) in computation.instructions.iter().zip(0_u32..) {
                let place = InstructionRef { computation: at, instruction: position };
                by_name.entry(instruction.name.as_str()).or_insert(place);
            }
        }
        let mut index = Self {
            module,
            computations,
            by_name,
            fingerprints: Vec::new(),
            traits: module.computations.iter().map(Traits::of).collect(),
            arguments: FxHashSet::default(),
        };
        index.fingerprints = index.fingerprint_computations();
        let entry = index.entry().map_or(&[][..], |(_, entry)| entry.instructions.as_slice());
        let parameters = entry.iter().filter(|one| one.opcode == "parameter");
        index.arguments = parameters.map(|one| one.op_name.as_str()).collect();
        index
    }

    /// The instruction at a place.
    pub(super) fn get(&self, place: InstructionRef) -> &'a Instruction {
        &self.module.computations[place.computation as usize].instructions
            [place.instruction as usize]
    }

    /// The instruction of a name.
    pub(super) fn named(&self, name: &str) -> Option<InstructionRef> {
        self.by_name.get(name).copied()
    }

    /// The index of a computation by its id.
    pub(super) fn computation(&self, id: i64) -> Option<u32> {
        self.computations.get(&id).copied()
    }

    /// The computations that an instruction calls, as far as the module holds them.
    pub(super) fn called(&self, instruction: &'a Instruction) -> impl Iterator<Item = u32> + '_ {
        instruction.called.iter().filter_map(|&id| self.computation(id))
    }

    /// What instructions that share one kernel have in common.
    pub(super) fn kernel_key(&self, place: InstructionRef) -> u64 {
        let instruction = self.get(place);
        let mut hasher = FxHasher::default();
        instruction.opcode.hash(&mut hasher);
        instruction.custom_call_target.hash(&mut hasher);
        if instruction.called.is_empty() {
            // Without a computation of its own, the operation is told by its result alone.
            hash_shape(&instruction.shape, &mut hasher);
        }
        for called in self.called(instruction) {
            self.fingerprints[called as usize].hash(&mut hasher);
        }
        hasher.finish()
    }

    /// True where a fusion only moves data, so that it may be emitted as a copy.
    pub(super) fn moves_only(&self, fusion: &'a Instruction) -> bool {
        let mut called = self.called(fusion).peekable();
        called.peek().is_some() && called.all(|called| self.traits[called as usize].moves_only)
    }

    /// True for a computation that returns one truth value: the condition of a loop.
    pub(super) fn is_condition(&self, computation: u32) -> bool {
        self.traits[computation as usize].is_condition
    }

    /// True for the name of an argument of the program.
    pub(super) fn is_argument(&self, op_name: &str) -> bool {
        !op_name.is_empty() && self.arguments.contains(op_name)
    }

    /// The function name that the compiler makes of an instruction's name.
    pub(super) fn base(&self, place: InstructionRef) -> String {
        instruction_base(&self.get(place).name)
    }

    /// Asynchronous operations of scheduled computations that start and are never done, or the other way round.
    pub(super) fn n_unpaired_async(&self) -> u64 {
        let scheduled = self.module.computations.iter().filter(|one| one.schedule.is_some());
        scheduled.map(n_unpaired_async).sum()
    }

    fn fingerprint_computations(&self) -> Vec<u64> {
        let n = self.module.computations.len();
        let mut known = vec![None; n];
        for at in 0..n {
            self.fingerprint(at, 0, &mut known);
        }
        known.into_iter().map(|known| known.unwrap_or(0)).collect()
    }

    /// Depth first; a cycle or a chain that is too deep ends with a constant, which can only make fingerprints equal.
    fn fingerprint(&self, at: usize, depth: usize, known: &mut Vec<Option<u64>>) -> u64 {
        if let Some(known) = known[at] {
            return known;
        }
        if depth >= MAX_DEPTH {
            return 0;
        }
        // Set first, so that a cycle ends here.
        known[at] = Some(0);
        let computation = &self.module.computations[at];
        let positions: FxHashMap<i64, u32> =
            computation.instructions.iter().map(|one| one.id).zip(0_u32..).collect();
        let mut hasher = FxHasher::default();
        for instruction in &computation.instructions {
            instruction.opcode.hash(&mut hasher);
            hash_shape(&instruction.shape, &mut hasher);
            for operand in &instruction.operands {
                positions.get(operand).hash(&mut hasher);
            }
            for called in self.called(instruction) {
                self.fingerprint(called as usize, depth + 1, known).hash(&mut hasher);
            }
        }
        let print = hasher.finish();
        known[at] = Some(print);
        print
    }

    /// The entry computation.
    pub(super) fn entry(&self) -> Option<(u32, &'a Computation)> {
        let at = self.module.entry?;
        Some((u32::try_from(at).ok()?, self.module.computations.get(at)?))
    }
}

/// Starts without a done and dones without a start, by kind.
fn n_unpaired_async(computation: &Computation) -> u64 {
    let mut balance: BTreeMap<&str, i64> = BTreeMap::new();
    for instruction in &computation.instructions {
        let opcode = instruction.opcode.as_str();
        let (kind, change) = match (opcode.strip_suffix("-start"), opcode.strip_suffix("-done")) {
            (Some(kind), _) => (kind, 1),
            (_, Some(kind)) => (kind, -1),
            _ if matches!(opcode, "send" | "recv") => (opcode, 1),
            _ => continue,
        };
        *balance.entry(kind).or_default() += change;
    }
    balance.values().map(|sum| sum.unsigned_abs()).sum()
}

fn hash_shape(shape: &Shape, hasher: &mut FxHasher) {
    shape.element.hash(hasher);
    shape.dimensions.hash(hasher);
    shape.minor_to_major.hash(hasher);
    shape.parts.len().hash(hasher);
    for part in &shape.parts {
        hash_shape(part, hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{fusion, module, op};
    use super::{InstructionRef, ModuleIndex};
    use crate::trace::HloModule;

    fn same_key(module: &HloModule, a: &str, b: &str) -> bool {
        let index = ModuleIndex::of(module);
        let key = |name: &str| index.named(name).map(|place| index.kernel_key(place));
        key(a).unwrap() == key(b).unwrap()
    }

    #[test]
    fn equal_bodies_may_share_a_kernel() {
        let module = module(vec![
            fusion("loop_fusion", &["add", "multiply"]),
            fusion("loop_fusion.1", &["add", "multiply"]),
            fusion("loop_fusion.2", &["multiply", "add"]),
        ]);
        assert!(same_key(&module, "loop_fusion", "loop_fusion.1"));
        assert!(!same_key(&module, "loop_fusion", "loop_fusion.2"));
    }

    #[test]
    fn a_fusion_of_moves_may_be_a_copy() {
        let module =
            module(vec![fusion("copy_fusion", &["bitcast", "copy"]), fusion("f", &["add"])]);
        let index = ModuleIndex::of(&module);
        let moves = |name: &str| index.moves_only(index.get(index.named(name).unwrap()));
        assert!(moves("copy_fusion") && !moves("f"));
    }

    #[test]
    fn cycles_end() {
        let mut looping = module(vec![op("call.1", "call")]);
        looping.computations[0].instructions[0].called = vec![looping.computations[0].id];
        let index = ModuleIndex::of(&looping);
        assert_eq!(index.named("call.1"), Some(InstructionRef { computation: 0, instruction: 0 }));
        assert!(index.entry().is_some());
    }
}
