//! Figures in which an output may lie apart from its golden, by field of the report's JSON.
//!
//! A golden keeps them under `info`. Where this run's figure is near enough, the golden's takes its place and the output is
//! rendered again: the text then shows no difference that the policy allows, and every other one.

use super::GoldenError;
use crate::report::{CaptureReport, Tolerance};
use serde_json::{Number, Value};

/// Begins the names of figures among what a golden says of itself.
const MARK: &str = "figure ";

/// Figures of one golden: more would be a table, and a golden is a page.
const FIGURES_MAX: usize = 1_000;

/// How an output is compared with a golden that may lie apart in figures.
#[derive(Clone, Copy, Debug)]
pub struct Within<'a> {
    /// The capture that the output is of.
    pub capture: &'a CaptureReport,
    /// How far its figures may lie apart.
    pub tolerances: &'a [Tolerance],
    /// Renders the output.
    pub render: fn(&CaptureReport) -> String,
}

/// An output with the golden's figures where they are near enough.
#[derive(Debug)]
pub(super) struct Settled {
    /// Its text.
    pub(super) body: String,
    /// Figures that lie too far apart, each in a line.
    pub(super) beyond: Vec<String>,
    /// Figures that the golden does not hold: it was accepted before its tolerances were set, or had nothing to say there.
    pub(super) n_unheld: usize,
}

impl Within<'_> {
    /// The figures that tolerances are for, as a golden keeps them.
    pub fn figures(&self) -> Result<Vec<(String, String)>, GoldenError> {
        let mut figures = Vec::new();
        if self.tolerances.is_empty() {
            return Ok(figures);
        }
        if let Ok(mut json) = serde_json::to_value(self.capture) {
            visit(&mut json, &mut Vec::new(), "", &mut |path, at, value| {
                if self.tolerance(path).is_some() {
                    figures.extend(text(value).map(|text| (key(path, at), text)));
                }
            });
        }
        match figures.len() {
            0..=FIGURES_MAX => Ok(figures),
            n_figures => Err(GoldenError::TooManyFigures { n_figures, most: FIGURES_MAX }),
        }
    }

    /// The tolerances that are for nothing in this capture's report.
    pub fn idle_tolerances(&self) -> Vec<&str> {
        let mut met = vec![false; self.tolerances.len()];
        if let Ok(mut json) = serde_json::to_value(self.capture) {
            visit(&mut json, &mut Vec::new(), "", &mut |path, _, _| {
                for (met, tolerance) in met.iter_mut().zip(self.tolerances) {
                    *met |= tolerance.is_for(path);
                }
            });
        }
        let idle = self.tolerances.iter().zip(met).filter(|(_, met)| !met);
        idle.map(|(tolerance, _)| tolerance.field.as_str()).collect()
    }

    /// The output with the figures of a golden, as far as they are near enough.
    pub(super) fn settle(&self, info: &[(String, String)], body: &str) -> Settled {
        let mut settled = Settled { body: body.to_owned(), beyond: Vec::new(), n_unheld: 0 };
        let Ok(mut json) = serde_json::to_value(self.capture) else { return settled };
        visit(&mut json, &mut Vec::new(), "", &mut |path, at, value| {
            let Some((tolerance, now)) = self.tolerance(path).zip(text(value)) else { return };
            let key = key(path, at);
            let Some((_, held)) = info.iter().find(|(name, _)| *name == key) else {
                settled.n_unheld += 1;
                return;
            };
            match near(value, held, tolerance) {
                Some(golden) => *value = golden,
                None => settled.beyond.push(format!(
                    "{}: golden {held}, this run {now}, tolerance {}",
                    &key[MARK.len()..],
                    tolerance.words()
                )),
            }
        });
        // A report that does not read back is compared as it is, which is stricter.
        if let Ok(report) = serde_json::from_value::<CaptureReport>(json) {
            let tables = self.capture.tables.clone();
            settled.body = (self.render)(&CaptureReport { tables, ..report });
        }
        settled
    }

    /// The tolerance of a field; of several the first.
    fn tolerance(&self, path: &[String]) -> Option<&Tolerance> {
        self.tolerances.iter().find(|tolerance| tolerance.is_for(path))
    }
}

/// Calls `each` with every number and text: its path by names, its place in a list of bare values, and itself.
fn visit(
    value: &mut Value,
    path: &mut Vec<String>,
    at: &str,
    each: &mut impl FnMut(&[String], &str, &mut Value),
) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                path.push(name.clone());
                visit(value, path, "", each);
                path.pop();
            }
        }
        Value::Array(entries) => {
            for (index, entry) in entries.iter_mut().enumerate() {
                if entry.is_object() {
                    path.push(name_of(entry).unwrap_or_else(|| index.to_string()));
                    visit(entry, path, "", each);
                    path.pop();
                } else {
                    visit(entry, path, &format!("{at}.{index}"), each);
                }
            }
        }
        Value::Number(_) | Value::String(_) => each(path, at, value),
        Value::Null | Value::Bool(_) => {}
    }
}

