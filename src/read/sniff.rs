//! What a file is, told by the first part of its content.

use super::document::foreign_encoding;
use super::limits::SNIFF_BYTES;
use super::refusal::Refusal;
use super::source::Source;
use std::path::{Path, PathBuf};

/// JAX's own files hold their mark in the first 64 bytes; XProf's viewer begins with the names of processes, of some 90 bytes each.
const MARK_BYTES: usize = 4 << 10;

/// What the first part of a file tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    /// A trace: `traceEvents`, or an array of events, was seen.
    Trace,
    /// JSON that may be a trace further on.
    PerhapsTrace,
    /// Well-formed JSON that is none.
    OtherJson,
    /// Nothing that is known, with the reason.
    Other(String),
}

/// The first part of a file's text.
struct Head {
    text: Vec<u8>,
    /// True where there is no more.
    complete: bool,
    compressed: bool,
}

/// Reads the first part of a file and tells what it is.
pub(super) fn sniff(path: &Path) -> Guess {
    let head = match head(path, SNIFF_BYTES) {
        Ok(head) => head,
        Err(refusal) => return Guess::Other(refusal.message),
    };
    match guess(&head.text, head.complete) {
        Guess::Other(what) if head.compressed => Guess::Other(format!("gzip of {what}")),
        Guess::Other(what) => Guess::Other(what),
        known => known,
    }
}

/// True where the first bytes of a file look as if JAX's profiler had made it. Both it and XProf's trace viewer put a mark of their
/// own and the names of processes first. Every trace is asked, so no more is decompressed than tells: a wrong guess costs time alone.
pub(super) fn looks_like_jax(path: &Path) -> bool {
    let Ok(head) = head(path, MARK_BYTES) else { return false };
    let marks = ["\"highres-ticks\"", "\"/host:CPU\"", "\"/device:GPU:"];
    marks.iter().any(|mark| memchr::memmem::find(&head.text, mark.as_bytes()).is_some())
}

fn head(path: &Path, bytes: usize) -> Result<Head, Refusal> {
    let mut source = Source::open(path)?;
    let mut text = vec![0; bytes];
    let (mut filled, mut complete) = (0, false);
    while filled < text.len() && !complete {
        match source.read(&mut text[filled..]) {
            Ok(0) => complete = true,
            Ok(read) => filled += read,
            // What was read before the damage still tells what the file was meant to be.
            Err(refusal) if filled == 0 => return Err(refusal),
            Err(_) => break,
        }
    }
    text.truncate(filled);
    Ok(Head { text, complete, compressed: source.is_compressed() })
}

fn guess(head: &[u8], complete: bool) -> Guess {
    if head.trim_ascii().is_empty() {
        return Guess::Other("an empty file".to_owned());
    }
    if let Some(encoding) = foreign_encoding(head) {
        return Guess::Other(format!("text in {encoding}"));
    }
    let text = head.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(head).trim_ascii_start();
    let holds = |needle: &str| memchr::memmem::find(text, needle.as_bytes()).is_some();
    match text.first() {
        Some(b'{') if holds("\"traceEvents\"") => Guess::Trace,
        Some(b'[') if holds("\"ph\"") => Guess::Trace,
        Some(b'{' | b'[') if !complete => Guess::PerhapsTrace,
        Some(b'{' | b'[') => match serde_json::from_slice::<serde::de::IgnoredAny>(text) {
            Ok(_) => Guess::OtherJson,
            Err(_) => Guess::Other("no JSON".to_owned()),
        },
        _ => Guess::Other(other(text).to_owned()),
    }
}

fn other(text: &[u8]) -> &'static str {
    if text.contains(&0) || !mostly_text(text) {
        return "binary data";
    }
    let mut lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let commas = |line: &[u8]| line.iter().filter(|&&byte| byte == b',').count();
    match (lines.next().map(commas), lines.next().map(commas)) {
        (Some(first @ 1..), Some(second)) if first <= second => "csv text",
        _ => "text",
    }
}

/// True where the bytes are UTF-8, but for a character that the end cuts.
fn mostly_text(text: &[u8]) -> bool {
    match std::str::from_utf8(text) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    }
}

/// How a file's name speaks of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameSays {
    /// It is named like a trace: `*.trace.json`, compressed or not.
    Trace,
    /// It is named like compressed JSON, which sglang and others write traces as.
    CompressedJson,
    /// It is named like JAX's protobuf.
    Xplane,
    /// Nothing.
    Nothing,
}

/// What a file's name says. Names never make a capture of a file; they only keep a damaged one from being passed over.
pub(super) fn name_says(path: &Path) -> NameSays {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if name.ends_with(".trace.json") || name.ends_with(".trace.json.gz") {
        NameSays::Trace
    } else if name.ends_with(".json.gz") {
        NameSays::CompressedJson
    } else if name.ends_with(".xplane.pb") {
        NameSays::Xplane
    } else {
        NameSays::Nothing
    }
}

/// The run of which a file is a record by its name: the real folder and the host, as in `<host>.xplane.pb` and
/// `<host>.trace.json.gz`.
pub(super) fn run(path: &Path) -> Option<(PathBuf, String)> {
    let host = host(path.file_name()?.to_str()?)?.to_owned();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    Some((folder, host))
}

fn host(name: &str) -> Option<&str> {
    let endings = [".xplane.pb", ".trace.json", ".trace.json.gz"];
    endings.iter().find_map(|ending| {
        let start = name.len().checked_sub(ending.len()).filter(|&start| start > 0)?;
        let (host, rest) = name.split_at_checked(start)?;
        rest.eq_ignore_ascii_case(ending).then_some(host)
    })
}

#[cfg(test)]
mod tests {
    use super::{Guess, guess, host};

    #[test]
    fn names_tell_hosts() {
        for (name, expected) in [
            ("tw003.xplane.pb", Some("tw003")),
            ("tw003.trace.json.gz", Some("tw003")),
            ("rank_0.pt.Trace.JSON", Some("rank_0.pt")),
            (".trace.json", None),
            ("é.xplane.pb", Some("é")),
            ("trace.json", None),
            ("a.json.gz", None),
        ] {
            assert_eq!(host(name), expected, "{name}");
        }
    }

    #[test]
    fn content_tells() {
        let other = |what: &str| Guess::Other(what.to_owned());
        for (head, complete, expected) in [
            (&b"{\"traceEvents\": ["[..], false, Guess::Trace),
            (b"\xEF\xBB\xBF [{\"ph\":\"X\"", false, Guess::Trace),
            (b"{\"a\": ", false, Guess::PerhapsTrace),
            (b"{\"a\": 1}", true, Guess::OtherJson),
            (b"{\"a\": 1", true, other("no JSON")),
            (b"", true, other("an empty file")),
            (b"a,b\n1,2\n", true, other("csv text")),
            (b"hello, world\n", true, other("text")),
            (b"\x0A\x05\x00", true, other("binary data")),
            (b"{\0\"\0", true, other("text in UTF-16LE")),
        ] {
            assert_eq!(guess(head, complete), expected);
        }
    }
}
