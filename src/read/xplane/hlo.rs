//! From stored HLO to the model's modules.

mod arithmetic;
mod weight;

use super::hlo_pb as pb;
use crate::trace::{Computation, Hlo, HloModule, Instruction, Shape, StackFrame};
use prost::Message as _;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// XLA's element types by their number (`PrimitiveType` in `xla_data.proto`), in the spelling of HLO text.
const ELEMENTS: [&str; 37] = [
    "",
    "pred",
    "s8",
    "s16",
    "s32",
    "s64",
    "u8",
    "u16",
    "u32",
    "u64",
    "f16",
    "f32",
    "f64",
    "tuple",
    "opaque",
    "c64",
    "bf16",
    "token",
    "c128",
    "f8e5m2",
    "f8e4m3fn",
    "s4",
    "u4",
    "f8e4m3b11fnuz",
    "f8e5m2fnuz",
    "f8e4m3fnuz",
    "s2",
    "u2",
    "f8e4m3",
    "f8e3m4",
    "s1",
    "u1",
    "f4e2m1fn",
    "f8e8m0fnu",
    "buffer",
    "f6e3m2fn",
    "f6e2m3fn",
];

/// Decodes a stored program.
pub(super) fn decode(bytes: &[u8]) -> Hlo {
    if weight::is_too_heavy(bytes) {
        return Hlo::Damaged("it would take far more memory than its length explains".to_owned());
    }
    match pb::HloProto::decode(bytes) {
        Ok(pb::HloProto { hlo_module: Some(stored) }) => {
            Hlo::Stored(Box::new(module(stored, bytes.len() as u64)))
        }
        Ok(_) => Hlo::Damaged("the stored program has no module".to_owned()),
        Err(error) => Hlo::Damaged(error.to_string()),
    }
}

fn module(stored: pb::HloModuleProto, bytes: u64) -> HloModule {
    let schedules = stored.schedule.unwrap_or_default().sequences;
    let computations: Vec<_> = stored
        .computations
        .into_iter()
        .map(|stored| {
            let sequence = schedules.get(&stored.id);
            computation(stored, sequence.map(|sequence| sequence.instruction_ids.as_slice()))
        })
        .collect();
    let entry_id = stored.entry_computation_id;
    HloModule {
        name: text(stored.name),
        entry: computations.iter().position(|computation| computation.id == entry_id),
        computations,
        frames: stored.stack_frame_index.as_ref().map(frames).unwrap_or_default(),
        bytes,
    }
}

fn computation(stored: pb::HloComputationProto, sequence: Option<&[i64]>) -> Computation {
    let index_of_id: FxHashMap<i64, usize> =
        stored.instructions.iter().enumerate().map(|(index, one)| (one.id, index)).collect();
    let in_order = |ids: &[i64]| ids.iter().filter_map(|id| index_of_id.get(id).copied()).collect();
    Computation {
        id: stored.id,
        name: text(stored.name),
        schedule: sequence.map(in_order),
        instructions: stored.instructions.into_iter().map(instruction).collect(),
        root_id: stored.root_id,
        is_fusion: stored.is_fusion_computation,
    }
}

