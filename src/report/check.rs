//! Judged checks and the trust list.

use super::{Claim, Share};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a policy takes a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The check is switched off; the trust list says that it was not made.
    Allow,
    /// The claims are withheld; the gate passes.
    Warn,
    /// The claims are withheld; the gate fails.
    Deny,
}

impl Level {
    /// The name in policies and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }
}

/// How a policy takes missing evidence: the same levels, for a check that cannot be evaluated.
pub type Missing = Level;

/// Where a check stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Measured, and within the limit.
    Holds,
    /// Measured, and beyond it.
    Violated,
    /// Not measured: never a pass.
    NotEvaluable,
    /// Violated, under an exception of the policy that has not expired.
    Excepted,
}

/// Why a check was not evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyNotEvaluable {
    /// Its subject does not occur in the capture, so nothing can be wrong with it: no graph launch, no second rank.
    NotApplicable,
    /// The subject occurs, but the capture lacks what the check needs. A policy may deny this.
    NoEvidence,
    /// The policy switched the check off.
    SwitchedOff,
}

/// What a measured number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Things.
    Count,
    /// A part of a whole, 0 to 1.
    Share,
    /// A part of a whole, 0 to 100.
    Percent,
    /// Microseconds.
    Microseconds,
}

/// The bound that a policy sets for a measured number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// `min` or `max`.
    pub bound: Bound,
    /// The number.
    pub value: f64,
    /// What it counts.
    pub unit: Unit,
}

/// Which side of a limit is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// Measured must not be below.
    Min,
    /// Measured must not be above.
    Max,
}

impl Bound {
    /// The limit's key in policies.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

impl Limit {
    /// True where `measured` is beyond the limit.
    pub fn is_violated_by(self, measured: f64) -> bool {
        match self.bound {
            Bound::Min => measured < self.value,
            Bound::Max => measured > self.value,
        }
    }
}

/// What a check saw, by name. Plain JSON values; microseconds end in `_us`.
pub type Evidence = BTreeMap<String, serde_json::Value>;

/// One judged check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// The check's id.
    pub id: String,
    /// Where it stands.
    pub state: State,
    /// The level that the policy gives it; where evidence is missing, the level that the policy gives to that.
    pub level: Level,
    /// True where it fails the gate: violated, or not evaluable where the policy asks for the evidence, at `deny`.
    pub fails: bool,
    /// Why it was not evaluated.
    pub why: Option<WhyNotEvaluable>,
    /// The measured number, in the limit's unit.
    pub measured: Option<f64>,
    /// The policy's limit.
    pub limit: Option<Limit>,
    /// Of a share or a percentage, what it is a part of, as words behind `%`; absent of counts and times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// The claims that a violation withholds.
    pub claims: Vec<Claim>,
    /// What the check saw.
    pub evidence: Evidence,
    /// One line for a person: what was measured, or why nothing was.
    pub message: String,
    /// What to do about a violation.
    pub help: String,
    /// Where the level and limit come from, such as `default` or `idleproof.toml:7`.
    pub origin: String,
    /// The exception that covers it: reason and expiry date.
    pub exception: Option<String>,
}

/// A limit on what the capture can support.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrustItem {
    /// What it is, in one line.
    pub item: String,
    /// How many records it concerns.
    pub count: Option<u64>,
    /// Which share of the whole that the item names.
    pub share: Option<Share>,
    /// The check that found it; absent for notices.
    pub check: Option<String>,
    /// The claims that it limits.
    pub claims: Vec<Claim>,
}
