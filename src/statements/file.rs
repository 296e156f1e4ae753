//! Statements in a file that a user wrote: TOML, `[[claim]]`.

use super::{Quantity, Said, Statement, Subject};
use crate::document::nearest;
use crate::document::{Document, Mistake, Mistakes};
use crate::policy::PathGlobs;
use serde::Deserialize;
use toml::Spanned;

/// A whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    claim: Vec<Spanned<RawClaim>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawClaim {
    capture: Option<Spanned<String>>,
    quantity: Option<Spanned<String>>,
    value: Option<Spanned<f64>>,
    tolerance: Option<Spanned<f64>>,
    below: Option<Spanned<f64>>,
    above: Option<Spanned<f64>>,
    source: Option<String>,
}

const WORDS: &[(&str, &str)] = &[
    ("expected struct RawClaim", "expected a table with `quantity` and `value`"),
    ("expected struct RawFile", "expected `[[claim]]` tables"),
];

/// The statements of a file, or every mistake in it.
pub(super) fn statements(path: &str, bytes: &[u8]) -> Result<Vec<Statement>, Mistakes> {
    let document = Document::decode(path, bytes, "claims file")?;
    let raw: RawFile = document.toml(WORDS)?;
    if raw.claim.is_empty() {
        let mistake = document.error_somewhere("this claims file states nothing");
        let help = "write `[[claim]]` tables, each with `quantity` and `value`";
        return Err(mistake.help(help).into());
    }
    let (mut statements, mut mistakes) = (Vec::new(), Vec::new());
    for claim in raw.claim {
        match statement(&document, claim) {
            Ok(statement) => statements.push(statement),
            Err(mistake) => mistakes.push(*mistake),
        }
    }
    if mistakes.is_empty() { Ok(statements) } else { Err(Mistakes::new(mistakes)) }
}

fn statement(document: &Document, raw: Spanned<RawClaim>) -> Result<Statement, Box<Mistake>> {
    let (span, head) = (raw.span(), "[[claim]]".len());
    let whole = span.start..(span.start + head).min(span.end);
    let RawClaim { capture, quantity, value, tolerance, below, above, source } = raw.into_inner();
    let Some(quantity) = quantity else {
        let mistake = document.error(whole, "claim without `quantity`");
        return Err(mistake.help(format!("one of {}", Quantity::names().join(", "))).into());
    };
    let Some(known) = Quantity::parse(quantity.get_ref()) else {
        let mistake = document.error(
            quantity.span(),
            format!("`{}` is no quantity that can be verified", quantity.get_ref()),
        );
        let names = Quantity::names();
        let help = match nearest(quantity.get_ref(), names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("one of {}", names.join(", ")),
        };
        return Err(mistake.help(help).into());
    };
    for number in [&value, &tolerance, &below, &above].into_iter().flatten() {
        if !number.get_ref().is_finite() {
            return Err(document.error(number.span(), "not a finite number").into());
        }
    }
    if let Some(negative) = tolerance.as_ref().filter(|one| *one.get_ref() < 0.0) {
        return Err(document.error(negative.span(), "a tolerance is not negative").into());
    }
    let said = match (value, below, above) {
        (Some(value), None, None) => {
            let value = value.into_inner();
            let tolerance = tolerance.map(Spanned::into_inner);
            Said::Value(value, tolerance.unwrap_or_else(|| known.tolerance(value)))
        }
        (None, Some(limit), None) if tolerance.is_none() => Said::Below(limit.into_inner()),
        (None, None, Some(limit)) if tolerance.is_none() => Said::Above(limit.into_inner()),
        (None, None, None) => {
            let mistake = document.error(whole, "this claim states no number");
            return Err(mistake.help("write `value`, `below` or `above`").into());
        }
        (_, below, above) => {
            let at = below.or(above).map_or(whole, |one| one.span());
            let mistake = document.error(at, "this claim states more than one thing");
            return Err(mistake
                .help("write `value`, with a `tolerance` if need be, or `below`, or `above`")
                .into());
        }
    };
    let subject = match capture {
        None => Subject::All,
        Some(glob) => {
            let globs = PathGlobs::new([glob.get_ref().as_str()]);
            Subject::Globs(globs.map_err(|(_, fault)| document.error(glob.span(), fault))?)
        }
    };
    let place = || format!("{}:{}", document.path, document.line(quantity.span().start));
    Ok(Statement { subject, quantity: known, said, source: source.unwrap_or_else(place) })
}
