//! The walk against prost's decode of the same line: whatever the bytes are, both say the same, or both refuse them.
//!
//! Lines are written in the order of writers and in any other, with numbers longer than they need to be, with unknown
//! fields, and damaged. The messages below take the statistics of an event as bytes, as the walk does: it passes over
//! those that it does not use.

use super::super::super::jax::Key;
use super::super::plane::{Dictionary, EventName, Line, StatName};
use super::super::stat::{Stats, Value};
use super::super::wire::{Message as Part, Why};
use super::{Event, Timing, Walk, count};
use prost::Message;

#[derive(Clone, PartialEq, Message)]
struct PlainLine {
    #[prost(int64, tag = "1")]
    id: i64,
    #[prost(bytes = "vec", tag = "2")]
    name: Vec<u8>,
    #[prost(int64, tag = "3")]
    base_ns: i64,
    #[prost(message, repeated, tag = "4")]
    events: Vec<PlainEvent>,
}

#[derive(Clone, PartialEq, Message)]
struct PlainEvent {
    #[prost(int64, tag = "1")]
    name: i64,
    #[prost(oneof = "Data", tags = "2, 5")]
    data: Option<Data>,
    #[prost(int64, tag = "3")]
    duration_ps: i64,
    #[prost(bytes = "vec", repeated, tag = "4")]
    stats: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Data {
    #[prost(int64, tag = "2")]
    Offset(i64),
    #[prost(int64, tag = "5")]
    Occurrences(i64),
}

#[derive(Clone, PartialEq, Message)]
struct PlainStat {
    #[prost(int64, tag = "1")]
    name: i64,
    #[prost(oneof = "PlainValue", tags = "2, 3, 4, 5, 6, 7")]
    value: Option<PlainValue>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum PlainValue {
    #[prost(double, tag = "2")]
    Double(f64),
    #[prost(uint64, tag = "3")]
    Unsigned(u64),
    #[prost(int64, tag = "4")]
    Signed(i64),
    #[prost(bytes = "vec", tag = "5")]
    Text(Vec<u8>),
    #[prost(bytes = "vec", tag = "6")]
    Bytes(Vec<u8>),
    #[prost(uint64, tag = "7")]
    Ref(u64),
}

/// The statistics that the reader uses have the ids 1 to 4; those with 5 and 6 it does not use.
const KEYS: [Key; 4] = [Key::Correlation, Key::KernelDetails, Key::HloOp, Key::StepNumber];
const UNUSED: [i64; 2] = [5, 6];
/// Events have the ids 1 to 3. Those of the last one share the statistic 1 with the value 7.
const EVENTS: i64 = 3;
const SHARED: [u8; 4] = [0x08, 1, 0x18, 7];

/// What a line says, as text: events with their statistics, then how often an id or a statistic was odd.
type Told = Result<String, Why>;

#[test]
fn the_walk_agrees_with_prost_on_any_line() {
    let (mut n_usual, mut n_other, mut n_refused, mut n_passed_over) = (0, 0, 0, 0);
    for seed in 0..60_000 {
        let mut random = Random(seed);
        let (line, is_usual) = line(&mut random);
        let mut file = vec![0x0A];
        push_number(&mut file, line.len() as u64, 0);
        file.extend(&line);
        // A glance may see what stands behind the line, and must not take it for the line's.
        file.extend((0..random.below(12)).map(|_| random.byte()));
        let part = Part::whole(&file).fields().step().unwrap().unwrap().message().unwrap();
        assert_eq!(part.bytes(), line);

        let walked = walked(part);
        match (PlainLine::decode(line.as_slice()).map(|plain| decoded(&plain)), walked) {
            // A line's head that is written behind its events is refused, whatever it says.
            (_, Err(Why::Repeated)) => {}
            (Ok(Plain::Ambiguous), _) => n_passed_over += 1,
            (Ok(Plain::Told(expected)), found) => {
                assert_eq!(found, Ok(expected), "seed {seed}: {line:02X?}");
                n_usual += u32::from(is_usual);
                n_other += u32::from(!is_usual);
            }
            (Ok(Plain::Refused) | Err(_), found) => {
                assert!(found.is_err(), "seed {seed}: {found:?} of {line:02X?}");
                n_refused += 1;
            }
        }
    }
    let shown = format!("{n_usual} usual, {n_other} other, {n_refused} refused, {n_passed_over}");
    assert!(n_usual > 5_000 && n_other > 10_000 && n_refused > 5_000, "{shown}");
    assert!(n_passed_over < 600, "{shown}");
}

fn dictionary<'a>() -> Dictionary<'a> {
    let mut dictionary = Dictionary::default();
    for (id, key) in (1..).zip(KEYS) {
        let row = StatName { text: b"", key: Some(key), interned: None };
        dictionary.stats.insert(id, row);
    }
    for id in UNUSED {
        dictionary.stats.insert(id, StatName { text: b"", key: None, interned: None });
    }
    for id in 1..=EVENTS {
        let mut row = EventName::default();
        if id == EVENTS {
            row.stats.push(Part::whole(&SHARED));
            row.shared = dictionary.used(&row.stats).unwrap();
        }
        dictionary.events.insert(id, row);
    }
    dictionary
}

fn walked(message: Part<'_>) -> Told {
    let line = Line { id: 0, name: b"", base_ns: 0, has_events: true, message };
    let dictionary = dictionary();
    let (mut walk, mut told, mut n_events) = (Walk::new(line), String::new(), 0);
    while let Some(event) = walk.step(&dictionary).map_err(|fault| fault.why)? {
        tell(&mut told, event, &walk.stats);
        n_events += 1;
    }
    assert_eq!(count(line), Ok(n_events));
    Ok(told + &format!("{} {}", walk.n_dangling, walk.n_repeated))
}

fn tell(told: &mut String, mut event: Event, stats: &Stats<'_>) {
    // An event that stands for several has no start.
    if event.occurrences.is_some() {
        event.timing.offset_ps = 0;
    }
    let stats = KEYS.map(|key| (stats.has(key), stats.get(key)));
    *told += &format!("{event:?} {stats:?}\n");
}

enum Plain {
    Told(String),
    Refused,
    /// A statistic whose first name is of no use, and which is damaged or changes its name: the walk need not look.
    Ambiguous,
}

fn decoded(line: &PlainLine) -> Plain {
    let (mut told, mut n_dangling, mut n_repeated) = (String::new(), 0_u64, 0_u64);
    let (mut is_refused, mut is_ambiguous) = (false, false);
    for event in &line.events {
        let decode = |bytes: &Vec<u8>| PlainStat::decode(bytes.as_slice());
        let own: Vec<_> = event.stats.iter().map(decode).collect();
        let mut stats = Stats::default();
        for (bytes, stat) in event.stats.iter().zip(&own) {
            let is_unused = leading(bytes).is_some_and(|name| UNUSED.contains(&name));
            match stat {
                Ok(stat) if is_unused => is_ambiguous |= !UNUSED.contains(&stat.name),
                Err(_) if is_unused => is_ambiguous = true,
                Err(_) => is_refused = true,
                Ok(stat) => match key(stat.name) {
                    Some(key) => n_repeated += u64::from(stats.set(key, value(stat))),
                    None => n_dangling += u64::from(!UNUSED.contains(&stat.name)),
                },
            }
        }
        n_dangling += u64::from(!(1..=EVENTS).contains(&event.name));
        if event.name == EVENTS && !stats.has(KEYS[0]) {
            stats.set(KEYS[0], Value::Unsigned(7));
        }
        let (offset_ps, occurrences) = match event.data {
            Some(Data::Occurrences(occurrences)) => (0, Some(occurrences)),
            Some(Data::Offset(offset)) => (offset, None),
            None => (0, None),
        };
        let timing = Timing { offset_ps, duration_ps: event.duration_ps };
        tell(&mut told, Event { name: event.name, timing, occurrences }, &stats);
    }
    match (is_ambiguous, is_refused) {
        (true, _) => Plain::Ambiguous,
        (false, true) => Plain::Refused,
        (false, false) => Plain::Told(told + &format!("{n_dangling} {n_repeated}")),
    }
}

/// The name of a statistic that starts with it.
fn leading(stat: &[u8]) -> Option<i64> {
    let mut rest = stat.strip_prefix(&[0x08])?;
    prost::encoding::decode_varint(&mut rest).ok().map(u64::cast_signed)
}

fn key(name: i64) -> Option<Key> {
    KEYS.get(usize::try_from(name).ok()?.checked_sub(1)?).copied()
}

fn value(stat: &PlainStat) -> Value<'_> {
    match &stat.value {
        None => Value::Absent,
        Some(PlainValue::Double(number)) => Value::Double(*number),
        Some(PlainValue::Unsigned(number)) => Value::Unsigned(*number),
        Some(PlainValue::Signed(number)) => Value::Signed(*number),
        Some(PlainValue::Text(text)) => Value::Text(text),
        Some(PlainValue::Bytes(bytes)) => Value::Bytes(bytes),
        Some(PlainValue::Ref(name)) => Value::Ref(*name),
    }
}

/// A line, and whether its events are written as writers do: then nothing but glances reads them.
fn line(random: &mut Random) -> (Vec<u8>, bool) {
    let (mut line, style) = (Vec::new(), random.below(3));
    for _ in 0..=random.below(3) {
        let event = message(random, style, event_fields);
        line.push(0x22);
        push_number(&mut line, event.len() as u64, 0);
        line.extend(event);
    }
    if style == 2 {
        for _ in 0..random.below(3) {
            damage(&mut line, random);
        }
    }
    (line, style == 0)
}

/// A message of the fields that `fields` gives, in their order (style 0), else in any.
fn message(
    random: &mut Random,
    style: u64,
    fields: fn(&mut Random, u64) -> Vec<Vec<u8>>,
) -> Vec<u8> {
    let mut fields = fields(random, style);
    if style > 0 {
        for _ in 0..random.below(3) {
            let [one, two] = [0; 2].map(|_: usize| random.index(fields.len()));
            match random.below(3) {
                0 => fields.push(fields[one].clone()),
                1 => fields.swap(one, two),
                // 32 bits, a group with a group in it, a long number, an empty text.
                _ => fields.push(
                    [
                        &[0x4D, 1, 2, 3, 4][..],
                        &[0x4B, 0x08, 1, 0x53, 0x54, 0x4C],
                        &[0xA0, 0x06, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
                        &[0x7A, 0],
                    ][random.index(4)]
                    .to_vec(),
                ),
            }
        }
    }
    fields.concat()
}

fn event_fields(random: &mut Random, style: u64) -> Vec<Vec<u8>> {
    let mut fields = vec![number(random, style, 0x08, 5)];
    let data = if style > 0 && random.below(4) == 0 { 0x28 } else { 0x10 };
    for tag in [data, 0x18] {
        if random.below(6) > 0 {
            fields.push(number(random, style, tag, u64::MAX));
        }
    }
    for _ in 0..random.below(4) {
        let stat = message(random, style, stat_fields);
        let mut field = vec![0x22];
        push_number(&mut field, stat.len() as u64, 0);
        fields.push([field, stat].concat());
    }
    fields
}

fn stat_fields(random: &mut Random, style: u64) -> Vec<Vec<u8>> {
    let name = number(random, style, 0x08, 8);
    let value = match random.below(7) {
        0 => number(random, style, 0x18, u64::MAX),
        1 => number(random, style, 0x20, u64::MAX),
        2 => number(random, style, 0x38, u64::MAX),
        3 => [&[0x11][..], &1.5_f64.to_le_bytes()].concat(),
        4 => vec![0x2A, 2, b'o', b'p'],
        5 => vec![0x32, 3, 1, 2, 3],
        _ => return vec![name],
    };
    vec![name, value]
}

/// A field with a number below `limit`, of any magnitude; as writers do, at most of 49 bits (style 0).
fn number(random: &mut Random, style: u64, tag: u8, limit: u64) -> Vec<u8> {
    let n_bits = random.below(if style == 0 { 49 } else { 64 }) + 1;
    let value = random.below(u64::MAX >> (64 - n_bits)) % limit;
    let mut field = vec![tag];
    let n_spare = if style == 0 { 0 } else { random.below(8).saturating_sub(5) };
    push_number(&mut field, value, n_spare);
    field
}

/// Writes a number with some bytes more than it needs, as the format allows.
fn push_number(bytes: &mut Vec<u8>, mut value: u64, n_spare: u64) {
    let at = bytes.len();
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
    for _ in 0..n_spare {
        if bytes.len() - at < 10 {
            *bytes.last_mut().unwrap() |= 0x80;
            bytes.push(0);
        }
    }
}

fn damage(line: &mut Vec<u8>, random: &mut Random) {
    if line.is_empty() {
        return;
    }
    let (at, byte) = (random.index(line.len()), random.byte());
    match random.below(5) {
        0 => drop(line.remove(at)),
        1 => line.insert(at, byte),
        2 => line[at] ^= 1 << (byte % 8),
        3 => line[at] = [0, 0x7F, 0x80, 0xFF][usize::from(byte % 4)],
        _ => line.truncate(at),
    }
}

/// A generator of numbers that depend on the seed alone.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % limit.max(1)
    }

    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap()
    }

    fn byte(&mut self) -> u8 {
        self.below(256).to_le_bytes()[0]
    }
}
