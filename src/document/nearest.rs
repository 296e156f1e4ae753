//! The id that was probably meant.

/// The candidate nearest to `wrong`, if one is near: at most a third of its letters differ, or it holds `wrong` whole.
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer than any id: not a slip of the pen, and the distance below is quadratic.
    if wrong.len() > 100 {
        return None;
    }
    let scored = candidates.into_iter().filter_map(|candidate| {
        let distance = distance(wrong, candidate);
        let near = distance * 3 <= candidate.chars().count().max(wrong.chars().count());
        let part = wrong.len() >= 4 && candidate.contains(wrong);
        (near || part).then_some((distance, candidate))
    });
    // Of equals the first: candidates come in the order of their table.
    scored.min_by_key(|&(distance, _)| distance).map(|(_, candidate)| candidate)
}

/// Letters to insert, delete, replace or swap with their neighbour between two texts.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // Three rows of the table are enough: a swap looks two back.
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = above[j] + usize::from(a[i] != b[j]);
            let mut least = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distance_counts_letters() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("a", "a", 0),
            ("jnuit", "junit", 1),
            ("ab", "ba", 1),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn only_what_is_near_is_suggested() {
        let ids = ["high-idle", "damaged-records", "duplicated-records"];
        for (wrong, expected) in [
            ("hihg-idle", Some("high-idle")),
            ("damaged_records", Some("damaged-records")),
            ("duplicate-records", Some("duplicated-records")),
            ("idle", Some("high-idle")),
            ("flaky", None),
            ("", None),
        ] {
            assert_eq!(nearest(wrong, ids), expected, "{wrong}");
        }
    }
}
