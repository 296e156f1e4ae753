//! The limits that stand on everything an input can grow, each with its reason.
//!
//! A capture comes from somewhere else: a gate must neither hang on it nor run out of memory.

/// Nesting of JSON values. `serde_json` stops at the same depth; producers nest five levels.
pub(super) const DEPTH_MAX: u32 = 128;

/// Bytes of one element of `traceEvents`, or of one value beside it. The largest real event that was seen
/// (an operator with all its input shapes) has 40 KB.
pub(super) const ELEMENT_BYTES_MAX: usize = 64 << 20;

/// Bytes of text in one file, decompressed. The largest trace known from public reports has some 20 GB.
pub(super) const TEXT_BYTES_MAX: u64 = 128 << 30;

/// Text from this many bytes on must keep to [`TEXT_RATIO_MAX`].
pub(super) const TEXT_RATIO_FROM: u64 = 64 << 20;

/// Decompressed bytes for each byte on disk. Traces compress 13- to 18-fold; deflate itself ends at 1,032-fold,
/// which only text without content reaches.
pub(super) const TEXT_RATIO_MAX: u64 = 400;

/// Bytes of optional fields (extra, name, comment) in one gzip header. Real ones hold a file name.
pub(super) const GZIP_HEADER_BYTES_MAX: usize = 1 << 17;

/// Events kept in tables: with what is computed from them they take up to 170 bytes each, 6 GB in all. ROCm's own list ends at
/// 5,000,000 rows.
pub(super) const KEPT_EVENTS_MAX: u64 = 1 << 25;

/// Elements of `traceEvents` without a phase (`ph`). No profiler writes any but JAX, whose lists end with one.
pub(super) const PHASELESS_MAX: u64 = 1 << 20;

/// Distinct names. A 188 MB trace with 602,000 events has 2,107.
pub(super) const NAMES_MAX: usize = 1 << 22;

/// Bytes of all distinct names together.
pub(super) const NAMES_BYTES_MAX: usize = 1 << 30;

/// Host threads. Real jobs have tens, data loaders hundreds.
pub(super) const THREADS_MAX: usize = 1 << 16;

/// Streams of all devices. Real jobs have fewer than a hundred.
pub(super) const STREAMS_MAX: usize = 1 << 16;

/// Devices with work. A host drives up to 64 (eight packages in eight partitions each), and merged files hold a few hosts.
pub(super) const DEVICES_MAX: usize = 1 << 12;

/// Event layouts that are learned; beyond them events are read one by one, slower and just as strictly.
pub(super) const LAYOUT_NODES_MAX: usize = 1 << 12;

/// Alternatives at one place of the learned layouts. It bounds the work for a file that never repeats itself.
pub(super) const LAYOUT_BRANCHES_MAX: usize = 24;

/// Bytes of a top-level value that is interpreted. `distributedInfo` of a 4,096-rank job has 300 KB.
pub(super) const HEADER_VALUE_BYTES_MAX: usize = 16 << 20;

/// Bytes of an operator's inputs that are looked at. Products and convolutions have some hundred.
pub(super) const INPUT_BYTES_MAX: usize = 4 << 10;

/// Distinct lists of inputs that are kept. A model has tens of shapes, a server with many batch sizes thousands.
pub(super) const INPUT_LISTS_MAX: usize = 1 << 14;

/// Short top-level fields that are kept.
pub(super) const HEADER_FIELDS_MAX: usize = 256;

/// Bytes of a kept top-level field.
pub(super) const HEADER_FIELD_BYTES_MAX: usize = 512;

/// Log lines that are kept, and devices that are listed.
pub(super) const HEADER_ROWS_MAX: usize = 4096;

/// Bytes of a kept log line.
pub(super) const LOG_LINE_BYTES_MAX: usize = 4096;

/// Distinct categories that are counted by name.
pub(super) const CATEGORIES_MAX: usize = 1024;

/// Folders inside folders. Deeper trees are no capture folders.
pub(super) const FOLDER_DEPTH_MAX: usize = 32;

/// Entries that one search visits.
pub(super) const FOLDER_ENTRIES_MAX: usize = 200_000;

/// Decompressed bytes by which a search tells what a file is. Kineto's header before `traceEvents` has a few
/// KB for each listed device and process group.
pub(super) const SNIFF_BYTES: usize = 64 << 10;
