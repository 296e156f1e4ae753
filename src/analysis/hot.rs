//! Kernels ranked by recorded time. The ranking is always kept: it describes the records, whatever else is withheld.

use super::attribution::Attribution;
use crate::trace::{NameId, Trace};
use crate::units::Picoseconds;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Kernels of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HotKernel {
    /// The name.
    pub name: NameId,
    /// How many.
    pub n_records: u64,
    /// Their summed duration.
    pub time: Picoseconds,
    /// The operator's name, where all of them have one and the same.
    pub op: Option<NameId>,
    /// What they do for the runtime, where they are its own.
    pub by_kernel: Option<&'static str>,
    /// True where some of them have an operator, and not all the same.
    pub several_ops: bool,
}

/// Kernels by name, longest first; equal times by name.
pub fn hot_kernels(trace: &Trace, attribution: &Attribution) -> Vec<HotKernel> {
    let mut by_name: FxHashMap<NameId, HotKernel> = FxHashMap::default();
    for (index, event) in
        trace.device_events.iter().enumerate().filter(|(_, event)| event.kind.is_kernel())
    {
        let op = attribution.op_name(trace, index);
        let row = by_name.entry(event.name).or_insert(HotKernel {
            name: event.name,
            n_records: 0,
            time: Picoseconds::ZERO,
            op,
            by_kernel: event.kind.by_kernel(),
            several_ops: false,
        });
        row.n_records += 1;
        row.time += event.interval.duration();
        row.several_ops |= row.op != op;
        row.op = row.op.filter(|&known| Some(known) == op);
    }
    let mut rows: Vec<HotKernel> = by_name.into_values().collect();
    rows.sort_by_key(|row| (Reverse(row.time), trace.name(row.name)));
    rows
}
