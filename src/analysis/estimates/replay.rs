//! Plays a window again with a change: when would each piece of work start, and the window end?

use crate::analysis::latency::DISPATCH_GAP;
use crate::analysis::path::{Enabler, Item, Model, Node, Target};
use crate::trace::HostCallKind;
use crate::units::Picoseconds;

/// What is taken out of a window.
#[derive(Clone, Debug, Default)]
pub(super) struct Change {
    /// Device work that takes no time, by node.
    pub(super) work: Vec<bool>,
    /// Host time that is gone before each call, by item.
    pub(super) before: Vec<Picoseconds>,
    /// Calls that launch kernels and graphs take no time.
    pub(super) launch_calls: bool,
    /// So do calls that copy or fill; those that wait for their copy at best.
    pub(super) copy_calls: bool,
    /// The host waits for nothing.
    pub(super) waits: bool,
}

/// How soon work may start that now waits for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slack {
    /// At once.
    Least,
    /// After as long as work of this window takes that waits for the same, if it had that long.
    Most,
}

/// How long work of the window takes to start once it may: what 95 of 100 do not exceed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lags {
    /// Behind other work of its stream.
    queue: Picoseconds,
    /// Behind the return of its launch call.
    dispatch: Picoseconds,
    /// How long a launch call takes: the middle of them.
    launch_call: Picoseconds,
    /// The same of calls that replay a graph.
    graph_launch_call: Picoseconds,
}

impl Lags {
    pub(super) fn of(model: &Model<'_>) -> Self {
        let (mut queue, mut dispatch) = (Vec::new(), Vec::new());
        for node in &model.nodes {
            let start = node.interval.start();
            match node.enabler {
                Enabler::Device(one) => {
                    queue.push(start - model.nodes[one as usize].interval.end());
                }
                Enabler::Returned(item) => {
                    dispatch.push(start - model.items[item as usize].interval.end());
                }
                Enabler::Nothing | Enabler::Within(_) => {}
            }
        }
        let calls = |kind| {
            let of_kind = model.items.iter().filter(move |item| item.kind == kind);
            let mut lengths: Vec<Picoseconds> =
                of_kind.map(|item| item.interval.duration()).collect();
            lengths.sort_unstable();
            lengths.get(lengths.len() / 2).copied().unwrap_or_default()
        };
        Self {
            queue: p95(queue),
            dispatch: p95(dispatch),
            launch_call: calls(HostCallKind::Launch),
            graph_launch_call: calls(HostCallKind::GraphLaunch),
        }
    }
}

fn p95(mut lags: Vec<Picoseconds>) -> Picoseconds {
    lags.retain(|lag| !lag.is_negative() && *lag <= DISPATCH_GAP);
    lags.sort_unstable();
    let at = (lags.len() * 95).div_ceil(100).saturating_sub(1);
    // Where none was seen, it may be as long as any.
    lags.get(at).copied().unwrap_or(DISPATCH_GAP)
}

/// A window played again.
pub(super) struct Replay<'r, 'a> {
    model: &'r Model<'a>,
    change: &'r Change,
    slack: Slack,
    lags: Lags,
    /// Start and end of each piece of device work.
    nodes: Vec<(Picoseconds, Picoseconds)>,
    /// Start and return of each call.
    items: Vec<(Picoseconds, Picoseconds)>,
}

/// What happens next, at one instant in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Returns(u32),
    Calls(u32),
    Starts(u32),
}

/// A window as it was recorded: what all its replays go by.
pub(super) struct Recorded {
    /// What happens, in order: whatever is changed, what enables something comes before it.
    events: Vec<Event>,
    /// The work of the window's device in the order in which it ended; none where no call waits for any.
    by_end: Vec<u32>,
}

impl Recorded {
    pub(super) fn of(model: &Model<'_>) -> Self {
        let events = recorded_order(model);
        let waits = events.iter().any(|event| matches!(event, Event::Returns(_)));
        Self { by_end: if waits { by_end(model) } else { Vec::new() }, events }
    }
}

fn by_end(model: &Model<'_>) -> Vec<u32> {
    let mine = (0_u32..).zip(&model.nodes).filter(|(_, node)| node.device == model.device);
    let mut by_end: Vec<u32> = mine.map(|(at, _)| at).collect();
    by_end.sort_by_key(|&node| (model.nodes[node as usize].interval.end(), node));
    by_end
}

