//! `init --baseline`: what fails today, as exceptions with one end.

use super::{literal, policy_file};
use crate::cli::{InitArgs, PolicyArgs, Stop, check, inputs, outputs, policy};
use idleproof::policy::{Coverage, Policy};
use idleproof::report::{CheckReport, Outcome, Report};
use idleproof::{Evaluation, Options, evaluate};
use jiff::ToSpan;
use jiff::civil::Date;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

/// So many days an exception holds where nothing else is asked for.
const DAYS: i32 = 90;

/// What stands in each of them.
const REASON: &str = "violated when the gate was adopted";

/// The last day of the exceptions.
pub(super) fn end(args: &InitArgs, today: Date) -> Result<Date, Stop> {
    let standard = || today.checked_add(DAYS.days()).unwrap_or(today);
    let end = args.expires.unwrap_or_else(standard);
    if end < today {
        return Err(Stop::Usage(format!("--expires {end}: this day is over")));
    }
    Ok(end)
}

/// Adds an exception for every check that fails the gate today; what was done, as text.
pub(super) fn write(expires: Date, today: Date) -> Result<String, Stop> {
    let file = policy_file();
    let args = PolicyArgs { policy: Some(file.clone()), ..PolicyArgs::default() };
    let report = report(&policy::load(&args)?.policy, today).map_err(without_capture)?;
    if report.captures.is_empty() {
        let fault = format!("what the `captures` of {} match is no capture", file.display());
        return Err(without_capture(Stop::NoCapture(fault)));
    }
    let failing = failing(&report);
    if failing.is_empty() {
        return Ok("nothing fails today: no exception is needed\n".to_owned());
    }
    let unwritten =
        |error: std::io::Error| Stop::Failed(format!("can't write {}: {error}", file.display()));
    let before = fs::read_to_string(&file).map_err(unwritten)?;
    let mut added = String::new();
    let mut text = String::new();
    for (id, paths) in &failing {
        let globs = toml::Value::from(paths.iter().map(|path| literal(path)).collect::<Vec<_>>());
        let _ = write!(
            added,
            "\n[[exceptions]]\ncheck = \"{id}\"\npaths = {globs}\nreason = \"{REASON}\"\nexpires = {expires}\n"
        );
        let _ = writeln!(text, "excepted {id} until {expires}: {}", paths.join(", "));
    }
    let after = format!("{}\n{added}", before.trim_end());
    // A file may hold its exceptions in a form that takes no more at its end.
    policy::validated(&file, after.as_bytes()).map_err(|_| {
        let text = format!("{} takes no [[exceptions]] at its end; add by hand:", file.display());
        Stop::Usage(text).listing(added.lines().map(str::to_owned).collect())
    })?;
    // A link stays one: what it leads to is written.
    let real = std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
    outputs::replace(&real, after.as_bytes()).map_err(unwritten)?;
    Ok(text)
}

/// Without a capture nothing is known to fail, and no baseline is written as if nothing did.
fn without_capture(stop: Stop) -> Stop {
    match stop {
        Stop::NoCapture(fault) => Stop::NoCapture(format!(
            "{fault}, so there is nothing to take a baseline of: put captures where it looks for them, or change `captures` there, \
             and run `idleproof init --baseline` again"
        )),
        other => other,
    }
}

/// The report of all captures of a policy. One that can't be read can't be excepted.
fn report(policy: &Policy, today: Date) -> Result<Report, Stop> {
    let (found, refused) = check::find(&inputs::of_policy(policy)?.paths);
    let Evaluation { mut captures, runs, skipped } =
        evaluate(&found, policy, today, &Options::default());
    captures.extend(refused);
    if let Some(one) = captures.iter().find(|one| one.outcome == Outcome::Refused) {
        let why = one.error.as_ref().map_or("it was refused", |error| &error.message);
        let text = format!("{}: {why}; what can't be read takes no exception", one.name);
        return Err(Stop::Failed(text));
    }
    Ok(check::conclude(Evaluation { captures, runs, skipped }, policy, Coverage::Everything, today))
}

/// The checks that fail, in the order of reports, each with the first files of its captures.
fn failing(report: &Report) -> Vec<(&str, Vec<&str>)> {
    let mut order: Vec<&str> = Vec::new();
    let mut paths: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for capture in &report.captures {
        let first = capture.files.first().map_or(capture.name.as_str(), |file| &file.path);
        for CheckReport { id, .. } in capture.checks.iter().filter(|check| check.fails) {
            if !order.contains(&id.as_str()) {
                order.push(id);
            }
            paths.entry(id).or_default().push(first);
        }
    }
    // What fails between ranks is excepted by the first of their captures.
    for run in &report.runs {
        let of_run = report.captures.iter().find(|one| run.captures.contains(&one.name));
        let first = of_run.and_then(|one| one.files.first()).map(|file| file.path.as_str());
        for CheckReport { id, .. } in run.checks.iter().filter(|check| check.fails) {
            if !order.contains(&id.as_str()) {
                order.push(id);
            }
            paths.entry(id).or_default().extend(first);
        }
    }
    order.into_iter().map(|id| (id, paths.remove(id).unwrap_or_default())).collect()
}
