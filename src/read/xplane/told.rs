//! The statistics of an event of this format, as the shared tables ask for them.

use super::super::jax::{Builder, Key, Statistics, says_something};
use super::super::refusal::Refusal;
use super::super::tally::{Oddity, Tally};
use super::plane::Dictionary;
use super::stat::{Stats, Value};
use crate::trace::NameId;
use std::borrow::Cow;

/// The statistics of the event at hand, with the names that they refer to.
pub(super) struct Told<'w, 'a> {
    /// The statistics.
    pub(super) stats: &'w Stats<'a>,
    /// The plane's names.
    pub(super) dictionary: &'w mut Dictionary<'a>,
}

impl Statistics for Told<'_, '_> {
    #[inline]
    fn has(&self, key: Key) -> bool {
        self.stats.has(key)
    }

    #[inline]
    fn id(&self, key: Key, tally: &mut Tally) -> Option<u64> {
        if !self.stats.has(key) {
            return None;
        }
        let id = self.stats.get(key).id();
        tally.note(Oddity::UnusableStat, "an id", u64::from(id.is_none()));
        id
    }

    #[inline]
    fn number(&self, key: Key) -> Option<i128> {
        match self.stats.get(key) {
            Value::Signed(number) => Some(number.into()),
            Value::Unsigned(number) => Some(number.into()),
            _ => None,
        }
    }

    fn text(&self, key: Key) -> Option<Cow<'_, str>> {
        self.dictionary.text(self.stats.get(key))
    }

    fn name(&mut self, key: Key, builder: &mut Builder) -> Result<Option<NameId>, Refusal> {
        let reference = match self.stats.get(key) {
            Value::Absent => return Ok(None),
            Value::Text(text) if says_something(text) => return builder.name(text).map(Some),
            Value::Text(_) => return Ok(None),
            Value::Ref(reference) => reference.cast_signed(),
            _ => {
                builder.tally.note(Oddity::UnusableStat, "a text", 1);
                return Ok(None);
            }
        };
        let Some(row) = self.dictionary.stats.get_mut(reference) else {
            builder.tally.note(Oddity::DanglingId, "", 1);
            return Ok(None);
        };
        if row.interned.is_none() && says_something(row.text) {
            row.interned = Some(builder.name(row.text)?);
        }
        Ok(row.interned)
    }
}
