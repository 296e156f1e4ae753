//! A Kineto capture as its events, to be damaged: what is not edited is shared with the original.

use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Nanoseconds on the file's axis.
pub(crate) type Ns = i64;

/// A capture as JSON.
#[derive(Clone, Debug)]
pub(crate) struct Capture {
    /// Everything beside the events.
    pub(crate) head: Map<String, Value>,
    /// The events.
    pub(crate) events: Vec<Arc<Value>>,
    /// Files beside it: its graph-capture shards.
    pub(crate) shards: Arc<[(String, Vec<u8>)]>,
    /// How it is written.
    pub(crate) layout: Layout,
}

/// How a file is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// On one line, keys in the order of the alphabet.
    Compact,
    /// One value a line, keys in reverse.
    Indented,
}

/// Which side an event was recorded on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Kernels, copies and fills.
    DeviceWork,
    /// Calls into the runtime or the driver.
    Call,
    /// Operators and annotations.
    HostRange,
    /// Marks, arrows, metadata.
    Other,
}

impl Capture {
    /// Reads the JSON of a profiler.
    pub(crate) fn parse(json: &[u8]) -> Result<Self, serde_json::Error> {
        let mut head: Map<String, Value> = serde_json::from_slice(json)?;
        let events = match head.remove("traceEvents") {
            Some(Value::Array(events)) => events.into_iter().map(Arc::new).collect(),
            _ => Vec::new(),
        };
        Ok(Self { head, events, shards: Arc::default(), layout: Layout::Compact })
    }

    /// The files as a profiler would have written them.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let own = ("rank_0.pt.trace.json".to_owned(), self.bytes());
        std::iter::once(own).chain(self.shards.iter().cloned()).collect()
    }

    /// The file.
    fn bytes(&self) -> Vec<u8> {
        let mut text = String::from("{");
        for (key, value) in &self.head {
            write_key(&mut text, key, self.layout);
            write(&mut text, value, self.layout);
            text.push(',');
        }
        write_key(&mut text, "traceEvents", self.layout);
        list(&mut text, &self.events, ['[', ']'], |text, event| write(text, event, self.layout));
        text.push('}');
        text.into_bytes()
    }

    /// Keeps events where `keep` says so.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&Value) -> bool) {
        self.events.retain(|event| keep(event));
    }

    /// Keeps device work where `keep` says so.
    pub(crate) fn retain_work(&mut self, mut keep: impl FnMut(&Value) -> bool) {
        self.retain(|event| side(event) != Side::DeviceWork || keep(event));
    }

    /// Edits every event that `wanted` selects.
    pub(crate) fn edit(
        &mut self,
        wanted: impl Fn(&Value) -> bool,
        mut change: impl FnMut(&mut Value),
    ) {
        for event in &mut self.events {
            if wanted(event) {
                change(Arc::make_mut(event));
            }
        }
    }

    /// Device work, in the order of the file.
    pub(crate) fn work(&self) -> impl Iterator<Item = &Value> {
        self.events.iter().map(|event| &**event).filter(|event| side(event) == Side::DeviceWork)
    }

    /// The correlation ids of graph launches that own work, in order of time.
    pub(crate) fn replays(&self) -> Vec<u64> {
        let owning: HashSet<u64> = self.work().filter_map(correlation).collect();
        let launches = self.events.iter().filter(|event| is_graph_launch(event));
        let mut launches: Vec<(Ns, u64)> =
            launches.filter_map(|event| Some((start(event), correlation(event)?))).collect();
        launches.retain(|(_, id)| owning.contains(id));
        launches.sort_unstable();
        launches.dedup();
        launches.into_iter().map(|(_, id)| id).collect()
    }

    /// For each graph launch that owns work, its place in time.
    pub(crate) fn replay_places(&self) -> HashMap<u64, usize> {
        self.replays().into_iter().zip(0..).collect()
    }

    /// First start and last end of device work.
    pub(crate) fn span(&self) -> (Ns, Ns) {
        let first = self.work().map(start).min().unwrap_or_default();
        (first, self.work().map(end).max().unwrap_or_default())
    }
}

