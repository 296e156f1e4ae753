//! Whether one sample lies higher than another: the Mann–Whitney test, and what many tests or dependent steps take from it.

use std::f64::consts::SQRT_2;

/// Up to this many values the distribution is counted out, ties included; beyond, the normal one is close and the count is long.
const EXACT_MAX: usize = 40;

/// The two-sided probability that samples of one distribution lie as far apart as these; `None` where one is empty.
///
/// Mann and Whitney 1947, with mid-ranks for ties. Beyond [`EXACT_MAX`] the normal distribution with the correction for ties and for
/// continuity.
pub(super) fn mann_whitney(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let ranks = Ranks::of(a, b);
    Some(if ranks.doubled.len() <= EXACT_MAX { ranks.exact() } else { ranks.normal() })
}

/// The two-sided probability that the `n` largest of all values are of one sample, by name, of `of` values beside `others`
/// (Rosenbaum 1954): `of ÷ (of + others)` for the first, and so on.
pub(super) fn exceedances(n: usize, of: usize, others: usize) -> f64 {
    let all = (of + others) as f64;
    let one_sided: f64 = (0..n).map(|k| (of - k) as f64 / (all - k as f64)).product();
    (2.0 * one_sided).min(1.0)
}

/// Ranks of two samples together. Twice a mid-rank is an integer.
struct Ranks {
    /// Of all values, ascending.
    doubled: Vec<usize>,
    /// Their sum over the first sample.
    sum: usize,
    n_first: usize,
    /// `t³ − t` over groups of `t` equal values.
    ties: f64,
}

impl Ranks {
    fn of(a: &[f64], b: &[f64]) -> Self {
        let mut all: Vec<(f64, bool)> = a.iter().map(|&value| (value, true)).collect();
        all.extend(b.iter().map(|&value| (value, false)));
        all.sort_by(|x, y| x.0.total_cmp(&y.0));
        let mut ranks =
            Self { doubled: Vec::with_capacity(all.len()), sum: 0, n_first: a.len(), ties: 0.0 };
        for group in all.chunk_by(|x, y| x.0.total_cmp(&y.0).is_eq()) {
            let before = ranks.doubled.len();
            // The places before + 1 to before + t, in the middle.
            let doubled = 2 * before + 1 + group.len();
            ranks.doubled.extend(group.iter().map(|_| doubled));
            ranks.sum += group.iter().filter(|(_, is_first)| *is_first).count() * doubled;
            let size = group.len() as f64;
            ranks.ties += size.powi(3) - size;
        }
        ranks
    }

    /// Of all ways to choose the first sample from the values, those that lie as far out.
    fn exact(&self) -> f64 {
        let most: usize = self.doubled.iter().rev().take(self.n_first).sum();
        // ways[k][s]: choices of k values with the sum s. Counts up to C(40, 20) are exact in a float.
        let mut ways = vec![vec![0.0_f64; most + 1]; self.n_first + 1];
        ways[0][0] = 1.0;
        for &rank in &self.doubled {
            for k in (1..=self.n_first).rev() {
                let (lower, upper) = ways.split_at_mut(k);
                let (Some(from), Some(to)) = (lower.last(), upper.first_mut()) else { continue };
                for sum in (rank..=most).rev() {
                    to[sum] += from[sum - rank];
                }
            }
        }
        let ways = &ways[self.n_first];
        let all: f64 = ways.iter().sum();
        let below: f64 = ways.iter().take(self.sum + 1).sum();
        let above: f64 = ways.iter().skip(self.sum).sum();
        (2.0 * below.min(above) / all).min(1.0)
    }

    fn normal(&self) -> f64 {
        let all = self.doubled.len() as f64;
        let first = self.n_first as f64;
        let second = all - first;
        let mean = first * (all + 1.0) / 2.0;
        let variance = first * second / 12.0 * ((all + 1.0) - self.ties / (all * (all - 1.0)));
        if variance <= 0.0 {
            return 1.0;
        }
        let distance = (self.sum as f64 / 2.0 - mean).abs() - 0.5;
        both_tails(distance.max(0.0) / variance.sqrt())
    }
}

/// The probability that a standard normal value lies at least so far from zero.
fn both_tails(distance: f64) -> f64 {
    libm::erfc(distance / SQRT_2)
}

