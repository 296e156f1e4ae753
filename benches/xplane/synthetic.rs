//! A synthetic capture with the shares of real ones: of its events four fifths are bare spans of the host, and the rest
//! carry up to eleven statistics, of which the reader uses few.
//!
//! The shares are those of JAX captures of one MI300: 20 to 26 bytes and 0.7 to 1.4 statistics a host event, and 3 to 7
//! statistics a device event.

use crate::xplane_pb::{
    XEvent, XEventMetadata, XLine, XPlane, XSpace, XStat, XStatMetadata, x_event, x_stat::Value,
};

const STEPS: u64 = 400;
const NAMES: i64 = 150;

/// Names of statistics; ids count from 1.
const STAT_NAMES: [&str; 22] = [
    "correlation_id",
    "kernel_details",
    "hlo_op",
    "hlo_module",
    "program_id",
    "name",
    "tf_op",
    "device_id",
    "_p",
    "_c",
    "addr",
    "allocation_bytes",
    "allocator_name",
    "bytes_allocated",
    "bytes_available",
    "bytes_reserved",
    "data_type",
    "fragmentation",
    "id",
    "peak_bytes_in_use",
    "requested_bytes",
    "grid:16,1,1 block:256,1,1",
];

/// The capture.
pub(crate) fn space() -> XSpace {
    let (mut kernels, mut calls, mut python) = (Vec::new(), Vec::new(), Vec::new());
    let mut random = Random(1);
    for step in 0..STEPS {
        for launch in 0..3 {
            let correlation = Value::Uint64Value(step * 3 + launch + 1);
            let label = |name| match name {
                5 => stat(name, Value::Int64Value(15)),
                _ => stat(name, Value::RefValue(21)),
            };
            let labels = || (3..=7).map(label);
            let details = stat(2, Value::RefValue(22));
            let join = stat(1, correlation);
            kernels.push(event(
                step,
                &mut random,
                labels().chain([details, join.clone()]).collect(),
            ));
            let device = stat(8, Value::Uint64Value(47_645));
            calls.push(event(step, &mut random, labels().chain([device, join]).collect()));
        }
        for allocation in 0..7 {
            let amounts =
                (11..=21).map(|name| stat(name, Value::Int64Value(1 << (name + allocation))));
            python.push(event(step, &mut random, amounts.collect()));
        }
        for handover in 0..9 {
            let ends = [stat(9, Value::Uint64Value(step)), stat(10, Value::Uint64Value(handover))];
            python.push(event(step, &mut random, ends.to_vec()));
        }
        python.extend((0..80).map(|_| event(step, &mut random, Vec::new())));
    }
    XSpace {
        planes: vec![
            plane("/device:GPU:0", vec![line(3, "Stream #3", kernels)], "fusion_"),
            plane(
                "/host:CPU",
                vec![line(11, "Host Threads/11", calls), line(12, "python", python)],
                "$module.py:1 function_",
            ),
        ],
        ..Default::default()
    }
}

fn event(step: u64, random: &mut Random, stats: Vec<XStat>) -> XEvent {
    let magnitude = 4 + random.below(12);
    let offset = step * 97_000_000 + random.below(97_000) * 1_000;
    XEvent {
        metadata_id: 1 + random.below(NAMES.unsigned_abs()).cast_signed(),
        duration_ps: (random.below(1 << magnitude) * 1_000).cast_signed(),
        stats,
        data: Some(x_event::Data::OffsetPs(offset.cast_signed())),
    }
}

fn stat(name: i64, value: Value) -> XStat {
    XStat { metadata_id: name, value: Some(value) }
}

fn line(id: i64, name: &str, events: Vec<XEvent>) -> XLine {
    XLine { id, name: name.into(), timestamp_ns: 900_000, events }
}

fn plane(name: &str, lines: Vec<XLine>, prefix: &str) -> XPlane {
    let event_name = |id| {
        let name = format!("{prefix}{id}").into_bytes();
        (id, XEventMetadata { id, name, ..Default::default() })
    };
    let stat_name =
        |(id, name): (i64, &&str)| (id, XStatMetadata { id, name: name.as_bytes().to_vec() });
    XPlane {
        name: name.into(),
        lines,
        event_metadata: (1..=NAMES).map(event_name).collect(),
        stat_metadata: (1..).zip(&STAT_NAMES).map(stat_name).collect(),
        ..Default::default()
    }
}

/// Numbers that vary as those of a capture do, and are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
