//! Goldens: their comparison during `check`, and the `golden` command.

use super::{GateArgs, GoldenArgs, GoldenCommand, Stop, policy};
use idleproof::golden::{self, Folders, GoldenError, Rendered, Selection};
use idleproof::judge;
use idleproof::policy::{Coverage, Golden, Policy};
use idleproof::render;
use idleproof::report::{GoldenReport, GoldenState, Outcome, Report, Verdict};
use std::fmt::Write;
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

    /// What the policy asks for and this version does not do: better said than left to be found out.
    pub(crate) fn caveat(&self) -> Option<&'static str> {
        let tolerances = !self.settings.tolerances.is_empty();
        tolerances.then_some("`golden.tolerances` is not applied yet: goldens are compared as text")
    }
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
    let rendered = rendered(report, &comparison.settings.outputs);
    let referenced = rendered.iter().map(|one| (one.capture.as_str(), one.output.as_str()));
    golden::unreferenced(&comparison.folders, referenced)
}

fn states(report: &Report, comparison: &Comparison) -> Result<Vec<GoldenReport>, GoldenError> {
    let Comparison { folders, settings, writes } = comparison;
    let mut goldens = Vec::new();
    for rendered in rendered(report, &settings.outputs) {
        let golden = golden::compare(folders, &rendered)?;
        if *writes && golden.state != GoldenState::Same {
            golden::write_pending(folders, &rendered)?;
        }
        goldens.push(golden);
    }
    Ok(goldens)
}

/// The outputs of every capture that was judged.
fn rendered(report: &Report, kinds: &[String]) -> Vec<Rendered> {
    let mut all = Vec::new();
    for capture in report.captures.iter().filter(|capture| capture.outcome == Outcome::Report) {
        for kind in kinds {
            let body = render::find(kind).and_then(|output| output.golden);
            let body = body.map(|body| body(capture));
            all.extend(body.map(|body| Rendered::new(report, capture, kind, body)));
        }
    }
    all
}

fn failed(error: &GoldenError) -> Stop {
    Stop::Failed(error.to_string())
}

/// Runs a `golden` command; what it did, as text.
pub(crate) fn run(command: &GoldenCommand) -> Result<String, Stop> {
    match command {
        GoldenCommand::Status(args) => status(&folders(args)?, &flags(args)),
        GoldenCommand::Accept { which, folders: args } => {
            let folders = folders(args)?;
            require_pending(which, &folders, &flags(args))?;
            let mut text = String::new();
            for which in selections(which) {
                told(&mut text, "accepted", golden::accept(&folders, which))?;
            }
            told(&mut text, "added", golden::write_stub(&folders.goldens))?;
            Ok(text)
        }
        GoldenCommand::Reject { which, folders: args } => {
            let folders = folders(args)?;
            require_pending(which, &folders, &flags(args))?;
            let mut text = String::new();
            for which in selections(which) {
                told(&mut text, "rejected", golden::reject(&folders, which))?;
            }
            Ok(text)
        }
    }
}

/// The end of a command that names what does not wait, before anything is written.
fn require_pending(which: &super::Which, folders: &Folders, flags: &str) -> Result<(), Stop> {
    let pending = golden::pending(folders).map_err(|error| failed(&error))?;
    let folder = Path::display(&folders.pending);
    if which.all && pending.is_empty() {
        let text = format!(
            "nothing waits in {folder}: `idleproof check` with --pending writes what differs from its golden"
        );
        return Err(Stop::Usage(text));
    }
    for name in &which.names {
        let file = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
        let file = file.strip_suffix(".new").unwrap_or(&file);
        if !pending.iter().any(|one| one.name == file) {
            let text = format!(
                "no pending golden `{name}` in {folder}: `idleproof golden status{flags}` lists them"
            );
            return Err(Stop::Usage(text));
        }
    }
    Ok(())
}

/// The folders as they were given, to be repeated in a command that is proposed.
fn flags(args: &GoldenArgs) -> String {
    let mut flags = String::new();
    for (flag, folder) in [("--goldens", &args.goldens), ("--pending", &args.pending)] {
        if let Some(folder) = folder {
            let folder = folder.to_string_lossy();
            let quote = if folder.contains(char::is_whitespace) { "'" } else { "" };
            let _ = write!(flags, " {flag} {quote}{folder}{quote}");
        }
    }
    flags
}

/// Every pending golden, or those that are named.
fn selections(which: &super::Which) -> Vec<Selection<'_>> {
    if which.all {
        return vec![Selection::All];
    }
    which.names.iter().map(|name| Selection::One(name)).collect()
}

fn told(
    text: &mut String,
    did: &str,
    paths: Result<Vec<PathBuf>, GoldenError>,
) -> Result<(), Stop> {
    for path in paths.map_err(|error| failed(&error))? {
        let _ = writeln!(text, "{did} {}", path.display());
    }
    Ok(())
}

fn status(folders: &Folders, flags: &str) -> Result<String, Stop> {
    let pending = golden::pending(folders).map_err(|error| failed(&error))?;
    if pending.is_empty() {
        return Ok(format!("nothing waits in {}\n", Path::display(&folders.pending)));
    }
    let mut text = String::new();
    for one in &pending {
        let what = if one.is_new { "new" } else { "changed" };
        let _ = writeln!(text, "{what} {}", one.name);
        text.push_str(&one.diff);
    }
    let _ = write!(
        text,
        "\nto take them all over:  idleproof golden accept --all{flags}\nto delete them all:     idleproof golden reject --all{flags}\nor name some instead of --all\n"
    );
    Ok(text)
}

/// The folders that the arguments name, else those of the policy file that lies here.
fn folders(args: &GoldenArgs) -> Result<Folders, Stop> {
    let goldens = match &args.goldens {
        Some(folder) => folder.clone(),
        None => {
            let policy = policy::load(&super::PolicyArgs::default())?.policy;
            PathBuf::from(policy.golden().cloned().unwrap_or_default().dir)
        }
    };
    let pending = args.pending.clone().unwrap_or_else(|| goldens.clone());
    Ok(Folders { goldens, pending })
}
