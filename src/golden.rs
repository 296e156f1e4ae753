//! Goldens: stored outputs in insta's file format, compared body with body.
//!
//! The comparison is this project's own, and no environment variable changes it: insta's run-time assertion can be told
//! to pass. A golden that cannot be read is an error and never counts as new; a file is written beside its place and
//! renamed into it, so that none is ever half written.

mod figures;
mod file;
mod folder;
mod name;
mod orphans;
mod stub;

pub use figures::Within;
pub use file::{Golden, Header, body_text};
pub use folder::{
    Compared, Folders, Pending, Selection, accept, compare, pending, reject, write_pending,
};
pub use name::file_name;
pub use orphans::{Orphan, prune, unreferenced};
pub use stub::write_stub;

use crate::report::{CaptureReport, Report};
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// An output of one capture, as a golden would hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The capture's name.
    pub capture: String,
    /// The output's kind, such as `trust`.
    pub output: String,
    /// What the file says about itself.
    pub header: Header,
    /// The text that is compared.
    pub body: String,
}

impl Rendered {
    /// The output `output` of a capture of this report; `body` is its text.
    pub fn new(report: &Report, capture: &CaptureReport, output: &str, body: String) -> Self {
        let mut info = vec![
            ("capture".to_owned(), capture.name.clone()),
            ("schema_version".to_owned(), report.schema_version.to_string()),
            ("tool_version".to_owned(), report.tool.version.clone()),
        ];
        let first = capture.files.first();
        if let Some(sha256) = first.and_then(|file| file.sha256.clone()) {
            info.push(("sha256".to_owned(), sha256));
        }
        let path = first.map(|file| file.path.clone());
        let header = Header {
            source: Some(report.policy.name.clone()),
            description: None,
            expression: path
                .as_ref()
                .map(|path| format!("idleproof report {path} --report {output}=-")),
            info,
            input_file: path,
        };
        Self { capture: capture.name.clone(), output: output.to_owned(), header, body }
    }

    /// The name of the golden's file.
    pub fn file_name(&self) -> String {
        file_name(&self.capture, &self.output)
    }
}

/// Why goldens could not be compared or written.
#[derive(Debug)]
pub enum GoldenError {
    /// A file could not be read or written.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A file is no golden.
    Broken {
        /// The file.
        path: PathBuf,
        /// Line counted from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// Tolerances are for more figures than a golden keeps.
    TooManyFigures {
        /// So many.
        n_figures: usize,
        /// And so many are kept.
        most: usize,
    },
    /// No pending golden has the name that was asked for.
    NotPending {
        /// The name.
        name: String,
        /// Where it was looked for.
        folder: PathBuf,
    },
}

impl fmt::Display for GoldenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "{}: {error}", slashed(path)),
            Self::Broken { path, line, message } => write!(
                f,
                "{}:{line}: {message}; restore the file from version control, or delete it and accept it anew",
                slashed(path)
            ),
            Self::TooManyFigures { n_figures, most } => write!(
                f,
                "the policy's golden.tolerances are for {n_figures} figures of one capture, and a golden keeps at most {most}: \
                 name fewer fields"
            ),
            Self::NotPending { name, folder } => write!(
                f,
                "no pending golden `{name}` in {}; `idleproof golden status` lists them",
                slashed(folder)
            ),
        }
    }
}

impl std::error::Error for GoldenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            Self::Broken { .. } | Self::TooManyFigures { .. } | Self::NotPending { .. } => None,
        }
    }
}

/// A path as reports write it.
fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    match std::path::MAIN_SEPARATOR {
        '/' => text.into_owned(),
        separator => text.replace(separator, "/"),
    }
}
