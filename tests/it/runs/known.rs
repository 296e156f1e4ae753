//! Jobs whose arrivals, transfers and clocks are known: what is said of their waits must hold the truth.

use crate::fixture;
use crate::harness::{Run, assert_no_mismatch, pipeline_at};
use crate::lab::Dice;

use idleproof::report::{Change, ClaimState, RunReport};
use std::fmt::Write as _;

/// Collectives of a job: more than offsets of clocks need.
const N_COLLECTIVES: u64 = 16;

/// One collective every so many nanoseconds.
const PERIOD: u64 = 2_000_000;

/// Ranks leave a collective so many nanoseconds apart at most.
const APART: u64 = 3_000;

/// A job. Times are nanoseconds on the one true clock.
struct Job {
    n_ranks: u64,
    /// By rank: how far its clock is ahead.
    ahead: Vec<u64>,
    /// By collective and rank: from when to when its kernel ran.
    kernels: Vec<Vec<(u64, u64)>>,
    /// By rank: how long its host loads data.
    loads: Vec<u64>,
    /// The first so many collectives do not need every rank.
    n_partial: usize,
}

impl Job {
    fn of(seed: u64) -> Self {
        let dice = Dice::of(seed);
        let n_ranks = 2 + seed % 7;
        let mut key = 0;
        let mut roll = |below: u64| {
            key += 1;
            dice.below(key, below)
        };
        let is_skewed = seed % 2 == 1;
        let ahead = (0..n_ranks).map(|_| if is_skewed { roll(5_000_000) } else { 0 }).collect();
        let kernels = (0..N_COLLECTIVES).map(|at| {
            let ready = 1_000_000 + at * PERIOD;
            let starts: Vec<u64> = (0..n_ranks).map(|_| ready + roll(700_000)).collect();
            let all_present = starts.iter().max().copied().unwrap_or_default();
            let done = all_present + 40_000 + roll(200_000);
            starts.into_iter().map(|start| (start, done + roll(APART))).collect()
        });
        let kernels = kernels.collect();
        Self { n_ranks, ahead, kernels, loads: Vec::new(), n_partial: 0 }
    }

    /// What one rank recorded, in the fixture language.
    fn fixture(&self, rank: usize) -> String {
        let us = |ns: u64| format!("{}.{:03}", ns / 1_000, ns % 1_000);
        let ahead = self.ahead[rank];
        let mut text =
            format!("rank {rank} of {}\nop forward 0..{}\n", self.n_ranks, us(60_000_000));
        if let Some(load) = self.loads.get(rank) {
            // Writing to a String cannot fail, here and below.
            let _ = writeln!(text, "op load 100+{}", us(*load));
        }
        for (at, ranks) in self.kernels.iter().enumerate() {
            let (start, end) = ranks[rank];
            let launch = start + ahead - 20_000;
            let operation = if at < self.n_partial { "send" } else { "allreduce" };
            let _ = writeln!(text, "launch {}..{}", us(launch), us(launch + 5_000));
            let _ = writeln!(
                text,
                "kernel all {}+{} args={{\"Collective name\": \"{operation}\", \"Process Group Name\": \"tp\", \"Seq\": {at}}}",
                us(start + ahead),
                us(end - start)
            );
        }
        text
    }

    fn run(&self) -> RunReport {
        self.evaluation().runs.remove(0)
    }

