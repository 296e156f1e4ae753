//! A report that was written earlier, read back: what no report of this program can say is refused.

use super::{CaptureReport, CheckReport, Microseconds, Report, SCHEMA_VERSION, State};
use serde::Deserialize;
use std::fmt;

/// Why bytes are no report of this program.
#[derive(Debug)]
pub enum NoReport {
    /// The JSON ends early, or lacks what a report has, or a number lies outside of what it can be.
    Malformed(serde_json::Error),
    /// Another version of the schema.
    Version(u32),
    /// A figure that no capture can give: the file was edited, or something else wrote it.
    Impossible(String),
}

impl fmt::Display for NoReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) => {
                write!(f, "{error}: it is no report of `--report json=PATH`, or was cut off")
            }
            Self::Version(version) => write!(
                f,
                "it has version {version} of the report's schema, and this program writes {SCHEMA_VERSION}"
            ),
            Self::Impossible(what) => {
                write!(f, "{what}: no capture gives this, so the report was edited or damaged")
            }
        }
    }
}

impl std::error::Error for NoReport {}

/// The version, which is looked at before the rest: another one has other fields.
#[derive(Deserialize)]
struct Versioned {
    schema_version: u32,
}

/// Reads a report that `--report json=` wrote. A byte order mark, which editors put in front, is skipped.
pub fn parse(bytes: &[u8]) -> Result<Report, NoReport> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let Versioned { schema_version } =
        serde_json::from_slice(bytes).map_err(NoReport::Malformed)?;
    if schema_version != SCHEMA_VERSION {
        return Err(NoReport::Version(schema_version));
    }
    let report: Report = serde_json::from_slice(bytes).map_err(NoReport::Malformed)?;
    let runs = report.runs.iter().map(|run| (&run.name, &run.checks));
    let mut checks = report.captures.iter().map(|one| (&one.name, &one.checks)).chain(runs);
    let impossible = report.captures.iter().find_map(impossible);
    match impossible.or_else(|| checks.find_map(|(name, checks)| misjudged(name, checks))) {
        Some(what) => Err(NoReport::Impossible(what)),
        None => Ok(report),
    }
}

/// A check that is said to hold beyond its limit, or to be violated within it.
fn misjudged(name: &str, checks: &[CheckReport]) -> Option<String> {
    checks.iter().find_map(|check| {
        let (measured, limit) = (check.measured?, check.limit?);
        let is_beyond = limit.is_violated_by(measured);
        let says_beyond = match check.state {
            State::Holds => false,
            State::Violated | State::Excepted => true,
            State::NotEvaluable => return None,
        };
        let what = if says_beyond { "violated within" } else { "held beyond" };
        (is_beyond != says_beyond)
            .then(|| format!("{} of {name} is {what} its limit: {measured} measured", check.id))
    })
}

/// A figure of a capture that none can give: bounds that are turned around, a length below zero.
fn impossible(capture: &CaptureReport) -> Option<String> {
    let name = &capture.name;
    let idle = &capture.claims.idle;
    let bounds = [
        ("device_inactive_pct", idle.device_inactive_pct),
        ("host_starved_pct", idle.host_starved_pct),
    ];
    for (field, pair) in bounds {
        if let Some((low, high)) = pair.filter(|(low, high)| low > high) {
            return Some(format!("{field} of {name} runs from {} to {}", low.get(), high.get()));
        }
    }
    let negative = |(field, time): (&'static str, Microseconds)| {
        (time.ps() < 0).then(|| format!("{field} of {name} is {time}"))
    };
    lengths(capture).find_map(negative)
}

/// The lengths that later reports are held against, each with the name of its field.
fn lengths(capture: &CaptureReport) -> impl Iterator<Item = (&'static str, Microseconds)> {
    let kernels = capture.hot_kernels.iter().flat_map(|kernel| {
        let steps = kernel.per_step_us.iter().map(|&time| ("per_step_us", time));
        std::iter::once(("time_us", kernel.time_us)).chain(steps)
    });
    let ops = capture.attribution.iter().flat_map(|all| &all.ops).flat_map(|op| {
        let steps = op.per_step_us.iter().map(|&time| ("per_step_us", time));
        std::iter::once(("time_us", op.time_us)).chain(steps)
    });
    let records = capture.records.iter();
    let devices = records.clone().flat_map(|records| &records.devices).flat_map(|device| {
        [
            ("total_us", device.total_us),
            ("busy_us", device.busy_us),
            ("idle_us", device.idle_us),
            ("compute_us", device.compute_us),
            ("collective_us", device.collective_us),
            ("memcpy_us", device.memcpy_us),
            ("kernel_sum_us", device.kernel_sum_us),
        ]
    });
    let steps = records.filter_map(|records| records.steps.as_ref()).flat_map(|steps| {
        let rows = steps.rows.iter();
        let rows = rows.flat_map(|row| {
            std::iter::once(("kernel_sum_us", row.kernel_sum_us))
                .chain(row.step_time_us.map(|time| ("step_time_us", time)))
        });
        let spread = [("duration_us", steps.duration_us.min)];
        spread
            .into_iter()
            .chain(steps.step_time_us.map(|all| ("step_time_us", all.min)))
            .chain(rows)
    });
    kernels.chain(ops).chain(devices).chain(steps)
}
