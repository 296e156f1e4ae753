//! What a kernel of the path would save if it ran at its roofline: a ceiling that its device sets, lower than that of no kernel at all.

use super::replay::Change;
use crate::analysis::path::Model;
use crate::analysis::roofline::{BoundBy, Floors};
use crate::units::Picoseconds;

/// A kernel of the window at its roofline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtRoofline {
    /// How long its launches take in the window.
    pub now: Picoseconds,
    /// How long they take at least.
    pub floor: Picoseconds,
    /// What the step saves at most.
    pub saved: Picoseconds,
    /// What limits it then; either where launches differ.
    pub bound: BoundBy,
}

impl AtRoofline {
    /// What to try.
    pub const fn knob(&self) -> &'static str {
        match self.bound {
            BoundBy::Compute => {
                "an implementation that keeps the units for its data type busier: other shapes, layouts or libraries. A lower precision \
                 or the matrix units, where it does not use them, raise the roof itself"
            }
            BoundBy::Memory => {
                "an implementation that moves each operand once: other layouts or libraries. Fusion with its neighbours or smaller data \
                 types take away traffic that this counts as needed"
            }
            BoundBy::Either => {
                "a hardware profiler's counters first: whether operations or bytes limit it, the capture leaves open"
            }
        }
    }
}

/// What the counterfactual rests on.
pub(super) const ASSUMPTION: &str = "each launch takes as long as its operations at the device's peak or its bytes at the bandwidth, whichever is longer. No kernel \
     gets there, so the saving is at most the one stated and may be nothing. Operations and bytes are inferred from shapes";

/// The work that a cause takes out, at its roofline; `None` where the roofline of any launch is not known. `most` is what the step saves
/// without that work.
///
/// Shorter work saves no more than no work, and no more than it gets shorter.
pub(super) fn at_roofline(
    model: &Model<'_>,
    change: &Change,
    most: Picoseconds,
    floors: &Floors<'_>,
) -> Option<AtRoofline> {
    let nodes = model.nodes.iter().zip(&change.work);
    let launches = nodes.filter(|(node, is_it)| **is_it && node.device == model.device);
    // What starts with the end of the window belongs to the next.
    let launches = launches.filter(|(node, _)| node.interval.start() < model.window.end());
    let launches: Vec<_> = launches.map(|(node, _)| node).collect();
    let events: Vec<u32> = launches.iter().map(|node| node.event).collect();
    let floors = floors.of_all(&events)?;
    let bound = floors.first()?.bound;
    let (mut now, mut shorter) = (Picoseconds::ZERO, Picoseconds::ZERO);
    for (node, floor) in launches.iter().zip(&floors) {
        let within = node.interval.intersection(model.window)?.duration();
        now += within;
        shorter += (node.interval.duration() - floor.time).max(Picoseconds::ZERO).min(within);
    }
    let is_one = floors.iter().all(|floor| floor.bound == bound);
    Some(AtRoofline {
        now,
        floor: now - shorter,
        saved: most.min(shorter),
        bound: if is_one { bound } else { BoundBy::Either },
    })
}
