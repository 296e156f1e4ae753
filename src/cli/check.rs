//! `check` and `report`: from arguments to a verdict.

use super::goldens::{self, Comparison};
use super::inputs::{self, Inputs};
use super::policy::{self, Loaded};
use super::{GateArgs, ReportArgs, RunArgs, Stop, Voice, outputs};
use idleproof::policy::{Coverage, Policy};
use idleproof::read::{self, Found};
use idleproof::render::terminal::{Style, summary};
use idleproof::report::{CaptureReport, Report, Verdict};
use idleproof::{Evaluation, evaluate, judge, unreadable};
use jiff::civil::Date;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Analyses and gates; the exit code.
pub(crate) fn check(args: &GateArgs, voice: &Voice, today: Date) -> Result<u8, Stop> {
    let loaded = policy::load(&args.run.policy)?;
    let goldens = goldens::asked(args, &loaded.policy)?;
    let (inputs, coverage) = if args.paths.is_empty() {
        (inputs::of_policy(&loaded.policy), Coverage::Everything)
    } else {
        (inputs::named(&args.paths), Coverage::Named)
    };
    let asked = Asked { inputs, coverage, loaded, goldens, args: &args.run };
    let report = run(asked, voice, today)?;
    Ok(match report.verdict {
        Verdict::Pass => 0,
        Verdict::Fail => 1,
        Verdict::Error => 4,
    })
}

/// Analyses without gating; the exit code.
pub(crate) fn report(args: &ReportArgs, voice: &Voice, today: Date) -> Result<u8, Stop> {
    let loaded = policy::load(&args.run.policy)?;
    let inputs = inputs::named(&args.paths);
    let coverage = Coverage::Named;
    let asked = Asked { inputs, coverage, loaded, goldens: None, args: &args.run };
    let report = run(asked, voice, today)?;
    Ok(match report.verdict {
        Verdict::Pass | Verdict::Fail => 0,
        Verdict::Error => 4,
    })
}

/// What one run is asked to do.
struct Asked<'a> {
    inputs: Result<Inputs, Stop>,
    coverage: Coverage,
    loaded: Loaded,
    goldens: Option<Comparison>,
    args: &'a RunArgs,
}

/// One run: outputs are written whatever the verdict, and where no capture was found as well, so that none of an
/// earlier run is taken for this one's.
fn run(asked: Asked<'_>, voice: &Voice, today: Date) -> Result<Report, Stop> {
    let Asked { inputs, coverage, loaded, goldens, args } = asked;
    tell_policy(&loaded, voice);
    let (inputs, nothing_matched) = match inputs {
        Ok(inputs) => (inputs, None),
        Err(stop @ Stop::NoCapture(_)) => (Inputs::default(), Some(stop)),
        Err(stop) => return Err(stop),
    };
    for glob in &inputs.barren {
        say(voice, &format!("warning: no file matches `{glob}` of the policy's captures"));
    }
    if let Some(caveat) = goldens.as_ref().and_then(Comparison::caveat) {
        say(voice, &format!("warning: {caveat}"));
    }
    let (found, refused) = find(&inputs.paths);
    let read = found.families.iter().flat_map(|family| &family.files);
    let policy_file = loaded.file.as_deref();
    let read: Vec<&Path> = read.map(|file| file.path.as_path()).chain(policy_file).collect();
    outputs::refuse_clashes(&args.outputs, &read)?;

    let mut evaluation = in_threads(args, || evaluate(&found, &loaded.policy, today))?;
    evaluation.captures.extend(refused);
    let mut report = conclude(evaluation, &loaded.policy, coverage, today);
    let mut ended = nothing_matched;
    if ended.is_none() && report.captures.is_empty() {
        ended = Some(nothing(&inputs.paths, &report));
    }
    if let (Some(comparison), None) = (&goldens, &ended) {
        (report, ended) = goldens::compare(report, comparison, &loaded.policy, coverage);
    }
    if !report.captures.is_empty() {
        write_summary(&report, voice);
    }
    outputs::write_all(&args.outputs, &report)?;
    ended.map_or(Ok(report), Err)
}

/// What lies under the paths; a path that can't be searched is a capture that can't be read, and hides no other.
fn find(paths: &[PathBuf]) -> (Found, Vec<CaptureReport>) {
    if paths.is_empty() {
        return (Found::default(), Vec::new());
    }
    if let Ok(found) = read::find(paths) {
        return (found, Vec::new());
    }
    let (mut good, mut refused) = (Vec::new(), Vec::new());
    for path in paths {
        match read::find(std::slice::from_ref(path)) {
            Ok(_) => good.push(path.clone()),
            Err(error) => refused.push(unreadable(error)),
        }
    }
    if good.is_empty() {
        return (Found::default(), refused);
    }
    match read::find(&good) {
        Ok(found) => (found, refused),
        Err(error) => {
            refused.push(unreadable(error));
            (Found::default(), refused)
        }
    }
}

fn conclude(evaluation: Evaluation, policy: &Policy, coverage: Coverage, today: Date) -> Report {
    let Evaluation { captures, skipped } = evaluation;
    let findings = policy.findings(&captures, coverage, today);
    judge::conclude(captures, Vec::new(), skipped, Vec::new(), policy, findings)
}

/// Runs in as many threads as were asked for.
fn in_threads<T: Send>(args: &RunArgs, run: impl FnOnce() -> T + Send) -> Result<T, Stop> {
    let Some(threads) = args.threads else { return Ok(run()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build();
    let pool =
        pool.map_err(|error| Stop::Failed(format!("can't start {threads} threads: {error}")))?;
    Ok(pool.install(run))
}

/// The end of a run that found files, but no capture among them.
fn nothing(paths: &[PathBuf], report: &Report) -> Stop {
    let shown: Vec<String> = paths.iter().map(|path| Path::display(path).to_string()).collect();
    let mut text = format!("nothing under {} is a capture", shown.join(", "));
    for file in report.skipped.iter().take(10) {
        text.push_str(&format!("\n  {}: {}", file.path, file.reason));
    }
    if report.skipped.len() > 10 {
        text.push_str(&format!("\n  and {} more files", report.skipped.len() - 10));
    }
    Stop::NoCapture(text)
}

fn write_summary(report: &Report, voice: &Voice) {
    let style = match (voice.quiet, voice.verbose) {
        (true, _) => Style::Quiet,
        (false, true) => Style::Verbose,
        (false, false) => Style::Normal,
    };
    // Nobody listens: the outputs and the exit code still tell.
    let _ = anstream::stderr().write_all(summary(report, style).as_bytes());
}

fn tell_policy(loaded: &Loaded, voice: &Voice) {
    if !voice.verbose {
        return;
    }
    let text = match &loaded.file {
        Some(file) => format!("note: the policy is {}", file.display()),
        None => format!("note: the policy is the preset `{}`", loaded.policy.name),
    };
    say(voice, &text);
}

fn say(voice: &Voice, text: &str) {
    if !voice.quiet {
        let _ = writeln!(anstream::stderr(), "{text}");
    }
}
