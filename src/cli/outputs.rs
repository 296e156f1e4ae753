//! Outputs: what `--report KIND=PATH` asks for, and its writing.

use super::Stop;
use super::folder::{self, State};
use idleproof::document::nearest;
use idleproof::read;
use idleproof::render::{self, Folder, Form, Needs, OUTPUTS, Output};
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

/// A place, with what renders that which goes there.
#[derive(Clone, Debug)]
enum Place {
    StandardOutput(fn(&Report) -> String),
    File(PathBuf, fn(&Report) -> String),
    Folder(PathBuf, &'static Folder),
}

impl Target {
    /// The kind of output.
    pub(crate) const fn kind(&self) -> &'static str {
        self.output.kind
    }

    /// What it needs beside the JSON report.
    pub(crate) const fn needs(&self) -> Needs {
        self.output.needs
    }
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
    let place = match (path, &output.form) {
        ("", _) => return Err("the path is empty".to_owned()),
        ("-", Form::Folder(_)) => {
            return Err(format!("`{kind}` is a folder of files: name one, such as {kind}=tables"));
        }
        ("-", Form::Text(render)) => Place::StandardOutput(*render),
        (_, Form::Text(render)) => Place::File(PathBuf::from(path), *render),
        (_, Form::Folder(folder)) => Place::Folder(PathBuf::from(path), folder),
    };
    Ok(Target { output, place })
}

/// The full report on the standard output.
pub(crate) fn for_people() -> Result<Target, Stop> {
    parse("markdown=-").map_err(Stop::Failed)
}

/// The long help of `--report`, from the table of outputs.
pub(crate) fn help() -> String {
    let mut text = "Write an output; repeatable. The path `-` is the standard output; an output of several files \
                    needs a folder that holds no others.\n\nKinds:"
        .to_owned();
    for output in OUTPUTS {
        text.push_str(&format!("\n  {:<11} {}", output.kind, output.summary));
    }
    text
}

/// Refuses targets that would meet one another, overwrite what is read, or mix with goldens or with files of others, before
/// anything is read or written.
pub(crate) fn refuse_clashes(
    targets: &[Target],
    inputs: &[&Path],
    goldens: &[&Path],
) -> Result<(), Stop> {
    for (index, target) in targets.iter().enumerate() {
        let kind = target.output.kind;
        if let Some(earlier) = targets[..index].iter().find(|earlier| meet(target, earlier)) {
            return Err(Stop::Usage(format!(
                "the outputs `{}` and `{kind}` go to the same place",
                earlier.output.kind
            )));
        }
        match &target.place {
            Place::StandardOutput(_) => {}
            Place::File(path, _) => {
                if let Some(folder) = goldens.iter().find(|folder| lies_in(path, folder)) {
                    return Err(Stop::Usage(format!(
                        "the output `{kind}` would be written among the goldens in {}",
                        folder.display()
                    )));
                }
                refuse_file(kind, path, inputs)?;
            }
            Place::Folder(path, folder) => refuse_folder(kind, path, folder, inputs, goldens)?,
        }
    }
    Ok(())
}

/// True where two targets would write the same file. A folder is its output's own: nothing else goes into it.
fn meet(one: &Target, other: &Target) -> bool {
    match (&one.place, &other.place) {
        (Place::StandardOutput(_), Place::StandardOutput(_)) => true,
        (Place::File(a, _), Place::File(b, _)) => same_file(a, b),
        (Place::Folder(folder, _), Place::File(file, _))
        | (Place::File(file, _), Place::Folder(folder, _)) => lies_in(file, folder),
        (Place::Folder(a, _), Place::Folder(b, _)) => lies_in(a, b) || lies_in(b, a),
        (Place::StandardOutput(_), _) | (_, Place::StandardOutput(_)) => false,
    }
}

fn refuse_file(kind: &str, path: &Path, inputs: &[&Path]) -> Result<(), Stop> {
    let shown = path.display();
    if inputs.iter().any(|input| same_file(path, input)) {
        let text = format!("the output `{kind}` would overwrite the input {shown}");
        return Err(Stop::Usage(text));
    }
    if read::is_capture(path) {
        let text = format!("the output `{kind}` would overwrite the capture {shown}");
        return Err(Stop::Usage(text));
    }
    // Goldens are taken over by `golden accept`, never written by an output.
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.ends_with(".snap") || name.ends_with(".snap.new") {
        let text = format!("the output `{kind}` would be written over a golden: {shown}");
        return Err(Stop::Usage(text));
    }
    Ok(())
}

