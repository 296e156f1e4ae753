//! What the profiler says of itself, and the records that it damaged.

use super::NameId;
use crate::units::{Interval, Picoseconds};

/// The profiler's statements about its session.
#[derive(Clone, Debug, Default)]
pub struct Profiler {
    /// Key and value of every short top-level field, in the order of the file (versions, options, trace name).
    pub fields: Vec<(String, String)>,
    /// The devices that the profiler listed.
    pub device_properties: Vec<DeviceProperties>,
    /// Rank and world, where the job was distributed.
    pub distributed: Option<Distributed>,
    /// Log lines that the profiler embedded, with their level (`INFO`, `WARNING`, `ERROR`).
    pub log: Vec<(String, String)>,
    /// The span that the profiler says it recorded.
    pub span: Option<Interval>,
    /// The instant of "Record Window End".
    pub window_end: Option<Picoseconds>,
    /// Rows of a counter session (`cuda_profiler_range`): it replaces kernel records by hardware counters.
    pub counter_ranges: u64,
    /// Synchronisation rows on device lanes (`cuda_sync`): not work.
    pub device_syncs: u64,
    /// Lines of device lanes that repeat other lines in other words (`XLA Ops`, `Steps`, …), by name and number of events:
    /// left out, since their time would count twice.
    pub derived_lines: Vec<(String, u64)>,
    /// Events that have no place on a timeline.
    pub aggregated: Aggregated,
    /// Frames of a Python tracer. It slows the host down, so that host time beside them is an upper bound.
    pub python_frames: u64,
    /// Annotation rows on device lanes (`gpu_user_annotation`): not work.
    pub device_annotations: u64,
}

/// Events that stand for several occurrences (`num_occurrences`) and have no start. They are in no table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aggregated {
    /// Events on streams of devices.
    pub device_events: u64,
    /// How many occurrences those stand for.
    pub device_occurrences: u64,
    /// Events on host threads.
    pub host_events: u64,
}

impl Profiler {
    /// The value of a top-level field.
    pub fn field(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// One listed device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceProperties {
    /// The id in the list.
    pub id: i64,
    /// The marketing name; empty where the profiler wrote a blank one.
    pub name: String,
    /// Memory in bytes.
    pub total_memory: Option<u64>,
    /// Multiprocessors (AMD: compute units).
    pub multiprocessors: Option<u64>,
    /// The vendor, where the profiler writes it.
    pub vendor: Option<String>,
    /// Memory bandwidth in bytes a second, as the profiler states it; often wrong.
    pub memory_bandwidth: Option<u64>,
    /// Clock in kHz, as the profiler states it.
    pub clock_khz: Option<u64>,
    /// Compute capability, major and minor (AMD: 9.4 for gfx942).
    pub compute_capability: Option<(u64, u64)>,
}

/// The job's ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distributed {
    /// This capture's rank.
    pub rank: Option<u64>,
    /// How many ranks the job has.
    pub world_size: Option<u64>,
    /// The backend, such as `nccl`.
    pub backend: Option<String>,
}

/// A count of records that are damaged in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedRecords {
    /// What is wrong with them.
    pub fault: DamageFault,
    /// On which side they were recorded.
    pub side: RecordSide,
    /// How many.
    pub count: u64,
    /// The name of the first, and its line in the file counted from 1 where the reader knows it.
    pub first: (NameId, Option<u64>),
}

/// What is wrong with a damaged record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DamageFault {
    /// Start at 0 while the rest of the file lies far from 0: the time was lost. Left out of the tables.
    ZeroTimestamp,
    /// End before start. Left out of the tables.
    NegativeDuration,
    /// No duration although the file resolves nanoseconds. Kept: it adds no time.
    ZeroDuration,
    /// `nan` or `inf` where a number belongs; left out of the tables where the number is a time.
    NonFinite,
    /// A time that cannot belong to this capture. Left out of the tables.
    OutOfRange,
    /// A time that is missing or no number. Left out of the tables.
    Unreadable,
}

/// Where a record was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordSide {
    /// Device work.
    Device,
    /// Runtime calls, operators, annotations.
    Host,
    /// A field that the analysis does not use.
    Field,
}
