//! The search for captures: files that are named, and files in folders that look like captures by their content.
//!
//! A *family* is what is read and grouped together: the topmost folder that directly holds a file that looks like a
//! capture, with everything below it. So a run's main trace and the shards in a folder beneath it stay together, and the
//! runs of a folder of runs stay apart. Each file that is named is a family of its own, but two records of one run
//! (`<host>.xplane.pb` and `<host>.trace.json.gz`) stay together wherever both are found. A record that was not asked for
//! is not looked for: naming one of two gives that one.

use super::limits::{FOLDER_DEPTH_MAX, FOLDER_ENTRIES_MAX};
use super::refusal::Refusal;
use super::sniff::{Guess, NameSays, name_says, run, sniff};
use super::{Family, Found, FoundFile, ReadError};
use crate::trace::Skipped;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Searches files and folders.
pub(super) fn find(paths: &[PathBuf]) -> Result<Found, ReadError> {
    let mut search = Search::default();
    for path in paths {
        let refused = |error: &std::io::Error| Refusal::io(error).into_error(path, &shown(path));
        let metadata = std::fs::metadata(path).map_err(|error| refused(&error))?;
        if metadata.is_dir() {
            let mut candidates = Vec::new();
            search.folder(path, 0, &mut candidates)?;
            search.group(path, candidates);
        } else if metadata.is_file() {
            search.named(path);
        } else {
            let refusal = Refusal::new(
                super::ReadErrorKind::NotACapture,
                "neither a file nor a folder",
                "give a capture file or a folder of captures",
            );
            return Err(refusal.into_error(path, &shown(path)));
        }
    }
    Ok(search.found())
}

/// A path as reports print it.
pub(super) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace('\\', "/") }
}

#[derive(Default)]
struct Search {
    families: Vec<Family>,
    skipped: Vec<Skipped>,
    /// Real paths of folders that were walked: links in circles end here.
    walked: BTreeSet<PathBuf>,
    /// Real paths of files that were taken: a file that is found twice is read once.
    taken: BTreeSet<PathBuf>,
    entries: usize,
}

impl Search {
    fn named(&mut self, path: &Path) {
        let file = FoundFile { path: path.to_owned(), shown: shown(path), named: true };
        let first = self.taken.insert(real(path));
        if !first {
            // It may have been found in a folder before: being named counts more.
            let same = |other: &FoundFile| real(&other.path) == real(path);
            for family in &mut self.families {
                if family.files.iter().any(|other| other.named && same(other)) {
                    return;
                }
                family.files.retain(|other| !same(other));
            }
            self.families.retain(|family| !family.files.is_empty());
        }
        self.families.push(Family { files: vec![file] });
    }

    /// Walks a folder in the order of its names.
    fn folder(
        &mut self,
        folder: &Path,
        depth: usize,
        candidates: &mut Vec<PathBuf>,
    ) -> Result<(), ReadError> {
        let refuse = |refusal: Refusal| refusal.into_error(folder, &shown(folder));
        if depth > FOLDER_DEPTH_MAX {
            return Err(refuse(Refusal::too_large(format!(
                "folders are nested more than {FOLDER_DEPTH_MAX} levels deep"
            ))));
        }
        if !self.walked.insert(real(folder)) {
            return Ok(());
        }
        let io = |error: std::io::Error| refuse(Refusal::io(&error));
        let mut children = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(io)? {
            children.push(entry.map_err(io)?.file_name());
            self.entries += 1;
            if self.entries > FOLDER_ENTRIES_MAX {
                return Err(refuse(Refusal::too_large(format!(
                    "the search met more than {FOLDER_ENTRIES_MAX} files and folders"
                ))));
            }
        }
        children.sort();
        for name in children {
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = folder.join(name);
            match std::fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => self.folder(&path, depth + 1, candidates)?,
                Ok(metadata) if metadata.is_file() => self.file(&path, candidates),
                Ok(_) => self.skip(&path, "neither a file nor a folder"),
                // A capture that its name promises and that cannot be opened is a lost capture: reading it says why.
                Err(_)
                    if matches!(name_says(&path), NameSays::Trace | NameSays::CompressedJson) =>
                {
                    candidates.push(path);
                }
                Err(error) => self.skip(&path, &format!("cannot be read: {error}")),
            }
        }
        Ok(())
    }

    /// A file of a folder: a candidate by its content, or by a name that would make its loss a lost capture.
    fn file(&mut self, path: &Path, candidates: &mut Vec<PathBuf>) {
        let named_like = name_says(path);
        let guess = match named_like {
            NameSays::Xplane => Guess::PerhapsTrace,
            _ => sniff(path),
        };
        let reason = match (guess, named_like) {
            (Guess::Trace | Guess::PerhapsTrace, _) => None,
            (_, NameSays::Trace) | (Guess::Other(_), NameSays::CompressedJson) => None,
            (Guess::OtherJson, _) => Some("JSON without traceEvents".to_owned()),
            (Guess::Other(what), _) => Some(format!("not a capture: {what}")),
        };
        match reason {
            Some(reason) => self.skip(path, &reason),
            None => {
                if self.taken.insert(real(path)) {
                    candidates.push(path.to_owned());
                }
            }
        }
    }

    fn skip(&mut self, path: &Path, reason: &str) {
        self.skipped.push(Skipped { path: shown(path), reason: reason.to_owned() });
    }

    /// Puts the candidates under `root` into families.
    fn group(&mut self, root: &Path, candidates: Vec<PathBuf>) {
        let folders: BTreeSet<PathBuf> =
            candidates.iter().filter_map(|path| path.parent()).map(Path::to_owned).collect();
        let mut families: BTreeMap<PathBuf, Vec<FoundFile>> = BTreeMap::new();
        for path in candidates {
            let above = path.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
            let topmost = above.filter(|folder| folders.contains(*folder)).last();
            let key = topmost.unwrap_or(root).to_owned();
            let file = FoundFile { shown: shown(&path), path, named: false };
            families.entry(key).or_default().push(file);
        }
        for mut files in families.into_values() {
            files.sort_by(|a, b| a.shown.cmp(&b.shown));
            self.families.push(Family { files });
        }
    }

    /// Brings the records of one run together where one of them was named and the other one found elsewhere.
    fn unite_runs(&mut self) {
        let mut homes: BTreeMap<(PathBuf, String), usize> = BTreeMap::new();
        // A folder's family is the home of what is named beside it.
        let mut order: Vec<usize> = (0..self.families.len()).collect();
        order.sort_by_key(|&row| self.families[row].files.iter().all(|file| file.named));
        for row in order {
            for file in std::mem::take(&mut self.families[row].files) {
                let home = match run(&file.path) {
                    Some(run) if file.named => *homes.entry(run).or_insert(row),
                    Some(run) => {
                        homes.insert(run, row);
                        row
                    }
                    None => row,
                };
                self.families[home].files.push(file);
            }
        }
        self.families.retain(|family| !family.files.is_empty());
        for family in &mut self.families {
            family.files.sort_by(|a, b| a.shown.cmp(&b.shown));
        }
    }

    fn found(mut self) -> Found {
        self.unite_runs();
        let first = |family: &Family| family.files.first().map(|file| file.shown.clone());
        self.families.sort_by_key(first);
        self.skipped.sort_by(|a, b| a.path.cmp(&b.path));
        self.skipped.dedup();
        Found { families: self.families, skipped: self.skipped }
    }
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
