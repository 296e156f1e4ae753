//! Swimlanes: what every stream, device and launching thread did, on one time axis.

use super::{Microseconds, PathScope};
use std::sync::Arc;

/// The lanes of one window: that of the critical path. They have thousands of bars, so they are made where an output draws them,
/// and are no part of the JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swimlanes {
    /// What the window is.
    pub scope: PathScope,
    /// The step's name, where it is one.
    pub step: Option<String>,
    /// The device on which the window is delimited, and on which its work ends last.
    pub device: String,
    /// The window, on the file's own time axis.
    pub window_us: (Microseconds, Microseconds),
    /// The window's length.
    pub total_us: Microseconds,
    /// Records that are shorter than this are merged with neighbours that begin in the same stretch of this length.
    pub merged_below_us: Microseconds,
    /// The critical path as a lane.
    pub path: Lane,
    /// Streams and idle by device, then the launching threads.
    pub lanes: Vec<Lane>,
    /// Lanes of devices that are not drawn.
    pub lanes_left_out: u64,
    /// The records of those.
    pub records_left_out: u64,
    /// Launching threads that are not drawn: those that launched the least.
    pub threads_left_out: u64,
    /// What ends last on the device.
    pub last: Option<LastFinisher>,
}

/// One lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The device, or the thread.
    pub group: String,
    /// The stream, or what of the device or thread it shows.
    pub name: String,
    /// What its bars are.
    pub kind: LaneKind,
    /// The records in it, clipped to the window: the sum over its bars.
    pub records: u64,
    /// Their summed time: the sum over its bars.
    pub time_us: Microseconds,
    /// In order of their start.
    pub bars: Vec<Bar>,
}

/// What the bars of a lane are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    /// Device work of a stream.
    Work,
    /// Parts of a device's idle gaps, by what explains them.
    Idle,
    /// The outermost operators and annotations of a thread.
    Outermost,
    /// The innermost ones.
    Innermost,
    /// Calls into the runtime, waits among them.
    Calls,
    /// Segments of the critical path.
    Path,
}

/// One record, or several that are too short to be drawn one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Start of the first, from the start of the window.
    pub start_us: Microseconds,
    /// End of the last.
    pub end_us: Microseconds,
    /// The kind that takes the most time of it.
    pub kind: &'static str,
    /// The name of the longest, where it has one.
    pub name: Option<Arc<str>>,
    /// True where the others have other names.
    pub several_names: bool,
    /// How many.
    pub records: u64,
    /// Their summed time, within the window.
    pub time_us: Microseconds,
    /// How many of each kind, in order of first appearance.
    pub kinds: Vec<(&'static str, u64)>,
    /// True where one of them is on the critical path.
    pub on_path: bool,
}

/// The device work that ends last, of what begins in the window on its device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastFinisher {
    /// Its stream.
    pub stream: String,
    /// Its name.
    pub name: String,
    /// True where the critical path goes through it.
    pub on_path: bool,
    /// Kind and name of what it waited for, along the critical path; absent where the path does not tell.
    pub waited_on: Option<(&'static str, Option<String>)>,
}
