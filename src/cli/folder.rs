//! Outputs of several files: a folder that this program may write into, and its writing.

use super::outputs::replace;
use idleproof::render::{File, Folder};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

/// Files of others that are counted; the rest of a large folder is not walked.
const OTHERS_MAX: usize = 1_000;

/// Folders inside folders that are looked into: an output has fewer.
const DEPTH_MAX: usize = 4;

/// Whether files may be written into a folder without meeting somebody's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It does not exist, holds nothing, or was written by an earlier run.
    Free,
    /// Something else has its name, or it cannot be listed.
    NoFolder,
    /// It holds files, and none by which this program knows its own folders.
    Foreign,
}

/// The state of a folder. Hidden files are no content: none is ever written, and many folders keep one.
pub(super) fn state(path: &Path, folder: &Folder) -> State {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return State::Free,
        Err(_) => return State::NoFolder,
    };
    let mut content = entries.flatten().filter(|entry| !is_hidden(&entry.path()));
    let is_ours = || is_marked(path, folder).unwrap_or(false);
    if content.next().is_none() || is_ours() { State::Free } else { State::Foreign }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

fn is_marked(path: &Path, folder: &Folder) -> io::Result<bool> {
    let (file, begins) = folder.mark;
    let mut start = Vec::new();
    fs::File::open(path.join(file))?.take(begins.len() as u64).read_to_end(&mut start)?;
    Ok(start == begins.as_bytes())
}

/// Writes files into a folder, each in one step, and deletes none; returns what else lies there. An earlier run may have left it,
/// and nobody should take it for this one's.
pub(super) fn write(folder: &Path, files: &[File]) -> io::Result<Others> {
    fs::create_dir_all(folder)?;
    let root = fs::canonicalize(folder)?;
    let mut written = BTreeSet::new();
    for file in files {
        let path = place(&root, Path::new(&file.path))?;
        replace(&path, &file.bytes)?;
        written.insert(path);
    }
    let mut others = Others::default();
    others.collect(&root, &root, &written, 0);
    Ok(others)
}

/// Where a file goes, with the folders on the way made. Neither its path nor a link that lies there leads out of the root.
fn place(root: &Path, below: &Path) -> io::Result<PathBuf> {
    let mut place = root.to_path_buf();
    let mut parts = below.components().peekable();
    while let Some(part) = parts.next() {
        let Component::Normal(name) = part else {
            return Err(io::Error::other(format!("{} leads out of it", below.display())));
        };
        place.push(name);
        if parts.peek().is_none() {
            break;
        }
        match fs::create_dir(&place) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !fs::symlink_metadata(&place)?.is_dir() {
                    return Err(io::Error::other(format!("{} is no folder", place.display())));
                }
            }
            made => made?,
        }
    }
    Ok(place)
}

/// Files of a folder that this run did not write.
#[derive(Debug, Default)]
pub(super) struct Others {
    first: Option<PathBuf>,
    n: usize,
}

impl Others {
    /// What is said of them; `None` where there are none.
    pub(super) fn told(&self, folder: &Path) -> Option<String> {
        let first = self.first.as_ref()?.display();
        let more = match self.n {
            1 => String::new(),
            n => format!(" and {} other files", n - 1),
        };
        Some(format!("warning: {} also holds {first}{more}, not of this run", folder.display()))
    }

    fn collect(&mut self, root: &Path, folder: &Path, written: &BTreeSet<PathBuf>, depth: usize) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path()).filter(|path| !is_hidden(path));
        let mut paths: Vec<PathBuf> = paths.collect();
        paths.sort();
        for path in paths {
            if self.n >= OTHERS_MAX || depth > DEPTH_MAX {
                return;
            }
            if fs::symlink_metadata(&path).is_ok_and(|about| about.is_dir()) {
                self.collect(root, &path, written, depth + 1);
            } else if !written.contains(&path) {
                self.n += 1;
                let below = path.strip_prefix(root).unwrap_or(&path);
                self.first.get_or_insert_with(|| below.to_path_buf());
            }
        }
    }
}
