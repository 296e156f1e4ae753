//! Changes that know a format: what they make gets past the first checks of a reader more often than flipped bits do.

/// Random numbers from a seed: SplitMix64.
pub struct Dice(u64);

impl Dice {
    /// Dice that fall the same way for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.next().checked_rem(end as u64).map_or(0, |rest| rest as usize)
    }

    /// One of some.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// What stands in the place of a JSON value.
const TOKENS: &[&str] = &[
    "0",
    "-1",
    "1e308",
    "1e-400",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "0.0005",
    "1.7e18",
    "null",
    "true",
    "\"\"",
    "[]",
    "{}",
    "[[[]]]",
    "nan",
    "-Infinity",
    "\"\\ud800\"",
    "\"\\u0000\\u202e\"",
    "\"9\"",
    "\"kernel\"",
    "\"gpu_memcpy\"",
    "\"cuda_runtime\"",
    "\"ProfilerStep#3\"",
    "\"user_annotation\"",
    "\"cudaGraphLaunch\"",
    "\"cudaLaunchKernel\"",
    "99999999999999999999999999999999999999999",
    "4294967295",
    "\"M\"",
    "\"s\"",
    "\"f\"",
    "\"X\"",
    "\"ncclDevKernel_AllReduce\"",
];

/// Names that a key is replaced by.
const KEYS: &[&str] = &[
    "ts",
    "dur",
    "ph",
    "cat",
    "name",
    "pid",
    "tid",
    "args",
    "id",
    "bp",
    "correlation",
    "External id",
    "stream",
    "device",
    "graph id",
    "graph node id",
    "queued",
    "bytes",
    "Input Dims",
    "Input type",
    "deviceProperties",
    "distributedInfo",
    "baseTimeNanoseconds",
    "traceEvents",
    "hlo_op",
    "hlo_module",
    "program_id",
    "displayTimeUnit",
];

/// Changes JSON text: values and keys are replaced, elements repeated, dropped or moved. `None` where there is none.
pub fn json(text: &[u8], seed: u64) -> Option<Vec<u8>> {
    let mut dice = Dice::new(seed);
    let mut changed = text.to_vec();
    for _ in 0..=dice.below(3) {
        let spans = tokens(&changed);
        let &(start, end, is_key) = spans.get(dice.below(spans.len()))?;
        let piece = match dice.below(8) {
            0..=2 if is_key => format!("\"{}\"", dice.pick(KEYS)).into_bytes(),
            0..=4 => dice.pick(TOKENS).as_bytes().to_vec(),
            5 | 6 => {
                let &(start, end, _) = dice.pick(&spans);
                changed[start..end].to_vec()
            }
            // One event again, or gone.
            _ => {
                let (start, end) = object_around(&changed, start)?;
                let object = changed[start..end].to_vec();
                let piece = if dice.below(2) == 0 {
                    b"{}".to_vec()
                } else {
                    [&object[..], b",", &object].concat()
                };
                changed.splice(start..end, piece);
                continue;
            }
        };
        changed.splice(start..end, piece);
    }
    Some(changed)
}

