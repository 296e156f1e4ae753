//! The host records of each thread in the order of the sweep, as places in their tables: a long trace has millions.

use super::innermost::{HostEvent, sweep_order};
use super::rows::Rows;
use super::{HostActivity, SameThread};
use crate::trace::{NameId, ThreadId, Trace};
use crate::units::Interval;

/// A row in the tables of the host, by its number where they are laid end to end, in the order in which equal ones count: the last
/// is the innermost.
#[derive(Clone, Copy)]
pub(super) struct HostRecord(u32);

impl HostRecord {
    /// What the sweep needs of it.
    pub(super) fn event<'t>(self, trace: &'t Trace, rows: &mut Rows<'t>) -> HostEvent {
        let (activity, _, interval, name) = self.read(trace);
        HostEvent { interval, row: rows.of(trace, activity, name) }
    }

    /// The call that it is, by index.
    pub(super) fn call(self, trace: &Trace) -> Option<usize> {
        let others = trace.annotations.len() + trace.ops.len() + trace.host_spans.len();
        (self.0 as usize).checked_sub(others)
    }

    fn read(self, trace: &Trace) -> (HostActivity, ThreadId, Interval, NameId) {
        let mut at = self.0 as usize;
        if let Some(one) = trace.annotations.get(at) {
            return (HostActivity::Annotation, one.thread, one.interval, one.name);
        }
        at -= trace.annotations.len();
        if let Some(one) = trace.ops.get(at) {
            return (HostActivity::Op, one.thread, one.interval, one.name);
        }
        at -= trace.ops.len();
        if let Some(one) = trace.host_spans.get(at) {
            return (HostActivity::Span, one.thread, one.interval, one.name);
        }
        let one = &trace.host_calls[at - trace.host_spans.len()];
        (HostActivity::Call, one.thread, one.interval, one.api)
    }
}

/// The host records of every thread that is wanted, those that cover no time left out; of the other threads none is needed.
pub(super) fn by_thread(
    trace: &Trace,
    threads: &SameThread,
    is_wanted: &[bool],
) -> Vec<Vec<HostRecord>> {
    let thread_of = |record: HostRecord| {
        let (_, thread, interval, _) = record.read(trace);
        let thread = threads.of_thread(thread).index();
        (is_wanted[thread] && !interval.is_empty()).then_some(thread)
    };
    let mut counts = vec![0_usize; is_wanted.len()];
    for thread in all(trace).filter_map(thread_of) {
        counts[thread] += 1;
    }
    let mut by_thread: Vec<Vec<HostRecord>> = counts.into_iter().map(Vec::with_capacity).collect();
    for record in all(trace) {
        if let Some(thread) = thread_of(record) {
            by_thread[thread].push(record);
        }
    }
    for records in &mut by_thread {
        records.sort_by_key(|record| sweep_order(record.read(trace).2));
    }
    by_thread
}

/// Every host record; a trace keeps fewer than numbers reach.
fn all(trace: &Trace) -> impl Iterator<Item = HostRecord> {
    let n =
        trace.annotations.len() + trace.ops.len() + trace.host_spans.len() + trace.host_calls.len();
    (0_u32..).take(n).map(HostRecord)
}
