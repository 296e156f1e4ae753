//! Which captures of two sides belong together.

use crate::report::CaptureReport;
use std::collections::BTreeMap;

/// Captures of two sides by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pairs {
    /// Those that belong together, in order of the earlier one.
    pub(super) both: Vec<(usize, usize)>,
    /// Those of the earlier side alone.
    pub(super) only_before: Vec<usize>,
    /// Those of the later side alone.
    pub(super) only_after: Vec<usize>,
}

/// Pairs captures by name; names below different folders are equal where what follows the folder is. A folder is the one that was
/// named, else what all names of its side have in common. Two single captures always belong together.
pub(super) fn pair_up(
    before: (&[CaptureReport], Option<&str>),
    after: (&[CaptureReport], Option<&str>),
) -> Pairs {
    if let ([_], [_]) = (before.0, after.0) {
        return Pairs { both: vec![(0, 0)], ..Pairs::default() };
    }
    let names = |side: &[CaptureReport]| -> Vec<String> {
        side.iter().map(|capture| capture.name.clone()).collect()
    };
    let (old, new) = (names(before.0), names(after.0));
    let mut pairs = by_key(&old, &new);
    if pairs.both.is_empty() {
        pairs = by_key(&below(&old, before.1), &below(&new, after.1));
    }
    pairs
}

fn by_key(before: &[String], after: &[String]) -> Pairs {
    let places: BTreeMap<&str, usize> =
        after.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let mut pairs = Pairs::default();
    let mut is_taken = vec![false; after.len()];
    for (at, name) in before.iter().enumerate() {
        match places.get(name.as_str()) {
            Some(&other) => {
                pairs.both.push((at, other));
                is_taken[other] = true;
            }
            None => pairs.only_before.push(at),
        }
    }
    pairs.only_after = (0..after.len()).filter(|&at| !is_taken[at]).collect();
    pairs
}

/// Names as they stand below a folder.
fn below(names: &[String], folder: Option<&str>) -> Vec<String> {
    let folder = match folder {
        Some(folder) => folder.trim_end_matches('/').to_owned() + "/",
        None => common(names),
    };
    let rest = |name: &String| name.strip_prefix(&folder).unwrap_or(name).to_owned();
    names.iter().map(rest).collect()
}

/// The folders in front that all names have in common, with the slash behind them.
fn common(names: &[String]) -> String {
    let folder_of = |name: &str| name.rfind('/').map_or(0, |at| at + 1);
    let Some(first) = names.first() else { return String::new() };
    let mut shared = &first[..folder_of(first)];
    while !names.iter().all(|name| name.starts_with(shared)) {
        shared = &shared[..folder_of(shared.trim_end_matches('/'))];
    }
    shared.to_owned()
}

#[cfg(test)]
mod tests {
    use super::{below, by_key, common};

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn names_below_different_folders_meet() {
        let old = names(&["old/a/r0.json", "old/a/r1.json", "old/b/r0.json"]);
        let new = names(&["runs/new/a/r1.json", "runs/new/b/r0.json", "runs/new/c/r0.json"]);
        let pairs = by_key(&below(&old, None), &below(&new, Some("runs/new")));
        assert_eq!(pairs.both, [(1, 0), (2, 1)]);
        assert_eq!((pairs.only_before, pairs.only_after), (vec![0], vec![2]));
    }

    #[test]
    fn the_common_folder_ends_at_a_slash() {
        for (list, expected) in [
            (&["a/b/c.json", "a/b/d.json"][..], "a/b/"),
            (&["a/bc/x", "a/bd/x"], "a/"),
            (&["a.json", "b.json"], ""),
            (&["a/x"], "a/"),
            (&[], ""),
        ] {
            assert_eq!(common(&names(list)), expected, "{list:?}");
        }
    }
}
