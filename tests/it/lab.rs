//! The damage laboratory: complete captures of known truth, damaged in every way, and what becomes of their claims.
//!
//! A figure is false from two points on. A false figure must not be stated, and bounds that are stated must hold. What says
//! nothing new must change no claim.

mod capture;
mod corpus;
mod damage;
mod dice;
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

use crate::harness::{assert_no_mismatch, in_crate, say};
use table::{Row, Totals, totals};

/// The share of stated bounds that must hold the truth.
const BOUNDS_HOLD: f64 = 0.99;

#[test]
fn damage_is_told_and_honest_captures_keep_their_claims() {
    let results = synthetic::results();
    let jax = jax::rows();
    let mut wrong: Vec<String> = results.fault.iter().cloned().collect();
    wrong.extend(faults(&jax));
    wrong.extend(missed_bounds("generated", &totals(&results.rows)));
    wrong.extend(missed_bounds("generated JAX", &totals(&jax)));
    assert_no_mismatch(&wrong);

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
    let Some(rows) = corpus::rows() else { return };
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

fn faults(rows: &[Row]) -> Vec<String> {
    let runs = rows.iter().flat_map(|row| &row.runs);
    runs.filter_map(|run| run.fault.clone()).collect()
}

fn missed_bounds(what: &str, totals: &Totals) -> Vec<String> {
    let wrong =
        totals.bounds.iter().filter(|(stated, hold)| (*hold as f64) < BOUNDS_HOLD * *stated as f64);
    wrong.map(|bounds| format!("{what}: too few bounds hold: {bounds:?}")).collect()
}
