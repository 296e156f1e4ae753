//! One event as text: where the values of the used fields stand, and a strict reading that finds them.

use super::super::bytes::Text;
use super::super::json::{self, Escapes, Fault, Next, NonFinite, Parse, Why};
use super::super::text::{Fidelity, decode};
use super::field::{FIELDS_MAX, Field};
use std::borrow::Cow;

/// A value's place in the text; of a string, its content's.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::read) struct Span {
    /// Index of the first byte.
    pub(in crate::read) start: u32,
    /// Index behind the last byte.
    pub(in crate::read) end: u32,
}

impl Span {
    /// The span of two indices of a window, which is far below 4 GiB.
    #[inline]
    pub(in crate::read) fn new(start: usize, end: usize) -> Self {
        let narrow = |index| u32::try_from(index).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    /// The bytes.
    #[inline]
    pub(in crate::read) fn of<'a>(self, text: Text<'a>) -> &'a [u8] {
        text.slice(self.start as usize, self.end as usize)
    }
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) enum ValueKind {
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
pub(in crate::read) struct Value<'a> {
    /// Its bytes; of a string, its content's.
    pub(in crate::read) bytes: &'a [u8],
    /// What it is.
    pub(in crate::read) kind: ValueKind,
}

impl<'a> Value<'a> {
    /// The value as text, whatever it is.
    pub(in crate::read) fn text(self) -> (Cow<'a, str>, Fidelity) {
        let escaped = self.kind == ValueKind::String && self.bytes.contains(&b'\\');
        decode(self.bytes, if escaped { Escapes::Some } else { Escapes::None })
    }

    /// The text of a number, be it written as a string.
    #[inline]
    pub(in crate::read) fn digits(self) -> Result<&'a [u8], NoTime> {
        match self.kind {
            ValueKind::Number => Ok(self.bytes),
            ValueKind::String => Ok(self.bytes.trim_ascii()),
            ValueKind::NonFinite => Err(NoTime::NonFinite),
            ValueKind::Container => Err(NoTime::Unreadable),
        }
    }
}

/// Why an event has no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) enum NoTime {
    /// It is missing, or no number.
    Unreadable,
    /// It is `nan` or `inf`.
    NonFinite,
    /// It does not fit.
    OutOfRange,
}

/// Which values belong to which fields: the part of a layout that reading an event needs.
#[derive(Clone, Debug)]
pub(in crate::read) struct Map {
    /// For each field, the number of its value counted from 1; 0 where it is absent.
    places: [u16; FIELDS_MAX],
    /// What the values are.
    pub(in crate::read) kinds: Vec<ValueKind>,
    /// Keys that are used and occurred again: the last one counts.
    pub(in crate::read) repeated: Vec<&'static str>,
}

impl Default for Map {
    fn default() -> Self {
        Self { places: [0; FIELDS_MAX], kinds: Vec::new(), repeated: Vec::new() }
    }
}

/// An event whose values were found.
#[derive(Clone, Copy)]
pub(in crate::read) struct Event<'a> {
    /// The window's text.
    pub(in crate::read) text: Text<'a>,
    /// Which value belongs to which field.
    pub(in crate::read) map: &'a Map,
    /// The values' places.
    pub(in crate::read) spans: &'a [Span],
    /// The event's offset in the whole text.
    pub(in crate::read) offset: u64,
}

impl<'a> Event<'a> {
    /// True for an object without any member that says something.
    pub(in crate::read) fn is_empty(&self) -> bool {
        self.map.kinds.is_empty()
    }

    /// The value of a field; `None` where it is absent or `null`.
    #[inline]
    pub(in crate::read) fn get(&self, field: impl Field) -> Option<Value<'a>> {
        let place = usize::from(*self.map.places.get(field.number())?).checked_sub(1)?;
        Some(Value {
            bytes: self.spans.get(place)?.of(self.text),
            kind: *self.map.kinds.get(place)?,
        })
    }
}

/// What is wrong with an element of `traceEvents` that is valid JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) enum NoEvent {
    /// It is no object.
    NotAnObject,
    /// Its `args` are no object.
    ArgsNotAnObject,
}

