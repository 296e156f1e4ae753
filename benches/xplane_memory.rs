//! Reading a large xplane: the memory that our walk allocates against that of prost's full decode.
//!
//! `cargo bench --bench xplane_memory [-- FILE]`. It counts what is allocated at most at one time, the file included.
//! Counting costs time, so times are measured by another bench, `xplane`.

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

use cap::Cap;
use std::alloc::System;
use versus::Measure;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

const MEASURES: [Measure; 1] = [Measure {
    name: "MB allocated, peak",
    now: || ALLOCATOR.max_allocated() as f64 / 1e6,
    took: |_, after| after,
}];

fn main() {
    versus::run(1, &MEASURES);
}