fn recorded_order(model: &Model<'_>) -> Vec<Event> {
    let waits = |item: &Item| item.kind.blocks_on_device() && !item.interval.is_empty();
    let mut events: Vec<(Picoseconds, Event)> = Vec::new();
    for (at, item) in (0_u32..).zip(&model.items) {
        events.push((item.interval.start(), Event::Calls(at)));
        if waits(item) {
            events.push((item.interval.end(), Event::Returns(at)));
        }
    }
    for (at, node) in (0_u32..).zip(&model.nodes) {
        events.push((node.interval.start(), Event::Starts(at)));
    }
    events.sort_unstable();
    events.into_iter().map(|(_, event)| event).collect()
}

impl<'r, 'a> Replay<'r, 'a> {
    /// Plays a window again.
    pub(super) fn of(
        model: &'r Model<'a>,
        recorded: &Recorded,
        change: &'r Change,
        slack: Slack,
        lags: Lags,
    ) -> Self {
        let span = |one: crate::units::Interval| (one.start(), one.end());
        let nodes = model.nodes.iter().map(|node| span(node.interval)).collect();
        let items = model.items.iter().map(|item| span(item.interval)).collect();
        let mut replay = Self { model, change, slack, lags, nodes, items };
        replay.play(recorded);
        replay
    }

    /// From the start of the window to its end.
    pub(super) fn length(&self) -> Option<Picoseconds> {
        let model = self.model;
        let end = match model.target? {
            Target::Start(node) => self.nodes[node as usize].0,
            Target::End(_) => {
                let mine = model.nodes.iter().zip(&self.nodes).filter(|(node, _)| {
                    node.device == model.device && node.interval.end() <= model.window.end()
                });
                mine.map(|(_, &(_, end))| end).max()?
            }
        };
        Some(end - model.window.start())
    }

    fn play(&mut self, recorded: &Recorded) {
        let mut done = Done { by_end: &recorded.by_end, next: 0, latest: None };
        for &event in &recorded.events {
            match event {
                Event::Calls(item) => self.call(item),
                Event::Returns(item) => {
                    let until = self.model.items[item as usize].interval.end();
                    let all_work = done.until(self.model, &self.nodes, until);
                    self.items[item as usize].1 = self.returned(item, all_work);
                }
                Event::Starts(node) => self.start(node),
            }
        }
    }

    fn call(&mut self, at: u32) {
        let item = &self.model.items[at as usize];
        let (start, end) = (item.interval.start(), item.interval.end());
        let gone = self.change.before.get(at as usize).copied().unwrap_or_default();
        let begins = match item.prev {
            _ if start <= self.model.window.start() => start,
            None => start - gone,
            Some(prev) => {
                let before = self.model.items[prev as usize].interval.end();
                self.items[prev as usize].1 + (start - before - gone)
            }
        };
        let is_sure = self.slack == Slack::Least || item.kind != HostCallKind::BlockingCopy;
        let at_once = self.change.launch_calls && item.kind.launches_kernels()
            || self.change.copy_calls && item.kind.copies_or_fills() && is_sure;
        let length = match item.kind {
            _ if at_once => Picoseconds::ZERO,
            // A call that found the queue full waited for work that is gone now.
            HostCallKind::Launch if self.slack == Slack::Least && !self.change.work.is_empty() => {
                self.lags.launch_call.min(end - start)
            }
            HostCallKind::GraphLaunch
                if self.slack == Slack::Least && !self.change.work.is_empty() =>
            {
                self.lags.graph_launch_call.min(end - start)
            }
            _ => end - start,
        };
        self.items[at as usize] = (begins, begins + length);
    }

    /// When a call returns that waits for the device. `all_work` is the end of all that had ended when it returned.
    fn returned(&self, at: u32, all_work: Option<Picoseconds>) -> Picoseconds {
        let item = &self.model.items[at as usize];
        let (begins, length) = (self.items[at as usize].0, item.interval.duration());
        let is_copy = item.kind == HostCallKind::BlockingCopy;
        if self.change.waits || self.change.copy_calls && is_copy && self.slack == Slack::Least {
            return begins;
        }
        let least = match (item.waited_for, self.slack) {
            (None, _) => length,
            (Some(_), Slack::Least) => Picoseconds::ZERO,
            (Some(_), Slack::Most) => length.min(DISPATCH_GAP),
        };
        let waited = item.waited_for.map(|node| {
            let node = node as usize;
            self.nodes[node].1 + (item.interval.end() - self.model.nodes[node].interval.end())
        });
        let waits_for_all = item.kind == HostCallKind::DeviceSync || self.slack == Slack::Most;
        let all = all_work.filter(|_| waits_for_all);
        let latest = Some(begins + least).max(waited).max(all);
        latest.unwrap_or(begins)
    }

