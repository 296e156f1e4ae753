//! Look-up tables over a trace's host calls.

use super::id_table::IdTable;
use super::launches::{Launch, records_by_id};
use crate::trace::{CorrelationId, DeviceEvent, ExternalId, HostCall, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

/// Host calls by the correlation id that device records carry.
pub(super) struct CallIndex {
    by_correlation: IdTable,
    shared: FxHashSet<CorrelationId>,
}

impl CallIndex {
    /// Indexes the calls of a trace.
    ///
    /// Where several calls carry one correlation id, the one that hands over work answers for it. A runtime call that
    /// contains a driver call of the same id on its own thread is one launch seen twice; two calls side by side are not.
    pub(super) fn of(trace: &Trace) -> Self {
        let ids = trace.host_calls.iter().filter_map(|call| call.correlation);
        let mut by_correlation = IdTable::with_room_for(ids.map(CorrelationId::get));
        let mut shared = FxHashSet::default();
        for (index, call) in (0_u32..).zip(&trace.host_calls) {
            let Some(id) = call.correlation else { continue };
            let Some(other) = by_correlation.get(id.get()) else {
                by_correlation.set(id.get(), index);
                continue;
            };
            let known = &trace.host_calls[other as usize];
            match (known.kind.hands_over_work(), call.kind.hands_over_work()) {
                (false, true) => by_correlation.set(id.get(), index),
                (true, true) if !same_launch(known, call) => {
                    shared.insert(id);
                }
                _ => {}
            }
        }
        Self { by_correlation, shared }
    }

    /// The call that answers for a correlation id.
    pub(super) fn by_correlation(&self, id: CorrelationId) -> Option<u32> {
        self.by_correlation.get(id.get())
    }

    /// Ids that several separate work-giving calls carry.
    pub(super) fn n_shared(&self) -> u64 {
        self.shared.len() as u64
    }

    /// Device records that carry such an id.
    pub(super) fn n_shared_records(&self, trace: &Trace) -> u64 {
        if self.shared.is_empty() {
            return 0;
        }
        let records = records_by_id(trace);
        self.shared.iter().filter_map(|id| records.get(&id.get())).sum()
    }
}

fn same_launch(a: &HostCall, b: &HostCall) -> bool {
    a.thread == b.thread && (a.interval.covers(b.interval) || b.interval.covers(a.interval))
}

/// The first work-giving call of each external id.
pub(super) fn by_external(trace: &Trace) -> FxHashMap<ExternalId, u32> {
    let mut by_external = FxHashMap::default();
    for (index, call) in (0_u32..).zip(&trace.host_calls) {
        if let (Some(external), true) = (call.external, call.kind.hands_over_work()) {
            by_external.entry(external).or_insert(index);
        }
    }
    by_external
}

/// Looks every device event's call up by a key.
pub(super) fn by_key(
    events: &[DeviceEvent],
    call_of: impl Fn(&DeviceEvent) -> Option<u32>,
) -> Vec<Launch> {
    events.iter().map(|event| call_of(event).map_or(Launch::UNKNOWN, Launch::by)).collect()
}
