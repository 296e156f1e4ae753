//! Steps: the marked or repeated parts of a run, with the device work that was launched inside each.
//!
//! Device work belongs to the step of its launch. Under asynchronous launch it runs later than the marker, so the
//! marker's own host window says little about it. A step's time is counted on the device: from the first start of its
//! work to the first start of the next step's.

mod complete;
mod delimit;
mod lay_out;
mod samples;

pub use complete::Incomplete;
pub use delimit::Delimiter;
pub(super) use lay_out::lay_out;
pub(super) use samples::{Samples, samples};

use super::graphs::Graphs;
use super::hlo::HloAttribution;
use super::launches::Launches;
use super::timeline::Timeline;
use crate::trace::{DeviceEvent, DeviceId, Trace};
use crate::units::{Interval, Picoseconds};
use delimit::{Bounds, Delimited};

/// A step time is claimed from this many steps on: first and last may be cut, and one step has no spread.
pub const MIN_STEPS: usize = 3;

/// The steps of a trace.
#[derive(Debug)]
pub struct Steps {
    /// What delimits them.
    pub delimiter: Delimiter,
    /// The marker that was used.
    pub marker: String,
    /// Of executions: the program, by index of `Trace::programs`.
    pub program: Option<u32>,
    /// The steps in order of time.
    pub steps: Vec<Step>,
    /// The step of each device record, by index; [`NO_STEP`] where its launch is unknown or in none.
    of_event: Vec<u32>,
}

/// Stands for no step: records are many, and an `Option` would double what they take.
const NO_STEP: u32 = u32::MAX;

/// One step.
#[derive(Debug)]
pub struct Step {
    /// Its name, with its number.
    pub name: String,
    /// Its span on the host: the marker, or from what begins it to what begins the next.
    pub host: Interval,
    /// Device records that were launched inside it.
    pub n_records: u64,
    /// Kernels among them.
    pub n_kernels: u64,
    /// Their summed duration.
    pub kernel_sum: Picoseconds,
    /// First start to last end of those records, over all devices.
    pub device_window: Option<Interval>,
    /// The same on each device with such records, in the order of the trace's devices.
    pub devices: Vec<(DeviceId, Interval)>,
    /// Device time inside its span on the host, whoever launched it.
    pub busy_in_host_window: Picoseconds,
    /// Why its records do not cover it, where they do not.
    pub incomplete: Option<Incomplete>,
}

/// The time of one step on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepTime {
    /// The step, by index.
    pub step: usize,
    /// The device; `None` where no device work tells, and the marker's own start does.
    pub device: Option<DeviceId>,
    /// From the start of the step to the start of the next one.
    pub window: Interval,
}

/// Finds the steps of a trace; `None` where nothing delimits any.
pub(super) fn steps(
    trace: &Trace,
    timeline: &Timeline,
    launches: &Launches,
    graphs: &Graphs,
    hlo: Option<&HloAttribution>,
) -> Option<Steps> {
    let Delimited { delimiter, marker, program, bounds } =
        delimit::delimit(trace, launches, graphs, hlo)?;
    let mut steps: Vec<Step> = bounds
        .iter()
        .map(|bound| Step {
            name: bound.name.clone(),
            host: bound.host,
            n_records: 0,
            n_kernels: 0,
            kernel_sum: Picoseconds::ZERO,
            device_window: None,
            devices: Vec::new(),
            busy_in_host_window: busy_in(timeline, bound.host),
            incomplete: None,
        })
        .collect();
    let mut of_event = vec![NO_STEP; trace.device_events.len()];
    for (index, event) in trace.device_events.iter().enumerate() {
        let Some(call) = launches.call(trace, index) else { continue };
        let device = trace.stream(event.stream).device;
        if let Some(step) = Bounds::step_of(&bounds, device, call.interval.start()) {
            steps[step].add(event, device);
            of_event[index] = u32::try_from(step).unwrap_or(NO_STEP);
        }
    }
    complete::mark(trace, launches, &bounds, delimiter, &mut steps);
    Some(Steps { delimiter, marker, program, steps, of_event })
}

