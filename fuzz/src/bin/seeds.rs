//! Writes the seeds of every target: `cargo run --bin seeds` in `fuzz/`.
//!
//! They are made from the captures under `tests/captures`, and from those in the folder that `IDLEPROOF_SEEDS` names, if any.

use flate2::read::MultiGzDecoder;
use idleproof_fuzz::targets::{PROGRAMS, REPORT, programs, space};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Longest seed: what is longer is made shorter, or left out.
const BYTES_MAX: usize = 48 << 10;

/// Events of a trace that stay.
const EVENTS_MAX: usize = 60;

fn main() {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = crate_root.parent().expect("the program's folder");
    let mut files = Vec::new();
    collect(&root.join("tests/captures"), &mut files);
    if let Some(folder) = std::env::var_os("IDLEPROOF_SEEDS") {
        collect(Path::new(&folder), &mut files);
    }
    files.sort();
    let corpus = crate_root.join("corpus");
    let mut n = 0;
    let mut put = |target: &str, bytes: &[u8]| {
        if bytes.len() <= BYTES_MAX {
            n += 1;
            let folder = corpus.join(target);
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join(format!("seed-{n:04}")), bytes).expect("a file");
        }
    };
    for file in files {
        let bytes = fs::read(&file).unwrap_or_default();
        let name = file.to_string_lossy();
        if name.ends_with(".xplane.pb") {
            put("xplane", &bytes);
        } else if name.ends_with(".json") || name.ends_with(".json.gz") {
            put("trace_json", &bytes);
            if let Some(text) = shortened(&bytes) {
                put("trace_json", &text);
            }
        }
    }
    for (which, bytes) in PROGRAMS.iter().enumerate() {
        let mut space = space(bytes);
        for program in programs(&mut space) {
            let head = u8::try_from(which).expect("few captures");
            put("hlo", &[&[head], program.as_slice()].concat());
        }
    }
    for folder in ["policies", "docs/examples", "goldens"] {
        let mut files = Vec::new();
        collect(&root.join(folder), &mut files);
        for file in files {
            let target = match file.extension().and_then(|ending| ending.to_str()) {
                Some("toml") => "policy",
                Some("snap") => "golden",
                _ => continue,
            };
            put(target, &fs::read(&file).unwrap_or_default());
        }
    }
    for text in ["void k<T>\u{1}a.json\u{1}]]><![CDATA[\u{1}\u{1b}[31m::error::\u{202e}", "\u{0}\u{fffe}&amp;<a b=\"'\">"] {
        put("junit", text.as_bytes());
    }
    let output = idleproof::render::find("json").and_then(|output| output.text(&REPORT)).expect("a text");
    put("report", output.as_bytes());
    println!("{n} seeds in {}", corpus.display());
}

/// A trace with some of its events, from all over it.
fn shortened(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut text = bytes.to_vec();
    if bytes.starts_with(&[0x1F, 0x8B]) {
        text.clear();
        MultiGzDecoder::new(bytes).take(256 << 20).read_to_end(&mut text).ok()?;
    }
    let mut document: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let events = document.get_mut("traceEvents")?.as_array_mut()?;
    let step = events.len().div_ceil(EVENTS_MAX).max(1);
    *events = events.iter().step_by(step).cloned().collect();
    serde_json::to_vec(&document).ok()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}
