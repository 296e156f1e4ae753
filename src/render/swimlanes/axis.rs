//! The time axis: a few round times, with their unit.

use super::super::format::{COARSE, time};
use crate::report::Microseconds;

/// Marks on the axis, at most.
const TICKS_MAX: i128 = 10;

/// Round times from the start of the window to its end, with their labels.
pub(super) fn ticks(total: Microseconds) -> Vec<(Microseconds, String)> {
    let step = step(total.ps());
    let mut ticks = Vec::new();
    let mut at = 0;
    while at <= total.ps() {
        let label = if at == 0 {
            "0".to_owned()
        } else {
            trimmed(&time(Microseconds::from_ps(at), COARSE))
        };
        ticks.push((Microseconds::from_ps(at), label));
        at += step;
    }
    ticks
}

/// The smallest of 1, 2 and 5 times a power of ten that needs few marks.
fn step(total: i128) -> i128 {
    let mut decade = 1;
    loop {
        for factor in [1, 2, 5] {
            let step = decade * factor;
            if total / step < TICKS_MAX {
                return step;
            }
        }
        decade *= 10;
    }
}

/// `1.50 ms` as `1.5 ms`: ticks are round.
fn trimmed(label: &str) -> String {
    match label.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => label.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::ticks;
    use crate::report::Microseconds;

    #[test]
    fn marks_are_round_and_few() {
        let labels = |ps| -> Vec<String> {
            ticks(Microseconds::from_ps(ps)).into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(labels(0), ["0"]);
        assert_eq!(labels(4_500_000_000)[..4], ["0", "500 µs", "1 ms", "1.5 ms"]);
        for ps in [1, 999, 1_000_001, 3_600_000_000_000_000, i128::from(i64::MAX)] {
            assert!((1..=10).contains(&labels(ps).len()), "{ps}: {:?}", labels(ps));
        }
    }
}
