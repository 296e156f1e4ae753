//! `init`: the files with which a project starts, and today's violations as exceptions with an end.

mod baseline;
mod templates;

use super::{InitArgs, Stop, inputs, policy};
use idleproof::golden;
use jiff::civil::Date;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Where the workflow goes.
const WORKFLOW: &str = ".github/workflows/idleproof.yml";

/// The folder of goldens.
const GOLDENS: &str = "goldens";

/// Endings of captures' names: PyTorch's and JAX's.
const ENDINGS: [&str; 3] = ["trace.json", "trace.json.gz", "xplane.pb"];

/// Where captures are looked for until some lie here.
const CAPTURES: &str = "captures";

/// Folders that hold what was built or installed, never what somebody keeps.
const FOREIGN: [&str; 4] = ["target", "node_modules", "venv", "site-packages"];

/// Writes what is not there yet; what it did and what comes next, as text.
pub(crate) fn init(args: &InitArgs, today: Date) -> Result<String, Stop> {
    let expires = baseline::end(args, today)?;
    let mut globs = captures();
    if globs.is_empty() {
        globs.push(glob(CAPTURES));
    }
    let mut text = String::new();
    create(&mut text, &policy_file(), &templates::policy(&globs))?;
    let stub = golden::write_stub(Path::new(GOLDENS));
    for path in stub.map_err(|error| Stop::Failed(error.to_string()))? {
        let _ = writeln!(text, "created {}", path.display());
    }
    create(&mut text, Path::new(WORKFLOW), &templates::workflow())?;
    if args.baseline {
        let written = baseline::write(expires, today);
        // What was created is there, whatever became of the baseline.
        let created = || text.lines().map(str::to_owned).collect();
        let written = written.map_err(|stop| stop.listing(created()))?;
        text.push_str(&written);
    }
    text.push_str(templates::NEXT);
    Ok(text)
}

/// Creates a file that is not there; one that is stays as it is.
fn create(told: &mut String, path: &Path, text: &str) -> Result<(), Stop> {
    let failed =
        |error: std::io::Error| Stop::Failed(format!("can't write {}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    match File::options().write(true).create_new(true).open(path) {
        Ok(mut file) => {
            if let Err(error) = file.write_all(text.as_bytes()) {
                // A part of a policy would be taken for one; the first fault is the one to report.
                let _ = fs::remove_file(path);
                return Err(failed(error));
            }
            let _ = writeln!(told, "created {}", path.display());
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let _ = writeln!(told, "kept {} as it is", path.display());
        }
        Err(error) => return Err(failed(error)),
    }
    Ok(())
}

/// Globs for the captures that lie here, told by the endings of their names; one a folder.
fn captures() -> Vec<String> {
    let pattern = format!("**/*.{{{}}}", ENDINGS.join(","));
    // A folder that is too large to be searched gets the usual glob: the file is there to be changed.
    let found = inputs::expand(&pattern).unwrap_or_default();
    let folder = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.split_once(std::path::MAIN_SEPARATOR).map_or("", |(first, _)| first).to_owned()
    };
    let folders: BTreeSet<String> = found.iter().filter(|path| is_kept(path)).map(folder).collect();
    folders.iter().map(|folder| glob(folder)).collect()
}

/// The glob for the captures in a folder, of every kind: one that is added later is gated as well.
fn glob(folder: &str) -> String {
    let endings = ENDINGS.join(",");
    match folder {
        "" => format!("*.{{{endings}}}"),
        folder => format!("{}/**/*.{{{endings}}}", literal(folder)),
    }
}

/// True where no folder on the way is hidden or one of builds and installations.
fn is_kept(path: &Path) -> bool {
    let is_foreign = |name: &str| name.starts_with('.') || FOREIGN.contains(&name);
    !path.components().any(|part| part.as_os_str().to_str().is_none_or(is_foreign))
}

/// A path as a glob that matches it alone.
fn literal(path: &str) -> String {
    let mut glob = String::new();
    for character in path.chars() {
        match character {
            '*' | '?' | '[' | ']' | '{' | '}' => {
                let _ = write!(glob, "[{character}]");
            }
            '\\' => glob.push_str("\\\\"),
            other => glob.push(other),
        }
    }
    glob
}

/// The policy file, where this command keeps it.
fn policy_file() -> PathBuf {
    PathBuf::from(policy::FILE)
}

#[cfg(test)]
mod tests {
    use super::{glob, is_kept, literal};
    use idleproof::policy::PathGlobs;
    use std::path::Path;

    #[test]
    fn a_literal_matches_its_path_alone() {
        for path in ["captures/a.json", "a[1]/b{2}.json", "a*?.json", "]{}[", "q\\te.json", "a\\*b"]
        {
            let globs = PathGlobs::new([literal(path).as_str()]).unwrap();
            assert!(globs.matches(path), "{path}");
            assert!(!globs.matches(&path.replace(['*', '?', '[', 'c', '\\'], "x")), "{path}");
        }
    }

    #[test]
    fn a_folder_has_one_glob() {
        assert_eq!(glob("captures"), "captures/**/*.{trace.json,trace.json.gz,xplane.pb}");
        assert_eq!(glob(""), "*.{trace.json,trace.json.gz,xplane.pb}");
        assert!(is_kept(Path::new("captures/a.json")));
        assert!(!is_kept(Path::new("target/a.json")) && !is_kept(Path::new("a/.cache/b.json")));
    }
}
