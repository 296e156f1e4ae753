//! `merge`: the reports of a divided run become one verdict and its outputs.

use super::check::{Purpose, exit_code, say, write_summary};
use super::files::{self, REPORT_BYTES_MAX};
use super::{MergeArgs, Stop, Voice, outputs, policy};
use idleproof::judge::{self, MergeError};
use idleproof::render::Needs;
use idleproof::report::{self, NoReport, Report, SCHEMA_VERSION};
use std::path::{Path, PathBuf};

/// Joins reports and writes the outputs of the whole; the exit code.
pub(crate) fn merge(args: &MergeArgs, voice: &Voice) -> Result<u8, Stop> {
    let in_reports = |needs| matches!(needs, Needs::Report | Needs::SwimlanesIfAny);
    if let Some(target) = args.outputs.iter().find(|target| !in_reports(target.needs())) {
        return Err(Stop::Usage(format!(
            "`{}` needs the captures themselves, which reports do not hold: ask for it in each `check --partition`",
            target.kind()
        )));
    }
    let kept = policy::kept();
    let inputs: Vec<&Path> = args.reports.iter().chain(&kept).map(PathBuf::as_path).collect();
    outputs::refuse_clashes(&args.outputs, &inputs, &[])?;
    let mut reports = Vec::new();
    for path in &args.reports {
        reports.push((path.display().to_string(), read(path)?));
    }
    let report = judge::merge(reports).map_err(|error| match error {
        MergeError::Incomplete(_) => Stop::Failed(error.to_string()),
        MergeError::Foreign(_) | MergeError::Unmet(_) => Stop::Usage(error.to_string()),
    })?;
    let written = outputs::write_all(&args.outputs, &report, |text| say(voice, text));
    if report.captures.is_empty() {
        written?;
        let text = "no part found a capture: see what each of them skipped";
        return Err(Stop::NoCapture(text.to_owned()));
    }
    write_summary(&report, Purpose::Gate, voice);
    written.map(|()| exit_code(report.verdict))
}

/// Reads a report that `--report json=` wrote.
pub(super) fn read(path: &Path) -> Result<Report, Stop> {
    let shown = path.display();
    let failed = |reason: String| Stop::Failed(format!("can't read the report {shown}: {reason}"));
    let bytes = files::whole(path, REPORT_BYTES_MAX).map_err(failed)?;
    report::parse(&bytes).map_err(|error| match error {
        NoReport::Version(other) => Stop::Usage(format!(
            "{shown} has version {other} of the report's schema, and this program writes {SCHEMA_VERSION}"
        )),
        NoReport::Malformed(_) | NoReport::Impossible(_) => failed(error.to_string()),
    })
}