fn refuse_folder(
    kind: &str,
    path: &Path,
    folder: &Folder,
    inputs: &[&Path],
    goldens: &[&Path],
) -> Result<(), Stop> {
    let refused = |why: String| {
        Err(Stop::Usage(format!(
            "the output `{kind}` needs a folder of its own, and {} {why}",
            path.display()
        )))
    };
    if let Some(input) = inputs.iter().find(|input| lies_in(input, path)) {
        return refused(format!("holds the input {}", input.display()));
    }
    if goldens.iter().any(|goldens| lies_in(goldens, path) || lies_in(path, goldens)) {
        return refused("is where goldens are".to_owned());
    }
    match folder::state(path, folder) {
        State::Free => Ok(()),
        State::NoFolder => refused("is none".to_owned()),
        State::Foreign => refused("holds files that this program did not write".to_owned()),
    }
}

/// True where two paths are, or will be, one file.
fn same_file(a: &Path, b: &Path) -> bool {
    a == b || resolved(a).is_some_and(|a| resolved(b) == Some(a))
}

/// True where a path is, or will be, a folder or something below it.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let real = resolved(path).zip(resolved(folder));
    path.starts_with(folder) || real.is_some_and(|(path, folder)| path.starts_with(folder))
}

/// A path with links resolved; of one that does not exist yet, those of the folders that do.
fn resolved(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = fs::canonicalize(path) {
        return Some(real);
    }
    let name = path.file_name()?;
    Some(resolved(folder_of(path))?.join(name))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Renders and writes every target, and tells of each file. One that can't be written does not keep the others from it.
pub(crate) fn write_all(
    targets: &[Target],
    report: &Report,
    tell: impl Fn(&str),
) -> Result<(), Stop> {
    let mut faults = Vec::new();
    for target in targets {
        let written = match &target.place {
            Place::StandardOutput(render) => print(&render(report)),
            Place::File(path, render) => write_file(path, &render(report), &tell),
            Place::Folder(path, folder) => write_folder(path, &(folder.files)(report), &tell),
        };
        faults.extend(written.err());
    }
    if faults.is_empty() { Ok(()) } else { Err(Stop::Failed(faults.join("; "))) }
}

/// Refuses a file that is read, or a golden, as the place of what a command writes.
pub(super) fn refuse_place(what: &str, path: &Path, inputs: &[&Path]) -> Result<(), Stop> {
    refuse_file(what, path, inputs)
}

pub(super) fn write_file(path: &Path, text: &str, tell: &impl Fn(&str)) -> Result<(), String> {
    write(path, text.as_bytes())
        .map_err(|error| format!("can't write {}: {error}", path.display()))?;
    tell(&format!("wrote {}", path.display()));
    Ok(())
}

fn write_folder(path: &Path, files: &[render::File], tell: &impl Fn(&str)) -> Result<(), String> {
    let others = folder::write(path, files)
        .map_err(|error| format!("can't write into {}: {error}", path.display()))?;
    tell(&format!("wrote {} files into {}", files.len(), path.display()));
    if let Some(warning) = others.told(path) {
        tell(&warning);
    }
    Ok(())
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
        // Held until the text is through: a reader takes the last writer's leaving for the end.
        let _reader_waits = require_reader(path)?;
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    fs::create_dir_all(folder_of(path))?;
    replace(path, bytes)
}

/// Refuses a pipe that nobody reads from: opening it would wait without end. Of one that has a reader, a handle that keeps it.
#[cfg(unix)]
fn require_reader(path: &Path) -> io::Result<Option<File>> {
    use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
    /// `O_NONBLOCK`, with which opening such a pipe fails at once (POSIX, open: ENXIO).
    const NONBLOCK: i32 = if cfg!(target_os = "linux") { 0o4000 } else { 4 };
    if !fs::metadata(path)?.file_type().is_fifo() {
        return Ok(None);
    }
    let opened = File::options().write(true).custom_flags(NONBLOCK).open(path);
    opened.map(Some).map_err(|_| io::Error::other("it is a pipe, and nobody reads from it"))
}

#[cfg(not(unix))]
fn require_reader(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// Puts a file in the place of what has its name, links included.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
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
