//! The work of a window, on the device and on the host, with what enables each piece of it to start.

use super::Evidence;
use crate::analysis::latency::{DISPATCH_GAP, DISPATCH_LATENCY};
use crate::analysis::launches::{Launch, Launches};
use crate::analysis::waits::EventWaits;
use crate::trace::{DeviceId, HostCallKind, IntervalSet, ThreadId, Trace};
use crate::units::Interval;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// Records that are looked at for the one that a wait waited for.
const LOOK_BACK_MAX: usize = 64;

/// The work of a window.
pub(in crate::analysis) struct Model<'a> {
    pub(in crate::analysis) trace: &'a Trace,
    launches: &'a Launches,
    /// The device on which the path ends.
    pub(in crate::analysis) device: DeviceId,
    pub(in crate::analysis) window: Interval,
    /// Device work that meets the window, of every device, in order of start.
    pub(in crate::analysis) nodes: Vec<Node>,
    /// Calls that hand over work or wait for it, on the threads that do so for the device, in order of start.
    pub(in crate::analysis) items: Vec<Item>,
    /// What the window ends with.
    pub(in crate::analysis) target: Option<Target>,
}

/// What the window ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) enum Target {
    /// The start of this piece of work: it is the first of the next step.
    Start(u32),
    /// The end of this one.
    End(u32),
}

/// A piece of device work.
#[derive(Clone, Copy, Debug)]
pub(in crate::analysis) struct Node {
    /// The device event, by index.
    pub(in crate::analysis) event: u32,
    pub(in crate::analysis) device: DeviceId,
    pub(in crate::analysis) interval: Interval,
    /// The work before it on its stream.
    pub(in crate::analysis) prev: Option<u32>,
    /// Work of another stream that it waited for, as far as that is known.
    pub(in crate::analysis) awaited: Option<u32>,
    /// Its launch call, where that meets the window.
    pub(in crate::analysis) item: Option<u32>,
    /// What enabled it to start.
    pub(in crate::analysis) enabler: Enabler,
}

/// What enables a piece of device work to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) enum Enabler {
    /// Nothing in the window.
    Nothing,
    /// The end of other device work.
    Device(u32),
    /// The return of its launch call.
    Returned(u32),
    /// Its launch call, before that returned.
    Within(u32),
}

/// A call of the host.
#[derive(Clone, Copy, Debug)]
pub(in crate::analysis) struct Item {
    /// The call, by index.
    pub(in crate::analysis) call: u32,
    pub(in crate::analysis) thread: ThreadId,
    pub(in crate::analysis) interval: Interval,
    pub(in crate::analysis) kind: HostCallKind,
    /// The call that the host made before it.
    pub(in crate::analysis) prev: Option<u32>,
    /// The device work that it waited for.
    pub(in crate::analysis) waited_for: Option<u32>,
}

impl<'a> Model<'a> {
    pub(super) fn of(evidence: &Evidence<'a>, device: DeviceId, window: Interval) -> Self {
        let Evidence { trace, launches, .. } = *evidence;
        let nodes = nodes(trace, window);
        let mut model =
            Self { trace, launches, device, window, nodes, items: Vec::new(), target: None };
        model.add_items();
        model.link_waits();
        model.link_nodes(&EventWaits::of(trace));
        model.target = model.target();
        model
    }

    /// The call that handed a device event over. Tracers were seen to join kernels to waits of other threads.
    pub(in crate::analysis) fn launch_call(&self, event: u32) -> Option<usize> {
        let Launch::Call(call) = self.launches.of_event[event as usize] else { return None };
        let hands_over = |call: usize| self.launches.kinds[call].hands_over_work();
        Some(call as usize).filter(|&call| hands_over(call))
    }

