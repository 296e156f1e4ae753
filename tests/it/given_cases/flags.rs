//! Flags of an expectation → check ids, notices and skipped files.

use super::figures::shows;
use super::{Subject, Verdicts};
use crate::harness::{check as check_of, claim_state};
use idleproof::report::{Outcome, State};
use serde_json::Value;

/// How a flag shows in a report.
enum Shown {
    /// This check is violated.
    Violated(&'static str),
    /// The file was refused with one of these kinds.
    Refused(&'static [&'static str]),
    /// This check must not be violated.
    Tolerated(&'static str),
    /// A notice with this in its code.
    Notice(&'static str),
    /// So many files are skipped.
    Skipped,
    /// So many records before the window.
    BeforeWindow,
    /// The steps show both assignments.
    BothStepTables,
    /// The split of collectives is not stated.
    NoCollectiveSplit,
}

/// The table of the cases, in our ids.
const FLAGS: &[(&str, Shown)] = &[
    ("graph_under_recorded", Shown::Violated("under-recorded-graph-replays")),
    ("replay_kernel_count_varies", Shown::Violated("incomplete-graph-replays")),
    ("no_device_activity", Shown::Violated("no-device-activity")),
    ("launches_without_device_record", Shown::Violated("launch-without-device-record")),
    ("collective_wait_outlier", Shown::Violated("collective-outlier")),
    ("collective_time_includes_wait", Shown::NoCollectiveSplit),
    ("same_stream_overrun", Shown::Violated("impossible-durations")),
    ("small_same_stream_overlap(info)", Shown::Tolerated("impossible-durations")),
    ("correlation_zero", Shown::Violated("shared-correlation-ids")),
    ("string_numbers(info)", Shown::Notice("string")),
    ("zero_timestamp", Shown::Violated("damaged-records")),
    ("negative_duration", Shown::Violated("damaged-records")),
    ("nonfinite_number", Shown::Violated("damaged-records")),
    ("malformed_json", Shown::Refused(&["malformed_json"])),
    ("truncated_input", Shown::Refused(&["truncated"])),
    ("bom(info)", Shown::Notice("bom")),
    ("inputs_skipped(info)", Shown::Skipped),
    ("devices_unequal_work", Shown::Violated("unequal-device-work")),
    ("device_id_not_in_properties", Shown::Violated("unknown-device")),
    ("device_lags_host(info)", Shown::BothStepTables),
    ("duplicate_json_key", Shown::Violated("duplicate-json-keys")),
    ("launched_before_window(info)", Shown::BeforeWindow),
    ("json_xplane_count_mismatch", Shown::Violated("json-xplane-mismatch")),
    ("derived_lines_ignored(info)", Shown::Notice("derived-lines")),
    ("hlo_coverage_low", Shown::Violated("low-op-attribution")),
    ("corrupt_xplane", Shown::Refused(&["truncated", "encoding", "empty", "not_a_capture"])),
    ("memcpy_without_size", Shown::Violated("copy-without-size")),
];
/// They judge the workload, and no capture is unreliable for being idle.
const WORKLOAD: [&str; 2] = ["high-idle", "low-compute"];
/// True of some cases beside their trap: a note is allowed, a failure is not.
const SIDE_FACTS: [&str; 2] = ["missing-ranks", "unknown-device"];

/// Holds the list of flags against the report.
pub(super) fn check(subject: &Subject<'_>, flags: &[Value]) -> Verdicts {
    if flags.is_empty() {
        return vec![("flags".into(), nothing_fires(subject))];
    }
    let flags = flags.iter().map(|flag| flag.as_str().unwrap_or_default());
    flags
        .map(|flag| {
            // `name:3(info)` carries a count.
            let (name, count) = match flag.split_once(':') {
                Some((name, rest)) => {
                    let digits = rest.trim_end_matches("(info)");
                    let info = if digits.len() < rest.len() { "(info)" } else { "" };
                    (format!("{name}{info}"), digits.parse().ok())
                }
                None => (flag.to_owned(), None),
            };
            let key = format!("flags.{}", name.trim_end_matches("(info)"));
            (key, shown(subject, &name, count))
        })
        .collect()
}

fn shown(subject: &Subject<'_>, flag: &str, count: Option<u64>) -> Result<(), String> {
    let row = FLAGS.iter().find(|(name, _)| *name == flag);
    let (_, how) = row.ok_or("this flag is not understood")?;
    let refused =
        subject.report.error.as_ref().filter(|_| subject.report.outcome == Outcome::Refused);
    let count_is = |found: u64| match count {
        Some(count) if count != found => Err(format!("expected {count}, found {found}")),
        _ => Ok(()),
    };
    match (how, refused) {
        (Shown::Refused(kinds), Some(error)) if kinds.contains(&error.kind.as_str()) => Ok(()),
        (Shown::Refused(kinds), other) => {
            Err(format!("expected a refusal as {kinds:?}, found {other:?}"))
        }
        // A refusal says more than the flag; whether it is right stands under `outcome`.
        (_, Some(_)) => Ok(()),
        (Shown::Violated(id), None) => {
            violated(subject, id)?;
            let shows_count = check_of(subject.report, id)
                .zip(count)
                .is_none_or(|(check, count)| shows(check, &Value::from(count)));
            shows_count.then_some(()).ok_or_else(|| format!("`{id}` does not show {count:?}"))
        }
        (Shown::Tolerated(id), None) => match check_of(subject.report, id) {
            Some(check) if check.state == State::Holds => Ok(()),
            other => Err(format!("expected that `{id}` holds, found {other:?}")),
        },
        (Shown::Notice(part), None) => {
            let codes: Vec<&str> =
                subject.report.notices.iter().map(|one| one.code.as_str()).collect();
            let found = codes.iter().any(|code| code.contains(part));
            found.then_some(()).ok_or_else(|| format!("no notice `{part}` among {codes:?}"))
        }
        (Shown::Skipped, None) => {
            let shards = subject.report.files.len().saturating_sub(1);
            count_is((subject.run.skipped.len().max(shards)) as u64)
        }
        (Shown::BeforeWindow, None) => count_is(
            subject.report.records.as_ref().map_or(0, |all| all.launches.before_window_records),
        ),
        (Shown::BothStepTables, None) => {
            let steps = subject.report.records.as_ref().and_then(|all| all.steps.as_ref());
            steps.map(|_| ()).ok_or_else(|| "there are no steps".into())
        }
        (Shown::NoCollectiveSplit, None) => {
            let state = claim_state(subject.report, "collective_split");
            (state != Some("supported")).then_some(()).ok_or_else(|| "the split is stated".into())
        }
    }
}

/// An error unless the check is violated.
pub(super) fn violated(subject: &Subject<'_>, id: &str) -> Result<(), String> {
    match check_of(subject.report, id) {
        None => Err(format!("there is no check `{id}`")),
        Some(check) if check.state == State::Violated => Ok(()),
        Some(check) => Err(format!("`{id}` is not violated: {}", check.message)),
    }
}

fn nothing_fires(subject: &Subject<'_>) -> Result<(), String> {
    let firing = subject.report.checks.iter().filter(|check| {
        let note = SIDE_FACTS.contains(&check.id.as_str()) && !check.fails;
        check.state == State::Violated && !WORKLOAD.contains(&check.id.as_str()) && !note
    });
    let firing: Vec<String> =
        firing.map(|check| format!("{}: {}", check.id, check.message)).collect();
    firing
        .is_empty()
        .then_some(())
        .ok_or_else(|| format!("no finding is expected: {}", firing.join("; ")))
}
