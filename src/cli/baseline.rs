//! `--baseline`: an earlier report that this run is held against.

use super::Stop;
use idleproof::judge;
use idleproof::policy::Coverage;
use idleproof::report::{Report, SCHEMA_VERSION};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Largest report that is read: far more than thousands of captures need.
const BYTES_MAX: u64 = 1 << 30;

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
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BYTES_MAX + 1).read_to_end(&mut bytes));
    read.map_err(|error| wrong(error.to_string()))?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(wrong("it is larger than 1 GiB".to_owned()));
    }
    let report: Report = serde_json::from_slice(&bytes).map_err(|error| {
        wrong(format!("this is no report of idleproof, as `--report json=PATH` writes it: {error}"))
    })?;
    match report.schema_version {
        SCHEMA_VERSION => Ok(Baseline { shown, report }),
        other => Err(wrong(format!(
            "its schema_version is {other}, and this program knows {SCHEMA_VERSION}"
        ))),
    }
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
                listed.join(", ").escape_debug()
            )));
        }
        let report = judge::with_baseline(report, before, shown);
        Ok(match coverage {
            Coverage::Everything => judge::with_captures_gone(report, before, shown),
            Coverage::Named => report,
        })
    }
}
