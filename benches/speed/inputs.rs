//! Traces to measure with, written into a folder that goes away.

use crate::{repeat, synthetic};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fmt;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A temporary folder.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// An empty one.
    pub(crate) fn new() -> Self {
        let path = std::env::temp_dir().join(format!("idleproof-speed-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// What a trace is made of.
pub(crate) enum Kind {
    /// Nothing but arithmetic.
    Synthetic,
    /// A recorded trace, repeated.
    Recorded(PathBuf),
}

impl Kind {
    /// By its name: a file, or `synthetic`.
    pub(crate) fn of(name: &str) -> Self {
        if name == "synthetic" { Self::Synthetic } else { Self::Recorded(name.into()) }
    }

    /// Writes a trace of about so many bytes of text.
    pub(crate) fn write(&self, bytes: usize, path: &Path) {
        let file = BufWriter::new(File::create(path).unwrap());
        let mut out = GzEncoder::new(file, Compression::default());
        match self {
            Self::Synthetic => synthetic::write(&mut out, bytes),
            Self::Recorded(recorded) => repeat::write(&mut out, recorded, bytes),
        }
        .unwrap();
        out.finish().unwrap().flush().unwrap();
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Synthetic => "a synthetic trace",
            Self::Recorded(_) => "a recorded trace, repeated",
        })
    }
}

/// The size of a file.
pub(crate) fn megabytes(path: &Path) -> f64 {
    std::fs::metadata(path).unwrap().len() as f64 / 1e6
}
