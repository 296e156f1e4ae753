//! Kernel time by kernel, by operation of the framework and by line of source.

use super::attribute::{HloAttributed, HloClass, KernelTotal};
use super::module::InstructionRef;
use super::programs::Programs;
use super::source::{InstructionSource, SourceLevel, SourceLine, Sources};
use crate::analysis::Choice;
use crate::trace::{HloLabelId, NameId, Trace};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::hash::Hash;

/// The tables of a trace, each with the longest time first. Kernels without an instruction are in the first one alone, and so
/// are those of other programs where the user named one.
#[derive(Debug, Default)]
pub struct HloTables {
    /// The program that the user named, by id.
    pub program: Option<u64>,
    /// By kernel name, program, instruction and class.
    pub kernels: Vec<HloKernelRow>,
    /// By operation.
    pub ops: Vec<HloOpRow>,
    /// [`HloOpRow::number`] of each device record, by index; [`NO_OP`] where it is in no row.
    op_of_event: Vec<u32>,
    /// By line.
    pub lines: Vec<HloLineRow>,
    /// Attributed kernels by the way in which their line was found, in the order of [`SourceLevel::ALL`]. Those of several lines
    /// or of none are in no row of `lines`.
    pub by_level: [KernelTotal; 4],
    /// Attributed kernels whose instruction has no name of an operation.
    pub without_op: KernelTotal,
}

/// Stands for no operation: records are many, and an `Option` would double what they take.
const NO_OP: u32 = u32::MAX;

impl HloTables {
    /// The row of `ops` of a device record, by its number.
    pub fn op_of_event(&self, index: usize) -> Option<u32> {
        self.op_of_event.get(index).copied().filter(|&number| number != NO_OP)
    }
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
    /// How the name was found.
    pub op_level: SourceLevel,
    /// The line, where there is only one.
    pub line: Option<SourceLine>,
    /// How the instruction is known.
    pub class: HloClass,
    /// How many, and their time.
    pub total: KernelTotal,
}

/// Kernels of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HloOpRow {
    /// Its number among the rows, in the order in which they first ran.
    pub number: u32,
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
    choice: Choice<'_>,
) -> HloTables {
    let mut of_program: Vec<Option<Sources<'_, '_>>> = programs
        .prepared
        .iter()
        .map(|one| one.as_ref().map(|one| Sources::of(&one.index, choice.is_user)))
        .collect();
    let is_chosen = |program: Option<u32>| {
        let id = program.map(|program| trace.programs[program as usize].id);
        choice.program.is_none() || choice.program == id
    };
    let mut known: FxHashMap<(u32, InstructionRef), InstructionSource> = FxHashMap::default();
    let mut tables = HloTables { program: choice.program, ..HloTables::default() };
    let mut kernels = Rows::default();
    let (mut ops, mut lines) = (Rows::default(), Rows::default());
    tables.op_of_event = vec![NO_OP; trace.device_events.len()];
    for (index, (event, one)) in trace.device_events.iter().zip(of_event).enumerate() {
        if !event.kind.is_kernel() {
            continue;
        }
        let total = KernelTotal { n: 1, time: event.interval.duration() };
        let of_instruction = one.program.zip(one.instruction).and_then(|(program, place)| {
            let sources = of_program[program as usize].as_mut()?;
            Some(&*known.entry((program, place)).or_insert_with(|| sources.get(place)))
        });
        let labelled;
        // Without an instruction the label alone says what the operation is.
        let (source, label) = match of_instruction {
            Some(source) => (source, None),
            None => {
                let label = event.hlo.filter(|_| one.class != HloClass::None);
                labelled = from_label(trace, label);
                (&labelled, label)
            }
        };
        let key = (event.name, one.program, one.instruction, label, one.class);
        let row = kernels.get(&key, || kernel_row(event.name, one, source));
        add(&mut row.total, total);
        if one.class != HloClass::None && is_chosen(one.program) {
            match count_op(&mut ops, source, one.class, total) {
                Some(number) => tables.op_of_event[index] = number,
                None => add(&mut tables.without_op, total),
            }
            add(&mut tables.by_level[source.line_level as usize], total);
            count_line(&mut lines, source, one.class, total);
        }
    }
    tables.kernels = kernels.sorted(|row: &HloKernelRow| {
        let name = trace.name(row.name).to_owned();
        let place = (row.program, row.instruction, row.op_name.clone(), row.class);
        (Reverse(row.total.time), name, place)
    });
    tables.ops = ops.sorted(|row: &HloOpRow| (Reverse(row.total.time), row.op_names.clone()));
    tables.lines = lines.sorted(|row: &HloLineRow| (Reverse(row.total.time), row.line.clone()));
    tables
}

fn kernel_row(name: NameId, one: &HloAttributed, source: &InstructionSource) -> HloKernelRow {
    let mut row = HloKernelRow {
        name,
        program: one.program,
        instruction: one.instruction,
        op_name: None,
        op_level: SourceLevel::None,
        line: None,
        class: one.class,
        total: KernelTotal::default(),
    };
    if one.class != HloClass::None && !source.op_names.is_empty() {
        (row.op_name, row.op_level) = (Some(source.op_names.join(" | ")), source.op_level);
    }
    if let (true, [line]) = (one.class != HloClass::None, source.lines.as_slice()) {
        row.line = Some(line.clone());
    }
    row
}

/// What a label says where no stored HLO does. The mark of a module (`XlaModule:`) names no operation.
fn from_label(trace: &Trace, label: Option<HloLabelId>) -> InstructionSource {
    let op_name = label.and_then(|label| trace.hlo_labels[label.index()].op_name);
    let op_name = op_name.map(|op| trace.name(op));
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

/// The number of the operation's row; `None` where it has no name.
fn count_op(
    ops: &mut Rows<Vec<String>, HloOpRow>,
    source: &InstructionSource,
    class: HloClass,
    total: KernelTotal,
) -> Option<u32> {
    if source.op_names.is_empty() {
        return None;
    }
    let next = u32::try_from(ops.rows.len()).unwrap_or(NO_OP);
    let row = ops.get(&source.op_names, || HloOpRow {
        number: next,
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
    Some(row.number)
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
