//! `device-record-without-launch`: device work that no recorded call launched.

use super::{Check, Doc, Measure, Measurement, count, us};
use crate::analysis::{Analysis, JoinMethod, Launch};
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use crate::units::Picoseconds;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "device-record-without-launch",
    summary: "device records have no launch call",
    doc: Doc {
        measures: "The number of device records that carry an id which no recorded call carries, less those that were \
            launched before recording began: on their stream they precede everything that recorded calls launched, and \
            their ids are below every recorded one.",
        misleads: "Call records were lost, filtered or stripped. If launches are missing, so may be the graph launches by \
            which lost replays would be found: how busy the device was and what ran most cannot be told, and the operators of \
            this work are unknown.",
        remedy: "Record runtime and driver activity together with device activity, and do not filter the file before it \
            is judged; audit the unsplit capture.",
        limit: "0: in every complete public capture all 3,426 records without a call belong to the prefix.",
        exceptions: "A window that opens on a busy device starts with work of the previous step. That prefix is a class \
            of its own, with its count on the trust list, and violates nothing.",
    },
    since: "0.1.0",
    guards: &[
        Claim::Idle,
        Claim::HostStarved,
        Claim::Ranking,
        Claim::OpAttribution,
        Claim::SourceLine,
        Claim::CriticalPath,
        Claim::Estimate,
    ],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    if trace.device_events.is_empty() {
        return Measurement::not_applicable("no device work was recorded");
    }
    if trace.host_calls.is_empty() {
        return Measurement::no_evidence(
            "no runtime or driver call was recorded: the device's side stands alone",
        );
    }
    if analysis.launches.method == JoinMethod::None {
        return Measurement::no_evidence(
            "device records carry neither a correlation id, nor an external id, nor a flow",
        );
    }
    let events = || trace.device_events.iter().zip(&analysis.launches.of_event);
    // Records without any id are the business of `shared-correlation-ids`.
    let by_correlation = analysis.launches.method == JoinMethod::Correlation;
    let unlinked = || {
        events().filter(|(event, launch)| {
            **launch == Launch::UNKNOWN && (event.correlation.is_some() || !by_correlation)
        })
    };
    let before = events().filter(|(_, launch)| **launch == Launch::BEFORE_WINDOW).count();
    let n = unlinked().count();
    let time: Picoseconds = unlinked().map(|(event, _)| event.interval.duration()).sum();
    let first = unlinked().next().map(|(event, _)| trace.name(event.name));
    let all = trace.device_events.len();
    let message = match first {
        None => format!(
            "every one of {all} device records has its call, or was launched before recording began ({before})"
        ),
        Some(name) => {
            format!("{n} of {all} device records have no launch call in the file, such as `{name}`")
        }
    };
    Measurement::measured(
        count(n as u64),
        [
            ("records", json!(n)),
            ("time_us", us(time)),
            ("device_records", json!(all)),
            ("launched_before_window", json!(before)),
            ("replayed_by_graphs", json!(analysis.graphs.n_unlinked)),
            ("first", json!(first)),
        ],
        message,
    )
}
