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

#[path = "shared/process.rs"]
mod process;
#[path = "xplane/synthetic.rs"]
mod synthetic;
#[path = "xplane/versus.rs"]
mod versus;
#[expect(unreachable_pub, clippy::enum_variant_names, reason = "generated from proto/xplane.proto; the bench needs a part of it")]
#[rustfmt::skip]
#[path = "../tests/it/xplane_pb.rs"]
mod xplane_pb;

use process::{cores_s, resident_peak_mb};
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
