//! Outputs: what `--report KIND=PATH` asks for, and its writing.

use super::Stop;
use idleproof::policy::nearest;
use idleproof::render::{self, OUTPUTS, Output};
use idleproof::report::Report;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// One output and where it goes.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    output: &'static Output,
    place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    StandardOutput,
    File(PathBuf),
}

/// Parses `KIND=PATH`.
pub(crate) fn parse(text: &str) -> Result<Target, String> {
    let (kind, path) =
        text.split_once('=').ok_or("expected KIND=PATH, such as junit=report.xml")?;
    let Some(output) = render::find(kind) else {
        let kinds = || OUTPUTS.iter().map(|output| output.kind);
        return Err(match nearest(kind, kinds()) {
            Some(near) => format!("unknown output `{kind}`: did you mean `{near}`?"),
            None => format!("unknown output `{kind}`: {}", kinds().collect::<Vec<_>>().join(", ")),
        });
    };
    let place = match path {
        "" => return Err("the path is empty".to_owned()),
        "-" => Place::StandardOutput,
        _ => Place::File(PathBuf::from(path)),
    };
    Ok(Target { output, place })
}

/// The long help of `--report`, from the table of outputs.
pub(crate) fn help() -> String {
    let mut text =
        "Write an output; repeatable. The path `-` is the standard output.\n\nKinds:".to_owned();
    for output in OUTPUTS {
        text.push_str(&format!("\n  {:<10} {}", output.kind, output.summary));
    }
    text
}

/// Refuses targets that would meet one another or overwrite what is read, before anything is read or written.
pub(crate) fn refuse_clashes(targets: &[Target], inputs: &[&Path]) -> Result<(), Stop> {
    for (index, target) in targets.iter().enumerate() {
        let meets = |other: &Target| match (&target.place, &other.place) {
            (Place::File(a), Place::File(b)) => same_file(a, b),
            (a, b) => a == b,
        };
        if let Some(earlier) = targets[..index].iter().find(|earlier| meets(earlier)) {
            return Err(Stop::Usage(format!(
                "the outputs `{}` and `{}` go to the same place",
                earlier.output.kind, target.output.kind
            )));
        }
        let Place::File(path) = &target.place else { continue };
        if inputs.iter().any(|input| same_file(path, input)) {
            return Err(Stop::Usage(format!(
                "the output `{}` would overwrite the input {}",
                target.output.kind,
                path.display()
            )));
        }
    }
    Ok(())
}

/// True where two paths are, or will be, one file.
fn same_file(a: &Path, b: &Path) -> bool {
    a == b || resolved(a).is_some_and(|a| resolved(b) == Some(a))
}

/// A path with links resolved; of a file that does not exist yet, those of its folder.
fn resolved(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = fs::canonicalize(path) {
        return Some(real);
    }
    let folder = fs::canonicalize(folder_of(path)).ok()?;
    Some(folder.join(path.file_name()?))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Renders and writes every target. One that can't be written does not keep the others from it.
pub(crate) fn write_all(targets: &[Target], report: &Report) -> Result<(), Stop> {
    let mut faults = Vec::new();
    for Target { output, place } in targets {
        let text = (output.render)(report);
        match place {
            Place::StandardOutput => faults.extend(print(&text).err()),
            Place::File(path) => {
                let fault = |error| format!("can't write {}: {error}", path.display());
                faults.extend(write(path, text.as_bytes()).map_err(fault).err());
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Stop::Failed(faults.join("; "))) }
}

/// Writes to the standard output. A reader that has seen enough is no fault.
pub(crate) fn print(text: &str) -> Result<(), String> {
    let mut stdout = io::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("can't write to the standard output: {error}"))
        }
        _ => Ok(()),
    }
}

/// Writes a file in one step: a reader sees the old text or the new one, never a part.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Through a link, else the rename would replace the link.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir()) {
        // A pipe or device can't be replaced; it takes the text as it comes.
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    fs::create_dir_all(folder_of(path))?;
    let beside = beside(path)?;
    let written = File::options()
        .write(true)
        .create_new(true)
        .open(&beside)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The fault that counts is the first one.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A name beside the file that no other run uses at the same time.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(ErrorKind::IsADirectory)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(hidden))
}
