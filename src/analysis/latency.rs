//! How long a device needs by itself: what is shorter says nothing of the host or of missing records.

use crate::units::Picoseconds;

/// How long a launched kernel may take to start on an empty queue, generously: 13–14 µs were measured on MI300X, so a
/// launch that has no record after 100 µs of an idle device is overdue.
pub const DISPATCH_LATENCY: Picoseconds = Picoseconds::from_us(100);

/// From the end of one piece of work to the start of the next that was waiting, and from the return of a launch call to its
/// kernel, a device needs no more: 13–14 µs were measured on MI300X.
pub(super) const DISPATCH_GAP: Picoseconds = Picoseconds::from_us(20);

/// A wait returns within this after the work that it waited for has ended; what is longer is not explained by it.
pub(super) const WAKE_MAX: Picoseconds = Picoseconds::from_us(200);

/// From one kernel to the next of a queue that never empties it needs no more, generously: 0 on MI300X and 0.7 to 1.6 µs on CUDA
/// devices were measured.
pub(super) const QUEUE_GAP: Picoseconds = Picoseconds::from_us(5);
