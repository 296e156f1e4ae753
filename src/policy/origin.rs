//! Where a value of the effective policy comes from.

use std::fmt;
use std::sync::Arc;

/// A value and its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A preset, by name.
    Preset(&'static str),
    /// A policy file.
    File {
        /// The path as it is shown.
        path: Arc<str>,
        /// The line, counted from 1.
        line: usize,
    },
    /// A flag of the command line.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Preset(name) => f.write_str(name),
            Self::File { path, line } => write!(f, "{path}:{line}"),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}
