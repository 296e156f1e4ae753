//! What one rank's host takes longer for than that of every other rank.

use super::{NAMED_MAX, human, middle};
use crate::analysis::Run;
use crate::report::{Microseconds, RankDifference};
use std::cmp::Reverse;

/// A choice: of the time that a rank's host events take, a smaller difference to the others is none: 1 of so many parts.
const DIFFERENCE_PARTS: i128 = 50;

/// The host events that take clearly longer on a rank than on every other one, and in words how much of its lateness they cover at
/// most. What is as long on a rank that comes last to nothing makes no rank late.
pub(super) fn differences(run: &Run, at: usize, late: i128) -> (Vec<RankDifference>, String) {
    let unknown = run.hosts.iter().zip(&run.ranks).find(|(host, _)| host.own_times.is_none());
    if let Some((_, rank)) = unknown {
        let told = format!(
            "hosts are not compared: rank {rank} does not support a statement about idle, nor about the host beside it"
        );
        return (Vec::new(), told);
    }
    let times = |host: usize| run.hosts.get(host).and_then(|host| host.own_times.as_ref());
    let Some(own) = times(at) else { return (Vec::new(), String::new()) };
    let least = own.values().sum::<i128>() / DIFFERENCE_PARTS;
    let others: Vec<_> =
        (0..run.hosts.len()).filter(|&other| other != at).filter_map(times).collect();
    let mut found: Vec<RankDifference> = Vec::new();
    for (key, &time) in own {
        let of_others: Vec<i128> =
            others.iter().map(|one| one.get(key).copied().unwrap_or(0)).collect();
        let most = of_others.iter().max().copied().unwrap_or(0);
        if time - most > least {
            found.push(RankDifference {
                name: key.1.clone(),
                kind: key.0.to_owned(),
                time_us: Microseconds::from_ps(time),
                others_most_us: Microseconds::from_ps(most),
                others_us: Microseconds::from_ps(middle(of_others).unwrap_or(0)),
            });
        }
    }
    found.sort_by_key(|one| Reverse(one.time_us.ps() - one.others_us.ps()));
    found.truncate(NAMED_MAX);
    if found.is_empty() {
        let told = "no host event takes its host clearly longer than that of every other rank: the records show no difference of the host that \
                    explains its lateness";
        return (found, told.to_owned());
    }
    let covered: i128 = found.iter().map(|one| one.time_us.ps() - one.others_us.ps()).sum();
    let told = format!(
        "the host events below take its host longer than that of every other rank: against the middle of the others they cover at most {} of the {} \
         by which it is late",
        human(covered.min(late)),
        human(late)
    );
    (found, told)
}
