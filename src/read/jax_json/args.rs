//! The statistics of an event of this format: texts in `args`, numbers as well.

use super::super::chrome::{Event, Value};
use super::super::jax::{Builder, Key, Statistics, says_something};
use super::super::number;
use super::super::refusal::Refusal;
use super::super::tally::{Oddity, Tally};
use super::super::text::Fidelity;
use super::fields::Field;
use crate::trace::NameId;
use std::borrow::Cow;

/// The statistics of the event at hand.
pub(super) struct Args<'e>(pub(super) &'e Event<'e>);

impl<'e> Args<'e> {
    fn get(&self, key: Key) -> Option<Value<'e>> {
        self.0.get(Field::Statistic(key))
    }
}

impl Statistics for Args<'_> {
    fn has(&self, key: Key) -> bool {
        self.get(key).is_some()
    }

    fn id(&self, key: Key, tally: &mut Tally) -> Option<u64> {
        let digits = self.get(key)?.digits().ok();
        // Producers write unsigned ids into signed fields.
        let id = digits.and_then(|digits| {
            number::unsigned(digits).or_else(|| number::signed(digits).map(i64::cast_unsigned))
        });
        tally.note(Oddity::UnusableStat, "an id", u64::from(id.is_none()));
        id
    }

    fn number(&self, key: Key) -> Option<i128> {
        let digits = self.get(key)?.digits().ok()?;
        number::unsigned(digits).map(i128::from).or_else(|| number::signed(digits).map(i128::from))
    }

    fn text(&self, key: Key) -> Option<Cow<'_, str>> {
        Some(self.get(key)?.text().0)
    }

    fn name(&mut self, key: Key, builder: &mut Builder) -> Result<Option<NameId>, Refusal> {
        match self.get(key) {
            Some(value) if says_something(value.bytes) => name(value, builder).map(Some),
            _ => Ok(None),
        }
    }
}

/// A value's text as a name.
pub(super) fn name(value: Value<'_>, builder: &mut Builder) -> Result<NameId, Refusal> {
    let (text, fidelity) = value.text();
    builder.tally.note(Oddity::InvalidUtf8, &text, u64::from(fidelity == Fidelity::Lossy));
    builder.intern(&text)
}
