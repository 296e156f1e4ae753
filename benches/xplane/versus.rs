//! Reading large xplanes: our walk and prost's full decode in turns, each in a process of its own, on the same bytes.

use crate::{synthetic, xplane_pb};
use idleproof::read::read_xplane;
use prost::Message as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use xplane_pb::{XLine, XSpace};

/// Size of an input.
const BYTES: usize = 200 << 20;

/// Something that a reading takes.
pub(crate) struct Measure {
    /// Its name, and its unit.
    pub(crate) name: &'static str,
    /// Its value now.
    pub(crate) now: fn() -> f64,
    /// What a reading took, by the values before and after it.
    pub(crate) took: fn(f64, f64) -> f64,
}

/// What the walk and the full decode took in one turn, by measure.
struct Turn {
    walk: Vec<f64>,
    prost: Vec<f64>,
}

/// Compares the readers on each input; in a process that was started for one reading, reads.
///
/// The inputs are the file that the command line names, else a synthetic capture and a given one, each repeated to
/// 200 MB.
pub(crate) fn run(n_turns: usize, measures: &[Measure]) {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|one| !one.starts_with("--")).collect();
    match arguments.as_slice() {
        [reader, file] => read(reader, Path::new(file), measures),
        [file] => compare(file, &std::fs::read(file).unwrap(), n_turns, measures),
        _ => {
            compare("synthetic capture", &synthetic::space().encode_to_vec(), n_turns, measures);
            let given = given_capture();
            match std::fs::read(&given) {
                Ok(bytes) => compare("given capture", &bytes, n_turns, measures),
                Err(_) => println!("no given capture at {}: skipped", given.display()),
            }
        }
    }
}

fn given_capture() -> PathBuf {
    let folder =
        std::env::var_os("IDLEPROOF_CORPUS").map_or("../shared/captures".into(), PathBuf::from);
    folder.join("jax/mi300-attention/host.xplane.pb")
}

fn compare(name: &str, capture: &[u8], n_turns: usize, measures: &[Measure]) {
    let folder = std::env::temp_dir().join(format!("idleproof-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let input = folder.join("large.xplane.pb");
    let (bytes, n_events) = repeated(capture);
    std::fs::write(&input, &bytes).unwrap();
    let (mb, event_bytes) = (bytes.len() as f64 / 1e6, bytes.len() as f64 / n_events as f64);
    println!("{name}: {mb:.0} MB, {n_events} events of {event_bytes:.1} bytes, {n_turns} turns");
    let turn = |_| Turn { walk: took("walk", &input), prost: took("prost", &input) };
    let turns: Vec<Turn> = (0..n_turns).map(turn).collect();
    std::fs::remove_dir_all(&folder).unwrap();
    println!("{:>20} {:>8} {:>8}   prost : walk", "", "walk", "prost");
    for (row, measure) in measures.iter().enumerate() {
        println!(
            "{:>20} {:>8.3} {:>8.3}   {:.2}",
            measure.name,
            median(turns.iter().map(|turn| turn.walk[row])),
            median(turns.iter().map(|turn| turn.prost[row])),
            median(turns.iter().map(|turn| turn.prost[row] / turn.walk[row]))
        );
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The capture's lines, again and again: the planes keep their names, ids and programs, and grow.
fn repeated(capture: &[u8]) -> (Vec<u8>, usize) {
    let mut space = XSpace::decode(capture).expect("a capture");
    let mut lines: Vec<Vec<XLine>> =
        space.planes.iter_mut().map(|plane| std::mem::take(&mut plane.lines)).collect();
    let rest = space.encoded_len();
    let times = (BYTES - rest) / (capture.len() - rest) + 1;
    let mut n_events = 0;
    for (plane, lines) in space.planes.iter_mut().zip(&mut lines) {
        for line in lines.drain(..) {
            let events: Vec<_> =
                std::iter::repeat_n(&line.events, times).flatten().cloned().collect();
            n_events += events.len();
            plane.lines.push(XLine { events, ..line });
        }
    }
    (space.encode_to_vec(), n_events)
}

/// What a reader takes in a process of its own, by measure.
fn took(reader: &str, input: &Path) -> Vec<f64> {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).arg(reader).arg(input).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

fn read(reader: &str, input: &Path, measures: &[Measure]) {
    let bytes = std::fs::read(input).unwrap();
    let before: Vec<f64> = measures.iter().map(|measure| (measure.now)()).collect();
    let tell = || {
        let after: Vec<f64> = measures.iter().map(|measure| (measure.now)()).collect();
        for ((measure, before), after) in measures.iter().zip(&before).zip(&after) {
            println!("{}", (measure.took)(*before, *after));
        }
    };
    // What was read is dropped after it was told.
    let kept = match reader {
        "walk" => {
            let record = read_xplane(&bytes, "large").unwrap();
            tell();
            record.trace.host_spans.len() + record.trace.device_events.len()
        }
        _ => {
            let space = XSpace::decode(bytes.as_slice()).unwrap();
            tell();
            space.planes.len()
        }
    };
    assert!(kept > 0);
}
