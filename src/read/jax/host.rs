//! Host events: calls into the GPU runtime, scopes of the tracers, steps, executions of programs.
//!
//! A runtime call is known by its correlation id, whatever its line is called: older tracers put calls on the lines of
//! named threads, and name them after the kernel that they launch (measured).

use super::builder::{Builder, last};
use super::execution::{self, Source};
use super::key::Key;
use super::roles::is_call_line;
use super::statistics::Statistics;
use crate::read::api;
use crate::read::refusal::Refusal;
use crate::trace::{
    Annotation, Execution, HostCall, HostCallKind, HostSpan, NameId, Process, ProcessId, Thread,
    ThreadId,
};
use crate::units::Interval;

/// A name of host events, and what it tells.
#[derive(Clone, Copy)]
pub(super) struct HostName {
    call: Call,
    execution: Option<(Source, Option<NameId>)>,
    /// True for what JAX's Python tracer writes: `$train.py:77 step`.
    is_python_frame: bool,
}

/// What a name tells about a runtime call.
#[derive(Clone, Copy)]
enum Call {
    /// It is a function of a runtime.
    Api { api: NameId, kind: HostCallKind },
    /// It is something else: of a call, the name of what it launched.
    Launched,
}

/// A line of a host plane.
pub(in crate::read) struct HostLine<'a> {
    /// Its id.
    pub(in crate::read) id: i64,
    /// Its name.
    pub(in crate::read) name: &'a [u8],
    /// Its process.
    pub(in crate::read) process: &'a str,
    /// The row of its thread, once an event was taken: only threads that recorded something are in the table.
    pub(in crate::read) thread: Option<ThreadId>,
}

/// Takes a host event.
pub(in crate::read) fn host_event(
    builder: &mut Builder,
    name: NameId,
    interval: Interval,
    line: &mut HostLine<'_>,
    statistics: &mut impl Statistics,
) -> Result<(), Refusal> {
    let thread = thread(builder, line)?;
    let known = host_name(builder, name)?;
    let is_api = matches!(known.call, Call::Api { .. });
    if statistics.has(Key::Correlation) || is_api && is_call_line(line.name) {
        return call(builder, (name, known.call), interval, thread, statistics);
    }
    if let Some(step) = statistics.number(Key::StepNumber) {
        let name = step_name(builder.trace.name(name), step);
        let name = builder.intern(&name)?;
        builder.trace.annotations.push(Annotation { interval, thread, name });
        return Ok(());
    }
    // A compiled program's operation that ran on the host itself.
    let program = statistics.id(Key::Program, &mut builder.tally);
    builder.refer(program, None);
    if let Some((source, module)) = known.execution {
        let module = statistics.name(Key::ModuleName, builder)?.or(module);
        builder.refer(None, module);
        let execution = Execution { interval, thread, scope: source.scope(), module };
        builder.executions.push(source, execution);
    }
    builder.trace.profiler.python_frames += u64::from(known.is_python_frame);
    builder.trace.host_spans.push(HostSpan { interval, thread, name });
    Ok(())
}

/// A step that the user marked (`StepTraceAnnotation`): its number becomes part of its name, as Kineto has it. XProf's trace
/// viewer has put it there already, behind a blank.
fn step_name(name: &str, step: i128) -> String {
    let bare = name.strip_suffix(&format!(" {step}")).unwrap_or(name);
    format!("{bare}#{step}")
}

fn call(
    builder: &mut Builder,
    (name, call): (NameId, Call),
    interval: Interval,
    thread: ThreadId,
    statistics: &mut impl Statistics,
) -> Result<(), Refusal> {
    let (api, kind) = match call {
        Call::Api { api, kind } => (api, kind),
        Call::Launched if statistics.has(Key::MemcpyDetails) => (name, HostCallKind::Copy),
        Call::Launched if statistics.has(Key::MemsetDetails) => (name, HostCallKind::Set),
        Call::Launched => (name, HostCallKind::Launch),
    };
    let row = HostCall {
        interval,
        correlation: builder.correlation(statistics),
        external: None,
        thread,
        api,
        hlo: builder.label(statistics)?,
        kind,
    };
    builder.trace.host_calls.push(row);
    Ok(())
}

fn thread(builder: &mut Builder, line: &mut HostLine<'_>) -> Result<ThreadId, Refusal> {
    if let Some(thread) = line.thread {
        return Ok(thread);
    }
    let process = Process { raw_id: builder.intern(line.process)? };
    let raw_id = builder.intern(&line.id.to_string())?;
    let name = builder.name(line.name)?;
    let trace = &mut builder.trace;
    let process = *builder.processes.entry(process.raw_id).or_insert_with(|| {
        trace.processes.push(process);
        ProcessId::new(last(&trace.processes))
    });
    trace.threads.push(Thread { process, raw_id, name: Some(name) });
    let thread = ThreadId::new(last(&trace.threads));
    line.thread = Some(thread);
    Ok(thread)
}

fn host_name(builder: &mut Builder, name: NameId) -> Result<HostName, Refusal> {
    if let Some(known) = builder.host_names.get(name) {
        return Ok(known);
    }
    let text = builder.trace.name(name).to_owned();
    let call = match function(&text) {
        Some(function) => {
            let (kind, _) = api::classify(function);
            Call::Api { api: builder.intern(function)?, kind }
        }
        None => Call::Launched,
    };
    let execution = match execution::source(&text) {
        Some((source, Some(module))) => Some((source, Some(builder.intern(module)?))),
        Some((source, None)) => Some((source, None)),
        None => None,
    };
    let known = HostName { call, execution, is_python_frame: text.starts_with('$') };
    builder.host_names.insert(name, known);
    Ok(known)
}

/// The runtime's function, where the name is one: without what CUPTI appends, as in `cuGraphLaunch (CudaGraph:5)`.
/// A library's prefix and an upper-case letter make one: kernels are called `cutlass_…` and `hipblaslt_…`.
fn function(name: &str) -> Option<&str> {
    let function = name.split(" (").next().unwrap_or(name);
    let is_word = function.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_api = ["hip", "cuda", "cu", "__hip", "hsa_"].iter().any(|library| {
        let rest = function.strip_prefix(library).unwrap_or_default();
        rest.starts_with(|first: char| first.is_ascii_uppercase())
            || *library == "hsa_" && !rest.is_empty()
    });
    (is_word && is_api).then_some(function)
}

#[cfg(test)]
mod tests {
    use super::function;

    #[test]
    fn functions_are_told_from_kernels() {
        for (name, expected) in [
            ("hipModuleLaunchKernel", Some("hipModuleLaunchKernel")),
            ("cuGraphLaunch (CudaGraph:5)", Some("cuGraphLaunch")),
            ("cudaMemcpyAsync", Some("cudaMemcpyAsync")),
            ("cuMemcpyHtoDAsync_v2", Some("cuMemcpyHtoDAsync_v2")),
            ("hsa_amd_memory_async_copy", Some("hsa_amd_memory_async_copy")),
            ("cutlass_80_tensorop_f16", None),
            ("loop_add_fusion", None),
            ("void cuBLAS::kernel<4>(int)", None),
            ("hip::kernel", None),
            ("", None),
        ] {
            assert_eq!(function(name), expected, "{name}");
        }
    }
}
