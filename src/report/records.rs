//! What the records say: evidence, never a claim.

use super::{Microseconds, Percent, ProducerRecords, Share};
use serde::{Deserialize, Serialize};

/// The arithmetic of a capture's records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Records {
    /// Devices on which work was recorded, in order of their id.
    pub devices: Vec<DeviceRecords>,
    /// Graph replays.
    pub graph: GraphRecords,
    /// Launch calls against device records.
    pub launches: LaunchRecords,
    /// Steps, where they are marked.
    pub steps: Option<StepRecords>,
    /// Programs (JAX).
    pub programs: Vec<ProgramRecords>,
    /// First start and last end of host calls, operators and annotations, on the file's time axis; absent where the host recorded none.
    #[serde(default)]
    pub host_window_us: Option<(Microseconds, Microseconds)>,
    /// Frames of a Python tracer. Where there are any, host time is inflated: an upper bound.
    #[serde(default)]
    pub python_frames: u64,
    /// What recorded it, as far as it says so.
    #[serde(default, skip_serializing_if = "ProducerRecords::is_empty")]
    pub producer: ProducerRecords,
}

/// The time budget of one device. `compute + exposed_collective + exposed_memcpy + idle = total`, exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceRecords {
    /// `gpu:` and the id that the producer wrote.
    pub name: String,
    /// `amd`, `nvidia`, where it is known.
    pub vendor: Option<String>,
    /// The model's name, where the profiler listed this device.
    pub model: Option<String>,
    /// First start and last end of device work, on the file's own time axis.
    pub window_us: (Microseconds, Microseconds),
    /// The window's length.
    pub total_us: Microseconds,
    /// Union of device work over all streams.
    pub busy_us: Microseconds,
    /// Total minus busy.
    pub idle_us: Microseconds,
    /// Idle in percent of total: the arithmetic of the records. Only the idle claim says whether it may be quoted.
    pub idle_pct: Option<Percent>,
    /// Union of compute kernels.
    pub compute_us: Microseconds,
    /// Union of collective kernels.
    pub collective_us: Microseconds,
    /// Union of copies and fills, those that the runtime makes with kernels of its own among them.
    pub memcpy_us: Microseconds,
    /// Collectives while no compute ran.
    pub exposed_collective_us: Microseconds,
    /// Copies and fills while neither compute nor a collective ran.
    pub exposed_memcpy_us: Microseconds,
    /// Kernels: collectives included, and copies and fills by kernel.
    pub kernels: u64,
    /// Those of them with which the runtime copies or fills. Their time is in `memcpy_us`, not in `compute_us`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub copies_by_kernel: u64,
    /// Plain sum of kernel durations: exceeds busy where streams overlap.
    pub kernel_sum_us: Microseconds,
    /// Device work of every kind.
    pub device_events: u64,
    /// Idle later than the return of the launch call of the work that ends the gap, in gaps where that exceeds 100 µs.
    /// Absent where no launch of this device's work is known.
    pub idle_with_queued_work_us: Option<Microseconds>,
    /// Idle while the host waited for the device inside a call, over the whole window: of calls over 50 µs, without the 20 µs of entering and
    /// the 20 µs of returning.
    pub idle_under_blocking_sync_us: Option<Microseconds>,
    /// How long it did nothing: what the records allow.
    pub idle: IdleRecords,
    /// What another reading of the same records comes to, where there is one: tools that state it are not wrong about the records.
    #[serde(default)]
    pub readings: Vec<DeviceReading>,
    /// What the launching thread was doing while the device was idle, the longest first. The times add up to `idle`, exactly.
    #[serde(default)]
    pub idle_host_events: Vec<IdleHostEvent>,
    /// The longest gaps between two pieces of its work, the longest first: at most ten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub longest_gaps: Vec<LongGap>,
    /// Streams, in order of their id.
    pub streams: Vec<StreamRecords>,
}

/// Left out of reports where there is none.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The budget of a device by another reading of its records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceReading {
    /// `linked-only`, `overruns-cut` or `common-window`.
    pub name: String,
    /// Which reading that is, to be put behind "the number".
    pub words: String,
    /// First start and last end, on the file's own time axis.
    pub window_us: (Microseconds, Microseconds),
    /// The window's length.
    pub total_us: Microseconds,
    /// Union of device work over all streams.
    pub busy_us: Microseconds,
    /// Total minus busy.
    pub idle_us: Microseconds,
    /// Idle in percent of total.
    pub idle_pct: Option<Percent>,
    /// Plain sum of kernel durations.
    pub kernel_sum_us: Microseconds,
}

