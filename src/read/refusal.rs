//! Building a [`ReadError`]: the reader knows kind and place, the rim adds file and line.

use super::json::Why;
use super::source::Source;
use super::{ReadError, ReadErrorKind};
use std::path::Path;

/// A refusal before it is known by its file.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    /// The kind.
    pub(super) kind: ReadErrorKind,
    /// What is wrong, a lower-case fragment.
    pub(super) message: String,
    /// How to mend it.
    pub(super) help: &'static str,
    /// Byte offset, in the decompressed text where there is one.
    pub(super) offset: Option<u64>,
}

impl Refusal {
    /// A refusal without a place.
    pub(super) fn new(kind: ReadErrorKind, message: impl Into<String>, help: &'static str) -> Self {
        Self { kind, message: message.into(), help, offset: None }
    }

    /// The refusal at a byte of the text.
    pub(super) fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// A refusal because a limit was reached.
    pub(super) fn too_large(message: impl Into<String>) -> Self {
        Self::new(
            ReadErrorKind::TooLarge,
            message,
            "record a shorter window, or check that this is a profiler trace at all",
        )
    }

    /// A refusal because the text ended at `offset`, inside the document.
    pub(super) fn truncated(message: impl Into<String>) -> Self {
        Self::new(
            ReadErrorKind::Truncated,
            message,
            "the profiler was stopped while it wrote, or the copy is incomplete: export or copy the file again",
        )
    }

    /// A refusal because the text is no JSON.
    pub(super) fn malformed(why: Why, byte: u8) -> Self {
        let (message, help) = match why {
            Why::Expected(what) => (
                format!("malformed JSON: expected {what}, found {}", shown(byte)),
                "a name with raw quotes is the usual cause; record with a newer profiler, or escape the text at this place",
            ),
            Why::ControlCharacter => (
                format!("malformed JSON: control character {} inside a string", shown(byte)),
                "write it as an escape (a line break as \\n); newer profilers do",
            ),
            Why::InvalidEscape => (
                format!(
                    "malformed JSON: invalid escape `\\{}` in a string",
                    char::from(byte).escape_default()
                ),
                "a backslash in a name must be doubled (\\\\); newer profilers do",
            ),
            Why::TooDeep => return Self::too_large("values are nested more than 128 levels deep"),
        };
        Self::new(ReadErrorKind::MalformedJson, message, help)
    }

    /// A refusal because the system would not give the file's bytes.
    pub(super) fn io(error: &std::io::Error) -> Self {
        Self::new(
            ReadErrorKind::Io,
            format!("cannot read the file: {error}"),
            "check the path and its permissions",
        )
    }

    /// The error for the file at `path`, with the line and column of its place.
    pub(super) fn into_error(self, path: &Path, shown: &str) -> ReadError {
        let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let position = self.offset.and_then(|offset| position(path, offset));
        ReadError {
            kind: self.kind,
            message: self.message,
            help: self.help,
            path: shown.to_owned(),
            position,
            offset: self.offset,
            bytes,
        }
    }
}

fn shown(byte: u8) -> String {
    match byte {
        b'`' => "a backtick".to_owned(),
        0x21..=0x7E => format!("`{}`", char::from(byte)),
        b' ' => "a space".to_owned(),
        b'\n' => "a line break".to_owned(),
        _ => format!("byte 0x{byte:02X}"),
    }
}

/// Line and column of a byte of the text, both from 1. The file is read once more: only a refusal pays for it.
fn position(path: &Path, offset: u64) -> Option<(u64, u64)> {
    lines(path, &[offset]).pop()
}

/// Line and column of each of the sorted `offsets` of the text; fewer where the text can't be read so far again.
pub(super) fn lines(path: &Path, offsets: &[u64]) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    let Ok(mut source) = Source::open(path) else { return found };
    let mut buffer = vec![0; 1 << 16];
    // Where the block starts, how many lines ended before it, and where the current line starts.
    let (mut base, mut breaks, mut line_start) = (0_u64, 0_u64, 0_u64);
    let mut wanted = offsets.iter().copied().peekable();
    while wanted.peek().is_some() {
        let read = source.read(&mut buffer).unwrap_or(0);
        let block = &buffer[..read];
        let mut newlines = memchr::memchr_iter(b'\n', block).map(|at| base + at as u64).peekable();
        let end = base + read as u64;
        while let Some(offset) = wanted.next_if(|&offset| offset < end || read == 0) {
            while let Some(at) = newlines.next_if(|&at| at < offset) {
                (breaks, line_start) = (breaks + 1, at + 1);
            }
            found.push((breaks + 1, offset.max(line_start) - line_start + 1));
        }
        for at in newlines {
            (breaks, line_start) = (breaks + 1, at + 1);
        }
        base = end;
    }
    found
}
