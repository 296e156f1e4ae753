//! Reading against decompression alone, as paired ratios of one run: wall times differ between machines and hours,
//! ratios hardly do.
//!
//! `cargo bench --bench read -- [FILE.json.gz | MEGABYTES]`; without an argument a trace of 200 MB is generated.

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use idleproof::policy::Policy;
use idleproof::read::{Family, Found, FoundFile, read_family};
use idleproof::trace::Trace;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Runs of each side; they take turns, so that both meet the same disturbances.
const RUNS: usize = 7;

/// What reading may cost on one core, as a multiple of decompressing alone.
const RATIO_MAX: f64 = 3.0;

fn main() -> std::io::Result<()> {
    let argument = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let (path, generated) = match argument.as_deref().map(str::parse::<usize>) {
        None => (generate(200)?, true),
        Some(Ok(megabytes)) => (generate(megabytes)?, true),
        Some(Err(_)) => (PathBuf::from(argument.unwrap_or_default()), false),
    };
    let outcome = compare(&path);
    if generated {
        std::fs::remove_file(&path)?;
    }
    outcome
}

fn compare(path: &Path) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let (mut alone, mut reading, mut checking) = (Vec::new(), Vec::new(), Vec::new());
    let mut text_bytes = 0;
    let mut kept = (0, 0);
    for _ in 0..RUNS {
        let start = Instant::now();
        text_bytes = decompress(path)?;
        alone.push(start.elapsed());
        let start = Instant::now();
        kept = read(path);
        reading.push(start.elapsed());
        let start = Instant::now();
        check(path);
        checking.push(start.elapsed());
    }
    let (read_ratio, check_ratio) = (ratio(&alone, &reading), ratio(&alone, &checking));
    let (rows, bytes) = kept;
    writeln!(out, "text {:.1} MB, {rows} kept events", text_bytes as f64 / 1e6)?;
    writeln!(
        out,
        "decompress {:.1} ms, read {:.1} ms, read and check {:.1} ms",
        ms(&alone),
        ms(&reading),
        ms(&checking)
    )?;
    writeln!(
        out,
        "ratio: read {read_ratio:.2}, read and check {check_ratio:.2} (medians of {RUNS} pairs, at most {RATIO_MAX})"
    )?;
    writeln!(out, "memory {:.1} bytes a kept event", bytes as f64 / f64::from(rows.max(1)))?;
    if check_ratio > RATIO_MAX {
        return Err(std::io::Error::other("reading costs too much"));
    }
    Ok(())
}

/// The median of the ratios of paired runs.
fn ratio(alone: &[Duration], other: &[Duration]) -> f64 {
    let pairs = alone.iter().zip(other);
    median_of(pairs.map(|(alone, other)| other.as_secs_f64() / alone.as_secs_f64()).collect())
}

fn ms(times: &[Duration]) -> f64 {
    median_of(times.iter().map(Duration::as_secs_f64).collect()) * 1e3
}