/// What the records allow to be said of one device's idle. Both ends are one number where nothing speaks for missing records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IdleRecords {
    /// It did nothing for at least and at most so long, within its window.
    pub inactive_us: Option<(Microseconds, Microseconds)>,
    /// It waited for the host for at least and at most so long; absent where no launch is known.
    pub host_starved_us: Option<(Microseconds, Microseconds)>,
    /// The recorded idle by what explains it, in the order in which a part of a gap takes the first class that fits. They add up to it.
    pub classes: Vec<GapClass>,
    /// What widens the bounds.
    pub doubts: Vec<String>,
}

/// A part of the recorded idle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapClass {
    /// `suspect`: unrecorded work could have run. `queued`: the next work had been launched, and nothing
    /// explains what it waited for. `pending`: it waited for an event, or for a moment. `host-waits`: the host
    /// waited for the device. `dispatch`: the rest of gaps of at most 20 µs. `host-starved`: nothing was there to run.
    pub name: String,
    /// How long.
    pub time_us: Microseconds,
}

/// Idle time of a device under one host activity: in each gap, the innermost event on the thread that launched the work which ends
/// the gap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IdleHostEvent {
    /// The event's name; that of a step without its number.
    pub name: String,
    /// `call`, `op`, `annotation` or `span`; `none` where no event was recorded, `unknown-thread` where no record tells the
    /// thread.
    pub kind: String,
    /// Gaps with a part of it.
    pub gaps: u64,
    /// Idle time while it was the innermost event.
    pub time_us: Microseconds,
    /// Part of the device's idle.
    pub share: Option<Share>,
}

/// One gap of a device. Where idle is withheld, nothing is said of what explains it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LongGap {
    /// When it begins, on the file's own time axis.
    pub start_us: Microseconds,
    /// How long nothing is recorded on the device.
    pub length_us: Microseconds,
    /// The class of [`GapClass`] that most of it is in.
    pub class: Option<String>,
    /// The work whose end begins it.
    pub last_work: Option<String>,
    /// The work that ends it.
    pub next_work: Option<String>,
    /// The call that launched that work, where it is known.
    pub launch: Option<String>,
    /// What the launching thread was doing for most of it, as in [`IdleHostEvent`].
    pub host_event: Option<String>,
    /// The kind of that.
    pub host_kind: Option<String>,
    /// For how long.
    pub host_us: Option<Microseconds>,
}

/// The time budget of one stream. `compute + collective + memcpy + idle = span`, exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamRecords {
    /// `stream:` and the id that the producer wrote.
    pub name: String,
    /// First start to last end.
    pub span_us: Microseconds,
    /// Compute; where work of one stream overlaps, compute goes before collectives before copies.
    pub compute_us: Microseconds,
    /// Collectives outside compute.
    pub collective_us: Microseconds,
    /// Copies and fills outside both.
    pub memcpy_us: Microseconds,
    /// The rest of the span.
    pub idle_us: Microseconds,
    /// Device work of every kind.
    pub device_events: u64,
}

/// Graph replays against the device records that they own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphRecords {
    /// Calls that replay a graph, over the whole record.
    pub launches: u64,
    /// Those that own at least one device record.
    pub launches_with_records: u64,
    /// With records ÷ launches.
    pub launch_coverage: Option<Share>,
    /// Device records a launch, over all launches.
    pub records_per_launch: Option<Spread<u64>>,
    /// Records ÷ records expected, where an expectation exists.
    pub node_coverage: Option<Share>,
    /// Kernels that a graph replay dispatched.
    pub kernels: u64,
    /// Their time.
    pub kernel_us: Microseconds,
}

impl Default for Microseconds {
    fn default() -> Self {
        Self::from_ps(0)
    }
}

/// Launch calls against device records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchRecords {
    /// Kernel launch calls and graph launch calls, outside stream capture.
    pub calls: u64,
    /// Kernel launch calls outside stream capture that own no device record.
    pub without_record: u64,
    /// Kernel launch calls inside stream capture: they record a node and run nothing.
    pub captured: u64,
    /// Device records that were launched before recording began.
    pub before_window_records: u64,
    /// Other device records that no call in the file launched.
    pub records_without_launch: u64,
    /// How long launches take; absent where no kernel follows a known launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<LaunchTiming>,
}

