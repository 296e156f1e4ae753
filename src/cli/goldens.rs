//! Goldens: their comparison during `check`.

use super::{GateArgs, Stop};
use idleproof::golden::{self, Compared, Folders, GoldenError, Rendered, Within};
use idleproof::judge;
use idleproof::policy::{Coverage, Golden, Policy};
use idleproof::render;
use idleproof::report::{CaptureReport, GoldenReport, GoldenState, Outcome, Report, Verdict};
use std::path::{Path, PathBuf};

/// Which goldens a run compares.
#[derive(Debug)]
pub(crate) struct Comparison {
    folders: Folders,
    settings: Golden,
    /// Whether what differs is written, to wait for a decision.
    writes: bool,
}

/// What the arguments and the policy ask for; `None` where neither names goldens.
pub(crate) fn asked(args: &GateArgs, policy: &Policy) -> Result<Option<Comparison>, Stop> {
    let settings = match (&args.goldens, policy.golden()) {
        (None, None) if args.pending.is_some() => {
            let text = "--pending without goldens: name their folder with --goldens, or in [golden] of the policy";
            return Err(Stop::Usage(text.to_owned()));
        }
        (None, None) => return Ok(None),
        (_, settings) => settings.cloned().unwrap_or_default(),
    };
    let goldens = args.goldens.clone().unwrap_or_else(|| PathBuf::from(&settings.dir));
    let pending = args.pending.clone().unwrap_or_else(|| goldens.clone());
    let folders = Folders { goldens, pending };
    Ok(Some(Comparison { folders, settings, writes: args.pending.is_some() }))
}

impl Comparison {
    /// Where goldens are.
    pub(crate) fn goldens(&self) -> &Path {
        &self.folders.goldens
    }

    /// Where goldens are and where they wait.
    pub(crate) fn folders(&self) -> Vec<&Path> {
        vec![&self.folders.goldens, &self.folders.pending]
    }

    /// Tolerances of the policy that are for no field of any capture: a slip of the pen that no comparison would show.
    pub(crate) fn idle_tolerances(&self, report: &Report) -> Vec<&str> {
        let mut idle: Option<Vec<&str>> = None;
        for capture in judged(report) {
            let within = Within { capture, tolerances: &self.settings.tolerances, render: no_text };
            let here = within.idle_tolerances();
            idle = Some(match idle {
                None => here.into_iter().filter_map(|field| self.field(field)).collect(),
                Some(so_far) => so_far.into_iter().filter(|field| here.contains(field)).collect(),
            });
        }
        idle.unwrap_or_default()
    }

    fn field(&self, field: &str) -> Option<&str> {
        let mut tolerances = self.settings.tolerances.iter();
        tolerances.find(|tolerance| tolerance.field == field).map(|found| found.field.as_str())
    }
}

/// For where nothing is rendered.
const fn no_text(_: &CaptureReport) -> String {
    String::new()
}

/// Compares a report with its goldens. Where one can't be read the gate was not evaluated: the reason comes second.
pub(crate) fn compare(
    report: Report,
    comparison: &Comparison,
    policy: &Policy,
    coverage: Coverage,
) -> (Report, Option<Stop>) {
    let compared = states(&report, comparison).and_then(|mut goldens| {
        let complete = report.captures.iter().all(|capture| capture.outcome == Outcome::Report);
        let mut partition = report.partition.clone();
        match &mut partition {
            _ if coverage != Coverage::Everything => {}
            // What a part of the captures does not produce, the others may.
            Some(part) => part.unclaimed_goldens = Some(unreferenced(&report, comparison)?),
            None if complete => goldens.extend(unreferenced(&report, comparison)?),
            None => {}
        }
        Ok((goldens, partition))
    });
    match compared {
        Ok((goldens, partition)) => {
            (judge::with_goldens(Report { partition, ..report }, goldens, policy), None)
        }
        Err(error) => (Report { verdict: Verdict::Error, ..report }, Some(failed(&error))),
    }
}

/// Goldens that no capture of the report produces.
fn unreferenced(
    report: &Report,
    comparison: &Comparison,
) -> Result<Vec<GoldenReport>, GoldenError> {
    let referenced = referenced(report, &comparison.settings.outputs);
    let orphans = golden::unreferenced(&comparison.folders, referenced)?;
    Ok(orphans.iter().map(golden::Orphan::report).collect())
}

fn states(report: &Report, comparison: &Comparison) -> Result<Vec<GoldenReport>, GoldenError> {
    let Comparison { folders, settings, writes } = comparison;
    let mut goldens = Vec::new();
    let rendered = rendered(report, settings)?;
    for (rendered, within) in &rendered {
        let Compared { golden, n_unheld } = golden::compare(folders, rendered, Some(within))?;
        if *writes && (golden.state != GoldenState::Same || n_unheld > 0) {
            golden::write_pending(folders, rendered)?;
        }
        goldens.push(golden);
    }
    Ok(goldens)
}

/// The captures that were judged.
fn judged(report: &Report) -> impl Iterator<Item = &CaptureReport> {
    report.captures.iter().filter(|capture| capture.outcome == Outcome::Report)
}

/// The goldens that a report has, by capture and output.
pub(crate) fn referenced<'a>(
    report: &'a Report,
    kinds: &'a [String],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    let of = |capture: &'a CaptureReport| {
        kinds.iter().map(move |kind| (capture.name.as_str(), kind.as_str()))
    };
    judged(report).flat_map(of)
}

/// The outputs of every capture that was judged, and how each is compared.
fn rendered<'a>(
    report: &'a Report,
    settings: &'a Golden,
) -> Result<Vec<(Rendered, Within<'a>)>, GoldenError> {
    let mut all = Vec::new();
    for capture in judged(report) {
        for kind in &settings.outputs {
            let Some(render) = render::find(kind).and_then(|output| output.golden) else {
                continue;
            };
            let within = Within { capture, tolerances: &settings.tolerances, render };
            let mut rendered = Rendered::new(report, capture, kind, render(capture));
            rendered.header.info.extend(within.figures()?);
            all.push((rendered, within));
        }
    }
    Ok(all)
}

/// Why goldens end a run. A policy that asks for too much is mended in the policy.
pub(crate) fn failed(error: &GoldenError) -> Stop {
    match error {
        GoldenError::TooManyFigures { .. } => Stop::Usage(error.to_string()),
        _ => Stop::Failed(error.to_string()),
    }
}
