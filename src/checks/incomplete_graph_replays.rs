//! `incomplete-graph-replays`: replays of one graph own different numbers of records.

use super::{Check, Doc, Measure, Measurement, WORK_IS_MISSING, count};
use crate::analysis::Analysis;
use crate::report::{Bound, Unit};
use crate::trace::Capture;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "incomplete-graph-replays",
    summary: "graph replays own fewer records than their graph has nodes",
    doc: Doc {
        measures: "The number of replays that own fewer device records than the fullest replay of the same graph (by the \
            graph id that the records carry), or fewer kernels than the smallest stream capture that could have built them \
            (by the capture calls in this file or in a graph-capture shard beside it). Without either: fewer records than another \
            replay with the same names, and replays that own part of another's records where there are more than two such forms.",
        misleads: "Profilers also lose records inside a replay: 26–65 % of the dispatches in one reported case. Every launch \
            then owns something, coverage reads 100 %, and idle is still false.",
        remedy: "As for `under-recorded-graph-replays`. Keep the graph-capture shard beside the trace: it is what makes a \
            partial loss visible.",
        limit: "0. A stream capture may count one node more than a replay shows, or 0.2 % of them: elided nodes were measured \
            as 994 → 993 and 1567 → 1566.",
        exceptions: "Different graphs have different sizes: piecewise capture legally shows replays of 4, 15 and 12 kernels \
            in one file. Only replays of one graph, or a size that no captured graph has, count. The first and the last \
            piece of a model may own part of what a middle one does. Loss that is the same in every replay looks like \
            another graph; only a graph-capture shard or a wait for the device tells it.",
    },
    since: "0.1.0",
    guards: WORK_IS_MISSING,
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(_capture: &Capture, analysis: &Analysis) -> Measurement {
    let graphs = &analysis.graphs;
    if graphs.replays.is_empty() {
        return Measurement::not_applicable("no graph was replayed");
    }
    let Some(sum) = &graphs.shortfall else {
        return Measurement::no_evidence(
            "the records carry no graph id, and no stream capture says how many kernels a replay has",
        );
    };
    let message = if sum.n_incomplete == 0 {
        format!(
            "{} of {} replays own as many records as their graph should leave",
            sum.n_replays,
            graphs.replays.len()
        )
    } else {
        format!(
            "{} of {} replays are incomplete: they own {} to {} records, {} of {} in all",
            sum.n_incomplete,
            sum.n_replays,
            sum.extremes.0,
            sum.extremes.1,
            sum.n_records,
            sum.n_expected
        )
    };
    Measurement::measured(
        count(sum.n_incomplete),
        [
            ("incomplete_replays", json!(sum.n_incomplete)),
            ("replays_with_expectation", json!(sum.n_replays)),
            ("replays", json!(graphs.replays.len())),
            ("records", json!(sum.n_records)),
            ("expected_records", json!(sum.n_expected)),
            ("fewest_records", json!(sum.extremes.0)),
            ("most_records", json!(sum.extremes.1)),
            ("by_graph_id", json!(sum.n_by_graph_id)),
            ("by_other_replays", json!(sum.n_by_kind)),
        ],
        message,
    )
}
