//! How recording ended: what the host launched last may not have come to run before.

use super::latency::DISPATCH_LATENCY;
use crate::trace::Trace;
use crate::units::{Interval, Picoseconds};

/// The end of a trace that recorded device work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recording {
    /// The hull of all device work.
    window: Interval,
    /// When recording ended: the end of the profiler's span, else the last host or device record.
    end: Picoseconds,
    /// True where the device may have been busy until then: no more than its longest record and a launch are left.
    to_the_end: bool,
}

impl Recording {
    /// Of a trace; `None` where it recorded no device work.
    pub(super) fn of(trace: &Trace) -> Option<Self> {
        let work = || trace.device_events.iter().map(|event| event.interval);
        let window = work().reduce(Interval::hull)?;
        let longest = work().map(Interval::duration).max().unwrap_or_default();
        let executions = trace.executions.iter().map(|one| one.interval.end()).max();
        let host = trace.host_window().map(Interval::end).max(executions).unwrap_or(window.end());
        let end = trace.profiler.span.map_or(host.max(window.end()), Interval::end);
        // Where the host's records lie before all device work, the two sides have nothing to say of one another.
        let to_the_end = window.end() + longest + DISPATCH_LATENCY >= end && host > window.start();
        Some(Self { window, end, to_the_end })
    }

    /// True where recording may have ended before the device came to what was launched at this time: it was busy with earlier work
    /// to the end, or there was no time left to start.
    pub(super) fn may_precede(self, launched: Picoseconds) -> bool {
        let queued = self.to_the_end && launched < self.window.end();
        queued || launched + DISPATCH_LATENCY >= self.end
    }
}
