//! Eight real ranks on one host against arithmetic on their records, and jobs that are known.

mod known;

use crate::harness::{assert_no_mismatch, outside_data, pipeline_at};
use idleproof::report::{ClaimState, Microseconds, State};
use serde_json::Value;
use std::path::Path;

/// Name, start and end of the collective kernels of a rank, in order, in whole microseconds as the file has them.
fn kernels(path: &Path) -> Vec<(String, i128, i128)> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let text = crate::fixture::gunzip(&bytes).unwrap_or_else(|error| panic!("{error}"));
    let trace: Value = serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{error}"));
    let events = trace["traceEvents"].as_array().into_iter().flatten();
    let mut kernels: Vec<_> = events
        .filter(|event| event["name"].as_str().is_some_and(|name| name.starts_with("nccl")))
        .filter(|event| event["args"]["stream"].is_number())
        .map(|event| {
            let number = |key: &str| i128::from(event[key].as_i64().unwrap_or_default());
            let name = event["name"].as_str().unwrap_or_default().to_owned();
            (name, number("ts"), number("ts") + number("dur"))
        })
        .collect();
    kernels.sort_by_key(|kernel| kernel.1);
    kernels
}

#[test]
fn eight_ranks_wait_for_one_another_as_their_records_say() {
    let Some(corpus) = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures") else {
        return;
    };
    let folder = corpus.join("kineto/v100-dlrm-8-ranks");
    let found = pipeline_at(std::slice::from_ref(&folder));
    assert_eq!(found.runs.len(), 1);
    let run = &found.runs[0];
    assert_eq!((run.ranks.len(), run.world_size), (8, Some(8)));
    let open: Vec<_> = run.checks.iter().filter(|check| check.state != State::Holds).collect();
    assert!(open.is_empty(), "{open:?}");
    assert_eq!(run.claims.collective_split.state, ClaimState::Supported);

    let ranks: Vec<_> =
        (0..8).map(|rank| kernels(&folder.join(format!("rank_{rank}.pt.trace.json.gz")))).collect();
    assert_eq!(run.longest_waits.len(), ranks[0].len());
    let us = |us: i128| Microseconds::from_ps(us * 1_000_000);
    let mut mismatches = Vec::new();
    for (at, instance) in run.longest_waits.iter().enumerate() {
        let of_ranks: Vec<_> = ranks.iter().map(|kernels| &kernels[at]).collect();
        let last = of_ranks.iter().map(|kernel| kernel.1).max().unwrap_or_default();
        let end = of_ranks.iter().map(|kernel| kernel.2).max().unwrap_or_default();
        let straggler = of_ranks.iter().position(|kernel| kernel.1 == last).unwrap_or_default();
        let mut expect = |what: &str, found: String, expected: String| {
            if found != expected {
                mismatches.push(format!("{at}: {what}: expected {expected}, found {found}"));
            }
        };
        expect("name", instance.name.clone(), of_ranks[0].0.clone());
        expect("straggler", instance.straggler.to_string(), straggler.to_string());
        expect(
            "present",
            format!("{:?}", instance.all_present_us),
            format!("{:?}", (us(last), us(end))),
        );
        for (rank, kernel) in instance.ranks.iter().zip(&of_ranks) {
            let wait = (last.min(kernel.2) - kernel.1).max(0);
            expect("wait", rank.wait_us.to_string(), us(wait).to_string());
            expect("kernel", rank.kernel_us.to_string(), us(kernel.2 - kernel.1).to_string());
        }
    }
    // Each rank's sums are those of the single collectives: certain where all ranks are needed, else at most.
    for (at, total) in run.by_rank.iter().enumerate() {
        let mut hand = (0, (0, 0), 0, (0, 0));
        for one in &run.longest_waits {
            let least = |wait: i128| if one.name.contains("AllReduce") { wait } else { 0 };
            let wait = one.ranks[at].wait_us.ps();
            hand.0 += one.ranks[at].kernel_us.ps();
            hand.1 = (hand.1.0 + least(wait), hand.1.1 + wait);
            if one.straggler == total.rank {
                let longest = one.ranks.iter().map(|rank| rank.wait_us.ps()).max().unwrap_or(0);
                hand.2 += 1;
                hand.3 = (hand.3.0 + least(longest), hand.3.1 + longest);
            }
        }
        let ps = |(least, most): (Microseconds, Microseconds)| (least.ps(), most.ps());
        let found = (total.kernel_us.ps(), ps(total.wait_us), total.last, ps(total.awaited_us));
        if found != hand {
            mismatches.push(format!("rank {}: expected {hand:?}, found {found:?}", total.rank));
        }
    }
    // Ranks 2 and 6 come last to nothing and are as long in the same host events as rank 7: none of those makes it late.
    let first = run.look_first.as_ref().unwrap();
    assert_eq!(
        (first.rank, first.next, first.host.as_slice()),
        (Some(7), Some((6, us(505))), &[][..])
    );
    assert!(
        first.action.contains("certain are 223 µs of waiting for it, and 885 µs for rank 4"),
        "{first:?}"
    );
    assert_eq!(run.by_rank.iter().map(|rank| rank.last).sum::<u64>(), ranks[0].len() as u64);
    // An all-reduce needs every rank; what is sent and received may move before the last one comes.
    for row in &run.collectives {
        let needs_all = row.name.contains("AllReduce");
        if row.wait_is_upper_bound == needs_all || row.transfer_us.0 != us(0) {
            mismatches.push(format!("{row:?}"));
        }
    }
    assert_no_mismatch(&mismatches);
}
