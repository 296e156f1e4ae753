//! `under-recorded-graph-replays`: graphs were replayed, but their work was not recorded.

use super::{Check, Doc, Measure, Measurement, WORK_IS_MISSING, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Unit};
use crate::trace::Capture;
use crate::units::{Picoseconds, Ratio};
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "under-recorded-graph-replays",
    summary: "graph replays ran, but their kernels were not recorded",
    doc: Doc {
        measures: "Recorded coverage of graph replays: graph launch calls that own at least one device record (kernel, \
            copy or fill) ÷ all of them, by runtime and driver call alike, over the whole record. Where the capture says \
            how many records replays should own (see `incomplete-graph-replays`), the smaller of that coverage and \
            records ÷ expected records.",
        misleads: "Under CUDA and HIP graph replay profilers drop device records. The union of what is left is tiny, so a \
            saturated GPU reads 99 % idle, and operators and rankings describe what survived. The share of attributed \
            time even rises as graph kernels are lost.",
        remedy: "Capture again with graphs off or with fewer replays, with a larger activity buffer, or with a profiler \
            version that records them. Busy time is a lower bound, and the hot kernels are those that were recorded.",
        limit: "1.0: each of the 32 graph launches of the complete captures at hand and all of 115 found in public test \
            suites own records. Reported incidents lie between 0 and 0.9.",
        exceptions: "A graph workload that is fully recorded and truly idle holds: coverage decides, never the idle share. \
            Launches inside stream capture add a child graph and run nothing. Launches at the very end that recording cannot \
            have covered are left out, if others are recorded.",
    },
    since: "0.1.0",
    guards: WORK_IS_MISSING,
    requires: None,
    bound: Bound::Min,
    unit: Unit::Share,
    part_of: Some("of graph launches with records"),
    measure: Measure::Capture(measure),
};

fn measure(_capture: &Capture, analysis: &Analysis) -> Measurement {
    let graphs = &analysis.graphs;
    let (all, with, accountable) =
        (graphs.replays.len(), graphs.n_with_records(), graphs.n_accountable());
    if all == 0 {
        return match graphs.n_unlinked {
            0 => Measurement::not_applicable("no graph was replayed"),
            n => Measurement::no_evidence(format!(
                "{n} device records say that a graph replay dispatched them, but no graph launch call is in the file"
            )),
        };
    }
    let Some(launch_coverage) = Ratio::new(with, accountable) else {
        return Measurement::no_evidence("every graph launch lies at the end of recording");
    };
    let node_coverage = graphs.shortfall.as_ref().and_then(|sum| sum.node_coverage());
    let coverage = node_coverage
        .map_or(launch_coverage.share(), |nodes| nodes.share().min(launch_coverage.share()));
    let busy: Picoseconds = analysis.timeline.devices.iter().map(|device| device.busy_time()).sum();
    let window: Picoseconds =
        analysis.timeline.devices.iter().map(|device| device.window.duration()).sum();
    let least = graphs.replays.iter().map(|replay| replay.n_records).min();
    let most = graphs.replays.iter().map(|replay| replay.n_records).max();
    let message = match node_coverage {
        Some(nodes) if nodes.share() < launch_coverage.share() => format!(
            "graph replays left {} of the {} device records that their graphs should leave: how busy the device was is not in \
             this capture",
            nodes.part(),
            nodes.whole()
        ),
        _ if with == accountable => {
            format!("each of {accountable} graph replays left device records")
        }
        _ => format!(
            "{} of {accountable} graph replays left no device record: how busy the device was is not in this capture ({} of work \
             is recorded in a window of {})",
            accountable - with,
            busy.human(),
            window.human()
        ),
    };
    Measurement::measured(
        coverage,
        [
            ("launches", json!(all)),
            ("launches_with_records", json!(with)),
            ("cut_off_at_the_end", json!(all as u64 - accountable)),
            ("kernels", json!(graphs.n_kernels)),
            ("fewest_records", json!(least)),
            ("most_records", json!(most)),
            ("node_coverage", json!(node_coverage.map(Ratio::share))),
            ("recorded_busy_at_least_us", us(busy)),
            ("window_us", us(window)),
        ],
        message,
    )
}
