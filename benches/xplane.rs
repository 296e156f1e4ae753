//! Reading a large xplane: the time of our walk against that of prost's full decode.
//!
//! `cargo bench --bench xplane [-- FILE]`. Only the ratios mean something: times move with the machine's load, and so
//! the readers take turns, each in a process of its own, and the median of the ratios of the turns counts. What is
//! measured starts when the file is in memory. The walk hashes the file on a second thread; prost's decode does not.
//!
//! Measured on two cores of an x86-64 server that other work shared, 7 turns, prost : walk:
//!
//! | 200 MB of | time | time of cores | memory, the file included |
//! | --- | --- | --- | --- |
//! | the synthetic capture, 24.3 bytes an event | 3.02 | 2.97 | 3.20 |
//! | a JAX capture of one MI300, 23.6 bytes an event | 2.60 | 2.51 | 2.95 |

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench talks to a terminal and may fail"
)]

#[path = "xplane/synthetic.rs"]
mod synthetic;
#[path = "xplane/versus.rs"]
mod versus;
#[expect(unreachable_pub, clippy::enum_variant_names, reason = "generated from proto/xplane.proto; the bench needs a part of it")]
#[rustfmt::skip]
#[path = "../tests/it/xplane_pb.rs"]
mod xplane_pb;

use std::sync::LazyLock;
use std::time::Instant;
use versus::Measure;

/// Turns of each reader.
const TURNS: usize = 7;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

const MEASURES: [Measure; 3] = [
    Measure {
        name: "seconds",
        now: || START.elapsed().as_secs_f64(),
        took: |before, after| after - before,
    },
    Measure { name: "seconds of cores", now: cores_s, took: |before, after| after - before },
    Measure { name: "MB resident, peak", now: resident_peak_mb, took: |_, after| after },
];

fn main() {
    versus::run(TURNS, &MEASURES);
}

/// Seconds that the process's threads ran on a core, by Linux; elsewhere it is not told.
fn cores_s() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return f64::NAN };
    let ran_ns = |thread: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    threads.filter_map(ran_ns).sum::<f64>() / 1e9
}

/// The most memory that the process had at one time, the file included, by Linux; elsewhere it is not told.
fn resident_peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kilobytes| kilobytes * 1.024e-3)
}
