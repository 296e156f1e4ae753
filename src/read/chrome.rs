//! Events of Chrome-format traces, whoever wrote them: what their text holds, and how it is read fast.
//!
//! [`super::document`] reads the shape around them. A format says which fields it uses ([`Field`]) and takes the events
//! ([`Events`]); everything else of an event is checked and passed over.

mod event;
mod field;
mod layouts;
mod scanner;

pub(super) use event::{Event, NoEvent, NoTime, Value, ValueKind};
pub(super) use field::{FIELDS_MAX, Field};
pub(super) use scanner::{Events, OddNumber, OddPlace, Scanner};
