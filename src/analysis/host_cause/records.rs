//! The host records of each thread in the order of the sweep, as places in their tables: a long trace has millions.

use super::innermost::{HostEvent, sweep_order};
use super::rows::Rows;
use super::{HostActivity, Place, SameThread};
use crate::trace::{NameId, ThreadId, Trace};
use crate::units::Interval;

/// A row in one of the tables of the host.
#[derive(Clone, Copy)]
pub(super) struct HostRecord {
    table: Table,
    index: u32,
}

#[derive(Clone, Copy)]
enum Table {
    Annotations,
    Ops,
    Spans,
    Calls,
}

impl HostRecord {
    /// What the sweep needs of it.
    pub(super) fn event<'t>(self, trace: &'t Trace, rows: &mut Rows<'t>) -> HostEvent {
        let activity = match self.table {
            Table::Annotations => HostActivity::Annotation,
            Table::Ops => HostActivity::Op,
            Table::Spans => HostActivity::Span,
            Table::Calls => HostActivity::Call,
        };
        let (_, interval, name) = self.read(trace);
        HostEvent { interval, row: rows.of(trace, activity, name) }
    }

    fn read(self, trace: &Trace) -> (ThreadId, Interval, NameId) {
        let at = self.index as usize;
        match self.table {
            Table::Annotations => {
                let one = &trace.annotations[at];
                (one.thread, one.interval, one.name)
            }
            Table::Ops => {
                let one = &trace.ops[at];
                (one.thread, one.interval, one.name)
            }
            Table::Spans => {
                let one = &trace.host_spans[at];
                (one.thread, one.interval, one.name)
            }
            Table::Calls => {
                let one = &trace.host_calls[at];
                (one.thread, one.interval, one.api)
            }
        }
    }
}

/// The host records of every thread that launched the end of a gap, those that cover no time left out; of the other threads none
/// is needed.
pub(super) fn by_thread(
    trace: &Trace,
    threads: &SameThread,
    gaps: &[Vec<Place>],
) -> Vec<Vec<HostRecord>> {
    let thread_of = |record: HostRecord| {
        let (thread, interval, _) = record.read(trace);
        let thread = threads.of_thread(thread).index();
        (!gaps[thread].is_empty() && !interval.is_empty()).then_some(thread)
    };
    let mut counts = vec![0_usize; gaps.len()];
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
        records.sort_by_key(|record| sweep_order(record.read(trace).1));
    }
    by_thread
}

/// Every host record, in the order in which equal ones count: the last is the innermost.
fn all(trace: &Trace) -> impl Iterator<Item = HostRecord> {
    let of = |table, n_rows| (0_u32..).take(n_rows).map(move |index| HostRecord { table, index });
    of(Table::Annotations, trace.annotations.len())
        .chain(of(Table::Ops, trace.ops.len()))
        .chain(of(Table::Spans, trace.host_spans.len()))
        .chain(of(Table::Calls, trace.host_calls.len()))
}
