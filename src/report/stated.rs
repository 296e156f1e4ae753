//! Statements made elsewhere, held against a capture.

use serde::{Deserialize, Serialize};

/// One statement and what the capture says of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatedReport {
    /// What is stated, such as `device_inactive_pct`.
    pub quantity: String,
    /// What is said of it: a number, or `below` or `above` one.
    pub value: String,
    /// Where the statement stands.
    pub source: String,
    /// Whether it holds.
    pub state: StatedState,
    /// The lowest and the highest number that the capture allows, in the quantity's unit; absent where it tells none.
    pub against: Option<(f64, f64)>,
    /// The checks that keep the capture from telling, or from telling more closely.
    pub by: Vec<String>,
    /// One line for a person.
    pub message: String,
}

/// Whether a statement holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StatedState {
    /// Whatever the records leave open, it is true.
    Supported,
    /// Whatever the records leave open, it is false.
    Refuted,
    /// The capture does not tell.
    Undetermined,
}

impl StatedState {
    /// The name in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Refuted => "refuted",
            Self::Undetermined => "undetermined",
        }
    }
}
