//! Some of many, spread evenly.

/// The golden ratio's part below one, in 64 bits: its multiples fall into no step with any regular pattern.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Indices of at most `max` of `n` things in order; all of them where there are no more. Else the things are parted into `max` runs
/// of one length, and one of each is taken, now an early one and now a late one: what every second or every fourth thing is would be
/// all or nothing of what equal strides meet.
pub fn evenly(n: usize, max: usize) -> impl Iterator<Item = usize> {
    let kept = n.min(max);
    let first_of = move |run: usize| of(n, run as u64, kept as u64);
    (0..kept).map(move |run| {
        let (first, behind) = (first_of(run), first_of(run + 1));
        let scattered = (run as u64).wrapping_mul(GOLDEN) >> 32;
        first + of(behind - first, scattered, 1 << 32)
    })
}

/// `part / whole` of `n`, rounded down.
fn of(n: usize, part: u64, whole: u64) -> usize {
    usize::try_from(n as u128 * u128::from(part) / u128::from(whole)).unwrap_or(n)
}

#[cfg(test)]
mod tests {
    use super::evenly;

    #[test]
    fn from_end_to_end() {
        let of = |n, max| evenly(n, max).collect::<Vec<_>>();
        assert_eq!(of(3, 5), [0, 1, 2]);
        assert_eq!(of(12, 4), [0, 4, 6, 11]);
        assert!(of(0, 4).is_empty() && of(4, 0).is_empty());
    }

    #[test]
    fn a_regular_pattern_is_met_as_often_as_it_is_there() {
        for n in [300, 511, 512, 513, 1_000, 1_024, 4_096, 100_000] {
            for every in [2, 3, 4, 8, 16] {
                let met = evenly(n, 256).filter(|at| at % every == 0).count();
                let expected = 256 / every;
                assert!(met.abs_diff(expected) <= 16, "{met} of 256, each {every}th of {n}");
            }
        }
    }
}
