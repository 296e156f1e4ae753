//! The outer shape of a Chrome-format trace: an object with `traceEvents` at its first level, or a bare array.
//!
//! Key order is free: producers write their header before the events, after them, or on both sides.

use super::ReadErrorKind;
use super::bytes::Text;
use super::json::{self, Fault, Next, NonFinite, Parse, Why};
use super::refusal::Refusal;
use super::source::OnDisk;
use super::window::{Access, Window};
use std::path::Path;

/// The way out where a file is no trace.
pub(super) const GIVE_A_TRACE: &str = "give a trace that the PyTorch profiler exported (`export_chrome_trace`), or JAX's \
    <host>.xplane.pb or <host>.trace.json.gz";

/// What a format makes of a document's parts.
pub(super) trait Sink {
    /// Takes the element of `traceEvents` that starts at `at`, and returns its end. `base` is the offset of the
    /// text's first byte. A fault at the end of the text brings the same element again, with more text.
    fn event(&mut self, text: Text<'_>, at: usize, base: u64) -> Parse<usize>;

    /// True where the value of this top-level key is wanted as a whole.
    fn wants(&self, key: &str) -> bool;

    /// Takes a top-level field: its value as text, without tokens that are no JSON.
    fn field(&mut self, key: &str, value: &[u8]);

    /// Takes a number that is no JSON, met outside of events.
    fn non_finite(&mut self, token: &[u8], offset: u64);

    /// Stops the reading where a limit on what was kept is exceeded.
    fn check_limits(&self) -> Result<(), Refusal>;
}

/// A document that was read.
pub(super) struct Document {
    /// The file.
    pub(super) on_disk: OnDisk,
    /// Elements of `traceEvents`.
    pub(super) elements: u64,
    /// What precedes the text.
    pub(super) mark: ByteOrderMark,
}

/// Reads the document that a file holds.
pub(super) fn read(path: &Path, access: Access, sink: &mut impl Sink) -> Result<Document, Refusal> {
    let mut window = Window::open(path, access)?;
    match read_window(&mut window, sink) {
        Ok((elements, mark)) => Ok(Document { on_disk: window.on_disk()?, elements, mark }),
        Err(refusal) => Err(true_cause(refusal, &mut window)),
    }
}

/// Text that makes no sense may come from damaged compression: then that is the fault to report.
fn true_cause(refusal: Refusal, window: &mut Window) -> Refusal {
    if refusal.kind == ReadErrorKind::MalformedJson
        && window.is_compressed()
        && let Err(container) = window.drain()
    {
        return Refusal { offset: refusal.offset, ..container };
    }
    refusal
}

/// Reads a document to its end. Returns how many elements `traceEvents` has.
fn read_window(window: &mut Window, sink: &mut impl Sink) -> Result<(u64, ByteOrderMark), Refusal> {
    window.refill()?;
    let mark = byte_order_mark(window)?;
    let opening = step(window, |text, at| {
        let at = text.space_end(at);
        match text.at(at) {
            opening @ (b'{' | b'[') => Ok((opening, at)),
            _ => Err(Fault { at, why: Why::NoDocument }),
        }
    });
    let opening = opening.map_err(|refusal| empty_or(refusal, window))?;
    let events = if opening == b'[' {
        events(window, sink)?
    } else {
        members(window, sink)?.ok_or_else(|| {
            Refusal::new(
                ReadErrorKind::NoTraceEvents,
                "the JSON has no `traceEvents`",
                GIVE_A_TRACE,
            )
        })?
    };
    if events == 0 {
        return Err(Refusal::new(
            ReadErrorKind::NoEvents,
            "`traceEvents` is empty: the profiler recorded nothing",
            "check that the profiled code ran inside the profiler's active window",
        ));
    }
    end_of_text(window)?;
    Ok((events, mark))
}

/// Whether a text starts with a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteOrderMark {
    /// It does not.
    Absent,
    /// It does, as UTF-8.
    Utf8,
}

/// Skips a UTF-8 mark, and refuses other encodings by name.
fn byte_order_mark(window: &mut Window) -> Result<ByteOrderMark, Refusal> {
    let (text, at) = (window.text(), window.at());
    let head = text.slice(at, text.end().min(at + 4));
    if let Some(encoding) = foreign_encoding(head) {
        return Err(Refusal::new(
            ReadErrorKind::Encoding,
            format!("the text is {encoding}, not UTF-8"),
            "save the file as UTF-8, for example with `iconv -t UTF-8`",
        )
        .at(0));
    }
    if head.starts_with(&[0xEF, 0xBB, 0xBF]) {
        window.advance(at + 3);
        return Ok(ByteOrderMark::Utf8);
    }
    Ok(ByteOrderMark::Absent)
}

