//! The report of a run: its checks judged, its claims, and the waits in its collectives.

use super::{check, claims, look_first};
use crate::analysis::{Instance, Run};
use crate::checks;
use crate::policy::Policy;
use crate::report::{
    CheckReport, Claim, ClaimReport, ClaimState, CollectiveInstance, CollectiveTime, Microseconds,
    RankTotal, RankWait, RunClaims, RunReport,
};
use jiff::civil::Date;
use std::collections::BTreeMap;

/// Single collectives that a report lists.
const LONGEST_WAITS: usize = 100;

/// Judges a run.
pub fn judge_run(run: &Run, policy: &Policy, today: Date) -> RunReport {
    let paths: Vec<&str> = run.paths.iter().map(String::as_str).collect();
    let found = checks::measure_run(run);
    let judged = found.iter().map(|(one, found)| check::judge(one, found, policy, &paths, today));
    let checks: Vec<_> = judged.collect();
    let reason = |one: &&CheckReport| {
        claims::is_reason_to_withhold(one) && one.claims.contains(&Claim::CollectiveSplit)
    };
    let by: Vec<String> = checks.iter().filter(reason).map(|check| check.id.clone()).collect();
    let by_rank = by_rank(run);
    let window = run.window().map(|(start, end)| Microseconds::from_ps(end - start));
    let state = match (run.instances.is_empty(), by.is_empty()) {
        (true, _) => ClaimState::Undefined,
        (false, true) => ClaimState::Supported,
        (false, false) => ClaimState::Withheld,
    };
    RunReport {
        name: run.name.clone(),
        captures: run.captures.clone(),
        ranks: run.ranks.clone(),
        world_size: run.world_size,
        window_us: window,
        checks,
        claims: RunClaims { collective_split: ClaimReport { state, by } },
        collectives: collectives(&run.instances),
        look_first: (state == ClaimState::Supported)
            .then(|| look_first::look_first(run, &by_rank))
            .flatten(),
        by_rank,
        longest_waits: longest_waits(&run.instances),
    }
}

/// Sums by operation and group, the longest wait first.
fn collectives(instances: &[Instance]) -> Vec<CollectiveTime> {
    let mut by_name: BTreeMap<(&str, Option<&str>), Vec<&Instance>> = BTreeMap::new();
    for one in instances {
        by_name.entry((&one.name, one.group.as_deref())).or_default().push(one);
    }
    let mut rows: Vec<CollectiveTime> = by_name.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.wait_us));
    rows
}

fn row(((name, group), instances): ((&str, Option<&str>), Vec<&Instance>)) -> CollectiveTime {
    let ranks = || instances.iter().flat_map(|one| &one.ranks);
    let mut last: BTreeMap<u64, u64> = BTreeMap::new();
    for one in &instances {
        *last.entry(one.straggler).or_default() += 1;
    }
    let transfer = |one: &&Instance| {
        let longest = one.ranks.iter().map(|rank| rank.kernel).max().unwrap_or_default();
        if one.needs_all { one.all_present.1 - one.all_present.0 } else { longest }
    };
    // Where several lead, none of them is the straggler.
    let most = last.values().copied().max().unwrap_or(0);
    let mut lead = last.into_iter().filter(|&(_, n)| n == most);
    let straggler = lead.next().filter(|_| lead.next().is_none());
    let us = Microseconds::from_ps;
    CollectiveTime {
        name: name.to_owned(),
        group: group.map(str::to_owned),
        instances: instances.len() as u64,
        kernel_us: us(ranks().map(|rank| rank.kernel).sum()),
        wait_us: us(ranks().map(|rank| rank.wait).sum()),
        wait_is_upper_bound: instances.iter().any(|one| !one.needs_all),
        transfer_us: (us(0), us(instances.iter().map(transfer).sum())),
        straggler,
    }
}

/// Sums by rank.
fn by_rank(run: &Run) -> Vec<RankTotal> {
    let us = Microseconds::from_ps;
    let opens = run.window().map(|(start, _)| start);
    let mut totals: BTreeMap<u64, RankTotal> = BTreeMap::new();
    for (&rank, host) in run.ranks.iter().zip(&run.hosts) {
        let nothing = (us(0), us(0));
        let starts_after = opens.zip(host.first_work).map(|(opens, starts)| us(starts - opens));
        let none = RankTotal {
            rank,
            kernel_us: us(0),
            wait_us: nothing,
            last: 0,
            awaited_us: nothing,
            starts_after_us: starts_after,
        };
        totals.insert(rank, none);
    }
    for one in &run.instances {
        for wait in &one.ranks {
            let Some(total) = totals.get_mut(&wait.rank) else { continue };
            total.kernel_us = us(total.kernel_us.ps() + wait.kernel);
            total.wait_us = with(total.wait_us, one, wait.wait);
        }
        let longest = one.ranks.iter().map(|rank| rank.wait).max().unwrap_or(0);
        if let Some(last) = totals.get_mut(&one.straggler) {
            last.last += 1;
            last.awaited_us = with(last.awaited_us, one, longest);
        }
    }
    run.ranks.iter().filter_map(|rank| totals.remove(rank)).collect()
}

/// Bounds with one more wait: where data may have moved before the last rank came, it is an upper bound.
fn with(
    (least, most): (Microseconds, Microseconds),
    one: &Instance,
    wait: i128,
) -> (Microseconds, Microseconds) {
    let us = Microseconds::from_ps;
    let sure = if one.needs_all { wait } else { 0 };
    (us(least.ps() + sure), us(most.ps() + wait))
}

/// The collectives that were waited for longest, in order of time.
fn longest_waits(instances: &[Instance]) -> Vec<CollectiveInstance> {
    let waited = |one: &&Instance| one.ranks.iter().map(|rank| rank.wait).sum::<i128>();
    let mut longest: Vec<&Instance> = instances.iter().collect();
    longest.sort_by_key(|one| std::cmp::Reverse(waited(one)));
    longest.truncate(LONGEST_WAITS);
    longest.sort_by_key(|one| one.all_present);
    let us = Microseconds::from_ps;
    let instance = |one: &Instance| CollectiveInstance {
        name: one.name.to_string(),
        group: one.group.as_deref().map(str::to_owned),
        all_present_us: (us(one.all_present.0), us(one.all_present.1)),
        straggler: one.straggler,
        ranks: one
            .ranks
            .iter()
            .map(|rank| RankWait {
                rank: rank.rank,
                kernel_us: us(rank.kernel),
                wait_us: us(rank.wait),
            })
            .collect(),
    };
    longest.into_iter().map(instance).collect()
}
