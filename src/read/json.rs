//! Strict JSON, token by token, over a window of text.
//!
//! Nothing here allocates but for the list of tokens that are no JSON and yet are tolerated: `nan` and `inf`.

use super::bytes::Text;
use super::limits::DEPTH_MAX;

/// Where and why a text is no JSON. A fault at the end of the window means that more text is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Index in the window.
    pub(super) at: usize,
    /// What is wrong there.
    pub(super) why: Why,
}

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// The text does not start as JSON that could be a trace.
    NoDocument,
    /// Something else should stand here.
    Expected(&'static str),
    /// A raw control character inside a string.
    ControlCharacter,
    /// A backslash that is followed by no escape that JSON knows.
    InvalidEscape,
    /// Values nested too deeply.
    TooDeep,
}

/// The outcome of reading one token or value.
pub(super) type Parse<T> = Result<T, Fault>;

/// A bare `nan` or `inf` where a value belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NonFinite {
    /// Where it starts in the window.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
}

fn expected<T>(at: usize, what: &'static str) -> Parse<T> {
    Err(Fault { at, why: Why::Expected(what) })
}

/// The closing quote of the string whose content starts at `at`, and whether it holds escapes.
#[inline]
pub(super) fn string(text: Text<'_>, at: usize) -> Parse<(usize, Escapes)> {
    let stop = text.string_stop(at);
    if text.at(stop) == b'"' {
        return Ok((stop, Escapes::None));
    }
    string_with_escapes(text, stop)
}

/// Whether a string holds escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escapes {
    /// Its bytes are its text.
    None,
    /// It must be decoded.
    Some,
}

#[cold]
fn string_with_escapes(text: Text<'_>, mut at: usize) -> Parse<(usize, Escapes)> {
    loop {
        at = text.string_stop(at);
        match text.at(at) {
            b'"' => return Ok((at, Escapes::Some)),
            b'\\' => at = escape(text, at)?,
            _ => return Err(Fault { at, why: Why::ControlCharacter }),
        }
    }
}

/// The end of the escape whose backslash is at `at`.
fn escape(text: Text<'_>, at: usize) -> Parse<usize> {
    // Where the text ends inside the escape, the fault lies at that end; else at the backslash.
    let fault = |stop: usize| {
        let at = if stop >= text.end() { stop } else { at };
        Err(Fault { at, why: Why::InvalidEscape })
    };
    match text.at(at + 1) {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(at + 2),
        b'u' => match (at + 2..at + 6).find(|&digit| !text.at(digit).is_ascii_hexdigit()) {
            Some(stop) => fault(stop),
            None => Ok(at + 6),
        },
        _ => fault(at + 1),
    }
}

/// The end of the number that starts at `at`.
#[inline]
pub(super) fn number(text: Text<'_>, at: usize) -> Parse<usize> {
    usual_number(text, at).map_or_else(|| any_number(text, at), Ok)
}

/// The end of a number as ids and times are written: digits without a leading zero, or a zero alone, then perhaps a fraction of
/// up to seven digits. `None` for every other text, be it a number or not.
#[inline]
pub(super) fn usual_number(text: Text<'_>, at: usize) -> Option<usize> {
    let (digits, mut behind) = text.few_digits(at);
    let mut end = at + digits;
    if digits == 8 {
        end = text.digits_end(end);
        behind = text.at(end);
    }
    if digits == 0 || digits > 1 && text.at(at) == b'0' {
        return None;
    }
    if behind == b'.' {
        let (decimals, next) = text.few_digits(end + 1);
        if decimals == 0 || decimals == 8 {
            return None;
        }
        (end, behind) = (end + 1 + decimals, next);
    }
    (behind | 0x20 != b'e').then_some(end)
}

#[inline(never)]
pub(super) fn any_number(text: Text<'_>, at: usize) -> Parse<usize> {
    let first = if text.at(at) == b'-' { at + 1 } else { at };
    let mut end = text.digits_end(first);
    if end == first {
        return expected(end, "a digit");
    }
    if text.at(first) == b'0' && end > first + 1 {
        return expected(first + 1, "no digit after a leading zero");
    }
    if text.at(end) == b'.' {
        let fraction = end + 1;
        end = text.digits_end(fraction);
        if end == fraction {
            return expected(end, "a digit after the decimal point");
        }
    }
    if matches!(text.at(end), b'e' | b'E') {
        let sign = usize::from(matches!(text.at(end + 1), b'+' | b'-'));
        let exponent = end + 1 + sign;
        end = text.digits_end(exponent);
        if end == exponent {
            return expected(end, "a digit in the exponent");
        }
    }
    Ok(end)
}

