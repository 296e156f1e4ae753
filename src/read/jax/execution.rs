//! Host records of executed programs: independent of what the device recorded.
//!
//! Several layers of a runtime record one execution each in its own words. Of the layers that count the same thing only
//! the best that a file has is taken, so that nothing counts twice.

use crate::trace::{Execution, ExecutionScope};

/// A layer that records executions: a row of [`SOURCES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source(usize);

/// How a layer names its records.
#[derive(Clone, Copy, Debug)]
enum Naming {
    /// Exactly so.
    Exactly(&'static str),
    /// So, with the program's name in round brackets.
    WithProgram(&'static str),
    /// So, with the program's name in round brackets, behind the device's ordinal in square brackets.
    OnDevice(&'static str),
    /// The program's name, and this behind it.
    AfterProgram(&'static str),
}

/// The layers, best evidence first (names measured in files of JAX 0.4 to 0.10).
const SOURCES: &[(ExecutionScope, Naming)] = &[
    (ExecutionScope::DeviceWithProgram, Naming::Exactly("GpuExecutable::ExecuteThunks")),
    (ExecutionScope::DeviceWithProgram, Naming::AfterProgram(":XLA GPU module")),
    (ExecutionScope::DeviceWithProgram, Naming::OnDevice("CommonPjRtLoadedExecutable::Execute")),
    (ExecutionScope::Device, Naming::Exactly("PjRtStreamExecutorLoadedExecutable::ExecuteHelper")),
    (ExecutionScope::Device, Naming::Exactly("CommonPjRtLoadedExecutable::ExecutePrepare")),
    (ExecutionScope::Call, Naming::Exactly("PJRT_LoadedExecutable_Execute")),
    (ExecutionScope::Call, Naming::Exactly("PjRtStreamExecutorLoadedExecutable::Execute")),
    (ExecutionScope::Call, Naming::WithProgram("CommonPjRtLoadedExecutable::Execute")),
];

impl Source {
    /// What one record of the layer stands for.
    pub(super) fn scope(self) -> ExecutionScope {
        SOURCES[self.0].0
    }
}

/// The layer that records under a name, and the program's name where the name has it.
pub(super) fn source(name: &str) -> Option<(Source, Option<&str>)> {
    SOURCES.iter().enumerate().find_map(|(row, (_, naming))| {
        let program = match naming {
            Naming::Exactly(layer) => (name == *layer).then_some(None)?,
            Naming::WithProgram(layer) => Some(program(name.strip_prefix(layer)?)?),
            Naming::OnDevice(layer) => {
                let (ordinal, rest) = name.strip_prefix('[')?.split_once("] ")?;
                ordinal.parse::<u32>().ok()?;
                Some(program(rest.strip_prefix(layer)?)?)
            }
            Naming::AfterProgram(layer) => {
                Some(name.strip_suffix(layer).filter(|program| !program.is_empty())?)
            }
        };
        Some((Source(row), program))
    })
}

fn program(rest: &str) -> Option<&str> {
    rest.strip_prefix(" (")?.strip_suffix(')').filter(|program| !program.is_empty())
}

/// The records of all layers.
#[derive(Debug, Default)]
pub(super) struct Executions(Vec<(usize, Execution)>);

impl Executions {
    /// Adds a record.
    pub(super) fn push(&mut self, source: Source, execution: Execution) {
        self.0.push((source.0, execution));
    }

    /// The records of the best layer of each scope.
    pub(super) fn finish(self) -> Vec<Execution> {
        let mut best = [usize::MAX; 3];
        for (row, execution) in &self.0 {
            let best = &mut best[execution.scope as usize];
            *best = (*best).min(*row);
        }
        let of_best = |(row, execution): (usize, Execution)| {
            (best[execution.scope as usize] == row).then_some(execution)
        };
        self.0.into_iter().filter_map(of_best).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{ExecutionScope as Scope, source};

    #[test]
    fn records_are_known_by_name() {
        for (name, expected) in [
            ("GpuExecutable::ExecuteThunks", Some((Scope::DeviceWithProgram, None))),
            (
                "[3] CommonPjRtLoadedExecutable::Execute (jit_f)",
                Some((Scope::DeviceWithProgram, Some("jit_f"))),
            ),
            ("jit_f:XLA GPU module", Some((Scope::DeviceWithProgram, Some("jit_f")))),
            ("PjRtStreamExecutorLoadedExecutable::ExecuteHelper", Some((Scope::Device, None))),
            ("PJRT_LoadedExecutable_Execute", Some((Scope::Call, None))),
            ("CommonPjRtLoadedExecutable::Execute (jit_f)", Some((Scope::Call, Some("jit_f")))),
            ("PJRT_LoadedExecutable_Execute linkage", None),
            ("CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice", None),
            ("CommonPjRtLoadedExecutable::Execute ()", None),
            ("[x] CommonPjRtLoadedExecutable::Execute (jit_f)", None),
            ("BufferSequencingEvent::Execute", None),
            (":XLA GPU module", None),
        ] {
            let found = source(name).map(|(source, program)| (source.scope(), program));
            assert_eq!(found, expected, "{name}");
        }
    }
}
