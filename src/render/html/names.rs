//! Names of captures on the page: of several in one folder, the folder once and what tells them apart.

use crate::report::Report;
use std::collections::BTreeSet;

/// What ends the names of captures, the longest first: it tells none from another.
const ENDS: [&str; 6] =
    [".pt.trace.json.gz", ".pt.trace.json", ".trace.json.gz", ".trace.json", ".xplane.pb", ".json"];

/// The names of a report's captures.
pub(super) struct Names {
    folder: Option<String>,
    /// By capture; empty where the full names stay.
    short: Vec<String>,
}

impl Names {
    /// The folder of all of them, where they are shortened by it.
    pub(super) fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }

    /// A capture's name within it.
    pub(super) fn short(&self, number: usize, full: &str) -> String {
        self.short.get(number).map_or_else(|| full.to_owned(), Clone::clone)
    }
}

/// Finds the folder that several captures share.
pub(super) fn of(report: &Report) -> Names {
    let full: Vec<&str> = report.captures.iter().map(|capture| capture.name.as_str()).collect();
    let none = Names { folder: None, short: Vec::new() };
    let [first, rest @ ..] = full.as_slice() else { return none };
    if rest.is_empty() {
        return none;
    }
    let Some(end) = first.rfind('/') else { return none };
    let mut folder = &first[..=end];
    while !rest.iter().all(|name| name.starts_with(folder)) {
        match folder.trim_end_matches('/').rfind('/') {
            Some(end) => folder = &folder[..=end],
            None => return none,
        }
    }
    let within: Vec<&str> = full.iter().map(|name| &name[folder.len()..]).collect();
    let bare: Vec<&str> = within.iter().map(|name| without_end(name)).collect();
    let are_distinct = |names: &[&str]| {
        let mut met = BTreeSet::new();
        names.iter().all(|name| !name.is_empty() && met.insert(*name))
    };
    let short = if are_distinct(&bare) { bare } else { within };
    Names {
        folder: Some(folder.trim_end_matches('/').to_owned()),
        short: short.into_iter().map(ToOwned::to_owned).collect(),
    }
}

fn without_end(name: &str) -> &str {
    ENDS.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}
