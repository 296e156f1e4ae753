//! A capture: one run of one host, as the files that recorded it.

use super::Trace;

/// One run of one host.
#[derive(Debug)]
pub struct Capture {
    /// The capture's name: the path of its first file relative to where the search began, with `/`.
    pub name: String,
    /// One record a file; independent records of one run stay apart until they are reconciled.
    pub records: Vec<Record>,
    /// Graph-capture shards beside the main trace: what was recorded while graphs were built.
    pub shards: Vec<Record>,
}

impl Capture {
    /// The record that the analysis is made from: the first. A capture is never built without a record.
    pub fn primary(&self) -> &Record {
        &self.records[0]
    }
}

/// One file and what it recorded.
#[derive(Debug)]
pub struct Record {
    /// Which file.
    pub source: RecordSource,
    /// Its content.
    pub trace: Trace,
    /// What the reader met and tolerated, in the order of their codes.
    pub notices: Vec<Notice>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSource {
    /// The path as it was found, with `/`.
    pub path: String,
    /// The format that its content has.
    pub format: FileFormat,
    /// Size on disk.
    pub bytes: u64,
    /// Digest of the bytes on disk, in lower-case hexadecimal.
    pub sha256: String,
    /// Events of every kind in the file, kept or not.
    pub events: u64,
}

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileFormat {
    /// PyTorch profiler JSON.
    Kineto,
    /// JAX's own trace viewer export.
    JaxJson,
    /// JAX's profiler protobuf.
    Xplane,
}

impl FileFormat {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kineto => "kineto",
            Self::JaxJson => "jax-json",
            Self::Xplane => "xplane",
        }
    }
}

/// Something that a reader met and tolerated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Notice {
    /// A stable code, such as `bom` or `invalid-utf8`.
    pub code: &'static str,
    /// How often.
    pub count: u64,
    /// What was met and what was done about it.
    pub message: String,
}

/// A file of a folder that is no capture, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The path with `/`.
    pub path: String,
    /// Why it is no capture of its own.
    pub reason: String,
}
