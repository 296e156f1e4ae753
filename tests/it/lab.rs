//! The damage laboratory: complete captures of known truth, damaged in every way, and what becomes of their claims.

mod capture;
mod damage;
mod dice;
mod honest;
mod outcome;
mod rules;
mod truth;

use crate::fixture::{self, Written};
use crate::harness::{pipeline, say};
use capture::Capture;
use damage::KINDS;
use dice::Dice;
use outcome::{Fate, outcome};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use rayon::prelude::*;
use truth::Truth;

#[test]
fn lab() {
    let n: usize = std::env::var("LAB_N").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let mut runner = TestRunner::deterministic();
    let plans: Vec<_> = (0..n)
        .map(|_| honest::plans().new_tree(&mut runner).unwrap().current())
        .collect();
    let begin = std::time::Instant::now();
    let all: Vec<Vec<_>> = plans
        .par_iter()
        .enumerate()
        .map(|(seed, plan)| {
            let text = honest::fixture(plan);
            let bytes = match fixture::write(&text) {
                Ok(Written::Kineto(bytes)) => bytes,
                other => panic!("{other:?}\n{text}"),
            };
            let intact = pipeline(&[("rank_0.pt.trace.json".to_owned(), bytes.clone())]);
            let capture = Capture::parse(&bytes).unwrap();
            let truth = Truth::of(&capture);
            KINDS
                .iter()
                .enumerate()
                .map(|(at, kind)| {
                    let mut damaged = capture.clone();
                    (kind.inflict)(&mut damaged, Dice::of((seed * 1000 + at) as u64));
                    let report = pipeline(&damaged.files());
                    let same = report.claims == intact.claims;
                    (outcome(&truth, Some(&damaged), &report), same, report.claims.clone(), damaged.events.len(), intact.claims.clone())
                })
                .collect()
        })
        .collect();
    say(&format!("{:?}", begin.elapsed()));
    for (at, kind) in KINDS.iter().enumerate() {
        let rows: Vec<_> = all.iter().map(|one| &one[at]).collect();
        let count = |f: &dyn Fn(&outcome::Outcome) -> bool| rows.iter().filter(|r| f(&r.0)).count();
        let fates = |g: &dyn Fn(&outcome::Outcome) -> Fate| {
            let c = count(&|o| g(o) == Fate::Caught);
            let m = count(&|o| g(o) == Fate::Missed);
            format!("{c}/{}", c + m)
        };
        let holds = |i: usize| {
            let h = count(&|o| o.bounds_hold[i] == Some(true));
            let a = count(&|o| o.bounds_hold[i].is_some());
            format!("{h}/{a}")
        };
        let mut widths: Vec<f64> = rows.iter().filter_map(|r| r.0.width).collect();
        widths.sort_by(f64::total_cmp);
        let w = |q: usize| widths.get((widths.len().max(1) - 1) * q / 100).copied().unwrap_or(-1.0);
        let same = rows.iter().filter(|r| r.1).count();
        let hm = count(&|o| o.idle != Fate::True);
        let r0 = count(&|o| o.idle != Fate::True && o.rules[0]);
        let r1 = count(&|o| o.idle != Fate::True && o.rules[1]);
        let missed: Vec<usize> = rows.iter().enumerate().filter(|(_, r)| [r.0.idle, r.0.host, r.0.ranking, r.0.kernel_time].contains(&Fate::Missed) || r.0.bounds_hold.contains(&Some(false))).map(|(i, _)| i).take(5).collect();
        say(&format!(
            "{:60} idle {:8} rules {r0}/{hm} {r1}/{hm} | rank {:8} | ktime {:8} | host {:8} | bounds {} {} | width {:.1} {:.1} max {:.1} | same {same} {missed:?}",
            kind.name, fates(&|o| o.idle), fates(&|o| o.ranking), fates(&|o| o.kernel_time), fates(&|o| o.host), holds(0), holds(1), w(50), w(90), w(100)
        ));
    }
    if let Ok(which) = std::env::var("LAB_SHOW") {
        let (p, k) = which.split_once(',').unwrap();
        let (p, k): (usize, usize) = (p.parse().unwrap(), k.parse().unwrap());
        say(&format!("{}\n{:#?}\n{:#?}", honest::fixture(&plans[p]), plans[p], all[p][k].0));
        say(&format!("{:?}\n intact {:?}", all[p][k].2, all[p][k].4));
    }
}
