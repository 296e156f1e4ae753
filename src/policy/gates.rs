//! Gates that compare with a golden: they have a level in policies, but nothing to measure and no limit.

use crate::report::GoldenState;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoldenGate {
    /// The public id.
    pub id: &'static str,
    /// What it reports, and what to do about it.
    pub summary: &'static str,
}

/// Every gate, in the order of reports.
pub static GOLDEN_GATES: [GoldenGate; 3] = [
    gate(
        GoldenState::Changed,
        "an output differs from its golden: accept the change, or mend what caused it",
    ),
    gate(GoldenState::Missing, "an output has no golden: accept the first one"),
    gate(
        GoldenState::Unreferenced,
        "a golden belongs to no capture: remove it, or find out where the capture went",
    ),
];

const fn gate(state: GoldenState, summary: &'static str) -> GoldenGate {
    match state.check() {
        Some(id) => GoldenGate { id, summary },
        None => panic!("a golden that is as it should be passes no gate"),
    }
}