    fn start(&mut self, at: u32) {
        let node = &self.model.nodes[at as usize];
        let (start, end) = (node.interval.start(), node.interval.end());
        let is_gone = self.change.work.get(at as usize).copied().unwrap_or(false);
        let opens = self.model.window.start();
        if start <= opens {
            let ends = if is_gone { end.min(opens) } else { end };
            self.nodes[at as usize].1 = ends;
            return;
        }
        let earliest = match node.enabler {
            Enabler::Nothing => Some(start),
            _ => self.after_work(node, is_gone).max(self.after_call(node)),
        };
        let starts = earliest.unwrap_or(start);
        let length = if is_gone { Picoseconds::ZERO } else { end - start };
        self.nodes[at as usize] = (starts, starts + length);
    }

    /// When the device has come to it.
    fn after_work(&self, node: &Node, is_gone: bool) -> Option<Picoseconds> {
        let start = node.interval.start();
        let after = |(one, most): (u32, Picoseconds)| {
            let lag = start - self.model.nodes[one as usize].interval.end();
            let follows_gone = self.change.work.get(one as usize).copied().unwrap_or(false);
            let lag = match self.slack {
                _ if lag.is_negative() => lag,
                Slack::Least if is_gone || follows_gone => Picoseconds::ZERO,
                _ if node.enabler == Enabler::Device(one) => lag,
                Slack::Least => Picoseconds::ZERO,
                Slack::Most => lag.min(most),
            };
            self.nodes[one as usize].1 + lag
        };
        let prev = node.prev.map(|one| (one, self.lags.queue));
        let awaited = node.awaited.map(|one| (one, Picoseconds::ZERO));
        let awaited = awaited
            .filter(|&(one, _)| self.slack == Slack::Most || node.enabler == Enabler::Device(one));
        prev.into_iter().chain(awaited).map(after).max()
    }

    /// When the host has handed it over.
    fn after_call(&self, node: &Node) -> Option<Picoseconds> {
        let start = node.interval.start();
        let Some(item) = node.item else {
            // A call before the window is not played again, and its work still comes to the device no sooner than after it.
            let call = self.model.launch_call(node.event).filter(|_| self.slack == Slack::Most)?;
            let returned = self.model.trace.host_calls[call].interval.end();
            let lag = start - returned;
            return (!lag.is_negative()).then(|| returned + lag.min(self.lags.dispatch));
        };
        let call = self.model.items[item as usize].interval;
        let (begins, returns) = self.items[item as usize];
        if call.start() > start {
            return None;
        }
        let within = start - call.start();
        if call.end() > start {
            // The device came to it later than the call handed it over, and a call may still be in progress for having to wait.
            let lag = match self.slack {
                _ if node.enabler == Enabler::Within(item) => within,
                Slack::Least => Picoseconds::ZERO,
                Slack::Most => within.min(self.lags.dispatch + DISPATCH_GAP),
            };
            return Some(begins + lag.min(returns - begins));
        }
        let lag = start - call.end();
        let lag = match self.slack {
            _ if node.enabler == Enabler::Returned(item) => lag,
            Slack::Least => Picoseconds::ZERO,
            Slack::Most => lag.min(self.lags.dispatch),
        };
        Some(returns + lag)
    }
}

/// The end of all device work that had ended at an instant of the recording, in the replay.
struct Done<'r> {
    by_end: &'r [u32],
    next: usize,
    latest: Option<Picoseconds>,
}

impl Done<'_> {
    /// Instants must not decrease.
    fn until(
        &mut self,
        model: &Model<'_>,
        nodes: &[(Picoseconds, Picoseconds)],
        at: Picoseconds,
    ) -> Option<Picoseconds> {
        while let Some(&node) = self.by_end.get(self.next)
            && model.nodes[node as usize].interval.end() <= at
        {
            self.latest = self.latest.max(Some(nodes[node as usize].1));
            self.next += 1;
        }
        self.latest
    }
}
