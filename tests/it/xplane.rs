//! JAX's protobuf: reading, refusing, and agreement with independent readers.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::needless_lifetimes,
    reason = "a test fails by panicking, with the reason"
)]

mod bytes;
mod given;
mod metamorphic;
mod oracle;
mod reading;
mod report;
pub(crate) mod samples;

use crate::harness::outside_data;
use crate::xspace::Space;
use idleproof::read::read_xplane;
use idleproof::trace::{Record, Trace};

/// Reads bytes that must be a capture.
fn read(bytes: &[u8]) -> Record {
    read_xplane(bytes, "host.xplane.pb").unwrap()
}

/// The trace of a fixture.
fn trace(space: &Space) -> Trace {
    read(&space.bytes()).trace
}

/// Every xplane of the given captures: name of its folder, and bytes.
fn given_captures() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder.join("jax")).unwrap() {
        let entry = entry.unwrap();
        if let Ok(bytes) = std::fs::read(entry.path().join("host.xplane.pb")) {
            found.push((entry.file_name().to_string_lossy().into_owned(), bytes));
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no xplane under {}", folder.display());
    found
}
