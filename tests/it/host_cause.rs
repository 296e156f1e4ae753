//! What the host did while a device was idle, and how long launches take: on small captures with known answers, and on every given
//! one that the rows add up.

use crate::fixture;
use crate::harness::{assert_no_mismatch, in_crate, outside_data, pipeline};
use idleproof::analysis::{Analysis, Choice, LaunchTiming, analyse, analyse_for};
use idleproof::read;
use idleproof::report::{CaptureReport, IdleHostEvent, LongGap, Microseconds, Records};
use idleproof::trace::{Capture, Trace};
use idleproof::units::Picoseconds;
use std::path::{Path, PathBuf};

fn report(text: &str) -> CaptureReport {
    let bytes = fixture::write(text).unwrap_or_else(|error| panic!("{error}"));
    pipeline(&[("trace.pt.trace.json".to_owned(), bytes.kineto())])
}

fn records(report: &CaptureReport) -> &Records {
    report.records.as_ref().unwrap_or_else(|| panic!("refused: {:?}", report.error))
}

/// `kind name gaps time` of every row of a device.
fn rows(report: &CaptureReport, device: usize) -> Vec<String> {
    let row =
        |row: &IdleHostEvent| format!("{} {} {} {}", row.kind, row.name, row.gaps, row.time_us);
    records(report).devices[device].idle_host_events.iter().map(row).collect()
}

#[test]
fn the_innermost_event_on_the_launching_thread_counts() {
    // Idle from 20 to 100: the step, an operator in it, a call in that; then the launch, and nothing after its return.
    let report = report(
        "annotation ProfilerStep#7 0..95\n\
         op aten::item 30..60\n\
         call cudaEventQuery 40..50\n\
         op other-thread 0..200 thread=9\n\
         launch 1..2\nkernel a 10..20\n\
         launch 80..90\nkernel b 100..110\n",
    );
    assert_eq!(
        rows(&report, 0),
        [
            "annotation ProfilerStep# 1 35",
            "op aten::item 1 20",
            "call cudaEventQuery 1 10",
            "call cudaLaunchKernel 1 10",
            "none no host event 1 5",
        ]
    );
}

/// Where in time the idle is, with what ran around each gap.
#[test]
fn the_longest_gaps_come_first_with_what_ran_around_them() {
    let report = report(
        "op aten::item 150..380\n\
         launch 1..2\nkernel a 10..20\n\
         launch 30..40\nkernel b 50..60\n\
         launch 390..395\nkernel c 400..410\n",
    );
    let device = &records(&report).devices[0];
    let gap = |gap: &LongGap| {
        let text = |name: &Option<String>| name.clone().unwrap_or_default();
        let (last, next, class) = (text(&gap.last_work), text(&gap.next_work), text(&gap.class));
        let start = gap.start_us.ps() - device.window_us.0.ps();
        let (event, us) = (text(&gap.host_event), gap.host_us.unwrap_or_default());
        format!("{} {} {last} {next} {class} {event} {us}", start / 1_000_000, gap.length_us)
    };
    let gaps: Vec<String> = device.longest_gaps.iter().map(gap).collect();
    let expected =
        ["50 340 b c host-starved aten::item 230", "10 30 a b host-starved no host event 20"];
    assert_eq!(gaps, expected);
    assert_eq!(device.longest_gaps[0].launch.as_deref(), Some("cudaLaunchKernel"));
}

#[test]
fn each_gap_has_the_thread_of_its_own_next_launch() {
    let report = report(
        "op forward 0..200 thread=1\nop backward 0..200 thread=2\n\
         launch 1..2 thread=1\nkernel a 10..20\n\
         launch 30..31 thread=2\nkernel b 50..60\n\
         launch 61..62 thread=1\nkernel c 90..95\n\
         kernel lost 100..101 corr=none ext=none\n",
    );
    // Gaps of 30, 30 and 5; the last one is ended by work of which no call is known.
    assert_eq!(
        rows(&report, 0),
        [
            "op backward 1 29",
            "op forward 1 29",
            "unknown-thread launching thread unknown 1 5",
            "call cudaLaunchKernel 2 2",
        ]
    );
}

