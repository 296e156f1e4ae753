//! JAX's profiler file, `<host>.xplane.pb`: a protobuf XSpace of planes, lines and events.
//!
//! The long lists are walked in place over the wire format, in two passes a plane: names first, then events. Only compiled
//! programs, and of those only the ones that a record refers to, are decoded as messages.

mod device;
mod diagnosis;
mod hlo;
#[rustfmt::skip]
#[expect(unreachable_pub, reason = "generated from proto/hlo.proto")]
mod hlo_pb;
mod host;
mod id_map;
mod limits;
mod lines;
mod plane;
mod programs;
mod session;
mod stat;
mod told;
mod walk;
mod wire;

use super::jax::{Builder, Role};
use super::refusal::Refusal;
use super::tally::Oddity;
use super::{ReadError, ReadErrorKind};
use crate::trace::{FileFormat, Record, RecordSource};
use limits::FILE_BYTES_MAX;
use lines::{Anchor, Opened};
use plane::Space;
use sha2::{Digest, Sha256};
use std::path::Path;

/// Reads a file that holds an XSpace, or refuses it.
pub(super) fn read(path: &Path, shown: &str) -> Result<Record, ReadError> {
    let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    if size > FILE_BYTES_MAX {
        let refusal = Refusal::too_large(format!(
            "the file has {size} bytes; a protobuf message ends at {FILE_BYTES_MAX}"
        ));
        return Err(error(refusal, shown, size));
    }
    let bytes = std::fs::read(path).map_err(|io| error(Refusal::io(&io), shown, size))?;
    record(&bytes, shown)
}

/// Reads an XSpace that is in memory, or refuses it.
pub(super) fn record(bytes: &[u8], shown: &str) -> Result<Record, ReadError> {
    match tables(bytes) {
        Ok(builder) => Ok(finish(builder, bytes, shown)),
        Err(refusal) => Err(error(refusal, shown, bytes.len() as u64)),
    }
}

fn finish(builder: Builder, bytes: &[u8], shown: &str) -> Record {
    let events = builder.n_events;
    let (mut trace, tally) = builder.finish();
    let (notices, damaged) = tally.finish(|_| Vec::new());
    trace.damaged = damaged;
    let digest = Sha256::digest(bytes);
    let source = RecordSource {
        path: shown.to_owned(),
        format: FileFormat::Xplane,
        bytes: bytes.len() as u64,
        sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        events,
    };
    Record { source, trace, notices }
}

/// A place in a binary file is a byte offset and has no line.
fn error(refusal: Refusal, shown: &str, bytes: u64) -> ReadError {
    ReadError {
        kind: refusal.kind,
        message: refusal.message,
        help: refusal.help,
        path: shown.to_owned(),
        position: None,
        offset: refusal.offset,
        bytes,
    }
}

fn tables(bytes: &[u8]) -> Result<Builder, Refusal> {
    let space = plane::open(bytes).map_err(|fault| diagnosis::first_level(bytes, fault))?;
    if space.planes.is_empty() {
        return Err(diagnosis::no_planes(bytes));
    }
    let builder = fill(&space).map_err(|refusal| diagnosis::true_cause(refusal, bytes))?;
    if builder.n_events == 0 {
        return Err(Refusal::new(
            ReadErrorKind::NoEvents,
            "no plane has an event: the profiler recorded nothing",
            "check that the profiled code ran between start_trace and stop_trace",
        ));
    }
    Ok(builder)
}

fn fill(space: &Space<'_>) -> Result<Builder, Refusal> {
    let planes = space.open_planes()?;
    let opened = lines::open(&planes)?;
    let anchor = Anchor::of(&opened);
    let mut builder = Builder::default();
    for plane in &opened {
        match plane.role {
            Role::Gpu(ordinal) => device::read(&mut builder, plane, ordinal, anchor)?,
            Role::Host => host::read(&mut builder, plane, anchor)?,
            Role::UnsupportedDevice | Role::Other => pass_over(&mut builder, plane)?,
            Role::Programs | Role::Session => {}
        }
    }
    programs::read(&mut builder, &opened)?;
    session::read(&mut builder, space, &opened, anchor)?;
    Ok(builder)
}

/// Counts the events of a plane that no table takes.
fn pass_over(builder: &mut Builder, opened: &Opened<'_, '_>) -> Result<(), Refusal> {
    let mut n_events = 0;
    for line in &opened.lines {
        n_events += walk::count(*line)?;
    }
    builder.n_events += n_events;
    if opened.role == Role::UnsupportedDevice {
        let name = String::from_utf8_lossy(opened.plane.name);
        builder.tally.note(Oddity::UnsupportedDevice, &name, n_events);
    }
    Ok(())
}
