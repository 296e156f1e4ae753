//! Lays the attribution of a JAX capture out as a part of the report.

use super::{HloAttribution, HloClass, HloLineRow, HloOpRow, Loss, ProgramLoss};
use crate::report::{
    Attribution, AttributionClass, LineRow, Methods, OpRow, ProgramRecords, Share, Spread,
};
use crate::trace::{NameId, Trace};
use crate::units::Picoseconds;
use rustc_hash::FxHashMap;

/// Kernel time by class, operation and line.
pub(in crate::analysis) fn attribution(hlo: &HloAttribution) -> Attribution {
    let share = |time: Picoseconds| time.share_of(hlo.kernels.time).map(Share::of);
    let classes = HloClass::ALL.map(|class| {
        let total = hlo.class(class);
        let row = AttributionClass {
            records: total.n,
            time_us: total.time.into(),
            share: share(total.time),
        };
        (class.name().to_owned(), row)
    });
    let op = |row: &HloOpRow| OpRow {
        name: row.op_names.join(" | "),
        records: row.total.n,
        time_us: row.total.time.into(),
        share: share(row.total.time),
        class: row.class.name().to_owned(),
        level: Some(row.level.name().to_owned()),
        is_argument: row.is_argument,
    };
    let line = |row: &HloLineRow| LineRow {
        file: row.line.file.clone(),
        line: u64::from(row.line.line),
        records: row.total.n,
        time_us: row.total.time.into(),
        share: share(row.total.time),
        function: Some(row.line.function.clone()).filter(|name| !name.is_empty()),
        level: Some(row.line_level().to_owned()),
        class: Some(row.class.name().to_owned()),
    };
    Attribution {
        classes: classes.into(),
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
        ops: hlo.tables.ops.iter().map(op).collect(),
        lines: hlo.tables.lines.iter().map(line).collect(),
    }
}

/// The operation of each kernel name, where all kernels of the name have one and the same.
pub(in crate::analysis) fn op_of_kernels(
    hlo: &HloAttribution,
) -> FxHashMap<NameId, Option<String>> {
    let mut ops: FxHashMap<NameId, Option<String>> = FxHashMap::default();
    for row in &hlo.tables.kernels {
        let known = ops.entry(row.name).or_insert_with(|| row.op_name.clone());
        if *known != row.op_name {
            *known = None;
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
        name: trace.name(row.name).to_owned(),
        executions: row.n_recorded,
        executions_with_records: row.n_recorded.map(|_| row.n_with_kernels),
        kernels_per_execution: Spread::of(row.kernels_per_execution.iter().copied()),
    })
}
