//! XSpaces for tests: a small builder whose bytes are written by prost, which shares no code with the reader's walk.

use super::hlo_pb as hlo;
use super::xplane_pb as pb;
use prost::Message as _;
use std::collections::BTreeMap;

/// Picoseconds in a microsecond.
const PS: i64 = 1_000_000;

/// A statistic's value.
#[derive(Clone)]
pub(crate) enum Stat {
    Double(f64),
    Unsigned(u64),
    Signed(i64),
    Text(&'static str),
    Bytes(Vec<u8>),
    /// A text that stands among the names of statistics, as XLA writes most texts.
    Ref(String),
}

/// One event: times in microseconds after its line's base.
#[derive(Clone)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) start_ps: i64,
    pub(crate) duration_ps: i64,
    pub(crate) occurrences: Option<i64>,
    pub(crate) stats: Vec<(&'static str, Stat)>,
}

#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) base_ns: i64,
    pub(crate) events: Vec<Event>,
}

#[derive(Clone)]
pub(crate) struct Plane {
    pub(crate) name: String,
    pub(crate) id: i64,
    pub(crate) stats: Vec<(&'static str, Stat)>,
    pub(crate) lines: Vec<Line>,
    /// Names of events that no event has: compiled programs stand there.
    pub(crate) programs: Vec<Program>,
}

/// A compiled program of `/host:metadata`.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) id: u64,
    pub(crate) computations: Vec<Computation>,
}

#[derive(Clone, Default)]
pub(crate) struct Computation {
    pub(crate) id: i64,
    pub(crate) name: &'static str,
    pub(crate) instructions: Vec<Instruction>,
    /// Fused computations have no schedule.
    pub(crate) is_fusion: bool,
}

#[derive(Clone, Default)]
pub(crate) struct Instruction {
    pub(crate) id: i64,
    pub(crate) name: &'static str,
    pub(crate) opcode: &'static str,
    pub(crate) op_name: &'static str,
    /// 1-based, into the frames that every program of a fixture has.
    pub(crate) frame: i32,
    pub(crate) called: Vec<i64>,
    pub(crate) trip_count: Option<u64>,
    pub(crate) target: &'static str,
}

#[derive(Clone, Default)]
pub(crate) struct Space {
    pub(crate) planes: Vec<Plane>,
    pub(crate) errors: Vec<&'static str>,
    pub(crate) warnings: Vec<&'static str>,
}

/// An event at `start_us` that lasts `duration_us`.
pub(crate) fn event(name: &str, start_us: i64, duration_us: i64) -> Event {
    Event {
        name: name.to_owned(),
        start_ps: start_us * PS,
        duration_ps: duration_us * PS,
        occurrences: None,
        stats: Vec::new(),
    }
}

/// A kernel with its launch configuration and correlation id.
pub(crate) fn kernel(name: &str, start_us: i64, duration_us: i64, correlation: u64) -> Event {
    event(name, start_us, duration_us)
        .with("correlation_id", Stat::Unsigned(correlation))
        .with("kernel_details", Stat::Ref(" grid:16,1,1 block:512,1,1".to_owned()))
}

/// A call into the runtime.
pub(crate) fn call(api: &str, start_us: i64, duration_us: i64, correlation: u64) -> Event {
    event(api, start_us, duration_us)
        .with("device_id", Stat::Unsigned(47_645))
        .with("correlation_id", Stat::Unsigned(correlation))
}

impl Event {
    pub(crate) fn with(mut self, name: &'static str, value: Stat) -> Self {
        self.stats.push((name, value));
        self
    }

    /// The labels that XLA's tracer writes for a kernel of its own.
    pub(crate) fn labelled(self, op: &str, program: &Program) -> Self {
        self.with("tf_op", Stat::Ref("XlaModule:".to_owned()))
            .with("hlo_op", Stat::Ref(op.to_owned()))
            .with("hlo_module", Stat::Ref(program.name.clone()))
            .with("program_id", Stat::Signed(program.id.cast_signed()))
    }
}

pub(crate) fn line(id: i64, name: &str, events: Vec<Event>) -> Line {
    Line { id, name: name.to_owned(), base_ns: 1_000, events }
}

