//! Flow arrows from host calls to device work: the join of files whose device records carry no correlation.
//!
//! Everywhere else the arrows repeat the correlation, so they are dropped as soon as a device record has one.

use crate::trace::{ThreadId, Trace};
use rustc_hash::FxHashMap;

/// The arrows of one file.
#[derive(Default)]
pub(super) struct Flows {
    need: Need,
    starts: Vec<(u64, ThreadId, i64)>,
    ends: Vec<(u64, (i64, i64), i64)>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Need {
    /// No device record has a correlation so far.
    #[default]
    Possible,
    /// One has.
    None,
}

impl Flows {
    /// True where arrows are still to be collected.
    pub(super) fn wanted(&self) -> bool {
        self.need == Need::Possible
    }

    /// Tells of a device record, and whether it has the field `correlation`, be it 0.
    #[inline]
    pub(super) fn device_event(&mut self, has_correlation: bool) {
        if has_correlation && self.need == Need::Possible {
            *self = Self { need: Need::None, ..Self::default() };
        }
    }

    /// Arrow ends that are held.
    pub(super) fn len(&self) -> usize {
        self.starts.len() + self.ends.len()
    }

    /// An arrow starts at this time on a host thread.
    pub(super) fn start(&mut self, id: u64, thread: ThreadId, ns: i64) {
        self.starts.push((id, thread, ns));
    }

    /// An arrow ends at this time on a lane.
    pub(super) fn end(&mut self, id: u64, lane: (i64, i64), ns: i64) {
        self.ends.push((id, lane, ns));
    }

    /// The links that the arrows state, in the order of the device events. An arrow whose id starts twice, or whose end
    /// meets no record, links nothing. Times of the tables are nanoseconds here.
    pub(super) fn links(self, trace: &Trace) -> Vec<(u32, u32)> {
        if self.ends.is_empty() || trace.device_events.is_empty() {
            return Vec::new();
        }
        let mut calls: FxHashMap<(ThreadId, i64), u32> = FxHashMap::default();
        for (row, call) in (0_u32..).zip(&trace.host_calls) {
            let key = (call.thread, call.interval.start().ps());
            let place = calls.entry(key).or_insert(row);
            // Of calls that start in the same microsecond, one that hands over work is the launch.
            let known = &trace.host_calls[*place as usize];
            if !known.kind.hands_over_work() && call.kind.hands_over_work() {
                *place = row;
            }
        }
        let mut starts: FxHashMap<u64, Option<u32>> = FxHashMap::default();
        for (id, thread, ns) in self.starts {
            let call = calls.get(&(thread, ns)).copied();
            starts.entry(id).and_modify(|known| *known = None).or_insert(call);
        }
        let mut ends: FxHashMap<((i64, i64), i64), u64> = FxHashMap::default();
        for (id, lane, ns) in self.ends {
            ends.entry((lane, ns)).or_insert(id);
        }
        let device_events = (0_u32..).zip(&trace.device_events);
        device_events
            .filter_map(|(row, event)| {
                let stream = trace.stream(event.stream);
                let lane = (trace.device(stream.device).raw_id, stream.raw_id);
                let id = ends.get(&(lane, event.interval.start().ps()))?;
                Some((row, (*starts.get(id)?)?))
            })
            .collect()
    }
}
