//! Goldens in a folder: compare, list what is pending, accept, reject.

use super::file::{Malformed, body_text};
use super::{Golden, GoldenError, Rendered, Within, slashed};
use crate::report::{GoldenReport, GoldenState, Level};
use similar::TextDiff;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Largest golden that is read: outputs are pages, not data.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Longest body, in lines, of which a diff is made: its cost grows with the square of what differs.
const DIFF_LINES_MAX: usize = 20_000;

/// Where goldens are, and where the files wait that would replace them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// The goldens, `<name>.snap`.
    pub goldens: PathBuf,
    /// What waits, `<name>.snap.new`; it may be the same folder.
    pub pending: PathBuf,
}

impl Folders {
    /// Pending files beside their goldens.
    pub fn beside(goldens: impl Into<PathBuf>) -> Self {
        let goldens = goldens.into();
        Self { pending: goldens.clone(), goldens }
    }

    pub(super) fn golden(&self, name: &str) -> PathBuf {
        self.goldens.join(name)
    }

    fn pending(&self, name: &str) -> PathBuf {
        self.pending.join(format!("{name}.new"))
    }
}

/// A golden that waits for a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The golden's file name.
    pub name: String,
    /// The waiting file.
    pub path: PathBuf,
    /// True where there is no golden of this name yet.
    pub is_new: bool,
    /// From the golden to what waits; empty where both are the same.
    pub diff: String,
}

/// Which pending goldens are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection<'a> {
    /// Every one.
    All,
    /// The one of this file name or path, with or without `.new`.
    One(&'a str),
}

/// An output against its golden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// What the report says of it. The level is what the default policy says; the caller knows better.
    pub golden: GoldenReport,
    /// Figures with a tolerance that the golden does not hold: accepted anew, it does.
    pub n_unheld: usize,
}

/// Compares an output with its golden; figures `within` their tolerances are no difference.
pub fn compare(
    folders: &Folders,
    rendered: &Rendered,
    within: Option<&Within<'_>>,
) -> Result<Compared, GoldenError> {
    let path = folders.golden(&rendered.file_name());
    let mut n_unheld = 0;
    let within = within.filter(|within| !within.tolerances.is_empty());
    let (state, diff) = match (read(&path)?, within) {
        (None, _) => (GoldenState::Missing, None),
        (Some(golden), None) => changed(diff(&golden.body, &rendered.body)),
        (Some(golden), Some(within)) => {
            let settled = within.settle(&golden.header.info, &rendered.body);
            n_unheld = settled.n_unheld;
            changed(explained(diff(&golden.body, &settled.body), &settled.beyond, n_unheld))
        }
    };
    let golden = GoldenReport {
        capture: rendered.capture.clone(),
        output: rendered.output.clone(),
        path: slashed(&path),
        state,
        level: Level::Deny,
        diff,
    };
    Ok(Compared { golden, n_unheld })
}

fn changed(diff: String) -> (GoldenState, Option<String>) {
    if diff.is_empty() { (GoldenState::Same, None) } else { (GoldenState::Changed, Some(diff)) }
}

/// A difference with the figures that made it, or could not be told apart from what made it, in front.
fn explained(diff: String, beyond: &[String], n_unheld: usize) -> String {
    if diff.is_empty() {
        return diff;
    }
    let mut text: String = beyond.iter().map(|line| format!("beyond: {line}\n")).collect();
    if n_unheld > 0 {
        text.push_str(&format!(
            "the golden holds no figure for {n_unheld} fields with a tolerance: accepted anew, it does\n"
        ));
    }
    text + &diff
}

/// Lets an output wait for a decision, in the pending folder.
pub fn write_pending(folders: &Folders, rendered: &Rendered) -> Result<PathBuf, GoldenError> {
    let path = folders.pending(&rendered.file_name());
    let golden = Golden { header: rendered.header.clone(), body: rendered.body.clone() };
    write(&path, &golden.to_text())?;
    Ok(path)
}

/// What waits for a decision, by name.
pub fn pending(folders: &Folders) -> Result<Vec<Pending>, GoldenError> {
    listed(&folders.pending, ".snap.new")?
        .into_iter()
        .map(|file| {
            let name = golden_name(&file).to_owned();
            let path = folders.pending.join(&file);
            let waiting = read(&path)?.unwrap_or_default();
            let golden = read(&folders.golden(&name))?;
            let is_new = golden.is_none();
            let diff = diff(&golden.unwrap_or_default().body, &waiting.body);
            Ok(Pending { name, path, is_new, diff })
        })
        .collect()
}

