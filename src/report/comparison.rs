//! Two captures held against each other: what can be compared, what changed, and what got worse beyond noise.

use super::{Microseconds, Percent, PolicyStamp, Share, Spread, Tool};
use serde::{Deserialize, Serialize};

/// Everything that a comparison of two sides has to say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparisons {
    /// [`super::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// What wrote the comparison.
    pub tool: Tool,
    /// The earlier side.
    pub before: ComparedSide,
    /// The later side.
    pub after: ComparedSide,
    /// The worst outcome of all captures.
    pub outcome: ComparisonOutcome,
    /// Captures of both sides, in order of their names before.
    pub captures: Vec<Comparison>,
    /// Captures that only the earlier side has.
    pub only_before: Vec<String>,
    /// Captures that only the later side has.
    pub only_after: Vec<String>,
    /// Captures that could not be read, each with the reason: what is said of the others does not cover them.
    pub unreadable: Vec<String>,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedSide {
    /// The file or folder that was named.
    pub path: String,
    /// The policy that its captures were judged by.
    pub policy: PolicyStamp,
}

/// What a comparison comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparisonOutcome {
    /// The structure is identical, and nothing differs beyond noise.
    Same,
    /// Something differs, and nothing got worse beyond noise.
    Changed,
    /// Something got worse: a claim, a check, or a time beyond noise.
    Regressed,
    /// The captures do not belong together, or no time of a step, a kernel or an operator can be compared.
    NotComparable,
}

impl ComparisonOutcome {
    /// The name in JSON and in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Changed => "changed",
            Self::Regressed => "regressed",
            Self::NotComparable => "not-comparable",
        }
    }
}

/// One capture before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The earlier capture's name.
    pub before: String,
    /// The later capture's name.
    pub after: String,
    /// What it comes to.
    pub outcome: ComparisonOutcome,
    /// Why times may not be compared at all: they were recorded under other conditions.
    pub incomparable: Vec<Difference>,
    /// What may explain a difference beside the program.
    pub cautions: Vec<Difference>,
    /// What became more or less reliable. It needs no statistics.
    pub reliability: Vec<ReliabilityChange>,
    /// What ran, exactly.
    pub structure: StructureChanges,
    /// How long it took. Empty where times may not be compared.
    pub times: Vec<Measure>,
}

/// Something that differs; with neither side where the words say it all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// What it is.
    pub what: String,
    /// Before; absent where nothing is known.
    pub before: Option<String>,
    /// After; absent where nothing is known.
    pub after: Option<String>,
}

/// A change of what may be stated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReliabilityChange {
    /// The claim, the check, the bounds or the share.
    pub subject: String,
    /// Before, in words.
    pub before: String,
    /// After, in words.
    pub after: String,
    /// Whether it is a loss.
    pub direction: Direction,
}

/// Whether a change is a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// It is.
    Worse,
    /// It is a gain.
    Better,
    /// Neither: it judges the workload, or a policy knows of it.
    Other,
}

/// What ran, where it differs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StructureChanges {
    /// Counts and lists.
    pub differences: Vec<Difference>,
    /// Kernels that only ran after, the longest first.
    pub appeared: Vec<KernelPresence>,
    /// How many more there are.
    pub appeared_left_out: u64,
    /// Kernels that only ran before, the longest first.
    pub vanished: Vec<KernelPresence>,
    /// How many more there are.
    pub vanished_left_out: u64,
    /// Operators with more or fewer kernels in a step, the longest first: more or less work, or links from kernels to operators that
    /// one side lacks. Their times are not compared.
    #[serde(default)]
    pub operators: Vec<OperatorKernels>,
    /// How many more there are.
    #[serde(default)]
    pub operators_left_out: u64,
}

impl StructureChanges {
    /// True where nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A kernel that ran on one side alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelPresence {
    /// Its name.
    pub name: String,
    /// How often it ran.
    pub records: u64,
    /// Sum of its durations.
    pub time_us: Microseconds,
    /// Part of the kernel time that was recorded.
    pub share: Option<Share>,
}

