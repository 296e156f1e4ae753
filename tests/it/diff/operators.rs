//! Operators held against each other: what a kernel's row hides is found, and a link that is lost is no operator that got faster.

use super::program::{line, report_of};
use super::step;
use crate::lab::dice::Dice;
use idleproof::compare::compare;
use idleproof::report::{
    CaptureReport, Comparison, ComparisonOutcome, Measure, MeasureKind, Spread, TimeVerdict,
};
use rayon::prelude::*;

/// A call in a step: an operator that launches one kernel; without an operator the link is lost.
#[derive(Clone, Copy)]
struct Call {
    op: Option<&'static str>,
    kernel: &'static str,
    us: i64,
}

const fn call(op: &'static str, kernel: &'static str, us: i64) -> Call {
    Call { op: Some(op), kernel, us }
}

/// Twelve steps of calls, each varying by up to a part in two hundred, always in the same way.
fn report(calls: impl Fn(u64) -> Vec<Call>) -> CaptureReport {
    varied(11, 5, calls)
}

/// The same of a seed, where calls vary by up to so many thousandths.
fn varied(seed: u64, per_mille: i64, calls: impl Fn(u64) -> Vec<Call>) -> CaptureReport {
    let dice = Dice::of(seed);
    let mut text = String::new();
    let mut clock = 20_000;
    for number in 0..12 {
        let mut events = String::new();
        let (mut launch, mut end) = (clock + 2_000, clock + 8_000);
        for (at, Call { op, kernel, us }) in (0..).zip(calls(number)) {
            let start = (end + 1_000).max(launch + 6_000);
            let range = 2 * per_mille.cast_unsigned() + 1;
            let varied = dice.below(number * 100 + at, range).cast_signed() - per_mille;
            end = start + us * (1_000 + varied);
            if let Some(op) = op {
                line(&mut events, &format!("op {op}"), launch - 500, launch + 4_500);
            }
            line(&mut events, "launch", launch, launch + 4_000);
            line(&mut events, &format!("kernel \"{kernel}\""), start, end);
            launch += 6_000;
        }
        line(&mut text, &format!("annotation ProfilerStep#{number}"), clock, end + 6_000);
        text.push_str(&events);
        line(&mut text, "sync", launch + 1_000, end + 4_000);
        clock = end + 8_000;
    }
    report_of(&text)
}

/// The step that most tests change: a kernel that two operators share, an operator of two kernels, and one of a kernel of its own.
fn usual(bmm: i64) -> Vec<Call> {
    let mut calls = vec![call("aten::mm", "gemm", 200); 9];
    calls.push(call("aten::bmm", "gemm", bmm));
    calls.push(call("aten::norm", "reduce", 12));
    calls.push(call("aten::norm", "scale", 12));
    calls.push(call("aten::relu", "clamp", 300));
    calls
}

fn operators(comparison: &Comparison) -> Vec<(&str, TimeVerdict)> {
    let rows = comparison.times.iter().filter(|one| one.kind == MeasureKind::Operator);
    rows.map(|one| (one.name.as_deref().unwrap_or_default(), one.verdict)).collect()
}

fn row<'a>(comparison: &'a Comparison, kind: MeasureKind, name: &str) -> &'a Measure {
    let mut rows = comparison.times.iter().filter(|one| one.kind == kind);
    rows.find(|one| one.name.as_deref() == Some(name))
        .unwrap_or_else(|| panic!("no {name} in {:#?}", comparison.times))
}

/// By hand: `gemm` takes 9 × 200 + 200 µs a step, and 1 % more with `bmm` at 220.
#[test]
fn a_kernel_that_operators_share_hides_the_slower_one() {
    let (before, after) = (report(|_| usual(200)), report(|_| usual(220)));
    let comparison = compare(&before, &after);
    assert_eq!(row(&comparison, MeasureKind::Kernel, "gemm").verdict, TimeVerdict::Noise);
    assert_eq!(step(&comparison).verdict, TimeVerdict::Noise);
    let (noise, slower) = (TimeVerdict::Noise, TimeVerdict::Slower);
    // `aten::relu` is the kernel `clamp` under another name, and that has a row.
    let expected = [("aten::mm", noise), ("aten::bmm", slower), ("aten::norm", noise)];
    assert_eq!(operators(&comparison), expected, "{comparison:#?}");
    assert_eq!(comparison.outcome, ComparisonOutcome::Regressed);
    let bmm = row(&comparison, MeasureKind::Operator, "aten::bmm");
    assert!(bmm.change_pct.is_some_and(|change| (9.0..11.0).contains(&change)), "{bmm:#?}");
    let same = compare(&before, &before);
    assert_eq!(same.outcome, ComparisonOutcome::Same, "{same:#?}");
}

