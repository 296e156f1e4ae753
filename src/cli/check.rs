//! `check` and `report`: from arguments to a verdict.

use super::baseline::{self, Baseline};
use super::goldens::{self, Comparison};
use super::inputs::{self, Inputs};
use super::outputs::{self, Target};
use super::partition::{Settings, Slice};
use super::policy::{self, Loaded};
use super::program;
use super::progress;
use super::statements;
use super::{GateArgs, ReportArgs, RunArgs, Stop, Voice};
use idleproof::policy::{Coverage, Exceptable, Policy};
use idleproof::read::{self, Found, Limits};
use idleproof::render::Needs;
use idleproof::render::terminal::{Style, summary};
use idleproof::report::{CaptureReport, Report, SkippedFile, Verdict};
use idleproof::text::terminal;
use idleproof::{Detail, Evaluation, Options, evaluate, judge, unreadable};
use jiff::civil::Date;
use regex::Regex;
use std::io::Write;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// Analyses and gates; the exit code.
pub(crate) fn check(args: &GateArgs, voice: &Voice, today: Date) -> Result<u8, Stop> {
    let loaded = policy::load(&args.run.policy)?;
    let goldens = goldens::asked(args, &loaded.policy)?;
    let baseline = args.baseline.as_deref().map(baseline::load).transpose()?;
    let (inputs, coverage) = if args.paths.is_empty() {
        (inputs::of_policy(&loaded.policy), Coverage::Everything)
    } else {
        (inputs::named(&args.paths), Coverage::Named)
    };
    let asked = Asked {
        purpose: Purpose::Gate,
        inputs,
        coverage,
        loaded,
        goldens,
        baseline,
        kept: args.baseline.as_deref(),
        outputs: args.run.outputs.clone(),
        partition: args.partition,
        args: &args.run,
    };
    Ok(exit_code(run(asked, voice, today)?.verdict))
}

/// The exit code of a gate.
pub(super) const fn exit_code(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Pass => 0,
        Verdict::Fail => 1,
        Verdict::Error => 4,
    }
}

/// Analyses without gating; the exit code.
pub(crate) fn report(args: &ReportArgs, voice: &Voice, today: Date) -> Result<u8, Stop> {
    let loaded = policy::load(&args.run.policy)?;
    let inputs = inputs::named(&args.paths);
    let mut outputs = args.run.outputs.clone();
    if outputs.is_empty() {
        outputs.push(outputs::for_people()?);
    }
    let asked = Asked {
        purpose: Purpose::Report,
        inputs,
        coverage: Coverage::Named,
        loaded,
        goldens: None,
        baseline: None,
        kept: None,
        outputs,
        partition: None,
        args: &args.run,
    };
    let report = run(asked, voice, today)?;
    Ok(match report.verdict {
        Verdict::Pass | Verdict::Fail => 0,
        Verdict::Error => 4,
    })
}

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A verdict.
    Gate,
    /// The figures, whatever the verdict.
    Report,
}

/// What one run is asked to do.
struct Asked<'a> {
    purpose: Purpose,
    inputs: Result<Inputs, Stop>,
    coverage: Coverage,
    loaded: Loaded,
    goldens: Option<Comparison>,
    baseline: Option<Baseline>,
    /// The baseline's file: no output takes its place.
    kept: Option<&'a Path>,
    outputs: Vec<Target>,
    partition: Option<Slice>,
    args: &'a RunArgs,
}

