//! Steps: the marked ranges of a run, with the device work that was launched inside each.
//!
//! Device work belongs to the step of its launch. Under asynchronous launch it runs later than the marker, so the
//! marker's own host window says little about it.

use super::launches::Launches;
use crate::trace::{Annotation, DeviceEvent, IntervalSet, Trace};
use crate::units::{Interval, Picoseconds};

/// Markers in the order of trust: the profiler's own step first, then the ranges that serving engines mark.
const MARKERS: &[(&str, &str)] =
    &[("ProfilerStep#", "ProfilerStep"), ("step[", "step[…]"), ("execute_", "execute_…")];

/// A step time is claimed from this many steps on: first and last may be cut, and one step has no spread.
pub const MIN_STEPS: usize = 3;

/// The steps of a trace.
#[derive(Debug)]
pub struct Steps {
    /// The marker that was used.
    pub marker: &'static str,
    /// The steps in order of time.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Debug)]
pub struct Step {
    /// The marker.
    pub annotation: Annotation,
    /// Device records that were launched inside the marker.
    pub n_records: u64,
    /// Kernels among them.
    pub n_kernels: u64,
    /// Their summed duration.
    pub kernel_sum: Picoseconds,
    /// First start to last end of those records.
    pub device_window: Option<Interval>,
    /// Device time inside the marker's host window, whoever launched it.
    pub busy_in_host_window: Picoseconds,
}

/// Finds the steps of a trace; `None` where no marker is known.
pub(super) fn steps(trace: &Trace, launches: &Launches) -> Option<Steps> {
    let (marker, mut annotations) = MARKERS.iter().find_map(|&(prefix, marker)| {
        let found = marked(trace, prefix);
        (!found.is_empty()).then_some((marker, found))
    })?;
    annotations.sort_by_key(|annotation| (annotation.interval, annotation.thread));
    let busy = IntervalSet::from_intervals(trace.device_events.iter().map(|event| event.interval));
    let mut steps: Vec<Step> = annotations
        .into_iter()
        .map(|annotation| Step {
            annotation,
            n_records: 0,
            n_kernels: 0,
            kernel_sum: Picoseconds::ZERO,
            device_window: None,
            busy_in_host_window: busy.clip(annotation.interval).total(),
        })
        .collect();
    for (index, event) in trace.device_events.iter().enumerate() {
        let Some(call) = launches.call(trace, index) else { continue };
        let launched = call.interval.start();
        let after = steps.partition_point(|step| step.annotation.interval.start() <= launched);
        // The latest step that contains the launch; markers of one thread do not overlap.
        if let Some(step) =
            steps[..after].last_mut().filter(|step| step.annotation.interval.contains(launched))
        {
            step.add(event);
        }
    }
    Some(Steps { marker, steps })
}

fn marked(trace: &Trace, prefix: &str) -> Vec<Annotation> {
    let is_marker = |annotation: &&Annotation| trace.name(annotation.name).starts_with(prefix);
    trace.annotations.iter().filter(is_marker).copied().collect()
}

impl Step {
    fn add(&mut self, event: &DeviceEvent) {
        self.n_records += 1;
        self.device_window =
            Some(self.device_window.map_or(event.interval, |known| known.hull(event.interval)));
        if event.kind.is_kernel() {
            self.n_kernels += 1;
            self.kernel_sum += event.interval.duration();
        }
    }
}
