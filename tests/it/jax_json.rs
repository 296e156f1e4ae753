//! JAX's JSON, alone and beside the xplane of the same run.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, with the reason")]

mod pairs;

use idleproof::read::{ReadError, find, read_family};
use idleproof::trace::Capture;
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
