//! The files: every one follows from its number alone.

#![expect(clippy::expect_used, reason = "a test that cannot prepare its input has failed")]

use super::{bombs, programs};
use crate::fuzz::mutate::{self, Dice};
use crate::harness::in_crate;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use prost::Message as _;
use std::io::{Read as _, Write as _};
use std::sync::Arc;

/// A file that is not made before it is asked for.
pub(super) struct Hostile {
    /// What it is.
    pub(super) name: String,
    /// The ending of its name.
    pub(super) ending: &'static str,
    make: Box<dyn Fn() -> Vec<u8> + Send + Sync>,
}

impl Hostile {
    /// A file of a kind.
    pub(super) fn new(
        name: String,
        ending: &'static str,
        make: impl Fn() -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        Self { name, ending, make: Box::new(make) }
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        (self.make)()
    }
}

/// A sound file that others are made from.
#[derive(Clone)]
pub(super) struct Sound {
    name: &'static str,
    ending: &'static str,
    bytes: Arc<Vec<u8>>,
}

/// Samples that are small enough to be read thousands of times.
const SAMPLES: &[(&str, &str)] = &[
    ("jax-graph/host.trace.json.gz", "trace.json"),
    ("jax-graph-lost/host.trace.json.gz", "trace.json"),
    ("jax-graph/host.xplane.pb", "xplane.pb"),
    ("jax-graph-lost/host.xplane.pb", "xplane.pb"),
    ("jax-async-label/host.xplane.pb", "xplane.pb"),
    ("jax-loop-graph/host.xplane.pb", "xplane.pb"),
    ("jax-cpu-grad/host.xplane.pb", "xplane.pb"),
    ("jax-one-of-eight/host.xplane.pb", "xplane.pb"),
];

/// Traces of PyTorch: four steps with linked kernels, a graph's replay and a copy, and the smallest.
const KINETO: [(&str, &str); 2] = [
    ("linked kernels", include_str!("../../fuzz/trace_json/linked-kernels")),
    ("two kernels", include_str!("../../fuzz/trace_json/everything-at-one-time")),
];

/// Changed files of each sound one, by each way of changing.
const CHANGES: u64 = 120;

/// Cuts of each, and so the length of a file that is cut at every byte.
const CUTS: usize = 1_000;

/// All of them, in one order.
pub(super) fn all() -> Vec<Hostile> {
    let mut all = bombs::all();
    all.extend(programs::all());
    let sound = sound();
    for one in &sound {
        // At every byte of small files.
        let step = if one.bytes.len() <= CUTS { 1 } else { one.bytes.len().div_ceil(CUTS) };
        for at in (0..one.bytes.len()).step_by(step) {
            let bytes = one.bytes.clone();
            all.push(one.becomes("cut at", at as u64, move || bytes[..at].to_vec()));
        }
        for (seed, other) in (0..CHANGES).zip(sound.iter().cycle()) {
            let bytes = one.bytes.clone();
            all.push(one.becomes("flipped", seed, move || flipped(&bytes, seed)));
            let bytes = one.bytes.clone();
            let is_text = one.ending != "xplane.pb";
            all.push(one.becomes("changed", seed, move || changed(&bytes, seed, is_text)));
            let (bytes, other) = (one.bytes.clone(), other.bytes.clone());
            all.push(one.becomes("spliced", seed, move || spliced(&bytes, &other, seed)));
            let bytes = one.bytes.clone();
            all.push(one.becomes("flipped gzip", seed, move || flipped(&gzip(&bytes), seed)));
        }
    }
    all
}

fn sound() -> Vec<Sound> {
    let sample = |&(path, ending): &(&'static str, &'static str)| {
        let bytes = std::fs::read(in_crate("tests/captures").join(path)).expect("a sample");
        Sound { name: path, ending, bytes: Arc::new(plain(&bytes)) }
    };
    let mut all: Vec<Sound> = SAMPLES.iter().map(sample).collect();
    for (name, text) in KINETO {
        let bytes = Arc::new(text.as_bytes().to_vec());
        all.push(Sound { name, ending: "pt.trace.json", bytes });
    }
    let space = bombs::small().encode_to_vec();
    all.push(Sound { name: "a kernel", ending: "xplane.pb", bytes: Arc::new(space) });
    all
}

impl Sound {
    fn becomes(
        &self,
        how: &str,
        number: u64,
        make: impl Fn() -> Vec<u8> + Send + Sync + 'static,
    ) -> Hostile {
        Hostile::new(format!("{} {how} {number}", self.name), self.ending, make)
    }
}

fn plain(bytes: &[u8]) -> Vec<u8> {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return bytes.to_vec();
    }
    let mut text = Vec::new();
    MultiGzDecoder::new(bytes).read_to_end(&mut text).expect("a sound sample");
    text
}

/// The bytes as gzip.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn flipped(bytes: &[u8], seed: u64) -> Vec<u8> {
    let (mut dice, mut bytes) = (Dice::new(seed), bytes.to_vec());
    for _ in 0..=dice.below(8) {
        let (at, bit) = (dice.below(bytes.len()), dice.below(8));
        bytes[at] ^= 1 << bit;
    }
    bytes
}

fn changed(bytes: &[u8], seed: u64, is_text: bool) -> Vec<u8> {
    let changed = if is_text { mutate::json(bytes, seed) } else { mutate::wire(bytes, seed) };
    changed.unwrap_or_default()
}

/// The head of one file with the tail of another, or a piece of the other inside.
fn spliced(one: &[u8], other: &[u8], seed: u64) -> Vec<u8> {
    let mut dice = Dice::new(seed);
    let (at, from) = (dice.below(one.len()), dice.below(other.len()));
    let piece = &other[from..(from + 1 + dice.below(other.len() - from)).min(other.len())];
    let tail = if dice.below(2) == 0 { &one[at..] } else { &[][..] };
    [&one[..at], piece, tail].concat()
}
