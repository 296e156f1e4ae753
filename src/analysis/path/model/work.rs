//! The device work of a window, and what enables each piece of it to start.

use super::{Enabler, Model, Node};
use crate::analysis::latency::{DISPATCH_GAP, DISPATCH_LATENCY};
use crate::analysis::waits::EventWaits;
use crate::trace::{DeviceId, HostCallKind, StreamId, Trace};
use crate::units::Interval;
use rustc_hash::FxHashMap;

/// Device work that meets the window, and what begins with its end.
pub(super) fn nodes(trace: &Trace, window: Interval) -> Vec<Node> {
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

impl Model<'_> {
    pub(super) fn link_nodes(&mut self, event_waits: &EventWaits) {
        let item_of: FxHashMap<usize, u32> =
            (0_u32..).zip(&self.items).map(|(at, item)| (item.call as usize, at)).collect();
        let mut by_end: Vec<u32> = (0_u32..).take(self.nodes.len()).collect();
        by_end.sort_by_key(|&node| (self.nodes[node as usize].interval.end(), node));
        let mut on_stream: Vec<Option<u32>> = vec![None; self.trace.streams.len()];
        let mut ended_last: FxHashMap<DeviceId, Latest> = FxHashMap::default();
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
                let Node { event, device, .. } = self.nodes[one as usize];
                let stream = self.trace.device_events[event as usize].stream;
                ended_last.entry(device).or_default().push(one, stream);
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
            let other = ended_last.get(&node.device).and_then(|last| last.on_another(stream));
            let other = other.filter(|&one| self.is_launched_before(one, call));
            let awaited = match call {
                Some(call) if event_waits.precede(call) => other,
                Some(call)
                    if event_waits.may_precede(call)
                        || of_replay.is_none() && !waits_are_recorded =>
                {
                    other.filter(|&one| self.may_await(&node, call, one))
                }
                _ => of_replay,
            };
            let awaited = awaited.filter(|&one| Some(one) != prev);
            let item = call.and_then(|call| item_of.get(&call).copied());
            let linked = Node { prev, awaited, item, ..node };
            self.nodes[index] = Node { enabler: self.enabler(&linked), ..linked };
        }
    }

    /// False where the first was launched by a later call: a stream waits for what had been launched when it was told to.
    fn is_launched_before(&self, one: u32, call: Option<usize>) -> bool {
        let start = |call: usize| self.trace.host_calls[call].interval.start();
        let launched = self.launch_call(self.nodes[one as usize].event);
        launched.zip(call).is_none_or(|(one, call)| start(one) <= start(call))
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
}

/// The work of a device that ended last, and what ended last on another stream than that.
#[derive(Default)]
struct Latest([Option<(u32, StreamId)>; 2]);

impl Latest {
    /// Work must come in the order in which it ends.
    fn push(&mut self, node: u32, stream: StreamId) {
        let Self([last, other]) = self;
        if last.is_some_and(|(_, known)| known != stream) {
            *other = *last;
        }
        *last = Some((node, stream));
    }

    fn on_another(&self, stream: StreamId) -> Option<u32> {
        let of_another = |&&(_, known): &&(u32, StreamId)| known != stream;
        self.0.iter().flatten().find(of_another).map(|&(node, _)| node)
    }
}
