//! What a capture shows to be missing, in words for advice: `None` where nothing is.

use crate::analysis::{Analysis, Confirmation, Launch};
use crate::trace::{HostCallKind, Trace};

/// What a device may wait for, and the host with it, though every launch and replay of the file has its records.
pub(super) const OUTSIDE: &str =
    "a peer, another process, work launched before recording began or the profiler's own start";

/// Whether graph replays have all of their records.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Replays {
    /// There are none, or the stream capture that built their graphs counts as many kernels in each.
    Complete,
    /// Nothing counts what they should have, in words.
    Unknown(String),
    /// Some lack records, in words.
    Lacking(String),
}

/// Whether graph replays have all of their records. Replays that are alike confirm nothing here: all may lack the same.
pub(super) fn replays(analysis: &Analysis) -> Replays {
    let graphs = &analysis.graphs;
    let all = graphs.replays.len() as u64;
    let bare = all - graphs.n_with_records().min(all);
    let incomplete = graphs.shortfall.as_ref().map_or(0, |sum| sum.n_incomplete);
    let lacking = bare.max(incomplete);
    if lacking > 0 {
        return Replays::Lacking(format!("{lacking} of {all} graph replays lack records"));
    }
    if graphs.replays.iter().all(|replay| replay.confirmed == Confirmation::Capture) {
        return Replays::Complete;
    }
    let records = || graphs.replays.iter().map(|replay| replay.n_records);
    let (least, most) = (records().min().unwrap_or(0), records().max().unwrap_or(0));
    let each = if least == most { most.to_string() } else { format!("{least} to {most}") };
    Replays::Unknown(format!(
        "nothing says whether {} with {each} device records is complete",
        if all == 1 {
            "the one graph replay".to_owned()
        } else {
            format!("each of {all} graph replays")
        }
    ))
}

/// Launch calls that own no record although they should, and executions of programs (JAX) without their kernels.
pub(super) fn launches(trace: &Trace, analysis: &Analysis) -> Option<String> {
    let launches = analysis.launches.accountable(trace, HostCallKind::Launch);
    let (mut all, mut bare) = (0_u64, 0_u64);
    for (index, _) in launches {
        all += 1;
        bare += u64::from(analysis.launches.n_records[index] == 0);
    }
    let missing = analysis.hlo.as_ref().map_or(0, |hlo| hlo.loss.missing.len());
    match (bare, missing) {
        (0, 0) => None,
        (0, missing) => Some(format!("{missing} executions of programs lack records")),
        (bare, _) => Some(format!("{bare} of {all} kernel launch calls own no record")),
    }
}

/// Device records that no call of the file launched.
pub(super) fn unlinked(analysis: &Analysis) -> Option<String> {
    let of_event = &analysis.launches.of_event;
    let n = of_event.iter().filter(|launch| **launch == Launch::UNKNOWN).count();
    (n > 0).then(|| format!("{n} of {} device records have no launch in the file", of_event.len()))
}
