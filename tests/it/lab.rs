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
    let plans: Vec<_> =
        (0..n).map(|_| honest::plans().new_tree(&mut runner).unwrap().current()).collect();
    let begin = std::time::Instant::now();
    let only: Vec<usize> = std::env::var("LAB_ONLY")
        .unwrap_or_default()
        .split(',')
        .filter_map(|one| one.parse().ok())
        .collect();
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
                .filter(|(at, _)| only.is_empty() || only.contains(at))
                .map(|(at, kind)| {
                    let mut damaged = capture.clone();
                    (kind.inflict)(&mut damaged, Dice::of((seed * 1000 + at) as u64));
                    let report = pipeline(&damaged.files());
                    let same = report.claims == intact.claims;
                    ({
                        let mut o = outcome(&truth, Some(&damaged), &report);
                        if kind.effect == damage::Effect::Merger { o.kernel_time = Fate::True; }
                        if kind.effect == damage::Effect::None { o.kernel_time = Fate::True; o.idle = Fate::True; o.host = Fate::True; o.ranking = Fate::True; o.bounds_hold = [None, None]; }
                        o
                    }, same, report.claims.clone(), damaged.events.len(), intact.claims.clone(), report.records.iter().flat_map(|r| &r.devices).map(|d| {
                        let t = d.total_us.as_f64() / 100.0;
                        let b = |x: Option<(idleproof::report::Microseconds, idleproof::report::Microseconds)>| x.map(|(a, b)| format!("{:.2}..{:.2}", a.as_f64() / t, b.as_f64() / t)).unwrap_or_default();
                        let w = truth.windows(&report).get(&d.name).copied();
                        let tr = w.and_then(|w| Some(format!("truth idle {:.2} starved {:.2}..{:.2}", truth.idle(&d.name, w)?.as_us_f64() / t, truth.starved(&d.name, w)?.0.as_us_f64() / t, truth.starved(&d.name, w)?.1.as_us_f64() / t)));
                        let cl: Vec<_> = d.idle.classes.iter().filter(|c| c.time_us.ps() > 0).map(|c| format!("{} {:.2}", c.name, c.time_us.as_f64() / t)).collect();
                        format!("    {} {:.0} us: idle {:.2} bounds {} starved {} | {} | {cl:?} {:?}", d.name, t * 100.0, d.idle_us.as_f64() / t, b(d.idle.inactive_us), b(d.idle.host_starved_us), tr.unwrap_or_default(), d.idle.doubts)
                    }).collect::<Vec<_>>())
                })
                .collect()
        })
        .collect();
    say(&format!("{:?}", begin.elapsed()));
    for (at, kind) in KINDS
        .iter()
        .enumerate()
        .filter(|(at, _)| only.is_empty() || only.contains(at))
        .map(|(_, kind)| kind)
        .enumerate()
    {
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
        let missed: Vec<usize> = rows
            .iter()
            .enumerate()
            .filter(|(_, r)| {
                [r.0.idle, r.0.host, r.0.ranking, r.0.kernel_time].contains(&Fate::Missed)
                    || r.0.bounds_hold.contains(&Some(false))
            })
            .map(|(i, _)| i)
            .take(5)
            .collect();
        say(&format!(
            "{:60} idle {:8} rules {r0}/{hm} {r1}/{hm} | rank {:8} | ktime {:8} | host {:8} | bounds {} {} | width {:.1} {:.1} max {:.1} | same {same} {missed:?}",
            kind.name,
            fates(&|o| o.idle),
            fates(&|o| o.ranking),
            fates(&|o| o.kernel_time),
            fates(&|o| o.host),
            holds(0),
            holds(1),
            w(50),
            w(90),
            w(100)
        ));
    }
    let mut n_shown = std::collections::BTreeMap::new();
    for (p, one) in all.iter().enumerate() {
        for (k, run) in one.iter().enumerate() {
            let o = &run.0;
            let kind = KINDS
                .iter()
                .enumerate()
                .filter(|(at, _)| only.is_empty() || only.contains(at))
                .map(|(_, kind)| kind)
                .nth(k)
                .unwrap();
            let bad = if kind.effect == damage::Effect::None {
                !run.1 || o.width.is_some_and(|w| w > 1.0)
            } else {
                [o.idle, o.host, o.ranking, o.kernel_time].contains(&Fate::Missed)
                    || o.bounds_hold.contains(&Some(false))
            };
            let n = n_shown.entry(k).or_insert(0);
            if bad && *n < 12 {
                *n += 1;
                say(&format!(
                    "## {p} {} {:?} {:?} {:?} {:?} {:?} {:?}\n{}",
                    kind.name,
                    o.idle,
                    o.host,
                    o.ranking,
                    o.kernel_time,
                    o.bounds_hold,
                    o.violated,
                    run.5.join("\n")
                ));
            }
        }
    }
    if let Ok(which) = std::env::var("LAB_SHOW") {
        let (p, k) = which.split_once(',').unwrap();
        let (p, k): (usize, usize) = (p.parse().unwrap(), k.parse().unwrap());
        say(&format!("{}\n{:#?}\n{:#?}", honest::fixture(&plans[p]), plans[p], all[p][k].0));
        say(&format!("{:?}\n intact {:?} {:#?}", all[p][k].2, all[p][k].4, all[p][k].5));
    }
}

