//! Executions: which device records belong to one execution of a program on one device.
//!
//! The host's own records of executions come first: a kernel belongs to the execution inside which it was launched.
//! Without them, an execution ends where the order of the schedule starts again.

use super::host::{HostExecutions, launch_call};
use super::looks::Looks;
use super::programs::{Label, LabelOp, Programs};
use crate::analysis::launches::Launches;
use crate::trace::{DeviceId, HostCallKind, Trace};
use crate::units::Picoseconds;
use rustc_hash::FxHashMap;

/// The device records of one execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// Where it ran.
    pub(super) device: DeviceId,
    /// The host's record of it, by index of `Trace::executions`.
    pub(super) host: Option<u32>,
    /// The program that labels of its records name.
    pub(super) program: Option<u32>,
    /// Its device events in the order of launch.
    pub(super) events: Vec<u32>,
}

/// Groups the device events of a trace into executions. An event that belongs to none is in no group.
pub(super) fn group(
    trace: &Trace,
    launches: &Launches,
    programs: &Programs<'_>,
    labels: &[Option<Label>],
    hosts: &HostExecutions,
) -> Vec<Group> {
    let order = device_order(trace, launches);
    let host_of = hosts.of_events(trace, launches);
    let mut grouping =
        Grouping { trace, labels, groups: Vec::new(), of_event: vec![None; labels.len()] };
    grouping.add_hosted(&order, &host_of);
    let trusts_launch = !hosts.is_empty();
    let has_launch = |event: usize| launch_call(trace, launches, event).is_some();
    grouping.fill(&order, |event| !(trusts_launch && has_launch(event)));
    grouping.add_passes(&order, launches, programs);
    grouping.fill(&order, |event| !(trusts_launch && has_launch(event)));
    grouping.finish(&order)
}

/// Device events by device, in the order of launch.
///
/// A stream runs in order, so within a stream the device's start decides, and a launch time may only delay: a record
/// that was joined to a call of another stream cannot overtake its neighbours. Across streams the launch decides.
fn device_order(trace: &Trace, launches: &Launches) -> Vec<u32> {
    let mut order: Vec<u32> = (0_u32..).take(trace.device_events.len()).collect();
    let start = |event: u32| trace.device_events[event as usize].interval.start();
    let stream = |event: u32| trace.device_events[event as usize].stream;
    order.sort_by_key(|&event| (stream(event), start(event), event));
    let mut keys = vec![Picoseconds::ZERO; order.len()];
    let mut last: Option<(crate::trace::StreamId, Picoseconds)> = None;
    for &event in &order {
        let call = launch_call(trace, launches, event as usize);
        let launched = call.map(|call| trace.host_calls[call].interval.start().min(start(event)));
        let before = last.filter(|(known, _)| *known == stream(event)).map(|(_, key)| key);
        let key = match (launched, before) {
            (Some(launched), Some(before)) => launched.max(before),
            (one, other) => one.or(other).unwrap_or(start(event)),
        };
        keys[event as usize] = key;
        last = Some((stream(event), key));
    }
    let device = |event: u32| trace.stream(stream(event)).device;
    order.sort_by_key(|&event| (device(event), keys[event as usize], start(event), event));
    order
}

struct Grouping<'a> {
    trace: &'a Trace,
    labels: &'a [Option<Label>],
    groups: Vec<Group>,
    of_event: Vec<Option<u32>>,
}

