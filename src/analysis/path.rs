//! The critical path: the chain of records that decides how long the step takes.
//!
//! A backward sweep: from the end of the window to what enabled the last record to start, from there to what enabled that,
//! and so on. Segments tile the window, so their times add up to it exactly. Time that nothing explains is a segment of its own.
//!
//! The window is the step of median time on the device whose work ends last in it, from the first start of its work to that of
//! the next step. Where no step is known it is all of that device's work.

mod lay_out;
mod model;
mod naming;
mod sweep;

pub use sweep::SegmentKind;

pub(super) use lay_out::lay_out;
pub(super) use model::{Enabler, Item, Model, Node, Target};

use super::latency::QUEUE_GAP;
use super::launch_timing::LaunchTiming;
use super::launches::{Launch, Launches};
use super::steps::{StepTime, Steps};
use super::timeline::Timeline;
use crate::report::PathScope;
use crate::trace::{DeviceId, NameId, Trace};
use crate::units::{Interval, Picoseconds, Ratio};

/// Above this share of the window without an explanation, the path is a guess.
const UNEXPLAINED_MAX: (u64, u64) = (5, 100);

/// The critical path of a capture.
#[derive(Debug)]
pub struct Path {
    /// What the window is.
    pub scope: PathScope,
    /// The step's name, where the window is one.
    pub step: Option<String>,
    /// The device on which it ends.
    pub device: DeviceId,
    /// The window.
    pub window: Interval,
    /// Segments in order of time: they tile the window.
    pub segments: Vec<PathSegment>,
    /// Why it may not be stated, where that is so.
    pub refused: Option<Refusal>,
    /// The parts of the path that are host activity, for estimates: the item that they delayed, and the segment.
    pub(super) host_parts: Vec<(u32, u32)>,
}

/// One segment of the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathSegment {
    /// When.
    pub interval: Interval,
    /// What it is.
    pub kind: SegmentKind,
    /// The kernel, the call or the innermost host event; absent where nothing was recorded.
    pub name: Option<NameId>,
}

/// Why a path may not be stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No kernel of the window has a known launch.
    NoLaunches,
    /// So many records of the window have no known launch.
    RecordsWithoutLaunch(u64),
    /// So much of the window is not explained.
    Unexplained {
        /// All of it.
        time: Picoseconds,
        /// How much of it is time of the host without a record of a wait.
        of_host: Picoseconds,
    },
    /// For so long the device went from one piece of work to the next, longer than it needs: what held it up is not told.
    Ambiguous(Picoseconds),
}

impl Refusal {
    /// The reason in words; `window` is the length of what it is about.
    pub fn words(self, scope: PathScope, window: Picoseconds) -> String {
        let what = match scope {
            PathScope::Step => "the median step",
            PathScope::Window => "the window",
        };
        match self {
            Self::NoLaunches => format!("no launch of a kernel in {what} is known"),
            Self::RecordsWithoutLaunch(1) => {
                format!("1 device record in {what} has no known launch")
            }
            Self::RecordsWithoutLaunch(n) => {
                format!("{n} device records in {what} have no known launch")
            }
            Self::Ambiguous(time) => format!(
                "for {} of {what}'s {}, more than 5 %, nothing tells whether the device or the launch held work up",
                time.human(),
                window.human()
            ),
            Self::Unexplained { time, of_host } => {
                let host = match of_host + of_host > time {
                    true => {
                        "; most of that is time of the host without a record of what it did, in which it may have waited for the device"
                    }
                    false => "",
                };
                format!(
                    "nothing explains {} of {what}'s {}, more than 5 %{host}",
                    time.human(),
                    window.human()
                )
            }
        }
    }
}

impl Path {
    /// Why it is not stated, in words.
    pub fn reason(&self) -> Option<String> {
        self.refused.map(|refusal| refusal.words(self.scope, self.window.duration()))
    }

    /// The time of each kind with a segment, the longest first.
    pub fn by_kind(&self) -> Vec<(SegmentKind, Picoseconds)> {
        let of = |kind| {
            let of_kind = self.segments.iter().filter(move |segment| segment.kind == kind);
            (kind, of_kind.map(|segment| segment.interval.duration()).sum())
        };
        let mut rows: Vec<(SegmentKind, Picoseconds)> = SegmentKind::ALL
            .map(of)
            .into_iter()
            .filter(|(_, time)| *time > Picoseconds::ZERO)
            .collect();
        rows.sort_by_key(|&(kind, time)| (std::cmp::Reverse(time), kind));
        rows
    }

