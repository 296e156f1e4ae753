//! Reading a large xplane: our walk against prost's full decode, in one run on the same bytes.
//!
//! `cargo bench --bench xplane [-- FILE]` repeats the planes of FILE, else of a synthetic capture, to about 200 MB. Each
//! reader runs in a process of its own, so that the peak of its memory is its own. Only the ratios mean something:
//! times move with the machine's load, and so both readers take turns.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench talks to a terminal and may fail"
)]

#[expect(unreachable_pub, clippy::enum_variant_names, reason = "generated from proto/xplane.proto; the bench needs a part of it")]
#[rustfmt::skip]
#[path = "../tests/it/xplane_pb.rs"]
mod xplane_pb;

use idleproof::read::read_xplane;
use prost::Message as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use xplane_pb::{
    XEvent, XEventMetadata, XLine, XPlane, XSpace, XStat, XStatMetadata, x_event, x_stat,
};

/// Size of the input.
const BYTES: usize = 200 << 20;
/// Turns of each reader; the fastest counts, which is the one that was disturbed least.
const TURNS: usize = 5;

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|one| !one.starts_with("--")).collect();
    match arguments.as_slice() {
        [reader, file] if reader == "walk" || reader == "prost" => turn(reader, Path::new(file)),
        [file] => compare(&std::fs::read(file).expect("the file can be read")),
        _ => compare(&synthetic().encode_to_vec()),
    }
}

/// Repeats the file's planes, and lets both readers take turns on the result.
fn compare(capture: &[u8]) {
    let folder = std::env::temp_dir().join(format!("idleproof-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let input = folder.join("large.xplane.pb");
    let bytes = repeated(capture);
    std::fs::write(&input, &bytes).unwrap();
    let mut best = [(f64::MAX, 0_u64); 2];
    for _ in 0..TURNS {
        for (best, reader) in best.iter_mut().zip(["walk", "prost"]) {
            let (seconds, peak) = run(reader, &input);
            *best = (best.0.min(seconds), best.1.max(peak));
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    let [(walk_s, walk_peak), (prost_s, prost_peak)] = best;
    let mb = bytes.len() as f64 / 1e6;
    println!("{mb:.0} MB of xplane, {TURNS} turns each");
    for (reader, seconds, peak) in [("walk", walk_s, walk_peak), ("prost", prost_s, prost_peak)] {
        println!(
            "{reader:>6}: {seconds:.3} s, {:.0} MB/s, peak {:.0} MB",
            mb / seconds,
            peak as f64 / 1e6
        );
    }
    println!("the walk is {:.2} times as fast", prost_s / walk_s);
    if walk_peak > 0 {
        println!("and needs {:.2} of the memory", walk_peak as f64 / prost_peak as f64);
    }
}

/// Seconds and peak memory of a reader in a process of its own.
fn run(reader: &str, input: &Path) -> (f64, u64) {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).arg(reader).arg(input).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers = text.split_whitespace();
    let seconds = numbers.next().expect("the reader ran").parse().unwrap();
    (seconds, numbers.next().unwrap().parse().unwrap())
}

fn turn(reader: &str, input: &Path) {
    let bytes = std::fs::read(input).unwrap();
    let start = Instant::now();
    let kept = match reader {
        "walk" => {
            let record = read_xplane(&bytes, "large").unwrap();
            let seconds = start.elapsed().as_secs_f64();
            println!("{seconds} {}", peak_bytes());
            record.trace.host_spans.len() + record.trace.device_events.len()
        }
        _ => {
            let space = XSpace::decode(bytes.as_slice()).unwrap();
            let seconds = start.elapsed().as_secs_f64();
            println!("{seconds} {}", peak_bytes());
            space.planes.len()
        }
    };
    assert!(kept > 0);
}

/// The process's peak of resident memory; 0 where the system does not say.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// The capture's lines, again and again: the planes keep their names and ids, and grow.
fn repeated(capture: &[u8]) -> Vec<u8> {
    let mut space = XSpace::decode(capture).expect("a capture");
    let times = BYTES / capture.len() + 1;
    for plane in &mut space.planes {
        let lines = std::mem::take(&mut plane.lines);
        for line in lines {
            let mut events = Vec::with_capacity(line.events.len() * times);
            for _ in 0..times {
                events.extend(line.events.iter().cloned());
            }
            plane.lines.push(XLine { events, ..line });
        }
    }
    space.encode_to_vec()
}

/// A capture whose shares are those of real ones: most events are the host's.
fn synthetic() -> XSpace {
    let stat_names: [&str; 8] = [
        "correlation_id",
        "kernel_details",
        "hlo_op",
        "hlo_module",
        "program_id",
        "device_id",
        " grid:16,1,1",
        "jit_f",
    ];
    let names = |prefix: &str, n: i64| {
        (1..=n)
            .map(|id| {
                let name = format!("{prefix}{id}").into_bytes();
                (id, XEventMetadata { id, name, ..Default::default() })
            })
            .collect()
    };
    let stats = stat_names
        .iter()
        .zip(1..)
        .map(|(name, id)| (id, XStatMetadata { id, name: name.as_bytes().to_vec() }));
    let stats: std::collections::BTreeMap<_, _> = stats.collect();
    let stat = |name, value| XStat { metadata_id: name, value: Some(value) };
    let event = |id: i64, stats: Vec<XStat>| XEvent {
        metadata_id: 1 + id % 90,
        duration_ps: 5_000_000 + id,
        stats,
        data: Some(x_event::Data::OffsetPs(id * 10_000_000)),
    };
    let kernels = (0..2_000_i64).map(|id| {
        event(
            id,
            vec![
                stat(1, x_stat::Value::Uint64Value(id.cast_unsigned() + 1)),
                stat(2, x_stat::Value::RefValue(7)),
                stat(3, x_stat::Value::RefValue(8)),
                stat(4, x_stat::Value::RefValue(8)),
                stat(5, x_stat::Value::Int64Value(15)),
            ],
        )
    });
    let calls = (0..2_000_i64).map(|id| {
        event(
            id,
            vec![
                stat(6, x_stat::Value::Uint64Value(47_645)),
                stat(1, x_stat::Value::Uint64Value(id.cast_unsigned() + 1)),
            ],
        )
    });
    let spans = (0..40_000_i64).map(|id| event(id, Vec::new()));
    let line = |id, name: &str, events| XLine {
        id,
        name: name.as_bytes().to_vec(),
        timestamp_ns: 900_000,
        events,
    };
    let plane = |name: &str, lines, names| XPlane {
        name: name.as_bytes().to_vec(),
        lines,
        event_metadata: names,
        stat_metadata: stats.clone(),
        ..Default::default()
    };
    XSpace {
        planes: vec![
            plane(
                "/device:GPU:0",
                vec![line(3, "Stream #3", kernels.collect())],
                names("fusion_", 90),
            ),
            plane(
                "/host:CPU",
                vec![
                    line(11, "Host Threads/11", calls.collect()),
                    line(12, "python", spans.collect()),
                ],
                names("$module.py:1 function_", 90),
            ),
        ],
        ..Default::default()
    }
}
