//! A policy file as it is written: shapes and spans, nothing checked but the keys.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;
use toml::{Spanned, Value};

/// Only the version, whatever else the file holds: another version may have other keys.
#[derive(Debug, Deserialize)]
pub(super) struct RawVersion {
    pub(super) version: Option<Spanned<Value>>,
}

/// A whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPolicy {
    #[expect(dead_code, reason = "checked before by `RawVersion`; here so that the key is known")]
    version: Value,
    pub(super) extends: Option<Vec<Spanned<String>>>,
    pub(super) captures: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    pub(super) checks: RawChecks,
    pub(super) golden: Option<RawGolden>,
    #[serde(default)]
    pub(super) overrides: Vec<Spanned<RawOverride>>,
    #[serde(default)]
    pub(super) exceptions: Vec<Spanned<RawException>>,
}

/// Rows of `[checks]`.
pub(super) type RawChecks = BTreeMap<Spanned<String>, Spanned<RawRule>>;

/// `id = "level"` or `id = { level = …, max = … }`.
#[derive(Debug)]
pub(super) enum RawRule {
    Level(String),
    Table(RawRuleTable),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRuleTable {
    pub(super) level: Option<Spanned<String>>,
    pub(super) min: Option<Spanned<f64>>,
    pub(super) max: Option<Spanned<f64>>,
    pub(super) missing: Option<Spanned<String>>,
}

/// `[golden]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawGolden {
    pub(super) dir: Option<Spanned<String>>,
    pub(super) outputs: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    pub(super) tolerances: BTreeMap<Spanned<String>, Spanned<RawTolerance>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTolerance {
    pub(super) abs: Option<Spanned<f64>>,
    pub(super) rel: Option<Spanned<f64>>,
}

/// One of `[[overrides]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawOverride {
    pub(super) paths: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    pub(super) checks: RawChecks,
}

/// One of `[[exceptions]]`. Everything is needed; what is missing is told by the validation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawException {
    pub(super) check: Option<Spanned<String>>,
    pub(super) paths: Option<Vec<Spanned<String>>>,
    pub(super) reason: Option<Spanned<String>>,
    pub(super) expires: Option<Spanned<Value>>,
}

impl<'de> Deserialize<'de> for RawRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RuleVisitor)
    }
}

struct RuleVisitor;

impl<'de> Visitor<'de> for RuleVisitor {
    type Value = RawRule;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a level (`allow`, `warn`, `deny`) or a table such as { level = \"deny\" }")
    }

    fn visit_str<E: Error>(self, level: &str) -> Result<RawRule, E> {
        Ok(RawRule::Level(level.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawRule, A::Error> {
        RawRuleTable::deserialize(MapAccessDeserializer::new(map)).map(RawRule::Table)
    }
}
