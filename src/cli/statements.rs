//! `--claims`: statements made elsewhere, from files of the user's and tables of other tools.

use super::Stop;
use idleproof::read::Found;
use idleproof::report::{CaptureReport, Outcome};
use idleproof::statements::{self, MAX_BYTES, Statement, TABLE_FILES, TABLE_FOLDERS};
use std::path::{Path, PathBuf};

/// The statements of some files and folders, each table with the captures that it is about.
pub(super) fn load(paths: &[PathBuf], found: &Found) -> Result<Vec<Statement>, Stop> {
    let mut all = Vec::new();
    for path in paths {
        for file in files(path)? {
            let shown = file.to_string_lossy().replace('\\', "/");
            let bytes = super::files::whole(&file, MAX_BYTES).map_err(|reason| {
                Stop::Usage(format!("can't read the claims file `{shown}`: {reason}"))
            })?;
            let about = if statements::is_table(&bytes) { beside(&file, found)? } else { None };
            all.extend(statements::parse(&shown, &bytes, about.as_deref())?);
        }
    }
    Ok(all)
}

/// The file that is named, or the tables of a folder.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, Stop> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let folders = TABLE_FOLDERS.iter().map(|name| path.join(name));
    let folders = std::iter::once(path.to_owned()).chain(folders);
    let tables = folders.flat_map(|folder| TABLE_FILES.iter().map(move |name| folder.join(name)));
    let tables: Vec<PathBuf> = tables.filter(|table| table.is_file()).collect();
    if tables.is_empty() {
        let (path, names) = (Path::display(path), TABLE_FILES.join(" or "));
        return Err(Stop::Usage(format!("--claims {path}: there is no {names} in this folder")));
    }
    Ok(tables)
}

/// The folder whose captures a table is about: its own, or the one in which its folder of tables lies. `None` where the only
/// capture of the run is meant.
fn beside(table: &Path, found: &Found) -> Result<Option<PathBuf>, Stop> {
    let folder = table.parent().unwrap_or(Path::new(""));
    let is_for_tables =
        folder.file_name().is_some_and(|name| TABLE_FOLDERS.iter().any(|known| name == *known));
    let folder = if is_for_tables { folder.parent().unwrap_or(Path::new("")) } else { folder };
    let folder = folder.strip_prefix(".").unwrap_or(folder);
    let has_captures = |family: &&idleproof::read::Family| {
        family.files.iter().any(|file| Path::new(&file.shown).starts_with(folder))
    };
    match found.families.iter().filter(has_captures).count() {
        0 if found.families.len() == 1 => Ok(None),
        0 => Err(Stop::Usage(format!(
            "--claims {}: a table does not say which capture it was made from, and no capture lies beside it: name one capture alone",
            Path::display(table)
        ))),
        _ => Ok(Some(folder.to_owned())),
    }
}

/// Refuses statements that are about no capture: nobody would notice that they were not verified.
pub(super) fn require_subjects(
    statements: &[Statement],
    captures: &[CaptureReport],
) -> Result<(), Stop> {
    // A capture that could not be read may be the one.
    if captures.iter().any(|capture| capture.outcome == Outcome::Refused) {
        return Ok(());
    }
    unmet(statements, captures).into_iter().next().map_or(Ok(()), |lost| Err(Stop::Usage(lost)))
}

/// The fault of each statement that is about no capture.
pub(super) fn unmet(statements: &[Statement], captures: &[CaptureReport]) -> Vec<String> {
    let is_about = |statement: &Statement| {
        captures.iter().any(|capture| statement.subject.is(capture.paths().into_iter()))
    };
    let lost = statements.iter().filter(|statement| !is_about(statement));
    let fault = |lost: &Statement| {
        format!(
            "{}: no capture of this run is meant by the claim `{}`: its `capture` must match the path of one",
            lost.source, lost.quantity
        )
    };
    lost.map(fault).collect()
}
