//! A recorded trace again and again: each time later, and with ids of its own, as a longer recording would have it.

use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{Read, Result, Write};
use std::path::Path;

/// What must differ from one repetition to the next, by its key.
const TIME: &[u8] = b"\"ts\":";
const IDS: [&[u8]; 3] = [b"\"correlation\":", b"\"External id\":", b"\"id\":"];

/// Ids of one repetition lie this far behind those of the one before it.
const IDS_APART: u64 = 10_000_000;

/// A number of the text that grows.
struct Place {
    start: usize,
    end: usize,
    value: u64,
    is_time: bool,
}

/// Writes the trace often enough for so many bytes of text.
pub(crate) fn write(out: &mut impl Write, recorded: &Path, bytes: usize) -> Result<()> {
    let mut text = Vec::new();
    MultiGzDecoder::new(File::open(recorded)?).read_to_end(&mut text)?;
    let key = memchr::memmem::find(&text, b"\"traceEvents\"").expect("events");
    let opening = key + memchr::memchr(b'[', &text[key..]).expect("an array") + 1;
    let closing = memchr::memrchr(b']', &text).expect("an array");
    let body = text[opening..closing].trim_ascii_end();
    let places = places(body);
    let times = places.iter().filter(|place| place.is_time && place.value > 0);
    let (first, last) = times.fold((u64::MAX, 0), |(first, last), place| {
        (first.min(place.value), last.max(place.value))
    });
    let apart = last.saturating_sub(first) + 1_000;
    let n_times = ((bytes + text.len() / 2) / text.len()).max(1);
    out.write_all(&text[..opening])?;
    for n in (0_u64..).take(n_times) {
        if n > 0 {
            out.write_all(b",")?;
        }
        let mut at = 0;
        for place in &places {
            let by = if place.is_time { apart } else { IDS_APART };
            out.write_all(&body[at..place.start])?;
            write!(out, "{}", place.value + n * by)?;
            at = place.end;
        }
        out.write_all(&body[at..])?;
    }
    out.write_all(&text[closing..])
}

/// The whole parts of the numbers that grow, in order.
fn places(body: &[u8]) -> Vec<Place> {
    let mut places = Vec::new();
    for at in memchr::memchr_iter(b'"', body) {
        let rest = &body[at..];
        let Some(key) = [TIME].iter().chain(&IDS).find(|key| rest.starts_with(key)) else {
            continue;
        };
        let start = at + key.len() + usize::from(rest.get(key.len()) == Some(&b' '));
        let digits = body[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let value = std::str::from_utf8(&body[start..start + digits]).ok();
        if let Some(value) = value.and_then(|digits| digits.parse().ok()) {
            places.push(Place { start, end: start + digits, value, is_time: *key == TIME });
        }
    }
    places
}
