//! Device side: GPUs, streams, and the work that was recorded on them.

use super::{
    CollectiveId, CorrelationId, DeviceId, ExternalId, GraphNodeId, HloLabelId, NameId, StreamId,
};
use crate::units::Interval;

/// One GPU on which something was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// The id that the producer wrote. ROCm numbers agents, so it need not be an ordinal.
    pub raw_id: i64,
}

/// One stream (HIP: queue) of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The device.
    pub device: DeviceId,
    /// The id that the producer wrote.
    pub raw_id: i64,
}

/// One piece of device work. Annotations, synchronisation rows and profiler ranges are none.
#[derive(Clone, Copy, Debug)]
pub struct DeviceEvent {
    /// When it ran.
    pub interval: Interval,
    /// The join to the host call that launched it; absent where the producer wrote none, or 0.
    pub correlation: Option<CorrelationId>,
    /// The join to a framework operator, where the producer copied it here.
    pub external: Option<ExternalId>,
    /// Where it ran.
    pub stream: StreamId,
    /// The kernel's or the copy's name.
    pub name: NameId,
    /// What a producer wrote about a collective.
    pub collective: Option<CollectiveId>,
    /// Graph and node id, where the producer writes them.
    pub graph_node: Option<GraphNodeId>,
    /// The HLO instruction that the tracer names for it (JAX).
    pub hlo: Option<HloLabelId>,
    /// What it is.
    pub kind: DeviceEventKind,
    /// Whether the record itself says that a graph replay dispatched it.
    pub graph_task: GraphTask,
}

/// What a piece of device work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceEventKind {
    /// A compute kernel.
    Kernel,
    /// A communication kernel, by the producer's own fields or by a name in the table of collectives.
    Collective,
    /// A copy.
    Memcpy,
    /// A fill.
    Memset,
    /// A kernel with which the runtime copies, by its name: the record says kernel, the time is that of a copy.
    CopyKernel,
    /// A kernel with which the runtime fills.
    FillKernel,
}

impl DeviceEventKind {
    /// True for all that is recorded as a kernel, as opposed to copies and fills by an engine of their own.
    pub const fn is_kernel(self) -> bool {
        !matches!(self, Self::Memcpy | Self::Memset)
    }

    /// True for copies and fills, by kernel or not.
    pub const fn copies_or_fills(self) -> bool {
        matches!(self, Self::Memcpy | Self::Memset | Self::CopyKernel | Self::FillKernel)
    }

    /// What a kernel of the runtime does, as a label in reports.
    pub const fn by_kernel(self) -> Option<&'static str> {
        match self {
            Self::CopyKernel => Some("copy by kernel"),
            Self::FillKernel => Some("fill by kernel"),
            Self::Kernel | Self::Collective | Self::Memcpy | Self::Memset => None,
        }
    }
}

/// What a device record says of its own dispatch (roctracer's `kind`, CUPTI's graph level).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GraphTask {
    /// The record does not say.
    Unsaid,
    /// It says that it was launched by itself ("Dispatch Kernel").
    Single,
    /// It says that a graph replay dispatched it ("Dispatch Task").
    Replay,
    /// It stands for all the work of one graph replay (CUPTI at graph level): the time is right, the kernels are unknown.
    WholeReplay,
}

/// The node of a graph that a device record is an execution of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphNode {
    /// The executable graph.
    pub graph: u64,
    /// The node in it.
    pub node: u64,
}

/// What a producer wrote about one collective.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collective {
    /// The operation, such as `allreduce`.
    pub operation: Option<NameId>,
    /// The process group's name.
    pub group: Option<NameId>,
    /// How many ranks take part.
    pub group_size: Option<u64>,
    /// The position in the group's sequence of operations.
    pub sequence: Option<u64>,
    /// Element type.
    pub dtype: Option<NameId>,
    /// Elements put in.
    pub in_elements: Option<u64>,
    /// Elements taken out.
    pub out_elements: Option<u64>,
}

/// What a producer wrote about one copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyDetail {
    /// The device event, by index.
    pub event: u32,
    /// Bytes moved; absent where the producer wrote none, or 0 for a copy that took time.
    pub bytes: Option<u64>,
    /// The direction; absent where the producer wrote "Unknown".
    pub direction: Option<NameId>,
}