/// Strings, numbers and words with where they start and end, and whether they are keys.
fn tokens(text: &[u8]) -> Vec<(usize, usize, bool)> {
    let (mut spans, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let start = at;
        match text[at] {
            b'"' => {
                at += 1;
                while at < text.len() && text[at] != b'"' {
                    at += 1 + usize::from(text[at] == b'\\');
                }
                at = (at + 1).min(text.len());
                spans.push((start, at, text.get(at) == Some(&b':')));
            }
            b'-' | b'0'..=b'9' | b'a'..=b'z' => {
                while at < text.len()
                    && matches!(text[at], b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E')
                {
                    at += 1;
                }
                spans.push((start, at, false));
            }
            _ => at += 1,
        }
    }
    spans
}

/// The innermost braces around a place, if they are near.
fn object_around(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let start = text[..at].iter().rposition(|&byte| byte == b'{')?;
    let end = start + text[start..].iter().position(|&byte| byte == b'}')? + 1;
    Some((start, end))
}

/// A field of a protobuf message.
#[derive(Clone)]
struct Field {
    number: u64,
    value: Value,
}

#[derive(Clone)]
enum Value {
    Number(u64),
    Fixed(Vec<u8>),
    Bytes(Vec<u8>),
    Message(Vec<Field>),
}

/// Numbers at which arithmetic breaks.
const NUMBERS: &[u64] = &[
    0,
    1,
    2,
    7,
    127,
    255,
    65_536,
    1 << 31,
    1 << 32,
    (1 << 53) + 1,
    1 << 62,
    1 << 63,
    u64::MAX,
    u64::MAX - 1,
    1_700_000_000_000_000_000,
    (1 << 63) - 1,
    1_000_000_007,
];

/// Changes a protobuf message: fields at any depth are replaced, repeated, dropped or exchanged, and all lengths are right again.
/// `None` where the bytes are no message.
pub fn wire(bytes: &[u8], seed: u64) -> Option<Vec<u8>> {
    let mut dice = Dice::new(seed);
    let mut fields = parse(bytes, 0)?;
    for _ in 0..=dice.below(3) {
        change(&mut fields, &mut dice)?;
    }
    let mut out = Vec::new();
    write(&fields, &mut out);
    Some(out)
}

fn change(fields: &mut Vec<Field>, dice: &mut Dice) -> Option<()> {
    let at = dice.below(fields.len());
    let field = fields.get_mut(at)?;
    if let Value::Message(inner) = &mut field.value
        && !inner.is_empty()
        && dice.below(8) != 0
    {
        return change(inner, dice);
    }
    match dice.below(9) {
        0 => drop(fields.remove(at)),
        1 => {
            let field = fields[at].clone();
            for _ in 0..=dice.below(3) {
                fields.insert(at, field.clone());
            }
        }
        2 => {
            let other = dice.below(fields.len());
            fields.swap(at, other);
        }
        3 => {
            let other = fields[dice.below(fields.len())].clone();
            fields[at].value = other.value;
        }
        4 => field.number = 1 + dice.below(40) as u64,
        _ => match &mut field.value {
            Value::Number(number) => {
                *number = match dice.below(4) {
                    0 => number.wrapping_add(1),
                    1 => number.wrapping_sub(1),
                    2 => number.wrapping_neg(),
                    _ => *dice.pick(NUMBERS),
                }
            }
            Value::Fixed(bytes) => bytes.iter_mut().for_each(|byte| *byte = dice.next() as u8),
            Value::Bytes(bytes) => match dice.below(4) {
                0 => bytes.clear(),
                1 => bytes.extend_from_slice(b"\xff\0\xe2\x80\xae::"),
                _ => {
                    let at = dice.below(bytes.len());
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte = dice.next() as u8;
                    }
                }
            },
            Value::Message(inner) => inner.clear(),
        },
    }
    Some(())
}

/// What a message may be split into, so that one of a million fields is left alone.
const FIELDS_MAX: usize = 1 << 14;

fn parse(bytes: &[u8], depth: usize) -> Option<Vec<Field>> {
    let (mut fields, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() {
        let tag = varint(&mut rest)?;
        let value = match tag & 7 {
            0 => Value::Number(varint(&mut rest)?),
            1 => Value::Fixed(take(&mut rest, 8)?.to_vec()),
            5 => Value::Fixed(take(&mut rest, 4)?.to_vec()),
            2 => {
                let length = varint(&mut rest)?;
                let inner = take(&mut rest, usize::try_from(length).ok()?)?;
                // A text that reads as a message is treated as one: no harm is done.
                let is_text = inner.iter().all(|byte| (b' '..0x7f).contains(byte));
                match parse(inner, depth + 1).filter(|_| depth < 12 && !is_text) {
                    Some(fields) => Value::Message(fields),
                    None => Value::Bytes(inner.to_vec()),
                }
            }
            _ => return None,
        };
        if tag >> 3 == 0 || fields.len() == FIELDS_MAX {
            return None;
        }
        fields.push(Field { number: tag >> 3, value });
    }
    Some(fields)
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)?[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn write(fields: &[Field], out: &mut Vec<u8>) {
    for Field { number, value } in fields {
        let kind = match value {
            Value::Number(_) => 0,
            Value::Fixed(bytes) if bytes.len() == 8 => 1,
            Value::Fixed(_) => 5,
            Value::Bytes(_) | Value::Message(_) => 2,
        };
        put(number << 3 | kind, out);
        match value {
            Value::Number(number) => put(*number, out),
            Value::Fixed(bytes) => out.extend_from_slice(bytes),
            Value::Bytes(bytes) => {
                put(bytes.len() as u64, out);
                out.extend_from_slice(bytes);
            }
            Value::Message(fields) => {
                let mut inner = Vec::new();
                write(fields, &mut inner);
                put(inner.len() as u64, out);
                out.extend_from_slice(&inner);
            }
        }
    }
}

fn put(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
