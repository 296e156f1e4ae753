//! What a call into a GPU runtime or driver does, by its name.
//!
//! Sources of the names: CUDA runtime and driver API references (as CUPTI's callback names), HIP's
//! `hip_runtime_api.h` and `hip_ext.h` (as roctracer and rocprofiler-sdk print them), and the unified runtime's
//! `ur_api.h` and Level Zero's `ze_api.h` for XPU. One stem stands for the CUDA runtime, CUDA driver and HIP spelling.

use crate::trace::HostCallKind;

/// Prefixes that name the library; the longest that fits is cut off.
const LIBRARIES: &[&str] = &["hipExt", "hipHcc", "hipDrv", "cuda", "hip", "cu", "ur", "pi", "ze"];

/// Stems, by what they do. Copies and fills are recognised by their beginning, see [`transfer`].
const STEMS: &[(HostCallKind, &[&str])] = &[
    (
        HostCallKind::Launch,
        &[
            "Launch",
            "LaunchKernel",
            "LaunchKernelEx",
            "LaunchKernelExC",
            "LaunchByPtr",
            "LaunchCooperativeKernel",
            "LaunchCooperativeKernelMultiDevice",
            "LaunchDevice",
            "LaunchGrid",
            "LaunchGridAsync",
            "LaunchMultiKernelMultiDevice",
            "ModuleLaunchKernel",
            "ModuleLaunchCooperativeKernel",
            "ModuleLaunchCooperativeKernelMultiDevice",
            // Unified runtime, its predecessor and Level Zero.
            "EnqueueKernelLaunch",
            "EnqueueKernelLaunchCustomExp",
            "EnqueueCooperativeKernelLaunchExp",
            "CommandListAppendLaunchKernel",
            "CommandListAppendLaunchCooperativeKernel",
        ],
    ),
    (
        HostCallKind::DeviceSync,
        // `ThreadSynchronize` is the old name of `DeviceSynchronize`.
        &["DeviceSynchronize", "CtxSynchronize", "ThreadSynchronize"],
    ),
    (
        HostCallKind::Sync,
        &[
            "StreamSynchronize",
            "EventSynchronize",
            "QueueFinish",
            "EventWait",
            "CommandQueueSynchronize",
            "CommandListHostSynchronize",
            "EventHostSynchronize",
        ],
    ),
    (HostCallKind::StreamWait, &["StreamWaitEvent", "StreamWaitValue32", "StreamWaitValue64"]),
    (HostCallKind::CaptureBegin, &["StreamBeginCapture", "StreamBeginCaptureToGraph"]),
    (HostCallKind::CaptureEnd, &["StreamEndCapture"]),
    (
        // The only copies that wait although nothing in the stem's beginning says so.
        HostCallKind::BlockingCopy,
        &["MemcpyWithStream"],
    ),
    (
        HostCallKind::Copy,
        &["EnqueueUSMMemcpy", "EnqueueMemBufferCopy", "CommandListAppendMemoryCopy"],
    ),
    (HostCallKind::Set, &["EnqueueUSMFill", "EnqueueMemBufferFill", "CommandListAppendMemoryFill"]),
];

/// What names hold that speak of a launch and launch no device work: host functions, launch configuration, attributes.
const NO_LAUNCHES: &[&str] = &["hostfunc", "config", "attribute"];

/// What a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// The name is in the table, or says nothing of a launch.
    Known,
    /// The table does not have the name, and it says that it launches.
    UnknownLaunch,
}

/// What the function of this name does.
pub(super) fn classify(name: &str) -> (HostCallKind, Naming) {
    let lower = name.to_ascii_lowercase();
    if lower.contains("graphlaunch") || lower.contains("graph_launch") {
        return (HostCallKind::GraphLaunch, Naming::Known);
    }
    let stem = stem(name);
    let listed = STEMS.iter().find(|(_, stems)| stems.contains(&stem)).map(|&(kind, _)| kind);
    if let Some(kind) = listed.or_else(|| transfer(stem)) {
        return (kind, Naming::Known);
    }
    if lower.contains("launch") && !NO_LAUNCHES.iter().any(|word| lower.contains(word)) {
        return (HostCallKind::Launch, Naming::UnknownLaunch);
    }
    (HostCallKind::Other, Naming::Known)
}

