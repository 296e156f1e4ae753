//! Which rank of a run to look at first: inferred from who comes last to collectives, and held against the other ranks' hosts.

mod host;

use crate::analysis::{Instance, RankHost, Run, Wait};
use crate::report::{LookFirst, Microseconds, RankTotal};
use crate::units::Picoseconds;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Ranks and host events that are named.
const NAMED_MAX: usize = 3;

/// A choice: a rank stands out by time where the others wait for it, by what is certain, so many times as long as at most for any other.
const CLEARLY: i128 = 2;

/// Where to begin; `None` where nobody waits for anybody.
pub(super) fn look_first(run: &Run, by_rank: &[RankTotal]) -> Option<LookFirst> {
    let n = run.instances.len() as u64;
    let first = by_rank.iter().max_by_key(|one| (one.awaited_us.1, Reverse(one.rank)))?;
    if first.awaited_us.1.ps() == 0 {
        return None;
    }
    let mut others = by_rank.iter().filter(|one| one.rank != first.rank);
    let is_sure = others.all(|one| one.awaited_us.1.ps() * CLEARLY <= first.awaited_us.0.ps());
    let is_most = first.last * 2 > n;
    if !is_sure && !is_most {
        let mut rows: Vec<&RankTotal> = by_rank.iter().filter(|one| one.last > 0).collect();
        rows.sort_by_key(|one| (Reverse(one.awaited_us.1), one.rank));
        return Some(LookFirst {
            rank: None,
            action: "no rank stands out: the ranks come last in turn, and shortening one of them lets it wait for the next".to_owned(),
            evidence: std::iter::once(leads(run, None))
                .chain(rows.into_iter().take(NAMED_MAX).map(|one| last(one, n)))
                .collect(),
            starts_later_us: None,
            late_us: None,
            next: None,
            host: Vec::new(),
            basis: "inferred".to_owned(),
        });
    }
    let at = run.ranks.iter().position(|&rank| rank == first.rank)?;
    let work = later(run, at, |one| one.first_work);
    let late = Lateness::of(run, first.rank);
    let mut evidence = vec![last(first, n), leads(run, Some(first.rank))];
    evidence.extend(late.as_ref().map(|late| late.told(run, at)));
    let (differences, told) = host::differences(run, at, late.as_ref().map_or(0, |late| late.sum));
    evidence.push(told);
    // Where the whole rank is late by more than half of the longest wait for it, what made it late came before the recording.
    let waits = run.instances.iter().filter(|one| one.straggler == first.rank);
    let longest = waits.flat_map(|one| &one.ranks).map(|rank| rank.wait).max().unwrap_or(0);
    let begins_late = later(run, at, |one| one.first_host).is_some_and(|host| host * 2 > longest);
    let what = if begins_late {
        "It begins late: look at what comes before these records, and record the step before on every rank"
    } else if differences.is_empty() {
        "Look at what its host does before the collectives to which it comes last"
    } else {
        "Look at the host events that take longer on it than on every other rank"
    };
    Some(LookFirst {
        rank: Some(first.rank),
        action: format!(
            "look at rank {} first: {}{}. {what}",
            first.rank,
            worth(run, first.rank),
            doubt(first, by_rank)
        ),
        evidence,
        starts_later_us: work.filter(|&work| work > 0).map(Microseconds::from_ps),
        late_us: late.as_ref().map(|late| Microseconds::from_ps(late.sum)),
        next: late.and_then(|late| late.next).map(|(rank, by)| (rank, Microseconds::from_ps(by))),
        host: differences,
        basis: "inferred".to_owned(),
    })
}

/// How often a rank comes last, and how long others wait for it: of each collective one rank, so that it is no sum over ranks.
fn last(one: &RankTotal, n: u64) -> String {
    format!(
        "rank {} comes last to {} of {n} collectives; of each of these the wait of one rank, the one that waits longest, added up: {}",
        one.rank,
        one.last,
        range(one.awaited_us)
    )
}

/// What the run gains where a rank comes with the next one, as a part of the run's window.
fn worth(run: &Run, rank: u64) -> String {
    let of = run.window().map(|(start, end)| end - start).filter(|&length| length > 0);
    let lead = leads_by_rank(run).get(&rank).copied().unwrap_or(0);
    let length = of.map(|of| format!(", whose window is {},", human(of))).unwrap_or_default();
    let Some(share) = of.filter(|_| lead > 0).map(|of| share(lead, of)) else {
        return format!(
            "if it came with the next to last rank, the run{length} would get no shorter, as others come as late"
        );
    };
    format!(
        "if it came with the next to last rank, the run{length} would get shorter by 0 to {} ({share})",
        human(lead)
    )
}

/// A part in percent with one digit.
fn share(part: i128, of: i128) -> String {
    match (part * 2_000 / of + 1) / 2 {
        0 => "<0.1 %".to_owned(),
        thousandths => format!("{}.{} %", thousandths / 10, thousandths % 10),
    }
}

