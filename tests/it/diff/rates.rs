//! How often noise is taken for a regression, and how often a regression is found: on hundreds of pairs from a fixed seed.

use super::program::Program;
use super::{kernel, step};
use crate::lab::dice::Dice;
use idleproof::compare::compare;
use idleproof::report::{Comparison, ComparisonOutcome, TimeVerdict};
use rayon::prelude::*;

/// Kernels of a step, in microseconds.
const KERNELS: [f64; 5] = [300.0, 250.0, 200.0, 150.0, 100.0];

/// What varies: the steps, their spread as a part of a kernel's time, and how much a step depends on the one before.
#[derive(Clone, Copy, Debug)]
struct Noise {
    steps: u64,
    spread: f64,
    correlation: f64,
}

impl Noise {
    /// A program whose kernels vary; `slower` is the factor of `k2`.
    fn program(self, seed: u64, slower: f64) -> Program {
        let dice = Dice::of(seed);
        let n_kernels = KERNELS.len() as u64;
        let normal = |key: u64| {
            // The sum of twelve even numbers is close to normal, and the same on every machine.
            let even = |one: u64| dice.below(key * 12 + one, 1 << 32) as f64 / 2_f64.powi(32);
            (0..12).map(even).sum::<f64>() - 6.0
        };
        let mut state: Vec<f64> = (0..n_kernels).map(normal).collect();
        let mut steps = Vec::new();
        for step in 1..=self.steps {
            let durations = state.iter().zip(KERNELS).enumerate().map(|(at, (deviation, us))| {
                let factor = if at == 2 { slower } else { 1.0 };
                whole(us * factor * (1.0 + self.spread * deviation) * 1_000.0).max(1_000)
            });
            steps.push(durations.collect());
            let fresh = (1.0 - self.correlation * self.correlation).sqrt();
            for (at, deviation) in (0..).zip(&mut state) {
                let drawn = normal(step * n_kernels + at);
                *deviation = self.correlation * *deviation + fresh * drawn;
            }
        }
        Program::of(steps)
    }

    fn pair(self, seed: u64, slower: f64) -> Comparison {
        let [before, after] = [(0, 1.0), (1, slower)]
            .map(|(side, slower)| self.program(seed * 2 + side + 1_000_003, slower).report());
        compare(&before, &after)
    }

    /// How many of so many pairs are as asked.
    fn count(self, pairs: u64, slower: f64, is: impl Fn(&Comparison) -> bool + Sync) -> usize {
        (0..pairs).into_par_iter().filter(|&seed| is(&self.pair(seed, slower))).count()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a kernel takes less than a second")]
fn whole(ns: f64) -> i64 {
    ns as i64
}

fn is_regression(comparison: &Comparison) -> bool {
    comparison.outcome == ComparisonOutcome::Regressed
}

/// At most one of two hundred pairs, also where a step depends on the one before.
#[test]
fn noise_is_no_regression() {
    for (pairs, noise) in [
        (200, Noise { steps: 12, spread: 0.02, correlation: 0.0 }),
        (200, Noise { steps: 12, spread: 0.02, correlation: 0.6 }),
        // Too few steps to be sure of anything.
        (20, Noise { steps: 5, spread: 0.04, correlation: 0.6 }),
    ] {
        let found = noise.count(pairs, 1.0, is_regression);
        assert!(found <= 1, "{noise:?}: {found} of {pairs}");
    }
}

/// A tenth more of one kernel is found and named, and no other kernel is.
#[test]
fn a_slower_kernel_is_found_and_named() {
    let noise = Noise { steps: 12, spread: 0.02, correlation: 0.0 };
    let is_named = |comparison: &Comparison| {
        let slower = |name: &str| kernel(comparison, name).verdict == TimeVerdict::Slower;
        is_regression(comparison)
            && slower("k2")
            && !["k0", "k1", "k3", "k4"].into_iter().any(slower)
    };
    let found = noise.count(200, 1.1, is_named);
    assert!(found >= 190, "{found} of 200");
}

/// With the median at 2 % of the step, a change of a tenth of one kernel in five moves the step by less than what matters.
#[test]
fn a_small_part_of_a_step_does_not_make_the_step_slower() {
    let noise = Noise { steps: 12, spread: 0.01, correlation: 0.0 };
    let found = noise.count(20, 1.1, |one| step(one).verdict == TimeVerdict::Noise);
    assert_eq!(found, 20);
}
