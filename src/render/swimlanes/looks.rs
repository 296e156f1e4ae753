//! How each kind of bar looks: a colour, and a place in the lane that is told apart without it.

use crate::report::LaneKind;

/// Height of a lane, with the space to the next one.
pub(super) const LANE: i64 = 16;

/// A kind of bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::render) struct Look {
    /// The class in the style sheet, which has its colour.
    pub(in crate::render) class: &'static str,
    /// Top and height in the lane. Kinds of one lane differ in it; it survives zooming in time.
    pub(in crate::render) y: i64,
    pub(in crate::render) height: i64,
    /// What it is, in the legend.
    pub(in crate::render) words: &'static str,
}

const fn look(class: &'static str, y: i64, height: i64, words: &'static str) -> Look {
    Look { class, y, height, words }
}

/// Where idle is withheld, no class of it is told.
pub(super) const NOTHING_RECORDED: Look =
    look("sl-unknown", 4, 6, "nothing recorded: whether the device was idle is withheld");

/// The look of a class of idle.
pub(in crate::render) fn idle(class: &str) -> Look {
    of(LaneKind::Idle, class)
}

/// The look of a kind in a lane.
pub(super) fn of(lane: LaneKind, kind: &str) -> Look {
    match (lane, kind) {
        (LaneKind::Path, "queue") => look("sl-queue", 10, 3, "queue: to the next queued work"),
        (LaneKind::Path, "dispatch") => look("sl-dispatch", 7, 6, "dispatch: from launch to start"),
        (_, "kernel") => look("sl-kernel", 1, 12, "kernel"),
        (_, "collective") => look("sl-collective", 4, 9, "collective, waiting included"),
        (_, "copy") => look("sl-copy", 7, 6, "copy"),
        (_, "fill") => look("sl-fill", 10, 3, "fill"),
        (LaneKind::Idle, "host-starved") => {
            look("sl-starved", 1, 12, "idle: nothing launched, waiting for the host")
        }
        (_, "suspect") => look("sl-unknown", 4, 6, "suspect: unrecorded work could have run"),
        (_, "queued") => look("sl-queued", 1, 6, "queued: launched work waits, unexplained"),
        (_, "pending") => look("sl-pending", 1, 3, "pending: launched work waits for an event"),
        (_, "host-waits") => look("sl-waits", 7, 6, "idle: the host waits for the device"),
        (_, "dispatch") => {
            look("sl-dispatch", 10, 3, "idle: launch latency, gaps of at most 20 µs")
        }
        (_, "op") => look("sl-op", 1, 12, "operator"),
        (_, "annotation") => look("sl-annotation", 4, 9, "annotation"),
        (_, "span") => look("sl-span", 7, 6, "span of the tracer"),
        (_, "launch" | "launch-call") => look("sl-launch", 1, 6, "launch call"),
        (_, "wait" | "host-wait") => look("sl-waits", 7, 6, "host waits for the device"),
        (_, "copy-call") => look("sl-copy", 1, 3, "call that hands over a copy or fill"),
        (_, "host") => look("sl-op", 1, 3, "host activity"),
        (_, "unexplained") => look("sl-unknown", 4, 6, "unexplained"),
        _ => look("sl-call", 10, 3, "other call"),
    }
}
