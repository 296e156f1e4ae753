//! Lays the attribution of a JAX capture out as a part of the report.

use super::{
    HloAttribution, HloClass, HloKernelRow, HloLineRow, HloOpRow, KernelTotal, Loss, ProgramLoss,
    instruction,
};
use crate::analysis::steps::{self, Samples, Steps};
use crate::report::{
    Attribution, AttributionClass, HloRecords, KernelRow, LineRow, Methods, OpRow, ProgramRecords,
    ProgramTime, Share, Spread, Unattributed,
};
use crate::trace::{NameId, Trace};
use crate::units::Picoseconds;
use rustc_hash::FxHashMap;

/// Kernel time by class, operation, line and program.
pub(in crate::analysis) fn attribution(
    trace: &Trace,
    hlo: &HloAttribution,
    steps: Option<&Steps>,
) -> Attribution {
    let all = hlo.kernels.time;
    let samples = samples_of_ops(trace, hlo, steps);
    let ops = hlo.tables.ops.iter().zip(&samples);
    Attribution {
        classes: HloClass::ALL
            .map(|class| (class.name().to_owned(), class_row(hlo.class(class), all)))
            .into(),
        // Launch ids and nesting lead to operators of PyTorch; a JAX capture has none.
        methods: Methods {
            by_id: None,
            by_id_refused: Some(
                "a compiled program launches its kernels: there are no operators".to_owned(),
            ),
            by_nesting: None,
            compared: 0,
            agreeing: 0,
        },
        ops: ops.map(|(row, samples)| op_row(row, samples, all)).collect(),
        lines: hlo.tables.lines.iter().map(|row| line_row(row, all)).collect(),
        hlo: Some(HloRecords {
            programs: hlo.programs.iter().map(|row| program_row(trace, row, all)).collect(),
            program: hlo.tables.program,
            unattributed: hlo.counts.unattributed.iter().map(|row| reason_row(row, all)).collect(),
            left_out_by_op_views: class_row(hlo.counts.left_out_by_op_views(), all),
            without_op: class_row(hlo.tables.without_op, all),
        }),
    }
}

fn share(time: Picoseconds, all: Picoseconds) -> Option<Share> {
    time.share_of(all).map(Share::of)
}

fn class_row(total: KernelTotal, all: Picoseconds) -> AttributionClass {
    AttributionClass { records: total.n, time_us: total.time.into(), share: share(total.time, all) }
}

fn samples_of_ops(trace: &Trace, hlo: &HloAttribution, steps: Option<&Steps>) -> Vec<Samples> {
    let ops = &hlo.tables.ops;
    let places: FxHashMap<u32, usize> =
        ops.iter().enumerate().map(|(at, row)| (row.number, at)).collect();
    let times: Vec<Picoseconds> = ops.iter().map(|row| row.total.time).collect();
    steps::samples(trace, steps, &times, hlo.kernels.time, |index, _| {
        places.get(&hlo.tables.op_of_event(index)?).copied()
    })
}

fn op_row(row: &HloOpRow, samples: &Samples, all: Picoseconds) -> OpRow {
    OpRow {
        name: row.op_names.join(" | "),
        records: row.total.n,
        time_us: row.total.time.into(),
        share: share(row.total.time, all),
        class: row.class.name().to_owned(),
        level: Some(row.level.name().to_owned()),
        is_argument: row.is_argument,
        per_step_us: samples.times(),
        kernels_per_step: samples.kernels(),
    }
}

fn line_row(row: &HloLineRow, all: Picoseconds) -> LineRow {
    LineRow {
        file: row.line.file.clone(),
        line: u64::from(row.line.line),
        records: row.total.n,
        time_us: row.total.time.into(),
        share: share(row.total.time, all),
        function: Some(row.line.function.clone()).filter(|name| !name.is_empty()),
        level: Some(row.line_level().to_owned()),
        class: Some(row.class.name().to_owned()),
    }
}

fn program_row(trace: &Trace, row: &(u32, KernelTotal), all: Picoseconds) -> ProgramTime {
    let (at, total) = *row;
    let program = &trace.programs[at as usize];
    ProgramTime {
        id: program.id,
        name: trace.name(program.name).to_owned(),
        records: total.n,
        time_us: total.time.into(),
        share: share(total.time, all),
    }
}

fn reason_row(row: &(super::Unattributed, KernelTotal), all: Picoseconds) -> Unattributed {
    let (reason, total) = *row;
    Unattributed {
        reason: reason.reason().to_owned(),
        records: total.n,
        time_us: total.time.into(),
        share: share(total.time, all),
    }
}

/// Kernels with the instructions that they belong to.
pub(in crate::analysis) fn kernels(trace: &Trace, hlo: &HloAttribution) -> Vec<KernelRow> {
    let program = |row: &HloKernelRow| row.program.map(|at| &trace.programs[at as usize]);
    let row = |row: &HloKernelRow| KernelRow {
        name: trace.name(row.name).to_owned(),
        records: row.total.n,
        time_us: row.total.time.into(),
        share: share(row.total.time, hlo.kernels.time),
        class: row.class.name().to_owned(),
        program: program(row).map(|one| (one.id, trace.name(one.name).to_owned())),
        instruction: program(row)
            .zip(row.instruction)
            .and_then(|(program, place)| Some(instruction(program, place)?.name.clone())),
        op: row.op_name.clone(),
        level: row.op_name.as_ref().map(|_| row.op_level.name().to_owned()),
        line: row.line.as_ref().map(|line| (line.file.clone(), u64::from(line.line))),
    };
    hlo.tables.kernels.iter().map(row).collect()
}

/// The operation of each kernel name, where all kernels of the name have one and the same.
pub(in crate::analysis) fn op_of_kernels(
    hlo: &HloAttribution,
) -> FxHashMap<NameId, (Option<String>, bool)> {
    let mut ops: FxHashMap<NameId, (Option<String>, bool)> = FxHashMap::default();
    for row in &hlo.tables.kernels {
        let (known, several) = ops.entry(row.name).or_insert_with(|| (row.op_name.clone(), false));
        if *known != row.op_name {
            *known = None;
            *several = true;
        }
    }
    ops
}

impl HloLineRow {
    /// How the line was found: `own`, `inner`, or `library-only` where no frame is the user's.
    pub fn line_level(&self) -> &'static str {
        if self.line.is_library { "library-only" } else { self.level.name() }
    }
}

/// The executions of programs.
pub(in crate::analysis) fn programs(trace: &Trace, loss: &Loss) -> Vec<ProgramRecords> {
    loss.programs.iter().flat_map(|row| program(trace, row)).collect()
}

/// One row an id; programs that only share a name share their executions too, so that the first id stands for all.
fn program(trace: &Trace, row: &ProgramLoss) -> Option<ProgramRecords> {
    Some(ProgramRecords {
        id: *row.ids.first()?,
        ids: row.ids.clone(),
        name: trace.name(row.name).to_owned(),
        executions: row.n_recorded,
        executions_with_records: row.n_recorded.map(|_| row.n_with_kernels),
        kernels_per_execution: Spread::of(row.kernels_per_execution.iter().copied()),
    })
}
