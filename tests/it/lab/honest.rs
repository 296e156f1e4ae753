//! Honest captures by the hundred: a host that launches work, devices that run it in order, and every record kept.
//!
//! A plan is a few phases with a number or two each, so that a failing one can be made small. It is carried out on simulated
//! clocks and written in the fixture language.

use super::dice::Dice;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a host does, in order.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    vendor: Vendor,
    n_gpus: u64,
    nodes: NodeIds,
    graphs: Vec<Graph>,
    phases: Vec<Phase>,
    end: Wait,
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vendor {
    Cuda,
    Rocm,
}

/// Whether the records of a replay name their node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeIds {
    Written,
    Absent,
}

/// The kernels of a graph, and the share of them, in percent, that run on a branch of their own.
#[derive(Clone, Copy, Debug)]
struct Graph {
    n_nodes: u64,
    node_us: u64,
    branched: u64,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Kernels launched one by one: bound by the host where launching takes longer than running.
    Eager { n: u64, host_us: u64, kernel_us: u64 },
    /// Replays of a graph with host work in between. One alone is waited for: nothing else would confirm that it is complete.
    Replays { graph: usize, n: u64, host_us: u64, wait: Wait },
    /// Kernels of a side stream that wait for the main one, which then waits for them.
    Fork { n: u64, kernel_us: u64 },
    /// A copy to the device.
    Copy { us: u64 },
    /// A buffer is filled.
    Fill { us: u64 },
    /// The host is busy with something else.
    Pause { us: u64 },
    /// The host waits.
    Wait(Wait),
}

/// How the host waits for the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    None,
    Device,
    Stream,
    Copy,
}

/// The stream of most work, one beside it, and the one on which branches of graphs are recorded.
const MAIN: u64 = 7;
const SIDE: u64 = 13;
const BRANCH: u64 = 20;

/// Honest plans.
pub(crate) fn plans() -> impl Strategy<Value = Plan> {
    let vendor = prop_oneof![Just(Vendor::Cuda), Just(Vendor::Rocm)];
    let nodes = prop_oneof![3 => Just(NodeIds::Absent), 1 => Just(NodeIds::Written)];
    let n_gpus = prop_oneof![4 => Just(1_u64), 1 => Just(2)];
    let head = (vendor, n_gpus, nodes, vec(graphs(), 1..=3));
    head.prop_flat_map(|(vendor, n_gpus, nodes, graphs)| {
        let phases = vec(phases(graphs.len()), 4..=8);
        (phases, waits(), any::<u64>()).prop_map(move |(phases, end, seed)| Plan {
            vendor,
            n_gpus,
            nodes,
            graphs: graphs.clone(),
            phases,
            end,
            seed,
        })
    })
}

fn graphs() -> impl Strategy<Value = Graph> {
    let branched = prop_oneof![2 => Just(0_u64), 1 => Just(30)];
    (2..=24_u64, 3..=90_u64, branched).prop_map(|(n_nodes, node_us, branched)| Graph {
        n_nodes,
        node_us,
        branched,
    })
}

fn phases(n_graphs: usize) -> impl Strategy<Value = Phase> {
    prop_oneof![
        3 => (6..=24_u64, 2..=60_u64, 3..=120_u64)
            .prop_map(|(n, host_us, kernel_us)| Phase::Eager { n, host_us, kernel_us }),
        4 => (0..n_graphs, 1..=5_u64, 5..=2_500_u64, waits())
            .prop_map(|(graph, n, host_us, wait)| Phase::Replays { graph, n, host_us, wait }),
        1 => (2..=6_u64, 10..=150_u64).prop_map(|(n, kernel_us)| Phase::Fork { n, kernel_us }),
        1 => (5..=900_u64).prop_map(|us| Phase::Copy { us }),
        1 => (5..=300_u64).prop_map(|us| Phase::Fill { us }),
        1 => (200..=12_000_u64).prop_map(|us| Phase::Pause { us }),
        1 => waits().prop_map(Phase::Wait),
    ]
}

fn waits() -> impl Strategy<Value = Wait> {
    prop_oneof![2 => Just(Wait::None), 1 => Just(Wait::Device), 1 => Just(Wait::Stream), 1 => Just(Wait::Copy)]
}

impl Plan {
    /// What the chance in its damage follows from.
    pub(crate) const fn seed(&self) -> u64 {
        self.seed
    }
}

