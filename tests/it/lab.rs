//! The damage laboratory: complete captures of known truth, damaged in every way, and what becomes of their claims.
//!
//! A figure is false from two points on. A false figure must not be stated, and bounds that are stated must hold. What says
//! nothing new must change no claim.
//!
//! All of it takes minutes. Without `IDLEPROOF_LAB=all` in the environment a sample is run, and `docs/honesty.md` stays as it is.

mod capture;
mod corpus;
mod damage;
pub(crate) mod dice;
mod exempt;
mod honest;
mod jax;
mod outcome;
mod page;
mod rules;
mod subject;
mod synthetic;
mod table;
mod truth;

pub(crate) use dice::Dice;

use crate::harness::{assert_no_mismatch, in_crate, say};
use table::{Row, Totals, totals};

/// The share of stated bounds that must hold the truth.
const BOUNDS_HOLD: f64 = 0.99;

/// A sample is one in so many.
const SAMPLE: usize = 10;

/// Of real captures it takes those that are no longer.
const SAMPLE_BYTES: u64 = 60_000;

#[test]
fn damage_is_told_and_honest_captures_keep_their_claims() {
    let part = |all: usize| if is_whole() { all } else { all / SAMPLE };
    let results = synthetic::results(part(synthetic::N_CAPTURES));
    let jax = jax::rows(part(jax::N_RUNS));
    let mut wrong: Vec<String> = results.fault.iter().cloned().collect();
    wrong.extend(faults(&results.rows).into_iter().chain(faults(&jax)));
    wrong.extend(missed_bounds("generated", &totals(&results.rows)));
    wrong.extend(missed_bounds("generated JAX", &totals(&jax)));
    say(&format!(
        "the laboratory on generated captures\n{:?}\n{:?}",
        totals(&results.rows),
        totals(&jax)
    ));
    assert_no_mismatch(&wrong);
    if !is_whole() {
        return;
    }

    let page = page::page(&results, &jax);
    let path = in_crate("docs/honesty.md");
    // A checkout may have turned the line ends.
    let committed = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    if committed != page {
        std::fs::write(&path, page).unwrap();
        panic!("docs/honesty.md was stale: written anew from the results of the laboratory");
    }
}

/// The same with real captures, whose results are printed and not written down.
#[test]
fn damage_of_given_captures_is_told() {
    let bytes_max = if is_whole() { u64::MAX } else { SAMPLE_BYTES };
    let Some(rows) = corpus::rows(bytes_max) else { return };
    say(&format!(
        "the laboratory on given captures\n{}\n{}\n{:?}",
        table::harmless_table(&rows),
        table::damage_table(&rows),
        totals(&rows)
    ));
    let mut wrong = faults(&rows);
    wrong.extend(missed_bounds("given", &totals(&rows)));
    assert_no_mismatch(&wrong);
}

/// True where the laboratory is to run whole.
fn is_whole() -> bool {
    std::env::var_os("IDLEPROOF_LAB").is_some_and(|value| value == "all")
}

fn faults(rows: &[Row]) -> Vec<String> {
    let runs = rows.iter().flat_map(|row| &row.runs);
    runs.filter_map(|run| run.fault.clone()).collect()
}

fn missed_bounds(what: &str, totals: &Totals) -> Vec<String> {
    let wrong =
        totals.bounds.iter().filter(|(stated, hold)| (*hold as f64) < BOUNDS_HOLD * *stated as f64);
    wrong.map(|bounds| format!("{what}: too few bounds hold: {bounds:?}")).collect()
}
