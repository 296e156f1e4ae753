//! Two captures held against each other: what is the same stays the same, what is noise is no finding, and what got worse is named.

mod operators;
mod program;
mod rates;
mod transcripts;

use crate::harness::{in_crate, pipeline_at};
use idleproof::compare::compare;
use idleproof::report::{
    CaptureReport, Comparison, ComparisonOutcome, Direction, Measure, MeasureKind, Outcome,
    TimeVerdict,
};
use program::Program;

fn kernel<'a>(comparison: &'a Comparison, name: &str) -> &'a Measure {
    let mut kernels = comparison.times.iter().filter(|one| one.kind == MeasureKind::Kernel);
    kernels
        .find(|one| one.name.as_deref() == Some(name))
        .unwrap_or_else(|| panic!("no kernel {name} in {:#?}", comparison.times))
}

fn step(comparison: &Comparison) -> &Measure {
    comparison.step_time().unwrap_or_else(|| panic!("{comparison:#?}"))
}

fn assert_same(before: &CaptureReport, after: &CaptureReport) {
    let comparison = compare(before, after);
    assert_eq!(comparison.outcome, ComparisonOutcome::Same, "{comparison:#?}");
}

/// The samples that a comparison rests on: each kernel's time in each step, and each step's, to the start of the next.
#[test]
fn a_report_keeps_what_each_step_took() {
    let steps = [[300_001, 200_000], [310_000, 200_500], [290_000, 1_000]];
    let report = Program::of(steps.iter().map(|step| step.to_vec()).collect()).report();
    let of = |name: &str| {
        let mut kernels = report.hot_kernels.iter().filter(|one| one.name == name);
        let kernel = kernels.next().unwrap_or_else(|| panic!("{name}"));
        kernel.per_step_us.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(of("k0"), ["300.001", "310", "290"]);
    assert_eq!(of("k1"), ["200", "200.5", "1"]);
    let records = report.records.as_ref().and_then(|records| records.steps.as_ref());
    let rows = records.into_iter().flat_map(|steps| &steps.rows);
    let times = rows.map(|row| row.step_time_us.map(|time| time.to_string()));
    // From the first kernel of a step over the second, one microsecond apart, and the rest of the step to the next first kernel.
    let expected = [Some("518.001".to_owned()), Some("528.5".to_owned()), None];
    assert_eq!(times.collect::<Vec<_>>(), expected);
}

#[test]
fn a_capture_is_the_same_as_itself() {
    let run = pipeline_at(&[in_crate("tests/captures")]);
    let read = run.captures.iter().filter(|one| one.outcome == Outcome::Report);
    let mut n_same = 0;
    for capture in read {
        let comparison = compare(capture, capture);
        // Where no time may be stated nothing was compared, and that is said.
        let mut times = comparison.times.iter().filter(|one| one.kind != MeasureKind::Idle);
        let is_compared = times.any(|one| one.verdict.is_compared());
        let expected =
            if is_compared { ComparisonOutcome::Same } else { ComparisonOutcome::NotComparable };
        assert_eq!(comparison.outcome, expected, "{comparison:#?}");
        assert!(comparison.reliability.is_empty() && comparison.structure.is_empty());
        n_same += usize::from(is_compared);
    }
    assert!(n_same > 2, "{n_same}");
}

#[test]
fn steps_in_another_order_and_bytes_in_another_layout_are_the_same() {
    let durations = [300, 312, 288, 305, 297, 301, 310, 290, 303, 299, 308, 294];
    let mut shuffled = durations;
    shuffled.rotate_left(5);
    shuffled.swap(0, 7);
    let of = |all: &[i64]| Program::of(all.iter().map(|&us| vec![us * 1_000, 200_000]).collect());
    let capture = of(&durations).report();
    assert_same(&capture, &of(&shuffled).report());
    let rewritten = Program { header: "layout compact\n".to_owned(), ..of(&durations) }.report();
    assert_ne!(capture.files[0].sha256, rewritten.files[0].sha256);
    assert_same(&capture, &rewritten);
    assert_same(&rewritten, &capture);
}

/// Steps that all take the same: nothing is noise, and the threshold decides.
#[test]
fn constant_steps_differ_by_the_threshold_alone() {
    let of = |n: usize, us: i64| Program::of(vec![vec![us * 1_000, 300_000]; n]).report();
    for (n, us, expected) in [
        (12, 300, TimeVerdict::Noise),
        (12, 310, TimeVerdict::Noise),
        (12, 330, TimeVerdict::Slower),
        (12, 270, TimeVerdict::Faster),
        (7, 330, TimeVerdict::Slower),
        // Three to five steps, of which the last has no next one, are suspected at most, from twice the threshold on.
        (5, 330, TimeVerdict::Noise),
        (5, 380, TimeVerdict::SuspectedSlower),
        (5, 200, TimeVerdict::SuspectedFaster),
    ] {
        let comparison = compare(&of(n, 300), &of(n, us));
        assert_eq!(step(&comparison).verdict, expected, "{n} steps, {us} µs: {comparison:#?}");
        let fails = comparison.outcome == ComparisonOutcome::Regressed;
        assert_eq!(fails, expected == TimeVerdict::Slower, "{n} steps, {us} µs");
    }
}

/// More steps than are looked at, each second of which takes half as long again: equal strides would meet all of those or none.
#[test]
fn what_every_second_step_is_shows_in_long_captures() {
    let steps = |is_slow: fn(usize) -> bool| {
        let of = |at| vec![if is_slow(at) { 75_000 } else { 50_000 }];
        Program::of((0..513).map(of).collect()).report()
    };
    let (steady, odd, even) = (steps(|_| false), steps(|at| at % 2 == 1), steps(|at| at % 2 == 0));
    let slower = compare(&steady, &odd);
    assert_ne!(step(&slower).verdict, TimeVerdict::Noise, "{slower:#?}");
    assert_same(&odd, &even);
    assert_same(&even, &odd);
}

#[test]
fn ties_are_no_difference_and_hide_none() {
    // Whole microseconds, so that many steps are equal.
    let of = |base: i64| {
        let step = |n: i64| vec![(base + n % 3) * 1_000, 200_000];
        Program::of((0..14).map(step).collect()).report()
    };
    assert_same(&of(300), &of(300));
    assert_same(&of(300), &of(301));
    let comparison = compare(&of(300), &of(345));
    assert_eq!(kernel(&comparison, "k0").verdict, TimeVerdict::Slower);
    assert_eq!(kernel(&comparison, "k1").verdict, TimeVerdict::Noise);
}

#[test]
fn fewer_than_three_steps_are_not_compared_in_time() {
    let of = |n: usize| Program::of(vec![vec![300_000, 200_000]; n]).report();
    let comparison = compare(&of(3), &of(12));
    let step = step(&comparison);
    assert_eq!(step.verdict, TimeVerdict::NotCompared);
    let reason = step.reason.as_deref().unwrap_or_default();
    assert!(reason.contains("there are 2 before and 11 after"), "{reason}");
    // Two steps have no kernel samples either: nothing but idle is left.
    let comparison = compare(&of(2), &of(12));
    assert!(comparison.times.iter().all(|one| one.kind != MeasureKind::Kernel));
}

#[test]
fn nothing_to_compare_is_no_pass() {
    // Idle is the same, and everything takes twice as long.
    let of = |us: i64| Program::of(vec![vec![us * 1_000]; 2]).report();
    let comparison = compare(&of(300), &of(600));
    assert_eq!(comparison.outcome, ComparisonOutcome::NotComparable, "{comparison:#?}");
}

#[test]
fn a_lost_replay_is_a_regression_at_once() {
    let of = |loss: &str| program::report_of(&program::replayed(loss));
    let (whole, lost) = (of(""), of("lose replays=5..5\n"));
    assert_same(&whole, &whole);
    let comparison = compare(&whole, &lost);
    assert_eq!(comparison.outcome, ComparisonOutcome::Regressed);
    let worse = comparison.reliability.iter().filter(|one| one.direction == Direction::Worse);
    let subjects: Vec<&str> = worse.map(|one| one.subject.as_str()).collect();
    assert!(subjects.contains(&"check under-recorded-graph-replays"), "{subjects:?}");
    assert!(subjects.contains(&"claim idle"), "{subjects:?}");
    assert_eq!(step(&comparison).verdict, TimeVerdict::Withheld);
    assert!(step(&comparison).by.contains(&"under-recorded-graph-replays".to_owned()));
    // The other way round it is a gain.
    let comparison = compare(&lost, &whole);
    assert_eq!(comparison.outcome, ComparisonOutcome::NotComparable, "no time can be compared");
    assert!(comparison.reliability.iter().all(|one| one.direction != Direction::Worse));
}

#[test]
fn other_devices_are_not_comparable() {
    let of = |header: &str| {
        let steps = vec![vec![300_000, 200_000]; 12];
        Program { header: header.to_owned(), ..Program::of(steps) }.report()
    };
    let plain = of("");
    for (header, what) in [
        ("gpu 0 \"NVIDIA B200\"\n", "device model"),
        ("producer rocm\n", "vendor"),
        ("rank 0 of 8\n", "ranks of the job"),
    ] {
        let before = if what == "ranks of the job" { of("rank 0 of 2\n") } else { plain.clone() };
        let comparison = compare(&before, &of(header));
        assert_eq!(comparison.outcome, ComparisonOutcome::NotComparable, "{header}");
        let named = comparison.incomparable.iter().any(|one| one.what == what);
        assert!(named && comparison.times.is_empty(), "{header}: {comparison:#?}");
    }
    let comparison = compare(&plain, &of("field torch_version \"2.9\"\n"));
    assert_eq!(comparison.outcome, ComparisonOutcome::Same);
    assert_eq!(comparison.cautions[0].what, "torch_version");
}

/// Frames of the Python tracer slow the host down: a step that takes longer beside them is no proof.
#[test]
fn a_tracer_on_one_side_keeps_a_step_from_being_certain() {
    let of = |us: i64, header: &str| {
        let program = Program::of(vec![vec![us * 1_000, 200_000]; 12]);
        Program { header: header.to_owned(), ..program }.report()
    };
    let comparison = compare(&of(300, ""), &of(400, "python train.py(1) 0..9\n"));
    assert_eq!(step(&comparison).verdict, TimeVerdict::SuspectedSlower, "{comparison:#?}");
    assert!(comparison.cautions.iter().any(|one| one.what == "frames of the Python tracer"));
    // Kernels run on the device.
    assert_eq!(kernel(&comparison, "k0").verdict, TimeVerdict::Slower);
}

#[test]
fn the_structure_is_compared_exactly() {
    let two = Program::of(vec![vec![300_000, 200_000]; 12]).report();
    let three = Program::of(vec![vec![300_000, 200_000, 5_000]; 12]).report();
    let comparison = compare(&two, &three);
    assert_eq!(comparison.outcome, ComparisonOutcome::Changed, "{comparison:#?}");
    let found: Vec<_> = comparison.structure.differences.iter().map(|one| &one.what).collect();
    assert_eq!(found, ["kernels a step"]);
    assert_eq!(comparison.structure.appeared[0].name, "k2");
    assert_eq!(compare(&three, &two).structure.vanished[0].name, "k2");
}

/// The whole decides over its parts: a kernel may take longer where the step got faster.
#[test]
fn a_faster_step_excuses_a_slower_kernel() {
    let of = |a: i64, b: i64| Program::of(vec![vec![a * 1_000, b * 1_000]; 12]).report();
    let comparison = compare(&of(300, 200), &of(200, 240));
    assert_eq!(step(&comparison).verdict, TimeVerdict::Faster);
    assert_eq!(kernel(&comparison, "k1").verdict, TimeVerdict::Slower);
    assert_eq!(comparison.outcome, ComparisonOutcome::Changed);
    // Where the step's time stays, it is a regression.
    let comparison = compare(&of(300, 200), &of(260, 240));
    assert_eq!(comparison.outcome, ComparisonOutcome::Regressed);
}
