//! Ranks of one job in human outputs: what was compared, and who waited for whom.

use super::cells::{self, table};
use super::escape::{markdown, markdown_code};
use super::format::{DASH, count, counted, time};
use super::words;
use crate::report::{ClaimState, CollectiveTime, Report, RunReport, State};
use std::fmt::Write as _;

/// Rows of collectives; the JSON report has them all.
const ROWS_MAX: usize = 25;

/// One line: `2 of 2 ranks, 12 collectives, collective split supported`. Not escaped.
pub(super) fn line(run: &RunReport) -> String {
    let of = run.world_size.map(|size| format!(" of {}", count(size))).unwrap_or_default();
    let split = &run.claims.collective_split;
    let by =
        if split.by.is_empty() { String::new() } else { format!(" ({})", split.by.join(", ")) };
    let instances: u64 = run.collectives.iter().map(|row| row.instances).sum();
    format!(
        "{}{of} ranks, {} on all of their ranks, collective split {}{by}",
        count(run.ranks.len() as u64),
        counted(instances, "collective", "collectives"),
        split.state.name()
    )
}

/// The runs of a report; empty where there are none.
pub(super) fn section(report: &Report) -> String {
    if report.runs.is_empty() {
        return String::new();
    }
    let mut text = "\n## Runs\n".to_owned();
    for run in &report.runs {
        // Writing to a String cannot fail, here and below.
        let _ = write!(text, "\n### {}\n\n{}.\n", markdown(&run.name), markdown(&line(run)));
        text.push_str(&checks(run));
        text.push_str(&collectives(run));
    }
    text
}

pub(super) fn checks(run: &RunReport) -> String {
    let mut text = String::new();
    for check in run.checks.iter().filter(|check| check.state != State::Holds) {
        let so = words::run_consequence(run, check).map(|so| format!("; {so}")).unwrap_or_default();
        let _ = writeln!(
            text,
            "- {} {}: {}{so}",
            markdown_code(&check.id),
            words::state(check),
            markdown(&cells::headline(check))
        );
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// The time of collectives. What is waiting is withheld with the split; kernel time is not.
pub(super) fn collectives(run: &RunReport) -> String {
    if run.collectives.is_empty() {
        return String::new();
    }
    let is_stated = run.claims.collective_split.state == ClaimState::Supported;
    let stated = |text: String| if is_stated { text } else { DASH.to_owned() };
    let row = |row: &CollectiveTime| {
        let most = if row.wait_is_upper_bound { "at most " } else { "" };
        let straggler = row.straggler.map_or_else(
            || DASH.to_owned(),
            |(rank, times)| format!("{rank} ({} of {})", count(times), count(row.instances)),
        );
        vec![
            markdown_code(&row.name),
            row.group.as_deref().map_or_else(|| DASH.to_owned(), markdown),
            count(row.instances),
            time(row.kernel_us, 3),
            stated(format!("{most}{}", time(row.wait_us, 3))),
            stated(format!("at most {}", time(row.transfer_us.1, 3))),
            stated(straggler),
        ]
    };
    let head = [
        "collective",
        "group",
        "instances",
        "kernel time, all ranks",
        "waited for the last rank, all ranks",
        "transfer, each once",
        "last rank",
    ];
    let rows = run.collectives.iter().take(ROWS_MAX).map(row);
    let more = run.collectives.len().saturating_sub(ROWS_MAX);
    let more = match more {
        0 => String::new(),
        more => format!("\n{} more in the JSON report.\n", count(more as u64)),
    };
    format!("\n{}{more}", table(&head, 2, rows))
}
