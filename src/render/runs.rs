//! Ranks of one job in human outputs: what was compared, and who waited for whom.

use super::cells::{self, table};
use super::escape::{markdown, markdown_code};
use super::format::{self, DASH, FINE, count, counted, time};
use super::words;
use crate::report::{
    ClaimState, CollectiveInstance, CollectiveTime, Microseconds, Percent, Report, RunReport,
    ShareOfRun, State,
};
use crate::units::Ratio;
use std::fmt::Write as _;

/// Rows of collectives; the JSON report has them all.
const ROWS_MAX: usize = 25;

/// Characters of a collective's name.
const NAME_CHARS_MAX: usize = 60;

/// Rows of ranks.
const RANKS_MAX: usize = 64;

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
        text.push_str(&clocks(run));
        text.push_str(&checks(run));
        text.push_str(&look_first(run));
        text.push_str(&collectives(run));
    }
    text
}

/// How the clocks of the ranks were held against each other, where that holds: else it is among the checks that do not.
pub(super) fn clocks(run: &RunReport) -> String {
    let check = run.checks.iter().find(|check| check.id == CLOCKS && check.state == State::Holds);
    let Some(check) = check else { return String::new() };
    let is_set = check.evidence.get("estimated_offsets").and_then(serde_json::Value::as_bool);
    let how = match is_set {
        Some(true) => "aligned by the ends of collectives",
        Some(false) => "taken as recorded",
        None => "held against each other",
    };
    format!("\nClocks of the ranks: {how}; {}.\n", markdown(&cells::headline(check)))
}

/// The check that compares clocks.
const CLOCKS: &str = "unaligned-rank-clocks";

/// A collective's name without its arguments, where that tells it from the run's others.
pub(super) fn short_name(run: &RunReport, name: &str) -> String {
    let bare = without_arguments(name);
    let alike =
        |other: &&CollectiveTime| other.name != name && without_arguments(&other.name) == bare;
    let bare = if run.collectives.iter().any(|one| alike(&one)) { name } else { bare };
    format::name(bare, NAME_CHARS_MAX)
}