/// How long launches take to become running kernels. A launch counts once, with its first kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchTiming {
    /// Launch calls that a kernel follows.
    pub launches: u64,
    /// Start of the call to start of its first kernel.
    pub latency_us: Quantiles,
    /// All of it (TKLQT): it weighs the depth of the queue and adds up to no wall time.
    pub latency_sum_us: Microseconds,
    /// Launches when the stream had nothing left to run.
    pub launches_into_empty_queue: u64,
    /// The 5th percentile of their latency: what a launch costs at least. Absent where there are fewer than twenty.
    pub floor_us: Option<Microseconds>,
    /// Mean duration of kernels (AKD).
    pub kernel_mean_us: Microseconds,
    /// Median duration of kernels.
    pub kernel_median_us: Microseconds,
}

/// The place of several times, each one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quantiles {
    /// 5th percentile.
    pub p5: Microseconds,
    /// Median: of an even number the lower one.
    pub median: Microseconds,
    /// Largest.
    pub max: Microseconds,
}

/// Lowest, middle and highest of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread<T> {
    /// Lowest.
    pub min: T,
    /// Middle: of an even number the lower one.
    pub median: T,
    /// Highest.
    pub max: T,
}

impl<T: Ord + Copy> Spread<T> {
    /// Of values in any order; `None` of none.
    pub fn of(values: impl IntoIterator<Item = T>) -> Option<Self> {
        let mut sorted: Vec<T> = values.into_iter().collect();
        sorted.sort_unstable();
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        Some(Self { min, median: sorted[(sorted.len() - 1) / 2], max })
    }
}

/// Steps, by the marker that was used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRecords {
    /// The marker's name without its number.
    pub marker: String,
    /// False where no marker was recorded and work that repeats is taken for steps.
    #[serde(default = "always")]
    pub marked: bool,
    /// How far what delimits them may be trusted, in words.
    #[serde(default)]
    pub trust: String,
    /// The id of the program whose executions they are, where nothing marks them (JAX): others may share its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<u64>,
    /// How many.
    pub count: u64,
    /// Those that the records cover. One that no other follows has no time all the same.
    #[serde(default)]
    pub complete: u64,
    /// The others, by reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<StepsLeftOut>,
    /// Time of the complete steps on each of their devices: from the first start of a step's work to that of the next step. Absent
    /// where no step is followed by another.
    #[serde(default)]
    pub step_time_us: Option<Spread<Microseconds>>,
    /// The step of median time on the device whose work ends last in it.
    #[serde(default)]
    pub median_step: Option<String>,
    /// Host-side length of the markers.
    pub duration_us: Spread<Microseconds>,
    /// Device records a step, by the step of their launch.
    pub records_per_step: Option<Spread<u64>>,
    /// Each step.
    pub rows: Vec<StepRow>,
}

/// Reports that do not say so are of marked steps.
const fn always() -> bool {
    true
}

/// Steps that do not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepsLeftOut {
    /// How many.
    pub count: u64,
    /// Why.
    pub reason: String,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRow {
    /// The marker's full name.
    pub name: String,
    /// Kernels launched inside the marker.
    pub kernels: u64,
    /// Sum of their durations.
    pub kernel_sum_us: Microseconds,
    /// First start and last end of the work launched inside the marker, on the file's time axis.
    pub device_window_us: Option<(Microseconds, Microseconds)>,
    /// Device time inside the marker's host window: what a reader gets who cuts by host time.
    pub busy_in_host_window_us: Microseconds,
    /// Time of the step on the device whose work ends last in it, to the first start of the next step's work there; absent where
    /// the records do not cover it, or nothing follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_time_us: Option<Microseconds>,
    /// Why it is not counted, where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// A compiled program (JAX).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramRecords {
    /// Its id; of several under one name, the first.
    pub id: u64,
    /// All ids of the name that executions may be of: the host records a name and no id.
    #[serde(default)]
    pub ids: Vec<u64>,
    /// Its name.
    pub name: String,
    /// Executions that the host recorded.
    pub executions: Option<u64>,
    /// Those with device records.
    pub executions_with_records: Option<u64>,
    /// Kernels an execution.
    pub kernels_per_execution: Option<Spread<u64>>,
}
