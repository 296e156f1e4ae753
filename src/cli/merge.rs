//! `merge`: the reports of a divided run become one verdict and its outputs.

use super::check::{Purpose, exit_code, say, write_summary};
use super::files::{self, REPORT_BYTES_MAX};
use super::{MergeArgs, Stop, Voice, outputs};
use idleproof::judge::{self, MergeError};
use idleproof::render::Needs;
use idleproof::report::{Report, SCHEMA_VERSION};
use serde::Deserialize;
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
    let paths: Vec<&Path> = args.reports.iter().map(PathBuf::as_path).collect();
    outputs::refuse_clashes(&args.outputs, &paths, &[])?;
    let mut reports = Vec::new();
    for path in paths {
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

/// The version, which is looked at before the rest: another one has other fields.
#[derive(Deserialize)]
struct Versioned {
    schema_version: u32,
}

/// Reads a report that `--report json=` wrote.
pub(super) fn read(path: &Path) -> Result<Report, Stop> {
    let shown = path.display();
    let failed = |reason: String| Stop::Failed(format!("can't read the report {shown}: {reason}"));
    let bytes = files::whole(path, REPORT_BYTES_MAX).map_err(failed)?;
    let malformed = |error: serde_json::Error| {
        failed(format!("{error}: it is no report of `--report json=PATH`, or was cut off"))
    };
    let Versioned { schema_version } = serde_json::from_slice(&bytes).map_err(malformed)?;
    if schema_version != SCHEMA_VERSION {
        return Err(Stop::Usage(format!(
            "{shown} has version {schema_version} of the report's schema, and this program writes {SCHEMA_VERSION}"
        )));
    }
    serde_json::from_slice(&bytes).map_err(malformed)
}
