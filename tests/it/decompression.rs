//! What is read does not depend on when it is decompressed: as it is read, or ahead on a thread of its own.

#![expect(clippy::unwrap_used, reason = "a test that cannot prepare its input has failed")]

use crate::harness::in_crate;
use flate2::Compression;
use flate2::write::GzEncoder;
use idleproof::read::{Decompression, Family, FoundFile, Limits, read_family_as};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

const AHEAD: Decompression = Decompression::Ahead { from_bytes: 0 };

/// All that reading a file tells, errors with their places included.
fn told(path: &Path, decompression: Decompression) -> String {
    let file = FoundFile { path: path.to_owned(), shown: "a".to_owned(), named: true };
    format!("{:?}", read_family_as(&Family { files: vec![file] }, decompression, Limits::default()))
}

/// What both ways of reading tell, which must be the same.
fn same(folder: &Path, bytes: &[u8], what: &str) -> String {
    let path = folder.join("a.trace.json.gz");
    std::fs::write(&path, bytes).unwrap();
    let as_read = told(&path, Decompression::AsRead);
    // Threads come and go at other times in each run.
    for _ in 0..2 {
        assert!(told(&path, AHEAD) == as_read, "{what}: it is not told the same");
    }
    as_read
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A trace of so many kernels, each of 170 bytes.
fn trace(n_kernels: usize) -> String {
    let mut text = "{\"traceEvents\": [\n".to_owned();
    for n in 0..n_kernels {
        let comma = if n == 0 { "" } else { ",\n" };
        let (name, ts) = (n * 7_919 % 1_000, 100 + n * 60);
        let _ = write!(
            text,
            "{comma}{{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"kernel_{name}\", \"pid\": 0, \"tid\": 7, \"ts\": {ts}.5, \"dur\": {}, \"args\": {{\"device\": 0, \"stream\": 7, \"correlation\": {}}}}}",
            n * 31 % 50,
            n + 1
        );
    }
    text + "\n]}\n"
}

/// A file, and the same file with every kind of damage.
fn damaged(folder: &Path, whole: &[u8], what: &str) {
    same(folder, whole, what);
    for part in [1, 3, 7, 9] {
        let cut = whole.len() * part / 10;
        same(folder, &whole[..cut], &format!("{what}, cut at {cut}"));
        let mut flipped = whole.to_vec();
        flipped[cut] ^= 0x55;
        same(folder, &flipped, &format!("{what}, damaged at {cut}"));
    }
    for from_end in [1, 5, 8, 9] {
        same(folder, &whole[..whole.len() - from_end], &format!("{what}, {from_end} bytes short"));
        let mut flipped = whole.to_vec();
        flipped[whole.len() - from_end] ^= 1;
        same(folder, &flipped, &format!("{what}, damaged {from_end} bytes before its end"));
    }
    same(folder, &[whole, b"junk"].concat(), &format!("{what}, junk behind it"));
    same(folder, &[whole, whole].concat(), &format!("{what}, twice"));
}

#[test]
fn every_sample_reads_the_same_whole_and_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let samples = walk(&in_crate("tests/captures"));
    assert!(samples.len() > 8, "samples: {samples:?}");
    for sample in samples {
        damaged(folder.path(), &std::fs::read(&sample).unwrap(), &sample.display().to_string());
    }
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else if path.extension().is_some_and(|extension| extension == "gz") {
            found.push(path);
        }
    }
    found
}

#[test]
fn text_of_many_pieces_reads_the_same_whole_and_damaged() {
    let folder = tempfile::tempdir().unwrap();
    // 1.7 MB: more pieces than buffers go round.
    let text = trace(10_000);
    let whole = gzip(text.as_bytes());
    assert!(same(folder.path(), &whole, "whole").contains("kernel_999"));
    damaged(folder.path(), &whole, "many pieces");
    let members = [gzip(&text.as_bytes()[..700_000]), gzip(&text.as_bytes()[700_000..])].concat();
    damaged(folder.path(), &members, "two members");
    for at in [10_000, 131_072, 400_000, 1_200_000] {
        // Text that is no JSON, in sound compression and in compression that is damaged further on.
        let mut broken = text.clone().into_bytes();
        broken[at..at + 4].copy_from_slice(b"\x01\"{]");
        let broken = gzip(&broken);
        let error = same(folder.path(), &broken, &format!("no JSON at {at}"));
        assert!(error.contains("MalformedJson"), "{error}");
        damaged(folder.path(), &broken, &format!("no JSON at {at}"));
    }
}

#[test]
fn the_number_of_threads_shows_in_no_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rank_0.pt.trace.json.gz");
    // Large enough on disk for a thread of its own.
    let bytes = gzip(trace(40_000).as_bytes());
    assert!(bytes.len() > 300_000, "{} bytes", bytes.len());
    std::fs::write(&path, bytes).unwrap();
    let report = |threads: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_idleproof"))
            .args(["check", "--threads", threads, "--report", "json=-"])
            .arg(&path)
            .output()
            .unwrap();
        (output.status.code(), output.stdout, output.stderr)
    };
    let one = report("1");
    assert!(!one.1.is_empty());
    assert!(report("2") == one && report("8") == one, "the outputs differ");
}