/// How long any device ran anything in a span.
fn busy_in(timeline: &Timeline, span: Interval) -> Picoseconds {
    let idle = timeline.devices.iter().map(|device| device.idle_in(span));
    let idle = idle.reduce(|all, one| all.intersection(&one));
    idle.map_or(Picoseconds::ZERO, |idle| span.duration() - idle.total())
}

impl Step {
    fn add(&mut self, event: &DeviceEvent, device: DeviceId) {
        let hull = |known: Option<Interval>| {
            known.map_or(event.interval, |known| known.hull(event.interval))
        };
        self.n_records += 1;
        self.device_window = Some(hull(self.device_window));
        match self.devices.binary_search_by_key(&device, |&(known, _)| known) {
            Ok(at) => self.devices[at].1 = hull(Some(self.devices[at].1)),
            Err(at) => self.devices.insert(at, (device, event.interval)),
        }
        if event.kind.is_kernel() {
            self.n_kernels += 1;
            self.kernel_sum += event.interval.duration();
        }
    }

    /// Where its work began on a device.
    fn start_on(&self, device: DeviceId) -> Option<Picoseconds> {
        let found = self.devices.iter().find(|(known, _)| *known == device);
        found.map(|(_, window)| window.start())
    }

    /// The device whose work ends last in it; of several the first.
    pub fn critical_device(&self) -> Option<DeviceId> {
        let last = self.devices.iter().map(|(_, window)| window.end()).max()?;
        self.devices.iter().find(|(_, window)| window.end() == last).map(|&(device, _)| device)
    }
}

impl Steps {
    /// True where a marker was recorded, as opposed to work that repeats.
    pub const fn are_marked(&self) -> bool {
        self.delimiter.is_marker()
    }

    /// The step of a device record, by index.
    pub fn of_event(&self, index: usize) -> Option<usize> {
        let step = self.of_event.get(index).copied().filter(|&step| step != NO_STEP)?;
        usize::try_from(step).ok()
    }

    /// Steps that the records cover.
    pub fn n_complete(&self) -> usize {
        self.steps.iter().filter(|step| step.incomplete.is_none()).count()
    }

    /// The time of each complete step on each of its devices: to the start of the next step's work there. Where no device work
    /// tells, from marker to marker.
    pub fn times(&self) -> Vec<StepTime> {
        let mut times = Vec::new();
        for (step, pair) in self.steps.windows(2).enumerate() {
            let [one, next] = pair else { continue };
            if one.incomplete.is_some() || !next.begins_in_full() {
                continue;
            }
            if one.devices.is_empty() {
                let window = Interval::new(one.host.start(), next.host.start());
                times.extend(window.map(|window| StepTime { step, device: None, window }));
            }
            for &(device, window) in &one.devices {
                let window =
                    next.start_on(device).and_then(|end| Interval::new(window.start(), end));
                times.extend(window.map(|window| StepTime { step, device: Some(device), window }));
            }
        }
        times
    }

    /// The time of each step on the device whose work ends last in it.
    pub fn critical_times(&self) -> Vec<StepTime> {
        let is_critical = |time: &StepTime| {
            time.device.is_some() && self.steps[time.step].critical_device() == time.device
        };
        self.times().into_iter().filter(is_critical).collect()
    }

    /// The step of median time, with its window; of an even number the lower one, of equal ones the earlier.
    pub fn median(&self) -> Option<StepTime> {
        let mut times = self.critical_times();
        times.sort_by_key(|time| (time.window.duration(), time.step));
        times.get(times.len().checked_sub(1)? / 2).copied()
    }
}

impl Step {
    /// True where the start of its work is known: it is complete, or cut at its end alone.
    fn begins_in_full(&self) -> bool {
        matches!(self.incomplete, None | Some(Incomplete::CutAtEnd | Incomplete::NoNext))
    }
}
