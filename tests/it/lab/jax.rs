//! Generated JAX runs under the damage that their tracers do, in the fixture language's own words for loss.

use super::damage::Effect;
use super::outcome::{Outcome, outcome};
use super::subject::Run;
use super::table::Row;
use super::truth::Truth;
use crate::fixture::jax;
use crate::harness::pipeline;
use crate::xspace::Space;
use idleproof::report::CaptureReport;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rayon::prelude::*;
use std::fmt::Write as _;

/// How many runs are generated.
pub(crate) const N_RUNS: usize = 40;

/// One program, executed a few times.
#[derive(Clone, Debug)]
struct Plan {
    producer: &'static str,
    last_gpu: u64,
    /// How long each instruction's kernel takes.
    kernels_us: Vec<u64>,
    /// Executions, and how far they are apart: often farther than they are long.
    n: u64,
    every_us: u64,
    graph: &'static str,
}

/// One kind of damage.
struct Damage {
    name: &'static str,
    effect: Effect,
    /// Lines of the fixture language that lose records.
    lose: fn(&Plan) -> String,
    /// What is done to the file.
    edit: fn(&mut Space),
}

const fn loss(name: &'static str, lose: fn(&Plan) -> String) -> Damage {
    Damage { name, effect: Effect::Loss, lose, edit: |_| {} }
}

const fn harmless(name: &'static str, edit: fn(&mut Space)) -> Damage {
    Damage { name, effect: Effect::None, lose: |_| String::new(), edit }
}

const KINDS: &[Damage] = &[
    harmless("JAX: planes and lines in reverse", |space| {
        space.planes.reverse();
        space.planes.iter_mut().for_each(|plane| plane.lines.reverse());
    }),
    harmless("JAX: all lines an hour later", |space| {
        for line in space.planes.iter_mut().flat_map(|plane| &mut plane.lines) {
            line.base_ns += 3_600_000_000_000;
        }
        // The session would have been an hour later as well.
        space.planes.retain(|plane| plane.name != "Task Environment");
    }),
    loss("JAX: the second execution lost with its launches", |_| {
        "lose executions=2 launches".to_owned()
    }),
    loss("JAX: all executions but the ends lost with their launches", |plan| {
        format!("lose executions=2..{} launches", plan.n_executions() - 1)
    }),
    loss("JAX: all executions but the ends lost, launches kept", |plan| {
        format!("lose executions=2..{}", plan.n_executions() - 1)
    }),
    loss("JAX: every execution keeps the first kernel of each graph launch", |plan| {
        format!("lose replays=1..{} keep=1", plan.n_executions())
    }),
    loss("JAX: the middle executions keep the first kernel of each graph launch", |plan| {
        format!("lose replays=2..{} keep=1", plan.n_executions() - 1)
    }),
    loss("JAX: the last device lost with its launches", |plan| {
        format!("lose gpus={0} launches", if plan.last_gpu > 0 { plan.last_gpu } else { 99 })
    }),
];

impl Plan {
    /// Each device executes on its own.
    const fn n_executions(&self) -> u64 {
        self.n * (self.last_gpu + 1)
    }

    fn fixture(&self) -> String {
        let mut text = format!(
            "producer {}\ngpu 0..{}\nprogram jit_step 17 {{\n",
            self.producer, self.last_gpu
        );
        for (at, us) in self.kernels_us.iter().enumerate() {
            let _ =
                writeln!(text, "  loop_fusion.{at} fusion us={us}~1 at=/app/train.py:{}", at + 10);
        }
        let (n, every, last_gpu) = (self.n, self.every_us, self.last_gpu);
        let _ = writeln!(text, "}}\nrepeat {n} every {every} {{");
        let _ =
            writeln!(text, "  execute jit_step 0..60 gpu=0..{last_gpu} every=20{}\n}}", self.graph);
        text
    }
}

fn plans() -> impl Strategy<Value = Plan> {
    let producer = prop_oneof![2 => Just("jax-rocm"), 1 => Just("jax-cuda")];
    let graph = prop_oneof![2 => Just(" graph=all"), 1 => Just("")];
    let last_gpu = prop_oneof![2 => Just(0_u64), 1 => Just(1)];
    (producer, last_gpu, vec(3..=80_u64, 3..=12), 3..=8_u64, 0..=1_500_u64, graph).prop_map(
        |(producer, last_gpu, kernels_us, n, idle_us, graph)| {
            let busy: u64 = kernels_us.iter().sum();
            Plan { producer, last_gpu, n, every_us: busy + 200 + idle_us, kernels_us, graph }
        },
    )
}

/// The rows of all kinds, over the first `n` runs.
pub(crate) fn rows(n: usize) -> Vec<Row> {
    let mut runner = TestRunner::deterministic();
    let plans: Vec<Plan> = (0..n)
        .map(|_| {
            plans().new_tree(&mut runner).unwrap_or_else(|reason| panic!("{reason}")).current()
        })
        .collect();
    let mut studied: Vec<Vec<Run>> = plans.par_iter().map(study).collect();
    let mut rows: Vec<Row> = Vec::new();
    for kind in KINDS.iter().rev() {
        let runs = studied.iter_mut().filter_map(Vec::pop).collect();
        rows.push(Row { name: kind.name, effect: kind.effect, runs });
    }
    rows.reverse();
    rows
}

fn study(plan: &Plan) -> Vec<Run> {
    let text = plan.fixture();
    let complete = files(&space(&text));
    let (truth, intact) = (Truth::of_files(&complete), pipeline(&complete));
    let run = |kind: &Damage| {
        let mut damaged = space(&format!("{text}{}\n", (kind.lose)(plan)));
        (kind.edit)(&mut damaged);
        let report = pipeline(&files(&damaged));
        let mut outcome = outcome(&truth, None, &report);
        outcome.violated.retain(|id| !is_violated(&intact, id));
        let fault = fault(kind, &outcome, &report, &intact).map(|fault| format!("{fault}\n{text}"));
        Run { outcome, exempt: None, fault }
    };
    KINDS.iter().map(run).collect()
}

fn fault(
    kind: &Damage,
    outcome: &Outcome,
    report: &CaptureReport,
    intact: &CaptureReport,
) -> Option<String> {
    let is_wrong = match kind.effect {
        Effect::None => report.claims != intact.claims,
        _ => !outcome.is_told(),
    };
    is_wrong.then(|| {
        format!("{}: {:?} became {:?}: {outcome:?}", kind.name, intact.claims, report.claims)
    })
}

fn is_violated(report: &CaptureReport, id: &str) -> bool {
    report.checks_in(idleproof::report::State::Violated).any(|check| check.id == id)
}

fn space(text: &str) -> Space {
    jax::space(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn files(space: &Space) -> Vec<(String, Vec<u8>)> {
    vec![("host.xplane.pb".to_owned(), space.bytes())]
}