/// How many kernels of an operator a step has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorKernels {
    /// The operator.
    pub name: String,
    /// Before; absent where it has none.
    pub before: Option<Spread<u64>>,
    /// After; absent where it has none.
    pub after: Option<Spread<u64>>,
}

/// What was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeasureKind {
    /// The time of a step.
    StepTime,
    /// The time of one kernel's name in a step.
    Kernel,
    /// The time in a step of the kernels that belong to one operator: of JAX, to one operation's name.
    Operator,
    /// The share of the time in which the device did nothing, as bounds.
    Idle,
}

/// One quantity before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// What was compared.
    pub kind: MeasureKind,
    /// The kernel or the operator.
    pub name: Option<String>,
    /// The operator of a kernel, where all of the kernel's records belong to one and the same on both sides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<String>,
    /// Before; absent where it may not be stated.
    pub before: Option<Figure>,
    /// After; absent where it may not be stated.
    pub after: Option<Figure>,
    /// The change of the median in percent of the earlier one; of idle the change of the middle of the bounds in points.
    pub change_pct: Option<f64>,
    /// What follows.
    pub verdict: TimeVerdict,
    /// Whether it is a loss, beside what the other quantities say.
    pub direction: Direction,
    /// Two-sided, weakened for steps that depend on one another, and of kernels and operators corrected for how many they are together
    /// (Holm); absent where no test was made.
    pub p: Option<f64>,
    /// The smallest change that could have been seen, in percent or points.
    pub detectable_pct: Option<f64>,
    /// Why it was not compared, or is only suspected.
    pub reason: Option<String>,
    /// The checks that withhold it on either side.
    pub by: Vec<String>,
}

/// A quantity on one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The median over steps; of an even number the middle of the two.
    pub median_us: Option<Microseconds>,
    /// The median distance from it.
    pub mad_us: Option<Microseconds>,
    /// The bounds of idle, in percent.
    pub range_pct: Option<(Percent, Percent)>,
    /// Over how many steps.
    pub steps: Option<u64>,
    /// How many steps that depend on nothing tell as much.
    pub steps_effective: Option<f64>,
}

/// What follows from a quantity before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeVerdict {
    /// Longer, beyond noise.
    Slower,
    /// Shorter, beyond noise.
    Faster,
    /// Longer, and too few steps or another caution to be sure.
    SuspectedSlower,
    /// Shorter, likewise.
    SuspectedFaster,
    /// More of the time, and the bounds do not overlap.
    Higher,
    /// Less of the time, and the bounds do not overlap.
    Lower,
    /// No difference, and one that matters would have been seen.
    Noise,
    /// No difference that is beyond noise, and one that matters could have been hidden in it.
    Inconclusive,
    /// It may not be stated on one side or both.
    Withheld,
    /// There is nothing to compare.
    NotCompared,
}

impl TimeVerdict {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::SuspectedSlower => "slower, suspected",
            Self::SuspectedFaster => "faster, suspected",
            Self::Higher => "higher",
            Self::Lower => "lower",
            Self::Noise => "noise",
            Self::Inconclusive => "inconclusive",
            Self::Withheld => "withheld",
            Self::NotCompared => "not compared",
        }
    }

    /// True where two figures were held against each other.
    pub const fn is_compared(self) -> bool {
        !matches!(self, Self::Withheld | Self::NotCompared)
    }

    /// True where a difference is more than noise, or may be.
    pub const fn is_difference(self) -> bool {
        self.is_compared() && !matches!(self, Self::Noise | Self::Inconclusive)
    }
}

impl Comparison {
    /// The comparison of step times, where one was made.
    pub fn step_time(&self) -> Option<&Measure> {
        self.times.iter().find(|one| one.kind == MeasureKind::StepTime)
    }
}
