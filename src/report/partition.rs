//! What the report of one part of a run says about its place in the whole.

use super::{GoldenReport, PolicyFinding};
use serde::{Deserialize, Serialize};

/// One part of a run that was divided. A part cannot know what only the whole can say, so it keeps what that takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Partition {
    /// Which part, counted from 1.
    pub part: u32,
    /// Of how many.
    pub of: u32,
    /// Digest of what was divided and of the options that shape reports: equal in all parts of one run.
    pub whole: String,
    /// Every exception of the policy, then every override, in its order.
    pub exceptions: Vec<ExceptionUse>,
    /// Goldens that no capture of this part produces; absent where the run does not look for such.
    pub unclaimed_goldens: Option<Vec<GoldenReport>>,
    /// Statements made elsewhere that are about no capture of this part, each as the fault that it is if no other part has one.
    pub unmet_statements: Vec<String>,
}

/// What a part says about one exception or override of the policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionUse {
    /// True where it excepts something in this part, or is about a capture of it.
    pub used: bool,
    /// What would be said of it if this part were all there is.
    pub finding: Option<PolicyFinding>,
}