/// `ncclKernel_AllReduce` of `ncclKernel_AllReduce(ncclDevComm*)`.
fn without_arguments(name: &str) -> &str {
    let name = name.strip_prefix("void ").unwrap_or(name);
    match name.split_once('(') {
        Some((bare, arguments)) if !bare.trim().is_empty() && arguments.ends_with(')') => bare,
        _ => name,
    }
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

/// Where to begin, with what that rests on. Withheld with the split.
pub(super) fn look_first(run: &RunReport) -> String {
    let is_stated = run.claims.collective_split.state == ClaimState::Supported;
    let Some(first) = run.look_first.as_ref().filter(|_| is_stated) else { return String::new() };
    let mut text =
        format!("\n**What to change in the run** (*inferred*): {}.\n\n", markdown(&first.action));
    for line in &first.evidence {
        let _ = writeln!(text, "- {}", markdown(line));
    }
    if first.host.is_empty() {
        return text;
    }
    let rows = first.host.iter().map(|row| {
        vec![
            markdown_code(&format::name(&row.name, NAME_CHARS_MAX)),
            markdown(&row.kind),
            time(row.time_us, 3),
            time(row.others_most_us, 3),
            time(row.others_us, 3),
        ]
    });
    let rank =
        first.rank.map_or_else(String::new, |rank| format!("the host's own time, rank {rank}"));
    let head =
        ["host event", "kind", &rank, "the longest of the others", "the middle of the others"];
    let _ = write!(text, "\n{}", table(&head, 2, rows));
    text
}

/// What shortening one rank is worth to its run: `at most 14.00 µs (0.1 % of the run's 19.69 ms)`.
pub(super) fn worth(share: ShareOfRun) -> String {
    if share.last == 0 || share.at_most_us.ps() == 0 {
        return "nothing in this window".to_owned();
    }
    let ps = |us: Microseconds| u64::try_from(us.ps()).ok();
    let part = |of| Some(Percent::of(Ratio::new(ps(share.at_most_us)?, ps(of)?)?));
    let of = share
        .run_us
        .and_then(|of| Some((of, part(of)?)))
        .map(|(of, part)| format!(" ({} of the run's {})", format::percent(part), time(of, FINE)));
    format!("at most {}{}", time(share.at_most_us, FINE), of.unwrap_or_default())
}

/// The time of collectives. What is waiting is withheld with the split; kernel time is not.
pub(super) fn collectives(run: &RunReport) -> String {
    if run.collectives.is_empty() {
        return String::new();
    }
    let is_stated = run.claims.collective_split.state == ClaimState::Supported;
    let stated = |text: String| if is_stated { text } else { DASH.to_owned() };
    let has_groups = run.collectives.iter().any(|row| row.group.is_some());
    let row = |row: &CollectiveTime| {
        let straggler = row.straggler.map_or_else(
            || "no single rank".to_owned(),
            |(rank, times)| format!("rank {rank} ({} of {})", count(times), count(row.instances)),
        );
        let group = row.group.as_deref().map_or_else(|| DASH.to_owned(), markdown);
        let mut cells = vec![
            markdown_code(&short_name(run, &row.name)),
            stated(straggler),
            stated(waited(row.wait_us, row.wait_is_upper_bound)),
            time(row.kernel_us, 3),
            stated(range(row.transfer_us)),
            count(row.instances),
        ];
        if has_groups {
            cells.insert(1, group);
        }
        cells
    };
    let mut head = vec![
        "collective",
        "comes last most often",
        "waiting for the last rank, all ranks added up",
        "of kernel time, all ranks added up",
        "transfer, instances added up",
        "instances",
    ];
    if has_groups {
        head.insert(1, "group");
    }
    let rows = run.collectives.iter().take(ROWS_MAX).map(row);
    let more = run.collectives.len().saturating_sub(ROWS_MAX);
    let more = match more {
        0 => String::new(),
        more => format!("\n{} more in the JSON report.\n", count(more as u64)),
    };
    let sums = if is_stated { SUMS } else { "" };
    let right = if has_groups { 3 } else { 2 };
    format!("\n{}{more}{sums}{}", table(&head, right, rows), by_rank(run))
}

const SUMS: &str = "\nRanks wait side by side: what all of them wait together is no wall time. Where data may move before the last rank has come (more than two ranks in an operation that \
    does not need all of them at once), waiting is known only within a range.\n";

/// A wait: a range from nothing on, where it is an upper bound.
fn waited(wait: Microseconds, is_upper_bound: bool) -> String {
    range((if is_upper_bound { Microseconds::from_ps(0) } else { wait }, wait))
}

/// At least to at most; one figure where both are printed alike.
fn range((least, most): (Microseconds, Microseconds)) -> String {
    let (low, high) = (time(least, 3), time(most, 3));
    match least.ps() {
        _ if low == high => high,
        0 => format!("0 to {high}"),
        _ => format!("{low} to {high}"),
    }
}

/// True where data may have moved before the last rank had come to a collective.
pub(super) fn is_upper_bound(run: &RunReport, one: &CollectiveInstance) -> bool {
    let mut alike =
        run.collectives.iter().filter(|all| (&all.name, &all.group) == (&one.name, &one.group));
    alike.any(|all| all.wait_is_upper_bound)
}

/// Each rank: who waits, and who is waited for. Withheld with the split.
fn by_rank(run: &RunReport) -> String {
    if run.by_rank.is_empty() || run.claims.collective_split.state != ClaimState::Supported {
        return String::new();
    }
    let rows = run.by_rank.iter().take(RANKS_MAX).map(|rank| {
        let starts = rank.starts_after_us.map_or_else(|| "not known".to_owned(), after);
        vec![
            rank.rank.to_string(),
            starts,
            time(rank.kernel_us, 3),
            range(rank.wait_us),
            count(rank.last),
            range(rank.awaited_us),
        ]
    });
    let head = [
        "rank",
        "first device work starts",
        "time in these collectives",
        "of it waiting for the last rank",
        "comes last to",
        "waited for there by the rank that waits longest, added up",
    ];
    let more = match run.by_rank.len().saturating_sub(RANKS_MAX) {
        0 => String::new(),
        more => format!("\n{} more in the JSON report.\n", count(more as u64)),
    };
    format!("\n{}{more}", table(&head, 0, rows))
}

/// Behind the first rank to start.
fn after(us: Microseconds) -> String {
    match us.ps() {
        0 => "first".to_owned(),
        _ => format!("{} later", time(us, 3)),
    }
}
