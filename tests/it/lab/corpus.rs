//! Real captures that are known to be complete, under every kind of damage. They do not ship.

use super::capture::Capture;
use super::damage::KINDS;
use super::subject::{Run, Subject};
use super::table::Row;
use crate::fixture::gunzip;
use crate::harness::outside_data;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Captures whose every launch is known to own its records, with the folder of their shards.
const COMPLETE: &[(&str, &str)] = &[
    ("a100-alexnet/rank_0", ""),
    ("a100-nccl-two-rank-config/rank_0", ""),
    ("a100-simple-add/rank_0", ""),
    ("b300-sglang-deepseek-r1/rank_0", ""),
    ("mi250-minitoy/trace", ""),
    ("mi300-bert-small/trace", ""),
    ("mi300-falconsai/trace", ""),
    ("mi300-qwen-0.5b/trace", ""),
    ("mi300-resnet-act-checkpoint/rank_0", ""),
    ("mi300-resnet18-host-bound/trace", ""),
    ("mi300-sglang-deepseek-r1/rank_0", ""),
    ("normalization-layer/trace", ""),
    ("torch-compile-triton/trace", ""),
    ("v100-dlrm-8-ranks/rank_0", ""),
    ("v100-dlrm-8-ranks/rank_7", ""),
    ("vllm-decode-full/rank_0", "capture_traces"),
    ("vllm-prefilldecode-piecewise/rank_0", "capture_traces"),
    ("vllm-prefilldecode-piecewise/rank_0", ""),
    ("xdit-flux1-aiter-sage/rank_0", ""),
];

/// The rows of those whose file is no longer than `bytes_max`; `None` where they are not at hand.
pub(crate) fn rows(bytes_max: u64) -> Option<Vec<Row>> {
    let corpus = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "corpus")?.join("kineto");
    let is_short = |name: &str| {
        let length = std::fs::metadata(path(&corpus, name)).map(|file| file.len());
        length.is_ok_and(|length| length <= bytes_max)
    };
    let complete: Vec<_> = COMPLETE.iter().filter(|(name, _)| is_short(name)).collect();
    let subjects: Vec<Subject> = complete
        .par_iter()
        .map(|(name, shards)| Subject::new(read(&corpus, name, shards)))
        .collect();
    let pairs: Vec<(usize, usize)> =
        (0..KINDS.len()).flat_map(|kind| (0..subjects.len()).map(move |at| (kind, at))).collect();
    let runs: Vec<Run> = pairs
        .par_iter()
        .map(|&(kind, at)| {
            let mut run = subjects[at].run(&KINDS[kind], (kind * 1_000 + at) as u64);
            run.fault =
                run.fault.map(|fault| format!("{} {}: {fault}", complete[at].0, complete[at].1));
            run
        })
        .collect();
    let mut runs = runs.into_iter();
    let row = |kind| Row::new(kind, runs.by_ref().take(subjects.len()).collect());
    Some(KINDS.iter().map(row).collect())
}

fn path(corpus: &Path, name: &str) -> PathBuf {
    corpus.join(format!("{name}.pt.trace.json.gz"))
}

fn read(corpus: &Path, name: &str, shards: &str) -> Capture {
    let path = path(corpus, name);
    let unpacked = |path: &Path| {
        let bytes =
            std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        gunzip(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let mut capture = Capture::parse(&unpacked(&path))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // Most of the text, and nothing that any claim rests on.
    capture.retain(|event| event["cat"] != "python_function");
    if !shards.is_empty() {
        let folder = path.with_file_name(shards);
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let shard = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().replace(".gz", "");
            (format!("{shards}/{name}"), unpacked(path))
        };
        let shards: Vec<_> = files.map(|entry| shard(&entry.path())).collect();
        capture.shards = Arc::from(shards);
    }
    capture
}
