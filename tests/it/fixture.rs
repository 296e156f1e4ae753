//! The fixture language: a capture in a few lines of text, written out as the bytes that a Kineto profiler would write.
//!
//! One statement a line; `#` starts a comment; a word with blanks stands in `"quotes"`; times are microseconds with up to
//! three decimals and stay exact. The same text gives the same bytes. A fixture that starts with `producer jax-…` is JAX's:
//! what differs stands at the top of `fixture/jax.rs`.
//!
//! # Header (anywhere, optional)
//!
//! | statement | meaning | default |
//! |---|---|---|
//! | `producer cuda` / `rocm` | who recorded: names of calls, args and default ids follow | `cuda` |
//! | `gpu 0 "NAME"` / `gpu 0..7 "NAME"` | listed devices (`deviceProperties`); `gpu none` leaves the key out | one H100, eight MI300X |
//! | `rank 0 of 8` | `distributedInfo` | absent |
//! | `origin US` | added to every time | `2199280000000` |
//! | `base NS` / `base none` | `baseTimeNanoseconds` | a multiple of three months |
//! | `resolution us` | old files: whole microseconds | `ns` |
//! | `layout kineto` / `compact` / `late-header` | PyTorch's own lines; one line; rewritten with the header after the events | `kineto` |
//! | `without flows` / `span` / `rows` | leaves out flow arrows; the profiler's span and window marks; metadata rows | all written |
//! | `field KEY JSON` | one more top-level field, after the events for `INFO`, `WARNING`, `ERROR` | – |
//!
//! # Events: `KIND [NAME] TIME [key=value]…`
//!
//! | kind | writes |
//! |---|---|
//! | `op NAME T` | `cpu_op`; `id=N` sets its External id |
//! | `annotation NAME T`, `python NAME T` | `user_annotation`, `python_function` |
//! | `launch T` | the producer's kernel launch call; `api=NAME` for another one |
//! | `graph-launch T` | the producer's graph launch call; `api=` likewise |
//! | `copy T`, `set T` | the producer's asynchronous copy and fill calls; `api=` likewise |
//! | `call NAME T` | any other runtime call; `driver NAME T` the same in category `cuda_driver` |
//! | `sync T`, `capture-begin T`, `capture-end T` | device synchronisation, begin and end of stream capture; `api=` likewise |
//! | `kernel NAME T`, `memcpy HtoD T`, `memset T` | device work |
//! | `gpu-annotation NAME T`, `sync-row NAME T` | device rows that are no work |
//! | `raw JSON` | one event, written as it stands |
//!
//! `TIME` is `A..B`, `A+D` (start and length), `>G+D` (starts G after the end of the lane so far) or `A>G+D` (the later of
//! both: work that was queued at A). A lane is a device's stream or a host thread. `D~J` varies a length by up to J, always in the same way.
//!
//! Keys: `corr`, `ext` (number or `none`), `stream`, `device`, `thread`, `bytes`, `args={JSON}` (added to the event's args),
//! `ts=` and `dur=` (written as they stand: `ts=0`, `dur=nan`), `times=N` with `step=US` (the line N times; `{n}` in a name counts from 0).
//!
//! Ids that are not written follow from the text: a call takes the next correlation and the External id of the innermost
//! operator above it in the text that encloses it on its thread; device work takes both from the last call above it that can hand over work.
//! Only an explicit `corr` on a call moves the count.
//!
//! # Blocks and loss
//!
//! `repeat N [as VAR [from K]] [every US] {` … `}` shifts times by US each round, and `{VAR}` in names counts from K (0).
//! `lose replays=A..B [keep=N]` and `lose corr=A..B [keep=N]` remove the device work of these graph launches
//! (counted from 1 in order of text) or correlations, but for the first N records of each.

mod build;
mod expand;
pub(crate) mod jax;
mod kineto;
mod parse;
mod time;

use std::fmt;
use std::io::{Read, Write};

/// What is wrong with a fixture, and in which line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FixtureError {
    /// Counted from 1.
    pub(crate) line: usize,
    /// A lower-case fragment.
    pub(crate) reason: String,
}

impl FixtureError {
    fn new(line: usize, reason: impl Into<String>) -> Self {
        Self { line, reason: reason.into() }
    }
}

impl fmt::Display for FixtureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// The files of the capture that a fixture describes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// The JSON of a PyTorch profiler.
    Kineto(Vec<u8>),
    /// The files of a JAX profiler.
    Jax(jax::Written),
}

impl Written {
    /// The JSON of a fixture that is known to be of a PyTorch profiler.
    pub(crate) fn kineto(self) -> Vec<u8> {
        match self {
            Self::Kineto(json) => json,
            Self::Jax(_) => panic!("a fixture for JAX"),
        }
    }

    /// The xplane of a fixture that is known to be of JAX, by its name.
    pub(crate) fn xplane(self) -> (String, Vec<u8>) {
        match self {
            Self::Kineto(_) => panic!("a fixture for PyTorch"),
            Self::Jax(files) => ("host.xplane.pb".to_owned(), files.xplane),
        }
    }
}

