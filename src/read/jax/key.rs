//! The statistics of events that the readers use. Both files spell them alike.

/// A statistic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::read) enum Key {
    /// Joins a host call to device work.
    Correlation,
    /// Launch configuration: the event is a kernel.
    KernelDetails,
    /// Kind and size: the event is a copy.
    MemcpyDetails,
    /// The event is a fill.
    MemsetDetails,
    /// The HLO instruction.
    HloOp,
    /// The program's name.
    HloModule,
    /// The program's id.
    Program,
    /// The framework's name of the operation.
    OpName,
    /// The older framework's name of the operation.
    TfOp,
    /// The program's name on a host record of an execution.
    ModuleName,
    /// The number of a step.
    StepNumber,
    /// The graph of a graph's kernel.
    GraphId,
    /// The node of a graph's kernel.
    GraphNode,
    /// The graph of a record that stands for a whole replay.
    GraphExec,
    /// A compiled program.
    HloProto,
}

/// How many statistics there are.
pub(in crate::read) const N_KEYS: usize = Key::HloProto as usize + 1;

/// Names of the statistics, as XLA's `xplane_schema.cc` spells them.
const KEYS: [(&str, Key); N_KEYS] = [
    ("correlation_id", Key::Correlation),
    ("kernel_details", Key::KernelDetails),
    ("memcpy_details", Key::MemcpyDetails),
    ("memset_details", Key::MemsetDetails),
    ("hlo_op", Key::HloOp),
    ("hlo_module", Key::HloModule),
    ("program_id", Key::Program),
    ("name", Key::OpName),
    ("tf_op", Key::TfOp),
    ("module_name", Key::ModuleName),
    ("step_num", Key::StepNumber),
    ("cuda_graph_id", Key::GraphId),
    ("cuda_graph_node_id", Key::GraphNode),
    ("cuda_graph_exec_id", Key::GraphExec),
    ("Hlo Proto", Key::HloProto),
];

impl Key {
    /// The key of a name, where the readers use it.
    pub(in crate::read) fn of(name: &[u8]) -> Option<Self> {
        KEYS.iter().find(|(text, _)| text.as_bytes() == name).map(|&(_, key)| key)
    }

    /// The name.
    pub(in crate::read) const fn name(self) -> &'static str {
        KEYS[self as usize].0
    }
}

#[cfg(test)]
mod tests {
    use super::{KEYS, Key};

    #[test]
    fn every_key_has_a_name() {
        for (place, (name, key)) in KEYS.iter().enumerate() {
            assert_eq!((Key::of(name.as_bytes()), *key as usize), (Some(*key), place));
            assert_eq!(key.name(), *name);
        }
        assert_eq!(Key::of(b"device_id"), None);
    }
}
