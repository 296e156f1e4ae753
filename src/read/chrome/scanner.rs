//! Reads events one after the other, by a layout that was learned where there is one, and hands them on.

use super::super::bytes::Text;
use super::super::json::{Escapes, Parse};
use super::super::text::decode;
use super::event::{Draft, Event, NoEvent, Span};
use super::field::Field;
use super::layouts::{Layouts, VALUES_MAX};
use std::borrow::Cow;

/// What takes the events of a file.
pub(in crate::read) trait Events {
    /// The fields that are used.
    type Field: Field;
    /// What events of one phase and category have in common.
    type Class: Copy;

    /// The class of events with this phase (0 where it is no single character) and category. It is asked for once for
    /// each layout.
    fn class(&mut self, phase: u8, category: &str) -> Self::Class;

    /// Takes an event.
    fn take(&mut self, event: &Event<'_>, class: Self::Class);

    /// Takes an element that is valid JSON and no event.
    fn no_event(&mut self, event: &Event<'_>, why: NoEvent, class: Self::Class);

    /// Takes a number of an event that is no JSON; the event itself follows.
    fn odd_number(&mut self, event: &Event<'_>, odd: OddNumber<'_>, class: Self::Class);
}

/// A number that is no JSON.
#[derive(Clone, Copy)]
pub(in crate::read) struct OddNumber<'a> {
    /// What stands in its place.
    pub(in crate::read) token: &'a [u8],
    /// Where, in the whole text.
    pub(in crate::read) offset: u64,
    /// What it should have said.
    pub(in crate::read) place: OddPlace,
}

/// What a number that is no JSON should have said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) enum OddPlace {
    /// When the event ran: without it the event has no place.
    Time,
    /// Anything else.
    Other,
}

/// The state of reading the events of one file.
pub(in crate::read) struct Scanner<C> {
    layouts: Layouts<C>,
    draft: Draft,
    /// Places of one event's values.
    spans: [Span; VALUES_MAX],
}

impl<C> Default for Scanner<C> {
    fn default() -> Self {
        Self {
            layouts: Layouts::default(),
            draft: Draft::default(),
            spans: [Span::default(); VALUES_MAX],
        }
    }
}

impl<C: Copy> Scanner<C> {
    /// Reads the element that starts at `at`, hands it on, and returns its end. `base` is the offset of the text's first byte.
    #[inline]
    pub(in crate::read) fn event(
        &mut self,
        events: &mut impl Events<Class = C>,
        text: Text<'_>,
        at: usize,
        base: u64,
    ) -> Parse<usize> {
        let Some((layout, end)) = self.layouts.find(text, at, &mut self.spans) else {
            return self.unknown_layout(events, text, at, base);
        };
        let event = Event { text, map: &layout.map, spans: &self.spans, offset: base + at as u64 };
        events.take(&event, layout.class);
        Ok(end)
    }

    /// Reads an event whose layout was not seen before, and learns it.
    fn unknown_layout<E: Events<Class = C>>(
        &mut self,
        events: &mut E,
        text: Text<'_>,
        at: usize,
        base: u64,
    ) -> Parse<usize> {
        let end = self.draft.read::<E::Field>(text, at)?;
        let draft = &self.draft;
        let class = events.class(phase(draft, text), &category(draft, text));
        let event = Event { text, map: &draft.map, spans: &draft.spans, offset: base + at as u64 };
        for odd in &draft.odd {
            let token = text.slice(odd.start, odd.end);
            let offset = base + odd.start as u64;
            let place = odd_place::<E::Field>(&event, token);
            events.odd_number(&event, OddNumber { token, offset, place }, class);
        }
        if let Some(why) = draft.no_event {
            events.no_event(&event, why, class);
            return Ok(end);
        }
        events.take(&event, class);
        self.layouts.learn(text, at, end, draft, class);
        Ok(end)
    }
}

fn odd_place<F: Field>(event: &Event<'_>, token: &[u8]) -> OddPlace {
    let times = F::TIMES.into_iter().filter_map(|field| event.get(field));
    if times.into_iter().any(|value| std::ptr::eq(value.bytes, token)) {
        OddPlace::Time
    } else {
        OddPlace::Other
    }
}

fn phase(draft: &Draft, text: Text<'_>) -> u8 {
    match draft.phase.map(|span| span.of(text)) {
        Some(&[phase]) => phase,
        _ => 0,
    }
}

fn category<'a>(draft: &Draft, text: Text<'a>) -> Cow<'a, str> {
    let content = draft.category.map_or(&b""[..], |span| span.of(text));
    let escapes = if content.contains(&b'\\') { Escapes::Some } else { Escapes::None };
    decode(content, escapes).0
}
