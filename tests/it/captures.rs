//! The sample captures that ship: each is what its text says, byte for byte.

use crate::fixture;
use crate::harness::{assert_no_mismatch, in_crate};
use std::path::PathBuf;

/// The file of every sample: compressed, under the name that PyTorch's handler gives.
pub(crate) const FILE: &str = "rank_0.pt.trace.json.gz";

/// The sample captures: folders with a `capture.fixture`.
pub(crate) fn samples() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(in_crate("tests/captures")).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.join("capture.fixture").is_file())
        .collect();
    folders.sort();
    folders
}

/// A stale or missing capture is written anew, and the test fails once.
#[test]
fn captures_are_what_their_text_says() {
    let folders = samples();
    assert_eq!(folders.len(), 5, "{folders:?}");
    let mut stale = Vec::new();
    for folder in folders {
        let shown = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let source = folder.join("SOURCE.md");
        assert!(source.is_file(), "tests/captures/{shown} has no SOURCE.md");
        let text = std::fs::read_to_string(folder.join("capture.fixture")).unwrap();
        let written = match fixture::write(&text) {
            Ok(written) => written,
            Err(error) => {
                stale.push(format!("tests/captures/{shown}/capture.fixture: {error}"));
                continue;
            }
        };
        let path = folder.join(FILE);
        let committed = std::fs::read(&path).unwrap_or_default();
        // The text is compared, not its compression: that may change with the library.
        if fixture::gunzip(&committed).ok().as_ref() != Some(&written) {
            std::fs::write(&path, fixture::gzip(&written).unwrap()).unwrap();
            stale.push(format!("tests/captures/{shown}/{FILE} was stale: written anew"));
        }
    }
    assert_no_mismatch(&stale);
}
