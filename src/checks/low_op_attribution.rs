//! `low-op-attribution`: most kernel time has no operator of its own.

use super::{Check, Doc, Measure, Measurement, us};
use crate::analysis::hlo::HloClass;
use crate::analysis::{Analysis, Class, HloAttribution};
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use crate::units::grouped;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "low-op-attribution",
    summary: "most kernel time has no operator of its own",
    doc: Doc {
        measures: "Kernel time with an operator of its own (by external id, or by the innermost operator around the launch \
            call) ÷ kernel time that was launched while recording. Kernels of a graph replay share the operator of the launch, \
            if any, so they have none of their own. In a JAX capture: kernel time with an HLO instruction, by the tracer's label \
            or by the order of the program's schedule ÷ all kernel time.",
        misleads: "An operator table then ranks the few per cent that could be linked, as if that were the workload. XProf's \
            operation views leave kernels without a label out and count their time as idle.",
        remedy: "Where kernels run in graph replays: capture the same steps once more with graphs off, for attribution alone. Where they have no \
            operator: record operators on every thread that launches (JAX: keep the programs' HLO). Kernels by recorded time need none.",
        limit: "50 %: below it most of the time is missing from the table. Public captures have 97 % and more where operators \
            launch kernels, and 15 % and less where graphs replay them. Raise it where you gate on operator tables.",
        exceptions: "Kernels launched before recording began are a class of their own and in neither sum. A capture without \
            operators makes no operator claim.",
    },
    since: "0.1.0",
    guards: &[Claim::OpAttribution, Claim::SourceLine],
    requires: None,
    bound: Bound::Min,
    unit: Unit::Share,
    part_of: Some("of kernel time with an operator"),
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    if let Some(hlo) = &analysis.hlo {
        return measure_hlo(hlo);
    }
    let attribution = &analysis.attribution;
    if capture.primary().trace.ops.is_empty() {
        return Measurement::not_applicable("no operator was recorded");
    }
    let Some(coverage) = attribution.coverage() else {
        return Measurement::not_applicable("no kernel was launched while recording");
    };
    let time = |class| us(attribution.class(class).1);
    let graph = attribution.class(Class::Graph);
    let n = |number: u64| grouped(&number.to_string());
    let message = format!(
        "an operator of its own is known for {} of {} kernel time launched while recording; of the rest, {} kernels ran in graph \
         replays and {} have no operator",
        (attribution.class(Class::Correlation).1 + attribution.class(Class::Nesting).1).human(),
        (attribution.kernel_time - attribution.class(Class::BeforeWindow).1).human(),
        n(graph.0),
        n(attribution.class(Class::None).0)
    );
    Measurement::measured(
        coverage.share(),
        [
            ("by_correlation_us", time(Class::Correlation)),
            ("by_nesting_us", time(Class::Nesting)),
            ("graph_us", time(Class::Graph)),
            ("before_window_us", time(Class::BeforeWindow)),
            ("none_us", time(Class::None)),
            ("graph_kernels", json!(graph.0)),
            ("unattributed_kernels", json!(attribution.class(Class::None).0)),
        ],
        message,
    )
    .advising(remedy(graph.1 > attribution.class(Class::None).1))
}

/// Graphs off helps against graphs alone.
fn remedy(in_graphs: bool) -> &'static str {
    if in_graphs {
        "Most of the rest runs in graph replays: capture the same steps once more with graphs off, for attribution alone. Times are those of this capture."
    } else {
        "Most of the rest has no operator around its launch: record operators on every thread that launches (PyTorch: ProfilerActivity.CPU)."
    }
}

fn measure_hlo(hlo: &HloAttribution) -> Measurement {
    let Some(coverage) = hlo.coverage() else {
        return Measurement::not_applicable("no kernel was recorded");
    };
    let left_out = hlo.counts.left_out_by_op_views();
    let none = hlo.class(HloClass::None);
    let message = format!(
        "instructions are known for {} of {} kernel time ({} kernels belong to none); XProf's operation views leave out {}",
        (hlo.kernels.time - none.time).human(),
        hlo.kernels.time.human(),
        none.n,
        left_out.time.human()
    );
    let time = |class| us(hlo.class(class).time);
    let left_out_share = left_out.time.share_of(hlo.kernels.time).map(|ratio| ratio.share());
    Measurement::measured(
        coverage.share(),
        [
            ("exact_us", time(HloClass::Exact)),
            ("exact_label_us", time(HloClass::ExactLabel)),
            ("name_us", time(HloClass::Name)),
            ("order_us", time(HloClass::Order)),
            ("none_us", time(HloClass::None)),
            ("unattributed_kernels", json!(none.n)),
            ("graph_kernels_without_label", json!(hlo.counts.graph_without_label.n)),
            ("graph_without_label_us", us(hlo.counts.graph_without_label.time)),
            ("left_out_by_op_views_us", us(left_out.time)),
            ("left_out_by_op_views_share", json!(left_out_share)),
        ],
        message,
    )
}