/// One run: outputs are written whatever the verdict, and where no capture was found as well, so that none of an
/// earlier run is taken for this one's.
fn run(mut asked: Asked<'_>, voice: &Voice, today: Date) -> Result<Report, Stop> {
    tell_policy(&asked.loaded, voice);
    let (inputs, nothing_matched) = match asked.inputs {
        Ok(inputs) => (inputs, None),
        Err(stop @ Stop::NoCapture(_)) => (Inputs::default(), Some(stop)),
        Err(stop) => return Err(stop),
    };
    asked.inputs = Ok(Inputs::default());
    for glob in &inputs.barren {
        say(voice, &format!("warning: no file matches `{glob}` of the policy's captures"));
    }
    let (found, refused) = find(&inputs.paths);
    refuse_clashes(&asked, &found)?;

    let Judged { mut report, is_part } = judged(&asked, found, refused, voice, today)?;
    let mut ended = nothing_matched;
    if report.captures.is_empty() && ended.is_none() {
        if is_part {
            say(voice, "note: no capture falls to this part");
        } else {
            ended = Some(nothing(&inputs.paths, &report));
        }
    }
    if let (Some(baseline), None) = (&asked.baseline, &ended) {
        report = baseline.judge(report, asked.coverage)?;
    }
    if let (Some(comparison), None) = (&asked.goldens, &ended) {
        for field in comparison.idle_tolerances(&report) {
            say(
                voice,
                &format!(
                    "warning: no figure of any report has the field `{field}` of golden.tolerances"
                ),
            );
        }
        (report, ended) =
            goldens::compare(report, comparison, &asked.loaded.policy, asked.coverage);
    }
    // The verdict comes last: there one looks for it.
    let written = outputs::write_all(&asked.outputs, &report, |text| say(voice, text));
    if !report.captures.is_empty() {
        write_summary(&report, asked.purpose, voice);
    }
    written?;
    ended.map_or(Ok(report), Err)
}

/// Refuses outputs that would take the place of what this run reads.
fn refuse_clashes(asked: &Asked<'_>, found: &Found) -> Result<(), Stop> {
    let read = found.families.iter().flat_map(|family| &family.files);
    let policy = asked.loaded.kept.iter().map(PathBuf::as_path);
    let read = read.map(|file| file.path.as_path()).chain(policy).chain(asked.kept);
    let claims = asked.args.claims.iter().flat_map(|path| statements::files(path));
    let claims: Vec<PathBuf> = claims.flatten().collect();
    let read: Vec<&Path> = read.chain(claims.iter().map(PathBuf::as_path)).collect();
    let kept = asked.goldens.as_ref().map_or(Vec::new(), Comparison::folders);
    outputs::refuse_clashes(&asked.outputs, &read, &kept)
}

/// A report before goldens are compared.
struct Judged {
    report: Report,
    /// True where it is that of one part.
    is_part: bool,
}

/// Evaluates what was found, or the part of it that is asked for.
fn judged(
    asked: &Asked<'_>,
    mut found: Found,
    mut refused: Vec<CaptureReport>,
    voice: &Voice,
    today: Date,
) -> Result<Judged, Stop> {
    let Asked { coverage, loaded, goldens, outputs, partition, args, .. } = asked;
    let statements = statements::load(&args.claims, &found)?;
    let needed = |needs: Needs| outputs.iter().any(|target| target.needs() == needs);
    let tables = needed(Needs::Tables) || statements.iter().any(|one| one.quantity.needs_tables());
    let swimlanes = needed(Needs::Swimlanes) || needed(Needs::SwimlanesIfAny);
    let line = progress::Line::new(voice, found.families.len());
    let options = Options {
        user_files: args.user_files.clone(),
        program: args.program.as_deref().and_then(program::id),
        detail: Detail { tables, swimlanes },
        statements,
        limits: limits(args.max_text_bytes),
        progress: line.progress(),
    };
    let settings = Settings {
        coverage: *coverage,
        user_files: args.user_files.as_ref(),
        statements: &options.statements,
        goldens: goldens.as_ref().map(Comparison::goldens),
    };
    let cut = partition.and_then(|slice| slice.cut(&mut found, &mut refused, &settings));
    let mut evaluation = in_threads(args, || evaluate(&found, &loaded.policy, today, &options))?;
    drop(line);
    if let Some(asked) = &args.program {
        program::require(asked, &evaluation.captures)?;
    }
    if let Some(files) = args.user_files.as_ref().filter(|files| meets_none(files, &evaluation)) {
        say(
            voice,
            &format!(
                "note: no source line of these captures is in a file that `--user-re {files}` matches"
            ),
        );
    }
    evaluation.captures.extend(refused);
    if cut.is_none() && !evaluation.captures.is_empty() {
        statements::require_subjects(&options.statements, &evaluation.captures)?;
    }
    let report = conclude(evaluation, &loaded.policy, *coverage, today);
    let Some(cut) = cut else { return Ok(Judged { report, is_part: false }) };
    let unmet = statements::unmet(&options.statements, &report.captures);
    let all = Exceptable { captures: &report.captures, runs: &report.runs };
    let place = cut.place(all, unmet, &loaded.policy, *coverage, today);
    Ok(Judged { report: judge::as_part(report, place), is_part: true })
}

