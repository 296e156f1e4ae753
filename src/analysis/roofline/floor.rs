//! The least time of single kernels: how long each takes at its roofline.

use super::group::{self, Key};
use super::{BoundBy, Evidence, Roofline, Row};
use crate::trace::OpInputsId;
use crate::units::Picoseconds;
use rustc_hash::{FxHashMap, FxHashSet};

/// How long a kernel takes at least, and what limits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) struct Floor {
    /// The longer of its operations at the peak and its bytes at the bandwidth; where either is an interval, its low end.
    pub(in crate::analysis) time: Picoseconds,
    /// Which roof that is.
    pub(in crate::analysis) bound: BoundBy,
}

/// The floors of a capture's kernels.
pub(in crate::analysis) struct Floors<'a> {
    evidence: Evidence<'a>,
    of_key: FxHashMap<Key, Floor>,
    /// By device: its roof, by index, where it has one.
    roofs: Vec<Option<usize>>,
}

impl<'a> Floors<'a> {
    pub(in crate::analysis) fn of(evidence: Evidence<'a>, roofline: &Roofline) -> Self {
        let mut roofs = vec![None; evidence.trace.devices.len()];
        for (at, one) in roofline.devices.iter().enumerate().filter(|(_, one)| one.roof.is_ok()) {
            one.devices.iter().for_each(|device| roofs[device.index()] = Some(at));
        }
        let rows = roofline.rows.iter().zip(&roofline.keys);
        let rows = rows.filter(|(row, _)| !roofline.is_recalled(row));
        let of_key = rows.filter_map(|(row, &key)| Some((key, floor(row)?))).collect();
        Self { evidence, of_key, roofs }
    }

    /// The floors of kernels, by index of the device record; `None` where that of one is not known.
    pub(in crate::analysis) fn of_all(&self, events: &[u32]) -> Option<Vec<Floor>> {
        // Most captures have none.
        if self.of_key.is_empty() {
            return None;
        }
        let trace = self.evidence.trace;
        let op_of =
            |&event: &u32| Some(self.evidence.attribution.of_event[event as usize].op?.number());
        let ops: FxHashSet<u32> = events.iter().filter_map(op_of).collect();
        let inputs = trace.op_inputs.iter().copied().filter(|(op, _)| ops.contains(op));
        let inputs: FxHashMap<u32, OpInputsId> = inputs.collect();
        let floor = |&event: &u32| {
            let device = trace.stream(trace.device_events[event as usize].stream).device;
            let roof = self.roofs[device.index()];
            let inputs_of = |op| inputs.get(&op).copied();
            let belongs = group::belongs(self.evidence, event as usize, roof, inputs_of).ok()?;
            self.of_key.get(&belongs.key).copied()
        };
        events.iter().map(floor).collect()
    }
}

/// What one execution of an operation takes at least, where that is one kernel: of several the least time is known together alone.
/// Nothing where operations are not modelled, where fewer may do, or where it was faster than its device can be.
fn floor(row: &Row) -> Option<Floor> {
    let is_one_kernel = row.total.n == row.n_instances;
    if !is_one_kernel || row.work.flops.is_none() || row.is_fewer || row.is_above_roof() {
        return None;
    }
    let once = row.total.time.ps() as f64 / row.n_instances as f64;
    #[expect(clippy::cast_possible_truncation, reason = "no longer than the kernels took")]
    let time = (once * row.efficiency.0) as i64;
    Some(Floor { time: Picoseconds::new(time), bound: row.bound })
}
