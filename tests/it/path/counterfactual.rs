//! Estimates against the truth: the same program with the cause taken out.

use super::report;
use idleproof::report::{CaptureReport, Change, ClaimState, Microseconds};

/// The estimate for a cause holds the step time of the program without it, and saves something.
fn holds(with: &CaptureReport, cause: &str, without: &CaptureReport) {
    let median = |report: &CaptureReport| {
        let steps = report.records.as_ref().and_then(|records| records.steps.as_ref());
        steps.and_then(|steps| steps.step_time_us).unwrap_or_else(|| panic!("no step time")).median
    };
    assert_eq!(with.claims.estimate.state, ClaimState::Supported, "{:?}", with.claims.estimate);
    let change = find(with, cause);
    let (now, truth) = (median(with), median(without));
    let (least, most) = change.step_us.if_gone;
    assert_eq!(change.step_us.now, now);
    assert!(truth < now, "{truth} is no saving over {now}");
    assert!(least <= truth && truth <= most, "{cause}: {least} to {most}, in truth {truth}");
    assert!(change.at_best_us.is_some_and(|best| best <= least));
    assert_eq!(change.basis, "inferred");
}

fn find<'a>(report: &'a CaptureReport, cause: &str) -> &'a Change {
    let rows = &report.what_to_change;
    let found = rows.iter().find(|row| row.cause == cause);
    found.unwrap_or_else(|| panic!("{cause:?} is none of {rows:#?}"))
}

#[test]
fn a_gap_on_the_host() {
    let program = |load: u32| {
        let loading = if load > 0 { format!("op load 100+{load}\n") } else { String::new() };
        report(&format!(
            "repeat 6 as n every {} {{\n\
               annotation ProfilerStep#{{n}} 0+{}\n\
               launch 10..14\nkernel a 20+100\n{loading}\
               launch {}+4\nkernel b {}+50\n\
             }}\n",
            400 + load,
            399 + load,
            300 + load,
            310 + load
        ))
    };
    holds(&program(400), "the device waits for the host: load", &program(0));
}

/// Who replays graphs already is not told to capture them.
#[test]
fn advice_knows_whether_graphs_are_replayed() {
    let advice = |second: &str| {
        let report = report(&format!(
            "repeat 6 as n every 1000 {{\n\
               annotation ProfilerStep#{{n}} 0..990\n\
               op aten::mm 30..790\n\
               launch 10..14\nkernel a 20+100\n\
               {second}\n\
             }}\n"
        ));
        let knob = |cause: &str| find(&report, cause).knob.clone();
        [knob("the device waits for the host"), knob("the device waits for the host: aten::mm")]
    };
    let [all, op] = advice("launch 800..804\nkernel b 810+50");
    assert!(all.starts_with("graph capture"), "{all}");
    assert!(op.starts_with("compilation or graph capture"), "{op}");
    let [all, _] = advice("graph-launch 800..804\nkernel node 810>0+20 times=4");
    assert!(all.contains("outside the graphs that are replayed"), "{all}");
}

/// Advice to record what is recorded misleads: where frames are there, they are what to look at, and where none are, a new capture is
/// asked for.
#[test]
fn time_between_operators_sends_to_the_frames_in_it() {
    let program = |frames: &str| {
        report(&format!(
            "repeat 6 as n every 1000 {{\n\
               annotation ProfilerStep#{{n}} 0..990\n{frames}\
               launch 10..14\nkernel a 20+100\n\
               launch 800..804\nkernel b 810+50\n\
             }}\n"
        ))
    };
    let (with, without) = (program("python \"train.py(3): step\" 15..795\n"), program(""));
    let cause = "the device waits for the host: ProfilerStep#";
    let asked = |report: &CaptureReport| {
        let open = &report.needs_new_capture;
        open.iter().any(|one| one.capture.contains("with_stack=True"))
    };
    for (report, has_frames) in [(&with, true), (&without, false)] {
        let knob = &find(report, cause).knob;
        assert_eq!(knob.contains("Python frames"), has_frames, "{knob}");
        assert_eq!(asked(report), !has_frames, "{has_frames}");
    }
    assert_eq!(find(&without, cause).step_us, find(&with, cause).step_us);
}

/// Where no step repeats, the device may idle for long and the host wait for a moment: no more is saved than it waits.
#[test]
fn a_wait_saves_no_more_than_it_takes() {
    let report = report(
        "launch 0..4\nkernel a 10+300\nsync 6..315\nop load 320..3000\nlaunch 3000..3004\nkernel b 3010+50\nsync 3006..3065\n",
    );
    let row = find(&report, "the host waits for the device");
    let saved = row.step_us.now.ps() - row.step_us.if_gone.0.ps();
    assert!(saved > 0 && saved <= 368_000_000, "{row:?}");
}

