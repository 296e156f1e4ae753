//! Host side: threads, runtime calls, framework operators and annotations.

use super::{CorrelationId, ExternalId, HloLabelId, NameId, ProcessId, ThreadId};
use crate::units::Interval;

/// A process that recorded host activity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// The process id as the file writes it.
    pub raw_id: NameId,
}

/// A host thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its process.
    pub process: ProcessId,
    /// The thread id as the file writes it.
    pub raw_id: NameId,
    /// Its name, where the file has one.
    pub name: Option<NameId>,
}

/// A call into the GPU runtime or driver.
#[derive(Clone, Copy, Debug)]
pub struct HostCall {
    /// From entry to return.
    pub interval: Interval,
    /// The join to the device records that the call caused; absent where the producer wrote none, or 0.
    pub correlation: Option<CorrelationId>,
    /// The join to a framework operator.
    pub external: Option<ExternalId>,
    /// The calling thread.
    pub thread: ThreadId,
    /// The function's name, such as `hipLaunchKernel`.
    pub api: NameId,
    /// The HLO instruction that the tracer names for it (JAX).
    pub hlo: Option<HloLabelId>,
    /// What the call does.
    pub kind: HostCallKind,
}

/// What a call into the runtime does, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostCallKind {
    /// Launches one kernel.
    Launch,
    /// Replays a graph.
    GraphLaunch,
    /// Queues a copy and returns.
    Copy,
    /// Copies and returns when the copy is done.
    BlockingCopy,
    /// Queues a fill.
    Set,
    /// Waits for a stream or an event.
    Sync,
    /// Waits for everything on a device.
    DeviceSync,
    /// Makes a stream wait for an event; the host goes on.
    StreamWait,
    /// Begins recording a stream into a graph.
    CaptureBegin,
    /// Ends it.
    CaptureEnd,
    /// Anything else: queries, allocation, attributes.
    Other,
}

impl HostCallKind {
    /// True where the call hands work to a device.
    pub const fn hands_over_work(self) -> bool {
        matches!(
            self,
            Self::Launch | Self::GraphLaunch | Self::Copy | Self::BlockingCopy | Self::Set
        )
    }

    /// True for calls that copy or fill.
    pub const fn copies_or_fills(self) -> bool {
        matches!(self, Self::Copy | Self::BlockingCopy | Self::Set)
    }

    /// True where the call launches a kernel, or a graph of them.
    pub const fn launches_kernels(self) -> bool {
        matches!(self, Self::Launch | Self::GraphLaunch)
    }

    /// True where the host waits inside the call for the device.
    pub const fn blocks_on_device(self) -> bool {
        matches!(self, Self::Sync | Self::DeviceSync | Self::BlockingCopy)
    }
}

/// A framework operator on the host (`cpu_op`).
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// From entry to return.
    pub interval: Interval,
    /// Its join key.
    pub external: Option<ExternalId>,
    /// The thread.
    pub thread: ThreadId,
    /// Its name, such as `aten::mm`.
    pub name: NameId,
}

/// A range that the user or the framework marked on the host timeline.
#[derive(Clone, Copy, Debug)]
pub struct Annotation {
    /// The range.
    pub interval: Interval,
    /// The thread.
    pub thread: ThreadId,
    /// Its name, such as `ProfilerStep#3`.
    pub name: NameId,
}

/// Host activity of no further meaning to the joins: a tracer scope or an interpreter frame.
#[derive(Clone, Copy, Debug)]
pub struct HostSpan {
    /// From entry to return.
    pub interval: Interval,
    /// The thread.
    pub thread: ThreadId,
    /// Its name.
    pub name: NameId,
}

/// A host record of a program that was executed (JAX): independent of what the device recorded.
#[derive(Clone, Copy, Debug)]
pub struct Execution {
    /// From entry to return.
    pub interval: Interval,
    /// The thread.
    pub thread: ThreadId,
    /// What one such record stands for.
    pub scope: ExecutionScope,
    /// The program's name, where the record has it. A name is no key: several programs may share one.
    pub module: Option<NameId>,
}

/// What one host record of an execution stands for, best evidence first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExecutionScope {
    /// One execution on one device, with the program's name (`GpuExecutable::ExecuteThunks`).
    DeviceWithProgram,
    /// One execution on one device (`PjRtStreamExecutorLoadedExecutable::ExecuteHelper`).
    Device,
    /// One call, on all devices of the program (`PJRT_LoadedExecutable_Execute`, `…LoadedExecutable::Execute`).
    Call,
}
