//! The neutral model of a capture: what was recorded, whatever the file format.
//!
//! One table (`Vec`) per kind of record, small ids between them, names interned once.
//! Times are relative to [`Origin`]; nothing in here judges or repairs.

mod capture;
mod content;
mod device;
mod hlo;
mod host;
mod ids;
mod intervals;
mod names;
mod operands;
mod profiler;

pub use capture::{Capture, FileFormat, Notice, Record, RecordSource, Skipped};
pub use content::{Content, content, stream_capture_windows};
pub use device::{
    Collective, CopyDetail, Device, DeviceEvent, DeviceEventKind, GraphNode, GraphTask, Stream,
};
pub use hlo::{Computation, Hlo, HloLabel, HloModule, Instruction, Program, Shape, StackFrame};
pub use host::{
    Annotation, Execution, ExecutionScope, HostCall, HostCallKind, HostSpan, Op, Process, Thread,
};
pub use ids::{
    CollectiveId, CorrelationId, DeviceId, ExternalId, GraphNodeId, HloLabelId, NameId, OpId,
    OpInputsId, ProcessId, StreamId, ThreadId,
};
pub use intervals::{IntervalSet, common, outside, time_of};
pub use names::Names;
pub use operands::{
    Argument, Convolution, DotDimensions, OpInputs, Precision, SpatialDimension, WindowDimension,
};
pub use profiler::{
    Aggregated, DamageFault, DamagedRecords, DeviceProperties, Distributed, Profiler, RecordSide,
};

use crate::units::{Interval, Picoseconds};

/// Everything that one file recorded.
#[derive(Debug, Default)]
pub struct Trace {
    /// What relative times count from.
    pub origin: Origin,
    /// The smallest step of time that the file's timestamps show: 1 ns, or 1 µs in old files.
    pub resolution: Picoseconds,
    /// GPUs on which anything was recorded, in order of their raw id.
    pub devices: Vec<Device>,
    /// Streams (queues) of those devices, in order of device and raw id.
    pub streams: Vec<Stream>,
    /// Processes that recorded host activity.
    pub processes: Vec<Process>,
    /// Host threads.
    pub threads: Vec<Thread>,
    /// Device work in the order of the file: kernels, collectives, copies and sets.
    pub device_events: Vec<DeviceEvent>,
    /// Calls into the GPU runtime and driver, in the order of the file.
    pub host_calls: Vec<HostCall>,
    /// Framework operators (`cpu_op`), in the order of the file.
    pub ops: Vec<Op>,
    /// The inputs of operators that multiply, in order: (index of the operator, what it was given).
    pub op_inputs: Vec<(u32, OpInputsId)>,
    /// What operators were given, each distinct list once: one row for each [`OpInputsId`].
    pub inputs: Vec<OpInputs>,
    /// Annotations that the user or the framework put on the host timeline.
    pub annotations: Vec<Annotation>,
    /// Host activity that no join needs: tracer scopes and interpreter frames.
    pub host_spans: Vec<HostSpan>,
    /// Programs that the host says were executed (JAX).
    pub executions: Vec<Execution>,
    /// Compiled programs (JAX), in order of their id.
    pub programs: Vec<Program>,
    /// What the tracer says of the HLO instruction behind a record, one row for each [`HloLabelId`].
    pub hlo_labels: Vec<HloLabel>,
    /// What a producer wrote about copies, in order of the device event.
    pub copies: Vec<CopyDetail>,
    /// What a producer wrote about collectives, one row for each [`CollectiveId`].
    pub collectives: Vec<Collective>,
    /// Graph and node ids that a producer wrote, one row for each [`GraphNodeId`].
    pub graph_nodes: Vec<GraphNode>,
    /// Launch links that the file states as flow arrows: (index of the device event, index of the host call).
    /// Filled only where device events carry no correlation id.
    pub flow_links: Vec<(u32, u32)>,
    /// What the profiler says of itself, its session and its devices.
    pub profiler: Profiler,
    /// Records that could not be placed on the timeline, by fault.
    pub damaged: Vec<DamagedRecords>,
    /// Every name that the tables refer to.
    pub names: Names,
}

/// What relative times count from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The origin on the file's own time axis, in nanoseconds.
    pub file_ns: i64,
    /// What the file's axis counts from, in nanoseconds since the Unix epoch, where the file says so.
    pub base_unix_ns: Option<i64>,
}

impl Origin {
    /// A relative time on the file's own axis, in picoseconds.
    pub fn on_file_axis(self, at: Picoseconds) -> i128 {
        i128::from(self.file_ns) * 1_000 + i128::from(at.ps())
    }
}

impl Trace {
    /// An operator of the framework.
    pub fn op(&self, id: OpId) -> &Op {
        &self.ops[id.index()]
    }

    /// The stream on which a device event ran.
    pub fn stream(&self, id: StreamId) -> &Stream {
        &self.streams[id.index()]
    }

    /// The device to which a stream belongs.
    pub fn device(&self, id: DeviceId) -> &Device {
        &self.devices[id.index()]
    }

    /// The text of a name.
    pub fn name(&self, id: NameId) -> &str {
        self.names.get(id)
    }

    /// Host records of every kind, as the hull of their intervals; `None` where no host record exists.
    pub fn host_window(&self) -> Option<Interval> {
        let calls = self.host_calls.iter().map(|call| call.interval);
        let ops = self.ops.iter().map(|op| op.interval);
        let annotations = self.annotations.iter().map(|annotation| annotation.interval);
        calls.chain(ops).chain(annotations).reduce(Interval::hull)
    }
}
