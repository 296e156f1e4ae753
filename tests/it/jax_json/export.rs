//! Rows of JAX's JSON for tests, and the export of a small xplane as JAX makes it.

use crate::xspace::{self, Space};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use std::io::Write as _;

/// The process of the host in JAX's own files.
pub(super) const HOST: i64 = 701;

/// A row that names a process.
pub(super) fn process(pid: i64, name: &str) -> String {
    json!({"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}}).to_string()
}

/// A row that names a thread.
pub(super) fn thread(pid: i64, tid: i64, name: &str) -> String {
    json!({"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": name}})
        .to_string()
}

/// An event on a lane, with its times as they are written and the rest of its text.
pub(super) fn event(lane: (i64, i64), ts: &str, dur: &str, name: &str, args: &str) -> String {
    let (pid, tid) = lane;
    format!(
        r#"{{"ph":"X","pid":{pid},"tid":{tid},"ts":{ts},"dur":{dur},"name":"{name}","args":{{{args}}}}}"#
    )
}

/// An instant, as XProf's trace viewer writes an event without length.
pub(super) fn instant(lane: (i64, i64), ts: &str, name: &str) -> String {
    let (pid, tid) = lane;
    format!(r#"{{"name": "{name}", "ph": "i", "pid": {pid}, "s": "t", "tid": {tid}, "ts": {ts}}}"#)
}

/// The document around the rows, as JAX writes it.
pub(super) fn document(rows: &[String]) -> String {
    format!(
        r#"{{"displayTimeUnit":"ns","metadata":{{"highres-ticks":true}},"traceEvents":[{},{{}}]}}"#,
        rows.join(",\n")
    )
}

pub(super) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// The rows that JAX's exporter makes of an xplane, without the empty one at the end.
pub(super) fn rows(space: &Space) -> Vec<String> {
    let text = xspace::json::write(&space.message());
    let (_, list) = text.split_once('[').unwrap();
    let list = list.strip_suffix(",{}]}").unwrap();
    let rows = list.split("},{\"ph\"").enumerate();
    let n_rows = rows.clone().count();
    let whole = |(at, row): (usize, &str)| {
        let start = if at == 0 { "" } else { "{\"ph\"" };
        let end = if at + 1 == n_rows { "" } else { "}" };
        format!("{start}{row}{end}")
    };
    rows.map(whole).collect()
}
