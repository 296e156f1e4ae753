//! Rows of JAX's JSON for tests, and the export of a small xplane as JAX makes it.

use crate::xspace::{Event, Line, Plane, Space, Stat};
use flate2::Compression;
use flate2::write::GzEncoder;
use idleproof::units::decimal_us;
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

/// The rows that JAX's exporter makes of an xplane: those of the host come first.
pub(super) fn rows(space: &Space) -> Vec<String> {
    let exported = |plane: &&Plane| plane.name == "/host:CPU" || plane.name.contains("GPU");
    let planes = space.planes.iter().filter(exported);
    let named = planes.clone().flat_map(|plane| {
        let pid = pid(plane);
        let threads = plane.lines.iter().map(move |line| thread(pid, tid(line), &line.name));
        std::iter::once(process(pid, &plane.name)).chain(threads)
    });
    let (host, devices): (Vec<_>, Vec<_>) = planes.partition(|plane| pid(plane) == HOST);
    let planes = host.into_iter().chain(devices);
    let events = planes.flat_map(|plane| plane.lines.iter().map(move |line| (plane, line)));
    let events = events.flat_map(|(plane, line)| {
        let lane = (pid(plane), tid(line));
        line.events.iter().map(move |event| exported_event(lane, line, event))
    });
    named.chain(events).collect()
}

fn pid(plane: &Plane) -> i64 {
    if plane.name == "/host:CPU" { HOST } else { plane.id + 1 }
}

fn tid(line: &Line) -> i64 {
    line.id & 0xFFFF_FFFF
}

fn exported_event(lane: (i64, i64), line: &Line, made: &Event) -> String {
    let start = i128::from(line.base_ns) * 1_000 + i128::from(made.start_ps);
    // A length of nothing is written as one picosecond.
    let duration = i128::from(made.duration_ps.max(1));
    let args = made.stats.iter().filter_map(|(name, stat)| {
        let value = match stat {
            // It is not exported.
            _ if *name == "program_id" => return None,
            Stat::Double(value) => value.to_string(),
            Stat::Unsigned(value) => value.to_string(),
            Stat::Signed(value) => value.to_string(),
            Stat::Text(value) => (*value).to_owned(),
            Stat::Ref(value) => value.clone(),
            Stat::Bytes(_) => return None,
        };
        Some(format!("{}:{}", json!(name), json!(value)))
    });
    let args: Vec<String> = args.collect();
    event(lane, &decimal_us(start), &decimal_us(duration), &made.name, &args.join(","))
}
