//! The list of captures: which tables belong to the run. It is also how a folder is known that an earlier run wrote.

use super::super::{File, words};
use super::table::{Column, maybe, table, text};
use crate::report::{CaptureReport, Outcome};

/// Its place in the folder.
pub(super) const PATH: &str = "captures.csv";

/// How it begins. Later versions add columns behind these.
pub(super) const BEGINS: &str = "capture,folder,outcome,verdict,error";

/// A capture and the folder of its tables.
pub(super) type Listed<'a> = (&'a CaptureReport, &'a str);

/// The list.
pub(super) fn file(listed: &[Listed<'_>]) -> File {
    let columns: &[Column<Listed<'_>>] = &[
        ("capture", |(capture, _)| text(&capture.name)),
        ("folder", |(_, folder)| if folder.is_empty() { ".".to_owned() } else { text(folder) }),
        ("outcome", |(capture, _)| outcome(capture.outcome).to_owned()),
        ("verdict", |(capture, _)| words::verdict(capture.verdict()).to_owned()),
        ("error", |(capture, _)| maybe(capture.error.as_ref(), |error| text(&error.message))),
    ];
    File { path: PATH.to_owned(), text: table(&[], columns, listed.iter().copied()) }
}

const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Report => "report",
        Outcome::Refused => "refused",
    }
}
