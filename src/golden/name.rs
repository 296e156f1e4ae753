//! File names of goldens: safe on every file system, and different for different captures.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Longest name of a capture in a file name; with an output's kind and `.snap.new` it stays below the 255 bytes that
/// file systems allow.
const BYTES_MAX: usize = 160;

/// What is kept of a longer name, before its digest.
const BYTES_KEPT: usize = 120;

/// Device names that Windows opens instead of a file, whatever follows their first dot.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The file name of a capture's golden: `captures+decode+rank_0.trust.snap`.
///
/// Lower-case letters, digits, `-`, `_` and `.` stand for themselves, `+` for a slash, `,` before a letter for its upper
/// case, `=` before two digits for any other byte. So the name can be read back, and no two captures share one, also
/// where the file system ignores case. A very long name ends in a digest instead.
pub fn file_name(capture: &str, output: &str) -> String {
    let mut slug = slug(capture);
    if slug.len() > BYTES_MAX {
        slug.truncate(BYTES_KEPT);
        slug.push_str("==");
        for byte in &Sha256::digest(capture.as_bytes())[..16] {
            push_hex(&mut slug, *byte);
        }
    }
    format!("{slug}.{output}.snap")
}

fn slug(capture: &str) -> String {
    let mut slug = String::with_capacity(capture.len());
    if capture.is_empty() {
        return "=".to_owned();
    }
    let stem = capture.split('.').next().unwrap_or_default();
    let reserved = is_reserved(stem);
    for (at, byte) in capture.bytes().enumerate() {
        match byte {
            // A leading dot hides a file, and a device's name is no file's.
            _ if at == 0 && (byte == b'.' || reserved) => push_escaped(&mut slug, byte),
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => slug.push(char::from(byte)),
            b'A'..=b'Z' => {
                slug.push(',');
                slug.push(char::from(byte.to_ascii_lowercase()));
            }
            b'/' => slug.push('+'),
            other => push_escaped(&mut slug, other),
        }
    }
    slug
}

fn is_reserved(stem: &str) -> bool {
    let stem = stem.to_ascii_lowercase();
    let port = |prefix: &str| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit())
    };
    RESERVED.contains(&stem.as_str()) || port("com") || port("lpt")
}

fn push_escaped(slug: &mut String, byte: u8) {
    slug.push('=');
    push_hex(slug, byte);
}

fn push_hex(slug: &mut String, byte: u8) {
    // Writing to a String cannot fail.
    let _ = write!(slug, "{byte:02x}");
}

#[cfg(test)]
mod tests {
    use super::file_name;
    use std::collections::BTreeMap;

    #[test]
    fn a_usual_name_stays_readable() {
        assert_eq!(
            file_name("captures/decode/rank_0", "trust"),
            "captures+decode+rank_0.trust.snap"
        );
        assert_eq!(file_name("Qwen3 8B", "trust"), ",qwen3=208,b.trust.snap");
    }

    #[test]
    fn no_two_captures_share_a_name() {
        let long = "x".repeat(300);
        let names = [
            "a/b",
            "a+b",
            "a=2fb",
            "a,b",
            "aB",
            "ab",
            "AB",
            "a\\b",
            "a b",
            "a_b",
            "a-b",
            "a.b",
            ".a",
            "..",
            "../a",
            "",
            "con",
            "Con",
            "con.x",
            "conx",
            "com1",
            "com10",
            "é",
            "e\u{301}",
            "\u{1b}",
            "a\nb",
            "a:b",
            "a*b",
            "a\0b",
            "=2ea",
            "=",
            "==",
            ",",
            ",a",
            "~",
            long.as_str(),
            &long[..160],
            &long[..161],
            &long[..162],
        ];
        let mut seen = BTreeMap::new();
        for name in names {
            let file = file_name(name, "trust");
            assert!(file.len() < 200, "{file}");
            assert!(
                file.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'+' | b',' | b'=')),
                "{file}"
            );
            assert!(!file.starts_with('.'), "{file}");
            if let Some(other) = seen.insert(file, name) {
                panic!("{name:?} and {other:?} share a file");
            }
        }
    }

    #[test]
    fn a_device_of_windows_is_no_file() {
        for name in ["nul", "NUL", "con.pt.trace", "lpt9"] {
            assert!(file_name(name, "trust").starts_with('='), "{name}");
        }
    }
}
