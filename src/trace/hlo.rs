//! Compiled programs (JAX): HLO modules as far as attribution and rendering need them.

use super::NameId;
use super::operands::{Convolution, DotDimensions, Precision};

/// What the tracer says of the HLO instruction behind a record. Equal labels share one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HloLabel {
    /// The instruction's name (`hlo_op`).
    pub op: Option<NameId>,
    /// The program's name (`hlo_module`).
    pub module: Option<NameId>,
    /// The program's id; the name is no key.
    pub program: Option<u64>,
    /// The framework's name for the operation (`name`, else `tf_op`).
    pub op_name: Option<NameId>,
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The id that events refer to.
    pub id: u64,
    /// Its name without the id.
    pub name: NameId,
    /// Its HLO.
    pub hlo: Hlo,
}

/// Whether the capture holds a program's HLO.
#[derive(Clone, Debug)]
pub enum Hlo {
    /// It does.
    Stored(Box<HloModule>),
    /// It does, and no device work refers to it, so it was not decoded; the size in bytes.
    NotNeeded(u64),
    /// It cannot be decoded, with the reason.
    Damaged(String),
    /// It does not.
    Missing,
}

/// A decoded HLO module.
#[derive(Clone, Debug, Default)]
pub struct HloModule {
    /// The module's name.
    pub name: String,
    /// Its computations, in the order of the file.
    pub computations: Vec<Computation>,
    /// Index of the entry computation; absent where the id in the file names none.
    pub entry: Option<usize>,
    /// Stack frames by id − 1; an id names the leaf, and parents follow.
    pub frames: Vec<StackFrame>,
    /// Size of the encoded module in bytes.
    pub bytes: u64,
}

/// A computation: the body of a program, a fusion, a loop or a branch.
#[derive(Clone, Debug, Default)]
pub struct Computation {
    /// Its id in the module.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Its instructions, in the order of the file.
    pub instructions: Vec<Instruction>,
    /// Indices of `instructions` in the order of execution; absent for fused computations, which have none.
    pub schedule: Option<Vec<usize>>,
    /// The id of the instruction that it returns.
    pub root_id: i64,
    /// True for the body of a fusion.
    pub is_fusion: bool,
}

/// One instruction.
#[derive(Clone, Debug, Default)]
pub struct Instruction {
    /// Its id in the module.
    pub id: i64,
    /// Its name, such as `loop_fusion.3`.
    pub name: String,
    /// Its opcode, such as `fusion`.
    pub opcode: String,
    /// Its result.
    pub shape: Shape,
    /// Ids of its operands.
    pub operands: Vec<i64>,
    /// Ids of the computations that it calls.
    pub called: Vec<i64>,
    /// `kLoop`, `kInput`, `kOutput`, `kCustom` of a fusion.
    pub fusion_kind: String,
    /// The target of a custom call.
    pub custom_call_target: String,
    /// How often a loop runs, where the compiler knew.
    pub trip_count: Option<u64>,
    /// The framework's name for the operation; empty where there is none.
    pub op_name: String,
    /// Source file and line, where the metadata states them directly.
    pub source: Option<(String, u32)>,
    /// The id of its leaf stack frame: 1-based.
    pub stack_frame: Option<u32>,
    /// The name of the fusion that this one was deduplicated with; empty where there is none.
    pub deduplicated_name: String,
    /// The number of a parameter: which operand of its caller it stands for.
    pub parameter: Option<u32>,
    /// What a matrix product sums over; of a library's product, what the compiler configured.
    pub dot: Option<Box<DotDimensions>>,
    /// What a convolution's dimensions mean.
    pub convolution: Option<Box<Convolution>>,
    /// How exactly a product or a convolution has to be computed.
    pub precision: Precision,
    /// The channel of a collective.
    pub channel_id: Option<i64>,
    /// The compiler's own configuration text of the operation, as far as it is UTF-8.
    pub backend_config: String,
}

/// The shape of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Element type in XLA's lower-case spelling, such as `bf16`, `tuple`, `token`.
    pub element: &'static str,
    /// Dimensions, outermost first.
    pub dimensions: Vec<i64>,
    /// Minor-to-major order of the layout; empty where it is unknown.
    pub minor_to_major: Vec<i64>,
    /// Parts of a tuple.
    pub parts: Vec<Shape>,
}

/// One frame of a call stack in the user's program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackFrame {
    /// The source file; frames of one file share its name.
    pub file: std::sync::Arc<str>,
    /// The function, likewise.
    pub function: std::sync::Arc<str>,
    /// The line, from 1; 0 where it is unknown.
    pub line: u32,
    /// The id of the caller's frame: 1-based.
    pub parent: Option<u32>,
}