/// Writes the capture that a fixture describes, in the language that its first statement asks for.
pub(crate) fn write(text: &str) -> Result<Written, FixtureError> {
    if jax::is_jax(text) {
        return jax::write(text).map(Written::Jax);
    }
    let statements = parse::statements(text, &build::DIALECT)?;
    let capture = build::capture(&statements)?;
    Ok(Written::Kineto(kineto::write(&capture).into_bytes()))
}

/// Compressed as PyTorch does it, but without a time stamp.
pub(crate) fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = flate2::GzBuilder::new().write(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// The text inside compressed bytes; plain bytes as they are.
pub(crate) fn gunzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes.to_vec());
    }
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{FixtureError, Written, gunzip, gzip};
    use serde_json::Value;

    fn write(text: &str) -> Result<Vec<u8>, FixtureError> {
        match super::write(text)? {
            Written::Kineto(json) => Ok(json),
            Written::Jax(_) => panic!("no Kineto fixture"),
        }
    }

    fn events(text: &str) -> Vec<Value> {
        let bytes = write(text).unwrap_or_else(|error| panic!("{error}"));
        let file: Value = serde_json::from_slice(&bytes).unwrap();
        file["traceEvents"].as_array().unwrap().clone()
    }

    fn of<'a>(events: &'a [Value], category: &str) -> Vec<&'a Value> {
        events.iter().filter(|event| event["cat"] == category).collect()
    }

    #[test]
    fn ids_follow_from_the_text() {
        let events = events(
            "origin 1000\n\
             op aten::mm 0..30\n\
             launch 5..9\n\
             kernel gemm 20+100\n\
             op aten::add 40..60\n\
             launch 45+4\n\
             kernel add 50>0.5+10\n\
             graph-launch 70..80 corr=7\n\
             kernel node_{n} >0+1 times=2\n",
        );
        let kernels = of(&events, "kernel");
        let seen: Vec<String> = kernels
            .iter()
            .map(|kernel| {
                let args = &kernel["args"];
                format!(
                    "{} {} {} {}",
                    kernel["name"], kernel["ts"], args["correlation"], args["External id"]
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                "\"gemm\" 1020.0 50001 1",
                "\"add\" 1120.5 50002 2",
                "\"node_0\" 1130.5 7 null",
                "\"node_1\" 1131.5 7 null",
            ]
        );
        assert_eq!(of(&events, "cuda_runtime").len(), 3);
        assert_eq!(of(&events, "ac2g").len(), 7);
    }

    #[test]
    fn blocks_shift_and_losses_remove() {
        let text = "producer rocm\n\
             repeat 4 as step from 3 every 1000 {\n\
               annotation ProfilerStep#{step} 0..900\n\
               graph-launch 10+5\n\
               kernel node 30+10 times=3 step=10\n\
             }\n\
             lose replays=2..3\n\
             lose replays=4 keep=1\n";
        let events = events(text);
        let starts: Vec<f64> =
            of(&events, "kernel").iter().filter_map(|kernel| kernel["ts"].as_f64()).collect();
        let origin = 2_199_280_000_000.0;
        assert_eq!(starts, [30.0, 40.0, 50.0, 3030.0].map(|start| origin + start));
        let steps = of(&events, "user_annotation");
        assert_eq!(steps[3]["name"], "ProfilerStep#6");
        assert_eq!(of(&events, "kernel")[0]["args"]["kind"], "Dispatch Task");
    }

    #[test]
    fn layouts_hold_the_same_events() {
        let body = "op aten::mm 0..30.25\nlaunch 5..9\nkernel gemm 20.1+100\nmemset 130+2\n";
        let all = ["kineto", "compact", "late-header"]
            .map(|layout| events(&format!("layout {layout}\n{body}")));
        assert_eq!(all[0], all[1]);
        assert_eq!(all[0], all[2]);
    }

    #[test]
    fn old_files_have_whole_microseconds() {
        let text = "resolution us\nbase none\norigin 1695835572943613\nkernel k 20+100 ts=0 dur=-5\nkernel k 20+100\n";
        let text = String::from_utf8(write(text).unwrap()).unwrap();
        assert!(text.contains("\"ts\": 0, \"dur\": -5"), "{text}");
        assert!(text.contains("\"ts\": 1695835572943633, \"dur\": 100"), "{text}");
        assert!(!text.contains("baseTimeNanoseconds"));
    }

    #[test]
    fn errors_name_line_and_reason() {
        for (text, line, reason) in [
            ("op aten::mm 0..1\nkernle k 0+1", 2, "unknown statement `kernle`"),
            ("kernel k", 1, "a name or a time is missing"),
            ("kernel k 0+1 colour=red", 1, "`colour` means nothing for `kernel`"),
            ("repeat 3 {\nkernel k 0+1", 1, "this block is never closed"),
            ("}", 1, "`}` closes no block"),
            ("gpu x", 1, "`gpu x` is not understood"),
            ("resolution us\nkernel k 0.5+1", 2, "a time below a microsecond, but `resolution us`"),
            ("kernel \"k 0+1", 1, "a quote or a brace is never closed"),
        ] {
            assert_eq!(write(text), Err(FixtureError::new(line, reason)), "{text}");
        }
    }

    #[test]
    fn compression_is_undone() {
        let text = write("kernel k 0+1").unwrap();
        assert_eq!(gunzip(&gzip(&text).unwrap()).unwrap(), text);
        assert_eq!(gunzip(&text).unwrap(), text);
    }
}
