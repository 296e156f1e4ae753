//! A quick look at the field that comes next: eight bytes at once, no loop, no fault.
//!
//! Writers put the fields of a message in the order of their numbers, and the tag of a number up to 15 is one byte. Who knows
//! the schema asks for the next field by its number. `None` tells nothing: the field may be another one, or long, or cut.
//! It is still there, and [`Fields::step`] reads it.

use super::{Fields, Message};

/// The bits that tell of each byte whether a number goes on behind it.
const GOES_ON: u64 = 0x8080_8080_8080_8080;

impl<'a> Fields<'a> {
    /// The value of field `number`, where this number comes next.
    #[inline(always)]
    pub(in super::super) fn next_number(&mut self, number: u8) -> Option<u64> {
        let word = self.word().filter(|word| tag(*word) == number << 3)?;
        self.number(word)
    }

    /// The value of field `number`, where this message comes next.
    #[inline(always)]
    pub(in super::super) fn next_message(&mut self, number: u8) -> Option<Message<'a>> {
        let word = self.word().filter(|word| tag(*word) == number << 3 | 2)?;
        let (length, n_bytes) = behind_tag(word)?;
        let start = self.at + n_bytes;
        let length = usize::try_from(length).ok()?;
        if length > self.end.checked_sub(start)? {
            return None;
        }
        self.at = start + length;
        Some(Message { file: self.file, start, end: self.at })
    }

    /// Number and value of the next field, where it is a number.
    #[inline(always)]
    pub(in super::super) fn next_numbered(&mut self) -> Option<(u8, u64)> {
        // The wire type of numbers is 0; field 0 does not exist.
        let word = self.word().filter(|word| tag(*word) & 0x87 == 0 && tag(*word) != 0)?;
        Some((tag(word) >> 3, self.number(word)?))
    }

    /// The next eight bytes. They may belong to other messages, so what is made of them has to end before this one does.
    #[inline(always)]
    fn word(&self) -> Option<u64> {
        self.file.get(self.at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
    }

    #[inline(always)]
    fn number(&mut self, word: u64) -> Option<u64> {
        let (value, n_bytes) = behind_tag(word)?;
        if self.at + n_bytes > self.end {
            return None;
        }
        self.at += n_bytes;
        Some(value)
    }
}

/// A tag of one byte, at the start of a word.
#[inline(always)]
const fn tag(word: u64) -> u8 {
    word.to_le_bytes()[0]
}

/// The number behind the tag of a word, and how many bytes both have; `None` where the number needs more than the word.
#[inline(always)]
const fn behind_tag(word: u64) -> Option<(u64, usize)> {
    let number = word >> 8;
    if number & 0x80 == 0 {
        return Some((number & 0x7F, 2));
    }
    let ends = !word & GOES_ON & !0x80;
    if ends == 0 {
        return None;
    }
    let up_to_end = ends ^ (ends - 1);
    // Seven bits of each byte move together: in pairs, in fours, in eights.
    let pairs = number & (up_to_end >> 8) & !GOES_ON;
    let pairs = pairs - ((pairs & 0x7F00_7F00_7F00_7F00) >> 1);
    let fours = (pairs & 0x0000_3FFF_0000_3FFF) | ((pairs & 0x3FFF_0000_3FFF_0000) >> 2);
    let eights = (fours & 0x0FFF_FFFF) | ((fours & 0x0FFF_FFFF_0000_0000) >> 4);
    Some((eights, ends.trailing_zeros() as usize / 8 + 1))
}

#[cfg(test)]
mod tests {
    use super::super::{Fields, Message};

    /// Fields of the first `end` bytes of a file.
    fn fields(file: &[u8], end: usize) -> Fields<'_> {
        Message { file, start: 0, end }.fields()
    }

    #[test]
    fn numbers_are_read_at_a_glance_or_left() {
        let value = |number: u64, length: usize| (Some(number), length);
        for (file, end, expected) in [
            (&[0x18, 5, 0, 0, 0, 0, 0, 0][..], 2, value(5, 2)),
            (&[0x18, 0x96, 0x01, 0, 0, 0, 0, 0], 3, value(150, 3)),
            (&[0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], 8, value((1 << 49) - 1, 8)),
            // More bytes than needed are allowed.
            (&[0x18, 0x80, 0x80, 0x00, 0, 0, 0, 0], 4, value(0, 4)),
            // Eight bytes of number, another field, the end of the message, and the end of the file.
            (&[0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], 9, (None, 0)),
            (&[0x10, 5, 0, 0, 0, 0, 0, 0], 2, (None, 0)),
            (&[0x18, 5, 0, 0, 0, 0, 0, 0], 1, (None, 0)),
            (&[0x18, 5, 0, 0, 0, 0, 0, 0], 0, (None, 0)),
            (&[0x18, 0x96, 0x01, 0, 0, 0, 0, 0], 2, (None, 0)),
            (&[0x18, 5], 2, (None, 0)),
        ] {
            let mut fields = fields(file, end);
            assert_eq!((fields.next_number(3), fields.offset()), expected, "{file:?} to {end}");
        }
    }

    /// Whatever stands there, a glance finds what a careful step finds, or nothing.
    #[test]
    fn a_glance_agrees_with_a_step() {
        let (mut n_numbers, mut n_messages) = (0, 0);
        let mut state = 1_u64;
        for _ in 0..200_000 {
            let file: Vec<u8> = (0..14).map(|at| byte(&mut state, at)).collect();
            let end = usize::from(byte(&mut state, 2) % 15);
            let mut steps = fields(&file, end);
            let field = steps.step();
            let after = |fields: &Fields<'_>| (fields.at, fields.end);

            let mut glance = fields(&file, end);
            if let Some((number, value)) = glance.next_numbered() {
                let field = field.unwrap().unwrap();
                assert_eq!((field.number, field.unsigned()), (u32::from(number), Ok(value)));
                assert_eq!(after(&glance), after(&steps), "{file:?} to {end}");
                n_numbers += 1;
            }
            let mut glance = fields(&file, end);
            if let Some(message) = glance.next_message(3) {
                let found = field.unwrap().unwrap();
                assert_eq!((found.number, found.bytes()), (3, Ok(message.bytes())));
                assert_eq!(after(&glance), after(&steps), "{file:?} to {end}");
                n_messages += 1;
            }
        }
        assert!(n_numbers > 40_000 && n_messages > 5_000, "{n_numbers} {n_messages}");
    }

    /// Bytes of which many are tags, short lengths, or parts of long numbers.
    fn byte(state: &mut u64, at: u8) -> u8 {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let [.., choice, random] = state.to_le_bytes();
        match (at, choice % 4) {
            (0, 0) => 0x1A,
            (0, 1) => random & 0x78 | 0x08,
            (_, 0) => random & 0x0F,
            (_, 1) => random | 0x80,
            _ => random,
        }
    }
}