/// What was queued before anything was recorded waited for nobody: idle before it is no wait for the host for certain.
#[test]
fn idle_before_work_without_a_launch_is_no_certain_wait_for_the_host() {
    let starved = |second: &str| {
        let report = report(&format!(
            "op forward 0..900\nlaunch 1..2\nkernel a 10..20\n\
             {second}\n\
             launch 140..141\nkernel c 230..240\n"
        ));
        let idle = &records(&report).devices[0].idle;
        let (least, most) = idle.host_starved_us.unwrap_or_else(|| panic!("no bounds"));
        (least.to_string(), most.to_string(), idle.doubts.len())
    };
    assert_eq!(
        starved("launch 60..61\nkernel b 120..130"),
        ("200".to_owned(), "200".to_owned(), 0)
    );
    let (least, most, n_doubts) = starved("kernel b 120..130 corr=7 ext=none");
    assert_eq!((least.as_str(), most.as_str()), ("100", "200"));
    assert!(n_doubts > 0);
}

#[test]
fn devices_have_rows_of_their_own() {
    let report = report(
        "gpu 0..1 \"GPU\"\nop step 0..60\n\
         launch 1..2\nkernel a 10..20 device=0 stream=7\n\
         launch 3..4\nkernel b 10..20 device=1 stream=7\n\
         launch 40..41\nkernel c 50..60 device=1 stream=7\n\
         launch 80..81\nkernel d 90..100 device=0 stream=7\n",
    );
    assert_eq!(
        rows(&report, 0),
        ["op step 1 39", "none no host event 1 29", "call cudaLaunchKernel 1 2"]
    );
    assert_eq!(rows(&report, 1), ["op step 1 29", "call cudaLaunchKernel 1 1"]);
}

/// A tracer was seen to join kernels to a wait of another thread, which launched nothing.
#[test]
fn a_wait_is_no_launch() {
    let report = report(
        "launch 1..2\nkernel a 10..20\n\
         op busy 0..100 thread=9\ncall cudaStreamWaitEvent 30..31 corr=50 thread=9\n\
         kernel b 60..70 corr=50\n",
    );
    assert_eq!(rows(&report, 0), ["unknown-thread launching thread unknown 1 40"]);
}

#[test]
fn a_capture_without_idle_has_no_rows() {
    let report = report("launch 0..1\nkernel a 10..20\nlaunch 2..3\nkernel b 20..30\n");
    assert!(rows(&report, 0).is_empty());
}

#[test]
fn launches_are_timed_once_and_from_the_start_of_the_call() {
    let report = report(
        "launch 0..2\nkernel a 10..20\n\
         graph-launch 30..32\nkernel b 50..60\nkernel c 61..62\n\
         launch 40..41\nkernel d 65..75\n",
    );
    let timing = records(&report).launches.timing.as_ref().unwrap();
    let us = |time: Microseconds| time.to_string();
    assert_eq!(timing.launches, 3);
    let latency = timing.latency_us;
    // 10, 20 and 25; the third was queued behind the replay.
    assert_eq!([latency.p5, latency.median, latency.max].map(us), ["10", "20", "25"]);
    assert_eq!(us(timing.latency_sum_us), "55");
    assert_eq!((timing.launches_into_empty_queue, timing.floor_us), (2, None));
    assert_eq!([timing.kernel_mean_us, timing.kernel_median_us].map(us), ["7.75", "10"]);
}

#[test]
fn the_floor_needs_twenty_launches_into_an_empty_queue() {
    for (launches, floor) in [(19, None), (20, Some("8"))] {
        let text = format!("repeat {launches} every 100 {{\n launch 0..5\n kernel k 8..20\n}}\n");
        let report = report(&text);
        let timing = records(&report).launches.timing.as_ref().unwrap();
        assert_eq!(timing.launches_into_empty_queue, launches);
        assert_eq!(timing.floor_us.map(|floor| floor.to_string()).as_deref(), floor);
    }
}

#[test]
fn frames_of_a_python_tracer_are_counted() {
    let with = report("python f 0..100\npython g 5..50\nlaunch 1..2\nkernel a 10..20\n");
    assert_eq!(records(&with).python_frames, 2);
}

/// Every capture below a folder; what is no capture is left out.
fn captures(folder: &Path) -> Vec<Capture> {
    let found = read::find(&[folder.to_path_buf()]).unwrap_or_else(|error| panic!("{error:?}"));
    let read = found.families.iter().flat_map(|family| read::read_family(family).captures);
    read.filter_map(Result::ok).collect()
}