fn instruction(stored: pb::HloInstructionProto) -> Instruction {
    let metadata = stored.metadata.unwrap_or_default();
    let backend_config = match stored.backend_config_payload {
        Some(payload) if stored.backend_config.is_empty() => payload.value,
        _ => stored.backend_config,
    };
    let backend_config = String::from_utf8(backend_config).unwrap_or_default();
    let opcode = text(stored.opcode);
    let custom_call_target = text(stored.custom_call_target);
    let configured = arithmetic::configured(&custom_call_target, &backend_config);
    let dot = stored.dot_dimension_numbers.map(|numbers| arithmetic::dot(*numbers));
    let convolution = stored
        .convolution_dimension_numbers
        .map(|numbers| arithmetic::convolution(&numbers, stored.window.as_deref()));
    let precision = arithmetic::precision(stored.precision_config.as_deref());
    let line = u32::try_from(metadata.source_line).unwrap_or(0);
    Instruction {
        id: stored.id,
        name: text(stored.name),
        shape: stored.shape.map(shape).unwrap_or_default(),
        operands: stored.operand_ids,
        called: stored.called_computation_ids,
        fusion_kind: text(stored.fusion_kind),
        custom_call_target,
        trip_count: if opcode == "while" { trip_count(&backend_config) } else { None },
        parameter: (opcode == "parameter")
            .then(|| u32::try_from(stored.parameter_number).ok())
            .flatten(),
        dot: dot.or(configured.dot).map(Box::new),
        convolution: convolution.map(Box::new),
        precision: precision.max(configured.precision),
        opcode,
        op_name: text(metadata.op_name),
        source: Some(text(metadata.source_file))
            .filter(|file| !file.is_empty())
            .map(|file| (file, line)),
        stack_frame: id(metadata.stack_frame_id),
        deduplicated_name: text(metadata.deduplicated_name),
        // Channels count from 1 (`hlo.proto`); 0 is protobuf's absence.
        channel_id: Some(stored.channel_id).filter(|&channel| channel != 0),
        backend_config,
    }
}

/// How often a loop runs, from `{"known_trip_count":{"n":"7"}}`: 64-bit numbers are texts in protobuf's JSON. Text that is
/// no such JSON means that the count is unknown.
fn trip_count(backend_config: &str) -> Option<u64> {
    let config: serde_json::Value = serde_json::from_str(backend_config).ok()?;
    let count = config.get("known_trip_count")?.get("n")?;
    count.as_u64().or_else(|| count.as_str()?.parse().ok())
}

fn shape(stored: pb::ShapeProto) -> Shape {
    let element = usize::try_from(stored.element_type).ok();
    Shape {
        element: element.and_then(|element| ELEMENTS.get(element)).copied().unwrap_or(""),
        dimensions: stored.dimensions,
        minor_to_major: stored.layout.map(|layout| layout.minor_to_major).unwrap_or_default(),
        parts: stored.tuple_shapes.into_iter().map(shape).collect(),
    }
}

/// Frames by their id − 1; a frame that refers to what the module lacks keeps its place, empty.
fn frames(stored: &pb::StackFrameIndexProto) -> Vec<StackFrame> {
    let shared = |names: &[Vec<u8>]| -> Vec<Arc<str>> {
        names.iter().map(|name| text(name.clone()).into()).collect()
    };
    let (files, functions) = (shared(&stored.file_names), shared(&stored.function_names));
    let name = |names: &[Arc<str>], id: i32| row(names, id).cloned().unwrap_or_else(|| "".into());
    let frame = |frame: &pb::StackFrame| {
        let location =
            row(&stored.file_locations, frame.file_location_id).copied().unwrap_or_default();
        StackFrame {
            file: name(&files, location.file_name_id),
            function: name(&functions, location.function_name_id),
            line: u32::try_from(location.line).unwrap_or(0),
            parent: id(frame.parent_frame_id),
        }
    };
    stored.stack_frames.iter().map(frame).collect()
}

/// An id that counts from 1; 0 stands for none.
fn id(id: i32) -> Option<u32> {
    u32::try_from(id).ok().filter(|&id| id != 0)
}

/// The row of an id that counts from 1.
fn row<T>(rows: &[T], id: i32) -> Option<&T> {
    rows.get(usize::try_from(id).ok()?.checked_sub(1)?)
}

fn text(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::trip_count;

    #[test]
    fn trip_counts_are_read_or_unknown() {
        for (config, expected) in [
            (r#"{"known_trip_count":{"n":"7"},"known_init_step":{"init":"0"}}"#, Some(7)),
            (r#"{"known_trip_count":{"n":7}}"#, Some(7)),
            (r#"{"known_trip_count":{"n":"-7"}}"#, None),
            ("{}", None),
            ("", None),
            ("{", None),
        ] {
            assert_eq!(trip_count(config), expected, "{config}");
        }
    }
}
