//! Compiled programs that ask for far more than they hold: loops, calls, fusions, shapes and stacks without end.

use super::files::Hostile;
use crate::fuzz::targets;
use crate::xspace::hlo_pb as hlo;
use crate::xspace::xplane_pb as pb;
use prost::Message as _;

/// Parts of which there are too many for work that grows with their square.
const MANY: i64 = 20_000;

/// All of them, each in the place of the program of a sample.
pub(super) fn all() -> Vec<Hostile> {
    type Make = fn() -> hlo::HloModuleProto;
    let programs: [(&str, Make); 9] = [
        ("loops in loops", loops),
        ("a loop of 2^63 iterations", || looped(&i64::MAX.to_string())),
        ("a loop of -1 iterations", || looped("-1")),
        ("calls that call twice", calls),
        ("a fusion of many parameters, many times", fusions),
        ("starts without an end", starts),
        ("a stack in a circle", stack),
        ("tuples in tuples", tuples),
        ("many computations", || module((0..MANY).map(|id| computation(id, Vec::new())).collect())),
    ];
    let hostile = |(name, make): (&str, Make)| {
        Hostile::new(format!("a program of {name}"), "xplane.pb", move || in_sample(make()))
    };
    programs.into_iter().map(hostile).collect()
}

fn in_sample(module: hlo::HloModuleProto) -> Vec<u8> {
    let program = hlo::HloProto { hlo_module: Some(module) }.encode_to_vec();
    let mut space: pb::XSpace = targets::space(targets::PROGRAMS[0]);
    targets::programs(&mut space).for_each(|stored| stored.clone_from(&program));
    space.encode_to_vec()
}

fn module(computations: Vec<hlo::HloComputationProto>) -> hlo::HloModuleProto {
    hlo::HloModuleProto { name: b"jit_step".to_vec(), computations, ..Default::default() }
}

fn computation(id: i64, instructions: Vec<hlo::HloInstructionProto>) -> hlo::HloComputationProto {
    hlo::HloComputationProto {
        id,
        name: format!("c{id}").into_bytes(),
        instructions,
        ..Default::default()
    }
}

fn instruction(id: i64, opcode: &str, called: &[i64]) -> hlo::HloInstructionProto {
    hlo::HloInstructionProto {
        id,
        name: format!("{opcode}.{id}").into_bytes(),
        opcode: opcode.as_bytes().to_vec(),
        called_computation_ids: called.to_vec(),
        ..Default::default()
    }
}

fn trips(mut instruction: hlo::HloInstructionProto, n: &str) -> hlo::HloInstructionProto {
    instruction.backend_config = format!("{{\"known_trip_count\":{{\"n\":\"{n}\"}}}}").into_bytes();
    instruction
}

/// Each loop runs the next one a thousand times.
fn loops() -> hlo::HloModuleProto {
    let one = |id: i64| {
        let inner = if id < 60 {
            trips(instruction(1, "while", &[id + 1]), "1000")
        } else {
            instruction(1, "add", &[])
        };
        computation(id, vec![inner, instruction(2, "fusion", &[])])
    };
    module((0..=60).map(one).collect())
}

fn looped(n: &str) -> hlo::HloModuleProto {
    let entry = computation(0, vec![trips(instruction(1, "while", &[1]), n)]);
    module(vec![entry, computation(1, vec![instruction(1, "fusion", &[])])])
}

/// Sixty levels: 2^60 calls.
fn calls() -> hlo::HloModuleProto {
    let one = |id: i64| {
        computation(id, vec![instruction(1, "call", &[id + 1]), instruction(2, "call", &[id + 1])])
    };
    module((0..60).map(one).chain([computation(60, vec![instruction(1, "add", &[])])]).collect())
}

fn fusions() -> hlo::HloModuleProto {
    let entry = (1..MANY).map(|id| instruction(id, "fusion", &[1 + id % 3])).collect();
    let parameters = || (1..MANY).map(|id| instruction(id, "parameter", &[])).collect::<Vec<_>>();
    let inner = (1..4).map(|id| {
        let mut all = parameters();
        all.push(instruction(MANY, "fusion", &[1 + id % 3]));
        computation(id, all)
    });
    module([computation(0, entry)].into_iter().chain(inner).collect())
}

fn starts() -> hlo::HloModuleProto {
    let start = |id: i64| instruction(id, &format!("kind{id}-start"), &[0]);
    let mut all = module(vec![computation(0, (1..MANY).map(start).collect())]);
    let sequence = hlo::InstructionSequence { instruction_ids: (1..MANY).collect() };
    all.schedule = Some(hlo::HloScheduleProto { sequences: [(0, sequence)].into() });
    all
}

fn stack() -> hlo::HloModuleProto {
    let one = |id: i64| {
        let metadata = hlo::OpMetadata { stack_frame_id: 1, ..Default::default() };
        hlo::HloInstructionProto { metadata: Some(metadata), ..instruction(id, "fusion", &[]) }
    };
    let mut all = module(vec![computation(0, (1..MANY).map(one).collect())]);
    let frame = |id: i32| hlo::StackFrame { file_location_id: 1, parent_frame_id: id % 20_000 + 1 };
    all.stack_frame_index = Some(hlo::StackFrameIndexProto {
        file_names: vec![b"lib/python3.12/site-packages/jax/core.py".to_vec()],
        function_names: vec![b"f".to_vec()],
        file_locations: vec![hlo::FileLocation { file_name_id: 1, function_name_id: 1, line: 1 }],
        stack_frames: (1..=20_000).map(frame).collect(),
    });
    all
}

fn tuples() -> hlo::HloModuleProto {
    let mut shape =
        hlo::ShapeProto { element_type: 11, dimensions: vec![i64::MAX; 8], ..Default::default() };
    for _ in 0..60 {
        shape =
            hlo::ShapeProto { element_type: 13, tuple_shapes: vec![shape], ..Default::default() };
    }
    let one = |id: i64| hlo::HloInstructionProto {
        shape: Some(shape.clone()),
        ..instruction(id, "fusion", &[])
    };
    module(vec![computation(0, (1..500).map(one).collect())])
}
