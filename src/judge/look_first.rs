//! Which rank of a run to look at first: inferred from who comes last to collectives, and held against the other ranks' hosts.

use crate::analysis::{RankHost, Run};
use crate::report::{LookFirst, Microseconds, RankDifference, RankTotal};
use crate::units::Picoseconds;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Host events that are named.
const EVENTS_MAX: usize = 3;

/// A choice: a rank stands out by time where the others wait for it, by what is certain, so many times as long as at most for any other.
const CLEARLY: i128 = 2;

/// A choice as well: of the rank's idle, a smaller difference to the others is none: 1 of so many parts.
const DIFFERENCE_PARTS: i128 = 50;

/// Where to begin; `None` where nobody waits for anybody.
pub(super) fn look_first(run: &Run, by_rank: &[RankTotal]) -> Option<LookFirst> {
    let n = run.instances.len() as u64;
    let first = by_rank.iter().max_by_key(|one| (one.awaited_us.1, Reverse(one.rank)))?;
    if first.awaited_us.1.ps() == 0 {
        return None;
    }
    let others = || by_rank.iter().filter(|one| one.rank != first.rank);
    let is_sure = others().all(|one| one.awaited_us.1.ps() * CLEARLY <= first.awaited_us.0.ps());
    let is_most = first.last * 2 > n;
    let last = |one: &RankTotal| {
        format!(
            "rank {} comes last to {} of {n} collectives; the longest wait for it in each, summed: {}",
            one.rank,
            one.last,
            range(one.awaited_us)
        )
    };
    if !is_sure && !is_most {
        let mut rows: Vec<&RankTotal> = by_rank.iter().filter(|one| one.last > 0).collect();
        rows.sort_by_key(|one| (Reverse(one.awaited_us.1), one.rank));
        return Some(LookFirst {
            rank: None,
            action: "no rank stands out: the ranks come last in turn, and shortening one of them lets it wait for the next".to_owned(),
            evidence: std::iter::once(at_most(run))
                .chain(rows.into_iter().take(EVENTS_MAX).map(last))
                .collect(),
            starts_later_us: None,
            host: Vec::new(),
            basis: "inferred".to_owned(),
        });
    }
    let at = run.ranks.iter().position(|&rank| rank == first.rank)?;
    let mut evidence = vec![last(first), at_most(run)];
    let sure = others().max_by_key(|one| (one.awaited_us.0, Reverse(one.rank)));
    if let Some(sure) = sure.filter(|sure| sure.awaited_us.0 > first.awaited_us.0) {
        evidence.push(format!(
            "not proven: by what is certain the others wait longest for rank {}, {}",
            sure.rank,
            human(sure.awaited_us.0.ps())
        ));
    }
    let later = |of: fn(&RankHost) -> Option<i128>| later(run, at, of);
    let (work, host) = (later(|one| one.first_work), later(|one| one.first_host));
    if let Some(work) = work {
        evidence.push(format!(
            "its first device work starts {} than that of the middle of the others{}",
            sooner_or_later(work),
            host.map(|host| format!(", its host's records {}", sooner_or_later(host)))
                .unwrap_or_default()
        ));
    }
    let (differences, told) = differences(run, at);
    evidence.push(told);
    // Where the whole rank is late by more than half of the longest wait for it, what made it late came before the recording.
    let waits = run.instances.iter().filter(|one| one.straggler == first.rank);
    let longest = waits.flat_map(|one| &one.ranks).map(|rank| rank.wait).max().unwrap_or(0);
    let begins_late = host.is_some_and(|host| host * 2 > longest);
    let action = if begins_late {
        format!(
            "look at rank {} first, and at what comes before these records: it begins late. Record the step before on every rank",
            first.rank
        )
    } else if differences.is_empty() {
        format!(
            "look at rank {} first: at what its host does before the collectives to which it comes last",
            first.rank
        )
    } else {
        format!(
            "look at rank {} first: at the host events under which its device idles longer than the others",
            first.rank
        )
    };
    Some(LookFirst {
        rank: Some(first.rank),
        action,
        evidence,
        starts_later_us: work.filter(|&work| work > 0).map(Microseconds::from_ps),
        host: differences,
        basis: "inferred".to_owned(),
    })
}

