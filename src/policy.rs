//! Policies: which check matters how much, and where its limit lies.
//!
//! A policy file passes through two types: as it is written (`raw`), and validated (`layer`). A policy is a pile
//! of layers: the default preset, what the file extends, the file, its overrides by path, the command line.
//! Later wins, and every value of the result knows where it comes from. No file is read in here.

mod exceptions;
mod gates;
mod globs;
mod layer;
mod load;
mod origin;
mod presets;
mod raw;
mod schema;
mod show;

pub use exceptions::{Coverage, Exceptable, Exception};
pub use gates::{GOLDEN_GATES, GoldenGate};
pub use globs::PathGlobs;
pub use load::Loader;
pub use origin::{Origin, Sourced};
pub use presets::{PRESETS, Preset};

use crate::checks::Check;
use crate::document::nearest;
use crate::document::{Mistake, Mistakes};
use crate::report::{Level, Limit, PolicyStamp, Tolerance};
use layer::{Change, Override};
use load::Layers;
use sha2::{Digest, Sha256};

/// What policies may name.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary<'a> {
    /// The checks, in the order of reports.
    pub checks: &'a [&'static Check],
    /// The outputs that may have goldens.
    pub outputs: &'a [&'a str],
}

/// A validated policy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The preset's name or the policy file's path.
    pub name: String,
    /// Digest of its text, and of all that it extends and the flags that change it.
    pub sha256: String,
    rows: Vec<Row>,
    overrides: Vec<Override>,
    flags: Vec<Change>,
    exceptions: Vec<Exception>,
    captures: Option<Sourced<PathGlobs>>,
    golden: Option<Golden>,
}

/// How a policy takes one check for one capture.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// How it takes a violation.
    pub level: Sourced<Level>,
    /// Its limit.
    pub limit: Sourced<Limit>,
    /// How it takes missing evidence.
    pub missing: Sourced<Level>,
}

/// The goldens of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Golden {
    /// The folder.
    pub dir: String,
    /// The outputs that are compared, by kind.
    pub outputs: Vec<String>,
    /// How far figures may lie apart.
    pub tolerances: Vec<Tolerance>,
}

/// The ground of a check or gate, before overrides.
#[derive(Clone, Debug)]
struct Row {
    id: &'static str,
    level: Sourced<Level>,
    /// Absent for gates.
    limit: Option<(Sourced<Limit>, Sourced<Level>)>,
}

impl Default for Golden {
    fn default() -> Self {
        Self {
            dir: "goldens".to_owned(),
            outputs: vec!["trust".to_owned()],
            tolerances: Vec::new(),
        }
    }
}

impl Vocabulary<'_> {
    /// Every id that policies may name.
    pub fn ids(&self) -> impl Iterator<Item = &'static str> {
        let checks = self.checks.iter().map(|check| check.id);
        checks.chain(GOLDEN_GATES.iter().map(|gate| gate.id))
    }

    /// What an unknown id should have been.
    pub fn help_for(&self, wrong: &str) -> String {
        match nearest(wrong, self.ids()) {
            Some(id) => format!("did you mean `{id}`?"),
            None => "`idleproof checks` lists them".to_owned(),
        }
    }
}

impl Rule {
    /// Where level and limit come from, in one text: `default`, or `level --warn, limit idleproof.toml:7`.
    pub fn origin(&self) -> String {
        if self.level.origin == self.limit.origin {
            return self.level.origin.to_string();
        }
        format!("level {}, limit {}", self.level.origin, self.limit.origin)
    }
}

impl Policy {
    /// A preset by its name.
    pub fn preset(name: &str, vocabulary: Vocabulary<'_>) -> Result<Self, Mistakes> {
        let preset = presets::find(name).ok_or_else(|| {
            Mistake::without_place(format!("unknown preset `{name}`")).help(load::preset_help(name))
        })?;
        Self::pile(name, vec![load::preset(preset, vocabulary)?], vocabulary)
    }

    /// A policy file, shown under `path`; `loader` gives the files that it extends.
    pub fn parse(
        path: &str,
        bytes: &[u8],
        vocabulary: Vocabulary<'_>,
        loader: &Loader<'_>,
    ) -> Result<Self, Mistakes> {
        let [ground, ..] = &PRESETS;
        let mut layers = vec![load::preset(ground, vocabulary)?];
        layers.extend(load::file(path, bytes, vocabulary, loader)?);
        Self::pile(path, layers, vocabulary)
    }

    /// Lays layers on one another; the first has a row for every id.
    fn pile(name: &str, layers: Layers, vocabulary: Vocabulary<'_>) -> Result<Self, Mistakes> {
        let mut digest = Sha256::new();
        for (_, document) in &layers {
            digest.update(document.text.as_bytes());
        }
        let changes = layers.iter().flat_map(|(layer, _)| &layer.changes);
        let rows: Result<Vec<Row>, Mistakes> =
            vocabulary.ids().map(|id| row(id, changes.clone(), vocabulary)).collect();
        let mut policy = Self {
            name: name.to_owned(),
            sha256: hex(&digest.finalize()),
            rows: rows?,
            overrides: Vec::new(),
            flags: Vec::new(),
            exceptions: Vec::new(),
            captures: None,
            golden: None,
        };
        for (layer, _) in layers {
            policy.overrides.extend(layer.overrides);
            policy.exceptions.extend(layer.exceptions);
            policy.captures = layer.captures.or(policy.captures);
            policy.golden = layer.golden.or(policy.golden);
        }
        Ok(policy)
    }

