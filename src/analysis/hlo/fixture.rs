//! HLO modules and traces made by hand, for unit tests.

use crate::trace::{
    Computation, CorrelationId, Device, DeviceEvent, DeviceEventKind, DeviceId, Execution,
    ExecutionScope, GraphTask, Hlo, HloLabel, HloLabelId, HloModule, HostCall, HostCallKind,
    Instruction, Process, ProcessId, Program, Shape, Stream, StreamId, Thread, ThreadId, Trace,
};
use crate::units::{Interval, Picoseconds};

/// An instruction with the computations that it calls.
pub(super) struct Node {
    pub(super) instruction: Instruction,
    pub(super) bodies: Vec<(Vec<Node>, bool)>,
}

/// A plain instruction.
pub(super) fn op(name: &str, opcode: &str) -> Node {
    let instruction =
        Instruction { name: name.to_owned(), opcode: opcode.to_owned(), ..Instruction::default() };
    Node { instruction, bodies: Vec::new() }
}

/// A fusion of a chain of operations.
pub(super) fn fusion(name: &str, opcodes: &[&str]) -> Node {
    let inner =
        opcodes.iter().zip(0..).map(|(opcode, at)| op(&format!("{name}.inner.{at}"), opcode));
    Node { bodies: vec![(inner.collect(), true)], ..op(name, "fusion") }
}

/// A custom call.
pub(super) fn with_target(name: &str, target: &str) -> Node {
    let mut node = op(name, "custom-call");
    target.clone_into(&mut node.instruction.custom_call_target);
    node
}

/// A call of a computation.
pub(super) fn call(name: &str, body: Vec<Node>) -> Node {
    Node { bodies: vec![(body, false)], ..op(name, "call") }
}

/// A loop, with a condition that returns a truth value.
pub(super) fn looped(name: &str, trips: Option<u64>, body: Vec<Node>) -> Node {
    let mut condition = op(&format!("{name}.condition"), "compare");
    condition.instruction.shape = Shape { element: "pred", ..Shape::default() };
    let mut node = op(name, "while");
    node.instruction.trip_count = trips;
    node.bodies = vec![(vec![condition], false), (body, false)];
    node
}

/// A module whose entry computation runs the nodes in this order.
pub(super) fn module(nodes: Vec<Node>) -> HloModule {
    let mut module = HloModule { name: "jit_f".to_owned(), ..HloModule::default() };
    let mut next_id = 100;
    let entry = add(&mut module, nodes, false, &mut next_id);
    module.entry = Some(0);
    debug_assert_eq!(module.computations[0].id, entry);
    module
}

fn add(module: &mut HloModule, nodes: Vec<Node>, is_fusion: bool, next_id: &mut i64) -> i64 {
    let place = module.computations.len();
    let id = i64::try_from(place).unwrap_or(i64::MAX) + 1;
    module.computations.push(Computation::default());
    let mut instructions = Vec::new();
    for mut node in nodes {
        *next_id += 1;
        node.instruction.id = *next_id;
        for (body, is_fusion) in node.bodies {
            node.instruction.called.push(add(module, body, is_fusion, next_id));
        }
        instructions.push(node.instruction);
    }
    module.computations[place] = Computation {
        id,
        name: format!("computation.{id}"),
        schedule: (!is_fusion).then(|| (0..instructions.len()).collect()),
        root_id: instructions.last().map_or(0, |root| root.id),
        instructions,
        is_fusion,
    };
    id
}

/// A trace made by hand: one kernel after another, launched one after another.
#[derive(Default)]
pub(super) struct Sample {
    pub(super) trace: Trace,
    labels: u32,
    pub(super) host_ns: i64,
    device_ns: i64,
}

/// What the tracer says of a kernel.
#[derive(Clone, Copy)]
pub(super) enum Said<'a> {
    /// The program's id and the instruction.
    Op(u64, &'a str),
    /// The program's id alone.
    Program(u64),
    /// Nothing.
    Nothing,
}

