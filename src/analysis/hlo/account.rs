//! What became of each execution that the host recorded: its kernels are there, it has none, or they are lost.
//!
//! An execution without kernels is no loss where its program launches none, where the device's tracer was not running yet,
//! or where recording ended before the device came to it. Each of these is known from records, or it is not assumed.

use super::host::HostExecutions;
use super::programs::Programs;
use crate::analysis::recording::Recording;
use crate::trace::{DeviceId, Execution, NameId, Trace};
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;

/// The executions that the host recorded, by what became of them: the counts add up to all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Kernels of theirs were recorded.
    pub n_with_kernels: u64,
    /// Their program launches no kernel that it must launch.
    pub n_launching_nothing: u64,
    /// Nothing tells whether their program launches any.
    pub n_unknown: u64,
    /// They ran before the first record of the device's tracer, and are fewer than those recorded after it: a tracer that is
    /// switched on during a run starts later than the host's.
    pub n_before_tracer: u64,
    /// Recording ended while the device was busy with earlier work.
    pub n_cut_off: u64,
    /// None of these: their kernels ran and are not in the capture.
    pub n_lost: u64,
}

impl Account {
    /// Executions that must have left kernels in this capture.
    pub const fn n_accountable(&self) -> u64 {
        self.n_with_kernels + self.n_lost
    }
}

/// An execution whose kernels are missing, or some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The host's record of it; where there is none, from its first recorded kernel to its last.
    pub host: Interval,
    /// Where it ran; absent where its thread executes on several devices, or nothing of the thread was recorded.
    pub device: Option<DeviceId>,
}

/// Settles every execution of the host's best scope, and returns the lost ones as well. `seen` holds those that left kernels, with
/// the device where one tells.
pub(super) fn account(
    trace: &Trace,
    programs: &Programs<'_>,
    hosts: &HostExecutions,
    seen: &FxHashMap<u32, Option<DeviceId>>,
) -> (Account, Vec<Missing>) {
    let mut lost = Vec::new();
    let ends = Ends::of(trace);
    let mut obliged = Obliged { trace, programs, seen, known: FxHashMap::default() };
    let mut account = Account { n_with_kernels: seen.len() as u64, ..Account::default() };
    for rows in hosts.by_thread() {
        let recorded = |row: &u32| seen.contains_key(row);
        let mut devices = rows.iter().filter_map(|row| seen.get(row).copied());
        let first_device = devices.next().flatten();
        let device = first_device.filter(|_| devices.all(|other| other == first_device));
        let n_seen = rows.iter().filter(|row| recorded(row)).count();
        let first = rows.iter().position(recorded).unwrap_or(rows.len());
        let last = rows.iter().rposition(recorded);
        for (at, &row) in rows.iter().enumerate().filter(|(_, row)| !recorded(row)) {
            let execution = &trace.executions[row as usize];
            let count = match obliged.must_launch(execution) {
                Some(false) => &mut account.n_launching_nothing,
                None => &mut account.n_unknown,
                Some(true) if at < first && first < n_seen && ends.precedes(execution) => {
                    &mut account.n_before_tracer
                }
                Some(true) if last.is_some_and(|last| at > last) && ends.cut_off(execution) => {
                    &mut account.n_cut_off
                }
                Some(true) => {
                    lost.push(Missing { host: execution.interval, device });
                    &mut account.n_lost
                }
            };
            *count += 1;
        }
    }
    (account, lost)
}

/// Where the device's records begin and end.
pub(super) struct Ends {
    /// Start of the first record that the device's tracer made: a call or work.
    first: Option<Picoseconds>,
    recording: Option<Recording>,
}

impl Ends {
    pub(super) fn of(trace: &Trace) -> Self {
        let work = trace.device_events.iter().map(|event| event.interval);
        let calls = trace.host_calls.iter().map(|call| call.interval);
        let first = calls.chain(work).map(Interval::start).min();
        Self { first, recording: Recording::of(trace) }
    }

    /// True where the execution was over before the device's tracer made its first record.
    fn precedes(&self, execution: &Execution) -> bool {
        self.first.is_some_and(|first| execution.interval.end() <= first)
    }

    /// True where recording may have ended before the device came to the execution.
    pub(super) fn cut_off(&self, execution: &Execution) -> bool {
        self.recording.is_some_and(|end| end.may_precede(execution.interval.start()))
    }
}

/// Whether an execution must have left kernels, by the name of its program.
struct Obliged<'a, 'p> {
    trace: &'a Trace,
    programs: &'a Programs<'p>,
    seen: &'a FxHashMap<u32, Option<DeviceId>>,
    known: FxHashMap<Option<NameId>, Option<bool>>,
}

impl Obliged<'_, '_> {
    fn must_launch(&mut self, execution: &Execution) -> Option<bool> {
        // One call stands for executions on several devices, and its name, if any, for one program all the same.
        let name = execution.module;
        if let Some(&known) = self.known.get(&name) {
            return known;
        }
        let found = match name {
            Some(name) => self.named(name),
            None => self.unnamed(),
        };
        self.known.insert(name, found);
        found
    }

    /// By the HLO of the programs of the name; without it, by other executions under the name: one program launches its
    /// kernels every time.
    fn named(&self, name: NameId) -> Option<bool> {
        let ids = self.programs.named(name);
        let least: Option<Vec<u64>> = ids.iter().map(|&one| self.least(one)).collect();
        match least.as_deref() {
            Some([]) | None => {
                let with = |&row: &u32| self.trace.executions[row as usize].module == Some(name);
                (ids.len() <= 1 && self.seen.keys().any(with)).then_some(true)
            }
            Some(least) if least.iter().all(|&min| min > 0) => Some(true),
            Some(least) if least.iter().all(|&min| min == 0) => Some(false),
            Some(_) => None,
        }
    }

    /// An execution without a name may be of any program that the capture stores.
    fn unnamed(&self) -> Option<bool> {
        let all = 0..u32::try_from(self.trace.programs.len()).unwrap_or(u32::MAX);
        let all_launch = all.clone().all(|one| self.least(one).is_some_and(|min| min > 0));
        (!all.is_empty() && all_launch).then_some(true)
    }

    fn least(&self, program: u32) -> Option<u64> {
        Some(self.programs.get(program)?.schedule.kernels.min)
    }
}
