//! Some of many, spread evenly.

/// Indices of at most `max` of `n` things in order, spread evenly; all of them where there are no more.
pub fn evenly(n: usize, max: usize) -> impl Iterator<Item = usize> {
    let kept = n.min(max);
    let place = move |at: usize| {
        let place = at as u128 * n as u128 / kept as u128;
        usize::try_from(place).unwrap_or(at)
    };
    (0..kept).map(place)
}

#[cfg(test)]
mod tests {
    use super::evenly;

    #[test]
    fn from_end_to_end() {
        let of = |n, max| evenly(n, max).collect::<Vec<_>>();
        assert_eq!(of(3, 5), [0, 1, 2]);
        assert_eq!(of(10, 4), [0, 2, 5, 7]);
        assert!(of(0, 4).is_empty() && of(4, 0).is_empty());
    }
}
