//! Any bytes end in a capture or in a refusal with a place: never in a panic, never in an empty success.

use super::export::{document, event, gzip, process, rows, thread};
use super::read_bytes;
use crate::xplane::samples;
use idleproof::read::ReadErrorKind;

#[test]
fn each_kind_of_damage_has_its_message() {
    let text = document(&rows(&samples::graph_replays(5, 5)));
    let compressed = gzip(text.as_bytes());
    let cut = &text.as_bytes()[..text.len() - 30];
    let mut flipped = compressed.clone();
    let crc = compressed.len() - 8;
    flipped[crc] ^= 1;
    let quoted = text.replace("fusion_1.kd", "fusion \"1\"");
    for (bytes, kind, says) in [
        (cut, ReadErrorKind::Truncated, "the text ends inside the JSON document"),
        (&compressed[..200], ReadErrorKind::Truncated, "the gzip data is truncated"),
        (&compressed[..crc], ReadErrorKind::Truncated, "the gzip trailer"),
        (&flipped, ReadErrorKind::DamagedGzip, "checksum"),
        (quoted.as_bytes(), ReadErrorKind::MalformedJson, "expected `,` or `}`"),
    ] {
        let error = read_bytes(bytes).unwrap_err();
        assert_eq!(error.kind, kind, "{error:?}");
        assert!(error.message.contains(says) && error.offset.is_some(), "{error:?}");
    }
}

/// A small file with every kind of thing in it.
fn everything() -> String {
    document(&[
        process(1, "/device:GPU:0"),
        thread(1, 7, "Stream #7"),
        event((1, 7), "9.0179999992", "1e-06", "k", r#""correlation_id":"3","x":null,"y":[{}]"#),
        event((701, 1), "1.5", "2", "a\\u00e9", ""),
        process(701, "/host:CPU"),
    ])
}

#[test]
fn cut_or_changed_anywhere_a_file_is_read_or_refused() {
    let text = everything();
    let text = text.as_bytes();
    for end in 0..text.len() {
        assert!(read_bytes(&text[..end]).is_err(), "a prefix of {end} bytes is no whole trace");
    }
    let mut changed = text.to_vec();
    for at in 0..text.len() {
        for flip in [0x01, 0x02, 0x10, 0x80] {
            changed[at] = text[at] ^ flip;
            match read_bytes(&changed) {
                Ok(capture) => assert!(capture.primary().source.events <= 20),
                Err(error) => assert!(!error.message.is_empty() && !error.help.is_empty()),
            }
        }
        changed[at] = text[at];
    }
}

#[test]
fn cut_anywhere_compressed_text_is_refused() {
    let compressed = gzip(everything().as_bytes());
    for end in 0..compressed.len() {
        assert!(read_bytes(&compressed[..end]).is_err(), "{end}");
    }
}
