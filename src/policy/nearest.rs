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

/// Letters to insert, delete or replace between two texts.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != *right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distance_counts_letters() {
        for (a, b, expected) in
            [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("a", "a", 0)]
        {
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
