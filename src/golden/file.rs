//! The file format, which is insta's: `---`, a map in a subset of YAML, `---`, the body.
//!
//! Own data goes under `info`, because insta drops every other key that it does not know when it accepts a file.

use std::fmt::Write as _;

/// A golden's content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Golden {
    /// What the file says about itself; it is not compared.
    pub header: Header,
    /// The text that is compared.
    pub body: String,
}

/// What a golden says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The policy by which the text came about.
    pub source: Option<String>,
    /// A remark.
    pub description: Option<String>,
    /// The command that prints the text.
    pub expression: Option<String>,
    /// More, by name, in order.
    pub info: Vec<(String, String)>,
    /// The capture's first file.
    pub input_file: Option<String>,
}

/// Why a text is no golden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    /// Line counted from 1.
    pub(super) line: usize,
    /// What is wrong there.
    pub(super) message: String,
}

/// A body as it is compared: line breaks are LF, white space at the end does not count.
pub fn body_text(body: &str) -> String {
    body.trim_end().replace("\r\n", "\n")
}

impl Golden {
    /// Reads a golden.
    pub(super) fn parse(text: &str) -> Result<Self, Malformed> {
        let mut lines = text.split_inclusive('\n').enumerate();
        let Some((_, first)) = lines.next().filter(|(_, first)| first.trim_end() == "---") else {
            return Err(malformed(0, "a golden begins with a line `---`"));
        };
        let mut at = first.len();
        let mut header = Vec::new();
        for (number, line) in lines {
            at += line.len();
            if line.trim_end() == "---" {
                return Ok(Self { header: Header::parse(&header)?, body: body_text(&text[at..]) });
            }
            header.push((number, line.trim_end()));
        }
        Err(malformed(header.len(), "the header has no closing line `---`"))
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        format!("---\n{}---\n{}\n", self.header.to_yaml(), body_text(&self.body))
    }
}

fn malformed(line_from_0: usize, message: &str) -> Malformed {
    Malformed { line: line_from_0 + 1, message: message.to_owned() }
}

impl Header {
    fn parse(lines: &[(usize, &str)]) -> Result<Self, Malformed> {
        let mut header = Self::default();
        let mut seen: Vec<String> = Vec::new();
        let mut section = String::new();
        for &(number, line) in lines {
            let content = line.trim_start();
            if content.is_empty() || content.starts_with('#') || line == "{}" {
                continue;
            }
            if content.len() < line.len() {
                match section.as_str() {
                    "info" => header.info.push(info_entry(number, content)?),
                    "source" | "description" | "expression" | "input_file" | "" => {
                        return Err(malformed(number, "this line belongs to no name"));
                    }
                    // Something of insta's that is not ours.
                    _ => {}
                }
                continue;
            }
            let (key, value) = entry(number, line)?;
            if seen.contains(&key) {
                return Err(malformed(number, &format!("`{key}` stands here twice")));
            }
            header.set(number, &key, value)?;
            seen.push(key.clone());
            section = key;
        }
        Ok(header)
    }

    fn set(&mut self, number: usize, key: &str, value: Option<String>) -> Result<(), Malformed> {
        match (key, value) {
            ("source", value) => self.source = value,
            ("description", value) => self.description = value,
            ("expression", value) => self.expression = value,
            ("input_file", value) => self.input_file = value,
            ("info", Some(value)) if value != "{}" => {
                return Err(malformed(number, "`info` holds one name and one value a line"));
            }
            ("snapshot_kind", Some(kind)) if kind == "binary" => {
                return Err(malformed(
                    number,
                    "a golden holds text, and this is a binary snapshot",
                ));
            }
            _ => {}
        }
        Ok(())
    }

    fn to_yaml(&self) -> String {
        let mut text = String::new();
        let mut line = |key: &str, value: &Option<String>| {
            if let Some(value) = value {
                // Writing to a String cannot fail, here and below.
                let _ = writeln!(text, "{key}: {}", scalar(value));
            }
        };
        line("source", &self.source);
        line("description", &self.description);
        line("expression", &self.expression);
        if !self.info.is_empty() {
            text.push_str("info:\n");
            for (key, value) in &self.info {
                let _ = writeln!(text, "  {}: {}", scalar(key), scalar(value));
            }
        }
        if let Some(file) = &self.input_file {
            let _ = writeln!(text, "input_file: {}", scalar(file));
        }
        // insta takes an empty map, but not an empty document.
        if text.is_empty() { "{}\n".to_owned() } else { text }
    }
}

fn info_entry(number: usize, content: &str) -> Result<(String, String), Malformed> {
    let (key, value) = entry(number, content)?;
    match value {
        Some(value) => Ok((key, value)),
        None => Err(malformed(number, "`info` holds one name and one value a line")),
    }
}

/// A name and its value; no value where there is none on the line or it is null.
fn entry(number: usize, line: &str) -> Result<(String, Option<String>), Malformed> {
    let wrong = || malformed(number, "this is no `name: value`");
    let is_quoted = line.starts_with(['"', '\'']);
    let (key, rest) = match is_quoted {
        true => quoted(line).ok_or_else(wrong)?,
        false => {
            let end = line.find(": ").or_else(|| line.ends_with(':').then(|| line.len() - 1));
            let (key, rest) = line.split_at(end.ok_or_else(wrong)?);
            (key.to_owned(), rest)
        }
    };
    // What is quoted may be any name.
    let is_name = is_quoted
        || !key.is_empty() && !key.starts_with(['-', '?', '&', '*', '[', '{', '<', '>', '=']);
    let rest = rest.strip_prefix(':').filter(|_| is_name).ok_or_else(wrong)?.trim_start();
    match rest.chars().next() {
        None => Ok((key, None)),
        Some('"' | '\'') => match quoted(rest).ok_or_else(wrong)? {
            (value, "") => Ok((key, Some(value))),
            _ => Err(malformed(number, "something follows the closing quote")),
        },
        Some('|' | '>') if rest.len() <= 2 => Ok((key, None)),
        Some(_) if matches!(rest, "~" | "null") => Ok((key, None)),
        Some(_) => Ok((key, Some(rest.to_owned()))),
    }
}

