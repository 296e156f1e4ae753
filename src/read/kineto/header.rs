//! The fields beside `traceEvents`: versions, devices, ranks, the time base and the profiler's log.

use super::super::limits::{
    HEADER_FIELD_BYTES_MAX, HEADER_FIELDS_MAX, HEADER_ROWS_MAX, HEADER_VALUE_BYTES_MAX,
    LOG_LINE_BYTES_MAX,
};
use super::super::number;
use super::super::tally::{Oddity, Tally};
use super::super::text::shortened;
use crate::trace::{DeviceProperties, Distributed, Profiler};
use serde_json::Value;

/// What the fields said.
#[derive(Default)]
pub(super) struct Header {
    /// What goes into the model.
    pub(super) profiler: Profiler,
    /// What the file's time axis counts from, in nanoseconds since the Unix epoch.
    pub(super) base_unix_ns: Option<i64>,
}

/// Levels of embedded log lines; each is a key.
const LOG_LEVELS: [&str; 3] = ["INFO", "WARNING", "ERROR"];

/// Containers that are interpreted. Others are passed over.
pub(super) fn wants(key: &str) -> bool {
    matches!(key, "deviceProperties" | "distributedInfo") || LOG_LEVELS.contains(&key)
}

impl Header {
    /// Takes a top-level field.
    pub(super) fn field(&mut self, key: &str, text: &[u8], tally: &mut Tally) {
        if text.len() > HEADER_VALUE_BYTES_MAX {
            tally.note(Oddity::LargeHeader, key, 1);
            return;
        }
        if self.profiler.fields.iter().any(|(known, _)| known == key) {
            tally.note(Oddity::DuplicateJsonKey, key, 1);
            self.profiler.fields.retain(|(known, _)| known != key);
        }
        let value: Value = serde_json::from_slice(text)
            .or_else(|_| serde_json::from_str(&String::from_utf8_lossy(text)))
            .unwrap_or(Value::Null);
        match (key, &value) {
            ("deviceProperties", Value::Array(rows)) => {
                let rows = rows.iter().take(HEADER_ROWS_MAX);
                self.profiler.device_properties = rows.map(device_properties).collect();
            }
            ("distributedInfo", Value::Object(_)) => {
                self.profiler.distributed = Some(distributed(&value));
            }
            (level, Value::Array(lines)) if LOG_LEVELS.contains(&level) => self.log(level, lines),
            (_, Value::String(text)) => self.short(key, text),
            (_, Value::Number(_) | Value::Bool(_)) => {
                if key == "baseTimeNanoseconds" {
                    self.base_unix_ns = number::signed(text);
                }
                self.short(key, &String::from_utf8_lossy(text));
            }
            _ => {}
        }
    }

    fn log(&mut self, level: &str, lines: &[Value]) {
        let free = HEADER_ROWS_MAX.saturating_sub(self.profiler.log.len());
        let lines = lines.iter().filter_map(Value::as_str).take(free);
        self.profiler
            .log
            .extend(lines.map(|line| (level.to_owned(), shortened(line, LOG_LINE_BYTES_MAX))));
    }

    fn short(&mut self, key: &str, text: &str) {
        if self.profiler.fields.len() < HEADER_FIELDS_MAX
            && key.len() <= HEADER_FIELD_BYTES_MAX
            && text.len() <= HEADER_FIELD_BYTES_MAX
        {
            self.profiler.fields.push((key.to_owned(), text.to_owned()));
        }
        if key == "baseTimeNanoseconds" && self.base_unix_ns.is_none() {
            self.base_unix_ns = number::signed(text.trim().as_bytes());
        }
    }
}

fn device_properties(row: &Value) -> DeviceProperties {
    let number = |key: &str| row.get(key).and_then(Value::as_u64);
    DeviceProperties {
        id: row.get("id").and_then(Value::as_i64).unwrap_or(-1),
        name: row
            .get("name")
            .and_then(Value::as_str)
            .map_or_else(String::new, |name| shortened(name, HEADER_FIELD_BYTES_MAX)),
        total_memory: number("totalGlobalMem"),
        multiprocessors: number("numSms"),
        compute_capability: number("computeMajor").zip(number("computeMinor")),
        ..DeviceProperties::default()
    }
}

/// Rank and world; writers put numbers or their text.
fn distributed(value: &Value) -> Distributed {
    let number = |key: &str| match value.get(key)? {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64(),
    };
    Distributed {
        rank: number("rank"),
        world_size: number("world_size"),
        backend: value
            .get("backend")
            .and_then(Value::as_str)
            .map(|text| shortened(text, HEADER_FIELD_BYTES_MAX)),
    }
}