pub(crate) fn stream(id: i64, events: Vec<Event>) -> Line {
    line(id, &format!("Stream #{id}(Kernel)"), events)
}

pub(crate) fn plane(name: &str, lines: Vec<Line>) -> Plane {
    Plane { name: name.to_owned(), id: 0, stats: Vec::new(), lines, programs: Vec::new() }
}

pub(crate) fn gpu(ordinal: i64, lines: Vec<Line>) -> Plane {
    Plane { id: ordinal, ..plane(&format!("/device:GPU:{ordinal}"), lines) }
}

pub(crate) fn host(lines: Vec<Line>) -> Plane {
    plane("/host:CPU", lines)
}

pub(crate) fn metadata(programs: Vec<Program>) -> Plane {
    Plane { programs, ..plane("/host:metadata", Vec::new()) }
}

/// The plane that says when the session ran.
pub(crate) fn session(start_ns: u64, stop_ns: u64) -> Plane {
    let stats = vec![
        ("profile_start_time", Stat::Unsigned(start_ns)),
        ("profile_stop_time", Stat::Unsigned(stop_ns)),
    ];
    Plane { stats, ..plane("Task Environment", Vec::new()) }
}

pub(crate) fn space(planes: Vec<Plane>) -> Space {
    Space { planes, ..Space::default() }
}

