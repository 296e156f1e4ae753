//! The work of a window, on the device and on the host, with what enables each piece of it to start.

mod calls;
mod work;

use super::Evidence;
use crate::analysis::launches::Launches;
use crate::analysis::waits::EventWaits;
use crate::trace::{DeviceId, HostCallKind, ThreadId, Trace};
use crate::units::Interval;
use rustc_hash::FxHashSet;

/// The work of a window.
pub(in crate::analysis) struct Model<'a> {
    pub(in crate::analysis) trace: &'a Trace,
    launches: &'a Launches,
    /// Calls that hand a copy over, and return after it.
    blocking_copies: FxHashSet<u32>,
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
        let nodes = work::nodes(trace, window);
        let blocking_copies = calls::blocking_copies(trace, launches);
        let mut model = Self {
            trace,
            launches,
            blocking_copies,
            device,
            window,
            nodes,
            items: Vec::new(),
            target: None,
        };
        model.add_items();
        model.link_waits();
        model.link_nodes(&EventWaits::of(trace, launches));
        model.target = model.target();
        model
    }

    /// True where a call waits for a device, by its kind or by what it does.
    pub(in crate::analysis) fn blocks(&self, call: usize) -> bool {
        self.trace.host_calls[call].kind.blocks_on_device()
            || u32::try_from(call).is_ok_and(|call| self.blocking_copies.contains(&call))
    }

    /// The call that handed a device event over. Tracers were seen to join kernels to waits of other threads.
    pub(in crate::analysis) fn launch_call(&self, event: u32) -> Option<usize> {
        let call = self.launches.of_event[event as usize].call();
        call.filter(|&call| self.launches.kinds[call].hands_over_work())
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
