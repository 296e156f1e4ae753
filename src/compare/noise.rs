//! What is noise: the spread of steps, how much they depend on one another, and whether a difference lies beyond both.

use super::ranks;
use crate::report::Microseconds;
use crate::units::evenly;

/// Steps that each side needs for a comparison in time: as many as a step time is claimed from.
pub(super) const STEPS_MIN: usize = 3;

/// Steps that each side needs for a test: with five a side the smallest probability is 0.008, and nothing is left for several kernels.
const STEPS_TESTED_MIN: usize = 6;

/// What the steps of each side must come to, once they are counted for how much they depend on one another.
const STEPS_EFFECTIVE_MIN: f64 = 4.0;

/// Steps of a side that are looked at, spread evenly over the capture.
const STEPS_MAX: usize = 256;

/// The standard deviation of a normal distribution over its median absolute deviation.
const SIGMA_OF_MAD: f64 = 1.482_6;

/// The standard error of a median over that of a mean, of a normal distribution: the root of half π.
const MEDIAN_OVER_MEAN: f64 = 1.25;

/// Standard errors beyond which a difference lies outside the spread.
const ERRORS_MIN: f64 = 3.0;

/// Standard errors of the smallest change that a test at 5 % sees four times of five.
const ERRORS_DETECTED: f64 = 2.8;

/// The level of the test.
pub(super) const P_MAX: f64 = 0.01;

/// The level at which a longer tail is suspected: it fails nothing.
const TAIL_P_MAX: f64 = 0.05;

/// A quantity of each step of one side, in order of time, in picoseconds.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    values: Vec<f64>,
    /// The largest.
    max: f64,
    /// The middle value; of an even number the middle of the two.
    pub(super) median: f64,
    /// The median distance from it.
    pub(super) mad: f64,
}

impl Sample {
    /// Of times in order; `None` of none.
    pub(super) fn of(times: &[Microseconds]) -> Option<Self> {
        let values: Vec<f64> =
            evenly(times.len(), STEPS_MAX).map(|at| times[at].ps() as f64).collect();
        let median = median(&values)?;
        let distances: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
        let max = values.iter().copied().fold(f64::MIN, f64::max);
        Some(Self { max, mad: self::median(&distances)?, median, values })
    }

    /// How many steps.
    pub(super) fn n(&self) -> usize {
        self.values.len()
    }

    fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.n() as f64
    }

    /// Products of neighbours and squares, both around the mean: their sums tell how much a step depends on the one before.
    fn products(&self) -> (f64, f64) {
        let mean = self.mean();
        let around: Vec<f64> = self.values.iter().map(|value| value - mean).collect();
        let neighbours = around.windows(2).map(|pair| pair[0] * pair[1]).sum();
        (neighbours, around.iter().map(|value| value * value).sum())
    }
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some(f64::midpoint(sorted[last / 2], sorted[sorted.len() / 2]))
}

/// Two samples held against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Held {
    /// The change of the median, as a part of the earlier one.
    pub(super) change: f64,
    /// True where it is larger than the threshold and lies outside the spread.
    pub(super) is_beyond: bool,
    /// The probability that chance alone does it; absent where there are too few steps to test.
    pub(super) p: Option<f64>,
    /// True where the steps are too few, or too dependent on one another, to be sure.
    pub(super) is_weak: bool,
    /// The smallest change that could have been seen, as a part of the earlier median.
    pub(super) detectable: f64,
    /// True where a change as small as the threshold could have been seen.
    pub(super) sees_threshold: bool,
    /// The part of the steps that tells something new.
    pub(super) part: f64,
    /// A side with more long steps than chance explains, where the medians do not show them.
    pub(super) tail: Option<Tail>,
}

/// Steps of one side that take longer than any of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    /// True where the later side has them.
    pub(super) is_after: bool,
    /// How many.
    pub(super) n: usize,
    /// Of so many.
    pub(super) of: usize,
}

