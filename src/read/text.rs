//! The text of JSON strings.

use super::json::Escapes;
use std::borrow::Cow;

/// Whether a decoded text says all that its bytes said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fidelity {
    /// It does.
    Exact,
    /// Bytes that are no UTF-8, or half a surrogate pair, became U+FFFD.
    Lossy,
}

/// The text of a string's content, whose syntax was checked.
#[inline]
pub(super) fn decode(content: &[u8], escapes: Escapes) -> (Cow<'_, str>, Fidelity) {
    match (std::str::from_utf8(content), escapes) {
        (Ok(text), Escapes::None) => (Cow::Borrowed(text), Fidelity::Exact),
        (Err(_), Escapes::None) => (String::from_utf8_lossy(content), Fidelity::Lossy),
        (valid, Escapes::Some) => {
            let (text, fidelity) = unescaped(&String::from_utf8_lossy(content));
            (Cow::Owned(text), if valid.is_err() { Fidelity::Lossy } else { fidelity })
        }
    }
}

fn unescaped(content: &str) -> (String, Fidelity) {
    let mut text = String::with_capacity(content.len());
    let mut fidelity = Fidelity::Exact;
    let mut rest = content;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        text.push_str(plain);
        let mut after = escaped.chars();
        match after.next() {
            Some('u') => {
                let (character, used) = unicode_escape(escaped);
                text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
                if character.is_none() {
                    fidelity = Fidelity::Lossy;
                }
                rest = escaped.get(used..).unwrap_or_default();
                continue;
            }
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{C}'),
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('t') => text.push('\t'),
            // A quote, a backslash, a slash.
            Some(other) => text.push(other),
            None => {}
        }
        rest = after.as_str();
    }
    text.push_str(rest);
    (text, fidelity)
}

/// The character of `uXXXX` or of a surrogate pair, and how many bytes it took. `None` for half a pair.
fn unicode_escape(escaped: &str) -> (Option<char>, usize) {
    let unit = |at: usize| u32::from_str_radix(escaped.get(at..at + 4)?, 16).ok();
    let Some(first) = unit(1) else { return (None, escaped.len()) };
    if (0xD800..0xDC00).contains(&first)
        && escaped.get(5..7) == Some("\\u")
        && let Some(second) = unit(7).filter(|unit| (0xDC00..0xE000).contains(unit))
    {
        let scalar = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return (char::from_u32(scalar), 11);
    }
    (char::from_u32(first), 5)
}

/// The start of a text, of at most this many bytes.
pub(super) fn shortened(text: &str, bytes_max: usize) -> String {
    let end = (0..=bytes_max.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    text[..end.unwrap_or(0)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Escapes, Fidelity, decode, shortened};

    #[test]
    fn agrees_with_serde_json() {
        for content in [r"a\n\t\r\b\f\/\\\u0041", r"\u00e9\ud83d\ude00", r"plain", r"\u0000"] {
            let quoted = format!("\"{content}\"");
            let expected: String = serde_json::from_str(&quoted).unwrap();
            assert_eq!(
                decode(content.as_bytes(), Escapes::Some),
                (expected.into(), Fidelity::Exact)
            );
        }
    }

    #[test]
    fn what_cannot_be_told_is_replaced() {
        assert_eq!(decode(b"a\xFFb", Escapes::None), ("a\u{FFFD}b".into(), Fidelity::Lossy));
        assert_eq!(decode(b"a\xFF\\n", Escapes::Some), ("a\u{FFFD}\n".into(), Fidelity::Lossy));
        assert_eq!(decode(br"\ud800x", Escapes::Some), ("\u{FFFD}x".into(), Fidelity::Lossy));
        assert_eq!(decode(br"\ud800\u0041", Escapes::Some), ("\u{FFFD}A".into(), Fidelity::Lossy));
    }

    #[test]
    fn shortened_texts_end_between_characters() {
        assert_eq!(
            (shortened("aé", 2), shortened("aé", 3), shortened("", 2)),
            ("a".into(), "aé".into(), String::new())
        );
    }
}
