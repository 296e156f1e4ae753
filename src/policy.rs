//! Policies: which check matters how much, and where its limit lies.

use crate::report::{Level, Limit};

/// A validated policy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The preset's name or the policy file's path.
    pub name: String,
    /// Digest of its text.
    pub sha256: String,
}

/// How a policy takes one check for one capture.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// How it takes a violation.
    pub level: Level,
    /// Its limit.
    pub limit: Limit,
    /// How it takes missing evidence.
    pub missing: Level,
    /// Where level and limit come from: `default`, or the policy file with the line.
    pub origin: String,
}
