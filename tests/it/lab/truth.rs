//! What truly happened: the complete capture, asked about any window.

use super::capture::{self, Capture, Ns};
use crate::harness::read_one;
use idleproof::analysis;
use idleproof::report::CaptureReport;
use idleproof::trace::{IntervalSet, time_of};
use idleproof::units::{Interval, Picoseconds};
use std::collections::{BTreeMap, HashMap};

/// The truth about a capture.
pub(crate) struct Truth {
    /// What times here count from, on the file's axis.
    zero: Ns,
    /// By the device's name in reports.
    devices: BTreeMap<String, Device>,
}

/// The truth about a device.
#[derive(Default)]
struct Device {
    /// When it worked: the records' own union.
    busy: IntervalSet,
    /// When it waited for the host, as the complete capture's gaps are classed.
    starved: IntervalSet,
    /// When it may have.
    maybe_starved: IntervalSet,
    kernels: Vec<Kernel>,
}

/// A kernel that ran.
struct Kernel {
    start: Picoseconds,
    name: String,
    length: Ns,
}

/// The stretch of one device's time about which a report speaks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window(Interval);

impl Window {
    /// Its length.
    pub(crate) fn length(self) -> Picoseconds {
        self.0.duration()
    }
}

impl Truth {
    /// Of complete files in any format: all of it as they are read.
    pub(crate) fn of_files(files: &[(String, Vec<u8>)]) -> Self {
        let read = read_one(files).unwrap_or_else(|error| panic!("{error:?}"));
        let trace = &read.primary().trace;
        let mut truth = Self { zero: trace.origin.file_ns, devices: BTreeMap::new() };
        for device in analysis::analyse(&read).timeline.devices {
            let name = format!("gpu:{}", trace.device(device.device).raw_id);
            truth.devices.entry(name).or_default().busy = device.busy().collect();
        }
        for event in trace.device_events.iter().filter(|event| event.kind.is_kernel()) {
            let device = trace.stream(event.stream).device;
            let name = format!("gpu:{}", trace.device(device).raw_id);
            truth.devices.entry(name).or_default().kernels.push(Kernel {
                start: event.interval.start(),
                name: trace.name(event.name).to_owned(),
                length: event.interval.duration().ps() / 1_000,
            });
        }
        truth.class_gaps(files);
        truth
    }

    /// Of a complete Kineto capture. Busy time and kernels come from the text, and share no code with what is tested.
    pub(crate) fn of(capture: &Capture) -> Self {
        let (zero, _) = capture.span();
        let mut devices: BTreeMap<String, Device> = BTreeMap::new();
        let mut work: BTreeMap<String, Vec<Interval>> = BTreeMap::new();
        for event in capture.work() {
            let name = format!("gpu:{}", capture::device(event));
            let interval = Interval::starting_at(
                Picoseconds::new((capture::start(event) - zero) * 1_000),
                Picoseconds::new(capture::length(event) * 1_000),
            );
            work.entry(name.clone()).or_default().push(interval);
            let device = devices.entry(name).or_default();
            if capture::is_kernel(event) {
                device.kernels.push(Kernel {
                    start: interval.start(),
                    name: capture::name(event).to_owned(),
                    length: capture::length(event),
                });
            }
        }
        for (name, intervals) in work {
            devices.entry(name).or_default().busy = IntervalSet::from_intervals(intervals);
        }
        let mut truth = Self { zero, devices };
        truth.class_gaps(&capture.files());
        truth
    }

    /// Takes the classes of the gaps from the analysis of the complete files.
    fn class_gaps(&mut self, files: &[(String, Vec<u8>)]) {
        let read = read_one(files).unwrap_or_else(|error| panic!("{error:?}"));
        let trace = &read.primary().trace;
        let analysis = analysis::analyse(&read);
        let offset = Picoseconds::new((trace.origin.file_ns - self.zero) * 1_000);
        let moved = |set: &IntervalSet| {
            let moved =
                set.iter().map(|one| Interval::starting_at(one.start() + offset, one.duration()));
            IntervalSet::from_intervals(moved)
        };
        for (idle, timeline) in analysis.idle.devices.iter().zip(&analysis.timeline.devices) {
            let name = format!("gpu:{}", trace.device(idle.device).raw_id);
            let device = self.devices.entry(name).or_default();
            let [.., (_, dispatch), (_, starved)] = idle.gaps.within(timeline, timeline.window);
            device.starved = moved(&dispatch.union(&starved));
            device.maybe_starved = moved(&idle.gaps.suspect);
        }
    }

    /// The windows of a report, by device.
    pub(crate) fn windows(&self, report: &CaptureReport) -> BTreeMap<String, Window> {
        let records = report.records.iter().flat_map(|records| &records.devices);
        let at = |us: idleproof::report::Microseconds| {
            let ps = us.ps() - i128::from(self.zero) * 1_000;
            Picoseconds::new(i64::try_from(ps).unwrap_or(i64::MAX))
        };
        let window = |device: &idleproof::report::DeviceRecords| {
            let (start, end) = device.window_us;
            Interval::new(at(start), at(end)).map(|window| (device.name.clone(), Window(window)))
        };
        records.filter_map(window).collect()
    }

    /// How long a device did nothing in a window; `None` where the complete capture lacks the device.
    pub(crate) fn idle(&self, device: &str, window: Window) -> Option<Picoseconds> {
        Some(time_of(self.devices.get(device)?.busy.complement(window.0)))
    }

    /// For how long at least and at most a device waited for the host in a window.
    pub(crate) fn starved(
        &self,
        device: &str,
        window: Window,
    ) -> Option<(Picoseconds, Picoseconds)> {
        let device = self.devices.get(device)?;
        let known = device.busy.hull().map(|hull| IntervalSet::from_intervals([hull]));
        // What lies outside the complete capture belongs to no gap of it.
        let outside = known.unwrap_or_default().complement(window.0).collect();
        let sure = device.starved.clip(window.0);
        let most = sure.union(&device.maybe_starved.clip(window.0)).union(&outside);
        Some((sure.total(), most.total()))
    }

    /// The time of kernels by name in the windows of a report. Of a device that the report does not know, what ran meanwhile.
    pub(crate) fn kernel_time(&self, windows: &BTreeMap<String, Window>) -> BTreeMap<&str, Ns> {
        let hull = windows.values().map(|window| window.0).reduce(Interval::hull);
        let mut time: BTreeMap<&str, Ns> = BTreeMap::new();
        for (name, device) in &self.devices {
            let Some(window) = windows.get(name).map(|window| window.0).or(hull) else { continue };
            for kernel in device.kernels.iter().filter(|kernel| window.contains(kernel.start)) {
                *time.entry(&kernel.name).or_default() += kernel.length;
            }
        }
        time
    }

    /// Kernel time of a damaged capture that no kernel took: records of a name and a length beyond those that there were.
    pub(crate) fn invented_time(&self, damaged: &Capture) -> Ns {
        let kernels = self.devices.values().flat_map(|device| &device.kernels);
        let mut true_records: HashMap<(&str, Ns), u64> = HashMap::new();
        for kernel in kernels {
            *true_records.entry((&kernel.name, kernel.length)).or_default() += 1;
        }
        let mut invented = 0;
        for event in damaged.work().filter(|event| capture::is_kernel(event)) {
            let key = (capture::name(event), capture::length(event));
            match true_records.get_mut(&key).filter(|left| **left > 0) {
                Some(left) => *left -= 1,
                None => invented += key.1,
            }
        }
        invented
    }
}
