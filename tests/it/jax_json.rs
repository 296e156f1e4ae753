//! JAX's JSON, alone and beside the xplane of the same run.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, with the reason")]

mod checks;
mod damage;
mod export;
mod grouping;
mod pairs;
mod producers;
mod reading;

use idleproof::read::{ReadError, find, read_family};
use idleproof::trace::{Capture, Record};
use std::path::{Path, PathBuf};

/// Every capture that is found under the given files and folders.
fn captures(paths: &[PathBuf]) -> Vec<Result<Capture, ReadError>> {
    let found = find(paths).unwrap();
    found.families.iter().flat_map(|family| read_family(family).captures).collect()
}

/// The one capture that a named file is.
fn read_file(path: &Path) -> Result<Capture, ReadError> {
    let mut captures = captures(&[path.to_owned()]);
    assert_eq!(captures.len(), 1, "{}", path.display());
    captures.remove(0)
}

/// Reads bytes that are written as the JSON of a run.
fn read_bytes(bytes: &[u8]) -> Result<Capture, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("host.trace.json");
    std::fs::write(&path, bytes).unwrap();
    read_file(&path)
}

/// Reads text that must be a capture of one record.
fn read_text(text: &str) -> Record {
    let mut capture = read_bytes(text.as_bytes()).unwrap();
    assert_eq!(capture.records.len(), 1);
    capture.records.remove(0)
}

/// Codes and counts of what was tolerated.
fn notices(record: &Record) -> Vec<(&'static str, u64)> {
    record.notices.iter().map(|notice| (notice.code, notice.count)).collect()
}
