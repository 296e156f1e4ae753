//! Changes of a file that say nothing new change nothing in the trace.

use super::{read, samples};
use crate::xspace::{Space, Stat, event, line, session};

/// A file with several devices, streams, threads, programs and statistics.
fn sample() -> Space {
    let mut sample = samples::graph_replays(4, 4);
    let one = samples::async_label();
    let looped = samples::loop_graph();
    sample.planes[0].programs.extend(looped.planes[0].programs.clone());
    let mut second = looped.planes[1].clone();
    "/device:GPU:1".clone_into(&mut second.name);
    second.lines.extend(one.planes[1].lines.clone().into_iter().map(|mut line| {
        line.id = 8;
        "Stream #8".clone_into(&mut line.name);
        line.base_ns = 7_000;
        line
    }));
    second.stats = vec![
        ("device_vendor", Stat::Text("AMD")),
        ("core_count", Stat::Signed(304)),
        ("memory_size", Stat::Unsigned(1 << 37)),
    ];
    sample.planes.push(second);
    sample.planes[2].lines.push(line(
        13,
        "python3",
        vec![
            event("train", 0, 900).with("_r", Stat::Signed(1)).with("step_num", Stat::Signed(4)),
            event("$train.py:7 main", 1, 800),
        ],
    ));
    sample.planes.push(session(1_700_000_000_000_000_000, 1_700_000_000_100_000_000));
    sample
}

fn shown(bytes: &[u8]) -> String {
    let record = read(bytes);
    format!("{:#?}\n{:#?}\n{}", record.trace, record.notices, record.source.events)
}

#[track_caller]
fn assert_same(expected: &str, found: &str) {
    let differs = expected.lines().zip(found.lines()).position(|(a, b)| a != b);
    if let Some(at) = differs {
        let around = |text: &str| {
            text.lines().skip(at.saturating_sub(4)).take(9).collect::<Vec<_>>().join("\n")
        };
        panic!("expected\n{}\nfound\n{}", around(expected), around(found));
    }
    assert_eq!(expected.len(), found.len());
}

#[test]
fn the_order_of_planes_and_lines_says_nothing() {
    let (plain, mut turned) = (sample(), sample());
    turned.planes.reverse();
    turned.planes.iter_mut().for_each(|plane| plane.lines.reverse());
    assert_same(&shown(&plain.bytes()), &shown(&turned.bytes()));
}

#[test]
fn the_order_of_statistics_says_nothing() {
    let (plain, mut turned) = (sample(), sample());
    for plane in &mut turned.planes {
        plane.stats.reverse();
        for event in plane.lines.iter_mut().flat_map(|line| &mut line.events) {
            event.stats.reverse();
        }
    }
    assert_same(&shown(&plain.bytes()), &shown(&turned.bytes()));
}

#[test]
fn ids_of_planes_say_nothing() {
    let (plain, mut other) = (sample(), sample());
    other.planes.iter_mut().for_each(|plane| plane.id = 0);
    assert_same(&shown(&plain.bytes()), &shown(&other.bytes()));
}

#[test]
fn the_order_of_fields_says_nothing() {
    let plain = sample().bytes();
    assert_same(&shown(&plain), &shown(&rewritten(&plain, Level::Space, Change::Reverse)));
}

#[test]
fn unknown_fields_say_nothing() {
    let plain = sample().bytes();
    assert_same(&shown(&plain), &shown(&rewritten(&plain, Level::Space, Change::AddUnknown)));
}

#[test]
fn shifted_bases_shift_the_origin_alone() {
    let (plain, mut shifted) = (sample(), sample());
    let shift = 1_700_000_000_000_000_000;
    for line in shifted.planes.iter_mut().flat_map(|plane| &mut plane.lines) {
        line.base_ns += shift;
    }
    let (plain, shifted) = (read(&plain.bytes()), read(&shifted.bytes()));
    assert_eq!(plain.trace.origin.file_ns + shift, shifted.trace.origin.file_ns);
    let comparable = |mut trace: idleproof::trace::Trace| {
        trace.origin = Default::default();
        // The axis's zero moved away from the records, and with it the session.
        trace.profiler.span = None;
        format!("{trace:#?}")
    };
    assert_same(&comparable(plain.trace), &comparable(shifted.trace));
}

#[derive(Clone, Copy, PartialEq)]
enum Change {
    Reverse,
    AddUnknown,
}

/// Messages whose content is known to be messages.
#[derive(Clone, Copy)]
enum Level {
    Space,
    Plane,
    Line,
    Event,
    MapEntry,
    Leaf,
}

/// Rewrites a message field by field. Repeated fields keep their order among themselves but for maps and planes.
fn rewritten(bytes: &[u8], level: Level, change: Change) -> Vec<u8> {
    let mut fields: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (tag, after) = varint(rest);
        let (payload, after) = match tag & 7 {
            0 => after.split_at(after.len() - varint(after).1.len()),
            1 => after.split_at(8),
            _ => {
                let (length, after) = varint(after);
                after.split_at(usize::try_from(length).unwrap())
            }
        };
        let inner = match (level, tag >> 3) {
            (Level::Space, 1) => Some(Level::Plane),
            (Level::Plane, 3) => Some(Level::Line),
            (Level::Plane, 4 | 5) => Some(Level::MapEntry),
            (Level::Plane, 6) | (Level::Event, 4) => Some(Level::Leaf),
            (Level::Line, 4) => Some(Level::Event),
            (Level::MapEntry, 2) => Some(Level::Leaf),
            _ => None,
        };
        let payload = match (tag & 7, inner) {
            (2, Some(inner)) => rewritten(payload, inner, change),
            _ => payload.to_vec(),
        };
        fields.push((tag, payload));
        rest = after;
    }
    match (change, level) {
        // Events of a line have an order of their own.
        (Change::Reverse, Level::Line) => fields.sort_by_key(|(tag, _)| std::cmp::Reverse(*tag)),
        (Change::Reverse, _) => fields.reverse(),
        (Change::AddUnknown, _) => {
            fields.insert(0, (100 << 3, vec![0xFF, 0x01]));
            fields.push((101 << 3 | 2, b"unknown".to_vec()));
            fields.push((102 << 3 | 1, vec![1; 8]));
        }
    }
    let mut written = Vec::new();
    for (tag, payload) in fields {
        push_varint(&mut written, tag);
        if tag & 7 == 2 {
            push_varint(&mut written, payload.len() as u64);
        }
        written.extend(payload);
    }
    if change == Change::AddUnknown {
        // A group with a number in it, and 32 bits.
        push_varint(&mut written, 103 << 3 | 3);
        written.extend([0x08, 0x01]);
        push_varint(&mut written, 103 << 3 | 4);
        push_varint(&mut written, 104 << 3 | 5);
        written.extend([1; 4]);
    }
    written
}

fn varint(bytes: &[u8]) -> (u64, &[u8]) {
    let length = bytes.iter().position(|byte| *byte < 0x80).unwrap() + 1;
    let places = bytes[..length].iter().enumerate();
    let value =
        places.fold(0, |value, (place, byte)| value | u64::from(byte & 0x7F) << (7 * place));
    (value, &bytes[length..])
}

fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push((value & 0x7F) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
