//! Loss: executions that the host recorded against those that left kernels on a device.
//!
//! The launch join cannot tell: JAX's exporter drops both halves of a broken pair, so that every record that is left joins. The
//! host's own records of executions are independent of the device's.

use super::account::{Account, Ends, Missing, account};
use super::attribute::{DeviceExecution, HloAttributed};
use super::host::{HostExecutions, launch_call, outermost};
use super::programs::Programs;
use super::schedule::KernelRange;
use crate::analysis::launches::Launches;
use crate::trace::{DeviceId, ExecutionScope, GraphTask, HostCallKind, NameId, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

/// Executions on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// What the host's side stands on.
    pub evidence: Evidence,
    /// Executions that the host recorded.
    pub n_recorded: u64,
    /// What became of them.
    pub account: Account,
    /// Executions with fewer kernels than the schedule of their program must launch, over all programs. The first of a device
    /// may lack its beginning, and the last its end, where recording began or ended inside it.
    pub n_incomplete: u64,
    /// The lost and the incomplete ones.
    pub missing: Vec<Missing>,
    /// Executions with kernels whose program's schedule is known.
    pub n_with_schedule: u64,
    /// By program, with the most kernels first.
    pub programs: Vec<ProgramLoss>,
    /// Devices on both sides.
    pub devices: DeviceUse,
}

/// What the host recorded of executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Records of this scope. Those of [`ExecutionScope::Call`] stand for executions on all devices of a program at once.
    Scope(ExecutionScope),
    /// Nothing to hold the device's records against.
    NotEvaluable(Unevaluable),
}

/// Why the executions cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unevaluable {
    /// The host recorded no execution: its tracer was off or below level 1.
    NoHostRecord,
    /// No launch call joins any kernel to a host record.
    NoJoin,
}

impl Unevaluable {
    /// The reason in words.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NoHostRecord => {
                "the host recorded no execution (host tracer off or below level 1)"
            }
            Self::NoJoin => "no kernel joins a launch call inside a host record of an execution",
        }
    }
}

/// The executions of one program, or of programs that share a name where only the name is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramLoss {
    /// The name.
    pub name: NameId,
    /// The ids: those that left kernels, else all of the name.
    pub ids: Vec<u64>,
    /// Executions that the host recorded; absent where it did not record names.
    pub n_recorded: Option<u64>,
    /// Executions that left kernels, over all devices.
    pub n_with_kernels: u64,
    /// Those of them that are incomplete.
    pub n_incomplete: u64,
    /// What one execution launches by the schedule, over the ids; absent where an id's HLO is not at hand.
    pub expected: Option<KernelRange>,
    /// Kernels of each execution that left any, by device and time.
    pub kernels_per_execution: Vec<u64>,
    /// Kernels of all executions.
    pub n_kernels: u64,
    /// The fewest kernels of one execution that may be such as the schedule must launch.
    pub fewest_due: u64,
}

impl ProgramLoss {
    /// True where every execution left the same number of kernels.
    pub fn is_constant(&self) -> bool {
        self.kernels_per_execution.windows(2).all(|two| two[0] == two[1])
    }
}

/// Devices on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceUse {
    /// Devices that executed by the host's records: executions ÷ calls; absent where that is no whole number.
    pub n_executing: Option<u64>,
    /// Devices with kernels of an execution.
    pub n_with_executions: u64,
    /// Devices with any record.
    pub n_with_records: u64,
}

pub(super) fn loss(
    trace: &Trace,
    launches: &Launches,
    programs: &Programs<'_>,
    hosts: &HostExecutions,
    executions: &[DeviceExecution],
    of_event: &[HloAttributed],
) -> Loss {
    let with_kernels: Vec<&DeviceExecution> = executions
        .iter()
        .filter(|one| {
            has_whole_replay(trace, one) || one.n_kernels > 0 && has_kernel(trace, of_event, one)
        })
        .collect();
    let mut seen: FxHashMap<u32, Option<DeviceId>> = FxHashMap::default();
    for (host, device) in with_kernels.iter().filter_map(|one| Some((one.host?, one.device))) {
        let known = seen.entry(host).or_insert(Some(device));
        *known = known.filter(|&known| known == device);
    }
    let evidence = match hosts.scope {
        None => Evidence::NotEvaluable(Unevaluable::NoHostRecord),
        Some(_) if seen.is_empty() && may_belong(trace, launches, hosts) => {
            Evidence::NotEvaluable(Unevaluable::NoJoin)
        }
        Some(scope) => Evidence::Scope(scope),
    };
    let sizes = Sizes { trace, launches, programs, of_event, ends: Ends::of(trace) };
    let incomplete = sizes.incomplete(&with_kernels);
    let (account, mut missing) = account(trace, programs, hosts, &seen);
    let short = with_kernels.iter().zip(&incomplete).filter(|(_, is_incomplete)| **is_incomplete);
    missing.extend(short.filter_map(|(one, _)| sizes.missing(one)));
    let known = |one: &&&DeviceExecution| one.program.is_some_and(|at| programs.get(at).is_some());
    Loss {
        evidence,
        n_recorded: hosts.len() as u64,
        account,
        missing,
        n_incomplete: incomplete.iter().filter(|&&is| is).count() as u64,
        n_with_schedule: with_kernels.iter().filter(known).count() as u64,
        programs: by_program(trace, programs, hosts, &with_kernels, &incomplete),
        devices: devices(trace, hosts, &with_kernels),
    }
}