/// A program of one computation that runs the named fusions one after the other.
pub(crate) fn program(name: &str, id: u64, fusions: &[&'static str]) -> Program {
    let instruction = |(place, name): (usize, &&'static str)| Instruction {
        id: place as i64 + 1,
        name,
        opcode: "fusion",
        op_name: "jit(step)/mul",
        frame: 2,
        ..Instruction::default()
    };
    let instructions = fusions.iter().enumerate().map(instruction).collect();
    let main = Computation { id: 1, name: "main", instructions, is_fusion: false };
    Program { name: name.to_owned(), id, computations: vec![main] }
}

/// Replays of a graph of `n_kernels` kernels, of which the first `n_recorded` replays left records.
pub(crate) fn graph_replays(n_replays: u64, n_recorded: u64, n_kernels: i64) -> Space {
    let fusions = ["fusion", "fusion.1", "fusion.2", "fusion.3", "fusion.4"];
    let program = program("jit_step", 17, &fusions[..usize::try_from(n_kernels).unwrap()]);
    let (mut launches, mut executions, mut kernels) = (Vec::new(), Vec::new(), Vec::new());
    for replay in 0..n_replays {
        let at = 1_000 * replay.cast_signed();
        launches.push(call("hipGraphLaunch", at, 5, 100 + replay));
        executions.push(
            event("GpuExecutable::ExecuteThunks", at - 2, 9)
                .with("module_name", Stat::Ref("jit_step".to_owned())),
        );
        for place in (0..n_kernels).filter(|_| replay < n_recorded) {
            let name = format!("fusion_{place}.kd");
            kernels.push(kernel(&name, at + 20 + 10 * place, 9, 100 + replay));
        }
    }
    let calls = line(11, "Host Threads/11", launches);
    let python = line(12, "python", executions);
    space(vec![
        metadata(vec![program]),
        gpu(0, vec![stream(3, kernels)]),
        host(vec![calls, python]),
    ])
}

/// A program with a loop of two kernels that runs three times, replayed as one graph after one exact kernel.
pub(crate) fn loop_graph() -> Space {
    let body = ["loop_fusion", "copy.1"].into_iter().zip(20..);
    let body =
        body.map(|(name, id)| Instruction { id, name, opcode: "fusion", ..Instruction::default() });
    let program = Program {
        name: "jit_scan".to_owned(),
        id: 20,
        computations: vec![
            Computation { id: 2, name: "body", instructions: body.collect(), is_fusion: false },
            Computation {
                id: 1,
                name: "main",
                instructions: vec![
                    Instruction {
                        id: 10,
                        name: "wrapped_add",
                        opcode: "fusion",
                        frame: 2,
                        ..Instruction::default()
                    },
                    Instruction {
                        id: 11,
                        name: "while.6",
                        opcode: "while",
                        called: vec![2, 3],
                        trip_count: Some(3),
                        ..Instruction::default()
                    },
                ],
                is_fusion: false,
            },
        ],
    };
    let mut kernels = vec![kernel("wrapped_add.kd", 10, 5, 1).labelled("wrapped_add", &program)];
    for trip in 0..3 {
        kernels.push(kernel("loop_fusion.kd", 20 + 20 * trip, 5, 2));
        kernels.push(kernel("copy_1.kd", 30 + 20 * trip, 5, 2));
    }
    let calls = vec![call("hipModuleLaunchKernel", 0, 2, 1), call("hipGraphLaunch", 3, 2, 2)];
    let host = host(vec![line(11, "Host Threads/11", calls)]);
    space(vec![metadata(vec![program]), gpu(0, vec![stream(3, kernels)]), host])
}

/// A collective whose label no stored program has, beside a kernel whose label is stored.
pub(crate) fn async_label() -> Space {
    let program = program("jit_step", 17, &["fusion"]);
    let kernels = vec![
        kernel("fusion.kd", 10, 5, 1).labelled("fusion", &program),
        kernel("ncclDevKernel_AllGather_RING_LL", 20, 50, 2).labelled("all-gather.34", &program),
    ];
    let calls = vec![call("hipModuleLaunchKernel", 0, 2, 1), call("hipExtLaunchKernel", 3, 2, 2)];
    let host = host(vec![line(11, "Host Threads/11", calls)]);
    space(vec![metadata(vec![program]), gpu(0, vec![stream(3, kernels)]), host])
}

/// One kernel, and the lines that repeat it in other words.
pub(crate) fn derived_lines() -> Space {
    let repeat = |name: &str| line(-559_038_734, name, vec![event("fusion", 10, 50)]);
    let lines =
        vec![stream(3, vec![kernel("fusion.kd", 10, 50, 1)]), repeat("XLA Ops"), repeat("Steps")];
    let host =
        host(vec![line(11, "Host Threads/11", vec![call("hipModuleLaunchKernel", 0, 2, 1)])]);
    space(vec![gpu(0, lines), host])
}

impl Space {
    /// The message that JAX would have written.
    pub(crate) fn message(&self) -> pb::XSpace {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        pb::XSpace {
            planes: self.planes.iter().map(Plane::message).collect(),
            errors: texts(&self.errors),
            warnings: texts(&self.warnings),
            hostnames: vec![b"synth-host".to_vec()],
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.message().encode_to_vec()
    }
}

/// Ids of names, counted from 1 in the order of their first use.
#[derive(Default)]
struct Ids(BTreeMap<String, i64>);

impl Ids {
    fn of(&mut self, name: &str) -> i64 {
        let next = self.0.len() as i64 + 1;
        *self.0.entry(name.to_owned()).or_insert(next)
    }
}

impl Plane {
    fn message(&self) -> pb::XPlane {
        let (mut events, mut stats) = (Ids::default(), Ids::default());
        let lines = self.lines.iter().map(|line| line.message(&mut events, &mut stats)).collect();
        let plane_stats = messages(&self.stats, &mut stats);
        let mut event_metadata = BTreeMap::new();
        for program in &self.programs {
            let text = format!("{}({})", program.name, program.id);
            let id = events.of(&text);
            let own = messages(&[("Hlo Proto", Stat::Bytes(program.bytes()))], &mut stats);
            let row = pb::XEventMetadata {
                id,
                name: text.into_bytes(),
                display_name: Vec::new(),
                stats: own,
            };
            event_metadata.insert(id, row);
        }
        for (name, id) in events.0 {
            let row = pb::XEventMetadata { id, name: name.into_bytes(), ..Default::default() };
            event_metadata.entry(id).or_insert(row);
        }
        let stat_metadata = stats.0.into_iter();
        pb::XPlane {
            id: self.id,
            name: self.name.clone().into_bytes(),
            lines,
            event_metadata,
            stat_metadata: stat_metadata
                .map(|(name, id)| (id, pb::XStatMetadata { id, name: name.into_bytes() }))
                .collect(),
            stats: plane_stats,
        }
    }
}

impl Line {
    fn message(&self, events: &mut Ids, stats: &mut Ids) -> pb::XLine {
        let event = |event: &Event| pb::XEvent {
            metadata_id: events.of(&event.name),
            duration_ps: event.duration_ps,
            stats: messages(&event.stats, stats),
            data: Some(match event.occurrences {
                Some(occurrences) => pb::x_event::Data::NumOccurrences(occurrences),
                None => pb::x_event::Data::OffsetPs(event.start_ps),
            }),
        };
        let events = self.events.iter().map(event).collect();
        let name = self.name.clone().into_bytes();
        pb::XLine { id: self.id, name, timestamp_ns: self.base_ns, events }
    }
}

fn messages(stats: &[(&'static str, Stat)], ids: &mut Ids) -> Vec<pb::XStat> {
    let message = |(name, stat): &(&'static str, Stat)| pb::XStat {
        metadata_id: ids.of(name),
        value: Some(match stat {
            Stat::Double(value) => pb::x_stat::Value::DoubleValue(*value),
            Stat::Unsigned(value) => pb::x_stat::Value::Uint64Value(*value),
            Stat::Signed(value) => pb::x_stat::Value::Int64Value(*value),
            Stat::Text(value) => pb::x_stat::Value::StrValue(value.as_bytes().to_vec()),
            Stat::Bytes(value) => pb::x_stat::Value::BytesValue(value.clone()),
            Stat::Ref(value) => pb::x_stat::Value::RefValue(ids.of(value).cast_unsigned()),
        }),
    };
    stats.iter().map(message).collect()
}

impl Program {
    fn bytes(&self) -> Vec<u8> {
        let scheduled = self.computations.iter().filter(|computation| !computation.is_fusion);
        let sequence = |computation: &Computation| {
            let instruction_ids = computation.instructions.iter().map(|one| one.id).collect();
            (computation.id, hlo::InstructionSequence { instruction_ids })
        };
        let module = hlo::HloModuleProto {
            name: self.name.clone().into_bytes(),
            computations: self.computations.iter().map(Computation::message).collect(),
            entry_computation_id: 1,
            schedule: Some(hlo::HloScheduleProto { sequences: scheduled.map(sequence).collect() }),
            stack_frame_index: Some(frames()),
        };
        hlo::HloProto { hlo_module: Some(module) }.encode_to_vec()
    }
}

/// Frame 1 is the user's, frame 2 a library's that was called from there.
fn frames() -> hlo::StackFrameIndexProto {
    let texts = |texts: [&str; 2]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    let location =
        |place, line| hlo::FileLocation { file_name_id: place, function_name_id: place, line };
    hlo::StackFrameIndexProto {
        file_names: texts(["/app/train.py", "/usr/lib/python3/site-packages/jax/numpy.py"]),
        function_names: texts(["main", "multiply"]),
        file_locations: vec![location(1, 7), location(2, 99)],
        stack_frames: vec![
            hlo::StackFrame { file_location_id: 1, parent_frame_id: 0 },
            hlo::StackFrame { file_location_id: 2, parent_frame_id: 1 },
        ],
    }
}

impl Computation {
    fn message(&self) -> hlo::HloComputationProto {
        hlo::HloComputationProto {
            name: self.name.as_bytes().to_vec(),
            instructions: self.instructions.iter().map(Instruction::message).collect(),
            id: self.id,
            root_id: self.instructions.last().map_or(0, |last| last.id),
            is_fusion_computation: self.is_fusion,
        }
    }
}

impl Instruction {
    fn message(&self) -> hlo::HloInstructionProto {
        let trips =
            self.trip_count.map(|trips| format!(r#"{{"known_trip_count":{{"n":"{trips}"}}}}"#));
        hlo::HloInstructionProto {
            name: self.name.as_bytes().to_vec(),
            opcode: self.opcode.as_bytes().to_vec(),
            // f32[2,3]{1,0}
            shape: Some(hlo::ShapeProto {
                element_type: 11,
                dimensions: vec![2, 3],
                layout: Some(hlo::LayoutProto { minor_to_major: vec![1, 0] }),
                tuple_shapes: Vec::new(),
            }),
            metadata: Some(hlo::OpMetadata {
                op_name: self.op_name.as_bytes().to_vec(),
                stack_frame_id: self.frame,
                ..Default::default()
            }),
            custom_call_target: self.target.as_bytes().to_vec(),
            id: self.id,
            called_computation_ids: self.called.clone(),
            backend_config: trips.unwrap_or_default().into_bytes(),
            ..Default::default()
        }
    }
}