/// What is not proven of a rank's being waited for longest: nothing where, by what is certain, no other can be waited for longer.
fn doubt(first: &RankTotal, by_rank: &[RankTotal]) -> String {
    let others = || by_rank.iter().filter(|one| one.rank != first.rank);
    if others().all(|one| one.awaited_us.1 <= first.awaited_us.0) {
        return String::new();
    }
    let of_it = match first.awaited_us.0.ps() {
        0 => "certain is no wait for it".to_owned(),
        sure => format!("certain are {} of waiting for it", human(sure)),
    };
    let most = others().max_by_key(|one| (one.awaited_us.0, Reverse(one.rank)));
    let most = most.filter(|most| most.awaited_us.0 > first.awaited_us.0);
    let of_other =
        most.map(|most| format!(", and {} for rank {}", human(most.awaited_us.0.ps()), most.rank));
    format!(
        "; not proven is that the others wait longest for it, as data may move before the last rank comes: {of_it}{}",
        of_other.unwrap_or_default()
    )
}

/// By how much each rank comes behind the next to last one, summed over the collectives to which it comes last.
fn leads_by_rank(run: &Run) -> BTreeMap<u64, i128> {
    let mut leads: BTreeMap<u64, i128> = BTreeMap::new();
    for one in &run.instances {
        *leads.entry(one.straggler).or_default() += one.lead;
    }
    leads
}

/// How much shorter the run gets at most where a rank comes with the one before it: what is behind the next to last rank.
fn leads(run: &Run, but: Option<u64>) -> String {
    let leads = leads_by_rank(run).into_iter();
    let mut leads: Vec<(u64, i128)> =
        leads.filter(|&(rank, lead)| lead > 0 && Some(rank) != but).collect();
    leads.sort_by_key(|&(rank, lead)| (Reverse(lead), rank));
    let shown = leads.iter().take(NAMED_MAX);
    let shown: Vec<String> =
        shown.map(|&(rank, lead)| format!("{} for rank {rank}", human(lead))).collect();
    let of = run.window().map(|(start, end)| format!(" of {}", human(end - start)));
    let of = of.unwrap_or_default();
    match (but, shown.is_empty()) {
        (None, true) => "no rank comes last alone".to_owned(),
        (Some(_), true) => "no other rank comes last alone to a collective".to_owned(),
        (None, false) => format!(
            "if one rank no longer came last, the run{of} would get shorter by at most {}: then it waits for the next",
            shown.join(", ")
        ),
        (Some(_), false) => format!(
            "if another rank no longer came last, the run{of} would get shorter by at most {}",
            shown.join(", ")
        ),
    }
}

/// How late a rank comes to the collectives to which it comes last: behind the middle of the other ranks in each.
struct Lateness {
    /// Over all of them.
    sum: i128,
    /// To the first of them.
    first: i128,
    /// The rank that comes next to last to the first of them, and how much earlier.
    next: Option<(u64, i128)>,
}

impl Lateness {
    fn of(run: &Run, rank: u64) -> Option<Self> {
        let behind = |one: &Instance| {
            let own = one.ranks.iter().find(|of| of.rank == rank)?.start;
            let others = one.ranks.iter().filter(|of| of.rank != rank);
            Some(own - middle(others.map(|of| of.start).collect())?)
        };
        let mut late = run.instances.iter().filter(|one| one.straggler == rank);
        let first = late.clone().next()?;
        let others = first.ranks.iter().filter(|of| of.rank != rank);
        let next = others.max_by_key(|of: &&Wait| (of.start, Reverse(of.rank)));
        Some(Self {
            sum: late.try_fold(0, |sum, one| Some(sum + behind(one)?))?,
            first: behind(first)?,
            next: next.map(|next| (next.rank, first.all_present.0 - next.start)),
        })
    }

    /// In words, with how much of it is there when the rank begins.
    fn told(&self, run: &Run, at: usize) -> String {
        let begins = [
            later(run, at, |one| one.first_work).map(|by| ("its first device work", by)),
            later(run, at, |one| one.first_host).map(|by| ("its host's records", by)),
        ];
        let begins: Vec<String> = begins
            .into_iter()
            .flatten()
            .map(|(what, by)| format!("{what} {}", sooner_or_later(by)))
            .collect();
        let begins = match begins.is_empty() {
            true => String::new(),
            false => format!(" (when they start: {})", begins.join(", ")),
        };
        let next = self.next.map(|(rank, by)| match by {
            0 => format!("; rank {rank} comes as late to that one"),
            _ => format!("; then rank {rank}, which is {} earlier there", human(by)),
        });
        format!(
            "it comes to those {} later than the middle of the others, summed, {} of it to the first{begins}{}",
            human(self.sum),
            human(self.first),
            next.unwrap_or_default()
        )
    }
}

/// How much later something is on one rank than on the middle of the others.
fn later(run: &Run, at: usize, of: fn(&RankHost) -> Option<i128>) -> Option<i128> {
    let own = of(run.hosts.get(at)?)?;
    let others = run.hosts.iter().enumerate().filter(|(other, _)| *other != at);
    let others: Option<Vec<i128>> = others.map(|(_, host)| of(host)).collect();
    Some(own - middle(others?)?)
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
