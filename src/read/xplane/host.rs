//! Host planes: calls into the GPU runtime, scopes of the tracers, steps, executions of programs.
//!
//! A runtime call is known by its correlation id, whatever its line is called: older tracers put calls on the lines of
//! named threads, and name them after the kernel that they launch (measured).

use super::super::api;
use super::super::refusal::Refusal;
use super::builder::Builder;
use super::device::aggregated;
use super::execution::{self, Executions, Source};
use super::id_map::IdMap;
use super::lines::{Anchor, Opened};
use super::plane::{Dictionary, Line};
use super::stat::{Key, Stats, Value};
use super::tally::Oddity;
use super::walk::Walk;
use crate::trace::{
    Annotation, Execution, HostCall, HostCallKind, HostSpan, NameId, Process, ProcessId,
    RecordSide, Thread, ThreadId,
};
use crate::units::Interval;

/// How lines begin on which newer ROCm and CUDA tracers put runtime calls.
const CALL_LINE: &[u8] = b"Host Threads/";

/// A name of host events, and what it tells.
#[derive(Clone, Copy)]
struct HostName {
    name: NameId,
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

/// What belongs to the line at hand.
struct HostLine<'a> {
    line: Line<'a>,
    process: NameId,
    id: Option<ThreadId>,
}

/// Reads a host plane.
pub(super) fn read<'a>(
    builder: &mut Builder,
    executions: &mut Executions,
    opened: &Opened<'_, 'a>,
    anchor: Anchor,
) -> Result<(), Refusal> {
    let mut dictionary = opened.plane.dictionary()?;
    builder.tally.note(Oddity::RepeatedId, "", dictionary.n_repeated);
    let process = process(builder, opened, &dictionary)?;
    let mut names = IdMap::default();
    for &line in &opened.lines {
        let base = anchor.base_ps(&line);
        let mut thread = HostLine { line, process, id: None };
        let mut walk = Walk::new(line);
        while let Some(event) = walk.step(&dictionary)? {
            builder.n_events += 1;
            if let Some(occurrences) = event.occurrences {
                aggregated(builder, occurrences);
                continue;
            }
            let name = host_name(builder, event.name, &dictionary, &mut names)?;
            let interval = builder.interval(base, event.timing, RecordSide::Host, name.name);
            if let Some(interval) = interval {
                builder.keep()?;
                let row = Row { builder, interval, name, thread: &mut thread };
                row.take(executions, &walk.stats, &mut dictionary)?;
            }
        }
        walk.finish(&mut builder.tally);
    }
    Ok(())
}

/// One event with all that it needs to become a row.
struct Row<'b, 't, 'a> {
    builder: &'b mut Builder,
    interval: Interval,
    name: HostName,
    thread: &'t mut HostLine<'a>,
}

