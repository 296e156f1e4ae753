//! Executions of small programs (JAX): the host takes longer to hand one over than the device to run it.

use super::{ROWS_MAX, why};
use crate::analysis::Analysis;
use crate::analysis::hlo::{DeviceExecution, HloAttribution};
use crate::report::{CountedAdvice, CountedRow, ProgramRecords};
use crate::trace::{HostSpan, ThreadId, Trace};
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// A program that never launches more kernels than this in one execution hands over little work at a time: one operation, and what
/// turns its result into another layout or type. A choice, and no measured limit: what follows from it is advice by count.
const SMALL_KERNELS_MAX: u64 = 2;

/// Fewer executions of such programs say nothing: any script has some around its steps. Likewise a choice.
const SMALL_EXECUTIONS_MIN: u64 = 20;

/// What the executions of one program name take, one entry an execution with device records.
#[derive(Default)]
struct Times {
    /// Work on the device.
    device: Vec<Picoseconds>,
    /// Handing it over on the host, where the host recorded that.
    host: Vec<Picoseconds>,
    /// Kernels.
    n_kernels: u64,
}

/// Programs of several names whose executions hold a kernel or two, where they are half of all executions and of what those run, and
/// half of those of each name run shorter than the host takes to hand one over. Where other programs run long, these are not what
/// the device waits for first.
pub(super) fn advice(
    trace: &Trace,
    analysis: &Analysis,
    programs: &[ProgramRecords],
) -> Option<CountedAdvice> {
    let times = times(trace, analysis.hlo.as_ref()?);
    let executions = |program: &ProgramRecords| program.executions_with_records.unwrap_or(0);
    let is_small = |program: &&ProgramRecords| {
        let kernels = program.kernels_per_execution.as_ref();
        executions(program) > 0
            && kernels.is_some_and(|spread| spread.max <= SMALL_KERNELS_MAX)
            && times.get(program.name.as_str()).is_some_and(Times::are_short)
    };
    let mut small: Vec<&ProgramRecords> = programs.iter().filter(is_small).collect();
    let n: u64 = small.iter().map(|program| executions(program)).sum();
    let all: u64 = programs.iter().map(executions).sum();
    let of_small = || small.iter().filter_map(|program| times.get(program.name.as_str()));
    let on_device = |times: &Times| times.device.iter().copied().sum::<Picoseconds>();
    let time: Picoseconds = of_small().map(on_device).sum();
    let all_time: Picoseconds = times.values().map(on_device).sum();
    if small.len() < 2 || n < SMALL_EXECUTIONS_MIN || n * 2 < all || time + time < all_time {
        return None;
    }
    let kernels: u64 = of_small().map(|times| times.n_kernels).sum();
    let ids: usize = small.iter().map(|program| program.ids.len().max(1)).sum();
    let found = format!(
        "{n} of {all} executions are of {} program names ({ids} programs) that launch at most {SMALL_KERNELS_MAX} kernels in one, and run shorter than \
         the host takes to hand one over: {kernels} kernels in all",
        small.len()
    );
    small.sort_by_key(|program| (Reverse(executions(program)), program.id));
    let row = |program: &&ProgramRecords| CountedRow {
        what: program.name.clone(),
        count: executions(program),
        time_us: None,
    };
    Some(CountedAdvice {
        id: "small-executions".to_owned(),
        found,
        action: "put the block that calls them under one jax.jit: one execution then launches all of it, and the compiler may fuse them"
            .to_owned(),
        no_saving: why(analysis, "the kernels themselves would change"),
        rows: small.iter().take(ROWS_MAX).map(row).collect(),
        basis: "inferred".to_owned(),
    })
}

impl Times {
    /// True where half of the executions run shorter than half of them take to be handed over.
    fn are_short(&self) -> bool {
        let pair = median(&self.device).zip(median(&self.host));
        pair.is_some_and(|(device, host)| device < host)
    }
}

/// Of an even number the lower one.
fn median(times: &[Picoseconds]) -> Option<Picoseconds> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

/// The times of all executions with device records, by the program's name.
fn times<'t>(trace: &'t Trace, hlo: &HloAttribution) -> FxHashMap<&'t str, Times> {
    let handing_over = handing_over(trace, hlo);
    let mut by_name: FxHashMap<&str, Times> = FxHashMap::default();
    let with_program = |one: &DeviceExecution| one.program.filter(|_| !one.events.is_empty());
    for (one, program) in hlo.executions.iter().filter_map(|one| Some((one, with_program(one)?))) {
        let name = trace.name(trace.programs[program as usize].name);
        let times = by_name.entry(name).or_default();
        let events = || one.events.iter().map(|&event| &trace.device_events[event as usize]);
        times.device.push(events().map(|event| event.interval.duration()).sum());
        times.n_kernels += events().filter(|event| event.kind.is_kernel()).count() as u64;
        times.host.extend(one.host.and_then(|host| handing_over.get(&host)));
    }
    by_name
}

/// How long the host takes for each execution that left device records, by the index of its own record: the longest of the runtime's
/// spans around it that holds no other one, else that record.
fn handing_over(trace: &Trace, hlo: &HloAttribution) -> FxHashMap<u32, Picoseconds> {
    let mut by_thread: FxHashMap<ThreadId, Vec<(Interval, u32)>> = FxHashMap::default();
    let mut found: FxHashMap<u32, Picoseconds> = FxHashMap::default();
    // Several layers of the runtime record one execution each: those that device records belong to are of one layer.
    for host in hlo.executions.iter().filter_map(|one| one.host) {
        let one = &trace.executions[host as usize];
        if found.insert(host, one.interval.duration()).is_none() {
            by_thread.entry(one.thread).or_default().push((one.interval, host));
        }
    }
    by_thread.values_mut().for_each(|all| all.sort_unstable());
    // A frame of the interpreter may hold what the program does behind the call.
    let is_frame = |span: &HostSpan| trace.name(span.name).starts_with('$');
    for span in trace.host_spans.iter().filter(|span| !is_frame(span)) {
        let Some(all) = by_thread.get(&span.thread) else { continue };
        let first = all.partition_point(|(one, _)| one.start() < span.interval.start());
        let holds = |at: usize| all.get(at).filter(|(one, _)| one.end() <= span.interval.end());
        if let (Some((_, host)), None) = (holds(first), holds(first + 1))
            && let Some(known) = found.get_mut(host)
        {
            *known = span.interval.duration().max(*known);
        }
    }
    found
}
