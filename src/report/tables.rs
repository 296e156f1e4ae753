//! Rows that are too many for the JSON report: every kernel with its instruction, every gap, the text of every program.

use super::{Microseconds, Share};
use std::sync::Arc;

/// What tables need beside the rest of a report. A capture can have a million gaps and programs of many megabytes, so it is made
/// where an output asks for it, and is no part of the JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    /// Kernels by recorded time.
    pub kernels: Vec<KernelRow>,
    /// Idle gaps, by device and time.
    pub gaps: Vec<GapRow>,
    /// Compiled programs that the capture holds and refers to, in order of their id (JAX).
    pub programs: Vec<ProgramText>,
}

/// Kernels of one name that belong to one place in the same way.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelRow {
    /// The kernel's name.
    pub name: String,
    /// How many.
    pub records: u64,
    /// Sum of their durations.
    pub time_us: Microseconds,
    /// Part of all kernel time that was recorded.
    pub share: Option<Share>,
    /// The class of their attribution.
    pub class: String,
    /// JAX: id and name of the program.
    pub program: Option<(u64, String)>,
    /// JAX: the instruction.
    pub instruction: Option<String>,
    /// The operator.
    pub op: Option<String>,
    /// JAX: how the operator's name was found.
    pub level: Option<String>,
    /// JAX: file and line, where there is only one.
    pub line: Option<(String, u64)>,
}

/// Time in which a device ran nothing, between two pieces of its work.
#[derive(Clone, Debug, PartialEq)]
pub struct GapRow {
    /// The device.
    pub device: Arc<str>,
    /// When it begins, on the file's own time axis.
    pub start_us: Microseconds,
    /// How long it lasts.
    pub length_us: Microseconds,
    /// The part later than the return of the launch call of the work that ends it, where that exceeds 100 µs.
    pub queued_us: Option<Microseconds>,
    /// The part in which the host waited for the device inside a call; absent where the capture has no such calls.
    pub blocked_us: Option<Microseconds>,
    /// The work that ends it.
    pub next_work: Option<Arc<str>>,
    /// The call that launched that work.
    pub launch: Option<Arc<str>>,
    /// The thread of that call, as the file writes it.
    pub thread: Option<Arc<str>>,
    /// What that thread was doing for most of the gap, and its kind.
    pub host_event: (Arc<str>, &'static str),
    /// For how long.
    pub host_us: Microseconds,
}

/// A compiled program's HLO as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramText {
    /// The program's id.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// One line an instruction, in the order of execution.
    pub lines: Vec<String>,
}
