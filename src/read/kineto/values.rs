//! Values of an event as numbers and names, with a note of what had to be tolerated.

use super::super::chrome::{Event, NoTime, Value, ValueKind};
use super::super::number::{self, BadTime, Rounding};
use super::super::tally::{Oddity, Tally};
use super::super::text::Fidelity;
use super::fields::Field;
use crate::trace::{NameId, Names};

/// A field as nanoseconds.
#[inline]
pub(super) fn time(event: &Event<'_>, field: Field, tally: &mut Tally) -> Result<i64, NoTime> {
    let value = event.get(field).ok_or(NoTime::Unreadable)?;
    let (ns, rounding) = number::nanoseconds(value.digits()?).map_err(|bad| match bad {
        BadTime::NotANumber => NoTime::Unreadable,
        BadTime::OutOfRange => NoTime::OutOfRange,
    })?;
    if rounding == Rounding::Rounded {
        tally.note(Oddity::RoundedTime, field.key(), 1);
    }
    if value.kind == ValueKind::String {
        tally.note(Oddity::StringNumber, field.key(), 1);
    }
    Ok(ns)
}

/// A field as a whole number without sign; `None` where it is absent or no such number.
#[inline]
pub(super) fn unsigned(event: &Event<'_>, field: Field, tally: &mut Tally) -> Option<u64> {
    integer(event.get(field)?, field, tally, number::unsigned)
}

/// A field as a whole number.
#[inline]
pub(super) fn signed(event: &Event<'_>, field: Field, tally: &mut Tally) -> Option<i64> {
    integer(event.get(field)?, field, tally, number::signed)
}

#[inline]
fn integer<T>(
    value: Value<'_>,
    field: Field,
    tally: &mut Tally,
    parse: fn(&[u8]) -> Option<T>,
) -> Option<T> {
    let parsed = parse(value.digits().ok()?)?;
    if value.kind == ValueKind::String {
        tally.note(Oddity::StringNumber, field.key(), 1);
    }
    Some(parsed)
}

/// The id of a lane as `pid` and `tid` write it: a number, or a text that ends in one (`stream 7` in files of 2020).
pub(super) fn lane(event: &Event<'_>, field: Field) -> Option<i64> {
    let value = event.get(field)?;
    match value.kind {
        ValueKind::Number => number::signed(value.bytes),
        ValueKind::String => {
            let text = value.bytes.trim_ascii();
            let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            number::signed(text).or_else(|| number::signed(&text[text.len() - digits..]))
        }
        ValueKind::Container | ValueKind::NonFinite => None,
    }
}

/// A field's text as an interned name. `None` where it is absent, or where no more names fit.
#[inline]
pub(super) fn name(
    event: &Event<'_>,
    field: Field,
    names: &mut Names,
    tally: &mut Tally,
) -> Option<NameId> {
    let (text, fidelity) = event.get(field)?.text();
    if fidelity == Fidelity::Lossy {
        tally.note(Oddity::InvalidUtf8, field.key(), 1);
    }
    names.intern(&text)
}
