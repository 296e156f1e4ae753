//! Device events: what one is, and what the tracer says of it.
//!
//! What an event is, its own statistics tell, else its name. The line's suffix, as in `Stream #8(MemcpyOther)`, tells
//! nothing: newer tracers leave it out or put copies under `(Kernel)` (measured).
//! What is recorded with a launch configuration is a kernel, whatever its name; the runtime's own copy with kernels as well.

use super::builder::{Builder, Record};
use super::copies;
use super::key::Key;
use super::statistics::Statistics;
use crate::read::collectives::is_collective;
use crate::read::refusal::Refusal;
use crate::read::runtime_kernels::blit;
use crate::read::table;
use crate::read::tally::Oddity;
use crate::trace::{
    CopyDetail, DamageFault, DeviceEvent, DeviceEventKind, GraphTask, RecordSide, StreamId,
};
use crate::units::Interval;

/// How CUPTI's whole-graph records begin; the executable graph's id follows.
const WHOLE_GRAPH: &str = "CudaGraphExec";

/// Takes a device event that ran on a stream.
pub(in crate::read) fn device_event(
    builder: &mut Builder,
    record: Record,
    interval: Interval,
    stream: StreamId,
    statistics: &mut impl Statistics,
) -> Result<(), Refusal> {
    if interval.is_empty() {
        builder.damaged(DamageFault::ZeroDuration, RecordSide::Device, record);
    }
    let whole_replay = statistics.has(Key::GraphExec);
    if whole_replay {
        builder.tally.note(Oddity::WholeGraphRecord, WHOLE_GRAPH, 1);
    }
    let by_name = builder.device_kind(record.name, kind_of_name);
    let kind = kind(statistics, by_name);
    let row = DeviceEvent {
        interval,
        correlation: builder.correlation(statistics),
        external: None,
        stream,
        name: record.name,
        collective: None,
        graph_node: builder.graph_node(statistics),
        hlo: builder.label(statistics)?,
        kind,
        graph_task: if whole_replay { GraphTask::WholeReplay } else { GraphTask::Unsaid },
    };
    if kind == DeviceEventKind::Memcpy {
        copy(builder, statistics)?;
    }
    table::push(&mut builder.trace.device_events, row);
    Ok(())
}

fn kind(statistics: &impl Statistics, by_name: DeviceEventKind) -> DeviceEventKind {
    let is_kernel = statistics.has(Key::KernelDetails);
    match by_name {
        _ if statistics.has(Key::MemcpyDetails) => DeviceEventKind::Memcpy,
        _ if statistics.has(Key::MemsetDetails) => DeviceEventKind::Memset,
        DeviceEventKind::Memcpy | DeviceEventKind::Memset if is_kernel => DeviceEventKind::Kernel,
        by_name => by_name,
    }
}

/// Names of copies and fills: `MemcpyD2D`, `Memset` (CUPTI), `CopyDeviceToDevice` (roctracer).
fn kind_of_name(name: &str) -> DeviceEventKind {
    let is_copy = name.starts_with("Copy") && name.contains("To") && !name.contains(['<', '(']);
    if name.starts_with("Memcpy") || is_copy {
        DeviceEventKind::Memcpy
    } else if name.starts_with("Memset") {
        DeviceEventKind::Memset
    } else if is_collective(name) {
        DeviceEventKind::Collective
    } else {
        blit(name).unwrap_or(DeviceEventKind::Kernel)
    }
}

/// Takes the details of the copy that becomes the next device event.
fn copy(builder: &mut Builder, statistics: &impl Statistics) -> Result<(), Refusal> {
    let event = u32::try_from(builder.trace.device_events.len()).unwrap_or(u32::MAX);
    let details = statistics.text(Key::MemcpyDetails).unwrap_or_default();
    let direction = match copies::direction(&details) {
        Some(direction) => Some(builder.intern(&direction)?),
        None => None,
    };
    builder.trace.copies.push(CopyDetail { event, bytes: copies::bytes(&details), direction });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{DeviceEventKind as Kind, kind_of_name};

    #[test]
    fn names_tell_kinds() {
        for (name, expected) in [
            ("CopyDeviceToDevice", Kind::Memcpy),
            ("MemcpyD2H", Kind::Memcpy),
            ("Memset", Kind::Memset),
            ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)", Kind::Collective),
            ("__amd_rocclr_copyBuffer.kd", Kind::CopyKernel),
            ("CopyToBuffer<float>(float*)", Kind::Kernel),
            ("loop_fusion", Kind::Kernel),
        ] {
            assert_eq!(kind_of_name(name), expected, "{name}");
        }
    }
}