/// The text of a quoted scalar and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut characters = text.char_indices();
    let (_, quote) = characters.next()?;
    let mut value = String::new();
    while let Some((at, character)) = characters.next() {
        match character {
            '\'' if quote == '\'' && text[at + 1..].starts_with('\'') => {
                characters.next();
                value.push('\'');
            }
            _ if character == quote => return Some((value, &text[at + 1..])),
            '\\' if quote == '"' => {
                let (_, escape) = characters.next()?;
                value.push(escaped(escape, &mut characters)?);
            }
            other => value.push(other),
        }
    }
    None
}

fn escaped(escape: char, rest: &mut std::str::CharIndices<'_>) -> Option<char> {
    let digits = match escape {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        '0' => return Some('\0'),
        'a' => return Some('\u{7}'),
        'b' => return Some('\u{8}'),
        't' => return Some('\t'),
        'n' => return Some('\n'),
        'v' => return Some('\u{b}'),
        'f' => return Some('\u{c}'),
        'r' => return Some('\r'),
        'e' => return Some('\u{1b}'),
        '"' | '\\' | '/' | ' ' => return Some(escape),
        _ => return None,
    };
    let hex: String = rest.by_ref().take(digits).map(|(_, digit)| digit).collect();
    let complete = hex.len() == digits && hex.bytes().all(|digit| digit.is_ascii_hexdigit());
    char::from_u32(u32::from_str_radix(hex.as_str(), 16).ok().filter(|_| complete)?)
}

/// A scalar as it reads back as the same text: plain where that is certain, else in double quotes.
fn scalar(value: &str) -> String {
    if is_integer(value) || is_plain(value) {
        return value.to_owned();
    }
    let mut quoted = String::with_capacity(value.len() + 2);
    quoted.push('"');
    for character in value.chars() {
        match character {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(character);
            }
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                push_unicode(&mut quoted, character);
            }
            other if other.is_control() => push_unicode(&mut quoted, other),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

fn push_unicode(text: &mut String, character: char) {
    // Writing to a String cannot fail.
    let _ = write!(text, "\\u{:04x}", u32::from(character));
}

/// A number that reads back digit by digit.
fn is_integer(value: &str) -> bool {
    let all_digits =
        (1..=18).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit());
    all_digits && (value.len() == 1 || !value.starts_with('0'))
}

/// Text that no reader of YAML takes for anything else.
fn is_plain(value: &str) -> bool {
    const WORDS: [&str; 12] =
        ["true", "false", "yes", "no", "on", "off", "null", "y", "n", "inf", "infinity", "nan"];
    let lower = value.to_ascii_lowercase();
    value.starts_with(|first: char| first.is_ascii_alphabetic())
        && !value.ends_with(' ')
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" _./+-=".contains(&byte))
        && !WORDS.contains(&lower.as_str())
}

#[cfg(test)]
mod tests {
    use super::{Golden, Header, Malformed};

    #[test]
    fn what_insta_writes_is_read() {
        let text = "---\r\nsource: a/b.rs\nassertion_line: 7\nexpression: \"x: \\\"y\\\" \\u0007\"\ninfo:\n  n: 1\n  \
                    k: 'it''s'\ninput_file: ~\nlater:\n  - 1\n  - 2\n---\n\nbody\r\n---\nmore  \n\n";
        let golden = Golden::parse(text).unwrap();
        assert_eq!(golden.body, "\nbody\n---\nmore");
        assert_eq!(
            golden.header,
            Header {
                source: Some("a/b.rs".to_owned()),
                description: None,
                expression: Some("x: \"y\" \u{7}".to_owned()),
                info: vec![("n".to_owned(), "1".to_owned()), ("k".to_owned(), "it's".to_owned())],
                input_file: None,
            }
        );
    }

    #[test]
    fn what_is_no_golden_is_refused_with_its_line() {
        for (text, line) in [
            ("", 1),
            ("body\n", 1),
            ("\u{feff}---\n---\n", 1),
            ("---\nsource: x\n", 2),
            ("---\nsource x\n---\n", 2),
            ("---\n  source: x\n---\n", 2),
            ("---\nsource: x\n<<<<<<< ours\n---\n", 3),
            ("---\nsource: x\nsource: y\n---\n", 3),
            ("---\nsource: \"x\n---\n", 2),
            ("---\nsource: \"x\" y\n---\n", 2),
            ("---\nsource: \"\\u12\"\n---\n", 2),
            ("---\nsource: \"\\q\"\n---\n", 2),
            ("---\ninfo:\n  - a\n---\n", 3),
            ("---\ninfo:\n  a:\n---\n", 3),
            ("---\ninfo: x\n---\n", 2),
            ("---\nsnapshot_kind: binary\n---\n", 2),
        ] {
            let found = Golden::parse(text).map_err(|Malformed { line, .. }| line);
            assert_eq!(found, Err(line), "{text:?}");
        }
    }

    #[test]
    fn an_empty_golden_is_one() {
        let empty = Golden::default();
        assert_eq!(empty.to_text(), "---\n{}\n---\n\n");
        assert_eq!(Golden::parse(&empty.to_text()), Ok(empty));
    }
}
