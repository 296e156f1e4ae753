//! File names made from names: safe on every file system, and different for different names.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Longest slug; with what is put behind it, it stays below the 255 bytes that file systems allow.
const BYTES_MAX: usize = 160;

/// What is kept of a longer one, before its digest.
const BYTES_KEPT: usize = 120;

/// Device names that Windows opens instead of a file, whatever follows their first dot.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// A name as a part of a file's name: `captures+decode+rank_0`.
///
/// Lower-case letters, digits, `-`, `_` and `.` stand for themselves, `+` for a slash, `,` before a letter for its upper
/// case, `=` before two digits for any other byte. So the name can be read back, and no two names share a slug, also
/// where the file system ignores case. A very long name ends in a digest instead.
pub fn slug(name: &str) -> String {
    let mut slug = spelled(name);
    if slug.len() > BYTES_MAX {
        slug.truncate(BYTES_KEPT);
        slug.push_str("==");
        for byte in &Sha256::digest(name.as_bytes())[..16] {
            push_hex(&mut slug, *byte);
        }
    }
    slug
}

fn spelled(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    if name.is_empty() {
        return "=".to_owned();
    }
    let stem = name.split('.').next().unwrap_or_default();
    let reserved = is_reserved(stem);
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            // A leading dot hides a file, Windows drops a trailing one, and a device's name is no file's.
            b'.' if at == 0 || at + 1 == name.len() => push_escaped(&mut slug, byte),
            _ if at == 0 && reserved => push_escaped(&mut slug, byte),
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
