//! What to try against a cause: a hypothesis to test, fitted to what the window shows.

use super::causes::Cause;
use super::parts::{self, Part};
use super::stretches::Stretches;
use crate::analysis::host_cause::{HostActivity, without_number};
use crate::analysis::path::{Model, Path};
use crate::trace::{HostCallKind, NameId, Trace};
use crate::units::Picoseconds;
use rustc_hash::FxHashSet;

/// What to try against a cause, with what its time goes to where that decides it.
pub(super) fn knob(
    cause: &Cause,
    stretches: Option<&Stretches>,
    path: &Path,
    model: &Model<'_>,
) -> (&'static str, Vec<Part>) {
    if let Some(call) = stretches.and_then(Stretches::only) {
        return (AFTER_WARM_UP, vec![call]);
    }
    if let Cause::HostEvent(name) = cause
        && is_for_memory(name)
        && calls_in_window(path, model, name) >= MEMORY_CALLS_MIN
    {
        return (KEEP_MEMORY, Vec::new());
    }
    if let Cause::HostEvent(name) = cause
        && activity(model.trace, name) == HostActivity::Annotation
    {
        let has_frames = model.trace.profiler.python_frames > 0;
        return (if has_frames { IN_FUNCTIONS } else { BETWEEN_OPERATORS }, Vec::new());
    }
    if *cause == Cause::CopyCalls {
        return (of_cause(cause, model), parts::copy_calls(path, model));
    }
    if *cause == Cause::Waits {
        let waits = parts::waits(model);
        let all: Picoseconds = waits.iter().map(|part| part.time).sum();
        let is_most =
            |part: &Part| part.what == parts::UNDER_COLLECTIVES && part.time + part.time > all;
        let knob =
            if waits.iter().any(is_most) { UNDER_COLLECTIVES } else { of_cause(cause, model) };
        return (knob, waits);
    }
    (of_cause(cause, model), Vec::new())
}

/// Against one call that is most of a cause and of which the capture has no like.
const AFTER_WARM_UP: &str =
    "record after warm-up before tuning: one call is most of it, probably the first use";

/// Against calls that allocate or free the device's memory again and again. The variables are those that PyTorch's allocator asks for
/// (`c10/cuda/CUDACachingAllocator.cpp`).
const KEEP_MEMORY: &str = "let the framework's caching allocator keep device memory, as each of these calls allocates or frees: see whether it is switched off \
     (PYTORCH_NO_CUDA_MEMORY_CACHING, PYTORCH_NO_HIP_MEMORY_CACHING), or memory is returned in each step";

/// So many calls for memory in a window are no start of a program. A choice.
const MEMORY_CALLS_MIN: usize = 10;

/// True for calls that allocate or free memory of a device, by the names that the CUDA and HIP runtimes and the CUDA driver give them.
/// Memory of the host is pinned by others.
fn is_for_memory(call: &str) -> bool {
    let runtime = ["cuda", "hip"].iter().find_map(|prefix| call.strip_prefix(prefix));
    let is_it = |name: &str| {
        name.starts_with("Malloc") && !name.starts_with("MallocHost")
            || matches!(name, "Free" | "FreeAsync" | "ExtMallocWithFlags")
    };
    let driver = |name: &str| {
        name.starts_with("MemAlloc") && !name.starts_with("MemAllocHost")
            || name.starts_with("MemFree") && !name.starts_with("MemFreeHost")
    };
    runtime.is_some_and(is_it) || call.strip_prefix("cu").is_some_and(driver)
}

/// Calls of this name in the window.
fn calls_in_window(path: &Path, model: &Model<'_>, name: &str) -> usize {
    let Some(id) = model.trace.names.find(name) else { return 0 };
    let calls = model.trace.host_calls.iter().filter(|one| one.api == id);
    calls.filter(|one| one.interval.intersection(path.window).is_some()).count()
}

/// Against waits most of which are under collectives: the host going on makes no collective shorter.
const UNDER_COLLECTIVES: &str = "the host waits mostly while collectives run, which take as long if it goes on: see first which rank comes last to them";

/// Against time in a range that holds no operator and no call.
const BETWEEN_OPERATORS: &str = "less work of the host between the operators of this range: compilation, graph capture, or larger operators";

/// The same where a tracer recorded in which functions. They are counted and not kept: there are ten of them for each operator.
const IN_FUNCTIONS: &str = "less work of the host in the functions that the file's Python frames show in this range, as a trace viewer draws them, or \
     compilation of what they do";

fn of_cause(cause: &Cause, model: &Model<'_>) -> &'static str {
    let replays = || model.items.iter().any(|item| item.kind == HostCallKind::GraphLaunch);
    match cause {
        Cause::Host if replays() => {
            "compilation, or graph capture of what runs outside the graphs that are replayed"
        }
        Cause::Host => "graph capture, compilation, or more work a launch",
        Cause::HostEvent(name) => against(activity(model.trace, name)),
        Cause::LaunchCalls if replays() => {
            "graph capture of what runs outside the graphs that are replayed, or fusing kernels"
        }
        Cause::LaunchCalls => "graph capture, or fusing kernels",
        Cause::Waits => "drop .item(), blocking copies and explicit synchronisation from the step",
        Cause::Collectives => {
            "see which rank comes last: nothing on this one helps against that. Else overlap them with compute, or bucket them \
             differently"
        }
        Cause::Copies => {
            "prefetching on a stream of its own, smaller data types, or keeping data on the device"
        }
        Cause::CopyCalls => {
            "pinned memory and non-blocking copies, fewer and larger copies, or keeping data on the device"
        }
        Cause::Kernel(_) => "another implementation, data type or shape",
    }
}

const fn against(activity: HostActivity) -> &'static str {
    match activity {
        HostActivity::Op => {
            "compilation or graph capture, so that the host does not go through it each time"
        }
        HostActivity::Annotation => BETWEEN_OPERATORS,
        HostActivity::Call => "keep what it makes from step to step: memory, events, streams",
        HostActivity::Span | HostActivity::NoEvent | HostActivity::UnknownThread => {
            "move it off the launching thread, or prefetch what it fetches"
        }
    }
}

/// What a host event of this name is: the tables are asked in the order of how closely they describe it.
fn activity(trace: &Trace, name: &str) -> HostActivity {
    let all = (0_u32..).take(trace.names.len()).map(NameId::new);
    let named: FxHashSet<NameId> =
        all.filter(|&id| without_number(trace.name(id)) == name).collect();
    let is_it = |id: NameId| named.contains(&id);
    // Old profilers list the marks of steps with the operators.
    if name.starts_with("ProfilerStep#") {
        return HostActivity::Annotation;
    }
    // Operators are `namespace::name`; what else stands in their table are ranges that libraries record, as around a data loader.
    if name.contains("::") && trace.ops.iter().any(|one| is_it(one.name)) {
        HostActivity::Op
    } else if trace.host_calls.iter().any(|one| is_it(one.api)) {
        HostActivity::Call
    } else if trace.annotations.iter().any(|one| is_it(one.name)) {
        HostActivity::Annotation
    } else {
        HostActivity::Span
    }
}
