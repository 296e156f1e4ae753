//! The stub manifest: it makes `cargo insta` work in a folder of goldens, which is no crate.

use super::GoldenError;
use super::folder::write;
use std::path::{Path, PathBuf};

const FILES: [(&str, &str); 3] = [
    (
        "Cargo.toml",
        "# Not a crate: with this file `cargo insta review --manifest-path goldens/Cargo.toml` finds the goldens here, and
# a surrounding crate neither claims nor deletes them.
[package]
name = \"goldens\"
version = \"0.0.0\"
edition = \"2021\"
publish = false

[lib]
path = \"lib.rs\"

[workspace]
",
    ),
    ("lib.rs", ""),
    (".gitignore", "/Cargo.lock\n/target\n*.snap.new\n"),
];

/// Writes the stub into a folder of goldens; returns the files that were not there before. None is overwritten.
pub fn write_stub(goldens: &Path) -> Result<Vec<PathBuf>, GoldenError> {
    let mut written = Vec::new();
    for (name, text) in FILES {
        let path = goldens.join(name);
        if !path.exists() {
            write(&path, text)?;
            written.push(path);
        }
    }
    Ok(written)
}