/// An event read by the general way; reused from event to event.
#[derive(Default)]
pub(in crate::read) struct Draft {
    /// Which value belongs to which field.
    pub(in crate::read) map: Map,
    /// The values' places, in order.
    pub(in crate::read) spans: Vec<Span>,
    /// Content of `ph`.
    pub(in crate::read) phase: Option<Span>,
    /// Content of `cat`.
    pub(in crate::read) category: Option<Span>,
    /// Numbers that are no JSON.
    pub(in crate::read) odd: Vec<NonFinite>,
    /// What makes the element no event.
    pub(in crate::read) no_event: Option<NoEvent>,
}

impl Draft {
    /// Reads the element that starts at `at`; returns its end.
    pub(in crate::read) fn read<F: Field>(&mut self, text: Text<'_>, at: usize) -> Parse<usize> {
        self.clear();
        if text.at(at) != b'{' {
            self.no_event = Some(NoEvent::NotAnObject);
            return json::whole_value(text, at, &mut self.odd);
        }
        self.object::<F>(text, at, Level::Event)
    }

    fn clear(&mut self) {
        self.map.places = [0; FIELDS_MAX];
        self.map.kinds.clear();
        self.map.repeated.clear();
        self.spans.clear();
        self.odd.clear();
        (self.phase, self.category, self.no_event) = (None, None, None);
    }

    fn object<F: Field>(&mut self, text: Text<'_>, at: usize, level: Level) -> Parse<usize> {
        let mut at = text.space_end(at + 1);
        if text.at(at) == b'}' {
            return Ok(at + 1);
        }
        let mut args_seen = false;
        loop {
            let (start, end, escapes, value) = json::member(text, at)?;
            let (key, _) = decode(text.slice(start, end), escapes);
            let meaning = match level {
                Level::Event => Meaning::of_event(key.as_bytes()),
                Level::Args => F::of_args(key.as_bytes()).map(Meaning::Field),
            };
            if value >= text.end() {
                return Err(Fault { at: value, why: Why::Expected("a value") });
            }
            at = match meaning {
                Some(Meaning::Args) => {
                    if args_seen {
                        self.map.repeated.push("args");
                    }
                    args_seen = true;
                    self.args::<F>(text, value)?
                }
                _ => self.value(text, value, meaning)?,
            };
            match json::after_member(text, at)? {
                Next::More(to) => at = to,
                Next::End(to) => return Ok(to),
            }
        }
    }

    fn args<F: Field>(&mut self, text: Text<'_>, at: usize) -> Parse<usize> {
        match text.at(at) {
            b'{' => self.object::<F>(text, at, Level::Args),
            b'n' => self.value::<F>(text, at, None),
            _ => {
                self.no_event = Some(NoEvent::ArgsNotAnObject);
                self.value::<F>(text, at, None)
            }
        }
    }

    /// Reads the value at `at` and notes its place, for itself or for its field.
    fn value<F: Field>(
        &mut self,
        text: Text<'_>,
        at: usize,
        meaning: Option<Meaning<F>>,
    ) -> Parse<usize> {
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
            Some(Meaning::Phase) => self.mark(Which::Phase, span),
            Some(Meaning::Category) => self.mark(Which::Category, span),
            Some(Meaning::Args) | None => self.place(kind, span),
            Some(Meaning::Field(field)) => {
                self.place(kind, span);
                let number = u16::try_from(self.spans.len()).unwrap_or(0);
                if let Some(place) = self.map.places.get_mut(field.number()) {
                    if *place != 0 {
                        self.map.repeated.push(field.key());
                    }
                    *place = number;
                }
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

/// What a key of an event means.
#[derive(Clone, Copy)]
enum Meaning<F> {
    /// `ph`: what kind of row the event is.
    Phase,
    /// `cat`: which activity it belongs to.
    Category,
    /// `args`: the object with the activity's own fields.
    Args,
    /// A field that is used.
    Field(F),
}

impl<F: Field> Meaning<F> {
    fn of_event(key: &[u8]) -> Option<Self> {
        match key {
            b"ph" => Some(Self::Phase),
            b"cat" => Some(Self::Category),
            b"args" => Some(Self::Args),
            _ => F::of_event(key).map(Self::Field),
        }
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
