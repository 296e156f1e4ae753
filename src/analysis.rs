//! Analysis: computes what the records allow, and says what they do not. It cannot fail.
//!
//! One file a part of the report, in report order. A part that has nothing to be computed from is `None` or empty,
//! never a zero.

mod attribution;
mod claims;
mod collect;
mod graphs;
pub mod hlo;
mod hot;
mod idle;
mod launches;
mod lay_out;
mod order;
mod steps;
mod timeline;
mod waits;

pub use attribution::{AttributedTo, Attribution, Class, IdChain, MethodCounts};
pub use graphs::{Confirmation, GraphReplay, Graphs, Shortfall};
pub use hlo::HloAttribution;
pub use hot::{HotKernel, hot_kernels};
pub use idle::{Bounds, Cause, DeviceIdle, Doubt, GapClasses, Idle};
pub use launches::{JoinMethod, Launch, Launches};
pub use lay_out::lay_out;
pub use order::{Containment, LateEnd, Misplaced, StreamOrder};
pub use steps::{Step, Steps};
pub use timeline::{DeviceTimeline, StreamTimeline, Timeline};
pub use waits::{DeviceWaits, QueuedGap, Waits};

use crate::trace::Capture;

/// Everything that was established about a capture, from its primary record.
#[derive(Debug)]
pub struct Analysis {
    /// Time budgets and gaps of devices and streams.
    pub timeline: Timeline,
    /// Which call launched which device record.
    pub launches: Launches,
    /// Graph replays and the records that they own.
    pub graphs: Graphs,
    /// Idle while work was queued, and idle while the host waited.
    pub waits: Waits,
    /// Records that contradict the order of their stream, and duplicates.
    pub order: StreamOrder,
    /// Which operator each kernel belongs to.
    pub attribution: Attribution,
    /// Marked steps.
    pub steps: Option<Steps>,
    /// How long each device did nothing: the bounds, and what widens them.
    pub idle: Idle,
    /// Which instruction of which compiled program each kernel belongs to; absent where the capture knows no program.
    pub hlo: Option<HloAttribution>,
}

/// Analyses a capture; the default rule tells the user's own files.
pub fn analyse(capture: &Capture) -> Analysis {
    analyse_for(capture, None)
}

/// Analyses a capture for a user who says which files are his own.
pub fn analyse_for(capture: &Capture, is_user: hlo::IsUserFile<'_>) -> Analysis {
    let trace = &capture.primary().trace;
    let timeline = timeline::timeline(trace);
    let launches = launches::join(trace);
    let graphs = graphs::replays(trace, &capture.shards, &launches);
    let waits = waits::waits(trace, &timeline, &launches);
    let order = order::stream_order(trace, &launches);
    let attribution = attribution::attribute(trace, &launches);
    let steps = steps::steps(trace, &launches);
    let hlo = hlo::hlo_attribution(trace, &launches, is_user);
    let idle = idle::idle(&idle::Evidence {
        trace,
        timeline: &timeline,
        launches: &launches,
        graphs: &graphs,
        waits: &waits,
        order: &order,
        hlo: hlo.as_ref(),
    });
    Analysis { timeline, launches, graphs, waits, order, attribution, steps, idle, hlo }
}