    /// The policy with another level for a check, for every capture; `flag` is the origin that is shown.
    pub fn with_level(
        mut self,
        id: &str,
        level: Level,
        flag: &'static str,
        vocabulary: Vocabulary<'_>,
    ) -> Result<Self, Mistakes> {
        let Some(id) = vocabulary.ids().find(|known| *known == id) else {
            let error = Mistake::without_place(format!("unknown check `{id}` in {flag}"));
            return Err(error.help(vocabulary.help_for(id)).into());
        };
        let mut digest = Sha256::new();
        digest.update(format!("{}\n{flag} {id}\n", self.sha256));
        self.sha256 = hex(&digest.finalize());
        let level = Some(Sourced { value: level, origin: Origin::Flag(flag) });
        self.flags.push(Change { id, level, limit: None, missing: None });
        Ok(self)
    }

    /// What a report says of the policy.
    pub fn stamp(&self) -> PolicyStamp {
        PolicyStamp { name: self.name.clone(), sha256: self.sha256.clone() }
    }

    /// How it takes a check on a capture with these files; `None` where the check is not known.
    pub fn rule(&self, check: &str, paths: &[&str]) -> Option<Rule> {
        let Row { level, limit, .. } = self.row(check, paths)?;
        let (limit, missing) = limit?;
        Some(Rule { level, limit, missing })
    }

    /// How it takes what a golden gate finds about a capture with these files; `None` where the id is no gate.
    pub fn golden_level(&self, gate: &str, paths: &[&str]) -> Option<Sourced<Level>> {
        self.row(gate, paths).filter(|row| row.limit.is_none()).map(|row| row.level)
    }

    /// The captures that it is for, where it names any.
    pub fn captures(&self) -> Option<&Sourced<PathGlobs>> {
        self.captures.as_ref()
    }

    /// The globs of its overrides and exceptions, in the order of the file, each with what it belongs to.
    pub fn path_globs(&self) -> impl Iterator<Item = (&'static str, String)> {
        let overrides = self.overrides.iter().map(|one| ("override", &one.paths));
        let exceptions = self.exceptions.iter().map(|one| ("exception", &one.paths));
        let each = |(what, globs): (&'static str, &'_ PathGlobs)| {
            globs.texts().to_vec().into_iter().map(move |text| (what, text))
        };
        overrides.chain(exceptions).flat_map(each)
    }

    /// Its goldens, where it has any.
    pub fn golden(&self) -> Option<&Golden> {
        self.golden.as_ref()
    }

    fn row(&self, id: &str, paths: &[&str]) -> Option<Row> {
        let mut row = self.rows.iter().find(|row| row.id == id)?.clone();
        let overrides = self.overrides.iter();
        let matching = overrides.filter(|one| paths.iter().any(|path| one.paths.matches(path)));
        for change in matching.flat_map(|one| &one.changes).chain(&self.flags) {
            row.apply(change);
        }
        Some(row)
    }
}

impl Row {
    fn apply(&mut self, change: &Change) {
        if change.id != self.id {
            return;
        }
        if let Some(level) = &change.level {
            self.level = level.clone();
        }
        let Some((limit, missing)) = &mut self.limit else { return };
        if let Some(Sourced { value, origin }) = &change.limit {
            limit.value.value = *value;
            limit.origin = origin.clone();
        }
        if let Some(changed) = &change.missing {
            *missing = changed.clone();
        }
    }
}

/// The row of an id: its first change is complete, the others change it.
fn row<'a>(
    id: &'static str,
    changes: impl Iterator<Item = &'a Change>,
    vocabulary: Vocabulary<'_>,
) -> Result<Row, Mistakes> {
    let mut changes = changes.filter(|change| change.id == id);
    let check = vocabulary.checks.iter().find(|check| check.id == id);
    let mut row = changes
        .next()
        .and_then(|first| complete(first, check.copied()))
        // Out of reach: a test holds the presets against the table of checks.
        .ok_or_else(|| {
            Mistake::without_place(format!("no preset has a complete row for `{id}`"))
        })?;
    for change in changes {
        row.apply(change);
    }
    Ok(row)
}

fn complete(change: &Change, check: Option<&Check>) -> Option<Row> {
    let level = change.level.clone()?;
    let limit = match check {
        None => None,
        Some(check) => {
            let Sourced { value, origin } = change.limit.clone()?;
            let limit = Limit { bound: check.bound, value, unit: check.unit };
            Some((Sourced { value: limit, origin }, change.missing.clone()?))
        }
    };
    Some(Row { id: change.id, level, limit })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