    fn add_items(&mut self) {
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
    fn link_waits(&mut self) {
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

    fn link_nodes(&mut self, event_waits: &EventWaits) {
        let item_of: FxHashMap<usize, u32> =
            (0_u32..).zip(&self.items).map(|(at, item)| (item.call as usize, at)).collect();
        let mut by_end: Vec<u32> = (0_u32..).take(self.nodes.len()).collect();
        by_end.sort_by_key(|&node| (self.nodes[node as usize].interval.end(), node));
        let mut on_stream: Vec<Option<u32>> = vec![None; self.trace.streams.len()];
        let mut ended_on_stream = on_stream.clone();
        let mut ended_of_call: FxHashMap<usize, u32> = FxHashMap::default();
        let mut ended = 0;
        let calls = &self.trace.host_calls;
        let waits_are_recorded = calls.iter().any(|call| call.kind == HostCallKind::StreamWait);
        for (at, index) in (0_u32..).zip(0..self.nodes.len()) {
            let node = self.nodes[index];
            let stream = self.trace.device_events[node.event as usize].stream;
            while let Some(&one) = by_end.get(ended)
                && one < at
                && self.nodes[one as usize].interval.end() <= node.interval.start()
            {
                let event = self.nodes[one as usize].event;
                ended_on_stream[self.trace.device_events[event as usize].stream.index()] =
                    Some(one);
                if let Some(call) = self.launch_call(event) {
                    ended_of_call.insert(call, one);
                }
                ended += 1;
            }
            let call = self.launch_call(node.event);
            let is_replay = |call: &usize| self.launches.kinds[*call] == HostCallKind::GraphLaunch;
            let prev = on_stream[stream.index()].replace(at);
            let of_replay =
                call.filter(is_replay).and_then(|call| ended_of_call.get(&call).copied());
            let other = || {
                let end = |&one: &u32| (self.nodes[one as usize].interval.end(), one);
                let here = |&one: &u32| self.nodes[one as usize].device == node.device;
                ended_on_stream.iter().flatten().copied().filter(here).max_by_key(end)
            };
            let awaited = match call {
                Some(call) if event_waits.precede(call) => other(),
                Some(call) if of_replay.is_none() && !waits_are_recorded => {
                    other().filter(|&one| self.may_await(&node, call, one))
                }
                _ => of_replay,
            };
            let awaited = awaited.filter(|&one| Some(one) != prev);
            let item = call.and_then(|call| item_of.get(&call).copied());
            let linked = Node { prev, awaited, item, ..node };
            self.nodes[index] = Node { enabler: self.enabler(&linked), ..linked };
        }
    }

    /// Where no call that makes streams wait is recorded, work may have waited for what ended on another stream a moment before it started,
    /// if it had been launched for longer.
    fn may_await(&self, node: &Node, call: usize, other: u32) -> bool {
        let ended = self.nodes[other as usize].interval.end();
        let launched = self.trace.host_calls[call].interval.end();
        node.interval.start() - ended <= DISPATCH_LATENCY && ended - launched > DISPATCH_GAP
    }

    /// Of what must be over before it starts, what was over last.
    fn enabler(&self, node: &Node) -> Enabler {
        let start = node.interval.start();
        let end = |one: u32| self.nodes[one as usize].interval.end().min(start);
        let before = node.prev.into_iter().chain(node.awaited).max_by_key(|&one| end(one));
        let call = node.item.map(|item| (item, self.items[item as usize].interval));
        // A kernel that starts before its launch has another clock or another call.
        let call = call.filter(|(_, call)| call.start() <= start);
        match (before, call) {
            (None, None) => Enabler::Nothing,
            (Some(before), None) => Enabler::Device(before),
            (before, Some((item, call))) => {
                let device = before.filter(|&one| end(one) > call.start());
                let returned = call.end() <= start;
                let later = device.filter(|&one| match returned {
                    true => end(one) >= call.end(),
                    false => start - end(one) <= DISPATCH_GAP,
                });
                match later {
                    Some(one) => Enabler::Device(one),
                    None if returned => Enabler::Returned(item),
                    None => Enabler::Within(item),
                }
            }
        }
    }

    fn target(&self) -> Option<Target> {
        let end = self.window.end();
        let mine = || (0_u32..).zip(&self.nodes).filter(|(_, node)| node.device == self.device);
        let last = mine().find(|(_, node)| node.interval.end() == end);
        let next = mine().find(|(_, node)| node.interval.start() == end);
        match next {
            Some((node, _)) => Some(Target::Start(node)),
            None => last.map(|(node, _)| Target::End(node)),
        }
    }
}

/// Device work that meets the window, and what begins with its end.
fn nodes(trace: &Trace, window: Interval) -> Vec<Node> {
    let events = (0_u32..).zip(&trace.device_events);
    let meets = |one: Interval| one.end() > window.start() && one.start() <= window.end();
    let mut nodes: Vec<Node> = events
        .filter(|(_, event)| meets(event.interval))
        .map(|(index, event)| Node {
            event: index,
            device: trace.stream(event.stream).device,
            interval: event.interval,
            prev: None,
            awaited: None,
            item: None,
            enabler: Enabler::Nothing,
        })
        .collect();
    nodes.sort_by_key(|node| (node.interval.start(), node.interval.end(), node.event));
    nodes
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
