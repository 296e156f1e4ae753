//! `--baseline`: an earlier report that this run is held against.

use super::Stop;
use super::files::{self, REPORT_BYTES_MAX};
use idleproof::judge;
use idleproof::policy::Coverage;
use idleproof::report::{self, NoReport, Report, SCHEMA_VERSION};
use std::path::Path;

/// Captures that are named where none is in both.
const NAMED_MAX: usize = 5;

/// An earlier report.
#[derive(Debug)]
pub(super) struct Baseline {
    shown: String,
    report: Report,
}

/// Reads a report that `--report json=` wrote.
pub(super) fn load(path: &Path) -> Result<Baseline, Stop> {
    let shown = path.to_string_lossy().replace('\\', "/");
    let wrong = |why: String| Stop::Usage(format!("--baseline {shown}: {why}"));
    let bytes = files::whole(path, REPORT_BYTES_MAX).map_err(wrong)?;
    let report = report::parse(&bytes).map_err(|error| {
        wrong(match error {
            NoReport::Malformed(error) => format!(
                "this is no report of idleproof, as `--report json=PATH` writes it: {error}"
            ),
            NoReport::Version(other) => {
                format!("its schema_version is {other}, and this program knows {SCHEMA_VERSION}")
            }
            NoReport::Impossible(_) => error.to_string(),
        })
    })?;
    if let Some(place) = &report.partition {
        return Err(wrong(format!(
            "it is the report of part {} of {}, which lacks the captures of the others: `idleproof merge` joins them",
            place.part, place.of
        )));
    }
    Ok(Baseline { shown, report })
}

impl Baseline {
    /// The report against this one. Where no capture is in both, nothing would be compared, and nobody would notice.
    pub(super) fn judge(&self, report: Report, coverage: Coverage) -> Result<Report, Stop> {
        let Self { shown, report: before } = self;
        let names = || before.captures.iter().map(|capture| capture.name.as_str());
        if !names().any(|name| report.captures.iter().any(|capture| capture.name == name)) {
            let listed: Vec<&str> = names().take(NAMED_MAX).collect();
            let more = if names().count() > NAMED_MAX { ", …" } else { "" };
            return Err(Stop::Usage(format!(
                "--baseline {shown}: none of its captures is in this run; it holds {}{more}",
                listed.join(", ")
            )));
        }
        let report = judge::with_baseline(report, before, shown);
        Ok(match coverage {
            Coverage::Everything => judge::with_captures_gone(report, before, shown),
            Coverage::Named => report,
        })
    }
}