/// The end of the word (`true`, `false`, `null`, or a tolerated non-finite number) that starts at `at`.
pub(super) fn word(text: Text<'_>, at: usize, odd: &mut Vec<NonFinite>) -> Parse<usize> {
    for known in ["true", "false", "null"] {
        let common = common_prefix(text, at, known.as_bytes());
        if common == known.len() {
            return Ok(at + common);
        }
        if at + common >= text.end() {
            return expected(text.end(), "a value");
        }
    }
    match non_finite(text, at) {
        Some(end) => {
            // A word that reaches the end of the window may go on behind it.
            if end < text.end() {
                odd.push(NonFinite { start: at, end });
            }
            Ok(end)
        }
        None => expected(at, "a value"),
    }
}

fn common_prefix(text: Text<'_>, at: usize, known: &[u8]) -> usize {
    known.iter().enumerate().take_while(|&(i, &byte)| text.at(at + i) == byte).count()
}

/// The end of `nan`, `inf` or `infinity` in any case and with any sign, as C and Python print them.
fn non_finite(text: Text<'_>, at: usize) -> Option<usize> {
    let start = at + usize::from(matches!(text.at(at), b'-' | b'+'));
    let mut end = start;
    while text.at(end).is_ascii_alphabetic() {
        end += 1;
    }
    let word = text.slice(start, end);
    let complete =
        ["nan", "inf", "infinity"].iter().any(|w| word.eq_ignore_ascii_case(w.as_bytes()));
    let begun = end >= text.end() && "infinity".len() >= word.len();
    (complete || begun).then_some(end)
}

/// The end of the value that starts at `at`, whatever it is.
pub(super) fn value(text: Text<'_>, at: usize, odd: &mut Vec<NonFinite>) -> Parse<usize> {
    match text.at(at) {
        b'"' => Ok(string(text, at + 1)?.0 + 1),
        b'0'..=b'9' => number(text, at),
        b'-' if text.at(at + 1).is_ascii_digit() => number(text, at),
        b'{' | b'[' => container(text, at, odd),
        b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'+' => word(text, at, odd),
        _ => expected(at, "a value"),
    }
}

/// The end of the value that starts at `at`, where what follows is not looked at: a number or a word that reaches the end
/// of the window may go on behind it.
pub(super) fn whole_value(text: Text<'_>, at: usize, odd: &mut Vec<NonFinite>) -> Parse<usize> {
    match value(text, at, odd)? {
        end if end >= text.end() => expected(end, "`,`"),
        end => Ok(end),
    }
}

/// The end of the object or array that starts at `at`. One bit a level tells objects from arrays.
fn container(text: Text<'_>, mut at: usize, odd: &mut Vec<NonFinite>) -> Parse<usize> {
    const OBJECT: u128 = 1;
    let (mut kinds, mut depth) = (0_u128, 0_u32);
    loop {
        // Here a value starts.
        let mut ended = match text.at(at) {
            opening @ (b'{' | b'[') => {
                if depth == DEPTH_MAX {
                    return Err(Fault { at, why: Why::TooDeep });
                }
                depth += 1;
                kinds = kinds << 1 | u128::from(opening == b'{');
                at = text.space_end(at + 1);
                // An empty container ends here.
                let closing = if opening == b'{' { b'}' } else { b']' };
                if text.at(at) == closing {
                    false
                } else {
                    if opening == b'{' {
                        at = key(text, at)?;
                    }
                    continue;
                }
            }
            b'"' => {
                at = string(text, at + 1)?.0 + 1;
                true
            }
            b'0'..=b'9' => {
                at = number(text, at)?;
                true
            }
            b'-' if text.at(at + 1).is_ascii_digit() => {
                at = number(text, at)?;
                true
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'+' => {
                at = word(text, at, odd)?;
                true
            }
            _ => return expected(at, "a value"),
        };
        // Here a value has ended, or a container is about to.
        loop {
            if ended {
                at = text.space_end(at);
            }
            let in_object = kinds & OBJECT == OBJECT;
            match (text.at(at), in_object) {
                (b',', _) if ended => {
                    at = text.space_end(at + 1);
                    if in_object {
                        at = key(text, at)?;
                    }
                    break;
                }
                (b'}', true) | (b']', false) => {
                    at += 1;
                    depth -= 1;
                    kinds >>= 1;
                    if depth == 0 {
                        return Ok(at);
                    }
                    ended = true;
                }
                (_, true) => return expected(at, "`,` or `}`"),
                (_, false) => return expected(at, "`,` or `]`"),
            }
        }
    }
}

/// The start of the value behind the key whose quote is at `at`.
fn key(text: Text<'_>, at: usize) -> Parse<usize> {
    if text.at(at) != b'"' {
        return expected(at, "a key in quotes");
    }
    let (closing, _) = string(text, at + 1)?;
    colon(text, closing + 1)
}

/// The start of the value behind the colon that follows `at`.
#[inline]
pub(super) fn colon(text: Text<'_>, at: usize) -> Parse<usize> {
    let at = text.space_end(at);
    if text.at(at) != b':' {
        return expected(at, "`:`");
    }
    Ok(text.space_end(at + 1))
}

/// The key at `at`: its content's range, its escapes, and the start of its value.
#[inline]
pub(super) fn member(text: Text<'_>, at: usize) -> Parse<(usize, usize, Escapes, usize)> {
    if text.at(at) != b'"' {
        return expected(at, "a key in quotes");
    }
    let (closing, escapes) = string(text, at + 1)?;
    Ok((at + 1, closing, escapes, colon(text, closing + 1)?))
}

/// What follows a member or element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Another one starts here.
    More(usize),
    /// The container has ended before here.
    End(usize),
}

