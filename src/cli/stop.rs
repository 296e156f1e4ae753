//! Why a command ends without its result, and the exit code of each reason.

use idleproof::document::Mistakes;

/// A reason to end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The command line is wrong.
    Usage(String),
    /// The policy is wrong.
    Policy(Mistakes),
    /// No capture matched.
    NoCapture(String),
    /// Something outside failed, or this program did.
    Failed(String),
}

impl Stop {
    /// The exit code.
    pub(crate) const fn code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Policy(_) => 2,
            Self::NoCapture(_) => 3,
            Self::Failed(_) => 4,
        }
    }

    /// What is said, as plain text within a sentence.
    pub(crate) fn plain(&self) -> String {
        match self {
            Self::Policy(errors) => errors.to_string(),
            Self::Usage(text) | Self::NoCapture(text) | Self::Failed(text) => text.clone(),
        }
    }

    /// What is said, in terminal colours.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Policy(errors) => errors.styled(),
            Self::Usage(text) | Self::NoCapture(text) | Self::Failed(text) => {
                let red = anstyle::AnsiColor::BrightRed.on_default().bold();
                format!("{red}error{red:#}: {text}")
            }
        }
    }
}

impl From<Mistakes> for Stop {
    fn from(errors: Mistakes) -> Self {
        Self::Policy(errors)
    }
}
