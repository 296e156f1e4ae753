//! `collective-outlier`: one collective lasts so long that it waited rather than communicated.

use super::{Check, Doc, Measure, Measurement, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::{Capture, DeviceEvent, DeviceEventKind, DeviceId};
use crate::units::Picoseconds;
use rustc_hash::FxHashMap;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "collective-outlier",
    summary: "single collectives last far longer than the others",
    doc: Doc {
        measures: "The time of collectives that last more than a hundred times the upper quartile of the others ÷ window of their \
            device, for the device where it is largest; in captures with at least three collectives.",
        misleads: "A collective kernel runs from the arrival of its own rank to the end of all, so that waiting for a late rank counts \
            as busy, as communication, and as the hottest kernel.",
        remedy: "Leave the first collective after start-up or a checkpoint out of the profiler's window, or find the late rank by the \
            captures of all ranks.",
        limit: "10 % of the window. The longest collective of 12 public captures lasts up to 80 times the median of the others where these are alike, and \
            37 times their upper quartile.",
        exceptions: "That the device was occupied stands, and so does idle. Large collectives beside small ones are no outliers as long \
            as there are several: a quarter of the others is at least as long as the quartile.",
    },
    since: "0.1.0",
    guards: &[Claim::Ranking, Claim::CollectiveSplit, Claim::StepTime, Claim::Estimate],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Share,
    part_of: Some("of the window, in outliers"),
    measure: Measure::Capture(measure),
};

/// Fewer collectives have no median to speak of.
const MIN_COLLECTIVES: usize = 3;

/// How many times the upper quartile of the others an outlier lasts: 37 times were measured in complete captures, by a rank that
/// came early.
const OUTLIER_TIMES: i64 = 100;

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let mut longest: Option<(f64, &DeviceEvent, Picoseconds, Picoseconds, usize)> = None;
    let mut by_device: FxHashMap<DeviceId, Vec<&DeviceEvent>> = FxHashMap::default();
    for event in &trace.device_events {
        if event.kind == DeviceEventKind::Collective {
            by_device.entry(trace.stream(event.stream).device).or_default().push(event);
        }
    }
    for device in &analysis.timeline.devices {
        let Some(events) = by_device.get_mut(&device.device) else { continue };
        if events.len() < MIN_COLLECTIVES {
            continue;
        }
        events.sort_by_key(|event| event.interval.duration());
        let last = events.len() - 1;
        // Of all but the longest.
        let median = events[(last - 1) / 2].interval.duration();
        let quartile = events[(last - 1) * 3 / 4].interval.duration();
        let is_outlier =
            |event: &&&DeviceEvent| event.interval.duration().ps() / OUTLIER_TIMES > quartile.ps();
        let outliers = events.iter().filter(is_outlier);
        let time: Picoseconds = outliers.map(|event| event.interval.duration()).sum();
        let Some(share) = time.share_of(device.window.duration()) else { continue };
        if longest.as_ref().is_none_or(|known| known.0 < share.share()) {
            longest = Some((share.share(), events[last], median, device.compute, events.len()));
        }
    }
    let Some((share, event, median, compute, n)) = longest else {
        return Measurement::not_applicable(
            "fewer than three collectives were recorded on a device",
        );
    };
    let length = event.interval.duration();
    let ratio = length.share_of(median).map(|ratio| ratio.share());
    let name = trace.name(event.name);
    let message = if share > 0.0 {
        format!(
            "`{name}` lasts {}, and the others {} in the median: it waited for another rank, or for nothing",
            length.human(),
            median.human()
        )
    } else {
        format!(
            "the longest of {n} collectives lasts {}, the median of the others {}",
            length.human(),
            median.human()
        )
    };
    Measurement::measured(
        share,
        [
            ("name", json!(name)),
            ("longest_us", us(length)),
            ("median_of_others_us", us(median)),
            ("ratio", json!(ratio)),
            ("compute_us", us(compute)),
            ("collectives", json!(n)),
        ],
        message,
    )
}
