//! The critical path, and what would change if parts of it were gone.

use super::{Microseconds, Share};
use serde::{Deserialize, Serialize};

/// What the window of a critical path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathScope {
    /// The step of median time.
    Step,
    /// All work of one device: no step is known.
    Window,
}

/// The chain of records that decides how long the step takes. The kinds add up to the window exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriticalPath {
    /// What the window is.
    pub scope: PathScope,
    /// The step's name, where it is one.
    pub step: Option<String>,
    /// The device on which the path ends.
    pub device: String,
    /// The window, on the file's own time axis.
    pub window_us: (Microseconds, Microseconds),
    /// The window's length, and the sum of all segments.
    pub total_us: Microseconds,
    /// The first segments, in order of time.
    pub segments: Vec<PathSegment>,
    /// How many segments follow those.
    pub segments_left_out: u64,
    /// All segments by kind, the longest time first.
    pub by_kind: Vec<PathKind>,
    /// All segments by kind and name, the longest time first: at most a hundred rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_name: Vec<PathName>,
    /// Time that nothing explains.
    pub unexplained_us: Microseconds,
    /// Why it may not be stated, where that is so.
    pub reason: Option<String>,
}

/// A stretch of the path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathSegment {
    /// `kernel`, `collective`, `copy`, `fill`, `queue`, `dispatch`, `launch-call`, `host`, `host-wait` or `unexplained`.
    pub kind: String,
    /// The kernel, the call or the innermost host event; absent where nothing was recorded.
    pub name: Option<String>,
    /// From the start of the window.
    pub start_us: Microseconds,
    /// How long.
    pub time_us: Microseconds,
    /// How many segments of equal kind and name in a row it stands for.
    pub merged: u64,
}

/// The time of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathKind {
    /// The kind.
    pub kind: String,
    /// How long.
    pub time_us: Microseconds,
    /// Part of the window.
    pub share: Option<Share>,
}

/// The time of one kind and name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathName {
    /// The kind, as of a [`PathSegment`].
    pub kind: String,
    /// The name, as of a [`PathSegment`]; that of a step without its number.
    pub name: Option<String>,
    /// How long in all.
    pub time_us: Microseconds,
    /// How many segments.
    pub segments: u64,
}

/// A cause, and how long the step would take without it: inferred, not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// What is gone.
    pub cause: String,
    /// How long the step takes, and would take.
    pub step_us: StepChange,
    /// True where no saving at all is possible as well: the saving is at most that of `if_gone`, and no lower bound is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_upper_bound: bool,
    /// Part of the critical path that hangs on it; absent where the path shows what it delays and not the cause.
    #[serde(default)]
    pub share: Option<Share>,
    /// Amdahl's ceiling: the step without that part of the path, whatever else would take its place.
    #[serde(default)]
    pub at_best_us: Option<Microseconds>,
    /// True where the ends of the ranges order it and another cause differently: which of them saves more is not known.
    #[serde(default)]
    pub order_undetermined: bool,
    /// What keeps the range from being narrower, or a lower bound from being known, where one thing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
    /// What that rests on.
    pub assumption: String,
    /// In a run of several ranks: what of it may shorten the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_run: Option<ShareOfRun>,
    /// What to try.
    pub knob: String,
    /// What its time goes to, measured, the longest first: the innermost Python functions in a range of the host, the calls that hand
    /// over copies, and of waits what ran on the device meanwhile; the longest call where that is most of it and probably a first use. Nothing
    /// where no record tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<ChangePart>,
    /// Of time of the host: the stretches of the critical path that it is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stretches: Option<ChangeStretches>,
    /// Of a kernel: what the step saves if it runs at its roofline. Absent where the roofline of any of its launches in the window is not
    /// known: its operations, its bytes and documented peaks, for a kernel that is all of its operation; and where that is less than noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_roofline: Option<ChangeAtRoofline>,
    /// `inferred`.
    pub basis: String,
}

impl Change {
    /// The cause that all time of the host is, calls that hand over work aside. Single host events have rows of their own.
    pub const WAITS_FOR_HOST: &str = "the device waits for the host";

    /// The host event that the cause is, where it is a single one: its name follows the general cause.
    pub fn host_event(&self) -> Option<&str> {
        self.cause.strip_prefix(Self::WAITS_FOR_HOST)?.strip_prefix(": ")
    }
}

/// A kernel at its roofline (Williams, Waterman, Patterson, "Roofline", CACM 2009): as fast as its device allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeAtRoofline {
    /// How long its launches take in the window.
    pub kernels_us: Microseconds,
    /// How long they take at the roofline, at least.
    pub floor_us: Microseconds,
    /// What the step saves at most. The least is nothing: peaks are ceilings.
    pub saves_at_most_us: Microseconds,
    /// What limits it there: `compute`, `memory`, or `either` where launches differ or it is not certain.
    pub bound: String,
    /// What that rests on.
    pub assumption: String,
    /// What to try.
    pub knob: String,
}

/// What shortening one rank's window may do for the run: it is sooner over only where that rank comes last to a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareOfRun {
    /// Collectives of the window that all of their ranks recorded.
    pub collectives: u64,
    /// To how many of them this rank comes last.
    pub last: u64,
    /// How long after the next to last it comes to those, summed: the run gets shorter by no more.
    pub at_most_us: Microseconds,
    /// The run's window, of which that is a part: see [`super::RunReport::window_us`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_us: Option<Microseconds>,
    /// How long this rank's kernels of those collectives take: a window that keeps them on one stream is no shorter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collectives_us: Option<Microseconds>,
}

/// What to try where records show it by count; no saving is computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedAdvice {
    /// `small-executions` or `waiting-operators`.
    pub id: String,
    /// What was counted.
    pub found: String,
    /// What to try.
    pub action: String,
    /// Why no saving is computed.
    pub no_saving: String,
    /// What it is made of, the most frequent first.
    pub rows: Vec<CountedRow>,
    /// `inferred`.
    pub basis: String,
}

/// A row of what was counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedRow {
    /// The program, or the operator and its call.
    pub what: String,
    /// How often.
    pub count: u64,
    /// How long the host was in it, where that is told.
    pub time_us: Option<Microseconds>,
}

/// What a cause of the host is made of on the critical path: one long call is another matter than many short ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeStretches {
    /// How many stretches; of launch overhead and of calls that copy, calls.
    pub count: u64,
    /// The call or the innermost host event of the longest; absent where nothing was recorded.
    pub longest: Option<String>,
    /// How long that is.
    pub longest_us: Microseconds,
    /// True where the longest is one call or operator that makes more than half of the cause's part of the path, and takes longer than all
    /// others of its name in the capture together: probably a first use.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mostly_one: bool,
}

/// A part of a cause's time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangePart {
    /// What it goes to.
    pub what: String,
    /// How much.
    pub time_us: Microseconds,
}

/// How long a step takes, now and without a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepChange {
    /// Now.
    pub now: Microseconds,
    /// Without it: at least and at most.
    pub if_gone: (Microseconds, Microseconds),
}
