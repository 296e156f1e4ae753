//! The host's records of executions, and the device work that was launched inside each.

use crate::analysis::launches::Launches;
use crate::trace::{Execution, ExecutionScope, HostCallKind, ThreadId, Trace};
use crate::units::{Interval, Picoseconds};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Comparisons of calls with threads that execute programs: a capture with many of both is not matched to the end.
const MAX_COMPARISONS: usize = 1 << 26;

/// The work-giving call that launched a device event. A call that hands nothing over is no launch, whatever its id says:
/// a tracer was seen to join kernels to a wait of another thread (rocprofiler-sdk of JAX 0.8).
pub(super) fn launch_call(trace: &Trace, launches: &Launches, event: usize) -> Option<usize> {
    let call = launches.of_event[event].call()?;
    trace.host_calls[call].kind.hands_over_work().then_some(call)
}

/// For each launching thread the one that executes programs on it, where the tracer lists them apart and their times tell.
pub(in crate::analysis) fn executing_threads(
    trace: &Trace,
    launches: &Launches,
) -> FxHashMap<ThreadId, ThreadId> {
    let hosts = HostExecutions::of(trace);
    if hosts.is_empty() {
        return FxHashMap::default();
    }
    let matches = hosts.match_threads(trace, launches);
    let known = |(launching, one): (ThreadId, Match)| match one {
        Match::Thread(at) => Some((launching, hosts.threads[at].thread)),
        Match::ByTime | Match::Unknown => None,
    };
    matches.into_iter().filter_map(known).collect()
}

/// Host records of executions of one kind, by thread.
#[derive(Debug, Default)]
pub(super) struct HostExecutions {
    /// What one of them stands for; absent where there is none.
    pub(super) scope: Option<ExecutionScope>,
    threads: Vec<ExecutingThread>,
}

#[derive(Debug)]
struct ExecutingThread {
    thread: ThreadId,
    /// In order, without overlap, with the index in `Trace::executions`.
    intervals: Vec<(Interval, u32)>,
}

impl ExecutingThread {
    fn at(&self, instant: Picoseconds) -> Option<u32> {
        let after = self.intervals.partition_point(|(interval, _)| interval.start() <= instant);
        let (interval, execution) = self.intervals.get(after.checked_sub(1)?)?;
        interval.contains(instant).then_some(*execution)
    }
}

/// How a thread's launches are assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Match {
    /// All to executions of this thread.
    Thread(usize),
    /// Each to the only execution that runs at its time.
    ByTime,
    /// Several threads execute at once, and nothing tells which of them launched.
    Unknown,
}

/// The records of one scope, without those that lie inside another of the same scope and thread.
pub(super) fn outermost(trace: &Trace, scope: ExecutionScope) -> Vec<u32> {
    let mut rows: Vec<(u32, &Execution)> =
        (0_u32..).zip(&trace.executions).filter(|(_, one)| one.scope == scope).collect();
    rows.sort_by_key(|(at, one)| {
        (one.thread, one.interval.start(), Reverse(one.interval.end()), *at)
    });
    let mut last: Option<(ThreadId, Picoseconds)> = None;
    rows.retain(|(_, one)| {
        let inside =
            last.is_some_and(|(thread, end)| thread == one.thread && one.interval.start() < end);
        if !inside {
            last = Some((one.thread, one.interval.end()));
        }
        !inside
    });
    rows.into_iter().map(|(at, _)| at).collect()
}

impl HostExecutions {
    /// The records of the best scope that occurs.
    pub(super) fn of(trace: &Trace) -> Self {
        let scopes =
            [ExecutionScope::DeviceWithProgram, ExecutionScope::Device, ExecutionScope::Call];
        for scope in scopes {
            let rows = outermost(trace, scope);
            if rows.is_empty() {
                continue;
            }
            let mut threads: Vec<ExecutingThread> = Vec::new();
            for row in rows {
                let one = &trace.executions[row as usize];
                if threads.last().is_none_or(|known| known.thread != one.thread) {
                    threads.push(ExecutingThread { thread: one.thread, intervals: Vec::new() });
                }
                if let Some(known) = threads.last_mut() {
                    known.intervals.push((one.interval, row));
                }
            }
            return Self { scope: Some(scope), threads };
        }
        Self::default()
    }

