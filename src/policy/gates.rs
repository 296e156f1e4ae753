//! Gates that compare with a golden: they have a level in policies, but nothing to measure and no limit.

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoldenGate {
    /// An output differs from its golden.
    Differs,
    /// An output has no golden.
    Missing,
    /// A golden belongs to no capture.
    Unreferenced,
}

impl GoldenGate {
    /// Every gate, in the order of reports.
    pub const ALL: [Self; 3] = [Self::Differs, Self::Missing, Self::Unreferenced];

    /// The public id.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Differs => "golden-differs",
            Self::Missing => "golden-missing",
            Self::Unreferenced => "golden-unreferenced",
        }
    }

    /// What it reports, and what to do about it.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Differs => {
                "an output differs from its golden: accept the change or mend what caused it"
            }
            Self::Missing => "an output has no golden: accept the first one",
            Self::Unreferenced => {
                "a golden belongs to no capture: remove it, or find out where the capture went"
            }
        }
    }
}