/// Copies (`Memcpy…`) and fills (`Memset…`). `Async` at the end, or before a suffix such as `ToSymbolAsync`, tells
/// whether the host waits; peer copies never make it wait (CUDA runtime API, "API synchronization behavior").
fn transfer(stem: &str) -> Option<HostCallKind> {
    if stem.starts_with("Memset") {
        return Some(HostCallKind::Set);
    }
    if !stem.starts_with("Memcpy") {
        return None;
    }
    let queued = stem.ends_with("Async")
        || stem.starts_with("MemcpyPeer")
        || stem.starts_with("MemcpyBatch");
    Some(if queued { HostCallKind::Copy } else { HostCallKind::BlockingCopy })
}

/// The name without its library and without what versions and default streams append: `_v2`, `_v7000`, `_ptsz`, `_ptds`,
/// `_spt`. No function of these libraries has another underscore inside its name.
fn stem(name: &str) -> &str {
    let name = LIBRARIES.iter().find_map(|library| name.strip_prefix(library)).unwrap_or(name);
    name.split_once('_').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::{Naming, classify};
    use crate::trace::HostCallKind as Kind;

    #[test]
    fn names_say_what_calls_do() {
        for (kind, names) in [
            (
                Kind::Launch,
                "cudaLaunchKernel cudaLaunchKernel_v7000 cudaLaunchKernel_ptsz cudaLaunchKernelExC_v11060 \
                 cudaLaunchCooperativeKernel cuLaunchKernel cuLaunchKernelEx cuLaunchKernelEx_ptsz hipLaunchKernel \
                 hipLaunchKernel_spt hipExtLaunchKernel hipModuleLaunchKernel hipExtModuleLaunchKernel \
                 hipHccModuleLaunchKernel hipDrvLaunchKernelEx hipLaunchByPtr hipLaunchKernelExC urEnqueueKernelLaunch",
            ),
            (
                Kind::GraphLaunch,
                "cudaGraphLaunch cuGraphLaunch_ptsz hipGraphLaunch hip_graph_launch",
            ),
            (
                Kind::Copy,
                "cudaMemcpyAsync cudaMemcpy2DAsync_ptsz hipMemcpyAsync cuMemcpyHtoDAsync_v2 cudaMemcpyPeer \
                 hipMemcpyToSymbolAsync",
            ),
            (
                Kind::BlockingCopy,
                "cudaMemcpy hipMemcpy hipMemcpyWithStream cuMemcpyHtoD_v2 cuMemcpyDtoH_v2_ptds cudaMemcpy2D \
                 hipMemcpyFromSymbol",
            ),
            (Kind::Set, "cudaMemsetAsync hipMemset cuMemsetD8Async cuMemsetD32_v2"),
            (
                Kind::DeviceSync,
                "cudaDeviceSynchronize hipDeviceSynchronize cuCtxSynchronize cudaThreadSynchronize",
            ),
            (Kind::Sync, "hipStreamSynchronize cudaEventSynchronize cudaStreamSynchronize_ptsz"),
            (Kind::StreamWait, "cudaStreamWaitEvent hipStreamWaitEvent cuStreamWaitEvent_ptsz"),
            (
                Kind::CaptureBegin,
                "cudaStreamBeginCapture hipStreamBeginCapture cuStreamBeginCapture_v2 hipStreamBeginCapture_spt",
            ),
            (Kind::CaptureEnd, "cudaStreamEndCapture hipStreamEndCapture cuStreamEndCapture_ptsz"),
            (
                Kind::Other,
                "cudaStreamIsCapturing hipStreamGetCaptureInfo hipThreadExchangeStreamCaptureMode \
                 hipGetDevicePropertiesR0600 cudaGraphAddMemcpyNode hipGraphInstantiateWithFlags cudaMalloc \
                 cudaLaunchHostFunc cudaStreamQuery __hipPushCallConfiguration",
            ),
        ] {
            for name in names.split_whitespace() {
                assert_eq!(classify(name), (kind, Naming::Known), "{name}");
            }
        }
        assert_eq!(classify("cudaLaunchKernel_next"), (Kind::Launch, Naming::Known));
        assert_eq!(classify("zooLaunchTask"), (Kind::Launch, Naming::UnknownLaunch));
    }
}
