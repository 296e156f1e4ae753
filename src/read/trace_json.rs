//! A trace in JSON, read by the format of whoever wrote it.
//!
//! Content decides: a category of the PyTorch profiler makes a file its own, else processes that are named as JAX's profiler names
//! them. No file is both, so the order in which the readers are asked changes nothing but the time that it takes.

use super::document::GIVE_A_TRACE;
use super::refusal::Refusal;
use super::sniff::looks_like_jax;
use super::window::Access;
use super::{ReadError, ReadErrorKind, jax_json, kineto};
use crate::trace::Record;
use std::path::Path;

/// Reads a file of one of the formats; `None` where it is sound and of another.
type Reader = fn(&Path, &str, Access) -> Result<Option<Record>, ReadError>;

/// Reads a trace, or refuses it.
pub(super) fn read(path: &Path, shown: &str, access: Access) -> Result<Record, ReadError> {
    let readers: [Reader; 2] = match looks_like_jax(path) {
        true => [jax_json::read, kineto::read],
        false => [kineto::read, jax_json::read],
    };
    for reader in readers {
        if let Some(record) = reader(path, shown, access)? {
            return Ok(record);
        }
    }
    let refusal = Refusal::new(
        ReadErrorKind::NotACapture,
        "a Chrome trace of neither the PyTorch profiler nor JAX: no event has a category of the one, and no process a \
         name of the other",
        GIVE_A_TRACE,
    );
    Err(refusal.into_error(path, shown))
}
