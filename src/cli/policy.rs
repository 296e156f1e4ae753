//! Which policy applies, and the `policy` command.

use super::{PolicyArgs, Stop, files, inputs};
use idleproof::document::MAX_DOCUMENT_BYTES;
use idleproof::policy::{Policy, Vocabulary};
use idleproof::render::OUTPUTS;
use idleproof::report::Level;
use idleproof::text::terminal;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The policy file that is found without being named.
pub(crate) const FILE: &str = "idleproof.toml";

/// A policy and the file that it was read from.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) policy: Policy,
    pub(crate) file: Option<PathBuf>,
    /// Files that no output may take the place of: what was read for it, and what a run without flags would read.
    pub(crate) kept: Vec<PathBuf>,
}

/// The outputs that can be goldens.
fn golden_outputs() -> Vec<&'static str> {
    OUTPUTS.iter().filter(|output| output.golden.is_some()).map(|output| output.kind).collect()
}

/// The policy that the arguments ask for: a named file, a preset, the file that lies here, or the default.
pub(crate) fn load(args: &PolicyArgs) -> Result<Loaded, Stop> {
    let outputs = golden_outputs();
    let vocabulary = idleproof::vocabulary(&outputs);
    let file = match (&args.policy, &args.preset) {
        (Some(file), _) => Some(file.clone()),
        (None, Some(_)) => None,
        (None, None) => Some(PathBuf::from(FILE)).filter(|file| file.exists()),
    };
    let (policy, read) = match &file {
        Some(file) => read(file, vocabulary)?,
        None => {
            let preset = args.preset.as_deref().unwrap_or("default");
            (Policy::preset(preset, vocabulary)?, Vec::new())
        }
    };
    let kept = read.into_iter().chain(kept()).collect();
    Ok(Loaded { policy: with_flags(policy, args, vocabulary)?, file, kept })
}

/// The policy file that lies here, or would, and what it extends: the next run reads them, whatever this one was told. A file that
/// is not valid is kept as well.
pub(crate) fn kept() -> Vec<PathBuf> {
    let outputs = golden_outputs();
    let read = RefCell::new(vec![PathBuf::from(FILE)]);
    if let Ok(bytes) = bytes_of(Path::new(FILE)) {
        let loader = |path: &str| {
            read.borrow_mut().push(PathBuf::from(path));
            bytes_of(Path::new(path))
        };
        // Only what it names counts here.
        let _ = Policy::parse(FILE, &bytes, idleproof::vocabulary(&outputs), &loader);
    }
    read.into_inner()
}

/// Prints the effective policy.
pub(crate) fn show(args: &PolicyArgs) -> Result<String, Stop> {
    Ok(load(args)?.policy.show())
}

/// The JSON schema of policy files.
pub(crate) fn schema() -> Result<String, Stop> {
    let schema = idleproof::vocabulary(&golden_outputs()).schema();
    let text = serde_json::to_string_pretty(&schema);
    text.map(|text| text + "\n").map_err(|error| Stop::Failed(error.to_string()))
}

/// Validates a file; the text says what it changes, and which files it is for now.
pub(crate) fn validate(file: &Path) -> Result<String, Stop> {
    let outputs = golden_outputs();
    let vocabulary = idleproof::vocabulary(&outputs);
    let (policy, _) = read(file, vocabulary)?;
    let ground = Policy::preset("default", vocabulary)?;
    let changed: Vec<&str> = vocabulary.ids().filter(|id| differ(id, &policy, &ground)).collect();
    let checks = counted(changed.len(), "check");
    let names =
        if changed.is_empty() { String::new() } else { format!(": {}", changed.join(", ")) };
    let mut text = format!(
        "{} is valid: for captures without an override it sets {checks} otherwise than the default policy{names}\n",
        terminal(&file.to_string_lossy())
    );
    for (what, glob, n_files) in inputs::matched(&policy)? {
        // A folder is no file, and matches none.
        let hint = match n_files {
            0 if Path::new(&glob).is_dir() => {
                format!(": for what lies in it write `{}/**`", terminal(&glob))
            }
            _ => String::new(),
        };
        text.push_str(&format!(
            "{what} `{}`: {} now{hint}\n",
            terminal(&glob),
            counted(n_files, "file")
        ));
    }
    if policy.captures().is_none() {
        text.push_str("no `captures`: `idleproof check` needs paths\n");
    }
    Ok(text)
}

/// True where two policies take a check differently, whatever the origin of their values.
fn differ(id: &str, a: &Policy, b: &Policy) -> bool {
    let values = |policy: &Policy| {
        let rule = policy.rule(id, &[]);
        let rule = rule.map(|rule| (rule.level.value, rule.limit.value, rule.missing.value));
        (rule, policy.golden_level(id, &[]).map(|level| level.value))
    };
    values(a) != values(b)
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Parses the text of a policy file that is about to be written.
pub(crate) fn validated(file: &Path, bytes: &[u8]) -> Result<Policy, Stop> {
    Ok(parse(file, bytes, idleproof::vocabulary(&golden_outputs()))?.0)
}

/// A policy, and the files that were read for it.
fn read(file: &Path, vocabulary: Vocabulary<'_>) -> Result<(Policy, Vec<PathBuf>), Stop> {
    let shown = file.to_string_lossy().replace('\\', "/");
    let bytes = bytes_of(file)
        .map_err(|reason| Stop::Usage(format!("can't read the policy file `{shown}`: {reason}")))?;
    parse(file, &bytes, vocabulary)
}

fn parse(
    file: &Path,
    bytes: &[u8],
    vocabulary: Vocabulary<'_>,
) -> Result<(Policy, Vec<PathBuf>), Stop> {
    let shown = file.to_string_lossy().replace('\\', "/");
    let read = RefCell::new(vec![file.to_owned()]);
    let loader = |path: &str| {
        read.borrow_mut().push(PathBuf::from(path));
        bytes_of(Path::new(path))
    };
    let policy = Policy::parse(&shown, bytes, vocabulary, &loader)?;
    Ok((policy, read.into_inner()))
}

/// A file's bytes, and no more than tell that it is too large.
fn bytes_of(file: &Path) -> Result<Vec<u8>, String> {
    files::beginning(file, MAX_DOCUMENT_BYTES + 1)
}

/// Applies `-A`, `-W` and `-D`. One check by two levels is a contradiction, not a matter of order.
fn with_flags(
    mut policy: Policy,
    args: &PolicyArgs,
    vocabulary: Vocabulary<'_>,
) -> Result<Policy, Stop> {
    let flags = [
        (&args.allow, Level::Allow, "--allow"),
        (&args.warn, Level::Warn, "--warn"),
        (&args.deny, Level::Deny, "--deny"),
    ];
    let mut named: BTreeMap<&str, &str> = BTreeMap::new();
    for (ids, level, flag) in flags {
        for id in ids {
            match named.insert(id, flag) {
                Some(earlier) if earlier != flag => {
                    let text = format!("`{id}` is named by {earlier} and by {flag}: which is it?");
                    return Err(Stop::Usage(text));
                }
                Some(_) => {}
                None => policy = policy.with_level(id, level, flag, vocabulary)?,
            }
        }
    }
    Ok(policy)
}
