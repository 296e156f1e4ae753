//! Figures of real captures that were computed independently, against the pipeline. They do not ship.

use crate::harness::{Run, assert_no_mismatch, claim_name, outside_data, pipeline_at};
use idleproof::report::{CaptureReport, ClaimState, DeviceRecords, Microseconds, Share, Spread};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Percentages were written with two decimals.
const PERCENT_TOLERANCE: f64 = 0.005_000_1;

/// Bounds of idle of a complete capture are narrower than this, in points of the window.
const SUPPORTED_WIDTH: f64 = 1.0;

#[test]
fn every_capture_of_the_oracle() {
    let facts = outside_data("IDLEPROOF_FACTS", "../shared/facts", "facts");
    let corpus = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures");
    let (Some(facts), Some(corpus)) = (facts, corpus) else { return };
    let text = std::fs::read(facts.join("kineto_oracle.json")).unwrap();
    let oracle: Value = serde_json::from_slice(&text).unwrap();
    let captures = oracle["captures"].as_object().unwrap();
    assert!(!captures.is_empty());
    let mut mismatches = Vec::new();
    for (name, expected) in captures {
        for (path, expected) in files(&corpus.join(name), expected) {
            let shown = path.strip_prefix(&corpus).unwrap_or(&path).display().to_string();
            let run = pipeline_at(&[path]);
            let wrong = mismatches_of(&run, expected);
            mismatches.extend(wrong.into_iter().map(|wrong| format!("{shown}: {wrong}")));
        }
    }
    assert_no_mismatch(&mismatches);
}

/// The files of one entry with what is expected of each: the main trace, its ranks, its capture shard.
fn files<'a>(folder: &Path, expected: &'a Value) -> Vec<(PathBuf, &'a Value)> {
    if let Some(ranks) = expected["ranks"].as_object() {
        return ranks.iter().map(|(file, of_rank)| (folder.join(file), of_rank)).collect();
    }
    let mut files = vec![(only_trace(folder), expected)];
    let shard = &expected["capture_shard"];
    if shard.is_object() {
        files.push((only_trace(&folder.join("capture_traces")), shard));
    }
    files
}

fn only_trace(folder: &Path) -> PathBuf {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let traces: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(".json.gz"))
        .collect();
    match traces.as_slice() {
        [one] => one.clone(),
        other => panic!("{}: {} traces, not one", folder.display(), other.len()),
    }
}

fn mismatches_of(run: &Run, expected: &Value) -> Vec<String> {
    let [report] = run.captures.as_slice() else {
        return vec![format!(
            "{} captures, not one; skipped {:?}",
            run.captures.len(),
            run.skipped
        )];
    };
    if report.records.is_none() {
        return vec![format!("refused: {:?}", report.error)];
    }
    let mut wrong = Wrong::default();
    timeline(&mut wrong, report, expected);
    graph(&mut wrong, report, &expected["graph"]);
    before_window(&mut wrong, report, expected);
    attribution(&mut wrong, report, expected);
    queued_idle(&mut wrong, report, expected);
    idle_claim(&mut wrong, report, expected);
    wrong.0
}

/// Mismatches of one file.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    fn count(&mut self, what: &str, found: u64, expected: &Value) {
        match expected.as_u64() {
            Some(expected) if expected != found => {
                self.0.push(format!("{what}: expected {expected}, found {found}"));
            }
            _ => {}
        }
    }

    fn nanoseconds(&mut self, what: &str, found: Microseconds, expected: &Value) {
        match expected.as_i64() {
            Some(expected) if i128::from(expected) * 1_000 != found.ps() => {
                self.0.push(format!("{what}: expected {expected} ns, found {found} µs"));
            }
            _ => {}
        }
    }

    fn percent(&mut self, what: &str, found: Option<f64>, expected: &Value) {
        let Some(expected) = expected.as_f64() else { return };
        if found.is_none_or(|found| (found - expected).abs() > PERCENT_TOLERANCE) {
            self.0.push(format!("{what}: expected {expected} %, found {found:?}"));
        }
    }

    fn same<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, found: &T, expected: &T) {
        if found != expected {
            self.0.push(format!("{what}: expected {expected:?}, found {found:?}"));
        }
    }
}

fn devices(report: &CaptureReport) -> &[DeviceRecords] {
    report.records.as_ref().map_or(&[], |records| &records.devices)
}

fn timeline(wrong: &mut Wrong, report: &CaptureReport, expected: &Value) {
    let timeline = &expected["timeline_ns"];
    match devices(report) {
        [] if timeline.is_null() => {}
        [device] if timeline.is_object() => {
            wrong.nanoseconds("first_start", device.window_us.0, &timeline["first_start"]);
            wrong.nanoseconds("last_end", device.window_us.1, &timeline["last_end"]);
            wrong.nanoseconds("total", device.total_us, &timeline["total"]);
            wrong.nanoseconds("busy_union", device.busy_us, &timeline["busy_union"]);
            wrong.nanoseconds("idle", device.idle_us, &timeline["idle"]);
            wrong.nanoseconds("kernel_sum", device.kernel_sum_us, &timeline["kernel_sum"]);
            wrong.count("kernels", device.kernels, &expected["kernels"]);
            let others = ["memcpy", "memset"].map(|kind| expected[kind].as_u64().unwrap_or(0));
            let others = Value::from(others.iter().sum::<u64>());
            wrong.count("copies and fills", device.device_events - device.kernels, &others);
        }
        other => wrong.0.push(format!("{} devices, timeline {timeline}", other.len())),
    }
}

