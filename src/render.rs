//! Renderers: they see the judged report and nothing else.
//!
//! An output is one source file and one row of [`OUTPUTS`]. Figures that make a claim go through [`CaptureReport::cell`];
//! text that comes from a capture goes through `escape`.

use crate::report::{CaptureReport, Report};

mod cells;
mod codequality;
pub mod comparison;
mod counts;
mod csv;
mod digest;
mod escape;
mod findings;
mod format;
mod github;
mod html;
mod json;
mod junit;
mod markdown;
#[cfg(feature = "parquet")]
mod parquet;
mod runs;
mod sarif;
mod summary;
mod swimlanes;
mod table;
mod tables;
mod tally;
pub mod terminal;
mod trust;
mod words;

/// One kind of output.
#[derive(Debug)]
pub struct Output {
    /// The name by which it is asked for: `--report KIND=PATH`.
    pub kind: &'static str,
    /// One line: what it holds.
    pub summary: &'static str,
    /// What it is made as. The same report gives the same texts.
    pub form: Form,
    /// What it needs beside what the JSON report holds.
    pub needs: Needs,
    /// Renders one capture as the body of a golden: without digests, versions and anything else that changes while
    /// the capture's meaning does not. Absent where the output cannot be one.
    pub golden: Option<fn(&CaptureReport) -> String>,
}

impl Output {
    /// The text of a report, where the output is one text.
    pub fn text(&self, report: &Report) -> Option<String> {
        match &self.form {
            Form::Text(render) => Some(render(report)),
            Form::Folder(_) => None,
        }
    }

    /// The files of a report, where the output is a folder.
    pub fn files(&self, report: &Report) -> Option<Vec<File>> {
        match &self.form {
            Form::Text(_) => None,
            Form::Folder(folder) => Some((folder.files)(report)),
        }
    }
}

/// What an output needs of the captures beside what the JSON report holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Report,
    /// The rows of tables.
    Tables,
    /// The lanes of drawings.
    Swimlanes,
    /// The same, and without them it says that they are missing.
    SwimlanesIfAny,
}

/// What an output is made as.
#[derive(Debug)]
pub enum Form {
    /// One text.
    Text(fn(&Report) -> String),
    /// A folder of files.
    Folder(Folder),
}

/// An output of several files.
#[derive(Debug)]
pub struct Folder {
    /// Renders the files, the one first by which the folder is known again.
    pub files: fn(&Report) -> Vec<File>,
    /// The path of that file in the folder, and how it begins in every version.
    pub mark: (&'static str, &'static str),
}

/// A file of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path below the folder, with `/`. Its parts are slugs of names, so that it leads nowhere else.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

impl File {
    /// What it holds, where that is text.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }
}

/// Every output, in the order of the documentation.
pub static OUTPUTS: &[&Output] = &[
    &json::OUTPUT,
    &markdown::OUTPUT,
    &html::OUTPUT,
    &trust::OUTPUT,
    &summary::SUMMARY,
    &summary::COMMENT,
    &junit::OUTPUT,
    &github::OUTPUT,
    &sarif::OUTPUT,
    &codequality::OUTPUT,
    &counts::OUTPUT,
    &swimlanes::OUTPUT,
    &csv::OUTPUT,
    #[cfg(feature = "parquet")]
    &parquet::OUTPUT,
];

/// The output of this kind.
pub fn find(kind: &str) -> Option<&'static Output> {
    OUTPUTS.iter().copied().find(|output| output.kind == kind)
}
