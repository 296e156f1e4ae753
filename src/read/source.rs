//! A file's bytes: hashed as they pass, decompressed where they are gzip.

use super::ReadErrorKind;
use super::ahead::{self, Ahead};
use super::gzip::{Gzip, MAGIC};
use super::limits::{TEXT_BYTES_MAX, TEXT_RATIO_FROM, TEXT_RATIO_MAX};
use super::refusal::Refusal;
use super::window::Access;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes read from disk at a time.
const INPUT_BYTES: usize = 1 << 16;

/// The bytes on disk.
pub(super) struct Input {
    file: File,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    digest: Sha256,
    passed: u64,
}

impl Input {
    /// The bytes at hand; none only at the end of the file.
    pub(super) fn fill(&mut self) -> Result<&[u8], Refusal> {
        if self.start == self.end {
            self.start = 0;
            self.end = loop {
                match self.file.read(&mut self.buffer) {
                    Ok(read) => break read,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(Refusal::io(&error)),
                }
            };
            self.passed += self.end as u64;
            self.digest.update(&self.buffer[..self.end]);
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Marks bytes at hand as used.
    pub(super) fn consume(&mut self, bytes: usize) {
        self.start = self.end.min(self.start.saturating_add(bytes));
    }

    /// The next byte; `None` at the end of the file.
    pub(super) fn byte(&mut self) -> Result<Option<u8>, Refusal> {
        let byte = self.fill()?.first().copied();
        self.consume(1);
        Ok(byte)
    }

    /// How many bytes were used.
    pub(super) fn offset(&self) -> u64 {
        self.passed - (self.end - self.start) as u64
    }
}

/// How the text lies on disk.
enum Container {
    Plain,
    Gzip(Box<Gzip>),
}

/// A file's text, decompressed as it is asked for.
pub(super) struct Stream {
    input: Input,
    container: Container,
    text_bytes: u64,
    text_bytes_max: u64,
}

impl Stream {
    /// Reads text; 0 only at its end.
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Refusal> {
        let read = match &mut self.container {
            Container::Gzip(gzip) => gzip.read(&mut self.input, out)?,
            Container::Plain => {
                let at_hand = self.input.fill()?;
                let read = at_hand.len().min(out.len());
                out[..read].copy_from_slice(&at_hand[..read]);
                self.input.consume(read);
                read
            }
        };
        self.text_bytes += read as u64;
        let ratio_exceeded = self.text_bytes > TEXT_RATIO_FROM
            && self.text_bytes / TEXT_RATIO_MAX > self.input.passed;
        if self.text_bytes > self.text_bytes_max {
            return Err(Refusal::new(
                ReadErrorKind::TooLarge,
                format!("the file holds more than {} bytes of text", self.text_bytes_max),
                "record a shorter window, or raise --max-text-bytes if the file is what it should be",
            ));
        }
        if ratio_exceeded {
            return Err(Refusal::too_large(format!(
                "{} bytes on disk expand to more than {} bytes of text",
                self.input.passed, self.text_bytes
            )));
        }
        Ok(read)
    }

    /// Reads until `out` is full or the text ends. `end` tells how far it came, be it to a fault.
    pub(super) fn fill(&mut self, out: &mut [u8], end: &mut usize) -> Result<(), Refusal> {
        fill(out, end, |rest| self.read(rest))
    }

    fn on_disk(self) -> OnDisk {
        let digest = self.input.digest.finalize();
        let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        OnDisk { bytes: self.input.passed, sha256 }
    }
}

/// What was read from disk.
pub(super) struct OnDisk {
    /// Size of the file.
    pub(super) bytes: u64,
    /// Its digest, in hexadecimal digits.
    pub(super) sha256: String,
}

/// A file's text, decompressed here or ahead.
pub(super) struct Source {
    reader: Reader,
    compressed: bool,
}

enum Reader {
    Here(Box<Stream>),
    Ahead(Ahead),
}

impl Source {
    /// Opens a file and tells its container by its first bytes.
    pub(super) fn open(path: &Path) -> Result<Self, Refusal> {
        Self::open_within(path, TEXT_BYTES_MAX)
    }

    fn open_within(path: &Path, text_bytes_max: u64) -> Result<Self, Refusal> {
        let stream = open(path, text_bytes_max)?;
        let compressed = matches!(stream.container, Container::Gzip(_));
        Ok(Self { reader: Reader::Here(stream), compressed })
    }

    /// Opens a file whose text will be asked for in whole pieces of so many bytes, and decompresses them ahead where that is
    /// wanted. The pieces are the same either way, and so is all that depends on them: places and counts in refusals.
    pub(super) fn open_for_pieces(
        path: &Path,
        piece_bytes: usize,
        access: Access,
    ) -> Result<Self, Refusal> {
        let Self { reader, compressed } = Self::open_within(path, access.text_bytes_max)?;
        let reader = match reader {
            Reader::Here(stream) if compressed && access.decompression.is_ahead_for(path) => {
                ahead::start(stream, piece_bytes).map_or_else(Reader::Here, Reader::Ahead)
            }
            reader => reader,
        };
        Ok(Self { reader, compressed })
    }

    /// True where the text is compressed.
    pub(super) fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// Reads text; 0 only at its end.
    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, Refusal> {
        match &mut self.reader {
            Reader::Here(stream) => stream.read(out),
            Reader::Ahead(ahead) => ahead.read(out),
        }
    }

    /// Reads until `out` is full or the text ends. `end` tells how far it came, be it to a fault.
    pub(super) fn fill(&mut self, out: &mut [u8], end: &mut usize) -> Result<(), Refusal> {
        fill(out, end, |rest| self.read(rest))
    }

    /// Reads on to the end in pieces of so many bytes and drops the text: an error where the container is damaged.
    pub(super) fn drain(&mut self, piece_bytes: usize) -> Result<(), Refusal> {
        let mut scratch = vec![0; piece_bytes];
        loop {
            let mut end = 0;
            self.fill(&mut scratch, &mut end)?;
            if end < scratch.len() {
                return Ok(());
            }
        }
    }

    /// What was read from disk: the whole file, once the text has ended.
    pub(super) fn on_disk(self) -> Result<OnDisk, Refusal> {
        let stream = match self.reader {
            Reader::Here(stream) => stream,
            Reader::Ahead(ahead) => ahead.into_stream()?,
        };
        Ok(stream.on_disk())
    }
}

fn fill(
    out: &mut [u8],
    end: &mut usize,
    mut read: impl FnMut(&mut [u8]) -> Result<usize, Refusal>,
) -> Result<(), Refusal> {
    while *end < out.len() {
        match read(&mut out[*end..])? {
            0 => break,
            read => *end += read,
        }
    }
    Ok(())
}

fn open(path: &Path, text_bytes_max: u64) -> Result<Box<Stream>, Refusal> {
    let file = File::open(path).map_err(|error| Refusal::io(&error))?;
    let buffer = vec![0; INPUT_BYTES].into_boxed_slice();
    let mut input = Input { file, buffer, start: 0, end: 0, digest: Sha256::new(), passed: 0 };
    let gzip = input.fill()?.starts_with(&MAGIC);
    let container = if gzip { Container::Gzip(Box::default()) } else { Container::Plain };
    Ok(Box::new(Stream { input, container, text_bytes: 0, text_bytes_max }))
}
