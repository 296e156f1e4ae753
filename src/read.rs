//! Reading: files become the neutral model. The only place that knows file formats.
//!
//! What is recognised as nothing is an error, never an empty success.

mod ahead;
mod api;
mod bytes;
mod chrome;
mod collectives;
mod decompression;
mod divide;
mod document;
mod family;
mod find;
mod gzip;
mod jax;
mod jax_json;
mod json;
mod kineto;
mod limits;
mod name_map;
mod number;
mod refusal;
mod runtime_kernels;
mod sniff;
mod sort;
mod source;
mod table;
mod tally;
mod text;
mod trace_json;
mod window;
mod xplane;

pub use decompression::Decompression;
pub use divide::Divided;

use crate::trace::{Capture, Record, Skipped};
use std::path::{Path, PathBuf};

/// Why a file was refused: with the place, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// A stable kind.
    pub kind: ReadErrorKind,
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// How to mend it.
    pub help: &'static str,
    /// The file, with `/`.
    pub path: String,
    /// Line and column, both from 1 (the column in bytes), in text.
    pub position: Option<(u64, u64)>,
    /// Byte offset from 0, in the decompressed text where there is one, else in the file.
    pub offset: Option<u64>,
    /// Size on disk, where it could be told.
    pub bytes: u64,
}

/// The kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadErrorKind {
    /// The file is missing or may not be read.
    Io,
    /// No bytes, compressed or not.
    Empty,
    /// The end is missing.
    Truncated,
    /// The compressed data is damaged.
    DamagedGzip,
    /// The text is not JSON.
    MalformedJson,
    /// The bytes are no protobuf message of the expected kind.
    MalformedProtobuf,
    /// Something follows the end of the document.
    TrailingData,
    /// The text is in an encoding other than UTF-8.
    Encoding,
    /// JSON without `traceEvents`.
    NoTraceEvents,
    /// `traceEvents` is empty.
    NoEvents,
    /// Nothing that is known.
    NotACapture,
    /// A limit on what input can grow was reached.
    TooLarge,
}

impl ReadErrorKind {
    /// The name in reports, in snake case as `truncated` or `no_trace_events`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Io => "io",
            Self::Empty => "empty",
            Self::Truncated => "truncated",
            Self::DamagedGzip => "damaged_gzip",
            Self::MalformedJson => "malformed_json",
            Self::MalformedProtobuf => "malformed_protobuf",
            Self::TrailingData => "trailing_data",
            Self::Encoding => "encoding",
            Self::NoTraceEvents => "no_trace_events",
            Self::NoEvents => "no_events",
            Self::NotACapture => "not_a_capture",
            Self::TooLarge => "too_large",
        }
    }
}

/// Files that may belong together: one folder, with the capture shards below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The files, in order of their paths.
    pub files: Vec<FoundFile>,
}

/// A file that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// Where it lies.
    pub path: PathBuf,
    /// The path as reports print it, with `/`.
    pub shown: String,
    /// True where the user named this file: then it must be a capture.
    pub named: bool,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Files that look like captures, by family.
    pub families: Vec<Family>,
    /// Files that do not, with the reason.
    pub skipped: Vec<Skipped>,
}

/// What a family of files turned out to be.
#[derive(Debug, Default)]
pub struct FamilyRead {
    /// Its captures, in order of their names; a file that cannot be read is an error in the place of its capture.
    pub captures: Vec<Result<Capture, ReadError>>,
    /// Files that are no capture of their own, with the reason.
    pub skipped: Vec<Skipped>,
}

/// Finds captures under the given files and folders. A path that does not exist is an error of kind `Io`.
///
/// In a folder, content decides what is a candidate. A file that is named stands alone, but both records of one run of JAX
/// (`<host>.xplane.pb` and `<host>.trace.json[.gz]`) stay together where both are found. Hidden entries are passed over; links may form circles. A damaged
/// file whose name or content speaks of a trace stays a candidate, so that reading refuses it and its loss shows.
pub fn find(paths: &[PathBuf]) -> Result<Found, ReadError> {
    find::find(paths)
}

/// Divides what was found into so many parts, at least one: folders stay whole, and bytes are even. The same files give the
/// same parts on every machine.
pub fn divide(found: &Found, of: usize) -> Divided {
    divide::divide(found, of.max(1))
}

/// Limits that a user may raise for files that are what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text in one file, decompressed.
    pub text_bytes_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { text_bytes_max: limits::TEXT_BYTES_MAX }
    }
}

/// Reads a family of files and groups what it holds into captures.
pub fn read_family(family: &Family) -> FamilyRead {
    read_family_as(family, Decompression::for_files(&family.files), Limits::default())
}

/// Reads a family of files that is one of several: what the threads at hand are for was decided for all of them.
pub fn read_family_as(family: &Family, decompression: Decompression, limits: Limits) -> FamilyRead {
    family::read(family, window::Access::new(decompression, limits))
}

/// True where a file is there whose content is a trace, or which is named as an xplane: what nobody wants to lose.
pub fn is_capture(path: &Path) -> bool {
    path.is_file()
        && (sniff::sniff(path) == sniff::Guess::Trace
            || sniff::name_says(path) == sniff::NameSays::Xplane)
}

/// Reads one XSpace (`<host>.xplane.pb`) that is in memory; `shown` is the path that errors and the record name.
pub fn read_xplane(bytes: &[u8], shown: &str) -> Result<Record, ReadError> {
    xplane::record(bytes, shown)
}
