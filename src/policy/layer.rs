//! One policy file, validated: what it changes, and nothing of the files that it extends.

use super::raw::{
    RawChecks, RawException, RawGolden, RawOverride, RawPolicy, RawRule, RawTolerance,
};
use super::{Exception, GOLDEN_GATES, Golden, Origin, PathGlobs, Sourced, Vocabulary};
use crate::document::{Document, Mistake};
use crate::report::{Bound, Level, Tolerance, Unit};
use jiff::civil::Date;
use std::ops::Range;
use toml::{Spanned, Value};

/// What a file says.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) extends: Vec<Spanned<String>>,
    pub(super) captures: Option<Sourced<PathGlobs>>,
    pub(super) golden: Option<Golden>,
    pub(super) changes: Vec<Change>,
    pub(super) overrides: Vec<Override>,
    pub(super) exceptions: Vec<Exception>,
}

/// What a row changes about a check.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) id: &'static str,
    pub(super) level: Option<Sourced<Level>>,
    pub(super) limit: Option<Sourced<f64>>,
    pub(super) missing: Option<Sourced<Level>>,
}

/// Changes for some captures.
#[derive(Clone, Debug)]
pub(super) struct Override {
    pub(super) paths: PathGlobs,
    pub(super) changes: Vec<Change>,
    /// Where it stands.
    pub(super) origin: Origin,
}

/// An id that policies may name.
#[derive(Clone, Copy, Debug)]
struct Known {
    id: &'static str,
    /// Absent for gates that measure nothing.
    limit: Option<(Bound, Unit)>,
}

/// How the ids of a document that are not known are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The user's file: a mistake.
    File,
    /// A preset: it may be ahead of the table that it is read with; a test keeps the two in step.
    Preset(&'static str),
}

/// Reading of one document: what everything below needs, and the mistakes so far.
struct Reading<'a> {
    document: &'a Document,
    source: Source,
    vocabulary: Vocabulary<'a>,
    errors: Vec<Mistake>,
}

/// Entries of one file that are for some captures, and globs of one list. Their work grows with the number of captures, and a person
/// reads the file.
const ENTRIES_MAX: usize = 1_000;

/// Validates a file whose shape is right.
pub(super) fn validate(
    raw: RawPolicy,
    document: &Document,
    source: Source,
    vocabulary: Vocabulary<'_>,
) -> Result<Layer, Vec<Mistake>> {
    let mut reading = Reading { document, source, vocabulary, errors: Vec::new() };
    reading.not_too_many("[[overrides]]", &raw.overrides);
    reading.not_too_many("[[exceptions]]", &raw.exceptions);
    if !reading.errors.is_empty() {
        return Err(reading.errors);
    }
    let layer = Layer {
        extends: raw.extends.unwrap_or_default(),
        captures: raw.captures.and_then(|globs| reading.captures(&globs)),
        golden: raw.golden.map(|golden| reading.golden(golden)),
        changes: reading.changes(&raw.checks),
        overrides: raw.overrides.iter().filter_map(|one| reading.overriding(one)).collect(),
        exceptions: raw.exceptions.iter().filter_map(|one| reading.exception(one)).collect(),
    };
    if reading.errors.is_empty() { Ok(layer) } else { Err(reading.errors) }
}