/// Holds two samples against each other; `threshold` is the smallest change that matters, as a part. `None` where a side has too few
/// steps, or nothing that a part could be of.
pub(super) fn hold(before: &Sample, after: &Sample, threshold: f64) -> Option<Held> {
    let fewest = before.n().min(after.n());
    if fewest < STEPS_MIN || before.median <= 0.0 {
        return None;
    }
    let part = independent_part(before, after);
    let is_few = fewest < STEPS_TESTED_MIN;
    let is_weak = is_few || fewest as f64 * part < STEPS_EFFECTIVE_MIN;
    let threshold = if is_weak { threshold * 2.0 } else { threshold };
    let variance = |side: &Sample| side.mad * side.mad / (side.n() as f64 * part);
    let error = MEDIAN_OVER_MEAN * SIGMA_OF_MAD * (variance(before) + variance(after)).sqrt();
    let difference = after.median - before.median;
    let change = difference / before.median;
    let p = ranks::mann_whitney(&before.values, &after.values)
        .filter(|_| !is_few)
        .map(|p| ranks::weakened(p, part));
    let by_spread = ERRORS_DETECTED * error / before.median;
    Some(Held {
        change,
        is_beyond: change.abs() > threshold && difference.abs() > ERRORS_MIN * error,
        p,
        is_weak,
        detectable: by_spread.max(threshold),
        sees_threshold: by_spread <= threshold,
        part,
        tail: tail(before, after, threshold, part),
    })
}

/// The longer tail, if the means differ by more than the threshold and chance would hardly put all the longest steps on one side.
fn tail(before: &Sample, after: &Sample, threshold: f64, part: f64) -> Option<Tail> {
    let is_after = after.max > before.max;
    let (longer, other) = if is_after { (after, before) } else { (before, after) };
    let n = longer.values.iter().filter(|&&value| value > other.max).count();
    let moved = (longer.mean() - other.mean()) / before.mean();
    let p = ranks::weakened(ranks::exceedances(n, longer.n(), other.n()), part);
    (moved > threshold && p < TAIL_P_MAX).then_some(Tail { is_after, n, of: longer.n() })
}

/// The part of the steps that tells something new: `(1 − ρ) ÷ (1 + ρ)` for a correlation ρ of neighbours, estimated from both sides.
///
/// Around a mean that was taken from the same steps the correlation comes out too low by about one over their number, which is
/// added. A negative one is not used: it would make few steps count for many.
fn independent_part(before: &Sample, after: &Sample) -> f64 {
    let ((near_a, all_a), (near_b, all_b)) = (before.products(), after.products());
    let all = all_a + all_b;
    if all <= 0.0 {
        return 1.0;
    }
    let n_mean = (before.n() + after.n()) as f64 / 2.0;
    let correlation = ((near_a + near_b) / all + 1.0 / n_mean).clamp(0.0, 0.99);
    (1.0 - correlation) / (1.0 + correlation)
}

#[cfg(test)]
mod tests {
    use super::{Sample, Tail, hold};
    use crate::report::Microseconds;

    fn sample(times: &[i128]) -> Sample {
        let times: Vec<_> = times.iter().map(|&us| Microseconds::from_ps(us * 1_000_000)).collect();
        Sample::of(&times).unwrap()
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
    }

    #[test]
    fn medians_and_distances_by_hand() {
        let odd = sample(&[5, 1, 4, 2, 3]);
        assert_eq!((odd.median / 1e6, odd.mad / 1e6), (3.0, 1.0));
        let even = sample(&[1, 2, 4, 100]);
        assert_eq!((even.median / 1e6, even.mad / 1e6), (3.0, 1.5));
        assert!(Sample::of(&[]).is_none());
    }