    /// The time that nothing explains.
    pub fn unexplained(&self) -> Picoseconds {
        self.of_kind(SegmentKind::Unexplained)
    }

    /// The time of one kind.
    pub fn of_kind(&self, kind: SegmentKind) -> Picoseconds {
        let of_kind = self.segments.iter().filter(|segment| segment.kind == kind);
        of_kind.map(|segment| segment.interval.duration()).sum()
    }
}

/// What the path is computed from.
#[derive(Clone, Copy)]
pub(super) struct Evidence<'a> {
    pub(super) trace: &'a Trace,
    pub(super) timeline: &'a Timeline,
    pub(super) launches: &'a Launches,
    pub(super) launch_timing: Option<&'a LaunchTiming>,
    pub(super) steps: Option<&'a Steps>,
}

/// Finds the critical path, with the model that it was found in; `None` where no device work was recorded.
pub(super) fn path<'a>(evidence: &Evidence<'a>) -> Option<(Path, Model<'a>)> {
    let (scope, step, device, window) = scope(evidence)?;
    let model = Model::of(evidence, device, window);
    let swept = sweep::sweep(&model, evidence.launch_timing.and_then(|timing| timing.floor));
    let named = naming::name(evidence, window, swept);
    let naming::Named { segments, host_parts, unseen } = named;
    let mut path = Path { scope, step, device, window, segments, refused: None, host_parts };
    path.refused = refusal(evidence, &model, &path, unseen);
    Some((path, model))
}

/// The window of the path: the median step, else all work of the device that ends last.
fn scope(evidence: &Evidence<'_>) -> Option<(PathScope, Option<String>, DeviceId, Interval)> {
    if let Some(steps) = evidence.steps
        && let Some(StepTime { step, device: Some(device), window }) = steps.median()
        && !window.is_empty()
    {
        return Some((PathScope::Step, Some(steps.steps[step].name.clone()), device, window));
    }
    let devices = &evidence.timeline.devices;
    let last = devices.iter().map(|one| one.window.end()).max()?;
    let device = devices.iter().find(|one| one.window.end() == last)?;
    (!device.window.is_empty()).then_some((PathScope::Window, None, device.device, device.window))
}

fn refusal(
    evidence: &Evidence<'_>,
    model: &Model<'_>,
    path: &Path,
    of_host: Picoseconds,
) -> Option<Refusal> {
    let nodes = || model.nodes.iter().filter(|node| node.device == model.device);
    let is_kernel =
        |node: &&Node| evidence.trace.device_events[node.event as usize].kind.is_kernel();
    let launch = |node: &Node| evidence.launches.of_event[node.event as usize];
    let known = |node: &Node| model.launch_call(node.event).is_some();
    let unknown =
        nodes().filter(|node| !known(node) && launch(node) != Launch::BEFORE_WINDOW).count();
    if !nodes().filter(is_kernel).any(known) {
        return Some(Refusal::NoLaunches);
    }
    // Tracers join some records to calls that launch nothing; a check of its own counts those.
    let unlinked = nodes().filter(|node| launch(node) == Launch::UNKNOWN).count();
    if unlinked > 0 {
        return Some(Refusal::RecordsWithoutLaunch(unknown as u64));
    }
    let unexplained = path.unexplained();
    let share = unexplained.share_of(path.window.duration())?;
    let too_much = |share: Ratio| {
        let (part, whole) = UNEXPLAINED_MAX;
        u128::from(share.part()) * u128::from(whole) > u128::from(share.whole()) * u128::from(part)
    };
    if too_much(share) {
        return Some(Refusal::Unexplained { time: unexplained, of_host });
    }
    // Where a gap is longer than a queue needs, the latency of the launch may have been what the device waited for.
    let slow = path
        .segments
        .iter()
        .filter(|one| one.kind == SegmentKind::Queue && one.interval.duration() > QUEUE_GAP);
    let ambiguous: Picoseconds = slow.map(|one| one.interval.duration()).sum();
    let share = ambiguous.share_of(path.window.duration())?;
    too_much(share).then_some(Refusal::Ambiguous(ambiguous))
}