impl Row<'_, '_, '_> {
    fn take(
        mut self,
        executions: &mut Executions,
        stats: &Stats<'_>,
        dictionary: &mut Dictionary<'_>,
    ) -> Result<(), Refusal> {
        if self.is_call(stats) {
            return self.call(stats, dictionary);
        }
        match stats.get(Key::StepNumber) {
            Value::Signed(step) => return self.step(&step.to_string()),
            Value::Unsigned(step) => return self.step(&step.to_string()),
            _ => {}
        }
        // A compiled program's operation that ran on the host itself.
        let program = self.builder.id(stats, Key::Program);
        self.builder.refer(program, None);
        if let Some((source, module)) = self.name.execution {
            let stated = self.builder.text(stats, Key::ModuleName, dictionary)?;
            let module = stated.or(module);
            self.builder.refer(None, module);
            let (interval, thread) = (self.interval, self.thread_id()?);
            executions.push(source, Execution { interval, thread, scope: source.scope(), module });
        }
        self.span()
    }

    fn is_call(&self, stats: &Stats<'_>) -> bool {
        let is_api = matches!(self.name.call, Call::Api { .. });
        stats.has(Key::Correlation) || is_api && self.thread.line.name.starts_with(CALL_LINE)
    }

    fn call(mut self, stats: &Stats<'_>, dictionary: &mut Dictionary<'_>) -> Result<(), Refusal> {
        let (api, kind) = match self.name.call {
            Call::Api { api, kind } => (api, kind),
            Call::Launched if stats.has(Key::MemcpyDetails) => (self.name.name, HostCallKind::Copy),
            Call::Launched if stats.has(Key::MemsetDetails) => (self.name.name, HostCallKind::Set),
            Call::Launched => (self.name.name, HostCallKind::Launch),
        };
        let row = HostCall {
            interval: self.interval,
            correlation: self.builder.correlation(stats),
            external: None,
            thread: self.thread_id()?,
            api,
            hlo: self.builder.label(stats, dictionary)?,
            kind,
        };
        self.builder.trace.host_calls.push(row);
        Ok(())
    }

    /// A step that the user marked (`StepTraceAnnotation`): its number becomes part of its name, as Kineto has it.
    fn step(mut self, step: &str) -> Result<(), Refusal> {
        let name = format!("{}#{step}", self.builder.trace.name(self.name.name));
        let name = self.builder.name(name.as_bytes())?;
        let (interval, thread) = (self.interval, self.thread_id()?);
        self.builder.trace.annotations.push(Annotation { interval, thread, name });
        Ok(())
    }

    fn span(mut self) -> Result<(), Refusal> {
        let (interval, thread, name) = (self.interval, self.thread_id()?, self.name.name);
        self.builder.trace.profiler.python_frames += u64::from(self.name.is_python_frame);
        self.builder.trace.host_spans.push(HostSpan { interval, thread, name });
        Ok(())
    }

    /// The row of the line's thread: only threads that recorded something are in the table.
    fn thread_id(&mut self) -> Result<ThreadId, Refusal> {
        if let Some(id) = self.thread.id {
            return Ok(id);
        }
        let line = self.thread.line;
        let raw_id = self.builder.name(line.id.to_string().as_bytes())?;
        let name = self.builder.name(line.name)?;
        let trace = &mut self.builder.trace;
        let index = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
        let process = Process { raw_id: self.thread.process };
        let known = trace.processes.iter().position(|known| *known == process);
        let process_row = known.unwrap_or_else(|| {
            trace.processes.push(process);
            trace.processes.len() - 1
        });
        let process = ProcessId::new(index(process_row));
        trace.threads.push(Thread { process, raw_id, name: Some(name) });
        let id = ThreadId::new(index(trace.threads.len() - 1));
        self.thread.id = Some(id);
        Ok(id)
    }
}

/// The id of a plane's process, or the plane's name where the file does not say.
fn process(
    builder: &mut Builder,
    opened: &Opened<'_, '_>,
    dictionary: &Dictionary<'_>,
) -> Result<NameId, Refusal> {
    for stat in opened.plane.stats()? {
        let is_id = dictionary.stats.get(stat.name).is_some_and(|name| name.text == b"process_id");
        if let Some(id) = stat.value.id().filter(|_| is_id) {
            return builder.name(id.to_string().as_bytes());
        }
    }
    builder.name(opened.plane.name)
}

fn host_name(
    builder: &mut Builder,
    id: i64,
    dictionary: &Dictionary<'_>,
    names: &mut IdMap<HostName>,
) -> Result<HostName, Refusal> {
    if let Some(known) = names.get(id) {
        return Ok(*known);
    }
    let text = dictionary.events.get(id).map_or(&b""[..], |name| name.text);
    let name = builder.name(text)?;
    let text = builder.trace.name(name).to_owned();
    let call = match function(&text) {
        Some(function) => {
            let (kind, _) = api::classify(function);
            Call::Api { api: builder.name(function.as_bytes())?, kind }
        }
        None => Call::Launched,
    };
    let execution = match execution::source(&text) {
        Some((source, Some(module))) => Some((source, Some(builder.name(module.as_bytes())?))),
        Some((source, None)) => Some((source, None)),
        None => None,
    };
    let known = HostName { name, call, execution, is_python_frame: text.starts_with('$') };
    names.insert(id, known);
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
