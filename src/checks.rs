//! Checks: each measures one number about a capture's reliability, and names the claims that it guards.
//!
//! A check knows no level and no limit: policies do. It is one file, named by its id, and one row of [`CHECKS`].

mod above_roofline;
mod aggregated_events;
mod ambiguous_program;
mod attribution_methods_disagree;
mod collective_outlier;
mod copy_without_size;
mod damaged_records;
mod device_record_without_launch;
mod duplicate_json_keys;
mod duplicated_records;
mod executions_without_kernels;
mod export_cap_reached;
mod high_idle;
mod hlo_missing_for_program;
mod idle_with_queued_work;
mod impossible_durations;
mod incomplete_executions;
mod incomplete_graph_replays;
mod joined_to_non_launch_call;
mod json_xplane_mismatch;
mod kernel_before_launch;
mod launch_order_inverted;
mod launch_without_device_record;
mod lost;
mod low_compute;
mod low_op_attribution;
mod missing_ranks;
mod no_device_activity;
mod open_stream_budget;
mod profiler_inflated_launches;
mod profiler_reported_loss;
mod shared_correlation_ids;
mod silent_head_or_tail;
mod sync_without_recorded_work;
mod twins;
mod unaligned_rank_clocks;
mod unconfirmed_idle;
mod under_recorded_graph_replays;
mod unequal_device_work;
mod uneven_kernels_per_step;
mod unknown_device;
mod unmatched_collectives;
mod unpaired_async_ops;
mod unsupported_claim;
mod wrong_device_stats;
mod xplane_misses_json_events;

use crate::analysis::{Analysis, Run};
use crate::report::{Bound, Claim, Evidence, Microseconds, StatedReport, Unit, WhyNotEvaluable};
use crate::trace::Capture;
use crate::units::Picoseconds;
use serde_json::Value;

/// One check.
#[derive(Debug)]
pub struct Check {
    /// The public id in kebab case; it names the defect.
    pub id: &'static str,
    /// One line: the defect, as a lower-case fragment.
    pub summary: &'static str,
    /// The documentation.
    pub doc: Doc,
    /// The version that brought it.
    pub since: &'static str,
    /// The claims that a violation withholds.
    pub guards: &'static [Claim],
    /// The claim that must be supported for the check to be evaluable: it judges the workload by that figure.
    pub requires: Option<Claim>,
    /// Which side of a policy's limit is allowed; also the limit's key in policies.
    pub bound: Bound,
    /// What the measured number counts.
    pub unit: Unit,
    /// Of a share or a percentage, what it is a part of, as words behind `%`: beside a limit the number alone does not say it. `None`
    /// where the check counts things or times.
    pub part_of: Option<&'static str>,
    /// How it measures, and what.
    pub measure: Measure,
}

/// What a check is about, with how it measures that.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    /// A capture.
    Capture(fn(&Capture, &Analysis) -> Measurement),
    /// What was stated elsewhere about a capture. Made where something was.
    Stated(fn(&[StatedReport]) -> Measurement),
    /// The captures of one job, one a rank. Made where there are several.
    Run(fn(&Run) -> Measurement),
}