/// How much shorter the run gets at most where each rank comes with the one before it: what is behind the next-to-last rank.
fn at_most(run: &Run) -> String {
    let mut leads: BTreeMap<u64, i128> = BTreeMap::new();
    for one in &run.instances {
        *leads.entry(one.straggler).or_default() += one.lead;
    }
    let mut leads: Vec<(u64, i128)> = leads.into_iter().filter(|lead| lead.1 > 0).collect();
    leads.sort_by_key(|&(rank, lead)| (Reverse(lead), rank));
    let shown = leads.iter().take(EVENTS_MAX);
    let shown: Vec<String> =
        shown.map(|&(rank, lead)| format!("{} for rank {rank}", human(lead))).collect();
    if shown.is_empty() {
        return "no rank comes last alone".to_owned();
    }
    format!(
        "if one rank no longer came last, the run would get shorter by at most {}: then it waits for the next",
        shown.join(", ")
    )
}

/// How much later something is on one rank than on the middle of the others.
fn later(run: &Run, at: usize, of: fn(&RankHost) -> Option<i128>) -> Option<i128> {
    let own = of(run.hosts.get(at)?)?;
    let others = run.hosts.iter().enumerate().filter(|(other, _)| *other != at);
    let others: Option<Vec<i128>> = others.map(|(_, host)| of(host)).collect();
    Some(own - middle(others?)?)
}

/// The host events under which a rank's device idles longer than the others', and that in words.
fn differences(run: &Run, at: usize) -> (Vec<RankDifference>, String) {
    let unknown = run.hosts.iter().zip(&run.ranks).find(|(host, _)| host.idle.is_none());
    if let Some((_, rank)) = unknown {
        let told =
            format!("hosts are not compared: rank {rank} does not support a statement about idle");
        return (Vec::new(), told);
    }
    let Some(own) = run.hosts.get(at) else { return (Vec::new(), String::new()) };
    let least = own.idle.unwrap_or_default() / DIFFERENCE_PARTS;
    let others = || run.hosts.iter().enumerate().filter(|(other, _)| *other != at);
    let mut found: Vec<RankDifference> = Vec::new();
    for ((kind, name), &time) in &own.events {
        let key = (kind.clone(), name.clone());
        let of_others = others().map(|(_, host)| host.events.get(&key).copied().unwrap_or(0));
        let other = middle(of_others.collect()).unwrap_or(0);
        if time - other > least {
            found.push(RankDifference {
                name: name.clone(),
                kind: kind.clone(),
                time_us: Microseconds::from_ps(time),
                others_us: Microseconds::from_ps(other),
            });
        }
    }
    found.sort_by_key(|one| Reverse(one.time_us.ps() - one.others_us.ps()));
    found.truncate(EVENTS_MAX);
    let told = match found.is_empty() {
        true => {
            "no host event under which its device idles takes clearly longer than on the others"
                .to_owned()
        }
        false => {
            "its device idles longer than the middle of the others under the host events below"
                .to_owned()
        }
    };
    (found, told)
}

/// The middle one; of an even number the lower.
fn middle(mut all: Vec<i128>) -> Option<i128> {
    all.sort_unstable();
    all.get(all.len().checked_sub(1)? / 2).copied()
}

fn sooner_or_later(ps: i128) -> String {
    let by = human(ps.abs());
    if ps < 0 { format!("{by} sooner") } else { format!("{by} later") }
}

fn range((least, most): (Microseconds, Microseconds)) -> String {
    match (least.ps(), least == most) {
        (_, true) => human(most.ps()),
        (0, _) => format!("at most {}", human(most.ps())),
        _ => format!("{} to {}", human(least.ps()), human(most.ps())),
    }
}

fn human(ps: i128) -> String {
    i64::try_from(ps).map_or_else(|_| format!("{ps} ps"), |ps| Picoseconds::new(ps).human())
}
