//! Kineto JSON: what the PyTorch profiler exports.
//!
//! The events are read by their text, one after the other, and only what the tables keep is looked at closely.

mod builder;
mod category;
mod classes;
mod fields;
mod flows;
mod header;
mod inputs;
mod lanes;
mod settle;
mod values;

use super::ReadError;
use super::bytes::Text;
use super::chrome::{Event, Events, NoEvent, OddNumber, Scanner};
use super::document::{self, ByteOrderMark, Document, Sink};
use super::json::Parse;
use super::limits::{
    DEVICES_MAX, KEPT_EVENTS_MAX, NAMES_BYTES_MAX, NAMES_MAX, PHASELESS_MAX, STREAMS_MAX,
    THREADS_MAX,
};
use super::refusal::{self, Refusal};
use super::source::OnDisk;
use super::tally::Oddity;
use super::window::Access;
use crate::trace::{FileFormat, Record, RecordSource};
use builder::Builder;
use category::Category;
use classes::Classes;
use fields::Field;
use header::Header;
use std::path::Path;

/// Reads a file that holds a Kineto trace, or refuses it. `None` for a sound trace of another producer: no event has a category
/// of this profiler.
pub(super) fn read(path: &Path, shown: &str, access: Access) -> Result<Option<Record>, ReadError> {
    read_text(path, shown, access).map_err(|refusal| refusal.into_error(path, shown))
}

/// True for a category that only this profiler writes.
pub(super) fn is_own_category(name: &str) -> bool {
    category::category(name).0 != Category::Unknown
}

fn read_text(path: &Path, shown: &str, access: Access) -> Result<Option<Record>, Refusal> {
    let mut kineto = Kineto::default();
    let Document { on_disk, elements, mark } = document::read(path, access, &mut kineto)?;
    let Kineto { rows: Rows { mut builder, classes }, header, .. } = kineto;
    if !classes.any_known() {
        return Ok(None);
    }
    builder.tally.note(Oddity::Bom, "", u64::from(mark == ByteOrderMark::Utf8));
    builder.trace.profiler = header.profiler;
    classes.tell(&mut builder.trace.profiler, &mut builder.tally);
    settle::settle(&mut builder, header.base_unix_ns);
    let (notices, damaged) = builder.tally.finish(|offsets| refusal::lines(path, offsets));
    builder.trace.damaged = damaged;
    let OnDisk { bytes, sha256 } = on_disk;
    let source = RecordSource {
        path: shown.to_owned(),
        format: FileFormat::Kineto,
        bytes,
        sha256,
        events: elements,
    };
    Ok(Some(Record { source, trace: builder.trace, notices }))
}

/// The state of reading one file.
#[derive(Default)]
struct Kineto {
    scanner: Scanner<usize>,
    rows: Rows,
    header: Header,
}

/// What becomes of the events.
#[derive(Default)]
struct Rows {
    builder: Builder,
    classes: Classes,
}

impl Events for Rows {
    type Field = Field;
    type Class = usize;

    fn class(&mut self, phase: u8, category: &str) -> usize {
        self.classes.number(phase, category)
    }

    #[inline]
    fn take(&mut self, event: &Event<'_>, class: usize) {
        self.builder.take(event, self.classes.count(class));
    }

    fn no_event(&mut self, event: &Event<'_>, why: NoEvent, class: usize) {
        self.builder.no_event(event, why, self.classes.class(class));
    }

    fn odd_number(&mut self, event: &Event<'_>, odd: OddNumber<'_>, class: usize) {
        self.builder.odd_number(event, odd, self.classes.class(class));
    }
}

impl Sink for Kineto {
    fn event(&mut self, text: Text<'_>, at: usize, base: u64) -> Parse<usize> {
        self.scanner.event(&mut self.rows, text, at, base)
    }

    fn wants(&self, key: &str) -> bool {
        header::wants(key)
    }

    fn field(&mut self, key: &str, value: &[u8]) {
        self.header.field(key, value, &mut self.rows.builder.tally);
    }

    fn non_finite(&mut self, token: &[u8], offset: u64) {
        self.rows.builder.odd_field(token, offset);
    }

    fn check_limits(&self) -> Result<(), Refusal> {
        let builder = &self.rows.builder;
        let trace = &builder.trace;
        let exceeded = [
            (builder.kept() > KEPT_EVENTS_MAX, "events to keep"),
            (self.rows.classes.phaseless() > PHASELESS_MAX, "events without a phase"),
            (trace.names.len() > NAMES_MAX || trace.names.text_bytes() > NAMES_BYTES_MAX, "names"),
            (trace.threads.len() > THREADS_MAX, "host threads"),
            (trace.devices.len() > DEVICES_MAX, "devices"),
            (trace.streams.len() > STREAMS_MAX, "streams"),
        ];
        match exceeded.iter().find(|(exceeded, _)| *exceeded) {
            Some((_, what)) => Err(Refusal::too_large(format!("the trace has too many {what}"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, read_text};
    use crate::read::decompression::Decompression;

    fn window(window_bytes: usize) -> Access {
        Access { window_bytes, decompression: Decompression::AsRead, text_bytes_max: u64::MAX }
    }

    #[test]
    fn where_the_window_ends_makes_no_difference() {
        let events = r#"
            {"ph": "X", "cat": "cpu_op", "name": "a\"b", "pid": 1, "tid": 1, "ts": 1.5, "dur": 20,
             "args": {"External id": 3, "Input Dims": [[1, 2], []], "x": null, "y": nan}},
            {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 100, "dur": 5e1,
             "args": {"device": 0, "stream": 7, "correlation": 1}},
            17"#;
        let events = format!("{events},{events},{events}");
        let text = format!(
            "\u{FEFF} {{ \"a\" : [ 1 , {{ \"b\" : -inf }} ] , \"traceEvents\" : [ {events} \n ] , \"INFO\" : [ \"x\" ] , \"c\" : {{ \"d\" : 1 , \"e\" : [ ] }} , \"f\" : 2 }} \n\n "
        );
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &text).unwrap();
        let whole =
            format!("{:?}", read_text(file.path(), "a", window(text.len() * 3)).unwrap().unwrap());
        for window_bytes in 4..text.len() {
            let read = read_text(file.path(), "a", window(window_bytes)).unwrap().unwrap();
            assert_eq!(format!("{read:?}"), whole, "{window_bytes}");
        }
    }
}
