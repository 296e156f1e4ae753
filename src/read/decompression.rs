//! When compressed text is decompressed: where it is read, or ahead on a thread of its own. What is read is the same.

use super::FoundFile;
use std::path::Path;

/// Files from this size on are worth a thread of their own: some 4 MB of text, which take milliseconds. A thread takes tens of
/// microseconds to start.
const AHEAD_FROM_BYTES: u64 = 256 << 10;

/// When compressed text is decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decompression {
    /// As it is read, on the same thread.
    AsRead,
    /// On a thread of its own, ahead of the reader.
    Ahead {
        /// Smaller files, on disk, are decompressed as they are read.
        from_bytes: u64,
    },
}

impl Decompression {
    /// What suits the files of a run: ahead where threads would idle, so that a second one for each large file takes no other
    /// file's place.
    pub fn for_files<'a>(files: impl IntoIterator<Item = &'a FoundFile>) -> Self {
        let threads = rayon::current_num_threads();
        if threads < 2 {
            return Self::AsRead;
        }
        let large = files.into_iter().filter(|file| has_bytes(&file.path, AHEAD_FROM_BYTES));
        if large.take(threads).count() * 2 <= threads {
            Self::Ahead { from_bytes: AHEAD_FROM_BYTES }
        } else {
            Self::AsRead
        }
    }

    /// True where this file's text is to be decompressed ahead.
    pub(super) fn is_ahead_for(self, path: &Path) -> bool {
        match self {
            Self::AsRead => false,
            Self::Ahead { from_bytes } => has_bytes(path, from_bytes),
        }
    }
}

fn has_bytes(path: &Path, bytes: u64) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.len() >= bytes)
}
