//! From arguments and policy globs to paths.

use super::Stop;
use idleproof::policy::{PathGlobs, Policy};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Entries that a glob may walk through: far more than a repository holds, and an end to walking a whole machine.
const MAX_ENTRIES: usize = 1_000_000;
/// Folders inside folders that a glob may walk down.
const MAX_DEPTH: usize = 64;

/// Where to look for captures.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Inputs {
    /// Files and folders.
    pub(crate) paths: Vec<PathBuf>,
    /// Globs of the policy that matched nothing while others did.
    pub(crate) barren: Vec<String>,
}

/// The files and folders that the arguments name. A glob that matches nothing is an end, not a smaller gate.
pub(crate) fn named(args: &[PathBuf]) -> Result<Inputs, Stop> {
    let mut paths = Vec::new();
    for arg in args {
        // A file may have any name: what exists is no glob.
        let glob = arg.to_str().filter(|text| is_glob(text) && !arg.exists());
        match glob {
            None => paths.push(relative(arg)),
            Some(glob) => {
                let found = expand(glob)?;
                if found.is_empty() {
                    return Err(Stop::NoCapture(format!("no file matches `{glob}`")));
                }
                paths.extend(found);
            }
        }
    }
    Ok(Inputs { paths: distinct(paths), barren: Vec::new() })
}

/// The files that the policy's globs match.
pub(crate) fn of_policy(policy: &Policy) -> Result<Inputs, Stop> {
    let Some(globs) = policy.captures() else {
        let text = "no capture is named: give files, folders or globs, or write \
                    `captures = [\"captures/**/*.{json.gz,xplane.pb}\"]` into the policy file (idleproof.toml)";
        return Err(Stop::Usage(text.to_owned()));
    };
    let mut inputs = Inputs::default();
    for glob in globs.value.texts() {
        let found = expand(glob)?;
        if found.is_empty() {
            inputs.barren.push(glob.clone());
        }
        inputs.paths.extend(found);
    }
    if inputs.paths.is_empty() {
        let text = format!("no file matches the `captures` of {}", globs.origin);
        return Err(Stop::NoCapture(text));
    }
    inputs.paths = distinct(inputs.paths);
    Ok(inputs)
}

/// The policy's globs, each with what it belongs to and the number of files that it matches.
pub(crate) fn matched(policy: &Policy) -> Result<Vec<(&'static str, String, usize)>, Stop> {
    let captures = policy.captures().map_or(&[][..], |globs| globs.value.texts());
    let captures = captures.iter().map(|glob| ("captures", glob.clone()));
    let all = captures.chain(policy.path_globs());
    all.map(|(what, glob)| Ok((what, glob.clone(), expand(&glob)?.len()))).collect()
}

fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// A path below the present folder as seen from there: policies know captures by such paths.
fn relative(path: &Path) -> PathBuf {
    let below = std::env::current_dir()
        .ok()
        .and_then(|here| path.strip_prefix(here).map(Path::to_path_buf).ok());
    let path = below.unwrap_or_else(|| path.to_path_buf());
    let path = path.strip_prefix(".").unwrap_or(&path);
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path.to_path_buf() }
}

/// Each path once, where it stands first.
fn distinct(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    paths.into_iter().filter(|path| seen.insert(path.clone())).collect()
}

/// The files that a glob matches, in order of their paths.
pub(super) fn expand(glob: &str) -> Result<Vec<PathBuf>, Stop> {
    let (folder, pattern) = split(glob);
    let globs = PathGlobs::new([pattern])
        .map_err(|(_, fault)| Stop::Usage(format!("`{glob}` is not a valid glob: {fault}")))?;
    let mut walk = Walk { globs: &globs, found: Vec::new(), n_entries: 0 };
    let from = if folder.is_empty() { PathBuf::from(".") } else { PathBuf::from(folder) };
    walk.folder(&from, "", 0)
        .map_err(|fault| Stop::Usage(format!("`{glob}` matches too much: {fault}")))?;
    let mut paths: Vec<PathBuf> =
        walk.found.iter().map(|path| relative(&Path::new(folder).join(path))).collect();
    paths.sort();
    Ok(paths)
}

/// The folders in front that need no matching, and the rest.
fn split(glob: &str) -> (&str, &str) {
    let wild = glob.find(['*', '?', '[', '{', '\\']).unwrap_or(glob.len());
    match glob[..wild].rfind('/') {
        // The root keeps its slash.
        Some(0) => ("/", &glob[1..]),
        Some(slash) => (&glob[..slash], &glob[slash + 1..]),
        None => ("", glob),
    }
}

struct Walk<'a> {
    globs: &'a PathGlobs,
    /// Paths from where the walk began, with `/`.
    found: Vec<String>,
    n_entries: usize,
}

impl Walk<'_> {
    /// Walks a folder. What can't be listed holds nothing for this user; links to folders are not followed.
    fn folder(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} folders inside one another"));
        }
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            self.n_entries += 1;
            if self.n_entries > MAX_ENTRIES {
                return Err(format!("more than {MAX_ENTRIES} files and folders"));
            }
            // Globs are text; a name that is none can only be given itself.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = format!("{prefix}{name}");
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                if name != ".git" {
                    self.folder(&entry.path(), &format!("{path}/"), depth + 1)?;
                }
            } else if self.globs.matches(&path) && entry.path().is_file() {
                self.found.push(path);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{distinct, relative, split};
    use std::path::{Path, PathBuf};

    #[test]
    fn globs_split_behind_the_last_plain_folder() {
        for (glob, expected) in [
            ("*.json", ("", "*.json")),
            ("captures/**/*.json", ("captures", "**/*.json")),
            ("captures/a*/b.json", ("captures", "a*/b.json")),
            ("../captures/*.json", ("../captures", "*.json")),
            ("/data/*.json", ("/data", "*.json")),
            ("/*.json", ("/", "*.json")),
            ("{a,b}/c.json", ("", "{a,b}/c.json")),
        ] {
            assert_eq!(split(glob), expected, "{glob}");
        }
    }

    #[test]
    fn paths_below_the_present_folder_are_relative() {
        let here = std::env::current_dir().unwrap();
        for (path, expected) in [
            (here.join("captures/a.json"), "captures/a.json"),
            (here.clone(), "."),
            (PathBuf::from("./captures"), "captures"),
            (PathBuf::from("."), "."),
            (PathBuf::from("../x"), "../x"),
        ] {
            assert_eq!(relative(&path), Path::new(expected), "{}", path.display());
        }
        let twice = vec![PathBuf::from("b"), PathBuf::from("a"), PathBuf::from("b")];
        assert_eq!(distinct(twice), [Path::new("b"), Path::new("a")]);
    }
}