/// The encoding of a text that is not UTF-8, by its mark or by the zeros beside its first brace (RFC 4627, 3).
pub(super) fn foreign_encoding(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xFF, 0xFE, 0, 0, ..] | [1..=0x7F, 0, 0, 0, ..] => Some("UTF-32LE"),
        [0, 0, 0xFE, 0xFF, ..] | [0, 0, 0, 1..=0x7F, ..] => Some("UTF-32BE"),
        [0xFF, 0xFE, ..] | [1..=0x7F, 0, ..] => Some("UTF-16LE"),
        [0xFE, 0xFF, ..] | [0, 1..=0x7F, ..] => Some("UTF-16BE"),
        _ => None,
    }
}

/// The refusal of a text that has no first brace: there may be no text at all.
fn empty_or(refusal: Refusal, window: &Window) -> Refusal {
    if refusal.kind != ReadErrorKind::Truncated
        || window.text().end() > window.at() && window.offset(0) > 0
    {
        return refusal;
    }
    let blank = window.text().space_end(window.at()) >= window.text().end();
    if !blank {
        return refusal;
    }
    let message = match (window.offset(window.text().end()), window.is_compressed()) {
        (0, true) => "the file is gzip of nothing: there is no text in it",
        (0, false) => "the file is empty: it has no bytes",
        _ => "the file holds nothing but white space",
    };
    Refusal::new(
        ReadErrorKind::Empty,
        message,
        "the export wrote nothing: check the disk and the exporter, and export again",
    )
    .at(0)
}

/// Reads the members of the top-level object whose brace is at hand. `None` where `traceEvents` is missing.
fn members(window: &mut Window, sink: &mut impl Sink) -> Result<Option<u64>, Refusal> {
    let mut events_seen = None;
    let mut next = step(window, |text, at| {
        let at = text.space_end(at + 1);
        if text.at(at) == b'}' { Ok((Next::End(0), at + 1)) } else { Ok((Next::More(0), at)) }
    })?;
    while let Next::More(_) = next {
        let key = step(window, |text, at| {
            let (start, end, escapes, value) = json::member(text, text.space_end(at))?;
            // Behind the colon a first byte must be at hand, to tell the value's kind.
            if value >= text.end() {
                return Err(Fault { at: value, why: Why::Expected("a value") });
            }
            let (key, _) = super::text::decode(text.slice(start, end), escapes);
            Ok((key.into_owned(), value))
        })?;
        if key == "traceEvents" {
            events_seen = Some(trace_events(window, sink, events_seen)?);
        } else {
            top_level_field(window, sink, &key)?;
        }
        next = step(window, |text, at| {
            json::after_member(text, at).map(|next| match next {
                Next::More(to) | Next::End(to) => (next, to),
            })
        })?;
    }
    Ok(events_seen)
}

fn trace_events(
    window: &mut Window,
    sink: &mut impl Sink,
    earlier: Option<u64>,
) -> Result<u64, Refusal> {
    if earlier.is_some() {
        return Err(Refusal::new(
            ReadErrorKind::MalformedJson,
            "`traceEvents` occurs twice at the first level",
            "readers disagree on which of the two counts: keep one",
        )
        .at(window.offset(window.at())));
    }
    if window.text().at(window.at()) != b'[' {
        return Err(Refusal::new(
            ReadErrorKind::NoTraceEvents,
            "`traceEvents` is not an array",
            GIVE_A_TRACE,
        )
        .at(window.offset(window.at())));
    }
    events(window, sink)
}