/// The capture of a plan in the fixture language.
pub(crate) fn fixture(plan: &Plan) -> String {
    let mut run = Run {
        plan,
        dice: Dice::of(plan.seed),
        text: header(plan) + "without flows\nwithout rows\n",
        now: 1_000_000,
        ends: BTreeMap::new(),
        n_rolled: 0,
    };
    for (step, phase) in plan.phases.iter().enumerate() {
        let begin = run.now;
        let gpu = step as u64 % plan.n_gpus;
        run.phase(*phase, gpu);
        let (begin, end) = (us(begin), us(run.now));
        let _ = writeln!(run.text, "annotation ProfilerStep#{step} {begin}..{end}");
        run.now += 5_000;
    }
    for gpu in 0..plan.n_gpus {
        run.eager(gpu, MAIN, 20);
        run.wait(plan.end, gpu);
    }
    run.text
}

fn header(plan: &Plan) -> String {
    match plan.vendor {
        Vendor::Cuda => format!("gpu 0..{} \"NVIDIA H100 80GB HBM3\"\n", plan.n_gpus - 1),
        Vendor::Rocm => {
            format!("producer rocm\ngpu 0..{} \"AMD Instinct MI300X\"\n", plan.n_gpus - 1)
        }
    }
}

/// Nanoseconds as the fixture language writes times.
fn us(ns: u64) -> String {
    format!("{}.{:03}", ns / 1_000, ns % 1_000)
}

/// A plan while it is carried out. Times are nanoseconds.
struct Run<'a> {
    plan: &'a Plan,
    dice: Dice,
    text: String,
    /// Where the host is.
    now: u64,
    /// When each stream of each device has done its work.
    ends: BTreeMap<(u64, u64), u64>,
    n_rolled: u64,
}

