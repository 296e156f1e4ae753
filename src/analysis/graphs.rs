//! Graph replays: which launches own device records, and how many they should own.

mod kinds;

use super::launches::Launches;
use crate::trace::{GraphTask, HostCallKind, Record, Trace};
use crate::units::{Picoseconds, Ratio};
use kinds::Kinds;
use std::collections::BTreeMap;

/// Every graph replay of a trace. Counts are over the whole record, never over a part of it.
#[derive(Debug)]
pub struct Graphs {
    /// Graph launch calls outside stream capture, in the order of the file.
    pub replays: Vec<GraphReplay>,
    /// Kernels that a replay dispatched, by their launch or by what their own record says.
    pub n_kernels: u64,
    /// Their summed duration.
    pub kernel_time: Picoseconds,
    /// Device records that say a replay dispatched them, while no recorded call launched them.
    pub n_unlinked: u64,
    /// Records against an expectation that the capture itself holds; `None` where it holds none.
    pub shortfall: Option<Shortfall>,
}

/// One replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphReplay {
    /// The launch call, by index.
    pub call: usize,
    /// Device records of every kind.
    pub n_records: u64,
    /// Kernels among them.
    pub n_kernels: u64,
    /// The executable graph, where its records name it.
    pub graph: Option<u64>,
    /// True where the end of recording may explain that it has no record.
    pub cut_off: bool,
    /// What confirms that its records are complete.
    pub confirmed: Confirmation,
}

/// What confirms that the records of a replay are complete, the weakest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confirmation {
    /// Nothing.
    #[default]
    Nothing,
    /// Another replay that owns the same records, while none owns more. Loss that is alike in all of them would not show.
    Replays,
    /// The stream capture that built its graph counts as many kernels.
    Capture,
}

/// Records that replays own against those that they should own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shortfall {
    /// Replays for which an expectation exists.
    pub n_replays: u64,
    /// Those that own fewer records than expected.
    pub n_incomplete: u64,
    /// Records owned.
    pub n_records: u64,
    /// Records expected.
    pub n_expected: u64,
    /// Fewest and most records of one replay among them.
    pub extremes: (u64, u64),
    /// Replays whose expectation came from the graph's own id.
    pub n_by_graph_id: u64,
    /// Replays whose expectation came from other replays: they own part of the same records.
    pub n_by_kind: u64,
}

impl Graphs {
    /// Replays that own at least one device record.
    pub fn n_with_records(&self) -> u64 {
        self.replays.iter().filter(|replay| replay.n_records > 0).count() as u64
    }

    /// Replays that must own a record: all of them, less those that the end of recording explains. The excuse needs
    /// at least one recorded replay: a profiler that recorded none may not be able to.
    pub fn n_accountable(&self) -> u64 {
        let all = self.replays.len() as u64;
        if self.n_with_records() == 0 {
            return all;
        }
        all - self.replays.iter().filter(|replay| replay.cut_off).count() as u64
    }
}

impl Shortfall {
    /// Records owned ÷ records expected.
    pub const fn node_coverage(&self) -> Option<Ratio> {
        Ratio::new(self.n_records, self.n_expected)
    }
}

/// Collects the replays of a trace; `shards` are the records made while its graphs were built.
pub(super) fn replays(trace: &Trace, shards: &[Record], launches: &Launches) -> Graphs {
    let mut replays = Vec::new();
    let mut replay_of_call: BTreeMap<usize, usize> = BTreeMap::new();
    for (call, host_call) in trace.host_calls.iter().enumerate() {
        if host_call.kind == HostCallKind::GraphLaunch && !launches.is_captured(call, host_call) {
            replay_of_call.insert(call, replays.len());
            let cut_off = launches.is_cut_off(call);
            replays.push(GraphReplay {
                call,
                n_records: 0,
                n_kernels: 0,
                graph: None,
                cut_off,
                confirmed: Confirmation::Nothing,
            });
        }
    }
    let (mut n_kernels, mut kernel_time, mut n_unlinked) = (0, Picoseconds::ZERO, 0);
    for (event, launch) in trace.device_events.iter().zip(&launches.of_event) {
        let replay =
            launch.call().and_then(|call| replay_of_call.get(&call)).map(|&at| &mut replays[at]);
        let says_replay = matches!(event.graph_task, GraphTask::Replay | GraphTask::WholeReplay);
        n_unlinked += u64::from(replay.is_none() && says_replay);
        if event.kind.is_kernel() && (replay.is_some() || says_replay) {
            n_kernels += 1;
            kernel_time += event.interval.duration();
        }
        if let Some(replay) = replay {
            replay.n_records += 1;
            replay.n_kernels += u64::from(event.kind.is_kernel());
            let node = event.graph_node.map(|id| trace.graph_nodes[id.index()]);
            replay.graph = replay.graph.or(node.map(|node| node.graph));
        }
    }
    let sizes = captured_graph_sizes(trace, shards, launches);
    let kinds = Kinds::of(trace, launches, &replays);
    let shortfall = shortfall(&mut replays, &sizes, &kinds);
    Graphs { replays, n_kernels, kernel_time, n_unlinked, shortfall }
}

