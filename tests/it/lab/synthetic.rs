//! Hundreds of generated captures under every kind of damage.

use super::capture::Capture;
use super::damage::KINDS;
use super::honest::{self, Plan, plans};
use super::rules;
use super::subject::{Run, Subject};
use super::table::Row;
use crate::fixture::{self, Written};
use crate::harness::pipeline;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use rayon::prelude::*;

/// How many captures are generated.
pub(crate) const N_CAPTURES: usize = 200;

/// Steps in which a failing plan is made small.
const SHRINK_STEPS: usize = 60;

/// Everything that the generated captures showed.
pub(crate) struct Results {
    /// One row a kind of damage.
    pub(crate) rows: Vec<Row>,
    /// How many intact captures each published rule flags.
    pub(crate) false_alarms: [u64; 2],
    /// How many intact captures replay graphs.
    pub(crate) n_with_graphs: u64,
    /// The smallest plan with the first fault, in words and as a fixture.
    pub(crate) fault: Option<String>,
}

/// Runs the first `n` of them.
pub(crate) fn results(n: usize) -> Results {
    // Its seed is fixed.
    let mut runner = TestRunner::deterministic();
    let mut trees: Vec<_> = (0..n)
        .map(|_| plans().new_tree(&mut runner).unwrap_or_else(|reason| panic!("{reason}")))
        .collect();
    let plans: Vec<Plan> = trees.iter().map(ValueTree::current).collect();
    let mut studied: Vec<Studied> = plans.par_iter().map(study).collect();
    let first = studied.iter().position(|one| one.fault.is_some());
    let fault = first.map(|at| smallest(&mut trees[at]));
    let count = |rule: usize| studied.iter().filter(|one| one.alarms[rule]).count() as u64;
    let false_alarms = [count(0), count(1)];
    let n_with_graphs = studied.iter().filter(|one| one.has_graphs).count() as u64;
    let rows = KINDS.iter().enumerate().rev().map(|(_, kind)| {
        let runs = studied.iter_mut().filter_map(|one| one.runs.pop());
        Row::new(kind, runs.collect())
    });
    let mut rows: Vec<Row> = rows.collect();
    rows.reverse();
    Results { rows, false_alarms, n_with_graphs, fault }
}

/// What one plan showed, with one run a kind.
struct Studied {
    runs: Vec<Run>,
    alarms: [bool; 2],
    has_graphs: bool,
    fault: Option<String>,
}

fn study(plan: &Plan) -> Studied {
    let capture = written(plan);
    let intact = pipeline(&capture.files());
    let alarms = [rules::idle_and_graphs(&capture, &intact), rules::half_covered(&capture)];
    let has_graphs = !capture.replays().is_empty();
    let subject = Subject::new(capture);
    let seeds = (0..).map(|kind| plan.seed().wrapping_add(kind));
    let runs: Vec<Run> =
        KINDS.iter().zip(seeds).map(|(kind, seed)| subject.run(kind, seed)).collect();
    let fault = subject.fault().or_else(|| runs.iter().find_map(|run| run.fault.clone()));
    Studied { runs, alarms, has_graphs, fault }
}

fn written(plan: &Plan) -> Capture {
    let text = honest::fixture(plan);
    match fixture::write(&text) {
        Ok(Written::Kineto(json)) => {
            Capture::parse(&json).unwrap_or_else(|error| panic!("{error}: {text}"))
        }
        Ok(Written::Jax(_)) => panic!("a plan is no JAX run"),
        Err(error) => panic!("{error}: {text}"),
    }
}

/// Makes a failing plan small, and tells what is wrong with it.
fn smallest(tree: &mut impl ValueTree<Value = Plan>) -> String {
    let told = |plan: &Plan| {
        study(plan).fault.map(|fault| format!("{fault}\n{plan:?}\n{}", honest::fixture(plan)))
    };
    let mut best = told(&tree.current()).unwrap_or_default();
    for _ in 0..SHRINK_STEPS {
        let moved =
            if told(&tree.current()).is_some() { tree.simplify() } else { tree.complicate() };
        if !moved {
            break;
        }
        best = told(&tree.current()).unwrap_or(best);
    }
    best
}
