//! One event as text: where the values of the used fields stand, and a strict reading that finds them.

use super::super::bytes::Text;
use super::super::json::{self, Escapes, Fault, Next, NonFinite, Parse, Why};
use super::super::text::decode;
use super::fields::{EventKey, Field, args_key, event_key};

/// A value's place in the text; of a string, its content's.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    /// Index of the first byte.
    pub(super) start: u32,
    /// Index behind the last byte.
    pub(super) end: u32,
}

impl Span {
    /// The span of two indices of a window, which is far below 4 GiB.
    #[inline]
    pub(super) fn new(start: usize, end: usize) -> Self {
        let narrow = |index| u32::try_from(index).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    /// The bytes.
    #[inline]
    pub(super) fn of<'a>(self, text: Text<'a>) -> &'a [u8] {
        text.slice(self.start as usize, self.end as usize)
    }
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// A string.
    String,
    /// A number.
    Number,
    /// An object or an array.
    Container,
    /// `nan` or `inf`.
    NonFinite,
}

/// A used field's value.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    /// Its bytes; of a string, its content's.
    pub(super) bytes: &'a [u8],
    /// What it is.
    pub(super) kind: ValueKind,
}

impl<'a> Value<'a> {
    /// The value as text, whatever it is.
    pub(super) fn text(self) -> (std::borrow::Cow<'a, str>, super::super::text::Fidelity) {
        let escaped = self.kind == ValueKind::String && self.bytes.contains(&b'\\');
        decode(self.bytes, if escaped { Escapes::Some } else { Escapes::None })
    }
}

/// Which values belong to which fields: the part of a layout that reading an event needs.
#[derive(Clone, Debug)]
pub(super) struct Map {
    /// For each field, the number of its value counted from 1; 0 where it is absent.
    places: [u16; Field::COUNT],
    /// What the values are.
    pub(super) kinds: Vec<ValueKind>,
    /// Keys that are used and occurred again: the last one counts.
    pub(super) repeated: Vec<&'static str>,
}

impl Default for Map {
    fn default() -> Self {
        Self { places: [0; Field::COUNT], kinds: Vec::new(), repeated: Vec::new() }
    }
}

/// An event whose values were found.
#[derive(Clone, Copy)]
pub(super) struct Event<'a> {
    /// The window's text.
    pub(super) text: Text<'a>,
    /// Which value belongs to which field.
    pub(super) map: &'a Map,
    /// The values' places.
    pub(super) spans: &'a [Span],
    /// The event's offset in the whole text.
    pub(super) offset: u64,
}

impl<'a> Event<'a> {
    /// The value of a field; `None` where it is absent or `null`.
    #[inline]
    pub(super) fn get(&self, field: Field) -> Option<Value<'a>> {
        let place = usize::from(self.map.places[field as usize]).checked_sub(1)?;
        Some(Value {
            bytes: self.spans.get(place)?.of(self.text),
            kind: *self.map.kinds.get(place)?,
        })
    }
}

/// What is wrong with an element of `traceEvents` that is valid JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoEvent {
    /// It is no object.
    NotAnObject,
    /// Its `args` are no object.
    ArgsNotAnObject,
}

/// An event read by the general way; reused from event to event.
#[derive(Default)]
pub(super) struct Draft {
    /// Which value belongs to which field.
    pub(super) map: Map,
    /// The values' places, in order.
    pub(super) spans: Vec<Span>,
    /// Content of `ph`.
    pub(super) phase: Option<Span>,
    /// Content of `cat`.
    pub(super) category: Option<Span>,
    /// Numbers that are no JSON.
    pub(super) odd: Vec<NonFinite>,
    /// What makes the element no event.
    pub(super) no_event: Option<NoEvent>,
}

impl Draft {
    /// Reads the element that starts at `at`; returns its end.
    pub(super) fn read(&mut self, text: Text<'_>, at: usize) -> Parse<usize> {
        self.clear();
        if text.at(at) != b'{' {
            self.no_event = Some(NoEvent::NotAnObject);
            return json::whole_value(text, at, &mut self.odd);
        }
        self.object(text, at, Level::Event)
    }

