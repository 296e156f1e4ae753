//! Any bytes end in a capture or in a refusal with a place: never in a panic, never in an empty success.

use super::samples;
use crate::xspace::xplane_pb::XSpace;
use crate::xspace::{Stat, call, event, gpu, host, kernel, line, session, space, stream};
use idleproof::read::{ReadErrorKind, read_xplane};
use prost::Message as _;

fn refusal(bytes: &[u8]) -> (ReadErrorKind, String) {
    let error = read_xplane(bytes, "host.xplane.pb").unwrap_err();
    assert!(!error.help.is_empty() && error.position.is_none(), "{error:?}");
    assert_eq!((error.path.as_str(), error.bytes), ("host.xplane.pb", bytes.len() as u64));
    (error.kind, error.message)
}

#[test]
fn each_kind_of_damage_has_its_message() {
    let whole = samples::graph_replays(5, 5).bytes();
    let mangled = String::from_utf8_lossy(&whole).into_owned().into_bytes();
    let cut = &whole[..whole.len() - 30];
    // The first name of the first plane claims a byte more than its plane has.
    let inside = [0x0A, 3, 0x12, 2, b'a', 0x0A, 0];
    for (bytes, kind, says) in [
        (&b""[..], ReadErrorKind::Empty, "the file is empty: an XSpace with no planes"),
        (b"\x12\x02hi", ReadErrorKind::Empty, "an XSpace with no planes"),
        (cut, ReadErrorKind::Truncated, &*format!("truncated at byte offset {}", cut.len())),
        (&mangled, ReadErrorKind::Encoding, "bytes look UTF-8 mangled (EF BF BD)"),
        (b"{\"traceEvents\": []}", ReadErrorKind::NotACapture, "looks like JSON"),
        (b"\n [1, 2]", ReadErrorKind::NotACapture, "looks like JSON"),
        (b"\x1F\x8B\x08\0\0\0\0\0", ReadErrorKind::NotACapture, "looks like gzip"),
        (b"hello, world\n", ReadErrorKind::NotACapture, "looks like text"),
        (b"\xFF\xFE\xFD\xFC\xFB", ReadErrorKind::NotACapture, "not an XSpace: "),
        (b"\x7FELF\x02\x01\x01\0\0\0", ReadErrorKind::NotACapture, "not an XSpace: "),
        (&inside, ReadErrorKind::MalformedProtobuf, "at byte 3"),
        (&space(vec![gpu(0, vec![])]).bytes(), ReadErrorKind::NoEvents, "no plane has an event"),
    ] {
        let (found, message) = refusal(bytes);
        assert_eq!(found, kind, "{message}");
        assert!(message.contains(says), "{message:?} does not say {says:?}");
    }
}

#[test]
fn a_number_where_a_message_belongs_is_a_fault() {
    // Planes as a number.
    assert_eq!(refusal(&[0x08, 1]).0, ReadErrorKind::NotACapture);
    // Lines as a number, in a plane.
    assert_eq!(refusal(&[0x0A, 2, 0x18, 1]).0, ReadErrorKind::MalformedProtobuf);
}

/// A small file with every kind of thing in it.
fn everything() -> Vec<u8> {
    let mut made = samples::loop_graph();
    made.planes[1].stats.push(("device_vendor", Stat::Text("AMD")));
    made.planes[1].lines[0].events[0].stats.push(("cuda_graph_id", Stat::Double(0.5)));
    made.planes[1].lines.push(line(9, "XLA Ops", vec![event("fusion", 0, 1)]));
    made.planes.push(session(1_700_000_000_000_000_000, 1_700_000_001_000_000_000));
    made.warnings.push("events were dropped".to_owned());
    made.bytes()
}

#[test]
fn damage_anywhere_is_a_capture_or_a_refusal() {
    let whole = everything();
    for end in 0..whole.len() {
        drop(read_xplane(&whole[..end], "cut"));
    }
    let mut bytes = whole.clone();
    for at in 0..whole.len() {
        for flip in [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF] {
            bytes[at] = whole[at] ^ flip;
            drop(read_xplane(&bytes, "flipped"));
        }
        bytes[at] = whole[at];
    }
}

#[test]
fn damage_in_a_larger_file_is_a_capture_or_a_refusal() {
    let kernels = (0..400).map(|at| kernel("fusion.kd", at * 10, 9, 1 + at.cast_unsigned()));
    let calls =
        (0..400).map(|at| call("hipModuleLaunchKernel", at * 10, 2, 1 + at.cast_unsigned()));
    let planes = vec![
        gpu(0, vec![stream(3, kernels.collect())]),
        host(vec![line(11, "Host Threads/11", calls.collect())]),
    ];
    let whole = space(planes).bytes();
    assert!(whole.len() > 20_000, "{}", whole.len());
    let mut bytes = whole.clone();
    for at in 0..20_000 {
        bytes[at] = whole[at] ^ if at % 2 == 0 { 0x80 } else { 0x07 };
        drop(read_xplane(&bytes, "flipped"));
        bytes[at] = whole[at];
    }
    for end in (0..20_000).step_by(7) {
        drop(read_xplane(&whole[..end], "cut"));
    }
}

#[test]
fn what_a_full_decode_refuses_is_refused_or_unused() {
    // The walk may pass over damage in what it does not use; it must never read what prost cannot.
    let whole = everything();
    let mut bytes = whole.clone();
    for at in 0..whole.len() {
        bytes[at] = whole[at] ^ 0x80;
        if let (Err(_), Ok(record)) =
            (XSpace::decode(bytes.as_slice()), read_xplane(&bytes, "flipped"))
        {
            assert!(record.source.events > 0);
        }
        bytes[at] = whole[at];
    }
}
