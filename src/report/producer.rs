//! What recorded a capture, as far as it says so: two captures are compared only where this is alike.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the profiler says of itself and of the job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProducerRecords {
    /// Versions of drivers, runtimes and libraries, by the name of their field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<String, String>,
    /// What was recorded beside times, such as `with_stack`, by the name of its field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// Which rank of a job this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u64>,
    /// How many ranks the job has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world_size: Option<u64>,
}

impl ProducerRecords {
    /// True where the profiler says nothing of this.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
