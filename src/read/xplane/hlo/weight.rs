//! What decoding a program would take in memory, before it is decoded: an empty message takes two bytes in the file and hundreds
//! in memory, so a small file could ask for gigabytes.

use super::super::hlo_pb as pb;
use super::super::wire::{Fault, Message};

/// Messages inside one another: what prost decodes at most.
const DEPTH_MAX: u32 = 100;

/// What any program may take.
const FREE_BYTES: u64 = 64 << 20;

/// What it may take for each byte of the file beyond that. Instructions of real programs take 3 to 5 times their bytes,
/// shapes 10 times.
const TIMES_MAX: u64 = 12;

/// Messages of a stored program that lie in lists.
#[derive(Clone, Copy)]
enum Kind {
    Proto,
    Module,
    Computation,
    Instruction,
    Shape,
    Metadata,
    Window,
    WindowDimension,
    Schedule,
    Sequence,
    Frames,
    Location,
    Frame,
    Text,
}

impl Kind {
    /// The fields that hold further messages.
    const fn parts(self) -> &'static [(u32, Self)] {
        match self {
            Self::Proto => &[(1, Self::Module)],
            Self::Module => &[(3, Self::Computation), (7, Self::Schedule), (17, Self::Frames)],
            Self::Computation => &[(2, Self::Instruction)],
            Self::Instruction => &[(3, Self::Shape), (7, Self::Metadata), (15, Self::Window)],
            Self::Window => &[(1, Self::WindowDimension)],
            Self::Shape => &[(4, Self::Shape)],
            Self::Schedule => &[(1, Self::Sequence)],
            Self::Frames => {
                &[(1, Self::Text), (2, Self::Text), (3, Self::Location), (4, Self::Frame)]
            }
            Self::Metadata
            | Self::WindowDimension
            | Self::Sequence
            | Self::Location
            | Self::Frame
            | Self::Text => &[],
        }
    }

    /// Bytes of one of them in memory, without what lies in it.
    const fn bytes(self) -> usize {
        match self {
            Self::Proto => size_of::<pb::HloProto>(),
            Self::Module => size_of::<pb::HloModuleProto>(),
            Self::Computation => size_of::<pb::HloComputationProto>(),
            Self::Instruction => size_of::<pb::HloInstructionProto>(),
            Self::Shape => size_of::<pb::ShapeProto>(),
            Self::Metadata => size_of::<pb::OpMetadata>(),
            Self::Window => size_of::<pb::Window>(),
            Self::WindowDimension => size_of::<pb::WindowDimension>(),
            Self::Schedule => size_of::<pb::HloScheduleProto>(),
            // A row of a hash map, with its free places.
            Self::Sequence => 2 * (8 + size_of::<pb::InstructionSequence>()),
            Self::Frames => size_of::<pb::StackFrameIndexProto>(),
            Self::Location => size_of::<pb::FileLocation>(),
            Self::Frame => size_of::<pb::StackFrame>(),
            // And as much again for the text that is made of it.
            Self::Text => 2 * size_of::<Vec<u8>>(),
        }
    }
}

/// True where decoding would take more memory than a program of this length can need.
pub(super) fn is_too_heavy(program: &[u8]) -> bool {
    let allowed = FREE_BYTES + TIMES_MAX * program.len() as u64;
    let mut left = allowed;
    // What is malformed is refused with its reason when it is decoded.
    weigh(Message::whole(program), Kind::Proto, DEPTH_MAX, &mut left).is_ok_and(|fits| !fits)
}

/// Takes the weight of a message off what is left; false where that is not enough.
fn weigh(message: Message<'_>, kind: Kind, depth: u32, left: &mut u64) -> Result<bool, Fault> {
    let Some(rest) = left.checked_sub(kind.bytes() as u64) else { return Ok(false) };
    *left = rest;
    if kind.parts().is_empty() {
        return Ok(true);
    }
    let Some(depth) = depth.checked_sub(1) else { return Ok(true) };
    let mut fields = message.fields();
    while let Some(field) = fields.step()? {
        let part = kind.parts().iter().find(|(number, _)| *number == field.number);
        if let Some(&(_, part)) = part
            && !weigh(field.message()?, part, depth, left)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::is_too_heavy;
    use crate::read::xplane::hlo_pb as pb;
    use prost::Message as _;

    fn program(n_instructions: usize, instruction: &pb::HloInstructionProto) -> Vec<u8> {
        let computation = pb::HloComputationProto {
            instructions: vec![instruction.clone(); n_instructions],
            ..Default::default()
        };
        let module = pb::HloModuleProto { computations: vec![computation], ..Default::default() };
        pb::HloProto { hlo_module: Some(module) }.encode_to_vec()
    }

    #[test]
    fn empty_messages_weigh_more_than_their_bytes() {
        let empty = pb::HloInstructionProto::default();
        assert!(is_too_heavy(&program(500_000, &empty)));
        assert!(!is_too_heavy(&program(5_000, &empty)));
        let shapes = pb::HloInstructionProto {
            shape: Some(pb::ShapeProto {
                tuple_shapes: vec![pb::ShapeProto::default(); 2_000_000],
                ..Default::default()
            }),
            ..Default::default()
        };
        assert!(is_too_heavy(&program(1, &shapes)));
        let usual = pb::HloInstructionProto {
            name: b"loop_multiply_fusion.12".to_vec(),
            opcode: b"fusion".to_vec(),
            shape: Some(pb::ShapeProto {
                element_type: 11,
                dimensions: vec![128, 256],
                ..Default::default()
            }),
            metadata: Some(pb::OpMetadata {
                op_name: b"jit(step)/mul".to_vec(),
                ..Default::default()
            }),
            id: 77,
            operand_ids: vec![1, 2],
            ..Default::default()
        };
        assert!(!is_too_heavy(&program(200_000, &usual)));
        assert!(!is_too_heavy(b"\xff\xff\xff"));
    }
}
