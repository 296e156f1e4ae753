//! What to try where records show it by count: no saving is computed, and none is stated.
//!
//! Two things cost time wherever they are frequent: executions of programs that launch a kernel or two each, and operators that wait
//! for the device on the host. Both are counted, whether the critical path may be stated or not.

mod small_executions;

use super::{Analysis, Path};
use crate::report::{CountedAdvice, CountedRow, Microseconds, ProgramRecords};
use crate::trace::{Op, ThreadId, Trace};
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Rows of one advice.
const ROWS_MAX: usize = 5;

/// What to try, by count.
pub(super) fn counted(
    trace: &Trace,
    analysis: &Analysis,
    programs: &[ProgramRecords],
) -> Vec<CountedAdvice> {
    let small = small_executions::advice(trace, analysis, programs);
    small.into_iter().chain(waiting_operators(trace, analysis)).collect()
}

/// Why no saving stands beside the count.
fn why(analysis: &Analysis, otherwise: &str) -> String {
    analysis.path.as_ref().and_then(Path::reason).map_or_else(
        || otherwise.to_owned(),
        |reason| format!("the critical path is not stated: {reason}"),
    )
}

/// Operators inside of which the host waits for the device, once a step or more often.
fn waiting_operators(trace: &Trace, analysis: &Analysis) -> Option<CountedAdvice> {
    let mut rows: BTreeMap<(&str, &str), (u64, Picoseconds)> = BTreeMap::new();
    for (interval, op, api) in waits_in_operators(trace, analysis) {
        let (n, time) = rows.entry((op, api)).or_default();
        (*n, *time) = (*n + 1, *time + interval.duration());
    }
    let n: u64 = rows.values().map(|(n, _)| n).sum();
    let n_steps = analysis.steps.as_ref().map_or(0, |steps| steps.steps.len() as u64);
    if n == 0 || n < n_steps {
        return None;
    }
    let time: Picoseconds = rows.values().map(|(_, time)| *time).sum();
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by_key(|&(names, (n, _))| (Reverse(n), names));
    let in_steps = match n_steps {
        0 => String::new(),
        1 => " in 1 step".to_owned(),
        n_steps => format!(" in {n_steps} steps"),
    };
    let row = |&((op, api), (count, time)): &((&str, &str), (u64, Picoseconds))| CountedRow {
        what: format!("{op} → {api}"),
        count,
        time_us: Some(Microseconds::from(time)),
    };
    Some(CountedAdvice {
        id: "waiting-operators".to_owned(),
        found: format!(
            "{n} {} the host wait for the device inside an operator{in_steps}, {} in all",
            if n == 1 { "call lets" } else { "calls let" },
            time.human()
        ),
        action: "drop .item(), printing and conditions on tensors from the step, or read such values once for many steps; copy from pinned memory without \
            blocking"
            .to_owned(),
        no_saving: why(analysis, "whether the value is needed there is not recorded"),
        rows: rows.iter().take(ROWS_MAX).map(row).collect(),
        basis: "inferred".to_owned(),
    })
}

/// Calls inside operators that wait for the device, with the operator that was called and the call. Calls of stream capture wait for
/// nothing.
fn waits_in_operators<'t>(
    trace: &'t Trace,
    analysis: &Analysis,
) -> Vec<(Interval, &'t str, &'t str)> {
    let waits = trace.host_calls.iter().enumerate().filter(|(index, call)| {
        call.kind.blocks_on_device() && !analysis.launches.is_captured(*index, call)
    });
    let mut by_thread: FxHashMap<ThreadId, Vec<(Interval, &str)>> = FxHashMap::default();
    for (_, call) in waits {
        by_thread.entry(call.thread).or_default().push((call.interval, trace.name(call.api)));
    }
    let mut ops: FxHashMap<ThreadId, Vec<u32>> = FxHashMap::default();
    if by_thread.is_empty() {
        return Vec::new();
    }
    for (row, op) in (0_u32..).zip(&trace.ops).filter(|(_, op)| by_thread.contains_key(&op.thread))
    {
        ops.entry(op.thread).or_default().push(row);
    }
    let op_of = |row: u32| &trace.ops[row as usize];
    let mut threads: Vec<_> = by_thread.into_iter().collect();
    threads.sort_unstable_by_key(|&(thread, _)| thread);
    let mut found = Vec::new();
    for (thread, mut calls) in threads {
        let mut ops = ops.remove(&thread).unwrap_or_default();
        ops.sort_unstable_by_key(|&row| {
            (op_of(row).interval.start(), Reverse(op_of(row).interval.end()), row)
        });
        calls.sort_unstable();
        // Operators that have begun, each with the one that the program called.
        let (mut open, mut next): (Vec<(&Op, &Op)>, usize) = (Vec::new(), 0);
        let close = |open: &mut Vec<(&Op, &Op)>, at: Picoseconds| {
            while open.pop_if(|(op, _)| op.interval.end() <= at).is_some() {}
        };
        for (call, api) in calls {
            let begun = |op: &&Op| op.interval.start() <= call.start();
            while let Some(op) = ops.get(next).map(|&row| op_of(row)).filter(begun) {
                close(&mut open, op.interval.start());
                // `aten::item`, not what that is made of; around it stand ranges of libraries.
                let is_called = |op: &Op| trace.name(op.name).starts_with("aten::");
                let outer = open.last().map(|&(_, called)| called).filter(|op| is_called(op));
                open.push((op, outer.unwrap_or(op)));
                next += 1;
            }
            close(&mut open, call.start());
            if let Some((op, called)) = open.last()
                && op.interval.end() >= call.end()
            {
                found.push((call, trace.name(called.name), api));
            }
        }
    }
    found
}
