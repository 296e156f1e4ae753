//! The statistics of one event, in the form in which a file has them.

use super::builder::Builder;
use super::key::Key;
use crate::read::refusal::Refusal;
use crate::read::tally::Tally;
use crate::trace::NameId;
use std::borrow::Cow;

/// The statistics of one event.
pub(in crate::read) trait Statistics {
    /// True where the statistic was written, with whatever value.
    fn has(&self, key: Key) -> bool;

    /// A statistic as an id. One that cannot be an id is counted.
    fn id(&self, key: Key, tally: &mut Tally) -> Option<u64>;

    /// A statistic as a number with a sign.
    fn number(&self, key: Key) -> Option<i128>;

    /// A statistic as a text.
    fn text(&self, key: Key) -> Option<Cow<'_, str>>;

    /// A statistic as a name; `None` where there is none, or one that says nothing. One that cannot be a text is counted.
    fn name(&mut self, key: Key, builder: &mut Builder) -> Result<Option<NameId>, Refusal>;
}

/// What older tracers write for a missing text.
const NULL_TEXT: &[u8] = b"(null)";

/// True for a text that says something.
pub(in crate::read) fn says_something(text: &[u8]) -> bool {
    !text.is_empty() && text != NULL_TEXT
}
