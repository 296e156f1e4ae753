//! Statements made elsewhere about a capture, to be held against it: in a pull request, or in another tool's table.
//!
//! A statement names a quantity and what is said of it. Whether it holds is the judge's to say.

mod file;
mod quantity;
mod tracelens;

pub use quantity::{Budget, Form, Quantity};

use crate::document::Mistakes;
use crate::policy::PathGlobs;
use std::path::{Path, PathBuf};

/// A statement about captures.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The captures that it is about.
    pub subject: Subject,
    /// What is stated.
    pub quantity: Quantity,
    /// The numbers that it allows, in the quantity's unit.
    pub said: Said,
    /// Where it stands, such as `claims.toml:4`.
    pub source: String,
}

/// The captures that a statement is about.
#[derive(Clone, Debug)]
pub enum Subject {
    /// Every capture of the run.
    All,
    /// Those with a file that one of these globs matches.
    Globs(PathGlobs),
    /// Those with a file in this folder or below it.
    Folder(PathBuf),
}

/// What is said of a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Said {
    /// This number, give or take so much.
    Value(f64, f64),
    /// Less than this.
    Below(f64),
    /// More than this.
    Above(f64),
}

impl Subject {
    /// True where the statement is about a capture with these files.
    pub fn is<'a>(&self, mut paths: impl Iterator<Item = &'a str>) -> bool {
        match self {
            Self::All => true,
            Self::Globs(globs) => paths.any(|path| globs.matches(path)),
            Self::Folder(folder) => paths.any(|path| Path::new(path).starts_with(folder)),
        }
    }
}

impl Said {
    /// The lowest and the highest number that the statement allows.
    pub fn range(self) -> (f64, f64) {
        match self {
            Self::Value(value, tolerance) => (value - tolerance, value + tolerance),
            Self::Below(limit) => (f64::NEG_INFINITY, limit),
            Self::Above(limit) => (limit, f64::INFINITY),
        }
    }

    /// As a reader would say it.
    pub fn words(self) -> String {
        match self {
            Self::Value(value, tolerance) => format!("{value} ± {tolerance}"),
            Self::Below(limit) => format!("below {limit}"),
            Self::Above(limit) => format!("above {limit}"),
        }
    }
}

/// More is no list of statements: a table of TraceLens has a line for each operator.
pub const MAX_BYTES: usize = 64 << 20;

/// Reads statements from the text of a file that a user wrote, or from a table of TraceLens: its content tells which.
///
/// A table says nothing of the capture that it was made from: it is about `beside`, and where that is `None` about all.
pub fn parse(path: &str, bytes: &[u8], beside: Option<&Path>) -> Result<Vec<Statement>, Mistakes> {
    let subject = beside.map_or(Subject::All, |folder| Subject::Folder(folder.to_owned()));
    match tracelens::table(bytes) {
        Some(table) => tracelens::statements(table, path, bytes, &subject),
        None => file::statements(path, bytes),
    }
}

/// True where a file holds a table of another tool.
pub fn is_table(bytes: &[u8]) -> bool {
    tracelens::table(bytes).is_some()
}

/// Names of the files that a folder of TraceLens's tables is searched for.
pub const TABLE_FILES: &[&str] = tracelens::FILES;

/// Names of folders in which such tables lie beside the capture that they were made from.
pub const TABLE_FOLDERS: &[&str] = &["tracelens_csvs", "perf_csvs"];