impl Sample {
    pub(super) fn program(&mut self, id: u64, name: &str, module: HloModule) {
        let name = self.trace.names.intern(name).unwrap();
        let hlo = Hlo::Stored(Box::new(module));
        self.trace.programs.push(Program { id, name, hlo });
    }

    fn stream(&mut self, raw_id: i64) -> StreamId {
        if self.trace.devices.is_empty() {
            self.trace.devices.push(Device { raw_id: 0 });
            self.trace.processes.push(Process { raw_id: self.trace.names.intern("1").unwrap() });
            let thread = Thread {
                process: ProcessId::new(0),
                raw_id: self.trace.names.intern("1").unwrap(),
                name: None,
            };
            self.trace.threads.push(thread);
        }
        let known = self.trace.streams.iter().position(|one| one.raw_id == raw_id);
        let at = known.unwrap_or_else(|| {
            self.trace.streams.push(Stream { device: DeviceId::new(0), raw_id });
            self.trace.streams.len() - 1
        });
        StreamId::new(u32::try_from(at).unwrap())
    }

    /// A launch of kernels by one call: one kernel, or a graph of several. Each kernel runs 1 µs.
    pub(super) fn launch(&mut self, kernels: &[(&str, Said<'_>)]) {
        self.launch_on(1, kernels);
    }

    /// The same on a stream of one's choice.
    pub(super) fn launch_on(&mut self, stream: i64, kernels: &[(&str, Said<'_>)]) {
        let stream = self.stream(stream);
        let correlation = CorrelationId::new(self.trace.host_calls.len() as u64 + 1);
        self.host_ns += 100;
        self.device_ns = self.device_ns.max(self.host_ns + 50);
        self.trace.host_calls.push(HostCall {
            interval: ns(self.host_ns, 10),
            correlation,
            external: None,
            thread: ThreadId::new(0),
            api: self.trace.names.intern("hipLaunchKernel").unwrap(),
            hlo: None,
            kind: if kernels.len() > 1 { HostCallKind::GraphLaunch } else { HostCallKind::Launch },
        });
        for &(name, said) in kernels {
            let hlo = self.label(said);
            self.trace.device_events.push(DeviceEvent {
                interval: ns(self.device_ns, 1_000),
                correlation,
                external: None,
                stream,
                name: self.trace.names.intern(name).unwrap(),
                collective: None,
                graph_node: None,
                hlo,
                kind: DeviceEventKind::Kernel,
                graph_task: GraphTask::Unsaid,
            });
            self.device_ns += 1_000;
        }
    }

    fn label(&mut self, said: Said<'_>) -> Option<HloLabelId> {
        let (program, op) = match said {
            Said::Op(program, op) => (program, Some(self.trace.names.intern(op).unwrap())),
            Said::Program(program) => (program, None),
            Said::Nothing => return None,
        };
        let label = HloLabel { op, module: None, program: Some(program), op_name: None };
        self.trace.hlo_labels.push(label);
        self.labels += 1;
        Some(HloLabelId::new(self.labels - 1))
    }

    /// A host record of an execution around what `inside` launches.
    pub(super) fn execution(
        &mut self,
        scope: ExecutionScope,
        module: Option<&str>,
        inside: impl FnOnce(&mut Self),
    ) {
        self.stream(1);
        self.host_ns += 100;
        let from = self.host_ns;
        inside(self);
        self.host_ns += 100;
        self.trace.executions.push(Execution {
            interval: ns(from, self.host_ns - from),
            thread: ThreadId::new(0),
            scope,
            module: module.map(|name| self.trace.names.intern(name).unwrap()),
        });
    }
}

fn ns(start: i64, length: i64) -> Interval {
    Interval::starting_at(Picoseconds::new(start * 1_000), Picoseconds::new(length * 1_000))
}