impl Grouping<'_> {
    fn program(&self, event: u32) -> Option<u32> {
        self.labels[event as usize]?.program
    }

    fn device(&self, event: u32) -> DeviceId {
        self.trace.stream(self.trace.device_events[event as usize].stream).device
    }

    fn open(&mut self, device: DeviceId, host: Option<u32>, program: Option<u32>) -> u32 {
        self.groups.push(Group { device, host, program, events: Vec::new() });
        u32::try_from(self.groups.len() - 1).unwrap_or(u32::MAX)
    }

    fn put(&mut self, event: u32, group: u32) {
        self.of_event[event as usize] = Some(group);
        self.groups[group as usize].events.push(event);
    }

    /// Events that were launched inside a host record of an execution. A record without a program belongs to the only
    /// program that the others name.
    fn add_hosted(&mut self, order: &[u32], host_of: &[Option<u32>]) {
        let mut programs: FxHashMap<(DeviceId, u32), Option<Option<u32>>> = FxHashMap::default();
        for &event in order {
            let (Some(host), Some(program)) = (host_of[event as usize], self.program(event)) else {
                continue;
            };
            let only = programs.entry((self.device(event), host)).or_insert(Some(Some(program)));
            if *only != Some(Some(program)) {
                *only = Some(None);
            }
        }
        let mut groups: FxHashMap<(DeviceId, u32, Option<u32>), u32> = FxHashMap::default();
        for &event in order {
            let Some(host) = host_of[event as usize] else { continue };
            let device = self.device(event);
            let only = programs.get(&(device, host)).copied().flatten().flatten();
            let program = self.program(event).or(only);
            let group = match groups.get(&(device, host, program)) {
                Some(&known) => known,
                None => {
                    let new = self.open(device, Some(host), program);
                    groups.insert((device, host, program), new);
                    new
                }
            };
            self.put(event, group);
        }
    }

    /// Events of no group between two events of one group on their stream: a stream runs one execution after another.
    fn fill(&mut self, order: &[u32], may_fill: impl Fn(usize) -> bool) {
        let streams = self.trace.streams.len();
        let stream_of = |event: u32| self.trace.device_events[event as usize].stream.index();
        let mut by_stream: Vec<u32> = order.to_vec();
        by_stream.sort_by_key(|&event| {
            let one = &self.trace.device_events[event as usize];
            (one.stream, one.interval.start(), event)
        });
        let mut next = vec![None; streams];
        let mut after: Vec<Option<u32>> = vec![None; self.of_event.len()];
        for &event in by_stream.iter().rev() {
            after[event as usize] = next[stream_of(event)];
            next[stream_of(event)] = self.of_event[event as usize].or(next[stream_of(event)]);
        }
        let mut last = vec![None; streams];
        let mut found = Vec::new();
        for &event in &by_stream {
            let before: Option<u32> = last[stream_of(event)];
            last[stream_of(event)] = self.of_event[event as usize].or(before);
            let between = before.filter(|_| before == after[event as usize]);
            let Some(group) = between.filter(|_| self.of_event[event as usize].is_none()) else {
                continue;
            };
            let program = self.groups[group as usize].program;
            let agrees = self.program(event).is_none_or(|one| Some(one) == program);
            if agrees && may_fill(event as usize) {
                found.push((event, group));
            }
        }
        found.into_iter().for_each(|(event, group)| self.put(event, group));
    }

    /// Events with a program and without a host record: a new pass begins where the schedule starts again, or where
    /// another program ran in between.
    fn add_passes(&mut self, order: &[u32], launches: &Launches, programs: &Programs<'_>) {
        let mut looks: FxHashMap<u32, Looks> = FxHashMap::default();
        let mut current: Option<(u32, u32, Option<u32>)> = None;
        for &event in order {
            let Some(program) = self.program(event) else { continue };
            if self.of_event[event as usize].is_some() {
                current = None;
                continue;
            }
            let device = self.device(event);
            let continues = current.filter(|&(group, known, _)| {
                known == program && self.groups[group as usize].device == device
            });
            let (group, position) = match continues {
                Some((group, _, position)) => (group, position),
                None => (self.open(device, None, Some(program)), None),
            };
            let looks = looks.entry(program).or_default();
            let (group, position) = match self.place(event, programs, program, looks, position) {
                Place::Goes(position) => (group, position),
                Place::StartsAgain(position) => {
                    (self.start_again(group, event, launches), Some(position))
                }
            };
            self.put(event, group);
            current = Some((group, program, position));
        }
    }

    /// Where in the schedule an event stands, after `position`.
    fn place(
        &self,
        event: u32,
        programs: &Programs<'_>,
        program: u32,
        looks: &mut Looks,
        position: Option<u32>,
    ) -> Place {
        let Some(prepared) = programs.get(program) else { return Place::Goes(position) };
        let schedule = &prepared.schedule;
        let slots: &[u32] = match self.labels[event as usize].map(|label| label.op) {
            Some(LabelOp::Known(place)) => schedule.slots_of(place),
            _ => {
                // A name that only one slot can have places a kernel as well as a label does.
                let record = &self.trace.device_events[event as usize];
                let known = looks.get(self.trace, record, schedule).known;
                known.map_or(&[], |(_, class)| schedule.only_slot_of_class(class))
            }
        };
        let Some(&first) = slots.first() else { return Place::Goes(position) };
        let Some(position) = position else { return Place::Goes(Some(first)) };
        let again = |slot: &&u32| **slot > position || schedule.slots[**slot as usize].emits.many;
        let from = slots.partition_point(|&slot| slot < position);
        match slots[from..].iter().take(2).find(again) {
            Some(&slot) => Place::Goes(Some(slot)),
            None => Place::StartsAgain(first),
        }
    }

    /// A new pass. One graph launch is never split, so what it launched before `event` comes along, unless
    /// the whole pass would.
    fn start_again(&mut self, group: u32, event: u32, launches: &Launches) -> u32 {
        let (device, program) =
            (self.groups[group as usize].device, self.groups[group as usize].program);
        let graph = |event: u32| {
            launch_call(self.trace, launches, event as usize)
                .filter(|&call| self.trace.host_calls[call].kind == HostCallKind::GraphLaunch)
        };
        let events = &self.groups[group as usize].events;
        let same = |&&one: &&u32| graph(event).is_some() && graph(one) == graph(event);
        let n_same = events.iter().rev().take_while(same).count();
        if n_same == events.len() && n_same > 0 {
            return group;
        }
        let kept = events.len() - n_same;
        let moved = self.groups[group as usize].events.split_off(kept);
        let new = self.open(device, None, program);
        moved.into_iter().for_each(|event| self.put(event, new));
        new
    }

    fn finish(mut self, order: &[u32]) -> Vec<Group> {
        let mut rank = vec![0_u32; order.len()];
        for (at, &event) in (0_u32..).zip(order) {
            rank[event as usize] = at;
        }
        for group in &mut self.groups {
            group.events.sort_by_key(|&event| rank[event as usize]);
        }
        self.groups.retain(|group| !group.events.is_empty());
        self.groups.sort_by_key(|group| (group.device, rank[group.events[0] as usize]));
        self.groups
    }
}

enum Place {
    /// In the same pass, now at this position.
    Goes(Option<u32>),
    /// Behind the last one, so in a new pass, at this position.
    StartsAgain(u32),
}
