//! What to try where records show it by count: no saving is computed, and none is stated.
//!
//! Two things cost time wherever they are frequent: executions of programs that launch a kernel or two each, and operators that wait
//! for the device on the host. Both are counted, whether the critical path may be stated or not.

use super::{Analysis, Path};
use crate::report::{Attribution, CountedAdvice, CountedRow, Microseconds, ProgramRecords};
use crate::trace::{Op, ThreadId, Trace};
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A program that never launches more kernels than this in one execution hands over little work at a time: one operation, and what
/// turns its result into another layout or type. A choice, and no measured limit: what follows from it is advice by count.
const SMALL_KERNELS_MAX: u64 = 2;

/// Fewer executions of such programs say nothing: any script has some around its steps. Likewise a choice.
const SMALL_EXECUTIONS_MIN: u64 = 20;

/// Rows of one advice.
const ROWS_MAX: usize = 5;

/// What to try, by count.
pub(super) fn counted(
    trace: &Trace,
    analysis: &Analysis,
    programs: &[ProgramRecords],
    attribution: Option<&Attribution>,
) -> Vec<CountedAdvice> {
    let small = small_programs(analysis, programs, attribution);
    small.into_iter().chain(waiting_operators(trace, analysis)).collect()
}

/// Why no saving stands beside the count.
fn why(analysis: &Analysis, otherwise: &str) -> String {
    analysis.path.as_ref().and_then(Path::reason).map_or_else(
        || otherwise.to_owned(),
        |reason| format!("the critical path is not stated: {reason}"),
    )
}

/// Executions of many programs with a kernel or two each (JAX).
fn small_programs(
    analysis: &Analysis,
    programs: &[ProgramRecords],
    attribution: Option<&Attribution>,
) -> Option<CountedAdvice> {
    let kernels_of = |program: &ProgramRecords| {
        let times = attribution.and_then(|all| all.hlo.as_ref());
        let times = times.into_iter().flat_map(|hlo| &hlo.programs);
        let own = times.filter(|one| program.ids.contains(&one.id) || one.id == program.id);
        own.map(|one| one.records).sum::<u64>()
    };
    let executions = |program: &ProgramRecords| program.executions_with_records.unwrap_or(0);
    let is_small = |program: &&ProgramRecords| {
        let kernels = program.kernels_per_execution.as_ref();
        executions(program) > 0 && kernels.is_some_and(|spread| spread.max <= SMALL_KERNELS_MAX)
    };
    let mut small: Vec<&ProgramRecords> = programs.iter().filter(is_small).collect();
    let n: u64 = small.iter().map(|program| executions(program)).sum();
    let all: u64 = programs.iter().map(executions).sum();
    if small.len() < 2 || n < SMALL_EXECUTIONS_MIN || n * 2 < all {
        return None;
    }
    let kernels: u64 = small.iter().map(|program| kernels_of(program)).sum();
    small.sort_by_key(|program| (Reverse(executions(program)), program.id));
    let row = |program: &&ProgramRecords| CountedRow {
        what: program.name.clone(),
        count: executions(program),
        time_us: None,
    };
    Some(CountedAdvice {
        id: "small-executions".to_owned(),
        found: format!(
            "{n} of {all} executions are of {} programs that launch at most {SMALL_KERNELS_MAX} kernels each: {kernels} kernels in all",
            small.len()
        ),
        action: "put the block that calls them under one jax.jit: one execution then launches all of it, and the compiler may fuse them"
            .to_owned(),
        no_saving: why(analysis, "the kernels themselves would change"),
        rows: small.iter().take(ROWS_MAX).map(row).collect(),
        basis: "inferred".to_owned(),
    })
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
    let mut ops: FxHashMap<ThreadId, Vec<&Op>> = FxHashMap::default();
    if by_thread.is_empty() {
        return Vec::new();
    }
    for op in trace.ops.iter().filter(|op| by_thread.contains_key(&op.thread)) {
        ops.entry(op.thread).or_default().push(op);
    }
    let mut threads: Vec<_> = by_thread.into_iter().collect();
    threads.sort_unstable_by_key(|&(thread, _)| thread);
    let mut found = Vec::new();
    for (thread, mut calls) in threads {
        let mut ops = ops.remove(&thread).unwrap_or_default();
        ops.sort_by_key(|op| (op.interval.start(), Reverse(op.interval.end())));
        calls.sort_unstable();
        // Operators that have begun, each with the one that the program called.
        let (mut open, mut next): (Vec<(&Op, &Op)>, usize) = (Vec::new(), 0);
        let close = |open: &mut Vec<(&Op, &Op)>, at: Picoseconds| {
            while open.pop_if(|(op, _)| op.interval.end() <= at).is_some() {}
        };
        for (call, api) in calls {
            while let Some(&op) = ops.get(next).filter(|op| op.interval.start() <= call.start()) {
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
