//! `wrong-device-stats`: what the profiler states of a device is not what its vendor states.

use super::{Check, Doc, Measure, Measurement};
use crate::analysis::Analysis;
use crate::analysis::roofline::Model;
use crate::report::{Bound, Unit};
use crate::trace::{Capture, DeviceProperties};
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "wrong-device-stats",
    summary: "the profiler states a bandwidth or a clock that the device does not have",
    doc: Doc {
        measures: "The largest difference, in percent of the vendor's figure, of the memory bandwidth and of the clock that the profiler \
            states for devices with work whose model is known.",
        misleads: "XLA computes the bandwidth as 2 × memory clock × bus width: right for HBM2, and half of the truth on AMD's HBM3 \
            devices. Tools that use it print a ridge twice too far to the right, and memory-bound operations at 100 % and more.",
        remedy: "Use the peaks of the report's roofline, which are the vendor's and name their document. The stated figures are not used here.",
        limit: "5 %: bandwidths are rounded in data sheets, and clocks to bins.",
        exceptions: "A capture of an MI300X by JAX always states 2,662 GB/s of 5,300. A lowered clock is a setting of the machine, and \
            changes what it can do: peaks stay those of the vendor.",
    },
    since: "0.1.0",
    guards: &[],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Percent,
    part_of: Some("off the vendor's figure"),
    measure: Measure::Capture(measure),
};

/// A figure that the profiler states, beside the vendor's, in the same unit.
struct Stated {
    what: &'static str,
    unit: &'static str,
    stated: f64,
    vendor: f64,
}

impl Stated {
    fn difference_pct(&self) -> f64 {
        (self.stated / self.vendor - 1.0).abs() * 100.0
    }
}

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let known =
        analysis.roofline.devices.iter().filter_map(|one| Some((one, one.roof.as_ref().ok()?)));
    let mut stated: Vec<(String, Stated)> = Vec::new();
    for (devices, roof) in known {
        // A partition may see a part of the memory.
        let whole = roof.partition.is_none();
        for id in devices.devices.iter().map(|&device| trace.device(device).raw_id) {
            let listed = trace.profiler.device_properties.iter().find(|one| one.id == id);
            let figures = listed.map(|listed| figures(roof.model, listed)).unwrap_or_default();
            let figures = figures.into_iter().filter(|figure| whole || figure.what == "clock");
            stated.extend(figures.map(|figure| (format!("gpu:{id}"), figure)));
        }
    }
    let worst = stated.iter().max_by(|a, b| a.1.difference_pct().total_cmp(&b.1.difference_pct()));
    let Some((device, figure)) = worst else {
        return Measurement::not_applicable(
            "the profiler states neither bandwidth nor clock of a known device",
        );
    };
    let Stated { what, unit, stated: said, vendor } = figure;
    let message = format!(
        "the profiler states a {what} of {said:.0} {unit} for {device}, the vendor {vendor:.0} {unit}"
    );
    Measurement::measured(
        figure.difference_pct(),
        [
            ("device", json!(device)),
            ("figure", json!(what)),
            ("stated", json!(said)),
            ("vendor", json!(vendor)),
            ("unit", json!(unit)),
            ("figures", json!(stated.len())),
        ],
        message,
    )
}

fn figures(model: &Model, listed: &DeviceProperties) -> Vec<Stated> {
    let bandwidth = listed.memory_bandwidth.map(|stated| Stated {
        what: "memory bandwidth",
        unit: "GB/s",
        stated: stated as f64 / 1e9,
        vendor: model.bandwidth,
    });
    let clock = listed.clock_khz.zip(model.clock_mhz).map(|(khz, mhz)| Stated {
        what: "clock",
        unit: "MHz",
        stated: khz as f64 / 1e3,
        vendor: mhz as f64,
    });
    bandwidth.into_iter().chain(clock).collect()
}
