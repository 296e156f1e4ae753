//! The reports of a divided run become the report that the whole run would have written.
//!
//! Nothing is judged again: checks keep the verdict of their part. What only the whole can know is put together from what
//! every part kept for it: unused exceptions, goldens that belong to no capture, statements about no capture.

use super::verdict;
use crate::checks::{CHECKS, Measure};
use crate::report::{
    CaptureReport, ExceptionUse, FindingId, GoldenReport, Level, Outcome, Partition, PolicyFinding,
    Report, RunReport, SkippedFile, State, Tool, Verdict,
};
use std::collections::BTreeMap;
use std::fmt;

/// Why reports make no whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeError {
    /// Parts are missing: the gate was not evaluated.
    Incomplete(String),
    /// A report is doubled, or none of this run's parts.
    Foreign(String),
    /// What a whole run would have refused: a statement made elsewhere that is about no capture.
    Unmet(String),
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Incomplete(text) | Self::Foreign(text) | Self::Unmet(text)) = self;
        f.write_str(text)
    }
}

/// Joins the parts of one run, each with the name under which it is known to the user, in any order.
pub fn merge(reports: Vec<(String, Report)>) -> Result<Report, MergeError> {
    let parts = in_order(reports)?;
    let Some((first, _)) = parts.first() else {
        return Err(MergeError::Incomplete("no report is given".to_owned()));
    };
    let (schema_version, tool, policy) =
        (first.schema_version, first.tool.clone(), first.policy.clone());
    let failed = parts.iter().any(|(report, _)| report.verdict == Verdict::Error);

    let mut whole = Joined::default();
    let mut places: Vec<Partition> = Vec::new();
    for (report, place) in parts {
        whole.captures.extend(report.captures);
        whole.runs.extend(report.runs);
        whole.skipped.extend(report.skipped);
        whole.goldens.extend(report.goldens);
        places.push(place);
    }
    let mut names: Vec<&str> = whole.captures.iter().map(|one| one.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        let text = format!("{} is in two parts: these are no parts of one run", twice[0]);
        return Err(MergeError::Foreign(text));
    }
    let complete = whole.captures.iter().all(|capture| capture.outcome == Outcome::Report);
    if let Some(lost) = unmet(&places).filter(|_| complete && !whole.captures.is_empty()) {
        return Err(MergeError::Unmet(lost));
    }

    let Joined { mut captures, mut runs, mut skipped, goldens } = whole;
    captures.sort_by(|a, b| (&a.name, a.paths()).cmp(&(&b.name, b.paths())));
    runs.sort_by(|a, b| (folder(a), a.world_size).cmp(&(folder(b), b.world_size)));
    skipped.sort_by(|a, b| a.path.cmp(&b.path));
    let mut goldens = in_order_of(&captures, goldens);
    if complete && !captures.is_empty() {
        goldens.extend(unclaimed(&places));
    }
    let policy_findings = findings(&places);
    let report = Report {
        schema_version,
        tool,
        policy,
        verdict: Verdict::Error,
        captures,
        runs,
        skipped,
        goldens: Vec::new(),
        policy_findings,
        partition: None,
    };
    // A part that was not evaluated for another reason than a capture, such as a golden that can't be read, stays so.
    let verdict = if failed { Verdict::Error } else { verdict(&report, &goldens) };
    Ok(Report { verdict, goldens, ..report })
}

#[derive(Default)]
struct Joined {
    captures: Vec<CaptureReport>,
    runs: Vec<RunReport>,
    skipped: Vec<SkippedFile>,
    goldens: Vec<GoldenReport>,
}

/// The parts in their order, every one once.
fn in_order(reports: Vec<(String, Report)>) -> Result<Vec<(Report, Partition)>, MergeError> {
    let foreign = |text: String| Err(MergeError::Foreign(text));
    let mut parts: BTreeMap<u32, (String, Report, Partition)> = BTreeMap::new();
    for (name, mut report) in reports {
        let Some(place) = report.partition.take() else {
            return foreign(format!(
                "{name} is the report of a whole run: `merge` joins those of `check --partition K/N`"
            ));
        };
        let (part, of) = (place.part, place.of);
        if report.tool != Tool::own() {
            let (theirs, ours) = (&report.tool, Tool::own());
            return foreign(format!(
                "{name} was written by {} {}, and this is {} {}: use one version for all parts",
                theirs.name, theirs.version, ours.name, ours.version
            ));
        }
        if let Some((other, known, of_known)) = parts.values().next()
            && let Some(why) = differ(&report, &place, known, of_known)
        {
            return foreign(format!("{name} and {other} are no parts of one run: {why}"));
        }
        if let Some(why) = contradiction(&report) {
            return foreign(format!("{name} contradicts itself: {why}"));
        }
        if !(1..=of).contains(&part) {
            return foreign(format!("{name} says that it is part {part} of {of}"));
        }
        if let Some((other, ..)) = parts.insert(part, (name.clone(), report, place)) {
            return foreign(format!("{other} and {name} are both part {part} of {of}"));
        }
    }
    let of = parts.values().next().map_or(0, |(.., place)| place.of);
    let missing: Vec<u32> = (1..=of).filter(|part| !parts.contains_key(part)).take(10).collect();
    if !missing.is_empty() {
        let names: Vec<String> = missing.iter().map(u32::to_string).collect();
        let more = of as usize - parts.len() - missing.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        return Err(MergeError::Incomplete(format!(
            "the gate was not evaluated: of {of} parts, no report is given of {}{more}",
            names.join(", ")
        )));
    }
    Ok(parts.into_values().map(|(_, report, place)| (report, place)).collect())
}

