//! Which calls hand over work behind a wait for an event.

use crate::analysis::launches::Launches;
use crate::trace::{HostCallKind, StreamId, Trace};
use crate::units::Picoseconds;

/// For each call, how it stands to the last call of its thread that told a stream to wait for an event. Traces do not say which
/// stream that was: it may be any to which the thread gave nothing since.
pub(in crate::analysis) struct EventWaits(Vec<Behind>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// No wait comes before it, or others gave work to its stream since.
    Nothing,
    /// The first work for its stream since the wait, with work for other streams in between.
    Perhaps,
    /// The first work since the wait.
    Directly,
}

impl EventWaits {
    pub(in crate::analysis) fn of(trace: &Trace, launches: &Launches) -> Self {
        let calls = &trace.host_calls;
        let mut order: Vec<usize> = (0..calls.len()).collect();
        if !order.is_sorted_by_key(|&call| (calls[call].thread, calls[call].interval.start())) {
            order.sort_by_key(|&call| (calls[call].thread, calls[call].interval.start()));
        }
        let stream_of = streams(trace, launches);
        let mut behind = vec![Behind::Nothing; calls.len()];
        // The number of the last wait, and of the last wait before which each stream was given work.
        let (mut n_waits, mut given) = (0_usize, vec![0_usize; trace.streams.len()]);
        let (mut thread, mut waiting) = (None, Behind::Nothing);
        for call in order {
            if thread != Some(calls[call].thread) {
                (thread, waiting) = (Some(calls[call].thread), Behind::Nothing);
            }
            match calls[call].kind {
                HostCallKind::StreamWait => {
                    n_waits += 1;
                    waiting = Behind::Directly;
                }
                kind if kind.hands_over_work() && waiting != Behind::Nothing => {
                    let stream = stream_of[call].map(|stream| &mut given[stream.index()]);
                    let is_first =
                        stream.is_some_and(|given| std::mem::replace(given, n_waits) < n_waits);
                    if waiting == Behind::Directly || is_first {
                        behind[call] = waiting;
                    }
                    waiting = Behind::Perhaps;
                }
                _ => {}
            }
        }
        Self(behind)
    }

    /// True where the work of `call` was the first that its thread handed over behind an event wait.
    pub(in crate::analysis) fn precede(&self, call: usize) -> bool {
        self.0[call] == Behind::Directly
    }

    /// True where the work of `call` may have waited for an event: where it was the first for its stream.
    pub(in crate::analysis) fn may_precede(&self, call: usize) -> bool {
        self.0[call] != Behind::Nothing
    }
}

/// The stream of each call's work; of several, that of the record that starts first.
fn streams(trace: &Trace, launches: &Launches) -> Vec<Option<StreamId>> {
    let mut first: Vec<Option<(Picoseconds, StreamId)>> = vec![None; trace.host_calls.len()];
    for (event, launch) in trace.device_events.iter().zip(&launches.of_event) {
        if let Some(call) = launch.call() {
            let record = (event.interval.start(), event.stream);
            first[call] = Some(first[call].map_or(record, |known| known.min(record)));
        }
    }
    first.into_iter().map(|first| first.map(|(_, stream)| stream)).collect()
}
