//! `init`: the files with which a project starts, and today's violations as exceptions with an end.

mod baseline;
mod templates;

use super::{InitArgs, Stop, inputs, policy};
use idleproof::golden;
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Where the workflow goes.
const WORKFLOW: &str = ".github/workflows/idleproof.yml";

/// The folder of goldens.
const GOLDENS: &str = "goldens";

/// Endings of captures' names, longer ones first where one ends in another.
const ENDINGS: [&str; 5] =
    ["pt.trace.json.gz", "pt.trace.json", "trace.json.gz", "trace.json", "xplane.pb"];

/// Folders that hold what was built or installed, never what somebody keeps.
const FOREIGN: [&str; 4] = ["target", "node_modules", "venv", "site-packages"];

/// Writes what is not there yet; what it did and what comes next, as text.
pub(crate) fn init(args: &InitArgs, today: Date) -> Result<String, Stop> {
    let expires = baseline::end(args, today)?;
    let mut globs = captures();
    if globs.is_empty() {
        globs.push(templates::CAPTURES.to_owned());
    }
    let mut text = String::new();
    create(&mut text, &policy_file(), &templates::policy(&globs))?;
    let stub = golden::write_stub(Path::new(GOLDENS));
    for path in stub.map_err(|error| Stop::Failed(error.to_string()))? {
        let _ = writeln!(text, "created {}", path.display());
    }
    create(&mut text, Path::new(WORKFLOW), &templates::workflow())?;
    if args.baseline {
        text.push_str(&baseline::write(expires, today)?);
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
            file.write_all(text.as_bytes()).map_err(failed)?;
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
    let mut folders: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for path in found.iter().filter(|path| is_kept(path)) {
        let name = path.to_string_lossy();
        let ending = ENDINGS.iter().find(|ending| name.ends_with(&format!(".{ending}")));
        let folder = name.split_once(std::path::MAIN_SEPARATOR).map_or("", |(first, _)| first);
        if let Some(ending) = ending {
            folders.entry(folder.to_owned()).or_default().insert(ending);
        }
    }
    folders.iter().map(|(folder, endings)| glob(folder, endings)).collect()
}

/// The glob for everything in a folder that ends in one of these.
fn glob(folder: &str, endings: &BTreeSet<&str>) -> String {
    let endings: Vec<&str> = endings.iter().copied().collect();
    let endings = match endings.as_slice() {
        [one] => (*one).to_owned(),
        several => format!("{{{}}}", several.join(",")),
    };
    match folder {
        "" => format!("*.{endings}"),
        folder => format!("{}/**/*.{endings}", literal(folder)),
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
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn a_literal_matches_its_path_alone() {
        for path in ["captures/a.json", "a[1]/b{2}.json", "a*?.json", "]{}["] {
            let globs = PathGlobs::new([literal(path).as_str()]).unwrap();
            assert!(globs.matches(path), "{path}");
            assert!(!globs.matches(&path.replace(['*', '?', '[', 'c'], "x")), "{path}");
        }
    }

    #[test]
    fn a_folder_has_one_glob() {
        let both = BTreeSet::from(["xplane.pb", "trace.json.gz"]);
        assert_eq!(glob("captures", &both), "captures/**/*.{trace.json.gz,xplane.pb}");
        assert_eq!(glob("", &BTreeSet::from(["xplane.pb"])), "*.xplane.pb");
        assert!(is_kept(Path::new("captures/a.json")));
        assert!(!is_kept(Path::new("target/a.json")) && !is_kept(Path::new("a/.cache/b.json")));
    }
}
