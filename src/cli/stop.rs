//! Why a command ends without its result, and the exit code of each reason.

use idleproof::document::Mistakes;
use idleproof::text::terminal;

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
    /// One of these, with lines below it: what is listed is one line each, whatever names it holds.
    Listing(Box<Stop>, Vec<String>),
}

impl Stop {
    /// The same with lines below it.
    pub(crate) fn listing(self, lines: Vec<String>) -> Self {
        Self::Listing(Box::new(self), lines)
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Listing(stop, _) => stop.code(),
            Self::Usage(_) | Self::Policy(_) => 2,
            Self::NoCapture(_) => 3,
            Self::Failed(_) => 4,
        }
    }

    /// What is said, as plain text within a sentence.
    pub(crate) fn plain(&self) -> String {
        match self {
            Self::Policy(errors) => errors.to_string(),
            Self::Listing(stop, lines) => format!("{}{}", stop.plain(), below(lines)),
            Self::Usage(text) | Self::NoCapture(text) | Self::Failed(text) => {
                terminal(text).into_owned()
            }
        }
    }

    /// What is said, in terminal colours. Whatever names of files and captures hold, it is one line.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Policy(errors) => errors.styled(),
            Self::Listing(stop, lines) => format!("{}{}", stop.message(), below(lines)),
            Self::Usage(text) | Self::NoCapture(text) | Self::Failed(text) => {
                let red = anstyle::AnsiColor::BrightRed.on_default().bold();
                format!("{red}error{red:#}: {}", terminal(text))
            }
        }
    }
}

fn below(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n{}", terminal(line))).collect()
}

impl From<Mistakes> for Stop {
    fn from(errors: Mistakes) -> Self {
        Self::Policy(errors)
    }
}