/// The documentation of a check, in Markdown without headings.
#[derive(Debug)]
pub struct Doc {
    /// What is measured, with the formula.
    pub measures: &'static str,
    /// Why a claim misleads without it.
    pub misleads: &'static str,
    /// What to do about a violation.
    pub remedy: &'static str,
    /// The default limit, and where the number comes from.
    pub limit: &'static str,
    /// Honest captures that might look like a violation, and how they are told apart.
    pub exceptions: &'static str,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq)]
pub enum Measurement {
    /// A number, in the check's unit.
    Measured {
        /// The number that the policy's limit is held against.
        value: f64,
        /// What was seen.
        evidence: Evidence,
        /// One line that holds whatever the limit is: `3 of 128 graph replays recorded device work`.
        message: String,
        /// What to do, where what was seen says more than the documentation can.
        help: Option<String>,
    },
    /// Nothing was measured.
    NotEvaluable {
        /// Whether the subject or the evidence is missing.
        why: WhyNotEvaluable,
        /// The reason, in one line.
        reason: String,
    },
}

/// What falls where device work ran that was not recorded: its time reads as idle, and every share, rank and step is that of
/// what is left.
const WORK_IS_MISSING: &[Claim] = &[
    Claim::Idle,
    Claim::HostStarved,
    Claim::Ranking,
    Claim::OpAttribution,
    Claim::SourceLine,
    Claim::StepTime,
    Claim::CriticalPath,
    Claim::Estimate,
];

/// Every check, in the order of reports and documentation.
pub static CHECKS: &[&Check] = &[
    &damaged_records::CHECK,
    &duplicated_records::CHECK,
    &duplicate_json_keys::CHECK,
    &profiler_reported_loss::CHECK,
    &aggregated_events::CHECK,
    &export_cap_reached::CHECK,
    &json_xplane_mismatch::CHECK,
    &xplane_misses_json_events::CHECK,
    &device_record_without_launch::CHECK,
    &launch_without_device_record::CHECK,
    &shared_correlation_ids::CHECK,
    &joined_to_non_launch_call::CHECK,
    &kernel_before_launch::CHECK,
    &launch_order_inverted::CHECK,
    &impossible_durations::CHECK,
    &silent_head_or_tail::CHECK,
    &open_stream_budget::CHECK,
    &under_recorded_graph_replays::CHECK,
    &incomplete_graph_replays::CHECK,
    &executions_without_kernels::CHECK,
    &incomplete_executions::CHECK,
    &uneven_kernels_per_step::CHECK,
    &idle_with_queued_work::CHECK,
    &sync_without_recorded_work::CHECK,
    &unconfirmed_idle::CHECK,
    &profiler_inflated_launches::CHECK,
    &no_device_activity::CHECK,
    &unequal_device_work::CHECK,
    &missing_ranks::CHECK,
    &unmatched_collectives::CHECK,
    &unaligned_rank_clocks::CHECK,
    &collective_outlier::CHECK,
    &unknown_device::CHECK,
    &wrong_device_stats::CHECK,
    &above_roofline::CHECK,
    &low_op_attribution::CHECK,
    &attribution_methods_disagree::CHECK,
    &hlo_missing_for_program::CHECK,
    &ambiguous_program::CHECK,
    &unpaired_async_ops::CHECK,
    &copy_without_size::CHECK,
    &unsupported_claim::CHECK,
    &high_idle::CHECK,
    &low_compute::CHECK,
];

/// Checks whose finding the bounds of idle take into account: where one of them withholds the claim, the bounds still stand.
/// Where another does, nothing is known that could be stated.
pub const BOUNDED: &[&str] = &[
    "damaged-records",
    "launch-without-device-record",
    "impossible-durations",
    "under-recorded-graph-replays",
    "incomplete-graph-replays",
    "executions-without-kernels",
    "incomplete-executions",
    "idle-with-queued-work",
    "sync-without-recorded-work",
    "unconfirmed-idle",
    "kernel-before-launch",
    "silent-head-or-tail",
];

/// What the checks of captures find in one.
pub fn measure(capture: &Capture, analysis: &Analysis) -> Vec<(&'static Check, Measurement)> {
    measured(|measure| match measure {
        Measure::Capture(measure) => Some(measure(capture, analysis)),
        Measure::Stated(_) | Measure::Run(_) => None,
    })
}

/// What the check of statements finds in them.
pub fn measure_stated(stated: &[StatedReport]) -> Vec<(&'static Check, Measurement)> {
    measured(|measure| match measure {
        Measure::Stated(measure) => Some(measure(stated)),
        Measure::Capture(_) | Measure::Run(_) => None,
    })
}

/// What the checks of runs find in one.
pub fn measure_run(run: &Run) -> Vec<(&'static Check, Measurement)> {
    measured(|measure| match measure {
        Measure::Run(measure) => Some(measure(run)),
        Measure::Capture(_) | Measure::Stated(_) => None,
    })
}

/// The checks of one kind, in the order of the table, each with what it found.
fn measured(found: impl Fn(Measure) -> Option<Measurement>) -> Vec<(&'static Check, Measurement)> {
    CHECKS.iter().filter_map(|&check| Some((check, found(check.measure)?))).collect()
}

/// The check with this id.
pub fn find(id: &str) -> Option<&'static Check> {
    CHECKS.iter().copied().find(|check| check.id == id)
}

impl Measurement {
    /// A measured number with what was seen.
    fn measured<const N: usize>(value: f64, evidence: [(&str, Value); N], message: String) -> Self {
        let evidence = evidence.map(|(key, value)| (key.to_owned(), value));
        Self::Measured { value, evidence: evidence.into(), message, help: None }
    }

    /// The same with what to do about it, as far as the evidence tells.
    fn advising(self, told: impl Into<String>) -> Self {
        match self {
            Self::Measured { value, evidence, message, .. } => {
                Self::Measured { value, evidence, message, help: Some(told.into()) }
            }
            without => without,
        }
    }

    /// The subject does not occur in the capture.
    fn not_applicable(reason: impl Into<String>) -> Self {
        Self::NotEvaluable { why: WhyNotEvaluable::NotApplicable, reason: reason.into() }
    }

    /// The subject occurs, but the capture lacks what the check needs.
    fn no_evidence(reason: impl Into<String>) -> Self {
        Self::NotEvaluable { why: WhyNotEvaluable::NoEvidence, reason: reason.into() }
    }
}

/// A time as evidence: microseconds, exact.
fn us(time: Picoseconds) -> Value {
    serde_json::to_value(Microseconds::from(time)).unwrap_or(Value::Null)
}

/// A count as the number that a limit is held against.
fn count(n: u64) -> f64 {
    n as f64
}