/// Kernel launches inside each stream capture of the trace and its shards, ascending: the sizes that graphs can have.
///
/// Captures that overlap in time cannot be told apart and count as one, which only makes the expectation larger than
/// any replay and therefore silent.
fn captured_graph_sizes(trace: &Trace, shards: &[Record], launches: &Launches) -> Vec<u64> {
    let own = sizes_in(trace, &launches.capture_windows);
    let shards = shards.iter().flat_map(|shard| {
        sizes_in(&shard.trace, &crate::trace::stream_capture_windows(&shard.trace))
    });
    let mut sizes: Vec<u64> = own.into_iter().chain(shards).filter(|&size| size > 0).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn sizes_in(trace: &Trace, windows: &crate::trace::IntervalSet) -> Vec<u64> {
    let mut starts: Vec<Picoseconds> = trace
        .host_calls
        .iter()
        .filter(|call| call.kind == HostCallKind::Launch)
        .map(|call| call.interval.start())
        .collect();
    starts.sort_unstable();
    let before = |instant| starts.partition_point(|&start| start < instant) as u64;
    windows.iter().map(|window| before(window.end()) - before(window.start())).collect()
}

/// Nodes that a capture counts and a replay may honestly lack: elided nodes were measured as 994 → 993 and 1567 → 1566.
const fn tolerated_deficit(size: u64) -> u64 {
    let two_permille = size / 500;
    if two_permille > 1 { two_permille } else { 1 }
}

/// Holds each replay against the best expectation that the capture has of it.
fn shortfall(replays: &mut [GraphReplay], sizes: &[u64], kinds: &Kinds) -> Option<Shortfall> {
    let mut most_of_graph: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for replay in &*replays {
        if let Some(graph) = replay.graph {
            let (n, most) = most_of_graph.entry(graph).or_insert((0, 0));
            (*n, *most) = (*n + 1, replay.n_records.max(*most));
        }
    }
    let mut sum = Shortfall { extremes: (u64::MAX, 0), ..Shortfall::default() };
    for (at, replay) in replays.iter_mut().enumerate().filter(|(_, one)| one.n_records > 0) {
        let same_graph =
            replay.graph.and_then(|graph| most_of_graph.get(&graph)).filter(|(n, _)| *n > 1);
        let by_size = expected_size(replay.n_kernels, sizes);
        let by_kind = kinds.whole(at);
        let (owned, expected) = match (same_graph, by_size, by_kind) {
            (Some(&(_, most)), ..) => (replay.n_records, most),
            (None, Some(expected), _) => (replay.n_kernels, expected),
            (None, None, Some(whole)) => (replay.n_records, whole),
            // Where other replays are incomplete forms of one another, a whole one is part of the comparison.
            (None, None, None) if kinds.has_incomplete() => (replay.n_records, replay.n_records),
            (None, None, None) => {
                let twin = kinds.has_twin(at).then_some(Confirmation::Replays);
                replay.confirmed = twin.unwrap_or_default();
                continue;
            }
        };
        let is_by_kind = same_graph.is_none() && by_size.is_none();
        replay.confirmed = match by_size {
            _ if owned < expected => Confirmation::Nothing,
            Some(size) if replay.n_kernels >= size => Confirmation::Capture,
            // As many records are not the same records: each replay may have lost others.
            _ if kinds.has_twin(at) => Confirmation::Replays,
            _ => Confirmation::Nothing,
        };
        sum.n_replays += 1;
        sum.n_by_graph_id += u64::from(same_graph.is_some());
        sum.n_by_kind += u64::from(is_by_kind);
        sum.n_incomplete += u64::from(owned < expected);
        sum.n_records += owned;
        sum.n_expected += expected;
        sum.extremes = (sum.extremes.0.min(owned), sum.extremes.1.max(owned));
    }
    (sum.n_replays > 0).then_some(sum)
}

/// The kernels that a replay with `owned` kernels must have had at least: its own number where a captured graph has that
/// size, within the tolerated deficit; else the next larger size; `None` where every captured graph is smaller.
fn expected_size(owned: u64, sizes: &[u64]) -> Option<u64> {
    let fits = |&&size: &&u64| owned <= size && size - owned <= tolerated_deficit(size);
    if sizes.iter().any(|size| fits(&size)) {
        return Some(owned);
    }
    sizes.iter().copied().find(|&size| size > owned)
}

#[cfg(test)]
mod tests {
    use super::kinds::Kinds;
    use super::{Confirmation, GraphReplay, expected_size, shortfall};

    #[test]
    fn a_replay_is_held_against_the_sizes_that_graphs_can_have() {
        let sizes = [4, 12, 15, 1567];
        for (owned, expected) in [
            (4, Some(4)),
            (3, Some(3)), // within one elided node of 4
            (10, Some(12)),
            (14, Some(14)),
            (1566, Some(1566)),
            (1500, Some(1567)),
            (1568, None),
        ] {
            assert_eq!(expected_size(owned, &sizes), expected, "{owned}");
        }
        assert_eq!(expected_size(5, &[]), None);
    }

    #[test]
    fn replays_of_one_graph_must_be_alike() {
        let replay = |graph, n| GraphReplay {
            call: 0,
            n_records: n,
            n_kernels: n,
            graph,
            cut_off: false,
            confirmed: Confirmation::Nothing,
        };
        let alone = Kinds::unlike;
        let mut same: Vec<_> = [20, 1, 1, 1].map(|n| replay(Some(9), n)).into();
        let sum = shortfall(&mut same, &[], &alone(4)).unwrap_or_default();
        assert_eq!(
            (sum.n_incomplete, sum.n_records, sum.n_expected, sum.extremes),
            (3, 23, 80, (1, 20))
        );
        // Different graphs may differ; one replay of a graph proves nothing.
        let mut different: Vec<_> = (0..3).map(|n| replay(Some(n), 4 + n)).collect();
        assert_eq!(shortfall(&mut different, &[], &alone(3)), None);
        let mut unnamed: Vec<_> = [4, 15, 12].map(|n| replay(None, n)).into();
        assert_eq!(shortfall(&mut unnamed, &[], &alone(3)), None);
    }
}