#[test]
fn corpus_stats() {
    use idleproof::trace::HostCallKind;
    let corpus =
        crate::harness::outside_data("IDLEPROOF_CORPUS", "../shared/captures", "corpus").unwrap();
    let mut folders: Vec<_> =
        std::fs::read_dir(corpus.join("kineto")).unwrap().flatten().map(|e| e.path()).collect();
    folders.sort();
    for folder in folders {
        if folder.ends_with("xdit-flux1-aiter-sage") && std::env::var("LAB_XDIT").is_err() {
            continue;
        }
        let found = idleproof::read::find(&[folder.clone()]).unwrap();
        for family in &found.families {
            for capture in idleproof::read::read_family(family).captures.into_iter().flatten() {
                let a = idleproof::analysis::analyse(&capture);
                let t = &capture.primary().trace;
                let count = |kind: HostCallKind| {
                    let all = t.host_calls.iter().filter(|c| c.kind == kind).count();
                    let none = a
                        .launches
                        .accountable(t, kind)
                        .filter(|(i, _)| a.launches.n_records[*i] == 0)
                        .count();
                    format!("{none}/{all}")
                };
                let m = a
                    .launches
                    .of_event
                    .iter()
                    .enumerate()
                    .filter_map(|(i, l)| {
                        Some(
                            t.device_events[i].interval.start()
                                - t.host_calls[l.call()?].interval.start(),
                        )
                    })
                    .min();
                let mut others: std::collections::BTreeMap<&str, (u32, u32)> = Default::default();
                for (i, c) in
                    t.host_calls.iter().enumerate().filter(|(_, c)| !c.kind.hands_over_work())
                {
                    let e = others.entry(t.name(c.api)).or_default();
                    e.1 += 1;
                    e.0 += u32::from(a.launches.n_records[i] > 0);
                }
                others.retain(|_, v| v.0 > 0);
                for (d, i) in a.timeline.devices.iter().zip(&a.idle.devices) {
                    let w = d.window.duration();
                    let p = |x: idleproof::units::Picoseconds| {
                        x.share_of(w).map_or(0.0, |r| r.percent())
                    };
                    say(&format!(
                        "{} idle {:.2} bounds {:.2}..{:.2} W {:.0}us idle in W {:.0}us = {:.3}% of window; copy {} bcopy {} set {} launch {} m {:?} others {others:?} queued {:.3} hw {:.3} doubts {:?}",
                        capture.name,
                        p(d.gaps.total()),
                        p(i.inactive.lo),
                        p(i.inactive.hi),
                        a.waits.synchronising.total().as_us_f64(),
                        a.waits.synchronising_idle.total().as_us_f64(),
                        p(d.gaps.intersection(&a.waits.synchronising).total()),
                        count(HostCallKind::Copy),
                        count(HostCallKind::BlockingCopy),
                        count(HostCallKind::Set),
                        count(HostCallKind::Launch),
                        m.map(|m| m.as_us_f64()),
                        p(i.gaps.queued.total()),
                        p(i.gaps.host_waits.total()),
                        i.doubts
                    ));
                }
            }
        }
    }
}