/// Which side an event is on.
pub(crate) fn side(event: &Value) -> Side {
    if event["ph"] != "X" {
        return Side::Other;
    }
    match event["cat"].as_str().unwrap_or_default().to_ascii_lowercase().as_str() {
        "kernel" | "gpu_memcpy" | "gpu_memset" | "memcpy" | "memset" => Side::DeviceWork,
        "cuda_runtime" | "cuda_driver" | "runtime" => Side::Call,
        "cpu_op" | "user_annotation" | "python_function" | "operator" => Side::HostRange,
        _ => Side::Other,
    }
}

/// True for an operator of the framework.
pub(crate) fn is_operator(event: &Value) -> bool {
    matches!(event["cat"].as_str(), Some("cpu_op" | "Operator"))
}

/// True for a kernel.
pub(crate) fn is_kernel(event: &Value) -> bool {
    side(event) == Side::DeviceWork
        && event["cat"].as_str().is_some_and(|category| category.eq_ignore_ascii_case("kernel"))
}

/// True for a fill.
pub(crate) fn is_fill(event: &Value) -> bool {
    let category = event["cat"].as_str().unwrap_or_default().to_ascii_lowercase();
    side(event) == Side::DeviceWork && category.ends_with("memset")
}

/// True for a call that replays a graph.
pub(crate) fn is_graph_launch(event: &Value) -> bool {
    side(event) == Side::Call && name(event).to_ascii_lowercase().contains("graphlaunch")
}

/// True for a call that launches one kernel.
pub(crate) fn is_kernel_launch(event: &Value) -> bool {
    side(event) == Side::Call && name(event).contains("LaunchKernel")
}

/// An event's name.
pub(crate) fn name(event: &Value) -> &str {
    event["name"].as_str().unwrap_or_default()
}

/// What joins a call to its work.
pub(crate) fn correlation(event: &Value) -> Option<u64> {
    event["args"]["correlation"].as_u64().filter(|&id| id > 0)
}

/// When an event starts.
pub(crate) fn start(event: &Value) -> Ns {
    nanoseconds(&event["ts"])
}

/// How long it lasts.
pub(crate) fn length(event: &Value) -> Ns {
    nanoseconds(&event["dur"])
}

/// When it ends.
pub(crate) fn end(event: &Value) -> Ns {
    start(event) + length(event)
}

/// Moves an event.
pub(crate) fn set_start(event: &mut Value, start: Ns) {
    event["ts"] = microseconds(start);
}

/// Makes it last so long.
pub(crate) fn set_length(event: &mut Value, length: Ns) {
    event["dur"] = microseconds(length);
}

/// The device that an event of device work is on, as the producer numbers it.
pub(crate) fn device(event: &Value) -> i64 {
    event["args"]["device"].as_i64().or_else(|| event["pid"].as_i64()).unwrap_or_default()
}

/// Microseconds of a file as whole nanoseconds: decimals of a quarter of the precision that floats have at this size.
#[expect(clippy::cast_possible_truncation, reason = "times of captures are below 2^53 nanoseconds")]
fn nanoseconds(value: &Value) -> Ns {
    let whole = value.as_i64().and_then(|us| us.checked_mul(1_000));
    whole.unwrap_or_else(|| (value.as_f64().unwrap_or_default() * 1e3).round() as Ns)
}

fn microseconds(ns: Ns) -> Value {
    if ns % 1_000 == 0 { json!(ns / 1_000) } else { json!(ns as f64 / 1e3) }
}

fn write(text: &mut String, value: &Value, layout: Layout) {
    match (value, layout) {
        (_, Layout::Compact) => text.push_str(&value.to_string()),
        (Value::Array(values), _) => {
            list(text, values, ['[', ']'], |text, value| write(text, value, layout));
        }
        (Value::Object(fields), _) => {
            let fields: Vec<_> = fields.iter().rev().collect();
            list(text, &fields, ['{', '}'], |text, (key, value)| {
                write_key(text, key, layout);
                write(text, value, layout);
            });
        }
        _ => text.push_str(&value.to_string()),
    }
}

fn write_key(text: &mut String, key: &str, layout: Layout) {
    if layout == Layout::Indented {
        text.push_str("\n\t");
    }
    text.push_str(&Value::from(key).to_string());
    text.push_str(if layout == Layout::Indented { " :\t" } else { ":" });
}

fn list<T>(text: &mut String, items: &[T], ends: [char; 2], one: impl Fn(&mut String, &T)) {
    text.push(ends[0]);
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        one(text, item);
    }
    text.push(ends[1]);
}