/// What an entry of a list is known by.
fn name_of(entry: &Value) -> Option<String> {
    let known = ["id", "name", "check"].iter().find_map(|key| entry.get(key)?.as_str());
    known.map(str::to_owned)
}

fn key(path: &[String], at: &str) -> String {
    format!("{MARK}{}{at}", path.join("."))
}

/// A figure as a golden keeps it: a number, or a text that holds some.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if text.split(' ').any(|word| figure(word).is_some()) => {
            (!text.contains(['\n', '\r'])).then(|| text.clone())
        }
        _ => None,
    }
}

/// The golden's figure where this run's is near enough.
fn near(value: &Value, held: &str, tolerance: &Tolerance) -> Option<Value> {
    match value {
        Value::Number(number) => {
            let golden: Number = serde_json::from_str(held).ok()?;
            let allowed = tolerance.allows(golden.as_f64()?, number.as_f64()?);
            allowed.then_some(Value::Number(golden))
        }
        Value::String(text) => {
            let (old, new): (Vec<&str>, Vec<&str>) =
                (held.split(' ').collect(), text.split(' ').collect());
            let alike = |(old, new): (&&str, &&str)| {
                let near = figure(old).zip(figure(new)).is_some_and(|(old, new)| {
                    (old.before, old.behind) == (new.before, new.behind)
                        && tolerance.allows(old.number, new.number)
                });
                old == new || near
            };
            let allowed = old.len() == new.len() && old.iter().zip(&new).all(alike);
            allowed.then(|| Value::String(held.to_owned()))
        }
        _ => None,
    }
}

/// A word that is a number, with the punctuation around it.
struct Figure<'a> {
    before: &'a str,
    number: f64,
    behind: &'a str,
}

/// The number of a word such as `(4.84` or `5,888,`. Part of a name, as in `gpu:0`, is none.
fn figure(word: &str) -> Option<Figure<'_>> {
    let start = word.find(|one: char| one.is_ascii_digit())?;
    let end = word.rfind(|one: char| one.is_ascii_digit())? + 1;
    let (before, digits, behind) = (&word[..start], &word[start..end], &word[end..]);
    let is_around =
        |text: &str| !text.chars().any(|one| one.is_alphanumeric() || ":_-/".contains(one));
    let is_number = digits.bytes().all(|one| one.is_ascii_digit() || b".,".contains(&one));
    if !is_number || !(is_around(before) && (is_around(behind) || behind == ":")) {
        return None;
    }
    let number = digits.replace(',', "").parse().ok()?;
    Some(Figure { before, number, behind })
}

#[cfg(test)]
mod tests {
    use super::{figure, near};
    use crate::report::Tolerance;
    use serde_json::{Value, json};

    #[test]
    fn numbers_are_words_of_their_own() {
        for (word, expected) in [
            ("4.84", Some(4.84)),
            ("(1.5", Some(1.5)),
            ("5,888,", Some(5888.0)),
            ("12:", Some(12.0)),
            ("99.2%", Some(99.2)),
            ("gpu:0", None),
            ("rank_0", None),
            ("3x", None),
            ("1.2.3", None),
            ("s", None),
            ("", None),
        ] {
            assert_eq!(figure(word).map(|found| found.number), expected, "{word}");
        }
    }

    #[test]
    fn what_is_near_gives_the_accepted_figure() {
        let tolerance = Tolerance { field: String::new(), abs: None, rel: Some(0.05) };
        let text = |text: &str| Value::String(text.to_owned());
        for (now, held, expected) in [
            (json!(104), "100", Some(json!(100))),
            (json!(106), "100", None),
            (json!(4.3), "4.2", Some(json!(4.2))),
            (json!(4.3), "\"4.2\"", None),
            (
                text("idle for 4.9 s of gpu:0"),
                "idle for 4.8 s of gpu:0",
                Some(text("idle for 4.8 s of gpu:0")),
            ),
            (text("idle for 4.9 s of gpu:1"), "idle for 4.8 s of gpu:0", None),
            (text("idle for 4.9 ms of gpu:0"), "idle for 4.8 s of gpu:0", None),
            (text("idle for 5.9 s of gpu:0"), "idle for 4.8 s of gpu:0", None),
        ] {
            assert_eq!(near(&now, held, &tolerance), expected, "{now} {held}");
        }
    }
}
