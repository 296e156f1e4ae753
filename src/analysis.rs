//! Analysis: computes what the records allow, and says what they do not. It cannot fail.
//!
//! One file a part of the report, in report order. A part that has nothing to be computed from is `None` or empty,
//! never a zero.

mod attribution;
mod claims;
mod collect;
mod counted;
mod estimates;
mod graphs;
pub mod hlo;
mod host_cause;
mod hot;
mod id_table;
mod idle;
mod latency;
mod launch_timing;
mod launches;
mod lay_out;
mod longest_gaps;
mod order;
mod path;
mod producer;
mod rank;
mod readings;
mod reconcile;
mod recording;
pub mod roofline;
mod runs;
mod steps;
mod swimlanes;
mod tables;
mod timeline;
mod waits;

pub use attribution::{AttributedTo, Attribution, Class, IdChain, MethodCounts};
pub use estimates::{
    AtRoofline, Cause as ChangeCause, Estimate, Part as ChangePart, Stretches as ChangeStretches,
};
pub use graphs::{Confirmation, GraphReplay, Graphs, Shortfall};
pub use hlo::HloAttribution;
pub use host_cause::{CauseRow, DeviceCause, GapCause, HostActivity};
pub use hot::{HotKernel, hot_kernels};
pub use idle::{Bounds, Cause, DeviceIdle, Doubt, GapClasses, Idle};
pub use latency::DISPATCH_LATENCY;
pub use launch_timing::{LaunchTiming, Quantiles};
pub use launches::{JoinMethod, Launch, Launches};
pub use lay_out::lay_out;
pub use order::{Containment, LateEnd, Misplaced, StreamOrder};
pub use path::{Path, PathSegment, Refusal, SegmentKind};
pub use reconcile::{DeviceTwins, Reconciliation};
pub use roofline::Roofline;
pub use runs::{Clocks, Instance, RankHost, Run, Wait, runs};
pub use steps::{Delimiter, Incomplete, MIN_STEPS, Step, StepTime, Steps};
pub use swimlanes::swimlanes;
pub use tables::tables;
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
    /// How long launches take to become running kernels; absent where no kernel follows a known launch.
    pub launch_timing: Option<LaunchTiming>,
    /// Graph replays and the records that they own.
    pub graphs: Graphs,
    /// Idle while work was queued, and idle while the host waited.
    pub waits: Waits,
    /// What the host did while each device of the timeline was idle, in its order.
    pub host_cause: Vec<DeviceCause>,
    /// Records that contradict the order of their stream, and duplicates.
    pub order: StreamOrder,
    /// Which operator each kernel belongs to.
    pub attribution: Attribution,
    /// Steps, marked or repeated.
    pub steps: Option<Steps>,
    /// How long each device did nothing: the bounds, and what widens them.
    pub idle: Idle,
    /// The chain of records that decides how long the step takes; absent where no device work was recorded.
    pub path: Option<Path>,
    /// What would change if parts of it were gone.
    pub estimates: Vec<Estimate>,
    /// The capture's other records, held against the first.
    pub reconciled: Vec<Reconciliation>,
    /// Which instruction of which compiled program each kernel belongs to; absent where the capture knows no program.
    pub hlo: Option<HloAttribution>,
    /// What kernels compute and move, against what their device can do.
    pub roofline: Roofline,
}

/// What a user asks of an analysis.
#[derive(Clone, Copy, Default)]
pub struct Choice<'a> {
    /// Which source files are the user's own; a default rule tells them where nothing is said.
    pub is_user: hlo::IsUserFile<'a>,
    /// The compiled program, by id, that the tables of operations and lines are about; all of them where none is named.
    pub program: Option<u64>,
    /// True where the table of gaps is asked for, and not only the longest ones.
    pub every_gap: bool,
}

/// Analyses a capture.
pub fn analyse(capture: &Capture) -> Analysis {
    analyse_for(capture, Choice::default())
}

/// Analyses a capture for a user who says what it is about.
pub fn analyse_for(capture: &Capture, choice: Choice<'_>) -> Analysis {
    let trace = &capture.primary().trace;
    // What does not wait for one another may go side by side. Each part is the same whenever it is computed.
    let (timeline, launches) = rayon::join(|| timeline::timeline(trace), || launches::join(trace));
    let ((launch_timing, graphs, hlo, steps, attribution), (waits, host_cause, order)) =
        rayon::join(
            || {
                let launch_timing = launch_timing::launch_timing(trace, &launches);
                let graphs = graphs::replays(trace, &capture.shards, &launches);
                let hlo = hlo::hlo_attribution(trace, &launches, choice);
                let steps = steps::steps(trace, &timeline, &launches, &graphs, hlo.as_ref());
                let attribution = attribution::attribute(trace, &launches);
                (launch_timing, graphs, hlo, steps, attribution)
            },
            || {
                let waits = waits::waits(trace, &timeline, &launches);
                let host_cause =
                    host_cause::host_cause(trace, &timeline, &launches, &waits, choice);
                let order = order::stream_order(trace, &launches);
                (waits, host_cause, order)
            },
        );
    let path_evidence = path::Evidence {
        trace,
        timeline: &timeline,
        launches: &launches,
        launch_timing: launch_timing.as_ref(),
        steps: steps.as_ref(),
    };
    let under_roof = roofline::Evidence {
        trace,
        timeline: &timeline,
        attribution: &attribution,
        hlo: hlo.as_ref(),
    };
    let (found, (idle, roofline, reconciled)) = rayon::join(
        || path::path(&path_evidence),
        || {
            let idle = idle::idle(&idle::Evidence {
                trace,
                timeline: &timeline,
                launches: &launches,
                graphs: &graphs,
                waits: &waits,
                order: &order,
                hlo: hlo.as_ref(),
            });
            let roofline = roofline::roofline(under_roof);
            (idle, roofline, reconcile::reconcile(capture))
        },
    );
    let estimates = found.as_ref().map_or_else(Vec::new, |(path, model)| {
        let floors = roofline::Floors::of(under_roof, &roofline);
        estimates::estimates(path, model, &timeline, &idle, steps.as_ref(), &floors)
    });
    let path = found.map(|(path, _)| path);
    Analysis {
        timeline,
        launches,
        launch_timing,
        graphs,
        waits,
        host_cause,
        order,
        attribution,
        steps,
        idle,
        path,
        estimates,
        reconciled,
        hlo,
        roofline,
    }
}
