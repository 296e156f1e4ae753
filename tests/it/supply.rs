//! What the program depends on: how many, and who says so.

#![expect(clippy::unwrap_used, reason = "a test that cannot prepare its input has failed")]

use crate::harness::in_crate;
use std::collections::{BTreeMap, BTreeSet};

/// Packages of the lock file by name, each with the names of what it needs. Versions of one name count as one.
fn locked() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(in_crate("Cargo.lock")).unwrap();
    let lock: toml::Table = text.parse().unwrap();
    let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in lock["package"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap().to_owned();
        let of = package.get("dependencies").and_then(|list| list.as_array());
        let of = of.into_iter().flatten().filter_map(|one| one.as_str());
        let names = of.filter_map(|one| one.split_whitespace().next()).map(str::to_owned);
        needs.entry(name).or_default().extend(names);
    }
    needs
}

fn is_optional(dependency: &toml::Value) -> bool {
    dependency.get("optional").and_then(toml::Value::as_bool).unwrap_or(false)
}

/// The numbers in Cargo.toml are those of the lock file: whoever adds a dependency sees how much it brings, and says why.
#[test]
fn the_number_of_dependencies_is_as_stated() {
    let text = std::fs::read_to_string(in_crate("Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    let (optional, direct): (Vec<_>, Vec<_>) =
        manifest["dependencies"].as_table().unwrap().iter().partition(|(_, one)| is_optional(one));
    let needs = locked();
    let mut all: BTreeSet<String> = BTreeSet::new();
    let mut add = |names: &[(&String, &toml::Value)]| {
        let mut waiting: Vec<String> = names.iter().map(|(name, _)| (*name).clone()).collect();
        let before = all.len();
        while let Some(name) = waiting.pop() {
            if all.insert(name.clone()) {
                waiting.extend(needs.get(&name).into_iter().flatten().cloned());
            }
        }
        all.len() - before
    };
    let (n_direct, n_all, n_more) = (direct.len(), add(&direct), add(&optional));
    let stated = format!(
        "# {n_direct} direct dependencies, {n_all} packages with all that they need; features bring {n_more} more"
    );
    assert!(text.contains(&stated), "Cargo.toml does not say: {stated}");
}

/// Every dependency has its reason above it, and the lints of this project keep `unsafe` out.
#[test]
fn every_dependency_has_a_reason() {
    let text = std::fs::read_to_string(in_crate("Cargo.toml")).unwrap();
    let part = text.split("\n[dependencies]\n").nth(1).unwrap();
    let part = part.split("\n[").next().unwrap();
    let mut has_reason = false;
    let mut group = Vec::new();
    for line in part.lines() {
        if line.starts_with('#') {
            has_reason = true;
        } else if line.contains('=') && !has_reason {
            group.push(line);
        }
    }
    assert!(group.is_empty(), "without a reason: {group:?}");
    assert!(text.contains("unsafe_code = \"forbid\""));
}
