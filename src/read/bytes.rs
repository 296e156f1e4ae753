//! Byte search for the scanner: many bytes at a time, without `unsafe`.

/// Bytes that must be readable behind the end of a text; they are zero, and no token goes on through a zero.
pub(super) const PAD: usize = 64;

const LOW: u64 = u64::from_le_bytes([0x01; 8]);
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// The text in the window. Behind `end` stand at least [`PAD`] zeros, so that every search stops there by itself.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    end: usize,
}

impl<'a> Text<'a> {
    /// The first `end` bytes of `bytes`, which goes on with [`PAD`] zeros.
    pub(super) fn new(bytes: &'a [u8], end: usize) -> Self {
        debug_assert!(bytes.len() >= end + PAD);
        Self { bytes, end }
    }

    /// Index of the first byte behind the text.
    #[inline]
    pub(super) fn end(self) -> usize {
        self.end
    }

    /// The byte at `at`; zero behind the end.
    #[inline]
    pub(super) fn at(self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The bytes from `start` to `end`; empty where that is no range of the text.
    #[inline]
    pub(super) fn slice(self, start: usize, end: usize) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// Sixteen bytes from `at`, the first in the lowest place.
    #[inline]
    pub(super) fn sixteen(self, at: usize) -> u128 {
        self.chunk::<16>(at).map_or(0, |chunk| u128::from_le_bytes(*chunk))
    }

    /// Eight bytes from `at`, the first in the lowest place.
    #[inline]
    pub(super) fn eight(self, at: usize) -> u64 {
        self.chunk::<8>(at).map_or(0, |chunk| u64::from_le_bytes(*chunk))
    }

    #[inline]
    fn chunk<const N: usize>(self, at: usize) -> Option<&'a [u8; N]> {
        self.bytes.get(at..)?.first_chunk()
    }

    /// The first byte from `at` on that ends or interrupts a string: a quote, a backslash, a control character.
    #[inline]
    pub(super) fn string_stop(self, mut at: usize) -> usize {
        while let Some(chunk) = self.chunk::<16>(at) {
            // The compiler turns this loop over a fixed block into one vector comparison.
            let found = chunk.iter().fold(0, |found, &byte| found | u8::from(stops_string(byte)));
            if found != 0 {
                let low = string_stop_in(self.eight(at));
                return at + if low < 8 { low } else { 8 + string_stop_in(self.eight(at + 8)) };
            }
            at += 16;
        }
        while !stops_string(self.at(at)) {
            at += 1;
        }
        at
    }

    /// How many decimal digits stand from `at` on, counted up to eight, and the byte behind them where they are fewer.
    #[inline]
    pub(super) fn few_digits(self, at: usize) -> (usize, u8) {
        let eight = self.eight(at);
        let digits = digits_in(eight);
        let [behind, ..] = (eight >> (8 * digits % 64)).to_le_bytes();
        (digits, behind)
    }

    /// The first byte from `at` on that is no decimal digit.
    #[inline]
    pub(super) fn digits_end(self, mut at: usize) -> usize {
        loop {
            let digits = digits_in(self.eight(at));
            at += digits;
            if digits < 8 {
                return at;
            }
        }
    }

    /// The first byte from `at` on that is no JSON white space.
    #[inline]
    pub(super) fn space_end(self, mut at: usize) -> usize {
        while matches!(self.at(at), b' ' | b'\n' | b'\r' | b'\t') {
            at += 1;
        }
        at
    }
}

#[inline]
fn stops_string(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

/// How many of eight bytes precede the first that stops a string. In each term only bytes above a true hit can be
/// false hits, so the lowest hit of all is true.
#[inline]
fn string_stop_in(eight: u64) -> usize {
    let equals = |byte: u8| {
        let difference = eight ^ (LOW * u64::from(byte));
        difference.wrapping_sub(LOW) & !difference
    };
    let control = eight.wrapping_sub(LOW * 0x20) & !eight;
    ((equals(b'"') | equals(b'\\') | control) & HIGH).trailing_zeros() as usize / 8
}

/// How many of eight bytes precede the first that is no digit.
#[inline]
fn digits_in(eight: u64) -> usize {
    let value = eight ^ (LOW * u64::from(b'0'));
    // A digit's value plus 0x76 stays below 0x80; carries from a larger value only reach bytes above it.
    ((value.wrapping_add(LOW * 0x76) | value) & HIGH).trailing_zeros() as usize / 8
}

#[cfg(test)]
mod tests {
    use super::{PAD, Text, stops_string};

    fn padded(text: &[u8]) -> Vec<u8> {
        [text, &[0; PAD]].concat()
    }

    #[test]
    fn a_string_stops_at_the_first_of_its_kind() {
        for stop in 0..=255_u8 {
            for at in 0..40 {
                let mut text = vec![0xFF; 40];
                text[at] = stop;
                let bytes = padded(&text);
                let expected = if stops_string(stop) { at } else { 40 };
                assert_eq!(Text::new(&bytes, 40).string_stop(0), expected, "{stop:#x} at {at}");
            }
        }
    }

    #[test]
    fn digits_end_where_they_end() {
        for stop in (0..=255_u8).filter(|byte| !byte.is_ascii_digit()) {
            for at in 0..20 {
                let mut text = b"01234567890123456789".to_vec();
                text[at] = stop;
                let bytes = padded(&text);
                assert_eq!(Text::new(&bytes, 20).digits_end(0), at, "{stop:#x} at {at}");
            }
        }
    }
}
