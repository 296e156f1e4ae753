//! Compiled programs of an XSpace: the HLO that JAX stores beside the events.

use super::hlo_pb as hlo;
use prost::Message as _;

/// A compiled program of `/host:metadata`.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) id: u64,
    /// The one with id 1 is the entry.
    pub(crate) computations: Vec<Computation>,
    /// Call stacks; instructions refer to them by their place, counted from 1.
    pub(crate) frames: Vec<Frame>,
}

/// One frame of a call stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) file: String,
    pub(crate) function: String,
    pub(crate) line: i32,
    /// The caller's place, counted from 1; 0 for none.
    pub(crate) parent: i32,
}

/// What an instruction's result consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Element {
    #[default]
    Float,
    /// bfloat16.
    Bfloat,
    /// One truth value, as the conditions of loops have it.
    Truth,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Computation {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) instructions: Vec<Instruction>,
    /// Fused computations have no schedule.
    pub(crate) is_fusion: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Instruction {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) opcode: String,
    pub(crate) op_name: String,
    /// The leaf's place in the program's frames, counted from 1; 0 for none.
    pub(crate) frame: i32,
    /// Source file and line, as older files state them beside the frame.
    pub(crate) source: Option<(String, i32)>,
    pub(crate) called: Vec<i64>,
    pub(crate) operands: Vec<i64>,
    pub(crate) trip_count: Option<u64>,
    pub(crate) target: String,
    pub(crate) element: Element,
    pub(crate) dimensions: Vec<i64>,
    /// Dimensions of the left operand that a product sums over.
    pub(crate) contracting: Option<Vec<i64>>,
}

impl Program {
    /// The message that JAX would have stored.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let scheduled = self.computations.iter().filter(|computation| !computation.is_fusion);
        let sequence = |computation: &Computation| {
            let instruction_ids = computation.instructions.iter().map(|one| one.id).collect();
            (computation.id, hlo::InstructionSequence { instruction_ids })
        };
        let module = hlo::HloModuleProto {
            name: self.name.clone().into_bytes(),
            computations: self.computations.iter().map(Computation::message).collect(),
            entry_computation_id: 1,
            schedule: Some(hlo::HloScheduleProto { sequences: scheduled.map(sequence).collect() }),
            stack_frame_index: Some(index(&self.frames)),
        };
        hlo::HloProto { hlo_module: Some(module) }.encode_to_vec()
    }
}

/// Frames as XLA stores them, with one location, file and function each.
fn index(frames: &[Frame]) -> hlo::StackFrameIndexProto {
    let texts = |text: fn(&Frame) -> &str| {
        frames.iter().map(|frame| text(frame).as_bytes().to_vec()).collect()
    };
    let numbered = || (1..).zip(frames);
    hlo::StackFrameIndexProto {
        file_names: texts(|frame| &frame.file),
        function_names: texts(|frame| &frame.function),
        file_locations: numbered()
            .map(|(place, frame)| hlo::FileLocation {
                file_name_id: place,
                function_name_id: place,
                line: frame.line,
            })
            .collect(),
        stack_frames: numbered()
            .map(|(place, frame)| hlo::StackFrame {
                file_location_id: place,
                parent_frame_id: frame.parent,
            })
            .collect(),
    }
}

impl Computation {
    fn message(&self) -> hlo::HloComputationProto {
        hlo::HloComputationProto {
            name: self.name.as_bytes().to_vec(),
            instructions: self.instructions.iter().map(Instruction::message).collect(),
            id: self.id,
            root_id: self.instructions.last().map_or(0, |last| last.id),
            is_fusion_computation: self.is_fusion,
        }
    }
}

impl Instruction {
    fn message(&self) -> hlo::HloInstructionProto {
        let trips =
            self.trip_count.map(|trips| format!(r#"{{"known_trip_count":{{"n":"{trips}"}}}}"#));
        let (file, line) = self.source.clone().unwrap_or_default();
        hlo::HloInstructionProto {
            name: self.name.as_bytes().to_vec(),
            opcode: self.opcode.as_bytes().to_vec(),
            shape: Some(self.shape()),
            metadata: Some(hlo::OpMetadata {
                op_name: self.op_name.as_bytes().to_vec(),
                stack_frame_id: self.frame,
                source_file: file.into_bytes(),
                source_line: line,
                ..Default::default()
            }),
            custom_call_target: self.target.as_bytes().to_vec(),
            dot_dimension_numbers: self.contracting.clone().map(|lhs_contracting_dimensions| {
                Box::new(hlo::DotDimensionNumbers { lhs_contracting_dimensions })
            }),
            id: self.id,
            operand_ids: self.operands.clone(),
            called_computation_ids: self.called.clone(),
            backend_config: trips.unwrap_or_default().into_bytes(),
            ..Default::default()
        }
    }

    fn shape(&self) -> hlo::ShapeProto {
        let rank = self.dimensions.len() as i64;
        hlo::ShapeProto {
            // PrimitiveType in xla_data.proto.
            element_type: match self.element {
                Element::Truth => 1,
                Element::Float => 11,
                Element::Bfloat => 16,
            },
            dimensions: self.dimensions.clone(),
            layout: Some(hlo::LayoutProto { minor_to_major: (0..rank).rev().collect() }),
            tuple_shapes: Vec::new(),
        }
    }
}
