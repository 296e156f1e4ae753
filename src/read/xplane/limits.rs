//! The limits that stand on what an xplane alone can grow, each with its reason.

/// Bytes of a file. Protobuf cannot write a message of 2 GiB or more (protobuf's documented limit).
pub(super) const FILE_BYTES_MAX: u64 = (1 << 31) - 1;

/// Planes. A host has one for each device, and a handful of its own.
pub(super) const PLANES_MAX: usize = 1 << 12;

/// Lines of all planes: streams and threads. Real jobs have tens to hundreds.
pub(super) const LINES_MAX: usize = 1 << 16;

/// Statistics of one plane. Real devices have a dozen.
pub(super) const PLANE_STATS_MAX: usize = 1 << 16;

/// Statistics that the names of one plane carry, in all. Host planes have some for each name.
pub(super) const NAME_STATS_MAX: usize = 1 << 22;