/// What no report of this program says of its own captures.
fn contradiction(report: &Report) -> Option<String> {
    let of_captures = report.captures.iter().flat_map(|one| &one.checks);
    let of_runs = report.runs.iter().flat_map(|one| &one.checks);
    for check in of_captures.chain(of_runs) {
        let is_denied = check.state == State::Violated && check.level == Level::Deny;
        if is_denied && !check.fails {
            return Some(format!("`{}` is violated at deny and does not fail", check.id));
        }
    }
    let judged = |one: &&CaptureReport| one.outcome == Outcome::Report;
    let is_unchecked = |one: &&CaptureReport| {
        let mut made = CHECKS.iter().filter(|check| matches!(check.measure, Measure::Capture(_)));
        made.any(|check| !one.checks.iter().any(|known| known.id == check.id))
    };
    if let Some(one) = report.captures.iter().filter(judged).find(is_unchecked) {
        return Some(format!("{} lacks checks", one.name));
    }
    // A part that was not evaluated, or holds nothing, has a verdict of its own.
    let is_evaluated = report.verdict != Verdict::Error && !report.captures.is_empty();
    let again = verdict(report, &report.goldens);
    (is_evaluated && again != report.verdict)
        .then(|| "its verdict is not what its checks and goldens come to".to_owned())
}

/// Why two reports are no parts of one run.
fn differ(a: &Report, at: &Partition, b: &Report, bt: &Partition) -> Option<String> {
    if at.of != bt.of {
        return Some(format!("one is of {}, the other of {} parts", at.of, bt.of));
    }
    if a.policy != b.policy {
        let (one, other) = (&a.policy.name, &b.policy.name);
        return Some(format!("they were judged by different policies ({one} and {other})"));
    }
    if at.whole != bt.whole || at.exceptions.len() != bt.exceptions.len() {
        let text = "they saw other captures, or had other options";
        return Some(text.to_owned());
    }
    None
}

/// The folder of a run, as runs are ordered: the present one first.
fn folder(run: &RunReport) -> &str {
    if run.name == "." { "" } else { &run.name }
}

/// A statement that is about no capture of any part.
fn unmet(places: &[Partition]) -> Option<String> {
    let (first, others) = places.split_first()?;
    let everywhere =
        |lost: &&String| others.iter().all(|place| place.unmet_statements.contains(lost));
    first.unmet_statements.iter().find(everywhere).cloned()
}

/// Goldens in the order of their captures; those of one capture keep theirs.
fn in_order_of(captures: &[CaptureReport], mut goldens: Vec<GoldenReport>) -> Vec<GoldenReport> {
    let rows: BTreeMap<&str, usize> =
        captures.iter().enumerate().map(|(row, capture)| (capture.name.as_str(), row)).collect();
    goldens.sort_by_key(|golden| rows.get(golden.capture.as_str()).copied());
    goldens
}

/// Goldens that no part has a capture for.
fn unclaimed(places: &[Partition]) -> Vec<GoldenReport> {
    let of = |place: &Partition| place.unclaimed_goldens.clone();
    let Some(lists) = places.iter().map(of).collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for golden in lists.iter().flatten() {
        *counts.entry(&golden.path).or_default() += 1;
    }
    let everywhere =
        |golden: &&GoldenReport| counts.get(golden.path.as_str()) == Some(&lists.len());
    lists.first().into_iter().flatten().filter(everywhere).cloned().collect()
}

/// What is said of each exception: that it expired, else what a part says that uses it, else what the first says that does not.
fn findings(places: &[Partition]) -> Vec<PolicyFinding> {
    let n = places.first().map_or(0, |place| place.exceptions.len());
    let of_one = |row: usize| {
        let uses = || places.iter().filter_map(move |place| place.exceptions.get(row));
        let has_expired = |one: &&ExceptionUse| {
            one.finding
                .as_ref()
                .is_some_and(|finding| finding.id == FindingId::ExpiredException.name())
        };
        let telling = uses()
            .find(has_expired)
            .or_else(|| uses().find(|one| one.used))
            .or_else(|| uses().find(|one| one.finding.is_some()));
        telling.and_then(|one| one.finding.clone())
    };
    (0..n).filter_map(of_one).collect()
}