    fn evaluation(&self) -> Run {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        for rank in 0..self.ahead.len() {
            let text = self.fixture(rank);
            let written = fixture::write(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            let path = folder.path().join(format!("rank_{rank}.pt.trace.json"));
            std::fs::write(path, written.kineto()).unwrap_or_else(|error| panic!("{error}"));
        }
        let found = pipeline_at(&[folder.path().to_owned()]);
        assert_eq!(found.runs.len(), 1);
        found
    }

    /// How long the ranks of a collective waited for the last one.
    fn waits(&self, at: usize) -> Vec<u64> {
        let last = self.kernels[at].iter().map(|kernel| kernel.0).max().unwrap_or_default();
        self.kernels[at].iter().map(|kernel| last - kernel.0).collect()
    }
}

/// In nanoseconds.
fn ns(time: idleproof::report::Microseconds) -> i128 {
    time.ps() / 1_000
}

#[test]
fn waits_of_known_jobs_are_told_whatever_the_clocks_of_their_ranks() {
    let mut wrong: Vec<String> = Vec::new();
    for seed in 0..28 {
        let job = Job::of(seed);
        let run = job.run();
        if run.claims.collective_split.state != ClaimState::Supported {
            wrong.push(format!("{seed}: {:?}", run.claims.collective_split));
            continue;
        }
        // Clocks are set by when ranks leave, which they do within this of one another.
        let apart = i128::from(APART);
        let all: u64 = (0..job.kernels.len()).flat_map(|at| job.waits(at)).sum();
        let told = ns(run.collectives[0].wait_us);
        let most_off = apart * i128::from(N_COLLECTIVES * job.n_ranks);
        if (told - i128::from(all)).abs() > most_off {
            wrong.push(format!("{seed}: {told} ns of waiting, and it was {all}"));
        }
        for instance in &run.longest_waits {
            let fits = (0..job.kernels.len()).find(|&at| {
                let waits = job.waits(at);
                let near = |(told, true_wait): (&_, &u64)| -> bool {
                    let told: &idleproof::report::RankWait = told;
                    (ns(told.wait_us) - i128::from(*true_wait)).abs() <= 2 * apart
                };
                instance.ranks.iter().zip(&waits).all(near)
            });
            let Some(at) = fits else {
                wrong.push(format!("{seed}: no collective waited like {instance:?}"));
                continue;
            };
            // A rank that came within what the clocks leave open may have been the last as well.
            let wait = job.waits(at)[usize::try_from(instance.straggler).unwrap_or_default()];
            if i128::from(wait) > 2 * apart {
                wrong.push(format!("{seed}: rank {} did not come last", instance.straggler));
            }
        }
    }
    assert_no_mismatch(&wrong);
}

/// A job of three ranks in which the rank of each collective that comes last is given.
fn with_last(last: impl Fn(usize) -> usize) -> Job {
    let kernels = (0..N_COLLECTIVES).zip(0..).map(|(nth, at)| {
        let ready = 1_000_000 + nth * PERIOD;
        let start =
            |rank| if rank == last(at) { ready + 500_000 } else { ready + 10_000 * rank as u64 };
        (0..3).map(|rank| (start(rank), ready + 600_000)).collect()
    });
    let kernels = kernels.collect();
    Job { n_ranks: 3, ahead: vec![0; 3], kernels, loads: Vec::new(), n_partial: 0 }
}

/// The rank that the others wait for is the one to look at, and what another would save is time to wait in.
#[test]
fn the_rank_that_comes_last_is_the_one_to_look_at() {
    let job = with_last(|_| 2);
    let found = job.evaluation();
    let first = found.runs[0].look_first.as_ref().unwrap();
    assert_eq!((first.rank, first.basis.as_str()), (Some(2), "inferred"));
    assert!(first.action.starts_with("look at rank 2 first"), "{first:?}");
    assert!(first.evidence[0].contains("16 of 16 collectives"), "{first:?}");
    for (rank, capture) in found.captures.iter().enumerate() {
        assert!(!capture.what_to_change.is_empty());
        for change in &capture.what_to_change {
            let share = change.in_run.unwrap();
            let is_last = rank == 2;
            assert_eq!(
                (share.last > 0, share.at_most_us.ps() > 0),
                (is_last, is_last),
                "{rank} {change:?}"
            );
            assert!(change.assumption.contains("of 3 ranks"), "{change:?}");
            if change.cause == "exposed collectives" && !is_last {
                assert!(change.knob.contains("longest for rank 2"), "{change:?}");
            }
        }
    }
}

/// What is as long on a rank that comes last to nothing makes no rank late, though the device of the last one idles longer under it,
/// as it waits least in collectives.
#[test]
fn a_host_event_speaks_against_a_rank_only_where_it_is_longer_than_on_every_other() {
    let with_loads = |loads: [u64; 3]| {
        let found = Job { loads: loads.to_vec(), ..with_last(|_| 2) }.evaluation();
        found.runs[0].look_first.clone().unwrap()
    };
    let alike = with_loads([1_000_000, 5_000_000, 5_000_000]);
    assert_eq!(alike.host, []);
    assert!(
        alike.evidence.iter().any(|line| line.contains("no difference of the host")),
        "{alike:?}"
    );

    let longer = with_loads([1_000_000, 2_000_000, 5_000_000]);
    let [load] = longer.host.as_slice() else { panic!("{longer:?}") };
    assert_eq!((load.name.as_str(), load.kind.as_str()), ("load", "op"));
    // Launches within it are the innermost; those of ranks 0 and 1 begin at other times.
    assert!(load.time_us > load.others_most_us && load.others_most_us > load.others_us, "{load:?}");
    let covered = "against the middle of the others they cover at most 4.00 ms of the 8.00 ms";
    assert!(longer.evidence.iter().any(|line| line.contains(covered)), "{longer:?}");
}

/// How late the last rank is, who comes before it, and what the run gains, as a part of a window that is told.
#[test]
fn lateness_has_a_next_rank_and_a_gain_has_a_length() {
    let found = with_last(|_| 2).evaluation();
    let run = &found.runs[0];
    let first = run.look_first.as_ref().unwrap();
    // Ranks 0 and 1 come 10 µs apart, rank 2 490 µs later, to each of sixteen collectives.
    assert_eq!(first.late_us.map(ns), Some(16 * 500_000));
    assert_eq!(first.next.map(|(rank, by)| (rank, ns(by))), Some((1, 490_000)));
    // From the first collective's first kernel to the last one's end.
    assert_eq!(run.window_us.map(ns), Some(15 * 2_000_000 + 600_000));
    let starts: Vec<_> = run.by_rank.iter().map(|one| one.starts_after_us.map(ns)).collect();
    assert_eq!(starts, [Some(0), Some(10_000), Some(500_000)]);
    let gain = "the run, whose window is 30.6 ms, would get shorter by 0 to 7.84 ms (25.6 %)";
    assert!(first.action.contains(gain), "{first:?}");
    assert!(!first.action.contains("not proven"), "{first:?}");
    assert!(
        first.evidence.iter().any(|line| line.contains("then rank 1, which is 490 µs earlier"))
    );
}

/// Where data may move before the last rank comes, who is waited for longest is not proven: the sentence and the tables say so.
#[test]
fn a_rank_that_stands_out_by_an_upper_bound_carries_its_doubt() {
    // To nine of sixteen collectives rank 2 comes last, and those do not need every rank; to the others rank 1.
    let last = |at| if at < 9 { 2 } else { 1 };
    let found = Job { n_partial: 9, ..with_last(last) }.evaluation();
    let first = found.runs[0].look_first.as_ref().unwrap();
    assert_eq!(first.rank, Some(2), "{first:?}");
    let doubt = "not proven is that the others wait longest for it, as data may move before the last rank comes: \
                 certain is no wait for it, and 3.50 ms for rank 1";
    assert!(first.action.contains(doubt), "{first:?}");
    let exposed = |one: &&Change| one.cause == "exposed collectives";
    let of_first = found.captures[0].what_to_change.iter().find(exposed).unwrap();
    let doubt = "longest for rank 2 (not proven: for certain longest for rank 1, 3.50 ms)";
    assert!(of_first.knob.contains(doubt), "{of_first:?}");
}

/// What a rank's saving is a part of, and the floor that its collectives are.
#[test]
fn what_a_rank_is_worth_to_its_run_has_a_length() {
    let found = with_last(|_| 2).evaluation();
    for (capture, kernel) in found.captures.iter().zip([600_000, 590_000, 100_000]) {
        for change in &capture.what_to_change {
            let share = change.in_run.unwrap();
            assert_eq!(share.run_us, found.runs[0].window_us);
            assert_eq!(share.collectives_us.map(ns), Some(16 * kernel), "{change:?}");
        }
    }
}

#[test]
fn ranks_that_come_last_in_turn_do_not_stand_out() {
    let found = with_last(|at| at % 3).evaluation();
    let first = found.runs[0].look_first.as_ref().unwrap();
    assert_eq!(first.rank, None);
    assert!(first.action.starts_with("no rank stands out"), "{first:?}");
}