    /// Around their mean of 3 the values are −2, −1, 0, 1, 2: neighbours give 2 + 0 + 0 + 2 = 4 and squares 10 on each side, so the
    /// correlation is 0.4 + 1 ÷ 5 = 0.6 and a quarter of the steps is left.
    #[test]
    fn steps_that_follow_one_another_count_less() {
        let drift = sample(&[1, 2, 3, 4, 5]);
        near(hold(&drift, &drift, 0.03).unwrap().part, 0.25);
        let alternating = sample(&[1, 5, 1, 5, 1, 5]);
        near(hold(&alternating, &alternating, 0.03).unwrap().part, 1.0);
    }

    #[test]
    fn constant_times_have_no_noise() {
        let (before, same, longer) = (sample(&[100; 6]), sample(&[100; 6]), sample(&[104; 6]));
        let held = hold(&before, &same, 0.03).unwrap();
        assert!(!held.is_beyond && held.sees_threshold && held.p == Some(1.0));
        let held = hold(&before, &longer, 0.03).unwrap();
        assert!(held.is_beyond && !held.is_weak);
        near(held.change, 0.04);
        near(held.p.unwrap(), 2.0 / 924.0);
        assert!(!hold(&before, &longer, 0.05).unwrap().is_beyond);
    }

    /// Below six steps the threshold doubles and nothing is tested.
    #[test]
    fn few_steps_are_weak() {
        let before = sample(&[100; 5]);
        let held = hold(&before, &sample(&[105; 5]), 0.03).unwrap();
        assert!(held.is_weak && held.p.is_none() && !held.is_beyond);
        assert!(hold(&before, &sample(&[107; 5]), 0.03).unwrap().is_beyond);
        assert!(hold(&before, &sample(&[107; 2]), 0.03).is_none());
        assert!(hold(&sample(&[0; 5]), &before, 0.03).is_none());
    }

    /// Five of twelve steps are longer than any of twelve others: of the ways to choose 12 of 24, C(19, 7) of C(24, 12) have it so, 1.9 %,
    /// and twice as many either way.
    #[test]
    fn a_longer_tail_is_seen_where_the_median_stays() {
        let even = sample(&[100, 101, 99, 100, 102, 98, 100, 101, 99, 100, 100, 101]);
        let tailed = sample(&[100, 1000, 99, 1000, 100, 1000, 101, 1000, 99, 1000, 100, 101]);
        let held = hold(&even, &tailed, 0.03).unwrap();
        assert!(!held.is_beyond);
        assert_eq!(held.tail, Some(Tail { is_after: true, n: 5, of: 12 }));
        let back = hold(&tailed, &even, 0.03).unwrap();
        assert_eq!(back.tail, Some(Tail { is_after: false, n: 5, of: 12 }));
        let one = sample(&[100, 1000, 99, 100, 102, 98, 100, 101, 99, 100, 100, 101]);
        assert_eq!(hold(&even, &one, 0.03).unwrap().tail, None);
        assert_eq!(hold(&even, &even, 0.03).unwrap().tail, None);
    }

    /// Of more steps than are looked at, the last count like the first.
    #[test]
    fn long_captures_are_looked_at_from_end_to_end() {
        let even = sample(&[100; 1_000]);
        let late: Vec<i128> = (0..1_000).map(|step| if step < 300 { 100 } else { 120 }).collect();
        assert!(hold(&even, &sample(&late), 0.03).unwrap().is_beyond);
    }

    /// Distances of 10 around 100, alternating: 3 × 1.25 × 1.4826 × √(2 × 100 ÷ 8) = 27.8 of 100.
    #[test]
    fn a_difference_must_lie_outside_the_spread() {
        let before = sample(&[90, 110, 90, 110, 90, 110, 90, 110]);
        let shifted = |by: i128| sample(&[90, 110, 90, 110, 90, 110, 90, 110].map(|at| at + by));
        assert!(!hold(&before, &shifted(27), 0.03).unwrap().is_beyond);
        let held = hold(&before, &shifted(28), 0.03).unwrap();
        assert!(held.is_beyond && !held.sees_threshold);
        near(held.detectable, 2.8 * 1.25 * 1.482_6 * 5.0 / 100.0);
    }
}
