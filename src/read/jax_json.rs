//! JAX's own JSON, `<host>.trace.json.gz`, and the JSON of XProf's trace viewer, which looks alike.
//!
//! Both are made from the xplane and lose much of it: programs with their ids, the wall clock, what the devices are, and behind
//! a limit the latest events. Processes and threads are known by their names alone: numbers differ between the two.

mod args;
mod axis;
mod fields;
mod lanes;
mod rows;

use super::ReadError;
use super::ReadErrorKind;
use super::bytes::Text;
use super::chrome::Scanner;
use super::document::{self, ByteOrderMark, Document, Sink};
use super::json::Parse;
use super::refusal::{self, Refusal};
use super::source::OnDisk;
use super::tally::Oddity;
use super::window::Access;
use crate::trace::{FileFormat, Record, RecordSource};
use lanes::Lanes;
use rows::{Phase, Rows};
use std::path::Path;

/// Reads a file that holds JAX's JSON, or refuses it. `None` for a sound trace of another producer: no process is named as
/// JAX's profiler names them, or an event has a category of the PyTorch profiler.
pub(super) fn read(path: &Path, shown: &str, access: Access) -> Result<Option<Record>, ReadError> {
    read_text(path, shown, access).map_err(|refusal| refusal.into_error(path, shown))
}

fn read_text(path: &Path, shown: &str, access: Access) -> Result<Option<Record>, Refusal> {
    let (mut jax, mut document) = pass(path, Lanes::default(), access)?;
    // Every known writer names a lane before its events. Where a name came late, it is known in a second pass.
    if jax.rows.lanes.has_late_names() {
        (jax, document) = pass(path, jax.rows.lanes.settled(), access)?;
    }
    if !jax.rows.is_jax() {
        return Ok(None);
    }
    let Document { on_disk, mark, .. } = document;
    let mut builder = jax.rows.finish()?;
    builder.tally.note(Oddity::Bom, "", u64::from(mark == ByteOrderMark::Utf8));
    let events = builder.n_events;
    let (mut trace, tally) = builder.finish();
    let (notices, damaged) = tally.finish(|offsets| refusal::lines(path, offsets));
    trace.damaged = damaged;
    let OnDisk { bytes, sha256 } = on_disk;
    let format = FileFormat::JaxJson;
    let source = RecordSource { path: shown.to_owned(), format, bytes, sha256, events };
    Ok(Some(Record { source, trace, notices }))
}

fn pass(path: &Path, lanes: Lanes, access: Access) -> Result<(JaxJson, Document), Refusal> {
    let mut jax = JaxJson { scanner: Scanner::default(), rows: Rows::new(lanes) };
    let document = document::read(path, access, &mut jax)?;
    Ok((jax, document))
}

/// The state of reading one file.
struct JaxJson {
    scanner: Scanner<Phase>,
    rows: Rows,
}

impl Sink for JaxJson {
    fn event(&mut self, text: Text<'_>, at: usize, base: u64) -> Parse<usize> {
        self.scanner.event(&mut self.rows, text, at, base)
    }

    fn wants(&self, _key: &str) -> bool {
        false
    }

    /// What stands beside the events is the same in every file: that times are fine, and a unit for display.
    fn field(&mut self, _key: &str, _value: &[u8]) {}

    fn non_finite(&mut self, token: &[u8], offset: u64) {
        self.rows.odd_field(token, offset);
    }

    fn check_limits(&self) -> Result<(), Refusal> {
        self.rows.check_limits()
    }
}

/// The refusal of a file that names its processes and has no event.
fn no_events() -> Refusal {
    Refusal::new(
        ReadErrorKind::NoEvents,
        "no process has an event: the profiler recorded nothing",
        "check that the profiled code ran between start_trace and stop_trace",
    )
}

#[cfg(test)]
mod tests {
    use super::{Access, read_text};
    use crate::read::decompression::Decompression;

    fn window(window_bytes: usize) -> Access {
        Access { window_bytes, decompression: Decompression::AsRead, text_bytes_max: u64::MAX }
    }

    #[test]
    fn where_the_window_ends_makes_no_difference() {
        let events = r#"
            {"ph": "X", "pid": 1, "tid": 7, "ts": 1.5, "dur": 20.25, "name": "a\"b",
             "args": {"correlation_id": "3", "hlo_op": "fusion", "x": null, "y": nan}},
            {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}},
            {"ph": "M", "pid": 1, "tid": 7, "name": "thread_name", "args": {"name": "Stream #7"}},
            {"ph": "X", "pid": 1, "tid": 8, "ts": 2, "dur": 1e-06, "name": "lost"},
            {},
            17"#;
        let text = format!(
            "\u{FEFF} {{ \"metadata\" : {{ \"highres-ticks\" : true }} , \"traceEvents\" : [ {events} \n ] , \"c\" : [ inf ] }} \n"
        );
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &text).unwrap();
        let whole = read_text(file.path(), "a", window(text.len() * 3)).unwrap().unwrap();
        assert_eq!(whole.trace.device_events.len(), 1);
        let whole = format!("{whole:?}");
        for window_bytes in 4..text.len() {
            let read = read_text(file.path(), "a", window(window_bytes)).unwrap().unwrap();
            assert_eq!(format!("{read:?}"), whole, "{window_bytes}");
        }
    }
}
