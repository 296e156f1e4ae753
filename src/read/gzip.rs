//! Gzip, member by member: every checksum and length is held against the data.
//!
//! The framing is our own because a gate must tell a missing trailer from trailing junk, which the usual
//! decoders report as one and the same error.

use super::ReadErrorKind;
use super::limits::GZIP_HEADER_BYTES_MAX;
use super::refusal::Refusal;
use super::source::Input;
use crc32fast::Hasher;
use flate2::{Decompress, FlushDecompress, Status};

/// The first bytes of every member (RFC 1952, 2.3.1).
pub(super) const MAGIC: [u8; 2] = [0x1F, 0x8B];

/// The state between two reads.
pub(super) struct Gzip {
    inflate: Decompress,
    crc: Hasher,
    member_bytes: u32,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Header,
    Body,
    Trailer,
    Done,
}

impl Default for Gzip {
    fn default() -> Self {
        Self {
            inflate: Decompress::new(false),
            crc: Hasher::new(),
            member_bytes: 0,
            stage: Stage::Header,
        }
    }
}

impl Gzip {
    /// Decompresses into `out`; 0 only at the end of the last member.
    pub(super) fn read(&mut self, input: &mut Input, out: &mut [u8]) -> Result<usize, Refusal> {
        loop {
            match self.stage {
                Stage::Header => self.header(input)?,
                Stage::Body => {
                    let written = self.body(input, out)?;
                    if written > 0 {
                        return Ok(written);
                    }
                }
                Stage::Trailer => self.trailer(input)?,
                Stage::Done => return Ok(0),
            }
        }
    }

    fn body(&mut self, input: &mut Input, out: &mut [u8]) -> Result<usize, Refusal> {
        let compressed = input.fill()?;
        let at_end = compressed.is_empty();
        let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
        let status = self.inflate.decompress(compressed, out, FlushDecompress::None);
        let consumed = usize::try_from(self.inflate.total_in() - before_in).unwrap_or(usize::MAX);
        let written = usize::try_from(self.inflate.total_out() - before_out).unwrap_or(usize::MAX);
        input.consume(consumed);
        self.crc.update(out.get(..written).unwrap_or_default());
        // The trailer holds the length modulo 2³², so the sum may wrap.
        self.member_bytes =
            self.member_bytes.wrapping_add(u32::try_from(written).unwrap_or(u32::MAX));
        match status {
            Ok(Status::StreamEnd) => self.stage = Stage::Trailer,
            Ok(_) if at_end && written == 0 => {
                return Err(Refusal::truncated("the gzip data is truncated"));
            }
            Ok(_) => {}
            Err(error) => return Err(damaged(format!("the gzip data is damaged: {error}"))),
        }
        Ok(written)
    }

    fn trailer(&mut self, input: &mut Input) -> Result<(), Refusal> {
        let mut trailer = [0; 8];
        for byte in &mut trailer {
            *byte = input.byte()?.ok_or_else(|| {
                Refusal::truncated(
                    "the gzip trailer (checksum and length) is missing: the file is truncated",
                )
            })?;
        }
        let [c0, c1, c2, c3, l0, l1, l2, l3] = trailer;
        let (crc, length) =
            (u32::from_le_bytes([c0, c1, c2, c3]), u32::from_le_bytes([l0, l1, l2, l3]));
        if crc != self.crc.clone().finalize() {
            return Err(damaged("the gzip checksum does not match the data".to_owned()));
        }
        if length != self.member_bytes {
            return Err(damaged("the gzip length does not match the data".to_owned()));
        }
        self.member_bytes = 0;
        self.crc.reset();
        self.inflate.reset(false);
        self.stage = if input.fill()?.is_empty() { Stage::Done } else { Stage::Header };
        Ok(())
    }

    /// Reads a member's header (RFC 1952, 2.3).
    fn header(&mut self, input: &mut Input) -> Result<(), Refusal> {
        const HEADER_CRC: u8 = 1 << 1;
        const EXTRA: u8 = 1 << 2;
        const NAME: u8 = 1 << 3;
        const COMMENT: u8 = 1 << 4;
        let offset = input.offset();
        for magic in MAGIC {
            if input.byte()? != Some(magic) {
                return Err(Refusal::new(
                    ReadErrorKind::TrailingData,
                    format!(
                        "byte {offset} of the file, behind the gzip data, starts no further gzip member"
                    ),
                    "cut the file behind its gzip data, or compress the trace again",
                ));
            }
        }
        let mut fixed = [0; 8];
        for byte in &mut fixed {
            *byte = next(input)?;
        }
        let (method, flags) = (fixed[0], fixed[1]);
        if method != 8 || flags & 0xE0 != 0 {
            return Err(damaged("the gzip header names an unknown method".to_owned()));
        }
        let mut left = GZIP_HEADER_BYTES_MAX;
        if flags & EXTRA != 0 {
            let length = u16::from_le_bytes([next(input)?, next(input)?]);
            for _ in 0..length {
                next(input)?;
            }
        }
        for _ in 0..(flags & NAME).count_ones() + (flags & COMMENT).count_ones() {
            while next(input)? != 0 {
                left = left.checked_sub(1).ok_or_else(|| {
                    Refusal::too_large(format!(
                        "a gzip header exceeds {GZIP_HEADER_BYTES_MAX} bytes"
                    ))
                })?;
            }
        }
        if flags & HEADER_CRC != 0 {
            next(input)?;
            next(input)?;
        }
        self.stage = Stage::Body;
        Ok(())
    }
}

fn next(input: &mut Input) -> Result<u8, Refusal> {
    input.byte()?.ok_or_else(|| Refusal::truncated("the gzip header is truncated"))
}

fn damaged(message: String) -> Refusal {
    Refusal::new(
        ReadErrorKind::DamagedGzip,
        message,
        "the file was damaged on its way: copy it again, and compare the checksums",
    )
}
