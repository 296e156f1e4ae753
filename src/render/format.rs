//! Numbers for people: separators, a fitting unit, and rounding that is the same on every machine.
//!
//! Rounding is half to even and in integers. A part that is not all is never printed as 100 %, and one that is
//! not nothing never as 0 %.

use crate::report::{Bound, Limit, Microseconds, Percent, Share, Unit};
use crate::units::{grouped, human_time, point, rounded};
use serde_json::Value;

/// Significant digits of a time where the text must stay the same although the capture's clock jitters.
pub(super) const COARSE: u32 = 3;
/// Significant digits of a time in the full report.
pub(super) const FINE: u32 = 4;

/// What stands in the place of a figure that is not printed.
pub(super) const DASH: &str = "—";

/// A count with thousands separators: `12,345`.
pub(super) fn count(number: u64) -> String {
    grouped(&number.to_string())
}

/// A time in the unit that fits, to `digits` significant digits: `63.2 ms`.
pub(super) fn time(time: Microseconds, digits: u32) -> String {
    human_time(time.ps(), digits)
}

/// A part of a whole in percent, one decimal: `41.2 %`.
pub(super) fn percent(part: Percent) -> String {
    percent_text(scaled(part.get(), 4), 1)
}

/// A part of a whole in percent, one decimal.
pub(super) fn share(part: Share) -> String {
    percent_text(scaled(part.get(), 6), 1)
}

/// A range in percent; one figure where both ends print alike.
pub(super) fn percent_range((low, high): (Percent, Percent)) -> String {
    let (low, high) = (percent(low), percent(high));
    if low == high { low } else { format!("{} to {high}", low.trim_end_matches(" %")) }
}

/// A size with a binary unit, one decimal: `28.4 MiB`.
pub(super) fn bytes(size: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if size < 1024 {
        return format!("{size} B");
    }
    let mut unit_size = 1024_u128;
    for unit in UNITS {
        let tenths = rounded(u128::from(size) * 10, unit_size);
        if tenths < 10_240 || unit == "TiB" {
            return format!("{} {unit}", point(tenths, 1));
        }
        unit_size *= 1024;
    }
    format!("{size} B")
}

/// A measured number and the limit that it was held against, in as many decimals as tell them apart:
/// `("2.3 %", "at least 95 %")`.
pub(super) fn measured_against(measured: f64, limit: Limit) -> (String, String) {
    let (number, bound) = match limit.unit {
        Unit::Count => (decimal(measured), decimal(limit.value)),
        Unit::Microseconds => (time_of_float(measured, COARSE), time_of_float(limit.value, COARSE)),
        Unit::Share => percents_apart(scaled(measured, 6), scaled(limit.value, 6)),
        Unit::Percent => percents_apart(scaled(measured, 4), scaled(limit.value, 4)),
    };
    let side = match limit.bound {
        Bound::Min => "at least",
        Bound::Max => "at most",
    };
    (number, format!("{side} {bound}"))
}

/// One thing that a check saw, as a name and a value: `("graph launches", "128")`.
pub(super) fn evidence(key: &str, value: &Value) -> (String, String) {
    let (name, text) = match (key.rsplit_once('_'), value.as_f64()) {
        (Some((name, "us")), Some(number)) => (name, time_of_float(number, COARSE)),
        (Some((name, "pct")), Some(number)) => (name, percent_text(scaled(number, 4), 1)),
        (Some((name, "share")), Some(number)) => (name, percent_text(scaled(number, 6), 1)),
        _ => (key, plain(value)),
    };
    (name.replace('_', " "), text)
}

/// The start of a long text, with `…` where the rest was.
pub(super) fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max.saturating_sub(1)) {
        Some((cut, last)) if cut + last.len_utf8() < text.len() => format!("{}…", &text[..cut]),
        _ => text.to_owned(),
    }
}

