//! What is measured, as it runs in a process of its own.

use crate::process::{cores_s, resident_peak_mb};
use flate2::read::MultiGzDecoder;
use idleproof::policy::Policy;
use idleproof::read::{Found, find, read_family};
use idleproof::trace::Capture;
use idleproof::{Options, evaluate, evaluate_capture};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::time::Instant;

/// One thing to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Decompresses with the same library, and drops the text.
    Decompress,
    /// Reads on one thread.
    Read1,
    /// Reads on two threads.
    Read2,
    /// The whole gate on one thread.
    Check1,
    /// The whole gate on two threads.
    Check2,
    /// Analysing and judging alone, of a capture that was read before.
    Judge1,
    /// Counts text, kept events and kernels: nothing to measure.
    Count,
}

impl Task {
    /// What large traces are measured by; the first is what the others are held against.
    pub(crate) const LARGE: [Self; 6] =
        [Self::Decompress, Self::Read1, Self::Read2, Self::Check1, Self::Check2, Self::Judge1];

    /// What many small ones are measured by.
    pub(crate) const SMALL: [Self; 5] =
        [Self::Decompress, Self::Read1, Self::Read2, Self::Check1, Self::Check2];

    /// Its name in tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Decompress => "decompress alone",
            Self::Read1 => "read, 1 thread",
            Self::Read2 => "read, 2 threads",
            Self::Check1 => "check, 1 thread",
            Self::Check2 => "check, 2 threads",
            Self::Judge1 => "judge alone, 1 thread",
            Self::Count => "count",
        }
    }

    const fn threads(self) -> usize {
        if matches!(self, Self::Read2 | Self::Check2) { 2 } else { 1 }
    }
}

/// Does a task, and prints what it took: seconds, seconds of cores, MB resident, and figures of its own.
pub(crate) fn run(name: &str, path: &Path) {
    let task = Task::LARGE.into_iter().chain([Task::Count]).find(|task| task.name() == name);
    let task = task.expect("a task");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(task.threads()).build().unwrap();
    let found = find(&[path.to_owned()]).unwrap();
    // Reading is no part of judging, so it precedes the clock.
    let captures = if task == Task::Judge1 { read(&found) } else { Vec::new() };
    let (start, cores) = (Instant::now(), cores_s());
    let figures = pool.install(|| match task {
        Task::Decompress => [decompress_all(&found) as f64, 0.0, 0.0],
        Task::Read1 | Task::Read2 => [read(&found).len() as f64, 0.0, 0.0],
        Task::Check1 | Task::Check2 => [check(&found) as f64, 0.0, 0.0],
        Task::Judge1 => [judge(&captures) as f64, 0.0, 0.0],
        Task::Count => count(&found),
    });
    println!("{} {} {}", start.elapsed().as_secs_f64(), cores_s() - cores, resident_peak_mb());
    println!("{} {} {}", figures[0], figures[1], figures[2]);
}

fn decompress_all(found: &Found) -> u64 {
    let files = found.families.iter().flat_map(|family| &family.files);
    files.map(|file| decompress(&file.path)).sum()
}

fn decompress(path: &Path) -> u64 {
    let file = BufReader::with_capacity(1 << 16, File::open(path).unwrap());
    let mut decoder = MultiGzDecoder::new(file);
    let mut buffer = vec![0; 256 << 10];
    let mut bytes = 0;
    loop {
        match decoder.read(&mut buffer).unwrap() {
            0 => return bytes,
            read => bytes += read as u64,
        }
    }
}

fn read(found: &Found) -> Vec<Capture> {
    let families = found.families.iter().flat_map(|family| read_family(family).captures);
    families.map(|capture| capture.expect("a sound capture")).collect()
}

fn policy() -> Policy {
    Policy::preset("default", idleproof::vocabulary(&[])).expect("the embedded policy")
}

fn check(found: &Found) -> usize {
    let day = jiff::civil::date(2026, 1, 1);
    evaluate(found, &policy(), day, &Options::default()).captures.len()
}

fn judge(captures: &[Capture]) -> usize {
    let (policy, day) = (policy(), jiff::civil::date(2026, 1, 1));
    let judged = captures
        .iter()
        .map(|one| evaluate_capture(one, &policy, day, &Options::default()).checks.len());
    judged.sum()
}

fn count(found: &Found) -> [f64; 3] {
    let captures = read(found);
    let traces = || captures.iter().map(|capture| &capture.primary().trace);
    let events = traces().map(|trace| {
        trace.device_events.len()
            + trace.host_calls.len()
            + trace.ops.len()
            + trace.annotations.len()
    });
    let kernels = traces().flat_map(|trace| &trace.device_events);
    let kernels = kernels.filter(|event| event.kind.is_kernel()).count();
    [decompress_all(found) as f64 / 1e6, events.sum::<usize>() as f64, kernels as f64]
}
