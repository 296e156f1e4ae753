//! Attribution of JAX captures: device record → HLO instruction → operation of the framework → line of the user's program.
//!
//! The tracer's own label is exact. Without it, the program's schedule tells: an execution launches its instructions' kernels in
//! order, so that between two labelled kernels only few instructions are open. What stays ambiguous stays unattributed.

mod account;
mod align;
mod attribute;
#[cfg(test)]
mod cases;
mod executions;
mod families;
#[cfg(test)]
mod fixture;
mod host;
mod lanes;
mod lay_out;
mod looks;
mod loss;
mod match_window;
mod module;
mod names;
mod programs;
mod schedule;
mod source;
mod tables;
mod text;
mod windows;

pub use account::{Account, Missing};
pub(super) use attribute::hlo_attribution;
pub use attribute::{DeviceExecution, HloAttributed, HloClass, HloCounts, KernelTotal};
pub use families::{Emits, Emitter, KernelFamily};
pub(super) use host::executing_threads;
pub(super) use lay_out::{
    attribution as report_attribution, kernels as report_kernels, op_of_kernels,
    programs as report_programs,
};
pub use loss::{DeviceUse, Evidence, Loss, ProgramLoss, Unevaluable};
pub use module::InstructionRef;
pub use schedule::{KernelRange, OpenPart, Schedule, Slot};
pub use source::{InstructionSource, IsUserFile, SourceLevel, SourceLine};
pub use tables::{HloKernelRow, HloLineRow, HloOpRow, HloTables};
pub use text::program_text;
pub use windows::Unattributed;

use crate::trace::{HloModule, Instruction, Program};

/// The attribution of a JAX trace.
#[derive(Debug)]
pub struct HloAttribution {
    /// By index of the device event; copies and fills included.
    pub of_event: Vec<HloAttributed>,
    /// Executions that device records belong to, by device and time of the first.
    pub executions: Vec<DeviceExecution>,
    /// By index of `Trace::programs`: what one execution should launch, and its parts that are not known in advance.
    /// Absent where the program's HLO is not at hand.
    pub expected: Vec<Option<ProgramSchedule>>,
    /// Programs with kernels, by index, the one with the most kernel time first.
    pub programs: Vec<(u32, KernelTotal)>,
    /// Kernels by class, in the order of [`HloClass::ALL`]; they add up to all kernels.
    pub classes: [KernelTotal; 5],
    /// All kernels.
    pub kernels: KernelTotal,
    /// What checks ask for.
    pub counts: HloCounts,
    /// Executions that the host recorded against those that left device records.
    pub loss: Loss,
    /// Kernels by name, operation and line.
    pub tables: HloTables,
}

/// What a program's schedule says of one execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSchedule {
    /// Kernels of one execution.
    pub kernels: KernelRange,
    /// Parts that are not known in advance, with the number of places at which each kind occurs.
    pub open_parts: Vec<(OpenPart, u64)>,
    /// Places at which kernels are launched, loops expanded.
    pub n_slots: u64,
    /// Asynchronous operations that start and are never done, or the other way round.
    pub n_unpaired_async: u64,
}

impl HloAttribution {
    /// Kernels of a class.
    pub fn class(&self, class: HloClass) -> KernelTotal {
        self.classes[class as usize]
    }

    /// Kernel time with an instruction ÷ all kernel time: the classes exact, exact-label, name and order.
    pub fn coverage(&self) -> Option<crate::units::Ratio> {
        let none = self.class(HloClass::None).time;
        (self.kernels.time - none).share_of(self.kernels.time)
    }
}

/// The instruction of a program, where the program's HLO is stored.
pub fn instruction(program: &Program, place: InstructionRef) -> Option<&Instruction> {
    let module: &HloModule = match &program.hlo {
        crate::trace::Hlo::Stored(module) => module,
        _ => return None,
    };
    module
        .computations
        .get(place.computation as usize)?
        .instructions
        .get(place.instruction as usize)
}
