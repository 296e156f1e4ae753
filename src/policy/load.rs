//! From bytes to layers: decoding, the version, and what a file extends.

use super::Vocabulary;
use super::layer::{Layer, Source, validate};
use super::presets::{self, Preset};
use super::raw::{RawPolicy, RawVersion};
use crate::document::nearest;
use crate::document::{Document, MISTAKES_TOLD, Mistakes};
use std::ops::Range;
use toml::{Spanned, Value};

/// Files that one policy may consist of: far above what is of use, and an end to files that multiply.
const MAX_FILES: usize = 32;

/// Gives the bytes of a file that a policy extends, by its path; the error says why it can't.
pub type Loader<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;

/// Layers in the order in which they apply, with their texts.
pub(super) type Layers = Vec<(Layer, Document)>;

/// What loading needs, and what it has seen.
struct Loading<'a> {
    vocabulary: Vocabulary<'a>,
    loader: &'a Loader<'a>,
    /// The files that extend one another down to the present one.
    stack: Vec<String>,
    n_files: usize,
}

/// The layer of a preset.
pub(super) fn preset(
    preset: &Preset,
    vocabulary: Vocabulary<'_>,
) -> Result<(Layer, Document), Mistakes> {
    let document = Document::new(preset.name, preset.text);
    let source = Source::Preset(preset.name);
    let layer = layer(&document, source, vocabulary)?;
    Ok((layer, document))
}

/// The layers of a file, after those that it extends.
pub(super) fn file(
    path: &str,
    bytes: &[u8],
    vocabulary: Vocabulary<'_>,
    loader: &Loader<'_>,
) -> Result<Layers, Mistakes> {
    let mut loading = Loading { vocabulary, loader, stack: Vec::new(), n_files: 0 };
    let mut layers = Layers::new();
    loading.file(path, bytes, &mut layers)?;
    Ok(layers)
}

impl Loading<'_> {
    fn file(&mut self, path: &str, bytes: &[u8], into: &mut Layers) -> Result<(), Mistakes> {
        let document = Document::decode(path, bytes, "policy file")?;
        let layer = layer(&document, Source::File, self.vocabulary)?;
        self.n_files += 1;
        self.stack.push(path.to_owned());
        let mut errors = Vec::new();
        for entry in &layer.extends {
            if let Err(more) = self.extend(entry, &document, into) {
                errors.extend(more.into_vec());
                if errors.len() > MISTAKES_TOLD {
                    break;
                }
            }
        }
        self.stack.pop();
        if !errors.is_empty() {
            return Err(Mistakes::new(errors));
        }
        into.push((layer, document));
        Ok(())
    }

    fn extend(
        &mut self,
        entry: &Spanned<String>,
        document: &Document,
        into: &mut Layers,
    ) -> Result<(), Mistakes> {
        let name = entry.get_ref().as_str();
        let fail = |message: String, help: String| {
            Err(Mistakes::from(document.error(entry.span(), message).help(help)))
        };
        if self.n_files >= MAX_FILES {
            return fail(
                format!("this policy consists of more than {MAX_FILES} files"),
                "extend fewer files, or each of them once".to_owned(),
            );
        }
        if let Some(found) = presets::find(name) {
            self.n_files += 1;
            into.push(preset(found, self.vocabulary)?);
            return Ok(());
        }
        if !name.contains('/') && !name.ends_with(".toml") {
            return fail(format!("unknown preset `{name}`"), preset_help(name));
        }
        let Some(path) = beside(&document.path, name) else {
            return fail(
                format!("`{name}` is not a relative path"),
                "name a file relative to this one, with `/`".to_owned(),
            );
        };
        if self.stack.contains(&path) {
            let chain = [self.stack.join(" → "), path].join(" → ");
            return fail("a policy extends itself".to_owned(), format!("the circle is {chain}"));
        }
        match (self.loader)(&path) {
            Ok(bytes) => self.file(&path, &bytes, into),
            Err(reason) => fail(
                format!("can't read `{path}`: {reason}"),
                "`extends` names presets and files relative to this one".to_owned(),
            ),
        }
    }
}

/// What a preset's name should have been.
pub(super) fn preset_help(wrong: &str) -> String {
    match nearest(wrong, presets::names()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            let names: Vec<&str> = presets::names().collect();
            format!("the presets are {}; a file ends in .toml", names.join(", "))
        }
    }
}

/// Parses and validates one document.
fn layer(
    document: &Document,
    source: Source,
    vocabulary: Vocabulary<'_>,
) -> Result<Layer, Mistakes> {
    let RawVersion { version } = document.toml(WORDS)?;
    check_version(document, version.as_ref())?;
    let raw: RawPolicy = document.toml(WORDS)?;
    validate(raw, document, source, vocabulary).map_err(Mistakes::new)
}

fn check_version(document: &Document, version: Option<&Spanned<Value>>) -> Result<(), Mistakes> {
    let error = match version {
        Some(version) if *version.get_ref() == Value::Integer(1) => return Ok(()),
        Some(version) => {
            let error = document.error(version.span(), "this version of policy files is not known");
            match version.get_ref() {
                Value::Integer(2..) => error.help("a newer policy file needs a newer idleproof"),
                _ => error.label("expected 1"),
            }
        }
        None => document
            .error(first_line(&document.text), "policy file without `version`")
            .help("write `version = 1` first"),
    };
    Err(error.into())
}

fn first_line(text: &str) -> Range<usize> {
    0..text.lines().next().unwrap_or_default().len()
}

/// What the parser calls the parts of a policy file, and what a reader sees.
const WORDS: &[(&str, &str)] = &[
    ("expected struct RawGolden", "expected a table such as { dir = \"goldens\" }"),
    ("expected struct RawTolerance", "expected a table such as { abs = 0.5 }"),
    ("expected struct RawOverride", "expected a table with `paths` and `checks`"),
    (
        "expected struct RawException",
        "expected a table with `check`, `paths`, `reason` and `expires`",
    ),
];

/// The path of `name` as seen from where `path` is seen from; `None` unless `name` is relative.
fn beside(path: &str, name: &str) -> Option<String> {
    if name.starts_with('/') || name.contains(['\\', ':']) {
        return None;
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let root = if path.starts_with('/') { "/" } else { "" };
    let mut components: Vec<&str> = folder.split('/').filter(|one| !one.is_empty()).collect();
    for component in name.split('/') {
        match component {
            "" | "." => {}
            ".." if components.last().is_some_and(|last| *last != "..") => {
                components.pop();
            }
            _ => components.push(component),
        }
    }
    Some(format!("{root}{}", components.join("/")))
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn extended_files_lie_beside_the_file() {
        for (path, name, expected) in [
            ("idleproof.toml", "team.toml", Some("team.toml")),
            ("idleproof.toml", "./ci/team.toml", Some("ci/team.toml")),
            ("ci/idleproof.toml", "../team.toml", Some("team.toml")),
            ("idleproof.toml", "../team.toml", Some("../team.toml")),
            ("../a.toml", "../team.toml", Some("../../team.toml")),
            ("/etc/a.toml", "b.toml", Some("/etc/b.toml")),
            ("a.toml", "/etc/b.toml", None),
            ("a.toml", "c:/b.toml", None),
        ] {
            assert_eq!(beside(path, name).as_deref(), expected, "{path} {name}");
        }
    }
}
