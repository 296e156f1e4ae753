//! What a capture of one rank brings to a comparison of ranks.

use super::host_cause::own_times;
use super::launches::Launches;
use crate::report::{RankCollective, RankHostTime, RankRecord};
use crate::trace::{DeviceEvent, DeviceEventKind, NameId, Trace};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The record of a rank; `None` where the capture does not say which rank it is.
pub(super) fn rank_record(trace: &Trace, launches: &Launches) -> Option<RankRecord> {
    let distributed = trace.profiler.distributed.as_ref()?;
    let mut names: FxHashMap<NameId, Arc<str>> = FxHashMap::default();
    let mut text =
        |name: NameId| Arc::clone(names.entry(name).or_insert_with(|| trace.name(name).into()));
    let is_collective = |event: &&DeviceEvent| event.kind == DeviceEventKind::Collective;
    let mut events: Vec<&DeviceEvent> = trace.device_events.iter().filter(is_collective).collect();
    events.sort_by_key(|event| (event.interval.start(), event.interval.end()));
    let collectives = events.into_iter().map(|event| {
        let written = event.collective.map(|id| &trace.collectives[id.index()]);
        let at = |time| trace.origin.on_file_axis(time);
        RankCollective {
            name: text(written.and_then(|one| one.operation).unwrap_or(event.name)),
            group: written.and_then(|one| one.group).map(&mut text),
            group_size: written.and_then(|one| one.group_size),
            sequence: written.and_then(|one| one.sequence),
            interval_ps: (at(event.interval.start()), at(event.interval.end())),
        }
    });
    let rank = distributed.rank?;
    let host_time = |((activity, name), time_ps): ((super::HostActivity, &str), i128)| {
        RankHostTime { kind: activity.name(), name: name.to_owned(), time_ps }
    };
    Some(RankRecord {
        rank,
        world_size: distributed.world_size,
        base_ps: i128::from(trace.origin.base_unix_ns.unwrap_or(0)) * 1_000,
        collectives: collectives.collect(),
        // One rank alone is compared with nobody.
        host_times: match distributed.world_size {
            Some(..=1) => Vec::new(),
            _ => own_times(trace, launches).into_iter().map(host_time).collect(),
        },
    })
}