/// The usual limits, or those that were asked for.
pub(super) fn limits(text_bytes_max: Option<NonZeroU64>) -> Limits {
    let usual = Limits::default();
    Limits { text_bytes_max: text_bytes_max.map_or(usual.text_bytes_max, NonZeroU64::get) }
}

/// True where a rule for the user's own files is for none that is listed: a slip of the pen that shows nowhere else.
fn meets_none(files: &Regex, evaluation: &Evaluation) -> bool {
    let attributions = evaluation.captures.iter().filter_map(|one| one.attribution.as_ref());
    !attributions.flat_map(|one| &one.lines).any(|line| files.is_match(&line.file))
}

/// What lies under the paths; a path that can't be searched is a capture that can't be read, and hides no other.
pub(super) fn find(paths: &[PathBuf]) -> (Found, Vec<CaptureReport>) {
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

pub(super) fn conclude(
    evaluation: Evaluation,
    policy: &Policy,
    coverage: Coverage,
    today: Date,
) -> Report {
    let Evaluation { captures, runs, skipped } = evaluation;
    let all = Exceptable { captures: &captures, runs: &runs };
    let findings = policy.findings(all, coverage, today);
    judge::conclude(captures, runs, skipped, Vec::new(), policy, findings)
}

/// Beyond this a thread only costs its start.
const THREADS_MAX: usize = 256;

/// Runs in as many threads as were asked for; the result is the same for any number.
fn in_threads<T: Send>(args: &RunArgs, run: impl FnOnce() -> T + Send) -> Result<T, Stop> {
    let Some(threads) = args.threads else { return Ok(run()) };
    let threads = threads.get().min(THREADS_MAX);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool =
        pool.map_err(|error| Stop::Failed(format!("can't start {threads} threads: {error}")))?;
    Ok(pool.install(run))
}

/// The end of a run that found files, but no capture among them.
fn nothing(paths: &[PathBuf], report: &Report) -> Stop {
    let shown: Vec<String> = paths.iter().map(|path| Path::display(path).to_string()).collect();
    let text = format!("nothing under {} is a capture", shown.join(", "));
    Stop::NoCapture(text).listing(passed_over(&report.skipped))
}

/// Skipped files that are named where no other was found.
const SKIPPED_MAX: usize = 10;

/// Files that are no capture, each with the reason, one a line.
pub(super) fn passed_over(skipped: &[SkippedFile]) -> Vec<String> {
    let listed = skipped.iter().take(SKIPPED_MAX);
    let mut lines: Vec<String> =
        listed.map(|file| format!("  {}: {}", file.path, file.reason)).collect();
    if skipped.len() > SKIPPED_MAX {
        lines.push(format!("  and {} more files", skipped.len() - SKIPPED_MAX));
    }
    lines
}

/// Writes what people read.
pub(super) fn write_summary(report: &Report, purpose: Purpose, voice: &Voice) {
    let style = match (voice.quiet, voice.verbose) {
        (true, _) => Style::Quiet,
        (false, true) => Style::Verbose,
        (false, false) => Style::Normal,
    };
    let mut text = summary(report, style);
    if purpose == Purpose::Report && report.verdict != Verdict::Error {
        // The last line is the verdict of a gate, and this is none.
        let before = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
        text.replace_range(before.., "not gated\n");
    }
    // Nobody listens: the outputs and the exit code still tell.
    let _ = anstream::stderr().write_all(text.as_bytes());
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

/// Says something that is no result, in one line.
pub(super) fn say(voice: &Voice, text: &str) {
    if !voice.quiet {
        let _ = writeln!(anstream::stderr(), "{}", terminal(text));
    }
}
