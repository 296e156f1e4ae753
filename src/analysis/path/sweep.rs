//! The backward sweep.

use super::model::{Enabler, Model, Target};
use crate::analysis::latency::{DISPATCH_GAP, WAKE_MAX};
use crate::trace::{DeviceEventKind, HostCallKind, NameId, ThreadId};
use crate::units::{Interval, Picoseconds};

/// What a segment of the path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SegmentKind {
    /// A compute kernel runs.
    Kernel,
    /// A collective runs: waiting for peers is part of it.
    Collective,
    /// A copy runs.
    Copy,
    /// A fill runs.
    Fill,
    /// The device goes from one piece of work to the next that was queued, up to 20 µs.
    Queue,
    /// From the return of a launch call to the start of its work.
    Dispatch,
    /// The host is inside a call that hands over work.
    LaunchCall,
    /// The host does something else.
    Host,
    /// The host returns from waiting for the device.
    Wait,
    /// Nothing explains it.
    Unexplained,
}

impl SegmentKind {
    /// Every kind, in the order of the report.
    pub const ALL: [Self; 10] = [
        Self::Kernel,
        Self::Collective,
        Self::Copy,
        Self::Fill,
        Self::Queue,
        Self::Dispatch,
        Self::LaunchCall,
        Self::Host,
        Self::Wait,
        Self::Unexplained,
    ];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Collective => "collective",
            Self::Copy => "copy",
            Self::Fill => "fill",
            Self::Queue => "queue",
            Self::Dispatch => "dispatch",
            Self::LaunchCall => "launch-call",
            Self::Host => "host",
            Self::Wait => "host-wait",
            Self::Unexplained => "unexplained",
        }
    }

    const fn of_work(kind: DeviceEventKind) -> Self {
        match kind {
            DeviceEventKind::Kernel => Self::Kernel,
            DeviceEventKind::Collective => Self::Collective,
            DeviceEventKind::Memcpy | DeviceEventKind::CopyKernel => Self::Copy,
            DeviceEventKind::Memset | DeviceEventKind::FillKernel => Self::Fill,
        }
    }
}

/// A segment before its host activity is named.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw {
    pub(super) interval: Interval,
    pub(super) kind: SegmentKind,
    pub(super) name: Option<NameId>,
    /// Of host activity: the thread, and the call that it came before.
    pub(super) host: Option<(ThreadId, u32)>,
}

/// The path of a model, the latest segment first.
pub(super) fn sweep(model: &Model<'_>, floor: Option<Picoseconds>) -> Vec<Raw> {
    let dispatch_max = floor.map_or(DISPATCH_GAP, |floor| floor.max(DISPATCH_GAP));
    let mut sweep = Sweep { model, dispatch_max, cur: model.window.end(), segments: Vec::new() };
    let mut at = match model.target {
        Some(Target::Start(node)) => Some(At::Node(node)),
        Some(Target::End(node)) => Some(sweep.work(node)),
        None => None,
    };
    // Each turn goes back in time or along a stream; records that contradict one another might not.
    let mut left = 2 * (model.nodes.len() + model.items.len()) + 16;
    while let Some(here) = at
        && sweep.cur > model.window.start()
        && left > 0
    {
        left -= 1;
        at = match here {
            At::Node(node) => sweep.before_work(node),
            At::Host(item) => sweep.before_call(item),
        };
    }
    sweep.emit(SegmentKind::Unexplained, None, model.window.start());
    sweep.segments
}

/// Where the sweep stands: at the start of device work, or of a call.
enum At {
    Node(u32),
    Host(u32),
}

struct Sweep<'m, 'a> {
    model: &'m Model<'a>,
    dispatch_max: Picoseconds,
    /// How far back the segments reach.
    cur: Picoseconds,
    segments: Vec<Raw>,
}

impl Sweep<'_, '_> {
    fn emit(&mut self, kind: SegmentKind, name: Option<NameId>, from: Picoseconds) {
        self.emit_host(kind, name, from, None);
    }

    fn emit_host(
        &mut self,
        kind: SegmentKind,
        name: Option<NameId>,
        from: Picoseconds,
        host: Option<(ThreadId, u32)>,
    ) {
        let from = from.max(self.model.window.start());
        if let Some(interval) = Interval::new(from, self.cur).filter(|one| !one.is_empty()) {
            self.segments.push(Raw { interval, kind, name, host });
            self.cur = from;
        }
    }

    /// A gap down to `from`: what is longer than the device may need is not explained.
    fn gap(&mut self, kind: SegmentKind, max: Picoseconds, from: Picoseconds) {
        self.emit(kind, None, from.max(self.cur - max));
        self.emit(SegmentKind::Unexplained, None, from);
    }

    /// Device work that ran until now.
    fn work(&mut self, node: u32) -> At {
        let one = &self.model.nodes[node as usize];
        let event = &self.model.trace.device_events[one.event as usize];
        self.emit(SegmentKind::of_work(event.kind), Some(event.name), one.interval.start());
        At::Node(node)
    }

    fn before_work(&mut self, node: u32) -> Option<At> {
        match self.model.nodes[node as usize].enabler {
            Enabler::Nothing => {
                let event = self.model.nodes[node as usize].event;
                let kind = match self.model.launch_call(event) {
                    Some(_) => SegmentKind::Dispatch,
                    None => SegmentKind::Queue,
                };
                self.gap(kind, DISPATCH_GAP, self.model.window.start());
                None
            }
            Enabler::Device(before) => {
                let end = self.model.nodes[before as usize].interval.end();
                self.gap(SegmentKind::Queue, DISPATCH_GAP, end);
                Some(self.work(before))
            }
            Enabler::Returned(item) => {
                let end = self.model.items[item as usize].interval.end();
                self.gap(SegmentKind::Dispatch, self.dispatch_max, end);
                Some(self.call(item))
            }
            Enabler::Within(item) => Some(self.call(item)),
        }
    }

    /// A call that handed over work until now.
    fn call(&mut self, item: u32) -> At {
        let one = &self.model.items[item as usize];
        let api = self.model.trace.host_calls[one.call as usize].api;
        self.emit(SegmentKind::LaunchCall, Some(api), one.interval.start());
        At::Host(item)
    }

    fn before_call(&mut self, item: u32) -> Option<At> {
        let one = &self.model.items[item as usize];
        let host = Some((one.thread, item));
        let Some(prev) = one.prev else {
            self.emit_host(SegmentKind::Host, None, self.model.window.start(), host);
            return None;
        };
        let before = &self.model.items[prev as usize];
        self.emit_host(SegmentKind::Host, None, before.interval.end(), host);
        if !before.kind.blocks_on_device() {
            return Some(self.call(prev));
        }
        let api = Some(self.model.trace.host_calls[before.call as usize].api);
        // A copy call stages memory itself; a wait does nothing else than wait.
        let max = match before.kind {
            HostCallKind::BlockingCopy => before.interval.duration(),
            _ => WAKE_MAX,
        };
        let until = before
            .waited_for
            .map_or(before.interval.start(), |node| self.model.nodes[node as usize].interval.end());
        self.emit(SegmentKind::Wait, api, until.max(self.cur - max));
        self.emit(SegmentKind::Unexplained, None, until);
        match before.waited_for {
            Some(node) => Some(self.work(node)),
            None => Some(At::Host(prev)),
        }
    }
}
