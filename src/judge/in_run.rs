//! What a rank's savings are worth to its run: a rank that does not come last saves itself time to wait in.

use crate::analysis::{ChangeCause, Instance, Run};
use crate::report::{CaptureReport, Change, ClaimState, Microseconds, RunReport, ShareOfRun};
use crate::units::Picoseconds;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Writes into the rows of what to change, of every rank of a run, what they are worth to it.
pub fn told_of_runs(captures: &mut [CaptureReport], runs: &[Run], reports: &[RunReport]) {
    for (run, report) in runs.iter().zip(reports) {
        for (at, name) in run.captures.iter().enumerate() {
            let Some(capture) = captures.iter_mut().find(|capture| capture.name == *name) else {
                continue;
            };
            let told = Told::of(run, report, at);
            capture.what_to_change.iter_mut().for_each(|change| told.write(change));
        }
    }
}

/// What is known of one rank in the window of its critical path.
struct Told {
    n_ranks: usize,
    /// Absent where the run does not state who waits for whom.
    share: Option<ShareOfRun>,
    /// Whom the rank waits for in that window, and how long: by what is certain, and at most.
    waits: BTreeMap<u64, (i128, i128)>,
}

impl Told {
    fn of(run: &Run, report: &RunReport, at: usize) -> Self {
        let mut told = Self { n_ranks: run.ranks.len(), share: None, waits: BTreeMap::new() };
        let window = run.hosts.get(at).and_then(|host| host.path_window);
        let (Some(&rank), Some((opens, ends))) = (run.ranks.get(at), window) else { return told };
        if report.claims.collective_split.state != ClaimState::Supported {
            return told;
        }
        let own = |one: &&Instance| {
            let mut ranks = one.ranks.iter();
            ranks.any(|of| of.rank == rank && of.start_in_file >= opens && of.start_in_file < ends)
        };
        let (mut share, mut kernels) = ((0_u64, 0_u64, 0_i128), 0_i128);
        for one in run.instances.iter().filter(own) {
            share.0 += 1;
            if one.straggler == rank {
                (share.1, share.2) = (share.1 + 1, share.2 + one.lead);
            }
            for of in one.ranks.iter().filter(|of| of.rank == rank) {
                kernels += of.kernel;
                let (least, most) = told.waits.entry(one.straggler).or_default();
                *least += if one.needs_all { of.wait } else { 0 };
                *most += of.wait;
            }
        }
        let (collectives, last, lead) = share;
        told.share = (collectives > 0).then(|| ShareOfRun {
            collectives,
            last,
            at_most_us: Microseconds::from_ps(lead),
            run_us: report.window_us,
            collectives_us: Some(Microseconds::from_ps(kernels)),
        });
        told
    }

    /// The rank that this one waits for longest, how long at most, and what is not proven of that.
    fn waits_for(&self) -> Option<(u64, i128, String)> {
        let by = |least: bool| {
            let of = move |&(&rank, &(sure, most)): &(&u64, &(i128, i128))| {
                (if least { sure } else { most }, Reverse(rank))
            };
            self.waits.iter().max_by_key(of)
        };
        let (&rank, &(certain, most)) = by(false).filter(|(_, (_, most))| *most > 0)?;
        let mut others = self.waits.iter().filter(|(other, _)| **other != rank);
        if others.all(|(_, (_, other))| *other <= certain) {
            return Some((rank, most, String::new()));
        }
        let doubt = match by(true) {
            Some((other, (sure, _))) if *sure > certain => {
                format!(" (not proven: for certain longest for rank {other}, {})", human(*sure))
            }
            _ => " (not proven: data may move before the last rank comes)".to_owned(),
        };
        Some((rank, most, doubt))
    }

    fn write(&self, change: &mut Change) {
        change.in_run = self.share;
        let of_run = match self.share {
            Some(ShareOfRun { last: 0, .. }) => "nowhere in this window".to_owned(),
            Some(share) => format!("by at most {} in this window", human(share.at_most_us.ps())),
            None => "whether it does is not known".to_owned(),
        };
        change.assumption = format!(
            "{}; of {} ranks, the run gets shorter only where this one comes last: {of_run}",
            change.assumption, self.n_ranks
        );
        if change.cause == ChangeCause::Collectives.words()
            && let Some((rank, wait, doubt)) = self.waits_for()
        {
            let saved = change.step_us.now.ps() - change.step_us.if_gone.0.ps();
            let waiting = match wait < saved {
                true => format!("at most {} of it", human(wait)),
                false => "up to all of it".to_owned(),
            };
            change.knob = format!(
                "nothing on this rank against what is waiting: {waiting}, longest for rank {rank}{doubt}, which the run compares with the \
                 others. Against the rest: overlap with compute, or other buckets"
            );
        }
    }
}

fn human(ps: i128) -> String {
    i64::try_from(ps).map_or_else(|_| format!("{ps} ps"), |ps| Picoseconds::new(ps).human())
}
