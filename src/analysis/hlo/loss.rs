//! Loss: executions that the host recorded against those that left kernels on a device.
//!
//! The launch join cannot tell: JAX's exporter drops both halves of a broken pair, so that every record that is left joins. The
//! host's own records of executions are independent of the device's.

use super::attribute::{DeviceExecution, HloAttributed};
use super::host::{HostExecutions, outermost};
use super::programs::Programs;
use super::schedule::KernelRange;
use crate::trace::{ExecutionScope, NameId, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

/// Executions on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// What the host's side stands on.
    pub evidence: Evidence,
    /// Executions that the host recorded.
    pub n_recorded: u64,
    /// Those that left at least one kernel.
    pub n_with_kernels: u64,
    /// Those without a kernel although their program must launch one; absent where the host did not record the programs.
    pub n_lost: Option<u64>,
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
    /// Those whose kernels are fewer than the schedule must launch.
    pub n_incomplete: u64,
    /// What one execution launches by the schedule, over the ids; absent where an id's HLO is not at hand.
    pub expected: Option<KernelRange>,
    /// Kernels of each execution that left any, by device and time.
    pub kernels_per_execution: Vec<u64>,
    /// Kernels of all executions.
    pub n_kernels: u64,
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
    programs: &Programs<'_>,
    hosts: &HostExecutions,
    executions: &[DeviceExecution],
    of_event: &[HloAttributed],
) -> Loss {
    let with_kernels: Vec<&DeviceExecution> = executions
        .iter()
        .filter(|one| one.n_kernels > 0 && has_kernel(trace, of_event, one))
        .collect();
    let seen: FxHashSet<u32> = with_kernels.iter().filter_map(|one| one.host).collect();
    let evidence = match hosts.scope {
        None => Evidence::NotEvaluable(Unevaluable::NoHostRecord),
        Some(_)
            if seen.is_empty()
                && trace.device_events.iter().any(|event| event.kind.is_kernel()) =>
        {
            Evidence::NotEvaluable(Unevaluable::NoJoin)
        }
        Some(scope) => Evidence::Scope(scope),
    };
    let named = hosts.scope == Some(ExecutionScope::DeviceWithProgram);
    let mut must_launch_one: FxHashMap<NameId, bool> = FxHashMap::default();
    let lost = hosts.iter().filter(|row| !seen.contains(row)).filter(|&row| {
        let module = trace.executions[row as usize].module;
        module.is_some_and(|module| {
            *must_launch_one.entry(module).or_insert_with(|| must_launch(programs, module))
        })
    });
    Loss {
        evidence,
        n_recorded: hosts.len() as u64,
        n_with_kernels: seen.len() as u64,
        n_lost: named.then(|| lost.count() as u64),
        programs: by_program(trace, programs, hosts, &with_kernels),
        devices: devices(trace, hosts, &with_kernels),
    }
}

/// True where one of its kernels is the program's. A stray copy that shares the interval is none.
fn has_kernel(trace: &Trace, of_event: &[HloAttributed], execution: &DeviceExecution) -> bool {
    execution.events.iter().any(|&event| {
        let one = &of_event[event as usize];
        trace.device_events[event as usize].kind.is_kernel() && one.program.is_some()
    }) || execution.program.is_none()
}

/// True where every program of the name launches at least one kernel.
fn must_launch(programs: &Programs<'_>, name: NameId) -> bool {
    let ids = programs.named(name);
    let least = |&one: &u32| programs.get(one).map(|one| one.schedule.kernels.min);
    !ids.is_empty() && ids.iter().map(least).all(|min| min.is_some_and(|min| min > 0))
}

fn by_program(
    trace: &Trace,
    programs: &Programs<'_>,
    hosts: &HostExecutions,
    with_kernels: &[&DeviceExecution],
) -> Vec<ProgramLoss> {
    let mut rows: Vec<ProgramLoss> = Vec::new();
    let mut row_of: FxHashMap<NameId, usize> = FxHashMap::default();
    let mut row = |rows: &mut Vec<ProgramLoss>, name: NameId| {
        *row_of.entry(name).or_insert_with(|| {
            rows.push(ProgramLoss::named(name));
            rows.len() - 1
        })
    };
    for execution in with_kernels {
        let module = execution.host.and_then(|host| trace.executions[host as usize].module);
        let program = execution.program.map(|program| &trace.programs[program as usize]);
        let Some(name) = program.map(|program| program.name).or(module) else { continue };
        let at = row(&mut rows, name);
        rows[at].add(execution);
        rows[at].ids.extend(program.map(|program| program.id));
        let expected = execution.program.and_then(|program| programs.get(program));
        let expected = expected.map(|prepared| prepared.schedule.kernels);
        rows[at].n_incomplete +=
            u64::from(expected.is_some_and(|range| execution.n_kernels < range.min));
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
        }
    }

    fn add(&mut self, execution: &DeviceExecution) {
        let n = execution.n_kernels;
        self.n_with_kernels += 1;
        self.n_kernels += n;
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
