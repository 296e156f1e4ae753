//! Ranks of one job, held against one another: which are there, whether their clocks agree, and who waited for whom in collectives.
//!
//! A kernel of NCCL or RCCL runs from when its own rank comes until the operation is over. Until the last rank has come it waits,
//! whatever a profiler calls that time. The split needs one clock for all ranks: a collective that all ranks need ends on all of
//! them at once, so that the spread of the ends is what the clocks disagree by.

mod clocks;
mod host;
mod instances;
mod split;

pub use clocks::Clocks;
pub use host::RankHost;
pub use split::{Instance, Wait};

use crate::report::{CaptureReport, RankRecord};
use std::collections::BTreeMap;

/// The captures of one job.
#[derive(Debug)]
pub struct Run {
    /// The folder that holds them.
    pub name: String,
    /// The captures' names, by rank.
    pub captures: Vec<String>,
    /// The paths of all their files.
    pub paths: Vec<String>,
    /// Their ranks.
    pub ranks: Vec<u64>,
    /// How many ranks the job has, where the captures say so and agree.
    pub world_size: Option<u64>,
    /// Whether the ranks' clocks agree; absent where no collective is on several ranks.
    pub clocks: Option<Clocks>,
    /// Collectives that are on all of their ranks, in order of time, without those whose ends contradict the clocks.
    pub instances: Vec<Instance>,
    /// How many of those there are: nothing tells who waited in them.
    pub n_contradicting: u64,
    /// What each rank's host and device show beside the collectives, in the order of `ranks`.
    pub hosts: Vec<RankHost>,
    /// Collective kernels, over all ranks.
    pub n_collectives: u64,
    /// Those whose counterparts on other ranks are not all there or can't be told.
    pub n_unmatched: u64,
    /// The operation and group of the first of those.
    pub first_unmatched: Option<String>,
}

impl Run {
    /// From the first device work on any rank to the end of the last; `None` where a rank has none.
    pub fn window(&self) -> Option<(i128, i128)> {
        let first: Option<Vec<i128>> = self.hosts.iter().map(|host| host.first_work).collect();
        let last: Option<Vec<i128>> = self.hosts.iter().map(|host| host.last_work).collect();
        Some((first?.into_iter().min()?, last?.into_iter().max()?))
    }
}

/// The runs among some captures: two or more of one folder that say which rank of how many they are, each rank once.
pub fn runs(captures: &[CaptureReport]) -> Vec<Run> {
    type Ranks<'a> = Vec<(&'a CaptureReport, &'a RankRecord)>;
    let mut by_job: BTreeMap<(&str, Option<u64>), Ranks<'_>> = BTreeMap::new();
    for capture in captures {
        let Some(record) = &capture.rank else { continue };
        let first = capture.files.first().map_or("", |file| file.path.as_str());
        let folder = first.rsplit_once('/').map_or("", |(folder, _)| folder);
        by_job.entry((folder, record.world_size)).or_default().push((capture, record));
    }
    let jobs = by_job.into_iter().map(|((folder, world_size), mut ranks)| {
        ranks.sort_by_key(|(_, record)| record.rank);
        (folder, world_size, ranks)
    });
    // Several captures of one rank are several runs, and nothing says which of them belong together.
    let is_run = |ranks: &[(&CaptureReport, &RankRecord)]| {
        ranks.len() > 1 && ranks.windows(2).all(|pair| pair[0].1.rank < pair[1].1.rank)
    };
    jobs.filter(|(_, _, ranks)| is_run(ranks))
        .map(|(folder, world_size, ranks)| run(folder, world_size, &ranks))
        .collect()
}

fn run(folder: &str, world_size: Option<u64>, ranks: &[(&CaptureReport, &RankRecord)]) -> Run {
    let records: Vec<&RankRecord> = ranks.iter().map(|(_, record)| *record).collect();
    let mut matched = instances::matched(&records);
    let clocks = clocks::clocks(&matched.instances, records.len());
    let n_matched = matched.instances.len();
    if let Some(clocks) = &clocks {
        matched.instances.retain(|one| !clocks.contradict(one));
    }
    let offsets = clocks.as_ref().map_or_else(Vec::new, |clocks| clocks.offsets.clone());
    let base = records.first().map_or(0, |record| record.base_ps);
    let files = ranks.iter().flat_map(|(capture, _)| &capture.files);
    Run {
        name: if folder.is_empty() { ".".to_owned() } else { folder.to_owned() },
        captures: ranks.iter().map(|(capture, _)| capture.name.clone()).collect(),
        paths: files.map(|file| file.path.clone()).collect(),
        ranks: records.iter().map(|record| record.rank).collect(),
        world_size,
        instances: split::split(&matched.instances, &records, &offsets, base),
        n_contradicting: (n_matched - matched.instances.len()) as u64,
        hosts: host::hosts(ranks, &offsets, base),
        clocks,
        n_collectives: records.iter().map(|record| record.collectives.len() as u64).sum(),
        n_unmatched: matched.n_unmatched,
        first_unmatched: matched.first_unmatched,
    }
}
