//! The limits that stand on what an xplane can grow, each with its reason.

/// Bytes of a file. Protobuf cannot write a message of 2 GiB or more (protobuf's documented limit).
pub(super) const FILE_BYTES_MAX: u64 = (1 << 31) - 1;

/// Planes. A host has one for each device, and a handful of its own.
pub(super) const PLANES_MAX: usize = 1 << 12;

/// Lines of all planes: streams and threads. Real jobs have tens to hundreds.
pub(super) const LINES_MAX: usize = 1 << 16;

/// Records kept in tables. XLA's tracers end at about four million events by default.
pub(super) const KEPT_EVENTS_MAX: u64 = 1 << 26;

/// Bytes of all distinct names together.
pub(super) const NAMES_BYTES_MAX: usize = 1 << 30;

/// Short fields and log lines that are kept.
pub(super) const HEADER_ROWS_MAX: usize = 4096;

/// Bytes of a kept field or log line.
pub(super) const HEADER_TEXT_BYTES_MAX: usize = 4096;
