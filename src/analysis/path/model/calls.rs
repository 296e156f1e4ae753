//! The calls of a window: which there are, what the host did before each, and what each wait waited for.

use super::{Item, Model};
use crate::analysis::launches::Launches;
use crate::trace::{HostCallKind, IntervalSet, ThreadId, Trace};
use crate::units::Interval;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// Records that are looked at for the one that a wait waited for.
const LOOK_BACK_MAX: usize = 64;

impl Model<'_> {
    pub(super) fn add_items(&mut self) {
        let (mut threads, mut launching) = (FxHashSet::default(), FxHashSet::default());
        for node in self.nodes.iter().filter(|node| node.device == self.device) {
            let Some(call) = self.launch_call(node.event) else { continue };
            let thread = self.trace.host_calls[call].thread;
            threads.insert(thread);
            if self.trace.device_events[node.event as usize].kind.is_kernel() {
                launching.insert(thread);
            }
        }
        let meets =
            |one: Interval| one.end() > self.window.start() && one.start() < self.window.end();
        let mut items: Vec<Item> = Vec::new();
        for ((index, call), &kind) in
            (0_u32..).zip(&self.trace.host_calls).zip(&self.launches.kinds)
        {
            let counts = kind.hands_over_work() || kind.blocks_on_device();
            if counts && meets(call.interval) && threads.contains(&call.thread) {
                let (thread, interval) = (call.thread, call.interval);
                let blocks = self.blocking_copies.contains(&index);
                let kind = if blocks { HostCallKind::BlockingCopy } else { kind };
                items.push(Item {
                    call: index,
                    thread,
                    interval,
                    kind,
                    prev: None,
                    waited_for: None,
                });
            }
        }
        items.sort_by_key(|one| (one.interval.start(), Reverse(one.interval.end()), one.call));
        self.items = without_nested(items, &self.launches.n_records);
        self.link_items(&launching);
    }

    /// The call before each: that of its own thread, or of a thread that launched since while its own was in no operator.
    fn link_items(&mut self, launching: &FxHashSet<ThreadId>) {
        let ops = operators(self.trace, self.window, &self.items);
        let mut by_end: Vec<u32> = (0_u32..).take(self.items.len()).collect();
        by_end.sort_by_key(|&item| (self.items[item as usize].interval.end(), item));
        let mut own: FxHashMap<ThreadId, u32> = FxHashMap::default();
        let (mut ended, mut latest): (usize, Option<u32>) = (0, None);
        for at in 0..self.items.len() {
            let Item { thread, interval, .. } = self.items[at];
            while let Some(&one) = by_end.get(ended)
                && self.items[one as usize].interval.end() <= interval.start()
                && (one as usize) != at
            {
                if launching.contains(&self.items[one as usize].thread) {
                    latest = Some(one);
                }
                ended += 1;
            }
            let before = own.get(&thread).copied();
            let other = latest.filter(|&one| {
                let (other, end) =
                    (self.items[one as usize].thread, self.items[one as usize].interval.end());
                let later = before.is_none_or(|own| self.items[own as usize].interval.end() < end);
                let in_operator = ops.get(&thread).is_some_and(|set| set.contains(end));
                other != thread && later && !in_operator
            });
            self.items[at].prev = other.or(before);
            own.insert(thread, u32::try_from(at).unwrap_or(u32::MAX));
        }
    }

    /// What each wait waited for: of the work that ended while it waited and was launched before, the last.
    pub(super) fn link_waits(&mut self) {
        let mut by_end: Vec<u32> = (0_u32..).take(self.nodes.len()).collect();
        by_end.sort_by_key(|&node| (self.nodes[node as usize].interval.end(), node));
        let waited_for = |item: &Item| {
            if !item.kind.blocks_on_device() {
                return None;
            }
            let after = by_end.partition_point(|&node| {
                self.nodes[node as usize].interval.end() <= item.interval.end()
            });
            let latest = by_end[..after].iter().rev().take(LOOK_BACK_MAX).copied();
            let mut ended = latest.take_while(|&node| {
                self.nodes[node as usize].interval.end() > item.interval.start()
            });
            ended.find(|&node| match self.launch_call(self.nodes[node as usize].event) {
                Some(call) if call == item.call as usize => true,
                Some(call) => self.trace.host_calls[call].interval.start() < item.interval.start(),
                None => true,
            })
        };
        let found: Vec<Option<u32>> = self.items.iter().map(waited_for).collect();
        for (item, found) in self.items.iter_mut().zip(found) {
            item.waited_for = found;
        }
    }
}

/// Copies that are queued by name and block all the same: they end before their call returns. CUDA documents that of copies from
/// the device to memory that is not pinned.
pub(super) fn blocking_copies(trace: &Trace, launches: &Launches) -> FxHashSet<u32> {
    let copies =
        trace.device_events.iter().zip(&launches.of_event).filter_map(|(event, launch)| {
            let call = launch.call()?;
            let ends_within = event.interval.end() <= trace.host_calls[call].interval.end();
            let is_queued = launches.kinds[call] == HostCallKind::Copy;
            u32::try_from(call).ok().filter(|_| is_queued && ends_within)
        });
    copies.collect()
}

/// A runtime call may contain a driver call: one of them counts, the one that owns records, else the outer.
fn without_nested(items: Vec<Item>, n_records: &[u32]) -> Vec<Item> {
    let mut kept: Vec<Item> = Vec::with_capacity(items.len());
    let mut last: FxHashMap<ThreadId, usize> = FxHashMap::default();
    for item in items {
        let outer = last.get(&item.thread).copied();
        let outer = outer.filter(|&at| kept[at].interval.end() > item.interval.start());
        let Some(at) = outer else {
            last.insert(item.thread, kept.len());
            kept.push(item);
            continue;
        };
        if n_records[item.call as usize] > 0 && n_records[kept[at].call as usize] == 0 {
            // The outer call lasts as long as the work of handing over does.
            kept[at] = Item { interval: kept[at].interval, ..item };
        }
    }
    kept
}

/// When each thread was inside an operator of the framework.
fn operators(trace: &Trace, window: Interval, items: &[Item]) -> FxHashMap<ThreadId, IntervalSet> {
    let mut by_thread: FxHashMap<ThreadId, Vec<Interval>> = FxHashMap::default();
    for item in items {
        by_thread.entry(item.thread).or_default();
    }
    if by_thread.len() > 1 {
        for op in &trace.ops {
            if let Some(part) = op.interval.intersection(window)
                && let Some(set) = by_thread.get_mut(&op.thread)
            {
                set.push(part);
            }
        }
    }
    by_thread.into_iter().map(|(thread, all)| (thread, IntervalSet::from_intervals(all))).collect()
}