/// True where some kernel may belong to an execution of the host, and nothing tells to which: it has no launch call, or was
/// launched while executions ran. Kernels that others launched in between are no evidence of a broken join.
fn may_belong(trace: &Trace, launches: &Launches, hosts: &HostExecutions) -> bool {
    let kernels =
        trace.device_events.iter().enumerate().filter(|(_, event)| event.kind.is_kernel());
    let launched = |event: usize| {
        let call = launch_call(trace, launches, event)?;
        Some(trace.host_calls[call].interval.start())
    };
    let mut starts: Vec<_> = kernels.map(|(event, _)| launched(event)).collect();
    starts.dedup();
    starts.into_iter().any(|start| start.is_none_or(|start| hosts.any_at(start)))
}

/// Holds the kernels of executions against the schedules of their programs.
struct Sizes<'a, 'p> {
    trace: &'a Trace,
    launches: &'a Launches,
    programs: &'a Programs<'p>,
    of_event: &'a [HloAttributed],
    ends: Ends,
}

impl Sizes<'_, '_> {
    /// Which of the executions, in order of device and time, are incomplete.
    fn incomplete(&self, executions: &[&DeviceExecution]) -> Vec<bool> {
        let device = |at: Option<usize>| Some(executions.get(at?)?.device);
        let is_incomplete = |(at, one): (usize, &&DeviceExecution)| {
            let here: Option<DeviceId> = Some(one.device);
            let (is_first, is_last) =
                (device(at.checked_sub(1)) != here, device(at.checked_add(1)) != here);
            self.is_short(one)
                && !(is_first && self.lacks_only_its_beginning(one))
                && !(is_last && self.was_cut_off(one))
        };
        executions.iter().enumerate().map(is_incomplete).collect()
    }

    fn is_short(&self, one: &DeviceExecution) -> bool {
        let prepared = one.program.and_then(|program| self.programs.get(program));
        prepared.is_some_and(|prepared| one.n_due < prepared.schedule.kernels.min)
            && !has_whole_replay(self.trace, one)
    }

    /// True where all that the schedule launches from the first recorded kernel on was recorded. A graph is launched at once, so
    /// that recording cannot begin inside it.
    fn lacks_only_its_beginning(&self, one: &DeviceExecution) -> bool {
        let Some(prepared) = one.program.and_then(|program| self.programs.get(program)) else {
            return false;
        };
        let schedule = &prepared.schedule;
        let slot = |&event: &u32| {
            schedule.slots_of(self.of_event[event as usize].instruction?).first().copied()
        };
        let by_graph = |&event: &u32| {
            launch_call(self.trace, self.launches, event as usize)
                .is_some_and(|call| self.trace.host_calls[call].kind == HostCallKind::GraphLaunch)
        };
        let Some(first) = one.events.iter().filter_map(slot).min() else { return false };
        let rest = &schedule.slots[first as usize..];
        let due: u64 = rest.iter().map(|slot| u64::from(slot.emits.min)).sum();
        one.n_due >= due && !one.events.iter().any(by_graph)
    }

    fn missing(&self, one: &DeviceExecution) -> Option<Missing> {
        let host = one.host.map(|host| self.trace.executions[host as usize].interval);
        let work = || one.events.iter().map(|&at| self.trace.device_events[at as usize].interval);
        let host = host.or_else(|| work().reduce(crate::units::Interval::hull))?;
        Some(Missing { host, device: Some(one.device) })
    }

    fn was_cut_off(&self, one: &DeviceExecution) -> bool {
        let host = one.host.map(|host| &self.trace.executions[host as usize]);
        host.is_some_and(|host| self.ends.cut_off(host))
    }
}

