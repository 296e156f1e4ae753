//! Claims: what a reader would conclude from a report, and whether the capture supports it.

use super::{CaptureReport, Percent};
use serde::{Deserialize, Serialize};

/// A kind of statement about the machine, as opposed to the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// The device was idle for this share of the time.
    Idle,
    /// The device waited for the host.
    HostStarved,
    /// This kernel, or all of them, took this long.
    KernelTime,
    /// This kernel is hotter than that one.
    Ranking,
    /// This operator launched that kernel time.
    OpAttribution,
    /// This source line launched that kernel time.
    SourceLine,
    /// A step takes this long.
    StepTime,
    /// This chain of records decides the length of the step.
    CriticalPath,
    /// This part of a collective is transfer and that part is waiting.
    CollectiveSplit,
    /// This kernel reaches that part of what the device can do.
    Roofline,
    /// Removing this cause would save that much.
    Estimate,
}

impl Claim {
    /// Every claim, in the order of the report.
    pub const ALL: [Self; 11] = [
        Self::Idle,
        Self::HostStarved,
        Self::KernelTime,
        Self::Ranking,
        Self::OpAttribution,
        Self::SourceLine,
        Self::StepTime,
        Self::CriticalPath,
        Self::CollectiveSplit,
        Self::Roofline,
        Self::Estimate,
    ];

    /// The name in JSON and in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::HostStarved => "host_starved",
            Self::KernelTime => "kernel_time",
            Self::Ranking => "ranking",
            Self::OpAttribution => "op_attribution",
            Self::SourceLine => "source_line",
            Self::StepTime => "step_time",
            Self::CriticalPath => "critical_path",
            Self::CollectiveSplit => "collective_split",
            Self::Roofline => "roofline",
            Self::Estimate => "estimate",
        }
    }

    /// What it states, as a noun, in outputs for people.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::HostStarved => "waiting for the host",
            Self::KernelTime => "kernel time",
            Self::Ranking => "kernel ranking",
            Self::OpAttribution => "operator time",
            Self::SourceLine => "source-line time",
            Self::StepTime => "step time",
            Self::CriticalPath => "critical path",
            Self::CollectiveSplit => "collective split",
            Self::Roofline => "roofline",
            Self::Estimate => "estimates of savings",
        }
    }
}

/// Whether a claim may be stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimState {
    /// The records carry it.
    Supported,
    /// They may not: a check that guards it is violated.
    Withheld,
    /// There is nothing to compute it from.
    #[default]
    Undefined,
}

impl ClaimState {
    /// The name in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Withheld => "withheld",
            Self::Undefined => "undefined",
        }
    }
}

/// The state of one claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimReport {
    /// Whether it may be stated.
    pub state: ClaimState,
    /// The ids of the checks that withhold it.
    pub by: Vec<String>,
}

/// The state of the idle claim, with its bounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IdleClaim {
    /// Whether it may be stated.
    pub state: ClaimState,
    /// The ids of the checks that withhold it.
    pub by: Vec<String>,
    /// Share of the window in which the device did no work: lowest and highest value that the records allow, over devices.
    pub device_inactive_pct: Option<(Percent, Percent)>,
    /// Share of the window in which the device waited for the host, in the same form.
    pub host_starved_pct: Option<(Percent, Percent)>,
}

/// Every claim of a capture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Claims {
    /// [`Claim::Idle`].
    pub idle: IdleClaim,
    /// [`Claim::HostStarved`].
    pub host_starved: ClaimReport,
    /// [`Claim::KernelTime`].
    pub kernel_time: ClaimReport,
    /// [`Claim::Ranking`].
    pub ranking: ClaimReport,
    /// [`Claim::OpAttribution`].
    pub op_attribution: ClaimReport,
    /// [`Claim::SourceLine`].
    pub source_line: ClaimReport,
    /// [`Claim::StepTime`].
    pub step_time: ClaimReport,
    /// [`Claim::CriticalPath`].
    pub critical_path: ClaimReport,
    /// [`Claim::CollectiveSplit`].
    pub collective_split: ClaimReport,
    /// [`Claim::Roofline`].
    pub roofline: ClaimReport,
    /// [`Claim::Estimate`].
    pub estimate: ClaimReport,
}

impl Claims {
    /// The state of one claim and the checks that withhold it.
    pub fn get(&self, claim: Claim) -> (ClaimState, &[String]) {
        let plain = match claim {
            Claim::Idle => return (self.idle.state, &self.idle.by),
            Claim::HostStarved => &self.host_starved,
            Claim::KernelTime => &self.kernel_time,
            Claim::Ranking => &self.ranking,
            Claim::OpAttribution => &self.op_attribution,
            Claim::SourceLine => &self.source_line,
            Claim::StepTime => &self.step_time,
            Claim::CriticalPath => &self.critical_path,
            Claim::CollectiveSplit => &self.collective_split,
            Claim::Roofline => &self.roofline,
            Claim::Estimate => &self.estimate,
        };
        (plain.state, &plain.by)
    }

    /// The same, for the judge.
    pub(crate) fn get_mut(&mut self, claim: Claim) -> (&mut ClaimState, &mut Vec<String>) {
        let plain = match claim {
            Claim::Idle => return (&mut self.idle.state, &mut self.idle.by),
            Claim::HostStarved => &mut self.host_starved,
            Claim::KernelTime => &mut self.kernel_time,
            Claim::Ranking => &mut self.ranking,
            Claim::OpAttribution => &mut self.op_attribution,
            Claim::SourceLine => &mut self.source_line,
            Claim::StepTime => &mut self.step_time,
            Claim::CriticalPath => &mut self.critical_path,
            Claim::CollectiveSplit => &mut self.collective_split,
            Claim::Roofline => &mut self.roofline,
            Claim::Estimate => &mut self.estimate,
        };
        (&mut plain.state, &mut plain.by)
    }
}

/// A figure as a human report may print it.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<T> {
    /// Print it.
    Stated(T),
    /// Print an em dash and these check ids.
    Withheld(Vec<String>),
    /// Print that there is nothing to compute it from.
    Undefined,
}

impl CaptureReport {
    /// A figure behind the claim that it would make. Human renderers print claims through this and nothing else.
    pub fn cell<T>(&self, claim: Claim, figure: Option<T>) -> Cell<T> {
        match (self.claims.get(claim), figure) {
            ((ClaimState::Withheld, by), _) => Cell::Withheld(by.to_vec()),
            ((ClaimState::Supported, _), Some(figure)) => Cell::Stated(figure),
            _ => Cell::Undefined,
        }
    }
}
