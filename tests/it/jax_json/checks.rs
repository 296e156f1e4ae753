//! The checks on what two records of a run have in common, and on exports that stopped early.

use super::captures;
use super::export::{document, rows};
use crate::harness::outside_data;
use crate::xplane::samples;
use crate::xspace::{self as fixture, Space, Stat, gpu, kernel, stream};
use idleproof::analysis::analyse;
use idleproof::checks::Measurement;
use idleproof::policy::Policy;
use idleproof::report::{CaptureReport, Claim, ClaimState, State};
use idleproof::trace::Capture;
use serde_json::{Value, json};

const MISMATCH: &str = "json-xplane-mismatch";
const MISSES: &str = "xplane-misses-json-events";
const CAP: &str = "export-cap-reached";

/// Eight kernels on each of two devices, some of equal name and length, with their calls.
fn run() -> Space {
    let kernels = |device: i64| {
        let kernel = move |at: i64| {
            kernel("fusion.kd", 100 * at, 50, (10 * device + at).cast_unsigned() + 1)
        };
        (0..8).map(kernel).collect()
    };
    let calls =
        (0..18_i64).map(|at| fixture::call("hipModuleLaunchKernel", at, 1, 1 + at.cast_unsigned()));
    let host = fixture::host(vec![fixture::line(11, "Host Threads/11", calls.collect())]);
    fixture::space(vec![
        gpu(0, vec![stream(3, kernels(0))]),
        gpu(1, vec![stream(4, kernels(1))]),
        host,
    ])
}

/// The capture of an xplane and of the JSON rows beside it.
fn pair(xplane: &Space, json: &[String]) -> Capture {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("host.xplane.pb"), xplane.bytes()).unwrap();
    std::fs::write(folder.path().join("host.trace.json"), document(json)).unwrap();
    let mut captures = captures(&[folder.path().to_owned()]);
    assert_eq!(captures.len(), 1);
    captures.remove(0).unwrap()
}

fn measured(capture: &Capture, id: &str) -> Option<f64> {
    match found(capture, id) {
        Measurement::Measured { value, .. } => Some(value),
        Measurement::NotEvaluable { .. } => None,
    }
}

fn found(capture: &Capture, id: &str) -> Measurement {
    let mut all = idleproof::checks::measure(capture, &analyse(capture)).into_iter();
    all.find(|(check, _)| check.id == id).unwrap().1
}

fn judged(capture: &Capture) -> CaptureReport {
    let analysis = analyse(capture);
    let draft = idleproof::analysis::lay_out(capture, &analysis);
    let measurements = idleproof::checks::measure(capture, &analysis);
    let policy = Policy::preset("default", idleproof::vocabulary(&[])).unwrap();
    idleproof::judge::judge(draft, &measurements, &policy, jiff::civil::date(2026, 1, 1))
}

fn evidence(report: &CaptureReport, id: &str, key: &str) -> Value {
    let check = report.checks.iter().find(|check| check.id == id).unwrap();
    check.evidence[key].clone()
}

/// Events that only the xplane has and only the JSON has, as the two checks see them.
fn alone(xplane: &Space, json: &[String]) -> (f64, f64) {
    let capture = pair(xplane, json);
    let (all, lost) = (measured(&capture, MISMATCH).unwrap(), measured(&capture, MISSES).unwrap());
    (all - lost, lost)
}

/// Rows of device events, by their index among the rows of the export.
fn device_rows(rows: &[String]) -> Vec<usize> {
    (0..rows.len()).filter(|&row| rows[row].contains("fusion.kd")).collect()
}

#[test]
fn an_honest_pair_agrees() {
    assert_eq!(alone(&run(), &rows(&run())), (0.0, 0.0));
    for space in [samples::loop_graph(), samples::async_label(), samples::derived_lines()] {
        assert_eq!(alone(&space, &rows(&space)), (0.0, 0.0));
    }
}

#[test]
fn every_loss_of_either_file_is_counted() {
    let whole = rows(&run());
    let events = device_rows(&whole);
    // Each event of the JSON in turn, and runs of them from either end.
    for lost in (0..events.len()).map(|at| at..at + 1).chain([0..3, 5..8, 4..12, 0..15, 0..16]) {
        let mut json = whole.clone();
        let n_lost = lost.len() as f64;
        for &row in events[lost.clone()].iter().rev() {
            json.remove(row);
        }
        assert_eq!(alone(&run(), &json), (n_lost, 0.0), "{lost:?}");
    }
    for device in 0..2 {
        for lost in (0..8).map(|at| at..at + 1).chain([0..2, 6..8, 0..8]) {
            let mut xplane = run();
            let n_lost = lost.len() as f64;
            xplane.planes[device].lines[0].events.drain(lost.clone());
            assert_eq!(alone(&xplane, &whole), (0.0, n_lost), "{device} {lost:?}");
        }
    }
}