/// Nothing waits for a step to end: without a kernel the host becomes the limit, 500 µs a step.
#[test]
fn a_kernel_in_a_program_whose_host_runs_ahead() {
    let program = |b: u32| {
        let step = 500.max(101 + b + u32::from(b > 0));
        let mut text = String::new();
        let mut end = 10;
        for n in 0..12_u32 {
            let host = n * 500;
            let start = end.max(host + 20);
            end = start + 100;
            text.push_str(&format!(
                "annotation ProfilerStep#{n} {host}..{}\nlaunch {}..{}\nkernel a {start}+100\n",
                host + 499,
                host + 5,
                host + 10
            ));
            if b > 0 {
                let start = (end + 1).max(host + 260);
                let called = host + 250;
                text.push_str(&format!("launch {called}..{}\nkernel b {start}+{b}\n", called + 5));
                end = start + b;
            }
            end += 1;
        }
        (report(&text), step)
    };
    let ((with, now), (without, gone)) = (program(900), program(0));
    assert_eq!((now, gone), (1_002, 500));
    holds(&with, "kernel b", &without);
}

#[test]
fn a_gap_on_the_host_that_hides_only_part_of_the_work() {
    // Without the gap the device has no pause left: less is saved than the gap takes.
    let program = |load: u32| {
        let loading = if load > 0 { format!("op load 20+{load}\n") } else { String::new() };
        report(&format!(
            "repeat 6 as n every {} {{\n\
               annotation ProfilerStep#{{n}} 0+{}\n\
               launch 10..14\nkernel a 20>1+300\n{loading}\
             }}\n",
            40 + load,
            39 + load
        ))
    };
    holds(&program(400), "the device waits for the host: load", &program(0));
}

#[test]
fn host_time_that_another_stream_covers() {
    // The device is never idle during the loading, and the step is shorter without it all the same.
    let program = |load: u32| {
        let loading = if load > 0 { format!("op load 20+{load}\n") } else { String::new() };
        report(&format!(
            "repeat 6 as n every {} {{\n\
               annotation ProfilerStep#{{n}} 0+{}\n\
               launch 10..14\nkernel a 20+300 stream=8\n{loading}\
               launch {}+4\nkernel b {}+260 stream=7\n\
               sync {}..{}\n\
             }}\n",
            345 + load,
            344 + load,
            24 + load,
            34 + load,
            30 + load,
            340.max(300 + load),
        ))
    };
    holds(&program(200), "the device waits for the host: load", &program(0));
}

#[test]
fn no_step_is_shorter_than_the_work_of_one_stream() {
    let report = report(
        "repeat 6 as n every 530 {\n\
           annotation ProfilerStep#{n} 0+529\n\
           launch 2..6\nkernel a 10+20 stream=8\n\
           launch 8..12\nkernel b 16+500 stream=7\n\
           sync 14..520\n\
         }\n",
    );
    let change = find(&report, "the host waits for the device");
    assert!(change.step_us.if_gone.0 >= Microseconds::from_ps(500_000_000), "{change:?}");
}

#[test]
fn an_exposed_copy() {
    let with = report(
        "repeat 6 as n every 440 {\n\
           annotation ProfilerStep#{n} 0..439\n\
           copy 10..12\nmemcpy HtoD 20+200\n\
           launch 14..16\nkernel a 221+100\nlaunch 18..20\nkernel b 322+100\n\
           sync 22..430\n\
         }\n",
    );
    let without = report(
        "repeat 6 as n every 239 {\n\
           annotation ProfilerStep#{n} 0..238\n\
           launch 10..12\nkernel a 20+100\nlaunch 14..16\nkernel b 121+100\n\
           sync 18..229\n\
         }\n",
    );
    holds(&with, "exposed copies and fills on the device", &without);
    // The call that hands it over may stay, and what follows is launched no sooner.
    let with_call = report(
        "repeat 6 as n every 243 {\n\
           annotation ProfilerStep#{n} 0..242\n\
           copy 10..12\n\
           launch 14..16\nkernel a 24+100\nlaunch 18..20\nkernel b 125+100\n\
           sync 22..233\n\
         }\n",
    );
    holds(&with, "exposed copies and fills on the device", &with_call);
}

