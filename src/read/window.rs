//! The part of a text that is in memory: it moves forward, and grows only for a single large element.

use super::Limits;
use super::bytes::{PAD, Text};
use super::decompression::Decompression;
use super::limits::ELEMENT_BYTES_MAX;
use super::refusal::Refusal;
use super::source::{OnDisk, Source};
use std::path::Path;

/// Text at hand at a time. It fits into a core's own cache together with the decompressor's tables.
const WINDOW_BYTES: usize = 256 << 10;

/// How a text is read.
#[derive(Clone, Copy)]
pub(super) struct Access {
    /// Text at hand at a time.
    pub(super) window_bytes: usize,
    /// When it is decompressed.
    pub(super) decompression: Decompression,
    /// How much of it there may be, decompressed.
    pub(super) text_bytes_max: u64,
}

impl Access {
    /// With the usual window.
    pub(super) const fn new(decompression: Decompression, limits: Limits) -> Self {
        Self { window_bytes: WINDOW_BYTES, decompression, text_bytes_max: limits.text_bytes_max }
    }
}

/// A window on a source's text.
pub(super) struct Window {
    source: Source,
    buffer: Vec<u8>,
    /// Index of the first byte that is still needed.
    start: usize,
    /// Index behind the last byte at hand.
    end: usize,
    /// Offset in the text of the buffer's first byte.
    base: u64,
    /// Text is asked for in pieces of so many bytes, whatever is left in the buffer.
    piece_bytes: usize,
}

impl Window {
    /// A window at the start of a file's text.
    pub(super) fn open(path: &Path, access: Access) -> Result<Self, Refusal> {
        let bytes = access.window_bytes;
        let piece_bytes = (bytes / 2).max(1);
        let source = Source::open_for_pieces(path, piece_bytes, access)?;
        Ok(Self { source, buffer: vec![0; bytes + PAD], start: 0, end: 0, base: 0, piece_bytes })
    }

    /// The text at hand.
    #[inline]
    pub(super) fn text(&self) -> Text<'_> {
        Text::new(&self.buffer, self.end)
    }

    /// Index in the text at hand up to which it was read.
    #[inline]
    pub(super) fn at(&self) -> usize {
        self.start
    }

    /// Marks the text before the index `at` as read.
    #[inline]
    pub(super) fn advance(&mut self, at: usize) {
        self.start = at;
    }

    /// Offset in the whole text of the index `at`.
    #[inline]
    pub(super) fn offset(&self, at: usize) -> u64 {
        self.base + at as u64
    }

    /// Takes in more text; false at its end. Indices change: unread text moves to the front.
    pub(super) fn refill(&mut self) -> Result<bool, Refusal> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.base += self.start as u64;
        (self.start, self.end) = (0, self.end - self.start);
        let capacity = self.buffer.len() - PAD;
        if self.end > capacity / 2 {
            if capacity >= 2 * ELEMENT_BYTES_MAX {
                return Err(Refusal::too_large(format!(
                    "one element of the text is larger than {} MiB",
                    ELEMENT_BYTES_MAX >> 20
                ))
                .at(self.base));
            }
            self.buffer.resize(capacity * 2 + PAD, 0);
        }
        let capacity = self.buffer.len() - PAD;
        let before = self.end;
        while self.end + self.piece_bytes <= capacity {
            let mut read = 0;
            let piece = &mut self.buffer[self.end..self.end + self.piece_bytes];
            let outcome = self.source.fill(piece, &mut read);
            self.end += read;
            // What precedes a fault was read in good faith: the fault lies at the text's end.
            outcome.map_err(|refusal| refusal.at(self.base + self.end as u64))?;
            if read < self.piece_bytes {
                break;
            }
        }
        self.buffer[self.end..self.end + PAD].fill(0);
        Ok(self.end > before)
    }

    /// True where the text is compressed on disk.
    pub(super) fn is_compressed(&self) -> bool {
        self.source.is_compressed()
    }

    /// Reads on to the end and drops the text: an error where the container is damaged.
    pub(super) fn drain(&mut self) -> Result<(), Refusal> {
        self.source.drain(self.piece_bytes)
    }

    /// What was read from disk: the whole file, once the text has ended.
    pub(super) fn on_disk(self) -> Result<OnDisk, Refusal> {
        self.source.on_disk()
    }
}