#[test]
fn an_operator_of_one_kernel_is_told_once() {
    let with = |us: i64| {
        report(move |_| vec![call("aten::relu", "clamp", us), call("aten::mm", "gemm", 900)])
    };
    let comparison = compare(&with(300), &with(340));
    assert_eq!(operators(&comparison), []);
    let clamp = row(&comparison, MeasureKind::Kernel, "clamp");
    assert_eq!((clamp.verdict, clamp.op.as_deref()), (TimeVerdict::Slower, Some("aten::relu")));
    assert_eq!(comparison.outcome, ComparisonOutcome::Regressed);
}

/// The kernel has another name, so that only its operator is there on both sides.
#[test]
fn an_operator_is_compared_where_its_kernel_is_replaced() {
    let with = |kernel: &'static str, us: i64| {
        report(move |_| vec![call("aten::mm", kernel, us), call("aten::relu", "clamp", 900)])
    };
    let comparison = compare(&with("gemm_128", 300), &with("gemm_256", 360));
    assert_eq!(operators(&comparison), [("aten::mm", TimeVerdict::Slower)]);
    assert_eq!(comparison.structure.appeared[0].name, "gemm_256");
    assert_eq!(comparison.outcome, ComparisonOutcome::Regressed);
}

/// A hundredth of the kernel time or less loses its link: too little for what is told of shares.
#[test]
fn a_lost_link_makes_no_operator_faster() {
    let one = Spread { min: 1, median: 1, max: 1 };
    let two = Spread { min: 2, median: 2, max: 2 };
    let sometimes = Spread { min: 1, ..two };
    for (is_lost, after) in [(steps_all as fn(u64) -> bool, one), (steps_third, sometimes)] {
        let lossy = report(|step| {
            let mut calls = usual(200);
            calls[10].op = calls[10].op.filter(|_| !is_lost(step));
            calls
        });
        let whole = report(|_| usual(200));
        for (sides, expected) in
            [([&whole, &lossy], [two, after]), ([&lossy, &whole], [after, two])]
        {
            let comparison = compare(sides[0], sides[1]);
            assert_eq!(comparison.outcome, ComparisonOutcome::Changed, "{comparison:#?}");
            assert!(operators(&comparison).iter().all(|(name, _)| *name != "aten::norm"));
            let told = &comparison.structure.operators[0];
            assert_eq!(told.name, "aten::norm");
            assert_eq!([told.before, told.after], expected.map(Some));
        }
    }
}

const fn steps_all(_: u64) -> bool {
    true
}

const fn steps_third(step: u64) -> bool {
    step % 3 == 1
}

/// Without their links both kernels of the operator are left, and the operator is in no table.
#[test]
fn an_operator_that_is_gone_is_told_as_such() {
    let lossy = report(|_| {
        let mut calls = usual(200);
        calls[10].op = None;
        calls[11].op = None;
        calls
    });
    let comparison = compare(&report(|_| usual(200)), &lossy);
    let told = &comparison.structure.operators[0];
    assert_eq!((told.name.as_str(), told.after), ("aten::norm", None));
}

/// Below half of the kernel time the table of operators is no table of the workload.
#[test]
fn operators_are_withheld_with_their_claim() {
    let lossy = report(|_| {
        let mut calls = usual(200);
        calls[..9].iter_mut().for_each(|one| one.op = None);
        calls
    });
    let comparison = compare(&report(|_| usual(200)), &lossy);
    let found = operators(&comparison);
    assert!(
        !found.is_empty() && found.iter().all(|one| one.1 == TimeVerdict::Withheld),
        "{found:?}"
    );
    assert!(comparison.structure.operators.is_empty(), "{comparison:#?}");
    assert!(row(&comparison, MeasureKind::Kernel, "clamp").op.is_none());
}

/// At most one of two hundred pairs, as of kernels alone: even chance of ±3.5 % spreads by 2 %.
#[test]
fn noise_of_operators_is_no_regression() {
    let pair = |seed: &u64| {
        let [before, after] = [0, 1].map(|side| varied(seed * 2 + side, 35, |_| usual(200)));
        compare(&before, &after).outcome == ComparisonOutcome::Regressed
    };
    let found = (0..200_u64).into_par_iter().filter(pair).count();
    assert!(found <= 1, "{found} of 200");
}