fn median_of(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn decompress(path: &Path) -> std::io::Result<u64> {
    let mut decoder = MultiGzDecoder::new(BufReader::with_capacity(1 << 16, File::open(path)?));
    let mut buffer = vec![0; 256 << 10];
    let mut text_bytes = 0;
    loop {
        match decoder.read(&mut buffer)? {
            0 => return Ok(text_bytes),
            read => text_bytes += read as u64,
        }
    }
}

/// Reads a capture; returns how many events it keeps, and the bytes that their tables and names hold.
fn read(path: &Path) -> (u32, usize) {
    match read_family(&family(path)).captures.first() {
        Some(Ok(capture)) => weigh(&capture.primary().trace),
        _ => (0, 0),
    }
}

fn family(path: &Path) -> Family {
    Family {
        files: vec![FoundFile { path: path.to_owned(), shown: "bench".to_owned(), named: true }],
    }
}

/// The whole gate on one file, under the default policy.
fn check(path: &Path) -> usize {
    let found = Found { families: vec![family(path)], skipped: Vec::new() };
    let Ok(policy) = Policy::preset("default", idleproof::vocabulary(&[])) else { return 0 };
    idleproof::evaluate(
        &found,
        &policy,
        jiff::civil::date(2026, 1, 1),
        &idleproof::Options::default(),
    )
    .captures
    .len()
}

fn weigh(trace: &Trace) -> (u32, usize) {
    fn table<T>(rows: &Vec<T>) -> (usize, usize) {
        (rows.len(), rows.capacity() * size_of::<T>())
    }
    let tables = [
        table(&trace.device_events),
        table(&trace.host_calls),
        table(&trace.ops),
        table(&trace.annotations),
    ];
    let rows: usize = tables.iter().map(|table| table.0).sum();
    let bytes: usize = tables.iter().map(|table| table.1).sum();
    (u32::try_from(rows).unwrap_or(u32::MAX), bytes + trace.names.text_bytes())
}

/// Writes a trace with the mix of events that real ROCm traces with Python stacks have: by bytes, about half Python
/// frames, a fifth operators, a seventh runtime calls, a twelfth kernels, and flow arrows.
fn generate(megabytes: usize) -> std::io::Result<PathBuf> {
    let path = std::env::temp_dir().join(format!("idleproof-bench-{}.json.gz", std::process::id()));
    let mut file = GzEncoder::new(BufWriter::new(File::create(&path)?), Compression::default());
    file.write_all(b"{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n")?;
    let (mut written, mut step) = (0, 0_u64);
    let mut text = String::new();
    while written < megabytes * 1_000_000 {
        text.clear();
        one_step(&mut text, step);
        file.write_all(text.as_bytes())?;
        (written, step) = (written + text.len(), step + 1);
    }
    file.write_all(b"  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n")?;
    file.write_all(b"    \"pid\": \"\", \"tid\": \"\", \"ts\": 4026150480989.488\n  }\n  ]\n}\n")?;
    file.finish()?.flush()?;
    Ok(path)
}

/// One launched kernel and what stands around it. Numbers vary with `step` as a real trace's do.
fn one_step(text: &mut String, step: u64) {
    let mut state = step.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut vary = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let ts = 4_026_150_069_145_000 + step * 97_000;
    let time = |ns: u64| format!("{}.{:03}", ns / 1_000, ns % 1_000);
    for frame in 0..6 {
        let (line, module) = (vary(900), vary(40));
        let _ = write!(
            text,
            "  {{\n    \"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"models/layer_{module}/attention.py({line}): forward\", \"pid\": 425, \"tid\": 425,\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      \"Python parent id\": {}, \"Python id\": {}, \"Ev Idx\": {}\n    }}\n  }},\n",
            time(ts + frame * 100),
            time(vary(90_000)),
            step * 6,
            step * 6 + frame,
            step * 8 + frame
        );
    }
    let op = match vary(4) {
        0 => "aten::mm",
        1 => "aten::add_",
        2 => "aten::copy_",
        _ => "aten::layer_norm",
    };
    let _ = write!(
        text,
        "  {{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"{op}\", \"pid\": 425, \"tid\": 425,\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      \"External id\": {step},\"Record function id\": 0, \"Concrete Inputs\": [\"\", \"[1, {}]\", \"4\"], \"Input type\": [\"c10::BFloat16\", \"ScalarList\", \"Scalar\"], \"Input Strides\": [[{}, 1], [], []], \"Input Dims\": [[{}, 77], [], []], \"Ev Idx\": {}\n    }}\n  }},\n",
        time(ts + 700),
        time(vary(30_000)),
        vary(4096),
        vary(4096),
        vary(4096),
        step * 8 + 7
    );
    let correlation = step + 17_000;
    let _ = write!(
        text,
        "  {{\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"hipLaunchKernel\", \"pid\": 425, \"tid\": 425,\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      \"External id\": {step},      \"kernel\": \"gemm_{}\", \"cid\": 211, \"correlation\": {correlation}, \"grid\": [{}, 1, 1], \"block\": [256, 1, 1], \"shared memory\": 0\n    }}\n  }},\n  {{\n    \"ph\": \"s\", \"id\": {correlation}, \"pid\": 425, \"tid\": 425, \"ts\": {},\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"\n  }},\n",
        time(ts + 800),
        time(vary(9_000)),
        vary(50),
        vary(65_536),
        time(ts + 800)
    );
    let _ = write!(
        text,
        "  {{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void ck::kernel_gemm_xdl<{}, 128, float>(float const*, float*)\", \"pid\": 2, \"tid\": 0,\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      \"External id\": {step},      \"device\": 2, \"stream\": 0,      \"correlation\": {correlation}, \"kind\": \"Dispatch Kernel\",      \"grid\":     [77, 1, 1], \"block\":     [128, 1, 1]\n    }}\n  }},\n  {{\n    \"ph\": \"f\", \"id\": {correlation}, \"pid\": 2, \"tid\": 0, \"ts\": {},\n    \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"\n  }},\n",
        vary(200),
        time(ts + 9_000),
        time(vary(80_000)),
        time(ts + 9_000)
    );
}
