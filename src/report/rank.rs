//! What a capture of one rank has to say in a comparison with the other ranks of its job.

use std::sync::Arc;

/// A capture that says which rank it is. It is no part of the JSON: what a comparison finds is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankRecord {
    /// The rank.
    pub rank: u64,
    /// How many ranks the job has, where the capture says so.
    pub world_size: Option<u64>,
    /// What the file's axis counts from, in picoseconds since the Unix epoch: 0 where its times do so themselves.
    pub base_ps: i128,
    /// Collective kernels, in order of their start.
    pub collectives: Vec<RankCollective>,
    /// The host's own time in its events, on the threads that launched work.
    pub host_times: Vec<RankHostTime>,
}

/// The host's own time in the events of one kind and name: while one of them was the innermost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankHostTime {
    /// Its kind, as in `records.devices[].idle_host_events`.
    pub kind: &'static str,
    /// Its name; that of a step without its number.
    pub name: String,
    /// How long, in picoseconds.
    pub time_ps: i128,
}

/// One collective kernel of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankCollective {
    /// The operation, else the kernel's name.
    pub name: Arc<str>,
    /// The process group, where the producer wrote it.
    pub group: Option<Arc<str>>,
    /// How many ranks take part, where the producer wrote it.
    pub group_size: Option<u64>,
    /// The position in the group's sequence of operations, where the producer wrote it.
    pub sequence: Option<u64>,
    /// Start and end on the file's axis, in picoseconds.
    pub interval_ps: (i128, i128),
}