    fn clear(&mut self) {
        self.map.places = [0; Field::COUNT];
        self.map.kinds.clear();
        self.map.repeated.clear();
        self.spans.clear();
        self.odd.clear();
        (self.phase, self.category, self.no_event) = (None, None, None);
    }

    fn object(&mut self, text: Text<'_>, at: usize, level: Level) -> Parse<usize> {
        let mut at = text.space_end(at + 1);
        if text.at(at) == b'}' {
            return Ok(at + 1);
        }
        let mut args_seen = false;
        loop {
            let (start, end, escapes, value) = json::member(text, at)?;
            let (key, _) = decode(text.slice(start, end), escapes);
            let meaning = match level {
                Level::Event => event_key(key.as_bytes()),
                Level::Args => args_key(key.as_bytes()).map(EventKey::Field),
            };
            if value >= text.end() {
                return Err(Fault { at: value, why: Why::Expected("a value") });
            }
            at = match meaning {
                Some(EventKey::Args) => {
                    if args_seen {
                        self.map.repeated.push("args");
                    }
                    args_seen = true;
                    self.args(text, value)?
                }
                _ => self.value(text, value, meaning)?,
            };
            match json::after_member(text, at)? {
                Next::More(to) => at = to,
                Next::End(to) => return Ok(to),
            }
        }
    }

    fn args(&mut self, text: Text<'_>, at: usize) -> Parse<usize> {
        match text.at(at) {
            b'{' => self.object(text, at, Level::Args),
            b'n' => self.value(text, at, None),
            _ => {
                self.no_event = Some(NoEvent::ArgsNotAnObject);
                self.value(text, at, None)
            }
        }
    }

    /// Reads the value at `at` and notes its place, for itself or for its field.
    fn value(&mut self, text: Text<'_>, at: usize, meaning: Option<EventKey>) -> Parse<usize> {
        let (kind, span, end) = match text.at(at) {
            b'"' => {
                let (closing, _) = json::string(text, at + 1)?;
                (ValueKind::String, Span::new(at + 1, closing), closing + 1)
            }
            first @ (b'{' | b'[' | b'0'..=b'9' | b'-')
                if first != b'-' || text.at(at + 1).is_ascii_digit() =>
            {
                let end = json::value(text, at, &mut self.odd)?;
                let kind = if matches!(first, b'{' | b'[') {
                    ValueKind::Container
                } else {
                    ValueKind::Number
                };
                (kind, Span::new(at, end), end)
            }
            _ => {
                let known = self.odd.len();
                let end = json::value(text, at, &mut self.odd)?;
                if self.odd.len() == known {
                    // `true`, `false`, `null`: as if the field were absent.
                    return Ok(end);
                }
                (ValueKind::NonFinite, Span::new(at, end), end)
            }
        };
        match meaning {
            Some(EventKey::Phase) => self.mark(Which::Phase, span),
            Some(EventKey::Category) => self.mark(Which::Category, span),
            Some(EventKey::Args) | None => self.place(kind, span),
            Some(EventKey::Field(field)) => {
                self.place(kind, span);
                let number = u16::try_from(self.spans.len()).unwrap_or(0);
                let place = &mut self.map.places[field as usize];
                if *place != 0 {
                    self.map.repeated.push(field.key());
                }
                *place = number;
            }
        }
        Ok(end)
    }

    fn place(&mut self, kind: ValueKind, span: Span) {
        self.map.kinds.push(kind);
        self.spans.push(span);
    }

    fn mark(&mut self, which: Which, span: Span) {
        let (mark, key) = match which {
            Which::Phase => (&mut self.phase, "ph"),
            Which::Category => (&mut self.category, "cat"),
        };
        if mark.is_some() {
            self.map.repeated.push(key);
        }
        *mark = Some(span);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Event,
    Args,
}

#[derive(Clone, Copy)]
enum Which {
    Phase,
    Category,
}