/// What is left of a probability if only this part of the steps tells something new: the distance in standard deviations shrinks by
/// the root of the part.
pub(super) fn weakened(p: f64, part: f64) -> f64 {
    if part >= 1.0 {
        return p;
    }
    // Beyond 38 standard deviations a float has no smaller probability.
    let (mut low, mut high) = (0.0, 38.0);
    for _ in 0..64 {
        let middle = f64::midpoint(low, high);
        if both_tails(middle) > p { low = middle } else { high = middle }
    }
    both_tails(low * part.max(0.0).sqrt())
}

/// Probabilities corrected for how many there are (Holm 1979): none of them falls below a level by chance more often than the level says.
pub(super) fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
    let mut corrected = vec![1.0; probabilities.len()];
    let mut highest = 0.0_f64;
    for (place, &index) in order.iter().enumerate() {
        let left = (probabilities.len() - place) as f64;
        highest = highest.max(probabilities[index] * left).min(1.0);
        corrected[index] = highest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::{Ranks, holm, mann_whitney, weakened};

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6 * expected.max(1e-3), "{found} for {expected}");
    }

    fn up(from: u32, to: u32) -> Vec<f64> {
        (from..to).map(f64::from).collect()
    }

    /// Two samples without a tie that do not overlap: 2 of C(n + m, n) choices lie so far out.
    #[test]
    fn samples_apart_are_as_rare_as_their_choices() {
        for (n, m, choices) in
            [(3, 3, 20.0), (4, 4, 70.0), (6, 6, 924.0), (8, 8, 12_870.0), (3, 5, 56.0)]
        {
            for (a, b) in [(up(0, n), up(n, n + m)), (up(m, n + m), up(0, m))] {
                close(mann_whitney(&a, &b).unwrap(), 2.0 / choices);
            }
        }
    }

    /// Counted by hand: of the 10 choices of two from 1 to 5, {1, 2}, {1, 3}, {3, 5} and {4, 5} lie as far out as {1, 3}.
    #[test]
    fn a_small_sample_by_hand() {
        close(mann_whitney(&[1.0, 3.0], &[2.0, 4.0, 5.0]).unwrap(), 0.4);
        assert_eq!(mann_whitney(&[], &[1.0]), None);
    }

    /// Values of 1, 1, 2, 2 have the mid-ranks 1.5, 1.5, 3.5, 3.5: one choice of six takes both low ones.
    #[test]
    fn ties_share_a_rank() {
        close(mann_whitney(&[1.0, 1.0], &[2.0, 2.0]).unwrap(), 2.0 / 6.0);
        close(mann_whitney(&[1.0; 6], &[2.0; 6]).unwrap(), 2.0 / 924.0);
        close(mann_whitney(&[1.0, 2.0], &[1.0, 2.0]).unwrap(), 1.0);
    }

    #[test]
    fn constant_values_differ_in_nothing() {
        for n in [1, 6, 30, 256] {
            close(mann_whitney(&vec![5.0; n], &vec![5.0; n]).unwrap(), 1.0);
        }
    }

    /// Where both can be had, the normal distribution is close to the count.
    #[test]
    fn the_approximation_is_close() {
        let odd: Vec<f64> = (0..20).map(|n| f64::from(2 * n + 1)).collect();
        let later: Vec<f64> = (0..20).map(|n| f64::from(2 * n + 8)).collect();
        let ranks = Ranks::of(&odd, &later);
        let (exact, normal) = (ranks.exact(), ranks.normal());
        assert!((exact / normal - 1.0).abs() < 0.05, "{exact} {normal}");
    }

    /// The distances that belong to 0.05 and 0.01 are 1.959964 and 2.575829; a quarter of the steps halves them.
    #[test]
    fn dependent_steps_weaken_a_probability() {
        close(weakened(0.05, 0.25), 0.327_095_01);
        close(weakened(0.01, 0.25), 0.197_775_67);
        close(weakened(0.01, 1.0), 0.01);
        close(weakened(1.0, 0.5), 1.0);
        assert!(weakened(0.0, 0.5) < 1e-100);
    }

    #[test]
    fn many_probabilities_are_corrected_in_steps() {
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in corrected.into_iter().zip([0.03, 0.06, 0.06, 0.02]) {
            close(found, expected);
        }
        assert!(holm(&[]).is_empty());
    }
}
