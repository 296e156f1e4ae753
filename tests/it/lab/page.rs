//! The page of results, `docs/honesty.md`: of generated captures alone, so that anyone gets the same.

use super::exempt::EXEMPTIONS;
use super::jax::N_RUNS;
use super::outcome::{FALSE_BY, RANKS_APART};
use super::synthetic::{N_CAPTURES, Results};
use super::table::{Row, damage_table, harmless_table, part, totals};
use std::fmt::Write as _;

/// The page.
pub(crate) fn page(results: &Results, jax: &[Row]) -> String {
    let (kineto, of_jax) = (totals(&results.rows), totals(jax));
    let mut page = format!(
        "# Honesty, measured\n\n\
         Written by a test, `tests/it/lab.rs`, where `IDLEPROOF_LAB=all` is set in its environment; edit that instead. Everything \
         here is generated from fixed seeds: the same source gives the same page.\n\n\
         {N_CAPTURES} captures of PyTorch's kind and {N_RUNS} runs of JAX's are made by simulated hosts and devices: launches one \
         by one and by graph, side streams with event waits, copies, pauses, waits of the host, one device or two. Their truth is \
         known. Each is damaged in each way below, judged under the default policy, and held against the truth.\n\n"
    );
    page.push_str(&definitions());
    let _ = write!(
        page,
        "## In short\n\n\
         | | |\n| --- | --- |\n\
         | damaged captures in which a figure is false, and none is stated | {} |\n\
         | of JAX | {} |\n\
         | false idle: told | {} |\n\
         | false idle: flagged by *idle and graphs* | {} |\n\
         | false idle: flagged by *half covered* | {} |\n\
         | bounds of idle that hold the truth | {} |\n\
         | bounds of the host's part that hold it | {} |\n\
         | the same, with the runs that cannot show their damage | {}, {} |\n\
         | runs that cannot show their damage | {} |\n\
         | intact captures with graphs that *idle and graphs* flags | {} |\n\
         | that *half covered* flags | {} |\n\
         | that idleproof withholds idle for | 0 of {N_CAPTURES} |\n\n",
        part(kineto.harmful.1, kineto.harmful.0),
        part(of_jax.harmful.1, of_jax.harmful.0),
        part(kineto.idle.1, kineto.idle.0),
        part(kineto.rules[0], kineto.idle.0),
        part(kineto.rules[1], kineto.idle.0),
        part(kineto.bounds[0].1, kineto.bounds[0].0),
        part(kineto.bounds[1].1, kineto.bounds[1].0),
        part(kineto.all_bounds[0].1, kineto.all_bounds[0].0),
        part(kineto.all_bounds[1].1, kineto.all_bounds[1].0),
        kineto.exempt,
        part(results.false_alarms[0], results.n_with_graphs),
        part(results.false_alarms[1], results.n_with_graphs),
    );
    let _ = write!(
        page,
        "## What says nothing new\n\nEvery claim stays as it is, and so does every bound.\n\n{}\n\
         ## Damage\n\n{}\n## Damage of JAX's captures\n\n{}\n{}\n",
        harmless_table(&results.rows),
        damage_table(&results.rows),
        harmless_table(jax),
        damage_table(jax),
    );
    page.push_str(&limits());
    page
}

fn definitions() -> String {
    format!(
        "- **False**: idle, or the part of it in which the device waited for the host, is off by more than {FALSE_BY:.0} points from \
         the complete capture's within the window that the damaged one states; shares of kernel time by name are off by more \
         than {FALSE_BY:.0} points in all, or one of the first three names ranks behind another that truly takes \
         {RANKS_APART:.0} point less; more than {FALSE_BY:.0} % of the kernel time is of records that never were so long.\n\
         - **Told**: the claim is withheld, the file refused, or, for idle and the host's part, the stated bounds hold the truth.\n\
         - **Bounds hold**: the truth lies inside. **Width**: of the bounds of idle, in points of the window; middle and largest.\n\
         - **Idle and graphs**, **half covered**: two published rules, on false idle. The first calls idle unreliable above 80 % \
         where a graph was launched; the second where, of two graph launches or more, some have kernels and less than half do.\n\
         - **Cannot show**: an honest capture may be the same file. These runs are in no other column of their row but the \
         width; the proofs are below.\n\n"
    )
}

fn limits() -> String {
    let mut text = String::from("## What a file cannot show\n\n");
    for one in &EXEMPTIONS {
        let _ = writeln!(text, "**{}** {}\n", one.when, one.proof);
    }
    text.push_str(
        "Two more limits are no damage. A graph that is replayed once, with idle and no wait behind it, is confirmed by nothing: its \
         bounds are wide although it may be complete. And a wait of the host where two devices are used does not say which of \
         them it was for.\n",
    );
    text
}