/// The device copies for two microseconds and the host calls for a hundred: each is a row of its own, and the small one is none.
#[test]
fn calls_that_copy_are_apart_from_copies() {
    let program = |call: u32| {
        report(&format!(
            "repeat 6 as n every {} {{\n\
               annotation ProfilerStep#{{n}} 0+{}\n\
               copy 10+{call}\nmemcpy HtoD {}+2\n\
               launch {}+2\nkernel a {}+100\n\
             }}\n",
            150 + call,
            149 + call,
            15 + call,
            20 + call,
            30 + call,
        ))
    };
    let with = program(100);
    holds(&with, "calls that hand over copies and fills", &program(0));
    let row = find(&with, "calls that hand over copies and fills");
    assert_eq!(row.parts.len(), 1, "{row:?}");
    assert_eq!(row.parts[0].what, "cudaMemcpyAsync");
    let causes: Vec<&str> = with.what_to_change.iter().map(|row| row.cause.as_str()).collect();
    assert!(!causes.contains(&"exposed copies and fills on the device"), "{causes:?}");
    let launches = with.what_to_change.iter().find(|row| row.cause == "launch overhead");
    assert!(launches.is_none(), "copies are launched by no kernel's call: {launches:?}");
}

/// A cause without a part of the path of its own stands last, says what ran meanwhile, and promises nothing.
#[test]
fn a_wait_under_collectives_says_so_and_stands_last() {
    let report = report(
        "repeat 6 as n every 600 {\n\
           annotation ProfilerStep#{n} 0..599\n\
           launch 2..6\nkernel a 10+30 stream=7\n\
           launch 8..12\nkernel ncclDevKernel_AllReduce 16+400 stream=8\n\
           sync 14..430\n\
         }\n",
    );
    let last = report.what_to_change.last().unwrap();
    assert_eq!((last.cause.as_str(), last.share), ("the host waits for the device", None));
    let parts: Vec<(&str, i128)> =
        last.parts.iter().map(|part| (part.what.as_str(), part.time_us.ps() / 1_000_000)).collect();
    let expected = [
        ("under collectives alone", 376),
        ("under compute kernels", 26),
        ("while nothing ran, calling and returning included", 14),
    ];
    assert_eq!(parts, [expected[0], expected[1], expected[2]]);
    assert!(last.knob.contains("which rank comes last"), "{}", last.knob);
    assert!(last.is_upper_bound && last.open.is_some(), "{last:?}");
    let sure = |row: &&Change| !row.is_upper_bound;
    assert_eq!(report.what_to_change.iter().filter(sure).count(), 0);
}

#[test]
fn a_wait_of_the_host() {
    let with = report(
        "repeat 6 as n every 340 {\n\
           annotation ProfilerStep#{n} 0..339\n\
           launch 10..12\nkernel a 20+100\nlaunch 14..16\nkernel b 121+100\n\
           launch 18..20\nkernel c 222+100\n\
           sync 24..330\n\
         }\n",
    );
    let without = report(
        "repeat 6 as n every 34 {\n\
           annotation ProfilerStep#{n} 0..33\n\
           launch 10..12\nkernel a 20>1+100\nlaunch 14..16\nkernel b 21>1+100\n\
           launch 18..20\nkernel c 22>1+100\n\
         }\n",
    );
    holds(&with, "the host waits for the device", &without);
}

#[test]
fn an_exposed_collective() {
    let program = |reduce: bool| {
        let collective = "launch 18..20\nkernel ncclDevKernel_AllReduce 22>1+200\n";
        report(&format!(
            "repeat 6 as n every 34 {{\n\
               annotation ProfilerStep#{{n}} 0..33\n\
               launch 10..12\nkernel a 20>1+100\nlaunch 14..16\nkernel b 21>1+100\n{}\
             }}\n",
            if reduce { collective } else { "" }
        ))
    };
    holds(&program(true), "exposed collectives", &program(false));
}

#[test]
fn what_is_not_on_the_path_is_no_cause() {
    // The copy runs beside the kernels, on a stream of its own.
    let report = report(
        "repeat 6 as n every 300 {\n\
           annotation ProfilerStep#{n} 0..299\n\
           launch 10..12\nkernel a 20+290 stream=7\n\
           copy 14..16\nmemcpy HtoD 25+100 stream=8\n\
         }\n",
    );
    assert!(report.what_to_change.iter().all(|row| !row.cause.contains("cop")));
}

#[test]
fn rows_are_in_the_order_of_their_part_of_the_path() {
    let report = report(
        "repeat 6 as n every 440 {\n\
           annotation ProfilerStep#{n} 0..439\n\
           launch 10..12\nkernel a 20+150\nlaunch 14..16\nkernel b 171+250\n\
           sync 22..430\n\
         }\n",
    );
    let shares: Vec<f64> =
        report.what_to_change.iter().filter_map(|row| Some(row.share?.get())).collect();
    assert!(shares.len() > 1 && shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
    let below = |row: &&Change| row.step_us.now.ps() - row.step_us.if_gone.0.ps() < 4_400_000;
    assert_eq!(report.what_to_change.iter().filter(below).count(), 0);
    assert_eq!(find(&report, "kernel b").step_us.now, Microseconds::from_ps(440_000_000));
}