    /// True where there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.threads.iter().map(|one| one.intervals.len()).sum()
    }

    /// The records, by thread and time.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.threads.iter().flat_map(|one| one.intervals.iter().map(|(_, row)| *row))
    }

    /// The records of each thread, in order of time.
    pub(super) fn by_thread(&self) -> impl Iterator<Item = Vec<u32>> + '_ {
        self.threads.iter().map(|one| one.intervals.iter().map(|(_, row)| *row).collect())
    }

    /// True where some execution was running at this time, on whatever thread.
    pub(super) fn any_at(&self, instant: Picoseconds) -> bool {
        self.threads.iter().any(|thread| thread.at(instant).is_some())
    }

    /// The execution inside which each device event was launched.
    pub(super) fn of_events(&self, trace: &Trace, launches: &Launches) -> Vec<Option<u32>> {
        let matches = self.match_threads(trace, launches);
        let execution = |event: usize| {
            let call = &trace.host_calls[launch_call(trace, launches, event)?];
            let at = call.interval.start();
            match matches.get(&call.thread)? {
                Match::Thread(thread) => self.threads[*thread].at(at),
                Match::ByTime => self.threads.iter().find_map(|thread| thread.at(at)),
                Match::Unknown => None,
            }
        };
        (0..trace.device_events.len()).map(execution).collect()
    }

    /// Which executing thread each launching thread is. Tracers name them differently (`Host Threads/583` launches what
    /// `py_xla_execute/-1472…` executes), so that often only the times tell: the launches of a thread lie inside the executions
    /// of one. A thread that only copies executes nothing.
    fn match_threads(&self, trace: &Trace, launches: &Launches) -> FxHashMap<ThreadId, Match> {
        let mut calls: Vec<(ThreadId, Picoseconds)> = trace
            .host_calls
            .iter()
            .zip(&launches.n_records)
            .filter(|(call, n)| {
                **n > 0 && matches!(call.kind, HostCallKind::Launch | HostCallKind::GraphLaunch)
            })
            .map(|(call, _)| (call.thread, call.interval.start()))
            .collect();
        calls.sort_unstable();
        let mut left = MAX_COMPARISONS;
        calls
            .chunk_by(|a, b| a.0 == b.0)
            .map(|calls| (calls[0].0, self.match_thread(calls, &mut left)))
            .collect()
    }

    fn match_thread(&self, calls: &[(ThreadId, Picoseconds)], left: &mut usize) -> Match {
        let own = self.threads.iter().position(|one| one.thread == calls[0].0);
        if let Some(own) = own
            && calls.iter().any(|(_, at)| self.threads[own].at(*at).is_some())
        {
            return Match::Thread(own);
        }
        let Some(rest) = left.checked_sub(calls.len().saturating_mul(self.threads.len())) else {
            return Match::Unknown;
        };
        *left = rest;
        let mut n_inside = vec![0_usize; self.threads.len()];
        let (mut n_any, mut n_several) = (0_usize, 0_usize);
        for (_, at) in calls {
            let mut n = 0;
            for (thread, count) in self.threads.iter().zip(&mut n_inside) {
                let inside = usize::from(thread.at(*at).is_some());
                *count += inside;
                n += inside;
            }
            n_any += usize::from(n > 0);
            n_several += usize::from(n > 1);
        }
        let mut all = (0..n_inside.len()).filter(|&one| n_any > 0 && n_inside[one] == n_any);
        match (all.next(), all.next()) {
            (Some(one), None) => Match::Thread(one),
            _ if n_several == 0 && self.threads.len() <= MAX_THREADS_BY_TIME => Match::ByTime,
            _ => Match::Unknown,
        }
    }
}

/// Looking every thread up for each event is linear in the threads, so it is done for few.
const MAX_THREADS_BY_TIME: usize = 64;

#[cfg(test)]
mod tests {
    use super::super::fixture::{Said, Sample};
    use super::{HostExecutions, outermost};
    use crate::analysis::launches::join;
    use crate::trace::ExecutionScope;

    #[test]
    fn nested_records_of_one_call_count_once() {
        let mut sample = Sample::default();
        sample.execution(ExecutionScope::Call, None, |sample| {
            sample.execution(ExecutionScope::Call, None, |_| {});
        });
        sample.execution(ExecutionScope::Call, None, |_| {});
        assert_eq!(outermost(&sample.trace, ExecutionScope::Call).len(), 2);
    }

    #[test]
    fn work_belongs_to_the_execution_that_launched_it() {
        let mut sample = Sample::default();
        sample.launch(&[("before", Said::Nothing)]);
        for _ in 0..2 {
            sample.execution(ExecutionScope::DeviceWithProgram, Some("jit_f"), |sample| {
                sample.launch(&[("a", Said::Nothing), ("b", Said::Nothing)]);
            });
        }
        let hosts = HostExecutions::of(&sample.trace);
        assert_eq!(hosts.len(), 2);
        let found = hosts.of_events(&sample.trace, &join(&sample.trace));
        assert_eq!(found, [None, Some(0), Some(0), Some(1), Some(1)]);
    }
}
