//! Kernel time by kernel, by operation of the framework and by line of source.

use super::attribute::{HloAttributed, HloClass, KernelTotal};
use super::module::InstructionRef;
use super::programs::Programs;
use super::source::{InstructionSource, IsUserFile, SourceLevel, SourceLine, Sources};
use crate::trace::{NameId, Trace};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::hash::Hash;

/// The tables of a trace, each with the longest time first. Kernels without an instruction are in the first one alone.
#[derive(Debug, Default)]
pub struct HloTables {
    /// By kernel name, program, instruction and class.
    pub kernels: Vec<HloKernelRow>,
    /// By operation.
    pub ops: Vec<HloOpRow>,
    /// By line.
    pub lines: Vec<HloLineRow>,
    /// Attributed kernels by the way in which their line was found, in the order of [`SourceLevel::ALL`]. Those of several lines
    /// or of none are in no row of `lines`.
    pub by_level: [KernelTotal; 4],
    /// Attributed kernels whose instruction has no name of an operation.
    pub without_op: KernelTotal,
}

/// Kernels of one name, instruction and class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HloKernelRow {
    /// The kernel's name.
    pub name: NameId,
    /// The program, by index.
    pub program: Option<u32>,
    /// The instruction.
    pub instruction: Option<InstructionRef>,
    /// The framework's name for the instruction's operation.
    pub op_name: Option<String>,
    /// How it is known.
    pub class: HloClass,
    /// How many, and their time.
    pub total: KernelTotal,
}

/// Kernels of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HloOpRow {
    /// The framework's name for it; several, in order, where the instructions of a fusion differ.
    pub op_names: Vec<String>,
    /// How the name was found; the weakest where there are several ways.
    pub level: SourceLevel,
    /// True where it is the name of an argument, on instructions that the compiler made.
    pub is_argument: bool,
    /// The class of its kernels; the weakest where there are several.
    pub class: HloClass,
    /// How many, and their time.
    pub total: KernelTotal,
}

/// Kernels of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HloLineRow {
    /// The line.
    pub line: SourceLine,
    /// How it was found; the weakest where there are several ways.
    pub level: SourceLevel,
    /// The class of its kernels; the weakest where there are several.
    pub class: HloClass,
    /// How many, and their time.
    pub total: KernelTotal,
}

pub(super) fn tables(
    trace: &Trace,
    programs: &Programs<'_>,
    of_event: &[HloAttributed],
    is_user: IsUserFile<'_>,
) -> HloTables {
    let mut of_program: Vec<Option<Sources<'_, '_>>> = programs
        .prepared
        .iter()
        .map(|one| one.as_ref().map(|one| Sources::of(&one.index, is_user)))
        .collect();
    let mut known: FxHashMap<(u32, InstructionRef), InstructionSource> = FxHashMap::default();
    let mut tables = HloTables::default();
    let mut kernels = Rows::default();
    let (mut ops, mut lines) = (Rows::default(), Rows::default());
    for (event, one) in trace.device_events.iter().zip(of_event) {
        if !event.kind.is_kernel() {
            continue;
        }
        let total = KernelTotal { n: 1, time: event.interval.duration() };
        let of_instruction = one.program.zip(one.instruction).and_then(|(program, place)| {
            let sources = of_program[program as usize].as_mut()?;
            Some(&*known.entry((program, place)).or_insert_with(|| sources.get(place)))
        });
        let labelled;
        let source = match of_instruction {
            Some(source) => source,
            None => {
                labelled = from_label(trace, event.hlo.map(crate::trace::HloLabelId::index));
                &labelled
            }
        };
        let key = (event.name, one.program, one.instruction, one.class);
        let row = kernels.get(&key, || HloKernelRow {
            name: event.name,
            program: one.program,
            instruction: one.instruction,
            op_name: (one.class != HloClass::None && !source.op_names.is_empty())
                .then(|| source.op_names.join(" | ")),
            class: one.class,
            total: KernelTotal::default(),
        });
        add(&mut row.total, total);
        if one.class != HloClass::None {
            count_op(&mut ops, &mut tables.without_op, source, one.class, total);
            add(&mut tables.by_level[source.line_level as usize], total);
            count_line(&mut lines, source, one.class, total);
        }
    }
    tables.kernels = kernels.sorted(|row| {
        (
            Reverse(row.total.time),
            trace.name(row.name).to_owned(),
            row.program,
            row.instruction,
            row.class,
        )
    });
    tables.ops = ops.sorted(|row: &HloOpRow| (Reverse(row.total.time), row.op_names.clone()));
    tables.lines = lines.sorted(|row: &HloLineRow| (Reverse(row.total.time), row.line.clone()));
    tables
}

/// What a label says where no stored HLO does. The mark of a module (`XlaModule:`) names no operation.
fn from_label(trace: &Trace, label: Option<usize>) -> InstructionSource {
    let op_name = label.and_then(|label| trace.hlo_labels[label].op_name).map(|op| trace.name(op));
    let op_names: Vec<String> = op_name
        .filter(|name| !name.starts_with("XlaModule"))
        .map(str::to_owned)
        .into_iter()
        .collect();
    InstructionSource {
        op_level: if op_names.is_empty() { SourceLevel::None } else { SourceLevel::Own },
        op_names,
        is_argument: false,
        lines: Vec::new(),
        line_level: SourceLevel::None,
    }
}

fn count_op(
    ops: &mut Rows<Vec<String>, HloOpRow>,
    without: &mut KernelTotal,
    source: &InstructionSource,
    class: HloClass,
    total: KernelTotal,
) {
    if source.op_names.is_empty() {
        return add(without, total);
    }
    let row = ops.get(&source.op_names, || HloOpRow {
        op_names: source.op_names.clone(),
        level: source.op_level,
        is_argument: source.is_argument,
        class,
        total: KernelTotal::default(),
    });
    row.level = row.level.max(source.op_level);
    row.class = row.class.max(class);
    row.is_argument &= source.is_argument;
    add(&mut row.total, total);
}

fn count_line(
    lines: &mut Rows<SourceLine, HloLineRow>,
    source: &InstructionSource,
    class: HloClass,
    total: KernelTotal,
) {
    let [line] = source.lines.as_slice() else { return };
    let row = lines.get(line, || HloLineRow {
        line: line.clone(),
        level: source.line_level,
        class,
        total: KernelTotal::default(),
    });
    row.level = row.level.max(source.line_level);
    row.class = row.class.max(class);
    add(&mut row.total, total);
}

fn add(sum: &mut KernelTotal, one: KernelTotal) {
    sum.n += one.n;
    sum.time += one.time;
}

/// Rows by key, in the order of their first use.
struct Rows<K, R> {
    rows: Vec<R>,
    of_key: FxHashMap<K, usize>,
}

impl<K, R> Default for Rows<K, R> {
    fn default() -> Self {
        Self { rows: Vec::new(), of_key: FxHashMap::default() }
    }
}

impl<K: Hash + Eq + Clone, R> Rows<K, R> {
    fn get(&mut self, key: &K, new: impl FnOnce() -> R) -> &mut R {
        let at = match self.of_key.get(key) {
            Some(&at) => at,
            None => {
                self.rows.push(new());
                self.of_key.insert(key.clone(), self.rows.len() - 1);
                self.rows.len() - 1
            }
        };
        &mut self.rows[at]
    }

    fn sorted<O: Ord>(mut self, key: impl FnMut(&R) -> O) -> Vec<R> {
        self.rows.sort_by_cached_key(key);
        self.rows
    }
}