fn graph(wrong: &mut Wrong, report: &CaptureReport, expected: &Value) {
    let Some(records) = &report.records else { return };
    let found = &records.graph;
    wrong.count("graph launches", found.launches, &expected["launches"]);
    for key in ["launches_with_kernels", "launches_with_records"] {
        wrong.count(key, found.launches_with_records, &expected[key]);
    }
    wrong.count("kernels via graph", found.kernels, &expected["kernels_via_graph"]);
    if let Some(counts) = expected["kernels_per_replay"].as_array() {
        let spread = Spread::of(counts.iter().filter_map(Value::as_u64));
        wrong.same("records per launch", &found.records_per_launch, &spread);
    }
}

fn before_window(wrong: &mut Wrong, report: &CaptureReport, expected: &Value) {
    let Some(records) = &report.records else { return };
    let classes = report.attribution.as_ref().map(|attribution| &attribution.classes);
    let kernels = classes.and_then(|classes| classes.get("before-window"));
    let kernels = kernels.map_or(0, |class| class.records);
    wrong.count("kernels before the window", kernels, &expected["launched_before_window_kernels"]);
    let split = &expected["launched_before_window"];
    if split.is_object() {
        wrong.count("kernels before the window", kernels, &split["kernels"]);
        let parts = ["kernels", "memcpy", "memset"].map(|kind| split[kind].as_u64().unwrap_or(0));
        let all = parts.iter().sum::<u64>();
        wrong.same("records before the window", &records.launches.before_window_records, &all);
        wrong.same("records without launch", &records.launches.records_without_launch, &0);
    }
}

fn attribution(wrong: &mut Wrong, report: &CaptureReport, expected: &Value) {
    let shares = &expected["attribution_pct_of_kernel_time"];
    let Some(found) = report.attribution.as_ref().filter(|_| shares.is_object()) else { return };
    let methods = &found.methods;
    let percent = |share: Option<Share>| share.map(|share| share.get() * 100.0);
    if expected["cats"]["cpu_op"].is_null() {
        // Nothing to attribute to: no share, rather than one of zero.
        wrong.same("share by nesting without operators", &percent(methods.by_nesting), &None);
        return;
    }
    wrong.percent("share by nesting", percent(methods.by_nesting), &shares["host_nesting"]);
    if repeats_correlations(&expected["host_calls"]) {
        let refused = (methods.by_id.is_none(), methods.by_id_refused.is_some());
        wrong.same("ids that repeat the correlation are refused", &refused, &(true, true));
        return;
    }
    for key in ["runtime_external_id_chain", "plus_driver_launches"] {
        wrong.percent(key, percent(methods.by_id), &shares[key]);
    }
    if let [agreeing, compared] =
        shares["id_and_nesting_agree"].as_array().map(Vec::as_slice).unwrap_or_default()
    {
        wrong.count("kernels on which both methods agree", methods.agreeing, agreeing);
        wrong.count("kernels that both methods attribute", methods.compared, compared);
    }
}

/// True for old files, whose External ids are the correlations.
fn repeats_correlations(calls: &Value) -> bool {
    let count = |key: &str| calls[key].as_u64().unwrap_or(0);
    count("total") > 0 && count("external_id_equals_correlation") * 10 > count("total") * 9
}

fn queued_idle(wrong: &mut Wrong, report: &CaptureReport, expected: &Value) {
    let [device] = devices(report) else { return };
    let queued = device
        .idle_with_queued_work_us
        .map(|queued| queued.as_f64() / device.total_us.as_f64() * 100.0);
    let expected = &expected["idle_with_queued_work_pct_of_total"]["next_event"];
    wrong.percent("idle with queued work", queued, expected);
}

fn idle_claim(wrong: &mut Wrong, report: &CaptureReport, expected: &Value) {
    let range = report.claims.idle.device_inactive_pct;
    if let (ClaimState::Supported, Some((lo, hi)), [_]) =
        (report.claims.idle.state, range, devices(report))
    {
        // Of one device: the range over several is theirs, not that of the bounds.
        let is_narrow = hi.get() - lo.get() < SUPPORTED_WIDTH;
        wrong.same("bounds of a supported idle are narrow", &is_narrow, &true);
    }

    let stated = expected["claim_idle"].as_str().unwrap_or_default();
    let state = match stated {
        _ if stated.starts_with("supported") => "supported",
        _ if stated.starts_with("not supported") => "withheld",
        _ if stated.starts_with("undefined") => "undefined",
        // How graphs are built says nothing about the workload, whatever its claims are.
        "not a workload trace" => return,
        _ => "understood",
    };
    let idle = &report.claims.idle;
    wrong.same(&format!("idle claim, by {:?}", idle.by), &claim_name(idle.state), &state);
}