/// Reads the array whose bracket is at hand, element by element.
fn events(window: &mut Window, sink: &mut impl Sink) -> Result<u64, Refusal> {
    let mut next = step(window, |text, at| {
        let at = text.space_end(at + 1);
        if text.at(at) == b']' { Ok((Next::End(0), at + 1)) } else { Ok((Next::More(0), at)) }
    })?;
    let (mut events, mut at_separator) = (0_u64, false);
    while let Next::More(_) = next {
        let (text, mut at, base) = (window.text(), window.at(), window.offset(0));
        // As many elements as are at hand; only one that goes on behind them is handed out again.
        let fault = loop {
            if !at_separator {
                at = text.space_end(at);
                match sink.event(text, at, base) {
                    Ok(end) => (events, at, at_separator) = (events + 1, end, true),
                    Err(fault) => break Some(fault),
                }
            }
            match json::after_element(text, at) {
                Ok(Next::More(to)) => (at, at_separator) = (to, false),
                Ok(end @ Next::End(to)) => {
                    (next, at) = (end, to);
                    break None;
                }
                Err(fault) => break Some(fault),
            }
        };
        window.advance(at);
        if let Some(fault) = fault {
            more_text(window, fault)?;
        }
        sink.check_limits()?;
    }
    Ok(events)
}

/// Reads the value of a top-level key other than `traceEvents`.
fn top_level_field(window: &mut Window, sink: &mut impl Sink, key: &str) -> Result<(), Refusal> {
    let opening = window.text().at(window.at());
    if matches!(opening, b'{' | b'[') && !sink.wants(key) {
        return unwanted_container(window, sink, opening);
    }
    let mut odd = Vec::new();
    let start_to_end = |text: Text<'_>, at: usize| {
        odd.clear();
        json::whole_value(text, at, &mut odd).map(|end| ((at, end), end))
    };
    let (start, end) = step(window, start_to_end)?;
    let value = window.text().slice(start, end).to_vec();
    report(window, sink, &odd);
    if odd.is_empty() {
        sink.field(key, &value);
    }
    Ok(())
}

/// Passes over a container of any size, one of its elements at a time.
fn unwanted_container(
    window: &mut Window,
    sink: &mut impl Sink,
    opening: u8,
) -> Result<(), Refusal> {
    let closing = if opening == b'{' { b'}' } else { b']' };
    let mut more = step(window, |text, at| {
        let at = text.space_end(at + 1);
        if text.at(at) == closing { Ok((false, at + 1)) } else { Ok((true, at)) }
    })?;
    let mut odd = Vec::new();
    while more {
        more = step(window, |text, at| {
            odd.clear();
            let at = text.space_end(at);
            let value = if opening == b'{' { json::member(text, at)?.3 } else { at };
            let end = json::value(text, value, &mut odd)?;
            let next = if opening == b'{' { json::after_member } else { json::after_element };
            match next(text, end)? {
                Next::More(to) => Ok((true, to)),
                Next::End(to) => Ok((false, to)),
            }
        })?;
        report(window, sink, &odd);
    }
    Ok(())
}

fn report(window: &Window, sink: &mut impl Sink, odd: &[NonFinite]) {
    for token in odd {
        sink.non_finite(window.text().slice(token.start, token.end), window.offset(token.start));
    }
}

/// Nothing but white space may follow the document.
fn end_of_text(window: &mut Window) -> Result<(), Refusal> {
    loop {
        let (text, at) = (window.text(), window.at());
        let at = text.space_end(at);
        if at < text.end() {
            return Err(Refusal::new(
                ReadErrorKind::TrailingData,
                "something follows the end of the JSON document",
                "a second document or the rest of an older, longer file: cut it off, or export again",
            )
            .at(window.offset(at)));
        }
        window.advance(at);
        if !window.refill()? {
            return Ok(());
        }
    }
}

/// Parses at the window's place, with more text as often as the text at hand ends too early.
fn step<T>(
    window: &mut Window,
    mut parse: impl FnMut(Text<'_>, usize) -> Parse<(T, usize)>,
) -> Result<T, Refusal> {
    loop {
        match parse(window.text(), window.at()) {
            Ok((value, to)) => {
                window.advance(to);
                return Ok(value);
            }
            Err(fault) => more_text(window, fault)?,
        }
    }
}

/// Takes in more text where a fault lies at the end of what is at hand; else the fault is real.
fn more_text(window: &mut Window, fault: Fault) -> Result<(), Refusal> {
    let text = window.text();
    if fault.at < text.end() {
        let byte = match fault.why {
            Why::InvalidEscape => text.at(fault.at + 1),
            _ => text.at(fault.at),
        };
        return Err(Refusal::malformed(fault.why, byte).at(window.offset(fault.at)));
    }
    if window.refill()? {
        return Ok(());
    }
    let end = window.offset(window.text().end());
    Err(Refusal::truncated("the text ends inside the JSON document: it is truncated").at(end))
}
