//! Dividing what a search found over several runs.
//!
//! Captures of one folder stay together: ranks of one job are compared with one another. Beyond that the parts are made even
//! by bytes, the largest folder first. Only paths and sizes decide, so every machine that sees the same files divides alike.

use super::{Family, Found};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Everything that was found, in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divided {
    /// The parts, in order. Files that are no capture belong to the first one; a part may hold nothing.
    pub parts: Vec<Found>,
    /// One line a file: its part, counted from 1, its size and its path. Parts with one plan make a whole.
    pub plan: String,
}

/// Divides into so many parts.
pub(super) fn divide(found: &Found, of: usize) -> Divided {
    let sizes: Vec<u64> = found.families.iter().map(bytes).collect();
    let mut groups = groups(&found.families);
    let bytes_of = |group: &[usize]| group.iter().map(|&row| sizes[row]).sum::<u64>();
    // Rows are in order of their paths, and this sort keeps that order where sizes are equal.
    groups.sort_by_key(|group| std::cmp::Reverse(bytes_of(group)));
    let mut loads = vec![0_u64; of];
    let mut part_of = vec![0; found.families.len()];
    for group in groups {
        let lightest = (0..of).min_by_key(|&part| (loads[part], part)).unwrap_or(0);
        // A group of empty files is some work too.
        loads[lightest] += bytes_of(&group).max(1);
        for row in group {
            part_of[row] = lightest;
        }
    }

    let mut divided = Divided { parts: vec![Found::default(); of], plan: String::new() };
    for ((family, part), size) in found.families.iter().zip(part_of).zip(sizes) {
        for file in &family.files {
            // Writing to a String cannot fail.
            let _ = writeln!(divided.plan, "{} {size} {:?}", part + 1, file.shown);
        }
        divided.parts[part].families.push(family.clone());
    }
    divided.parts[0].skipped.clone_from(&found.skipped);
    divided
}

/// What a family weighs. A file that cannot be read is refused later, wherever it went.
fn bytes(family: &Family) -> u64 {
    let size = |path| std::fs::metadata(path).map_or(0, |about| about.len());
    family.files.iter().map(|file| size(&file.path)).sum()
}

/// Rows of families that have a folder in common.
fn groups(families: &[Family]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut group_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (row, family) in families.iter().enumerate() {
        let folders: Vec<&str> = family.files.iter().map(|file| folder(&file.shown)).collect();
        let known = folders.iter().filter_map(|folder| group_of.get(folder)).min().copied();
        let home = known.unwrap_or(groups.len());
        if home == groups.len() {
            groups.push(Vec::new());
        }
        groups[home].push(row);
        for folder in folders {
            // A family that reaches into folders of several groups makes one of them.
            if let Some(other) = group_of.insert(folder, home).filter(|&other| other != home) {
                let rows = std::mem::take(&mut groups[other]);
                groups[home].extend(rows);
                group_of.values_mut().filter(|one| **one == other).for_each(|one| *one = home);
            }
        }
    }
    groups.retain(|group| !group.is_empty());
    for group in &mut groups {
        group.sort_unstable();
    }
    groups
}

fn folder(shown: &str) -> &str {
    shown.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::divide;
    use crate::read::{Family, Found, FoundFile};
    use std::path::PathBuf;

    fn found(families: &[&[&str]]) -> Found {
        let file = |shown: &&str| FoundFile {
            path: PathBuf::from("nowhere").join(shown),
            shown: (*shown).to_owned(),
            named: false,
        };
        let family = |files: &&[&str]| Family { files: files.iter().map(file).collect() };
        Found { families: families.iter().map(family).collect(), skipped: Vec::new() }
    }

    fn parts(families: &[&[&str]], of: usize) -> Vec<Vec<String>> {
        let name = |family: &Family| family.files[0].shown.clone();
        let divided = divide(&found(families), of);
        divided.parts.iter().map(|part| part.families.iter().map(name).collect()).collect()
    }

    #[test]
    fn captures_of_one_folder_stay_together() {
        let three = [&["a/0"][..], &["a/1"], &["b/0"], &["c/0"]];
        assert_eq!(parts(&three, 2), [vec!["a/0", "a/1", "c/0"], vec!["b/0"]]);
        assert_eq!(parts(&three, 4), [vec!["a/0", "a/1"], vec!["b/0"], vec!["c/0"], vec![]]);
        // A family with files of two folders brings those of both together, whichever comes first.
        let bridge = [&["a/0"][..], &["b/0"], &["c/0"], &["z/0", "a/1", "b/1"]];
        assert_eq!(parts(&bridge, 2), [vec!["a/0", "b/0", "z/0"], vec!["c/0"]]);
        assert_eq!(parts(&[], 2), [vec![""; 0], vec![]]);
    }

    #[test]
    fn parts_are_even_by_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let mut all = found(&[&["a/0"], &["b/0"], &["c/0"], &["d/0"]]);
        for (family, size) in all.families.iter_mut().zip([10, 10, 30, 11]) {
            let file = &mut family.files[0];
            file.path = folder.path().join(&file.shown[..1]);
            std::fs::write(&file.path, vec![0; size]).unwrap();
        }
        let divided = divide(&all, 2);
        assert_eq!(divided.plan, "2 10 \"a/0\"\n2 10 \"b/0\"\n1 30 \"c/0\"\n2 11 \"d/0\"\n");
        assert_eq!(divided.parts[0].families, [all.families[2].clone()]);
    }
}
