//! Files that ask for far more than they hold: bombs, depth and counts.

#![expect(clippy::expect_used, reason = "a test that cannot prepare its input has failed")]

use super::files::{Hostile, gzip};
use crate::xspace::xplane_pb as pb;
use flate2::Compression;
use flate2::write::GzEncoder;
use idleproof::units::decimal_us;
use prost::Message as _;
use std::io::Write as _;

/// Numbers that arithmetic breaks at.
const NUMBERS: &[&str] = &[
    "-1",
    "0",
    "1e308",
    "-1e308",
    "1e-308",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775.807",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999999999999999999999",
    "2147483648",
    "4294967296",
    "0.0000000001",
    "1.7e18",
];

/// All of them.
pub(super) fn all() -> Vec<Hostile> {
    let mut all = Vec::new();
    for (name, unit) in [
        ("blanks", &b" "[..]),
        ("brackets", b"["),
        ("zeros", b"\0"),
        ("quotes", b"\"aaaaaaaaaaaaaaaa"),
    ] {
        let head = b"{\"traceEvents\":";
        all.push(json(format!("bomb of {name}"), move || bomb(head, unit, 300 << 20)));
        all.push(json(format!("bare bomb of {name}"), move || bomb(b"", unit, 300 << 20)));
    }
    all.push(json("bomb of events".to_owned(), || bomb(b"{\"traceEvents\":[", b"{},", 300 << 20)));
    all.push(json("bomb in members".to_owned(), || {
        let one = gzip(&vec![b' '; 1 << 20]);
        one.repeat(300)
    }));
    all.push(json("gzip of gzip".to_owned(), || gzip(&gzip(&vec![0; 64 << 20]))));
    for depth in [100, 127, 128, 129, 1_000, 100_000] {
        all.push(json(format!("arrays {depth} deep"), move || nested("[", depth)));
        all.push(json(format!("objects {depth} deep"), move || nested("{\"a\":", depth)));
        all.push(json(format!("arguments {depth} deep"), move || {
            event(&format!("\"ts\":1,\"dur\":1,\"args\":{{\"x\":{}}}", text(nested("[", depth))))
        }));
        all.push(xplane(format!("groups {depth} deep"), move || vec![0x0B; depth]));
        all.push(xplane(format!("messages {depth} deep"), move || messages(depth)));
    }
    for number in NUMBERS {
        for field in ["ts", "dur", "pid", "tid", "id"] {
            all.push(json(format!("{field} {number}"), move || {
                event(&format!("\"ts\":1,\"dur\":1,\"{field}\":{number}"))
            }));
        }
        for field in
            ["device", "stream", "correlation", "bytes", "graph id", "queued", "External id"]
        {
            all.push(json(format!("{field} {number}"), move || {
                event(&format!("\"ts\":1,\"dur\":1,\"args\":{{\"{field}\":{number}}}"))
            }));
        }
    }
    for (name, count) in
        [("names", 40_000), ("threads", 70_000), ("devices", 5_000), ("streams", 70_000)]
    {
        all.push(json(format!("{count} {name}"), move || many(name, count)));
    }
    for length in [1 << 32, 1 << 40, u64::MAX] {
        all.push(xplane(format!("a plane of {length} bytes"), move || long(length)));
    }
    for (name, space) in spaces() {
        let bytes = space.encode_to_vec();
        all.push(xplane(name, move || bytes.clone()));
    }
    all
}

fn json(name: String, make: impl Fn() -> Vec<u8> + Send + Sync + 'static) -> Hostile {
    Hostile::new(name, "trace.json", make)
}

fn xplane(name: String, make: impl Fn() -> Vec<u8> + Send + Sync + 'static) -> Hostile {
    Hostile::new(name, "xplane.pb", make)
}

/// So many bytes of one text as gzip.
fn bomb(head: &[u8], unit: &[u8], bytes: usize) -> Vec<u8> {
    let block = unit.repeat((1 << 20) / unit.len());
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(head).expect("memory");
    for _ in 0..bytes / block.len() {
        encoder.write_all(&block).expect("memory");
    }
    encoder.finish().expect("memory")
}

fn nested(opening: &str, depth: usize) -> Vec<u8> {
    let closing = if opening == "[" { "]" } else { "}" };
    format!("{}1{}", opening.repeat(depth), closing.repeat(depth)).into_bytes()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("text")
}

