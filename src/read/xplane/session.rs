//! What the profiler says of its session: when it ran, with which versions, on which host, and what went wrong.

use super::super::jax::{Builder, Role};
use super::super::limits::{
    HEADER_FIELD_BYTES_MAX, HEADER_FIELDS_MAX, HEADER_ROWS_MAX, LOG_LINE_BYTES_MAX,
};
use super::super::tally::Oddity;
use super::super::text::shortened;
use super::lines::{Anchor, Opened};
use super::plane::Space;
use super::stat::{Stat, Value};
use super::wire::Fault;
use crate::trace::Origin;
use crate::units::Interval;

/// Times of the session, in nanoseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Default)]
struct Session {
    start_ns: Option<i64>,
    stop_ns: Option<i64>,
}

/// Takes the session's fields, log lines and times.
pub(super) fn read(
    builder: &mut Builder,
    space: &Space<'_>,
    opened: &[Opened<'_, '_>],
    anchor: Anchor,
) -> Result<(), Fault> {
    let mut session = Session::default();
    for plane in opened {
        if matches!(plane.role, Role::Session | Role::Programs) {
            fields(builder, plane, &mut session)?;
        }
    }
    for host in &space.hostnames {
        field(builder, "hostname", &String::from_utf8_lossy(host));
    }
    let planes: Vec<_> =
        opened.iter().map(|plane| String::from_utf8_lossy(plane.plane.name)).collect();
    field(builder, "planes", &planes.join(", "));
    for (level, lines) in [("ERROR", &space.errors), ("WARNING", &space.warnings)] {
        for line in lines {
            let log = &mut builder.trace.profiler.log;
            if log.len() < HEADER_ROWS_MAX {
                log.push((
                    level.to_owned(),
                    shortened(&String::from_utf8_lossy(line), LOG_LINE_BYTES_MAX),
                ));
            }
        }
    }
    builder.trace.origin = Origin { file_ns: anchor.origin_ns, base_unix_ns: session.start_ns };
    if let (Some(start), Some(stop)) = (session.start_ns, session.stop_ns) {
        span(builder, start, stop, anchor);
    }
    Ok(())
}

/// Takes the statistics of a plane that has no events.
fn fields(
    builder: &mut Builder,
    opened: &Opened<'_, '_>,
    session: &mut Session,
) -> Result<(), Fault> {
    let dictionary = opened.plane.dictionary()?;
    let mut found = Vec::new();
    for Stat { name, value } in opened.plane.stats()? {
        match dictionary.stats.get(name) {
            Some(row) => found.push((row.text, value)),
            None => builder.tally.note(Oddity::DanglingId, "", 1),
        }
    }
    // The producers' order comes from a hash map and says nothing.
    found.sort_by_key(|(name, _)| *name);
    for (name, value) in found {
        let time = || value.amount().and_then(|ns| i64::try_from(ns).ok());
        match name {
            b"profile_start_time" => session.start_ns = time(),
            b"profile_stop_time" => session.stop_ns = time(),
            _ => {}
        }
        let shown = match value {
            Value::Unsigned(number) => number.to_string(),
            Value::Signed(number) => number.to_string(),
            Value::Double(number) => number.to_string(),
            Value::Bytes(_) | Value::Absent => continue,
            Value::Text(_) | Value::Ref(_) => {
                dictionary.text(value).unwrap_or_default().into_owned()
            }
        };
        field(builder, &String::from_utf8_lossy(name), &shown);
    }
    Ok(())
}

fn field(builder: &mut Builder, name: &str, value: &str) {
    let fields = &mut builder.trace.profiler.fields;
    if fields.len() < HEADER_FIELDS_MAX {
        let (name, value) =
            (shortened(name, HEADER_FIELD_BYTES_MAX), shortened(value, HEADER_FIELD_BYTES_MAX));
        fields.push((name, value));
    }
}

/// The span that was recorded. The axis of the lines counts from its start, so it starts at the axis's zero.
fn span(builder: &mut Builder, start_ns: i64, stop_ns: i64, anchor: Anchor) {
    let length = stop_ns.checked_sub(start_ns);
    let ends = anchor.relative(0).zip(length.and_then(|length| anchor.relative(length)));
    let span = ends.and_then(|(start, end)| Interval::new(start, end));
    builder.tally.note(Oddity::ProfilerSpan, "", u64::from(span.is_none()));
    builder.trace.profiler.span = span;
}
