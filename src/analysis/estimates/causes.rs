//! Causes that a capture can support, with what each takes out of the window.

use super::replay::Change;
use crate::analysis::host_cause::without_number;
use crate::analysis::path::{Model, Path, PathSegment, SegmentKind};
use crate::report;
use crate::trace::{DeviceEventKind, NameId};
use crate::units::Picoseconds;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Rows for single host events, and for single kernels.
const NAMES_MAX: usize = 3;

/// What could be gone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// All that the host does on the path outside the calls that hand over work or wait for it: other calls are part of it.
    Host,
    /// One host activity on the path.
    HostEvent(String),
    /// Calls that launch kernels and graphs.
    LaunchCalls,
    /// Waits of the host for the device.
    Waits,
    /// Collectives that nothing hides.
    Collectives,
    /// Copies and fills that nothing hides: the device's time.
    Copies,
    /// Calls that hand over copies and fills: the host's time.
    CopyCalls,
    /// All kernels of one name.
    Kernel(String),
}

impl Cause {
    /// True where device work goes with it.
    pub const fn takes_work(&self) -> bool {
        matches!(self, Self::Collectives | Self::Copies | Self::Kernel(_))
    }

    /// The cause in words.
    pub fn words(&self) -> String {
        match self {
            Self::Host => report::Change::WAITS_FOR_HOST.to_owned(),
            Self::HostEvent(name) => format!("{}: {name}", report::Change::WAITS_FOR_HOST),
            Self::LaunchCalls => "launch overhead".to_owned(),
            Self::Waits => "the host waits for the device".to_owned(),
            Self::Collectives => "exposed collectives".to_owned(),
            Self::Copies => "exposed copies and fills on the device".to_owned(),
            Self::CopyCalls => "calls that hand over copies and fills".to_owned(),
            Self::Kernel(name) => format!("kernel {name}"),
        }
    }

    /// What the counterfactual rests on.
    pub const fn assumption(&self) -> &'static str {
        match self {
            Self::Host => {
                "on the path the host takes no time outside calls that launch, copy, fill or wait for the device: time in other calls, such as those for \
                 memory, is gone as well; what it launches stays the same"
            }
            Self::HostEvent(_) => {
                "this takes no time on the host, and what it launches stays the same"
            }
            Self::LaunchCalls => {
                "calls that launch kernels and graphs take the host no time; the device starts as late after them as now"
            }
            Self::Waits => "no result is needed where the host waits for one, and it runs ahead",
            Self::Collectives => {
                "all of them overlap with compute that they do not slow down; their time includes waiting for peers"
            }
            Self::Copies => "all of them overlap with compute; the calls that hand them over stay",
            Self::CopyCalls => "these calls return at once; the copies themselves stay",
            Self::Kernel(_) => "it takes no time at all: a ceiling and no forecast",
        }
    }
}

/// A cause with what it takes out.
pub(super) struct Candidate {
    pub(super) cause: Cause,
    pub(super) change: Change,
    /// Its part of the critical path; `None` where the path shows what it delays and not the cause.
    pub(super) on_path: Option<Picoseconds>,
}

/// The causes of a window. A saving is at most the cause's part of the path, so smaller parts are left out at once.
pub(super) fn candidates(path: &Path, model: &Model<'_>, threshold: Picoseconds) -> Vec<Candidate> {
    let mut found = host(path, model);
    let copy_apis = copy_apis(model);
    let is_copy_call = |one: &PathSegment| is_call_of(&copy_apis, one);
    let event = |node: u32| &model.trace.device_events[node as usize];
    let work = |gone: &dyn Fn(u32) -> bool| Change {
        work: model.nodes.iter().map(|node| gone(node.event)).collect(),
        ..Change::default()
    };
    found.push(Candidate {
        cause: Cause::LaunchCalls,
        change: Change { launch_calls: true, ..Change::default() },
        on_path: Some(calls_on_path(path, |one| {
            one.kind == SegmentKind::LaunchCall && !is_copy_call(one)
        })),
    });
    found.push(Candidate {
        cause: Cause::Collectives,
        change: work(&|node| event(node).kind == DeviceEventKind::Collective),
        on_path: Some(work_on_path(path, |one| one.kind == SegmentKind::Collective)),
    });
    found.push(Candidate {
        cause: Cause::Copies,
        change: work(&|node| event(node).kind.copies_or_fills()),
        on_path: Some(work_on_path(path, |one| {
            matches!(one.kind, SegmentKind::Copy | SegmentKind::Fill)
        })),
    });
    found.push(Candidate {
        cause: Cause::CopyCalls,
        change: Change { copy_calls: true, ..Change::default() },
        on_path: Some(calls_on_path(path, is_copy_call)),
    });
    for (name, _) in longest(path, model, SegmentKind::Kernel) {
        // Equal texts have one id.
        let Some(id) = model.trace.names.find(&name) else { continue };
        let is_it = |one: &PathSegment| one.kind == SegmentKind::Kernel && one.name == Some(id);
        let on_path = work_on_path(path, is_it);
        found.push(Candidate {
            change: work(&|node| {
                let event = event(node);
                event.kind == DeviceEventKind::Kernel && event.name == id
            }),
            cause: Cause::Kernel(name),
            on_path: Some(on_path),
        });
    }
    if path.segments.iter().any(|segment| segment.kind == SegmentKind::Wait) {
        found.push(Candidate {
            cause: Cause::Waits,
            change: Change { waits: true, ..Change::default() },
            on_path: None,
        });
    }
    found
        .retain(|one| one.on_path.is_none_or(|time| time > Picoseconds::ZERO && time >= threshold));
    found
}