impl Reading<'_> {
    fn fail(&mut self, error: Mistake) {
        self.errors.push(error);
    }

    /// Refuses more entries of a kind than a person can look after.
    fn not_too_many<T>(&mut self, what: &str, entries: &[Spanned<T>]) {
        if let Some(entry) = entries.get(ENTRIES_MAX) {
            let header = self.header(entry.span());
            let error = self.document.error(header, format!("more than {ENTRIES_MAX} {what}"));
            self.fail(error.help("let one with several globs in its `paths` do what many do"));
        }
    }

    fn sourced<T>(&self, value: T, span: &Range<usize>) -> Sourced<T> {
        Sourced { value, origin: self.origin(span) }
    }

    fn origin(&self, span: &Range<usize>) -> Origin {
        match self.source {
            Source::Preset(name) => Origin::Preset(name),
            Source::File => Origin::File {
                path: self.document.path.clone(),
                line: self.document.line(span.start),
            },
        }
    }

    fn known(&mut self, id: &Spanned<String>) -> Option<Known> {
        let check = self.vocabulary.checks.iter().find(|check| check.id == id.get_ref());
        if let Some(check) = check {
            return Some(Known { id: check.id, limit: Some((check.bound, check.unit)) });
        }
        let gate = GOLDEN_GATES.iter().find(|gate| gate.id == id.get_ref());
        if let Some(gate) = gate {
            return Some(Known { id: gate.id, limit: None });
        }
        if self.source == Source::File {
            let error = self.document.error(id.span(), format!("unknown check `{}`", id.get_ref()));
            self.fail(error.help(self.vocabulary.help_for(id.get_ref())));
        }
        None
    }

    fn changes(&mut self, checks: &RawChecks) -> Vec<Change> {
        checks.iter().filter_map(|(id, rule)| self.change(id, rule)).collect()
    }

    fn change(&mut self, id: &Spanned<String>, rule: &Spanned<RawRule>) -> Option<Change> {
        let known = self.known(id)?;
        let mut change = Change { id: known.id, level: None, limit: None, missing: None };
        let table = match rule.get_ref() {
            RawRule::Level(text) => {
                change.level = self.level(text, rule.span());
                return Some(change);
            }
            RawRule::Table(table) => table,
        };
        change.level =
            table.level.as_ref().and_then(|level| self.level(level.get_ref(), level.span()));
        for (bound, limit) in [(Bound::Min, &table.min), (Bound::Max, &table.max)] {
            if let Some(limit) = limit {
                change.limit = self.limit(known, bound, limit);
            }
        }
        if let Some(missing) = &table.missing {
            change.missing = self.missing(known, missing);
        }
        let says_nothing = table.level.is_none()
            && table.min.is_none()
            && table.max.is_none()
            && table.missing.is_none();
        if says_nothing {
            let error =
                self.document.error(rule.span(), format!("`{}` is left as it is", known.id));
            self.fail(error.help("name `level`, a limit or `missing`, or remove the row"));
        }
        Some(change)
    }

    fn level(&mut self, text: &str, span: Range<usize>) -> Option<Sourced<Level>> {
        let level = match text {
            "allow" => Level::Allow,
            "warn" => Level::Warn,
            "deny" => Level::Deny,
            _ => {
                let error = self.document.error(span, format!("unknown level `{text}`"));
                self.fail(error.label("expected `allow`, `warn` or `deny`"));
                return None;
            }
        };
        Some(self.sourced(level, &span))
    }

    fn missing(&mut self, known: Known, missing: &Spanned<String>) -> Option<Sourced<Level>> {
        if known.limit.is_none() {
            let error = self
                .document
                .error(missing.span(), format!("`{}` has no evidence to miss", known.id));
            self.fail(error.help(format!("write {} = \"deny\", \"warn\" or \"allow\"", known.id)));
            return None;
        }
        self.level(missing.get_ref(), missing.span())
    }

    fn limit(&mut self, known: Known, bound: Bound, limit: &Spanned<f64>) -> Option<Sourced<f64>> {
        let key = bound.key();
        let fault = match known.limit {
            None => Err((format!("`{}` has no limit", known.id), "remove it".to_owned())),
            Some((expected, _)) if expected != bound => {
                let expected = expected.key();
                let label = format!("its limit is `{expected}`");
                Err((format!("`{}` has no `{key}`", known.id), label))
            }
            Some((_, unit)) => in_range(unit, *limit.get_ref())
                .map_err(|label| (format!("`{key}` of `{}` is out of range", known.id), label)),
        };
        match fault {
            Ok(()) => Some(self.sourced(*limit.get_ref(), &limit.span())),
            Err((message, label)) => {
                let error = self.document.error(limit.span(), message);
                self.fail(error.label(label));
                None
            }
        }
    }

    fn captures(&mut self, list: &Spanned<Vec<Spanned<String>>>) -> Option<Sourced<PathGlobs>> {
        let globs = list.get_ref();
        let Some(first) = globs.first().map(Spanned::span) else {
            let error = self.document.error(list.span(), "`captures` names nothing");
            self.fail(error.help(
                "give globs, such as [\"captures/**/*.{json.gz,xplane.pb}\"], or remove the key",
            ));
            return None;
        };
        let globs = self.globs(globs)?;
        Some(self.sourced(globs, &first))
    }

    fn globs(&mut self, globs: &[Spanned<String>]) -> Option<PathGlobs> {
        if let Some(one) = globs.get(ENTRIES_MAX) {
            let text = format!("more than {ENTRIES_MAX} globs in one list");
            let error = self.document.error(one.span(), text);
            self.fail(error.help("let one glob with `**` do what many do"));
            return None;
        }
        match PathGlobs::new(globs.iter().map(|glob| glob.get_ref().as_str())) {
            Ok(compiled) => Some(compiled),
            Err((index, fault)) => {
                let span = globs.get(index).map_or(0..0, Spanned::span);
                let error = self.document.error(span, "this glob is not valid");
                self.fail(error.label(fault));
                None
            }
        }
    }

    /// The globs of an entry that must have some.
    fn paths(
        &mut self,
        paths: Option<&[Spanned<String>]>,
        entry: &Range<usize>,
        what: &str,
    ) -> Option<PathGlobs> {
        match paths {
            Some(paths) if !paths.is_empty() => self.globs(paths),
            _ => {
                let error = self.document.error(entry.clone(), format!("{what} without `paths`"));
                self.fail(error.help(
                    "name the captures that it is for, such as paths = [\"captures/decode/**\"]",
                ));
                None
            }
        }
    }

    fn overriding(&mut self, entry: &Spanned<RawOverride>) -> Option<Override> {
        let header = self.header(entry.span());
        let raw = entry.get_ref();
        let paths = self.paths(raw.paths.as_deref(), &header, "override");
        if raw.checks.is_empty() {
            let error = self.document.error(header.clone(), "override without `checks`");
            self.fail(
                error.help("name what it changes, such as checks = { high-idle = \"allow\" }"),
            );
        }
        let changes = self.changes(&raw.checks);
        let origin = self.origin(&header);
        Some(Override { paths: paths?, changes, origin })
    }

    fn exception(&mut self, entry: &Spanned<RawException>) -> Option<Exception> {
        let header = self.header(entry.span());
        let raw = entry.get_ref();
        let check = self.excepted_check(raw.check.as_ref(), &header);
        let paths = self.paths(raw.paths.as_deref(), &header, "exception");
        let reason = self.reason(raw.reason.as_ref(), &header);
        let expires = self.expires(raw.expires.as_ref(), &header);
        let origin = self.origin(&header);
        Some(Exception { check: check?, paths: paths?, reason: reason?, expires: expires?, origin })
    }

    fn excepted_check(
        &mut self,
        check: Option<&Spanned<String>>,
        header: &Range<usize>,
    ) -> Option<&'static str> {
        let Some(check) = check else {
            let error = self.document.error(header.clone(), "exception without `check`");
            self.fail(error.help("name the check that it excepts; `idleproof checks` lists them"));
            return None;
        };
        let known = self.known(check)?;
        if known.limit.is_none() {
            let error =
                self.document.error(check.span(), format!("`{}` takes no exception", known.id));
            self.fail(error.help(
                "accept the new golden, or set the gate's level for these paths in [[overrides]]",
            ));
            return None;
        }
        Some(known.id)
    }

    fn reason(
        &mut self,
        reason: Option<&Spanned<String>>,
        header: &Range<usize>,
    ) -> Option<String> {
        let text = reason.map_or("", |reason| reason.get_ref().trim());
        if text.is_empty() {
            let span = reason.map_or_else(|| header.clone(), Spanned::span);
            let error = self.document.error(span, "exception without a `reason`");
            self.fail(
                error.help(
                    "say why the violation is acceptable for now, for those who meet it later",
                ),
            );
            return None;
        }
        Some(text.to_owned())
    }

    fn expires(&mut self, expires: Option<&Spanned<Value>>, header: &Range<usize>) -> Option<Date> {
        let Some(expires) = expires else {
            let error = self.document.error(header.clone(), "exception without `expires`");
            self.fail(
                error.help("name the last day on which it holds, such as expires = 2027-01-31"),
            );
            return None;
        };
        let date = date(expires.get_ref());
        if date.is_none() {
            let error = self.document.error(expires.span(), "`expires` is not a date");
            self.fail(
                error.label("expected a day such as 2027-01-31, without quotes and without a time"),
            );
        }
        date
    }

    fn golden(&mut self, raw: RawGolden) -> Golden {
        let standard = Golden::default();
        let dir = match raw.dir {
            Some(dir) if dir.get_ref().trim().is_empty() => {
                let error = self.document.error(dir.span(), "`dir` is empty");
                self.fail(error.help("name the folder of the goldens, such as dir = \"goldens\""));
                standard.dir
            }
            Some(dir) => dir.into_inner(),
            None => standard.dir,
        };
        let outputs = raw.outputs.map_or(standard.outputs, |outputs| self.outputs(outputs));
        let tolerances =
            raw.tolerances.iter().map(|(field, one)| self.tolerance(field, one)).collect();
        Golden { dir, outputs, tolerances }
    }

    fn outputs(&mut self, outputs: Spanned<Vec<Spanned<String>>>) -> Vec<String> {
        if outputs.get_ref().is_empty() {
            let error = self.document.error(outputs.span(), "`outputs` names nothing to compare");
            let kinds = self.vocabulary.outputs.join(", ");
            self.fail(error.help(format!("expected some of {kinds}, or no `[golden]` at all")));
        }
        let outputs = outputs.into_inner();
        for output in &outputs {
            if !self.vocabulary.outputs.contains(&output.get_ref().as_str()) {
                let message = format!("unknown output `{}`", output.get_ref());
                let error = self.document.error(output.span(), message);
                self.fail(
                    error.help(format!("expected one of {}", self.vocabulary.outputs.join(", "))),
                );
            }
        }
        outputs.into_iter().map(Spanned::into_inner).collect()
    }

    fn tolerance(&mut self, field: &Spanned<String>, raw: &Spanned<RawTolerance>) -> Tolerance {
        if field.get_ref().split('.').any(str::is_empty) {
            let error = self.document.error(field.span(), "this is no path of a field");
            self.fail(error.help(
                "name it by the end of its path in the report, such as \"idle.device_inactive_pct\"; `*` stands for one part",
            ));
        }
        let RawTolerance { abs, rel } = raw.get_ref();
        if abs.is_none() && rel.is_none() {
            let error = self.document.error(raw.span(), "a tolerance without a number");
            self.fail(error.help("give `abs`, `rel` or both"));
        }
        for number in [abs, rel].into_iter().flatten() {
            if !(number.get_ref().is_finite() && *number.get_ref() >= 0.0) {
                let error = self.document.error(number.span(), "this tolerance is out of range");
                self.fail(error.label("expected a finite number, 0 or above"));
            }
        }
        Tolerance {
            field: field.get_ref().clone(),
            abs: abs.as_ref().map(|number| *number.get_ref()),
            rel: rel.as_ref().map(|number| *number.get_ref()),
        }
    }

    /// The first line of an entry: a caret under all of it would hide what is said.
    fn header(&self, entry: Range<usize>) -> Range<usize> {
        let text = self.document.text.get(entry.clone()).unwrap_or_default();
        entry.start..entry.start + text.lines().next().unwrap_or_default().len()
    }
}

/// A limit that no measurement could reach, or every one does, is a slip of the pen.
fn in_range(unit: Unit, limit: f64) -> Result<(), String> {
    // Other limits are shares: half is 0.5 there, and 50 here.
    if unit == Unit::Percent && limit > 0.0 && limit < 1.0 {
        return Err(format!("{limit} means {limit} %: expected percent, such as 80"));
    }
    let (most, expected) = match unit {
        Unit::Share => (1.0, "expected a share from 0 to 1"),
        Unit::Percent => (100.0, "expected percent from 0 to 100"),
        Unit::Count => (f64::MAX, "expected a count, 0 or above"),
        Unit::Microseconds => (f64::MAX, "expected microseconds, 0 or above"),
    };
    if (0.0..=most).contains(&limit) { Ok(()) } else { Err(expected.to_owned()) }
}

fn date(value: &Value) -> Option<Date> {
    let Value::Datetime(stamp) = value else { return None };
    if stamp.time.is_some() || stamp.offset.is_some() {
        return None;
    }
    let date = stamp.date?;
    let (year, month, day) = (date.year, date.month, date.day);
    Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()
}
