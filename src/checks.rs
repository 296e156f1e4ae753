//! Checks: each measures one number about a capture's reliability, and names the claims that it guards.
//!
//! A check knows no level and no limit: policies do. It is one file, named by its id, and one row of [`CHECKS`].

use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Evidence, Unit, WhyNotEvaluable};
use crate::trace::Capture;

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
    /// Which side of a policy's limit is allowed; also the limit's key in policies.
    pub bound: Bound,
    /// What the measured number counts.
    pub unit: Unit,
    /// Measures a capture.
    pub measure: fn(&Capture, &Analysis) -> Measurement,
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
    },
    /// Nothing was measured.
    NotEvaluable {
        /// Whether the subject or the evidence is missing.
        why: WhyNotEvaluable,
        /// The reason, in one line.
        reason: String,
    },
}

/// Every check, in the order of reports and documentation.
pub static CHECKS: &[&Check] = &[];

/// The check with this id.
pub fn find(id: &str) -> Option<&'static Check> {
    CHECKS.iter().copied().find(|check| check.id == id)
}