/// The calls by which a window copies and fills.
pub(super) fn copy_apis(model: &Model<'_>) -> BTreeSet<NameId> {
    let apis = model.items.iter().filter(|item| item.kind.copies_or_fills());
    apis.map(|item| model.trace.host_calls[item.call as usize].api).collect()
}

/// True for time inside one of these calls, waiting in it included.
pub(super) fn is_call_of(apis: &BTreeSet<NameId>, one: &PathSegment) -> bool {
    matches!(one.kind, SegmentKind::LaunchCall | SegmentKind::Wait)
        && one.name.is_some_and(|name| apis.contains(&name))
}

/// The host's calls on the path.
fn calls_on_path(path: &Path, is_it: impl Fn(&PathSegment) -> bool) -> Picoseconds {
    let calls = path.segments.iter().filter(|one| is_it(one));
    calls.map(|one| one.interval.duration()).sum()
}

/// Device work on the path, with the time that the device took to come to it; of the first, with that to what follows. Time between
/// two such pieces counts once.
fn work_on_path(path: &Path, is_it: impl Fn(&PathSegment) -> bool) -> Picoseconds {
    let comes_to =
        |one: &PathSegment| matches!(one.kind, SegmentKind::Queue | SegmentKind::Dispatch);
    let work_at = |at: usize| path.segments.get(at).is_some_and(&is_it);
    let counts = |at: usize, one: &PathSegment| {
        let follows_first = at == 1 && one.kind == SegmentKind::Queue && work_at(0);
        is_it(one) || follows_first || comes_to(one) && work_at(at + 1)
    };
    let counted = path.segments.iter().enumerate().filter(|&(at, one)| counts(at, one));
    counted.map(|(_, one)| one.interval.duration()).sum()
}

/// The host's activity on the path, all of it and the longest by name.
fn host(path: &Path, model: &Model<'_>) -> Vec<Candidate> {
    let parts = || path.host_parts.iter().map(|&(item, at)| (item, &path.segments[at as usize]));
    let without = |gone: &dyn Fn(&str) -> bool| {
        let mut before = vec![Picoseconds::ZERO; model.items.len()];
        let mut sum = Picoseconds::ZERO;
        for (item, segment) in parts() {
            let name = segment.name.map_or("", |name| model.trace.name(name));
            if gone(without_number(name)) {
                before[item as usize] += segment.interval.duration();
                sum += segment.interval.duration();
            }
        }
        (Change { before, ..Change::default() }, Some(sum))
    };
    let (change, on_path) = without(&|_| true);
    let mut found = vec![Candidate { cause: Cause::Host, change, on_path }];
    for (name, _) in longest(path, model, SegmentKind::Host) {
        let (change, on_path) = without(&|one| one == name);
        found.push(Candidate { cause: Cause::HostEvent(name), change, on_path });
    }
    found
}

/// The names with the most time on the path, of one kind of segment.
fn longest(path: &Path, model: &Model<'_>, kind: SegmentKind) -> Vec<(String, Picoseconds)> {
    let mut times: BTreeMap<&str, Picoseconds> = BTreeMap::new();
    for segment in path.segments.iter().filter(|segment| segment.kind == kind) {
        if let Some(name) = segment.name {
            *times.entry(without_number(model.trace.name(name))).or_default() +=
                segment.interval.duration();
        }
    }
    let mut rows: Vec<_> = times.into_iter().collect();
    rows.sort_by_key(|&(name, time)| (Reverse(time), name));
    rows.truncate(NAMES_MAX);
    rows.into_iter().map(|(name, time)| (name.to_owned(), time)).collect()
}