/// A launch and its kernel, both with these fields.
fn event(fields: &str) -> Vec<u8> {
    let linked = "\"args\":{\"correlation\":1,\"device\":0,\"stream\":7}";
    let of = |cat: &str, name: &str| {
        format!(
            "{{\"ph\":\"X\",\"cat\":\"{cat}\",\"name\":\"{name}\",\"pid\":1,\"tid\":1,{linked},{fields}}}"
        )
    };
    let (kernel, launch) = (of("kernel", "k"), of("cuda_runtime", "cudaLaunchKernel"));
    format!("{{\"schemaVersion\":1,\"traceEvents\":[{launch},{kernel},{launch},{kernel}]}}")
        .into_bytes()
}

/// As many different names, threads, devices or streams.
fn many(what: &str, count: usize) -> Vec<u8> {
    let one = |n: usize| {
        let of = |this: &str| if what == this { n } else { 1 };
        let at = decimal_us(i128::try_from(n).unwrap_or(0) * 1_000_000);
        format!(
            "{{\"ph\":\"X\",\"cat\":\"{}\",\"name\":\"k{}\",\"pid\":1,\"tid\":{},\"ts\":{at},\"dur\":1,\"args\":{{\"device\":{},\"stream\":{}}}}}",
            if what == "threads" { "cuda_runtime" } else { "kernel" },
            of("names"),
            of("threads"),
            of("devices"),
            of("streams")
        )
    };
    let events: Vec<String> = (0..count).map(one).collect();
    format!("{{\"traceEvents\":[{}]}}", events.join(",")).into_bytes()
}

/// Messages inside one another, as a plane.
fn messages(depth: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..depth.min(2_000) {
        let mut outer = vec![0x0A];
        prost::encoding::encode_varint(bytes.len() as u64, &mut outer);
        outer.extend_from_slice(&bytes);
        bytes = outer;
    }
    bytes
}

/// A plane that says it has so many bytes.
fn long(length: u64) -> Vec<u8> {
    let mut bytes = vec![0x0A];
    prost::encoding::encode_varint(length, &mut bytes);
    bytes.extend_from_slice(&[0x12, 0x01, b'x']);
    bytes
}

/// One kernel.
pub(super) fn small() -> pb::XSpace {
    let event = pb::XEvent { metadata_id: 1, duration_ps: 5, ..pb::XEvent::default() };
    let line = pb::XLine {
        id: 1,
        name: b"Stream #1(Kernel)".to_vec(),
        timestamp_ns: 9,
        events: vec![event],
    };
    let name =
        pb::XEventMetadata { id: 1, name: b"gemm".to_vec(), ..pb::XEventMetadata::default() };
    let plane = pb::XPlane {
        name: b"/device:GPU:0".to_vec(),
        lines: vec![line],
        event_metadata: [(1, name)].into(),
        ..pb::XPlane::default()
    };
    pb::XSpace { planes: vec![plane], ..pb::XSpace::default() }
}

/// Spaces of many empty parts, and of numbers at which sums break.
fn spaces() -> Vec<(String, pb::XSpace)> {
    let event = |offset, duration| pb::XEvent {
        metadata_id: 1,
        duration_ps: duration,
        stats: Vec::new(),
        data: Some(pb::x_event::Data::OffsetPs(offset)),
    };
    let line = |base, events| pb::XLine {
        id: 1,
        name: b"Stream #1(Kernel)".to_vec(),
        timestamp_ns: base,
        events,
    };
    let space = |lines| pb::XSpace {
        planes: vec![pb::XPlane {
            name: b"/device:GPU:0".to_vec(),
            lines,
            ..pb::XPlane::default()
        }],
        ..pb::XSpace::default()
    };
    let mut all = vec![
        (
            "200,000 empty events".to_owned(),
            space(vec![line(1, vec![pb::XEvent::default(); 200_000])]),
        ),
        ("70,000 empty lines".to_owned(), space(vec![pb::XLine::default(); 70_000])),
        (
            "5,000 empty planes".to_owned(),
            pb::XSpace { planes: vec![pb::XPlane::default(); 5_000], ..pb::XSpace::default() },
        ),
    ];
    for number in [i64::MIN, -1, 0, 1, i64::MAX, i64::MAX / 1_000] {
        all.push((format!("base {number}"), space(vec![line(number, vec![event(1, 1)])])));
        all.push((
            format!("offset {number}"),
            space(vec![line(1, vec![event(number, 1), event(1, 1)])]),
        ));
        all.push((
            format!("length {number}"),
            space(vec![line(1, vec![event(1, number), event(1, 1)])]),
        ));
    }
    all
}
