//! What both files of a JAX capture hold, each in its own form: planes, lines, events with statistics.
//!
//! A format walks its file, tells when an event ran and on which line, and hands it on with its statistics
//! ([`Statistics`]); what becomes of it is decided here, so that both files of a run are read alike.

mod builder;
mod copies;
mod device;
mod execution;
mod host;
mod key;
mod roles;
mod statistics;

pub(super) use builder::{Builder, Record};
pub(super) use device::device_event;
pub(super) use host::{HostLine, host_event};
pub(super) use key::{Key, N_KEYS};
pub(super) use roles::{Role, is_stream, role, stream_number};
pub(super) use statistics::{Statistics, says_something};