#[test]
fn a_change_of_one_event_is_seen() {
    let whole = rows(&run());
    let row = device_rows(&whole)[4];
    for (from, to) in [
        ("fusion.kd", "fusion_2.kd"),
        ("\"dur\":50", "\"dur\":50.001"),
        ("\"dur\":50", "\"dur\":49.999"),
        ("\"ts\":401", "\"ts\":401.002"),
        ("\"pid\":1,\"tid\":3", "\"pid\":2,\"tid\":4"),
    ] {
        let mut json = whole.clone();
        json[row] = json[row].replace(from, to);
        assert_ne!(json, whole, "{from}");
        assert_eq!(alone(&run(), &json), (1.0, 1.0), "{from} → {to}");
    }
}

#[test]
fn a_second_stream_is_told_apart_where_both_number_streams_alike() {
    let mut xplane = run();
    xplane.planes[0].lines.push(stream(9, vec![kernel("other.kd", 900, 5, 30)]));
    let whole = rows(&xplane);
    let row = device_rows(&whole)[0];
    let mut json = whole.clone();
    json[row] = json[row].replace("\"tid\":3", "\"tid\":9");
    assert_eq!(alone(&xplane, &json), (1.0, 1.0));
    // An exporter that numbers them in its own way says the same.
    let json: Vec<String> =
        whole.iter().map(|row| row.replace("Stream #3", "Stream #77")).collect();
    assert_ne!(json, whole);
    assert_eq!(alone(&xplane, &json), (0.0, 0.0));
}

#[test]
fn axes_may_differ_by_an_offset_and_by_what_doubles_lose() {
    let whole = rows(&run());
    let moved = |shift_us: f64| -> Vec<String> {
        let moved = |row: &String| {
            let mut value: Value = serde_json::from_str(row).unwrap();
            if let Some(ts) = value["ts"].as_f64() {
                value["ts"] = json!(ts + shift_us);
            }
            value.to_string()
        };
        whole.iter().map(moved).collect()
    };
    for shift_us in [-1.0, 250.125, 1e6, 2_899_545_218_721.251_5] {
        assert_eq!(alone(&run(), &moved(shift_us)), (0.0, 0.0), "{shift_us}");
        // Lost at the end, or at the start.
        let json = moved(shift_us);
        let events = device_rows(&json);
        let mut cut = json.clone();
        cut.remove(events[15]);
        assert_eq!(alone(&run(), &cut), (1.0, 0.0), "{shift_us}");
        let mut cut = json.clone();
        cut.remove(events[0]);
        assert_eq!(alone(&run(), &cut), (1.0, 0.0), "{shift_us}");
    }
}

#[test]
fn no_length_is_written_as_a_picosecond_and_is_the_same() {
    let mut xplane = run();
    xplane.planes[0].lines[0].events[3].duration_ps = 0;
    assert_eq!(alone(&xplane, &rows(&xplane)), (0.0, 0.0));
    xplane.planes[0].lines[0].events[3].duration_ps = 1;
    assert_eq!(alone(&xplane, &rows(&xplane)), (0.0, 0.0));
}

#[test]
fn a_shorter_json_fails_and_leaves_the_figures_to_the_xplane() {
    let mut json = rows(&run());
    for row in device_rows(&json).into_iter().rev().take(3) {
        json.remove(row);
    }
    let report = judged(&pair(&run(), &json));
    let check = report.checks.iter().find(|check| check.id == MISMATCH).unwrap();
    assert_eq!((check.state, check.fails, check.measured), (State::Violated, true, Some(3.0)));
    assert!(check.message.contains("such as `fusion.kd` on gpu:1"), "{}", check.message);
    assert_eq!(
        evidence(&report, MISMATCH, "devices"),
        json!(["gpu:0: xplane 8, JSON 8", "gpu:1: xplane 8, JSON 5"])
    );
    for id in [MISSES, CAP] {
        let check = report.checks.iter().find(|check| check.id == id).unwrap();
        assert_eq!(check.state, State::Holds, "{id}");
    }
    assert!(!report.claims.idle.by.iter().any(|id| id == MISMATCH));
}