/// A long name without its middle: kernels of one library often differ in their ends alone.
pub(super) fn name(text: &str, chars_max: usize) -> String {
    let chars = text.chars().count();
    if chars <= chars_max {
        return text.to_owned();
    }
    let tail = chars_max * 2 / 5;
    let head = chars_max.saturating_sub(tail + 1);
    let place = |nth: usize| text.char_indices().nth(nth).map_or(text.len(), |(at, _)| at);
    format!("{}…{}", &text[..place(head)], &text[place(chars - tail)..])
}

/// `1 check`, `2 checks`.
pub(super) fn counted(number: u64, singular: &str, plural: &str) -> String {
    let noun = if number == 1 { singular } else { plural };
    format!("{} {noun}", count(number))
}

fn plain(value: &Value) -> String {
    /// More of a list is in the JSON report.
    const ITEMS_MAX: usize = 5;
    match value {
        Value::Null => DASH.to_owned(),
        Value::String(text) => shortened(text, 120),
        Value::Number(number) => match number.as_u64() {
            Some(whole) => count(whole),
            None => number.as_f64().map_or_else(|| number.to_string(), decimal),
        },
        Value::Array(items) => {
            let mut texts: Vec<String> = items.iter().take(ITEMS_MAX).map(plain).collect();
            if items.len() > ITEMS_MAX {
                texts.push(format!("… {} in all", items.len()));
            }
            texts.join(", ")
        }
        Value::Bool(_) | Value::Object(_) => shortened(&value.to_string(), 120),
    }
}

/// A float that counts things: whole where it is whole, else up to three decimals.
fn decimal(number: f64) -> String {
    if !number.is_finite() {
        return DASH.to_owned();
    }
    let text = format!("{number:.3}");
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{}", grouped(whole)),
        fraction => format!("{sign}{}.{fraction}", grouped(whole)),
    }
}

/// Microseconds that a foreign value holds as a float.
pub(super) fn time_of_float(us: f64, digits: u32) -> String {
    scaled(us, 6).map_or_else(|| DASH.to_owned(), |ps| time(Microseconds::from_ps(ps), digits))
}

/// A finite float times a power of ten, as the nearest integer: the float's own decimal text decides.
fn scaled(number: f64, decimals: usize) -> Option<i128> {
    format!("{number:.decimals$}").replace('.', "").parse().ok()
}

/// Measured and limit, in ten-thousandths of a percent, with the fewest decimals that keep them apart.
fn percents_apart(measured: Option<i128>, limit: Option<i128>) -> (String, String) {
    let bound = match limit {
        Some(limit) => {
            let text = percent_text(Some(limit), 4);
            let digits = text.trim_end_matches(" %");
            let digits = digits.trim_end_matches('0').trim_end_matches('.');
            format!("{} %", if digits.is_empty() || digits == "-" { "0" } else { digits })
        }
        None => DASH.to_owned(),
    };
    let merged = |decimals: u32| {
        let (Some(measured), Some(limit)) = (measured, limit) else { return false };
        let step = 10_u128.pow(4 - decimals);
        measured != limit
            && rounded(measured.unsigned_abs(), step) * step == limit.unsigned_abs()
            && (measured < 0) == (limit < 0)
    };
    let decimals = (1..4).find(|decimals| !merged(*decimals)).unwrap_or(4);
    (percent_text(measured, decimals), bound)
}

/// Ten-thousandths of a percent as text.
fn percent_text(part: Option<i128>, decimals: u32) -> String {
    const ALL: u128 = 1_000_000;
    let Some(part) = part else { return DASH.to_owned() };
    let (sign, part) = (if part < 0 { "-" } else { "" }, part.unsigned_abs());
    let step = 10_u128.pow(4 - decimals);
    match rounded(part, step) {
        0 if part > 0 => format!("{sign}<{} %", point(1, decimals)),
        shown if part < ALL && shown * step >= ALL => {
            format!("{sign}>{} %", point(ALL / step - 1, decimals))
        }
        shown => format!("{sign}{} %", point(shown, decimals)),
    }
}

#[cfg(test)]
mod tests;
