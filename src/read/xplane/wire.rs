//! The protobuf wire format, read in place: borrowed, bounds-checked, with the offset of every fault.
//!
//! Source: protobuf's encoding guide. The long lists of a capture are read with this; nothing is copied. `step` reads any
//! message and finds every fault; what `glance` adds reads the fields of well-known messages faster.

mod glance;

/// Groups inside groups. No schema here has groups; unknown fields may, and protobuf's own limit is 100 as well.
const GROUP_DEPTH_MAX: u32 = 100;

/// One message: a part of the file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Message<'a> {
    /// The whole file: a glance may reach behind the end of the message.
    file: &'a [u8],
    start: usize,
    end: usize,
}

impl<'a> Message<'a> {
    /// A file's bytes as one message.
    pub(super) const fn whole(file: &'a [u8]) -> Self {
        Self { file, start: 0, end: file.len() }
    }

    /// The bytes.
    #[inline]
    pub(super) fn bytes(self) -> &'a [u8] {
        &self.file[self.start..self.end]
    }

    /// The message's fields, in the order of the file.
    #[inline]
    pub(super) const fn fields(self) -> Fields<'a> {
        Fields { file: self.file, at: self.start, end: self.end }
    }
}

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// A field goes on behind the end of its message.
    Cut,
    /// A number with more than 64 bits.
    Varint,
    /// Field number 0, or one above the format's limit.
    FieldNumber,
    /// A wire type that does not exist.
    WireType,
    /// A field of the schema in another wire type than the schema's.
    Kind,
    /// A group that ends without a begin, or begins too deep.
    Group,
    /// A line whose head is written again, otherwise, behind its events.
    Repeated,
    /// More of something than any real file has.
    TooMany(&'static str),
}

impl Why {
    /// The fault in words.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Cut => "a field goes on behind the end of its message",
            Self::Varint => "a number has more than 64 bits",
            Self::FieldNumber => "a field has a number that cannot be",
            Self::WireType => "a field has a wire type that does not exist",
            Self::Kind => "a field has another wire type than the schema gives it",
            Self::Group => "a group has no begin, or lies too deep",
            Self::Repeated => {
                "a line's id, name or base is written a second time, with another value"
            }
            Self::TooMany(_) => "there is more of it than any real file has",
        }
    }
}

/// A fault and its place in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Byte offset in the file.
    pub(super) offset: usize,
    /// What is wrong there.
    pub(super) why: Why,
}

/// One field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    /// Its number in the schema.
    pub(super) number: u32,
    value: Wire<'a>,
    offset: usize,
}

#[derive(Clone, Copy, Debug)]
enum Wire<'a> {
    Varint(u64),
    Fixed64(u64),
    Length(Message<'a>),
    /// 32 bits or a group: no field of the schemas has these.
    Other,
}

impl<'a> Field<'a> {
    /// The value as a signed number.
    #[inline]
    pub(super) fn signed(self) -> Result<i64, Fault> {
        self.unsigned().map(u64::cast_signed)
    }

    /// The value as an unsigned number.
    #[inline]
    pub(super) fn unsigned(self) -> Result<u64, Fault> {
        match self.value {
            Wire::Varint(value) => Ok(value),
            _ => Err(self.kind_fault()),
        }
    }

    /// The value as a floating-point number.
    #[inline]
    pub(super) fn double(self) -> Result<f64, Fault> {
        match self.value {
            Wire::Fixed64(bits) => Ok(f64::from_bits(bits)),
            _ => Err(self.kind_fault()),
        }
    }

    /// The value as a message, or as bytes.
    #[inline]
    pub(super) fn message(self) -> Result<Message<'a>, Fault> {
        match self.value {
            Wire::Length(message) => Ok(message),
            _ => Err(self.kind_fault()),
        }
    }

    /// The value's bytes.
    #[inline]
    pub(super) fn bytes(self) -> Result<&'a [u8], Fault> {
        self.message().map(Message::bytes)
    }

    #[cold]
    const fn kind_fault(self) -> Fault {
        Fault { offset: self.offset, why: Why::Kind }
    }
}

/// The fields of a message, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    file: &'a [u8],
    /// Where the next field starts.
    at: usize,
    /// Where the message ends.
    end: usize,
}

