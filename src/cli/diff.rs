//! `diff`: two sides, each a capture, a folder of them or a report, held against each other.

use super::check::{find, limits, passed_over, say};
use super::policy::{self, Loaded};
use super::{DiffArgs, DiffFormat, Stop, Voice, files, inputs, merge, outputs, progress};
use idleproof::compare::{Side, compare_sides};
use idleproof::render::comparison;
use idleproof::report::{CaptureReport, ComparedSide, ComparisonOutcome, Comparisons, Report};
use idleproof::{Options, evaluate};
use jiff::civil::Date;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// How much of a file tells whether it is a report: its fields come in a fixed order.
const HEAD_BYTES: usize = 4 << 10;

/// Compares, and writes the result; the exit code.
pub(crate) fn diff(args: &DiffArgs, voice: &Voice, today: Date) -> Result<u8, Stop> {
    let loaded = policy::load(&args.policy)?;
    let output = args.output.as_deref().filter(|output| *output != Path::new("-"));
    let one = |path| read(path, &loaded, args.max_text_bytes, voice, today);
    let (before, after) = (one(&args.before)?, one(&args.after)?);
    if let Some(output) = output {
        let read = before.files.iter().chain(&after.files).chain(&loaded.kept);
        let read: Vec<&Path> = read.map(PathBuf::as_path).collect();
        outputs::refuse_place("diff", output, &read)?;
    }
    let compared = compare_sides(before.side(), after.side());
    let text = match args.format {
        DiffFormat::Text => comparison::text(&compared),
        DiffFormat::Markdown => comparison::markdown(&compared),
        DiffFormat::Json => comparison::json(&compared),
    };
    match output {
        Some(path) => outputs::write_file(path, &text, &|text: &str| say(voice, text)),
        None => outputs::print(&text),
    }
    .map_err(Stop::Failed)?;
    Ok(exit_code(&compared))
}

/// What could not be read wins: what is said of the rest does not cover it.
fn exit_code(compared: &Comparisons) -> u8 {
    match compared.outcome {
        _ if !compared.unreadable.is_empty() => 4,
        ComparisonOutcome::Same | ComparisonOutcome::Changed => 0,
        ComparisonOutcome::Regressed => 1,
        ComparisonOutcome::NotComparable => 3,
    }
}

/// One side as it was read.
struct Read {
    shown: ComparedSide,
    captures: Vec<CaptureReport>,
    folder: Option<String>,
    /// What was read for it.
    files: Vec<PathBuf>,
}

impl Read {
    fn side(&self) -> Side<'_> {
        Side { shown: &self.shown, captures: &self.captures, folder: self.folder.as_deref() }
    }
}

fn read(
    path: &Path,
    loaded: &Loaded,
    max_text_bytes: Option<NonZeroU64>,
    voice: &Voice,
    today: Date,
) -> Result<Read, Stop> {
    let shown = path.to_string_lossy().replace('\\', "/");
    if is_report(path) {
        let Report { captures, policy, .. } = merge::read(path)?;
        if captures.is_empty() {
            return Err(Stop::NoCapture(format!("the report {shown} holds no capture")));
        }
        let shown = ComparedSide { path: shown, policy };
        return Ok(Read { shown, captures, folder: None, files: vec![path.to_owned()] });
    }
    let paths = inputs::named(&[path.to_owned()])?.paths;
    let (found, refused) = find(&paths);
    let line = progress::Line::new(voice, found.families.len());
    let options =
        Options { limits: limits(max_text_bytes), progress: line.progress(), ..Options::default() };
    let evaluation = evaluate(&found, &loaded.policy, today, &options);
    drop(line);
    let mut captures = evaluation.captures;
    captures.extend(refused);
    captures.sort_by(|a, b| (&a.name, a.paths()).cmp(&(&b.name, b.paths())));
    if captures.is_empty() {
        let text = format!("nothing under {shown} is a capture");
        return Err(Stop::NoCapture(text).listing(passed_over(&evaluation.skipped)));
    }
    let read = found.families.iter().flat_map(|family| &family.files);
    let folder = match &paths[..] {
        [one] if one.is_dir() => Some(one.to_string_lossy().replace('\\', "/")),
        _ => None,
    };
    Ok(Read {
        shown: ComparedSide { path: shown, policy: loaded.policy.stamp() },
        captures,
        folder,
        files: read.map(|file| file.path.clone()).collect(),
    })
}

/// True for a report of this program, whole or cut off, whatever wrote its fields down anew in order of their names, and whatever
/// blanks stand before it.
fn is_report(path: &Path) -> bool {
    let Ok(head) = files::content_head(path, HEAD_BYTES) else { return false };
    let head = String::from_utf8_lossy(&head);
    let Some(fields) = head.strip_prefix('{') else { return false };
    ["\"schema_version\"", "\"captures\""].iter().any(|key| fields.trim_start().starts_with(key))
}
