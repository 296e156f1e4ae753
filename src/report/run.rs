//! Captures of one job, one a rank, compared with one another.

use super::{CheckReport, ClaimReport, Microseconds};
use serde::{Deserialize, Serialize};

/// Captures of one job: same folder, distinct ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// The folder.
    pub name: String,
    /// The captures' names, by rank.
    pub captures: Vec<String>,
    /// Their ranks, in the same order.
    pub ranks: Vec<u64>,
    /// How many ranks the job has, where the captures say so.
    pub world_size: Option<u64>,
    /// The run's window: from the first device work on any rank to the end of the last. Absent where a rank has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_us: Option<Microseconds>,
    /// The checks that compare ranks.
    #[serde(default)]
    pub checks: Vec<CheckReport>,
    /// What may be stated of the ranks together.
    #[serde(default)]
    pub claims: RunClaims,
    /// Collectives by operation and group, the longest wait first: what the records say, whatever may be claimed.
    #[serde(default)]
    pub collectives: Vec<CollectiveTime>,
    /// Each rank in those collectives, in the order of `ranks`.
    #[serde(default)]
    pub by_rank: Vec<RankTotal>,
    /// Which rank to look at first, by what evidence; nothing where the split is not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look_first: Option<LookFirst>,
    /// Single collectives, in order of time: the hundred that were waited for longest.
    #[serde(default)]
    pub longest_waits: Vec<CollectiveInstance>,
}

/// What may be stated of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunClaims {
    /// That this part of a collective's time was waiting for the last rank.
    pub collective_split: ClaimReport,
}

/// Collectives of one operation in one group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectiveTime {
    /// The operation, else the kernel's name.
    pub name: String,
    /// The process group, where it is known.
    pub group: Option<String>,
    /// How many, each on all of its ranks.
    pub instances: u64,
    /// Kernel time over all ranks.
    pub kernel_us: Microseconds,
    /// The part of it before the last rank of each had come, over all ranks.
    pub wait_us: Microseconds,
    /// True where data may have moved between ranks that were there already: the wait is at most this.
    pub wait_is_upper_bound: bool,
    /// Transfer took at least and at most so long: at most the time in which all ranks were in it, of several ranks in an operation that
    /// does not need all of them the longest kernel of each. Nothing in the records bounds it from below.
    pub transfer_us: (Microseconds, Microseconds),
    /// The rank that came last most often, and how often.
    pub straggler: Option<(u64, u64)>,
}

/// One rank in all collectives that are on all of their ranks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankTotal {
    /// The rank.
    pub rank: u64,
    /// Kernel time of its collectives.
    pub kernel_us: Microseconds,
    /// How long of it the last rank of each had not come: at least and at most, as data may move before that in some.
    pub wait_us: (Microseconds, Microseconds),
    /// To how many it came last.
    pub last: u64,
    /// The longest wait for it in each of those, summed: at least and at most.
    pub awaited_us: (Microseconds, Microseconds),
    /// How much later its first device work starts than the first of any rank. Absent where a rank has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_after_us: Option<Microseconds>,
}

/// Where to begin in a run: inferred from who waits for whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookFirst {
    /// The rank; absent where none stands out.
    pub rank: Option<u64>,
    /// What to do.
    pub action: String,
    /// What that rests on, a line each.
    pub evidence: Vec<String>,
    /// How much later than the others its first device work starts: than the middle of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_later_us: Option<Microseconds>,
    /// How much later than the middle of the others it comes to the collectives to which it comes last, summed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_us: Option<Microseconds>,
    /// The rank that comes next to last to the first of those, and how much earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<(u64, Microseconds)>,
    /// The host events that take clearly longer on it than on every other rank, the largest difference first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<RankDifference>,
    /// `inferred`.
    pub basis: String,
}

/// The host's own time in an event on one rank, against the other ranks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankDifference {
    /// The event's name.
    pub name: String,
    /// Its kind, as in `records.devices[].idle_host_events`.
    pub kind: String,
    /// The host's own time in it on this rank: while it was the innermost event on a thread that launched work.
    pub time_us: Microseconds,
    /// The longest of any other rank.
    pub others_most_us: Microseconds,
    /// The middle of the other ranks'.
    pub others_us: Microseconds,
}

/// One collective on all of its ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectiveInstance {
    /// The operation, else the kernel's name.
    pub name: String,
    /// The process group, where it is known.
    pub group: Option<String>,
    /// When all ranks were in it: from the start of the last to the end of the last to end, on the axis of the first rank's file.
    pub all_present_us: (Microseconds, Microseconds),
    /// The rank that came last.
    pub straggler: u64,
    /// Each rank.
    pub ranks: Vec<RankWait>,
}

/// One rank in one collective.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankWait {
    /// The rank.
    pub rank: u64,
    /// How long its kernel ran.
    pub kernel_us: Microseconds,
    /// How long of it the last rank had not come.
    pub wait_us: Microseconds,
}