/// Takes pending files over as goldens; returns the goldens.
pub fn accept(folders: &Folders, which: Selection<'_>) -> Result<Vec<PathBuf>, GoldenError> {
    let mut accepted = Vec::new();
    for name in selected(folders, which)? {
        let waiting = folders.pending(&name);
        let path = folders.golden(&name);
        if let Some(golden) = read(&waiting)? {
            write(&path, &golden.to_text())?;
            remove(&waiting)?;
            accepted.push(path);
        }
    }
    Ok(accepted)
}

/// Deletes pending files; returns them.
pub fn reject(folders: &Folders, which: Selection<'_>) -> Result<Vec<PathBuf>, GoldenError> {
    let paths: Vec<PathBuf> =
        selected(folders, which)?.iter().map(|name| folders.pending(name)).collect();
    paths.iter().try_for_each(|path| remove(path))?;
    Ok(paths)
}

fn selected(folders: &Folders, which: Selection<'_>) -> Result<Vec<String>, GoldenError> {
    let names = listed(&folders.pending, ".snap.new")?;
    let names = names.into_iter().map(|file| golden_name(&file).to_owned());
    match which {
        Selection::All => Ok(names.collect()),
        Selection::One(wanted) => {
            let file = Path::new(wanted).file_name().map(|file| file.to_string_lossy());
            let file = file.unwrap_or_default();
            let file = golden_name(&file);
            let found: Vec<String> = names.filter(|name| name == file).collect();
            if found.is_empty() {
                let (name, folder) = (wanted.to_owned(), folders.pending.clone());
                return Err(GoldenError::NotPending { name, folder });
            }
            Ok(found)
        }
    }
}

/// The golden's name in a pending file's.
fn golden_name(file: &str) -> &str {
    file.strip_suffix(".new").unwrap_or(file)
}

/// A unified diff of two bodies; empty where they are the same.
fn diff(golden: &str, rendered: &str) -> String {
    let (golden, rendered) = (body_text(golden), body_text(rendered));
    if golden == rendered {
        return String::new();
    }
    let n_lines = golden.lines().count().max(rendered.lines().count());
    if n_lines > DIFF_LINES_MAX {
        return format!("the bodies differ; {n_lines} lines are too many for a diff\n");
    }
    let (golden, rendered) = (format!("{golden}\n"), format!("{rendered}\n"));
    let diff = TextDiff::from_lines(golden.as_str(), rendered.as_str());
    diff.unified_diff().context_radius(3).header("golden", "this run").to_string()
}

/// File names in a folder that end like this, sorted; none where there is no folder.
pub(super) fn listed(folder: &Path, ending: &str) -> Result<Vec<String>, GoldenError> {
    let failed = |error| io_error(folder, error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(failed)?.file_name();
        // A name that is no text is not one of ours.
        if let Some(name) = name.to_str().filter(|name| name.ends_with(ending)) {
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// A golden; `None` where there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<Golden>, GoldenError> {
    let failed = |error| io_error(path, error);
    // A pipe that nobody writes to would be waited for without end.
    if std::fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return Err(failed(io::Error::other("it is no file")));
    }
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    let broken = |line, message| GoldenError::Broken { path: path.to_owned(), line, message };
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(broken(1, format!("a golden has at most {FILE_BYTES_MAX} bytes")));
    }
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + memchr::memchr_iter(b'\n', before).count();
            return Err(broken(line, "the text is not UTF-8".to_owned()));
        }
    };
    match Golden::parse(text) {
        Ok(golden) => Ok(Some(golden)),
        Err(Malformed { line, message }) => Err(broken(line, message)),
    }
}

/// Writes a file beside its place and renames it, so that a reader finds the old text or the new one.
pub(super) fn write(path: &Path, text: &str) -> Result<(), GoldenError> {
    let failed = |error| io_error(path, error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let written = File::create(&beside)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        // The first failure is the one to report.
        let _ = fs::remove_file(&beside);
        failed(error)
    })
}

pub(super) fn remove(path: &Path) -> Result<(), GoldenError> {
    fs::remove_file(path).map_err(|error| io_error(path, error))
}

pub(super) fn io_error(path: &Path, error: io::Error) -> GoldenError {
    GoldenError::Io { path: path.to_owned(), error }
}