/// True where one record stands for all the kernels of a graph of its own: then nothing tells how many they were.
fn has_whole_replay(trace: &Trace, execution: &DeviceExecution) -> bool {
    let task = |&event: &u32| trace.device_events[event as usize].graph_task;
    execution.events.iter().any(|event| task(event) == GraphTask::WholeReplay)
}

/// True where one of its kernels is the program's. A stray copy that shares the interval is none.
fn has_kernel(trace: &Trace, of_event: &[HloAttributed], execution: &DeviceExecution) -> bool {
    execution.events.iter().any(|&event| {
        let one = &of_event[event as usize];
        trace.device_events[event as usize].kind.is_kernel() && one.program.is_some()
    }) || execution.program.is_none()
}

fn by_program(
    trace: &Trace,
    programs: &Programs<'_>,
    hosts: &HostExecutions,
    with_kernels: &[&DeviceExecution],
    incomplete: &[bool],
) -> Vec<ProgramLoss> {
    let mut rows: Vec<ProgramLoss> = Vec::new();
    let mut row_of: FxHashMap<NameId, usize> = FxHashMap::default();
    let mut row = |rows: &mut Vec<ProgramLoss>, name: NameId| {
        *row_of.entry(name).or_insert_with(|| {
            rows.push(ProgramLoss::named(name));
            rows.len() - 1
        })
    };
    for (execution, &is_incomplete) in with_kernels.iter().zip(incomplete) {
        let module = execution.host.and_then(|host| trace.executions[host as usize].module);
        let program = execution.program.map(|program| &trace.programs[program as usize]);
        let Some(name) = program.map(|program| program.name).or(module) else { continue };
        let at = row(&mut rows, name);
        rows[at].add(execution);
        rows[at].ids.extend(program.map(|program| program.id));
        rows[at].n_incomplete += u64::from(is_incomplete);
    }
    for host in hosts.iter() {
        let Some(name) = trace.executions[host as usize].module else { continue };
        let at = row(&mut rows, name);
        *rows[at].n_recorded.get_or_insert(0) += 1;
    }
    for row in &mut rows {
        row.ids.sort_unstable();
        row.ids.dedup();
        let all = programs.named(row.name).iter().copied();
        let of_name: Vec<u32> = all
            .filter(|&one| {
                row.ids.is_empty()
                    || row.ids.binary_search(&trace.programs[one as usize].id).is_ok()
            })
            .collect();
        if row.ids.is_empty() {
            row.ids = of_name.iter().map(|&one| trace.programs[one as usize].id).collect();
        }
        let ranges = of_name.iter().map(|&one| Some(programs.get(one)?.schedule.kernels));
        row.expected = ranges.reduce(hull).flatten();
    }
    rows.sort_by_key(|row| (std::cmp::Reverse(row.n_kernels), trace.name(row.name).to_owned()));
    rows
}

fn hull(a: Option<KernelRange>, b: Option<KernelRange>) -> Option<KernelRange> {
    let (a, b) = (a?, b?);
    let max = a.max.zip(b.max).map(|(a, b)| a.max(b));
    Some(KernelRange { min: a.min.min(b.min), max })
}

impl ProgramLoss {
    fn named(name: NameId) -> Self {
        Self {
            name,
            ids: Vec::new(),
            n_recorded: None,
            n_with_kernels: 0,
            n_incomplete: 0,
            expected: None,
            kernels_per_execution: Vec::new(),
            n_kernels: 0,
            fewest_due: u64::MAX,
        }
    }

    fn add(&mut self, execution: &DeviceExecution) {
        let n = execution.n_kernels;
        self.n_with_kernels += 1;
        self.n_kernels += n;
        self.fewest_due = self.fewest_due.min(execution.n_due);
        self.kernels_per_execution.push(n);
    }
}

fn devices(trace: &Trace, hosts: &HostExecutions, with_kernels: &[&DeviceExecution]) -> DeviceUse {
    let calls = outermost(trace, ExecutionScope::Call).len() as u64;
    let executions = hosts.len() as u64;
    let per_device = hosts.scope.is_some_and(|scope| scope != ExecutionScope::Call);
    let whole = per_device && calls > 0 && executions.is_multiple_of(calls);
    let with_executions: FxHashSet<_> = with_kernels.iter().map(|one| one.device).collect();
    let with_records: FxHashSet<_> =
        trace.device_events.iter().map(|event| trace.stream(event.stream).device).collect();
    DeviceUse {
        n_executing: whole.then(|| executions / calls),
        n_with_executions: with_executions.len() as u64,
        n_with_records: with_records.len() as u64,
    }
}
