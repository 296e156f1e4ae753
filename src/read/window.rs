//! The part of a text that is in memory: it moves forward, and grows only for a single large element.

use super::bytes::{PAD, Text};
use super::limits::ELEMENT_BYTES_MAX;
use super::refusal::Refusal;
use super::source::Source;

/// Text at hand at a time. It fits into a core's own cache together with the decompressor's tables.
pub(super) const WINDOW_BYTES: usize = 256 << 10;

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
}

impl Window {
    /// A window of so many bytes at the start of the text.
    pub(super) fn new(source: Source, bytes: usize) -> Self {
        Self { source, buffer: vec![0; bytes + PAD], start: 0, end: 0, base: 0 }
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
        while self.end < capacity {
            let read = self.source.read(&mut self.buffer[self.end..capacity]);
            // What precedes a fault was read in good faith: the fault lies at the text's end.
            let text_end = self.base + self.end as u64;
            match read {
                Ok(0) => break,
                Ok(read) => self.end += read,
                Err(refusal) => return Err(refusal.at(text_end)),
            }
        }
        self.buffer[self.end..self.end + PAD].fill(0);
        Ok(self.end > before)
    }

    /// True where the text is compressed on disk.
    pub(super) fn is_compressed(&self) -> bool {
        self.source.is_compressed()
    }

    /// The source, to ask it about the file.
    pub(super) fn into_source(self) -> Source {
        self.source
    }
}