impl Run<'_> {
    fn phase(&mut self, phase: Phase, gpu: u64) {
        match phase {
            Phase::Eager { n, host_us, kernel_us } => {
                for _ in 0..n {
                    self.eager(gpu, MAIN, kernel_us);
                    self.now += self.about(host_us * 1_000);
                }
            }
            Phase::Replays { graph, n, host_us, wait } => {
                // Where two devices are used, nothing tells which of them a wait was for.
                let n = if self.plan.n_gpus > 1 { n.max(2) } else { n };
                let wait = if n == 1 { Wait::Device } else { wait };
                for _ in 0..n {
                    self.replay(graph, gpu);
                    self.wait(wait, gpu);
                    self.now += self.about(host_us * 1_000);
                }
            }
            Phase::Fork { n, kernel_us } => {
                self.hand_over(gpu, MAIN, SIDE);
                for _ in 0..n {
                    self.eager(gpu, SIDE, kernel_us);
                }
                self.hand_over(gpu, SIDE, MAIN);
            }
            Phase::Copy { us: length } => {
                let call = self.call(6);
                let (start, length) = (self.start(gpu, MAIN, call.0), self.about(length * 1_000));
                let _ = writeln!(self.text, "copy {}..{}", us(call.0), us(call.1));
                self.device_work("memcpy HtoD", gpu, MAIN, (start, length), "");
            }
            Phase::Fill { us: length } => {
                let call = self.call(5);
                let (start, length) = (self.start(gpu, MAIN, call.0), self.about(length * 1_000));
                let _ = writeln!(self.text, "set {}..{}", us(call.0), us(call.1));
                self.device_work("memset", gpu, MAIN, (start, length), "");
            }
            Phase::Pause { us } => self.now += us * 1_000,
            Phase::Wait(wait) => self.wait(wait, gpu),
        }
    }

    /// An operator that launches one kernel.
    fn eager(&mut self, gpu: u64, stream: u64, kernel_us: u64) {
        let op = self.now;
        self.now += 2_000;
        let call = self.call(4);
        self.now += 1_000;
        // Kernels of one name take equally long, more or less.
        let kind = self.roll(6);
        let length = self.about((kernel_us * 1_000).max(1_500) * (4 + kind) / 8);
        let start = self.start(gpu, stream, call.0);
        let _ = writeln!(self.text, "op aten::op{kind} {}..{}", us(op), us(self.now));
        let _ = writeln!(self.text, "launch {}..{}", us(call.0), us(call.1));
        let name = format!("kernel eager_{kernel_us}_{kind}");
        self.device_work(&name, gpu, stream, (start, length), "");
    }

    fn replay(&mut self, graph: usize, gpu: u64) {
        let shape = self.plan.graphs[graph];
        let call = self.call(20 + shape.n_nodes / 2);
        let _ = writeln!(self.text, "graph-launch {}..{}", us(call.0), us(call.1));
        let mut at = (call.1 + 3_000).max(self.free(gpu, MAIN));
        // A branch joins before the last node.
        let mut joined = at;
        for node in 0..shape.n_nodes {
            // Layers of four: what a graph runs and for how long does not change from replay to replay.
            let own = Dice::of(graph as u64 * 4 + node % 4);
            let length = self.about(shape.node_us * 250 * (2 + own.below(1, 6)) + 1_500);
            let args = match self.plan.nodes {
                NodeIds::Written => {
                    format!(" args={{\"graph id\": {}, \"graph node id\": {node}}}", graph + 3)
                }
                NodeIds::Absent => String::new(),
            };
            let name = format!("kernel graph{graph}_layer{}", node % 4);
            let is_last = node + 1 == shape.n_nodes;
            if !is_last && Dice::of(graph as u64).percent(node, shape.branched) {
                let start = at.max(self.free(gpu, BRANCH));
                self.device_work(&name, gpu, BRANCH, (start, length), &args);
                joined = joined.max(start + length);
                continue;
            }
            let start = if is_last { at.max(joined) } else { at };
            self.device_work(&name, gpu, MAIN, (start, length), &args);
            at = start + length + self.device_gap();
        }
    }

    /// The second stream waits for an event of the first.
    fn hand_over(&mut self, gpu: u64, from: u64, to: u64) {
        let done = self.free(gpu, from);
        let prefix = self.prefix();
        for name in ["EventRecord", "StreamWaitEvent"] {
            let call = self.call(2);
            let _ = writeln!(self.text, "call {prefix}{name} {}..{}", us(call.0), us(call.1));
        }
        let end = self.ends.entry((gpu, to)).or_default();
        *end = (*end).max(done + 1_000);
    }

    fn wait(&mut self, wait: Wait, gpu: u64) {
        let begin = self.now;
        let prefix = self.prefix();
        let of_gpu = |(key, _): &(&(u64, u64), &u64)| key.0 == gpu;
        let all = self.ends.iter().filter(of_gpu).map(|(_, end)| *end).max().unwrap_or(0);
        match wait {
            Wait::None => {}
            Wait::Device => {
                self.now = (begin + 4_000).max(all + 7_000);
                let _ = writeln!(self.text, "sync {}..{}", us(begin), us(self.now));
            }
            Wait::Stream => {
                self.now = (begin + 4_000).max(self.free(gpu, MAIN) + 7_000);
                let (begin, end) = (us(begin), us(self.now));
                let _ = writeln!(self.text, "call {prefix}StreamSynchronize {begin}..{end}");
            }
            Wait::Copy => {
                let (start, length) = (self.start(gpu, MAIN, begin), self.about(2_000));
                self.now = start + length + 6_000;
                let api = match self.plan.vendor {
                    Vendor::Cuda => "cudaMemcpy",
                    Vendor::Rocm => "hipMemcpyWithStream",
                };
                let _ = writeln!(self.text, "copy {}..{} api={api}", us(begin), us(self.now));
                self.device_work("memcpy DtoH", gpu, MAIN, (start, length), " bytes=256");
            }
        }
    }

    /// Writes work down that starts then and takes so long.
    fn device_work(&mut self, what: &str, gpu: u64, stream: u64, time: (u64, u64), keys: &str) {
        let (start, length) = time;
        let time = format!("{}+{}", us(start), us(length));
        let _ = writeln!(self.text, "{what} {time} device={gpu} stream={stream}{keys}");
        self.ends.insert((gpu, stream), start + length);
    }

    /// A call of about so many microseconds: from when to when.
    fn call(&mut self, length_us: u64) -> (u64, u64) {
        let begin = self.now;
        self.now += self.about(length_us * 1_000);
        (begin, self.now)
    }

    /// When work starts that is launched then: a few microseconds later, and after the earlier work of its stream.
    fn start(&mut self, gpu: u64, stream: u64, launched: u64) -> u64 {
        let latency = 4_500 + self.roll(4_000);
        (launched + latency).max(self.free(gpu, stream) + self.device_gap())
    }

    /// AMD's records often follow one another without a gap.
    fn device_gap(&mut self) -> u64 {
        match self.plan.vendor {
            Vendor::Cuda => 700 + self.roll(900),
            Vendor::Rocm => 0,
        }
    }

    fn free(&self, gpu: u64, stream: u64) -> u64 {
        self.ends.get(&(gpu, stream)).copied().unwrap_or(0)
    }

    fn prefix(&self) -> &'static str {
        match self.plan.vendor {
            Vendor::Cuda => "cuda",
            Vendor::Rocm => "hip",
        }
    }

    fn roll(&mut self, n: u64) -> u64 {
        self.n_rolled += 1;
        self.dice.below(self.n_rolled, n)
    }

    /// The number within four percent.
    fn about(&mut self, number: u64) -> u64 {
        number - number / 25 + self.roll(number * 2 / 25 + 1)
    }
}
