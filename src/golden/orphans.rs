//! Goldens that belong to no capture: which they are, and their removal.

use super::folder::{listed, read, remove};
use super::name::file_name;
use super::{Folders, GoldenError, Header, slashed};
use crate::report::{GoldenReport, GoldenState, Level};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A golden that no capture of a run produces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orphan {
    /// Its file name.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The output that it holds, such as `trust`.
    pub output: String,
    /// True where this program wrote it: it names the capture whose golden it is.
    pub is_ours: bool,
}

impl Orphan {
    /// What a report says of it. The level is what the default policy says; the caller knows better.
    pub fn report(&self) -> GoldenReport {
        GoldenReport {
            output: self.output.clone(),
            path: slashed(&self.path),
            state: GoldenState::Unreferenced,
            level: Level::Warn,
            diff: None,
            capture: self.name.clone(),
        }
    }
}

/// Goldens that none of these captures and outputs produces. Only meaningful where the run covered every capture that the
/// folder is for.
pub fn unreferenced<'a>(
    folders: &Folders,
    referenced: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<Orphan>, GoldenError> {
    let known: BTreeSet<String> =
        referenced.into_iter().map(|(capture, output)| file_name(capture, output)).collect();
    let names = listed(&folders.goldens, ".snap")?;
    let orphans = names.into_iter().filter(|name| !known.contains(name));
    Ok(orphans.map(|name| orphan(folders, name)).collect())
}

fn orphan(folders: &Folders, name: String) -> Orphan {
    let stem = name.strip_suffix(".snap").unwrap_or(&name);
    let output = stem.rsplit_once('.').map_or("", |(_, output)| output).to_owned();
    let path = folders.golden(&name);
    // What cannot be read as a golden is none of ours, and no reason to end: it is told, and never removed.
    let header = read(&path).ok().flatten().map(|golden| golden.header);
    let is_ours = header.is_some_and(|header| names_itself(&header, &output, &name));
    Orphan { name, path, output, is_ours }
}

/// True where what a golden says of itself gives the name that it has.
fn names_itself(header: &Header, output: &str, name: &str) -> bool {
    let capture = header.info.iter().find(|(key, _)| key == "capture");
    capture.is_some_and(|(_, capture)| file_name(capture, output) == name)
}

/// Deletes goldens that this program wrote; returns them. Of others nothing is touched.
pub fn prune(orphans: &[Orphan]) -> Result<Vec<PathBuf>, GoldenError> {
    let ours = orphans.iter().filter(|orphan| orphan.is_ours);
    ours.map(|orphan| remove(&orphan.path).map(|()| orphan.path.clone())).collect()
}