/// What follows a value of an object that ends at `at`.
#[inline]
pub(super) fn after_member(text: Text<'_>, at: usize) -> Parse<Next> {
    let at = text.space_end(at);
    match text.at(at) {
        b',' => Ok(Next::More(text.space_end(at + 1))),
        b'}' => Ok(Next::End(at + 1)),
        _ => expected(at, "`,` or `}`"),
    }
}

/// What follows an element of an array that ends at `at`.
#[inline]
pub(super) fn after_element(text: Text<'_>, at: usize) -> Parse<Next> {
    let at = text.space_end(at);
    match text.at(at) {
        b',' => Ok(Next::More(text.space_end(at + 1))),
        b']' => Ok(Next::End(at + 1)),
        _ => expected(at, "`,` or `]`"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::bytes::{PAD, Text};
    use super::{NonFinite, Why, value};

    /// The verdict on a whole text: its end, or the place and kind of its fault.
    fn verdict(text: &str, odd: &mut Vec<NonFinite>) -> Result<usize, (usize, Why)> {
        // A value at the end of a text may go on; a blank behind it ends every number and word.
        let bytes = [text.as_bytes(), b" ", &[0; PAD]].concat();
        value(Text::new(&bytes, text.len() + 1), 0, odd).map_err(|fault| (fault.at, fault.why))
    }

    #[test]
    fn agrees_with_serde_json_on_every_short_text() {
        // Every text of up to five of these tokens: both must accept it, or neither.
        let tokens = ["{", "}", "[", "]", ",", ":", "\"a\"", "1", " "];
        let mut texts = vec![String::new()];
        for _ in 0..5 {
            texts = texts
                .iter()
                .flat_map(|text| tokens.iter().map(move |token| format!("{text}{token}")))
                .collect();
            for text in texts.iter().filter(|text| !text.starts_with(' ')) {
                let ours = verdict(text, &mut Vec::new());
                let ours = ours.is_ok_and(|end| text[end..].trim().is_empty());
                let theirs = serde_json::from_str::<serde_json::Value>(text).is_ok();
                assert_eq!(ours, theirs, "{text}");
            }
        }
    }

    #[test]
    fn numbers_and_escapes_are_strict() {
        for (text, valid) in [
            ("0", true),
            ("-0.5e+3", true),
            ("01", false),
            ("1.", false),
            ("-", false),
            ("1e", false),
            (".5", false),
            ("+1", false),
            (r#""\u00e9\n""#, true),
            (r#""\c""#, false),
            (r#""\u12g4""#, false),
            ("\"a\nb\"", false),
            ("tru", false),
            ("nil", false),
        ] {
            assert_eq!(
                verdict(text, &mut Vec::new()).is_ok_and(|end| end == text.len()),
                valid,
                "{text}"
            );
        }
    }

    #[test]
    fn non_finite_numbers_are_tolerated_and_listed() {
        let mut odd = Vec::new();
        let text = r#"[nan, inf, NaN, Infinity, -Infinity, {"a": -inf}, "nan"]"#;
        assert_eq!(verdict(text, &mut odd), Ok(text.len()));
        let tokens: Vec<&str> = odd.iter().map(|token| &text[token.start..token.end]).collect();
        assert_eq!(tokens, ["nan", "inf", "NaN", "Infinity", "-Infinity", "-inf"]);
    }

    #[test]
    fn nesting_is_limited() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(verdict(&deep(128), &mut Vec::new()).is_ok());
        assert_eq!(verdict(&deep(129), &mut Vec::new()), Err((128, Why::TooDeep)));
    }
}
