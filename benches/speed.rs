//! Reading and checking traces against decompressing them alone, as paired ratios of one run.
//!
//! ```text
//! cargo bench --bench speed                        a synthetic trace of 40, 200 and 1000 MB
//! cargo bench --bench speed -- FILE                the trace in FILE.json.gz, repeated to those sizes
//! cargo bench --bench speed -- FILE 200            to these sizes in MB, and no others; `synthetic` is a FILE as well
//! cargo bench --bench speed -- small               500 captures of some 100 kB
//! cargo bench --bench speed -- write FILE MB OUT   no measuring: writes such a trace, for other programs
//! ```
//!
//! Only ratios mean something: times move with the machine's load. So the tasks take turns, each in a process of its own, and
//! the median of the ratios of the turns counts. What was measured stands in `docs/speed.md`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench talks to a terminal and may fail"
)]

#[path = "speed/inputs.rs"]
mod inputs;
#[path = "shared/process.rs"]
mod process;
#[path = "speed/repeat.rs"]
mod repeat;
#[path = "speed/synthetic.rs"]
mod synthetic;
#[path = "speed/tasks.rs"]
mod tasks;
#[path = "speed/turns.rs"]
mod turns;

use inputs::{Folder, Kind};
use std::path::Path;
use tasks::Task;
use turns::{Turns, took};

/// Sizes of inputs, in MB of text: times must grow as they do.
const SIZES_MB: [usize; 3] = [40, 200, 1000];

/// Small captures of one run.
const N_SMALL: usize = 500;

/// Text of a small capture: some 100 kB on disk.
const SMALL_BYTES: usize = 1_500_000;

/// What sizes are given in.
const MB: usize = 1_000_000;

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|one| !one.starts_with("--")).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["task", name, path] => tasks::run(name, Path::new(path)),
        ["write", input, mb, out] => {
            let mb: usize = mb.parse().expect("a size in MB");
            Kind::of(input).write(mb * MB, Path::new(out));
        }
        ["small", rest @ ..] => small(&Kind::of(rest.first().unwrap_or(&"synthetic"))),
        [] => large(&Kind::of("synthetic"), &SIZES_MB),
        [input] => large(&Kind::of(input), &SIZES_MB),
        [input, sizes @ ..] => {
            let sizes: Vec<usize> =
                sizes.iter().map(|size| size.parse().expect("a size in MB")).collect();
            large(&Kind::of(input), &sizes);
        }
    }
}

/// One trace, in several sizes.
fn large(kind: &Kind, sizes_mb: &[usize]) {
    let folder = Folder::new();
    for &mb in sizes_mb {
        let path = folder.path().join("trace.json.gz");
        kind.write(mb * MB, &path);
        let told = took(Task::Count, &path);
        let [text_mb, events, kernels, ..] = told.figures;
        println!(
            "\n{kind} of {text_mb:.0} MB, {:.1} MB on disk: {events} kept events, {kernels} kernels",
            inputs::megabytes(&path)
        );
        let turns = Turns::take(n_turns(mb), &path, &Task::LARGE);
        turns.print();
        turns.print_per(Task::Judge1, "kernel", kernels);
        let over_mb = turns.most_resident_mb(Task::Check2) - 16.0;
        println!("{:>24}: {:.0} B a kept event beyond 16 MB", "memory", over_mb * 1e6 / events);
        println!(
            "{:>24}: {:.2} µs a MB of text more than its decompression",
            "check, 1 thread",
            (turns.median_s(Task::Check1) - turns.median_s(Task::Decompress)) * 1e6 / text_mb
        );
    }
}

const fn n_turns(mb: usize) -> usize {
    if mb > 500 { 5 } else { 9 }
}

/// Many captures, each small.
fn small(kind: &Kind) {
    let folder = Folder::new();
    let first = folder.path().join("rank_0.pt.trace.json.gz");
    kind.write(SMALL_BYTES, &first);
    for number in 1..N_SMALL {
        let one = folder.path().join(format!("run_{number}"));
        std::fs::create_dir(&one).unwrap();
        std::fs::copy(&first, one.join("rank_0.pt.trace.json.gz")).unwrap();
    }
    println!("\n{N_SMALL} captures of {:.0} kB: {kind}", inputs::megabytes(&first) * 1e3);
    let turns = Turns::take(7, folder.path(), &Task::SMALL);
    turns.print();
    turns.print_rate(N_SMALL as f64);
    let alone = Turns::take(9, &first, &Task::SMALL);
    println!("\none of them");
    alone.print();
}