#[test]
fn an_xplane_that_lost_work_loses_its_claims() {
    let mut xplane = run();
    xplane.planes[0].lines[0].events.truncate(5);
    let report = judged(&pair(&xplane, &rows(&run())));
    for claim in [Claim::Idle, Claim::Ranking] {
        let (state, by) = report.claims.get(claim);
        assert_eq!(state, ClaimState::Withheld, "{claim:?}");
        assert!(by.iter().any(|id| id == MISSES), "{claim:?} {by:?}");
    }
}

#[test]
fn the_cap_counts_where_the_figures_stand_on_the_export() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("host.trace.json");
    std::fs::write(&path, document(&rows(&run()))).unwrap();
    let mut alone = super::read_file(&path).unwrap();
    assert_eq!(alone.primary().source.events, 34);
    for (events, expected) in
        [(34, 0.0), (999_999, 0.0), (1_000_000, 1.0), (1_000_001, 0.0), (5_000_000, 1.0)]
    {
        alone.records[0].source.events = events;
        assert_eq!(measured(&alone, CAP), Some(expected), "{events}");
    }
    alone.records[0].source.events = 1_000_000;
    let report = judged(&alone);
    assert!(report.claims.idle.by.iter().any(|id| id == CAP));
    // Beside the xplane it is a note.
    let mut beside = pair(&run(), &rows(&run()));
    beside.records[1].source.events = 1_000_000;
    assert_eq!(measured(&beside, CAP), Some(0.0));
    let Measurement::Measured { message, .. } = found(&beside, CAP) else {
        panic!("it is measured");
    };
    assert!(message.contains("stopped at its exporter's limit of 1,000,000 events"), "{message}");
}

#[test]
fn with_one_record_there_is_nothing_to_compare() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("host.xplane.pb");
    std::fs::write(&path, run().bytes()).unwrap();
    let capture = super::read_file(&path).unwrap();
    for id in [MISMATCH, MISSES, CAP] {
        assert_eq!(measured(&capture, id), None, "{id}");
    }
}

#[test]
fn ids_that_are_no_numbers_do_not_hide_an_event() {
    let mut xplane = run();
    xplane.planes[0].lines[0].events[2].stats = vec![("correlation_id", Stat::Text("$$5"))];
    assert_eq!(alone(&xplane, &rows(&xplane)), (0.0, 0.0));
}

#[test]
fn given_pairs_agree() {
    let Some(corpus) = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures") else {
        return;
    };
    let mut pairs = 0;
    for capture in captures(&[corpus.join("jax")]) {
        let capture = capture.unwrap();
        let expected = (capture.records.len() == 2).then_some(0.0);
        pairs += usize::from(expected.is_some());
        for id in [MISMATCH, MISSES, CAP] {
            assert_eq!(measured(&capture, id), expected, "{} {id}", capture.name);
        }
    }
    assert!(pairs > 0, "no pair under {}", corpus.display());
}

#[test]
fn the_given_case_of_a_capped_export() {
    let Some(cases) = outside_data("IDLEPROOF_CASES", "../shared/cases", "cases") else { return };
    let folder = cases.join("42-json-cap-vs-xplane");
    let mut found = captures(std::slice::from_ref(&folder));
    assert_eq!(found.len(), 1);
    let capture = found.remove(0).unwrap();
    let report = judged(&capture);
    let text = std::fs::read(folder.join("expect.json")).unwrap();
    let expected: Value = serde_json::from_slice(&text).unwrap();
    let device = &report.records.as_ref().unwrap().devices[0];
    let figures = &expected["xplane"]["GPU:0"];
    assert_eq!(json!(device.kernels), figures["kernel_count"]);
    assert_eq!(serde_json::to_value(device.busy_us).unwrap(), figures["busy_us"]);
    assert_eq!(serde_json::to_value(device.total_us).unwrap(), figures["total_us"]);
    let reconciled = &expected["reconciliation"];
    assert_eq!(evidence(&report, MISMATCH, "json_device_events"), reconciled["gpu_events_json"]);
    assert_eq!(
        evidence(&report, MISMATCH, "xplane_device_events"),
        reconciled["gpu_events_xplane"]
    );
    let violated: Vec<&str> = report
        .checks
        .iter()
        .filter(|check| check.state == State::Violated && check.fails)
        .map(|check| check.id.as_str())
        .collect();
    assert_eq!(violated, [MISMATCH]);
    assert_eq!(report.claims.idle.state, ClaimState::Supported);
}