impl<'a> Fields<'a> {
    /// The next field; `None` at the end of the message.
    #[inline]
    pub(super) fn step(&mut self) -> Result<Option<Field<'a>>, Fault> {
        if self.is_empty() {
            return Ok(None);
        }
        let offset = self.at;
        let (number, wire_type) = self.tag()?;
        let value = match wire_type {
            0 => Wire::Varint(self.varint()?),
            2 => Wire::Length(self.length_delimited()?),
            _ => self.uncommon(offset, number, wire_type)?,
        };
        Ok(Some(Field { number, value, offset }))
    }

    /// True at the end of the message.
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.at >= self.end
    }

    /// The file offset of what comes next.
    pub(super) const fn offset(&self) -> usize {
        self.at
    }

    /// A field's number and its wire type.
    #[inline]
    fn tag(&mut self) -> Result<(u32, u32), Fault> {
        let start = self.at;
        match u32::try_from(self.varint()?) {
            Ok(tag) if tag >= 8 => Ok((tag >> 3, tag & 7)),
            _ => Err(fault(start, Why::FieldNumber)),
        }
    }

    #[inline]
    fn varint(&mut self) -> Result<u64, Fault> {
        match varint(self.rest()) {
            Some((value, length)) => {
                self.at += length;
                Ok(value)
            }
            None => Err(self.varint_fault()),
        }
    }

    #[inline]
    fn length_delimited(&mut self) -> Result<Message<'a>, Fault> {
        let before = self.at;
        let length = self.varint()?;
        let start = self.at;
        match usize::try_from(length) {
            Ok(length) if length <= self.end - start => {
                self.at = start + length;
                Ok(Message { file: self.file, start, end: self.at })
            }
            _ => Err(fault(before, Why::Cut)),
        }
    }

    /// Wire types that are rare or unknown to the schemas.
    #[cold]
    fn uncommon(&mut self, start: usize, number: u32, wire_type: u32) -> Result<Wire<'a>, Fault> {
        match wire_type {
            1 => match self.rest().first_chunk() {
                Some(bytes) => {
                    self.at += bytes.len();
                    Ok(Wire::Fixed64(u64::from_le_bytes(*bytes)))
                }
                None => Err(fault(start, Why::Cut)),
            },
            3 => self.group(start, number).map(|()| Wire::Other),
            5 if self.rest().len() >= 4 => {
                self.at += 4;
                Ok(Wire::Other)
            }
            5 => Err(fault(start, Why::Cut)),
            4 => Err(fault(start, Why::Group)),
            _ => Err(fault(start, Why::WireType)),
        }
    }

    /// Passes over a group whose begin has been read.
    fn group(&mut self, start: usize, number: u32) -> Result<(), Fault> {
        let mut open = vec![number];
        while let Some(&innermost) = open.last() {
            let at = self.at;
            let (number, wire_type) = self.tag()?;
            match wire_type {
                0 => drop(self.varint()?),
                2 => drop(self.length_delimited()?),
                3 if open.len() < GROUP_DEPTH_MAX as usize => open.push(number),
                4 if number == innermost => drop(open.pop()),
                3 | 4 => return Err(fault(start, Why::Group)),
                _ => drop(self.uncommon(at, number, wire_type)?),
            }
        }
        Ok(())
    }

    /// The bytes up to the end of the message.
    #[inline]
    fn rest(&self) -> &'a [u8] {
        &self.file[self.at..self.end]
    }

    #[cold]
    fn varint_fault(&self) -> Fault {
        let rest = self.rest();
        let ends = rest.iter().take(10).any(|byte| *byte < 0x80);
        fault(self.at, if ends || rest.len() >= 10 { Why::Varint } else { Why::Cut })
    }
}

#[cold]
const fn fault(offset: usize, why: Why) -> Fault {
    Fault { offset, why }
}

/// A base-128 number, and how many bytes it has; `None` where it is cut or exceeds 64 bits.
#[inline]
fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    match bytes.first() {
        Some(&byte) if byte < 0x80 => Some((u64::from(byte), 1)),
        _ => long_varint(bytes),
    }
}

fn long_varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (place, &byte) in bytes.iter().take(10).enumerate() {
        // The tenth byte holds the 64th bit alone.
        if place == 9 && byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7F) << (7 * place);
        if byte < 0x80 {
            return Some((value, place + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Fault, Message, Why};

    fn numbers(bytes: &[u8]) -> Result<Vec<(u32, Option<u64>)>, Fault> {
        let mut fields = Message::whole(bytes).fields();
        let mut found = Vec::new();
        while let Some(field) = fields.step()? {
            found.push((field.number, field.unsigned().ok()));
        }
        Ok(found)
    }

    #[test]
    fn fields_of_every_wire_type_are_passed() {
        let bytes = [
            &[0x08, 0x96, 0x01][..],
            &[0x11, 1, 2, 3, 4, 5, 6, 7, 8],
            &[0x1A, 2, 0xFF, 0xFF],
            &[0x23, 0x08, 1, 0x2B, 0x2C, 0x24],
            &[0x35, 1, 2, 3, 4],
            &[0x38, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        ]
        .concat();
        let expected =
            vec![(1, Some(150)), (2, None), (3, None), (4, None), (6, None), (7, Some(u64::MAX))];
        assert_eq!(numbers(&bytes), Ok(expected));
    }

    #[test]
    fn faults_are_told_apart_and_placed() {
        for (bytes, offset, why) in [
            (&[0x08, 1, 0x08][..], 3, Why::Cut),
            (&[0x08, 0x80], 1, Why::Cut),
            (&[0x0A, 3, 1, 2], 1, Why::Cut),
            (&[0x11, 1, 2], 0, Why::Cut),
            (&[0x35, 1], 0, Why::Cut),
            (&[0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02], 1, Why::Varint),
            (&[0x00], 0, Why::FieldNumber),
            (&[0x07], 0, Why::FieldNumber),
            (&[0x0E], 0, Why::WireType),
            (&[0x08, 1, 0x0C], 2, Why::Group),
            (&[0x0B, 0x14], 0, Why::Group),
        ] {
            assert_eq!(numbers(bytes), Err(Fault { offset, why }), "{bytes:?}");
        }
        assert_eq!(numbers(&[0x0B; 200]).map_err(|fault| fault.why), Err(Why::Group));
    }
}
