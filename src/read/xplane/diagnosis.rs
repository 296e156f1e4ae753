//! Why bytes are no capture: each kind of damage has its own message.

use super::super::ReadErrorKind;
use super::super::refusal::Refusal;
use super::wire::{Fault, Message, Why};

/// How U+FFFD, the sign for bytes that were no text, looks in UTF-8.
const REPLACEMENT: [u8; 3] = [0xEF, 0xBF, 0xBD];

/// Bytes by which text is told from binary data.
const HEAD_BYTES: usize = 256;

const EXPORT_AGAIN: &str = "give the <host>.xplane.pb that the JAX profiler wrote";
const COPY_AGAIN: &str = "the profiler was stopped while it wrote, or the copy is incomplete: record or copy the file again";
const COPY_BINARY: &str =
    "a program read the file as text and wrote it back; copy it again, as binary data";

/// The refusal of a file that has no plane.
pub(super) fn no_planes(bytes: &[u8]) -> Refusal {
    if bytes.is_empty() {
        return Refusal::new(
            ReadErrorKind::Empty,
            "the file is empty: an XSpace with no planes",
            "the export wrote nothing: check the disk and the exporter, and record again",
        )
        .at(0);
    }
    foreign(bytes).unwrap_or_else(|| {
        Refusal::new(ReadErrorKind::Empty, "an XSpace with no planes", EXPORT_AGAIN).at(0)
    })
}

/// The refusal of a file that cannot be read on at its first level.
pub(super) fn first_level(bytes: &[u8], fault: Fault) -> Refusal {
    if let Some(refusal) = foreign(bytes) {
        return refusal;
    }
    if matches!(fault.why, Why::TooMany(_)) {
        return fault.into();
    }
    let message = Message::whole(bytes);
    let cut_plane = plane_start(message);
    if fault.why == Why::Cut && cut_plane {
        let end = bytes.len();
        return Refusal::new(
            ReadErrorKind::Truncated,
            format!("truncated at byte offset {end}: the field at byte {} goes on behind the end of the file", fault.offset),
            COPY_AGAIN,
        )
        .at(end as u64);
    }
    if cut_plane {
        return fault.into();
    }
    Refusal::new(
        ReadErrorKind::NotACapture,
        format!("not an XSpace: {} at byte {}", fault.why.text(), fault.offset),
        EXPORT_AGAIN,
    )
    .at(fault.offset as u64)
}

impl From<Fault> for Refusal {
    /// The refusal of a file with a fault inside of a plane.
    fn from(fault: Fault) -> Self {
        if let Why::TooMany(what) = fault.why {
            return Self::too_large(format!("the capture has too many {what}"))
                .at(fault.offset as u64);
        }
        let message = format!("damaged protobuf: {} at byte {}", fault.why.text(), fault.offset);
        Self::new(ReadErrorKind::MalformedProtobuf, message, "record or copy the file again")
            .at(fault.offset as u64)
    }
}

/// A fault inside of a plane may have a cause that the whole file shows: then that is the fault to report.
pub(super) fn true_cause(refusal: Refusal, bytes: &[u8]) -> Refusal {
    match refusal.kind {
        ReadErrorKind::MalformedProtobuf => foreign(bytes).unwrap_or(refusal),
        _ => refusal,
    }
}

/// What else the bytes look like.
fn foreign(bytes: &[u8]) -> Option<Refusal> {
    let not_a_capture =
        |message: &str, help| Some(Refusal::new(ReadErrorKind::NotACapture, message, help).at(0));
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let is_text =
        head.iter().all(|&byte| byte >= 0x20 && byte != 0x7F || byte.is_ascii_whitespace());
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
    if bytes.starts_with(&[0x1F, 0x8B]) {
        return not_a_capture(
            "not an XSpace; looks like gzip",
            "decompress the file, or give it its true name",
        );
    }
    if is_text && matches!(first, Some(b'{' | b'[')) {
        return not_a_capture(
            "not an XSpace; looks like JSON",
            "give the file its true name, such as <host>.trace.json",
        );
    }
    if is_mangled(bytes) {
        let message = "not an XSpace; bytes look UTF-8 mangled (EF BF BD)";
        let at = bytes.windows(3).position(|three| three == REPLACEMENT).unwrap_or(0);
        return Some(Refusal::new(ReadErrorKind::Encoding, message, COPY_BINARY).at(at as u64));
    }
    if is_text && std::str::from_utf8(bytes).is_ok() {
        return not_a_capture("not an XSpace; looks like text", EXPORT_AGAIN);
    }
    None
}

/// True for text with replacement characters: a capture's own numbers are never valid UTF-8 throughout.
fn is_mangled(bytes: &[u8]) -> bool {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // The file may end inside of a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    text.contains(char::REPLACEMENT_CHARACTER)
}

/// True where the bytes start with a plane, as far as they go.
fn plane_start(message: Message<'_>) -> bool {
    let bytes = message.bytes();
    // Field 1 with a length; then, behind the length, a field of a plane.
    let Some((&0x0A, rest)) = bytes.split_first() else { return false };
    let Some(length_end) = rest.iter().take(10).position(|&byte| byte < 0x80) else {
        return rest.len() < 10;
    };
    match rest.get(length_end + 1) {
        Some(tag) => matches!(tag, 0x08 | 0x12 | 0x1A | 0x22 | 0x2A | 0x32),
        None => true,
    }
}