/// The folders of given captures and of the samples that ship.
fn folders() -> Vec<PathBuf> {
    let given = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures");
    given.into_iter().chain([in_crate("tests/captures")]).collect()
}

#[test]
fn the_rows_of_every_capture_add_up_to_its_idle() {
    let (mut mismatches, mut n_gaps) = (Vec::new(), 0);
    for capture in folders().iter().flat_map(|folder| captures(folder)) {
        let trace = &capture.primary().trace;
        let analysis = analyse_for(&capture, Choice { every_gap: true, ..Choice::default() });
        for (device, cause) in analysis.timeline.devices.iter().zip(&analysis.host_cause) {
            let rows: Picoseconds = cause.rows.iter().map(|row| row.time).sum();
            if rows != device.gaps.total() || cause.gaps.len() != device.gaps.len() {
                mismatches.push(format!("{}: {rows} of {}", capture.name, device.gaps.total()));
            }
            n_gaps += cause.gaps.len();
            for (gap, known) in device.gaps.iter().zip(&cause.gaps) {
                if known.time > gap.duration() || known.time <= Picoseconds::ZERO {
                    mismatches.push(format!("{}: {known:?} in {gap:?}", capture.name));
                }
            }
        }
        mismatches.extend(wrong_time_of_events(&capture.name, trace, &analysis));
    }
    assert!(n_gaps > 1_000, "{n_gaps} gaps were looked at");
    assert_no_mismatch(&mismatches);
}

/// No event can have been the innermost for longer than it ran in all.
fn wrong_time_of_events(name: &str, trace: &Trace, analysis: &Analysis) -> Option<String> {
    let calls: Picoseconds = trace.host_calls.iter().map(|call| call.interval.duration()).sum();
    let in_calls = analysis.host_cause.iter().map(|cause| {
        let calls = cause.rows.iter().filter(|row| row.activity.name() == "call");
        calls.map(|row| row.time).sum::<Picoseconds>()
    });
    let most = in_calls.max()?;
    (most > calls).then(|| format!("{name}: {most} in calls that last {calls}"))
}

/// Figures that were measured independently on given captures, in microseconds: launches over the span, median latency, floor
/// with its number of launches, and mean kernel. They interpolate between ranks; here a quantile is one of the times.
#[test]
fn launch_timing_agrees_with_the_facts() {
    let Some(corpus) = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures") else {
        return;
    };
    let close = |found: f64, expected: f64| (found - expected).abs() <= 0.005 * expected + 0.05;
    for (name, per_span, median, floor, kernel) in [
        ("mi300-falconsai", 0.49, 20.6, (Some(19.5), 109), 11.1),
        ("mi300-bert-small", 0.33, 18.2, (Some(17.6), 52), 6.5),
        ("mi300-qwen-0.5b", 40.91, 1766.2, (Some(30.8), 24), 28.4),
        ("mi300-resnet-act-checkpoint", 698.31, 27011.9, (None, 0), 32.5),
        ("vllm-decode-full", 5.97, 16536.7, (None, 1), 25.1),
        ("vllm-prefilldecode-piecewise", 104.48, 213881.4, (None, 1), 377.7),
    ] {
        let captures = captures(&corpus.join("kineto").join(name));
        let analysis = analyse(&captures[0]);
        let timing: LaunchTiming = analysis.launch_timing.unwrap();
        let span = analysis.timeline.devices[0].window.duration();
        let found = timing.latency_sum.as_us_f64() / span.as_us_f64();
        assert!(close(found, per_span), "{name}: {found} of the span");
        assert!(close(timing.latency.median.as_us_f64(), median), "{name}: {timing:?}");
        assert!(close(timing.kernel_mean.as_us_f64(), kernel), "{name}: {timing:?}");
        // Whether a copy at the start leaves its queue empty is a matter of taste.
        assert!(timing.n_into_empty_queue.abs_diff(floor.1) <= 1, "{name}: {timing:?}");
        let floors = timing.floor.map(Picoseconds::as_us_f64).zip(floor.0);
        assert!(
            floors.is_none_or(|(found, expected)| close(found, expected)),
            "{name}: {timing:?}"
        );
        assert_eq!(timing.floor.is_some(), floor.0.is_some(), "{name}");
    }
}
