//! Loss of graph replays, and inside them.

use crate::lab::capture::{Capture, correlation, start};
use crate::lab::dice::Dice;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Loses all records of so many replays of a hundred.
pub(crate) fn lose(capture: &mut Capture, dice: Dice, percent: u64) {
    let places = capture.replay_places();
    capture.retain_work(|event| match place(&places, event) {
        Some(at) => !dice.percent(at as u64, percent),
        None => true,
    });
}

/// Loses all records of the later half of the replays.
pub(crate) fn lose_second_half(capture: &mut Capture) {
    let places = capture.replay_places();
    capture.retain_work(|event| place(&places, event).is_none_or(|at| at * 2 < places.len()));
}

/// Keeps the first `n` records of each replay.
pub(crate) fn keep_first(capture: &mut Capture, n: usize) {
    keep_heads(capture, |_| n);
}

/// Keeps the first half of the records of each replay.
pub(crate) fn lose_second_halves(capture: &mut Capture) {
    keep_heads(capture, |size| size.div_ceil(2));
}

/// Keeps so many of the first records of each replay as `n` says of its size.
fn keep_heads(capture: &mut Capture, n: impl Fn(usize) -> usize) {
    let places = capture.replay_places();
    let mut starts: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
    for event in capture.work() {
        if let Some(at) = place(&places, event) {
            starts.entry(at).or_default().push(start(event));
        }
    }
    for starts in starts.values_mut() {
        starts.sort_unstable();
        starts.truncate(n(starts.len()));
    }
    capture.retain_work(|event| match place(&places, event) {
        Some(at) => starts[&at].contains(&start(event)),
        None => true,
    });
}

/// Loses so many of a hundred records of replays, each by chance.
pub(crate) fn thin(capture: &mut Capture, dice: Dice, percent: u64) {
    let places = capture.replay_places();
    let mut n = 0;
    capture.retain_work(|event| {
        n += 1;
        place(&places, event).is_none() || !dice.percent(n, percent)
    });
}

/// Which replay a record belongs to.
fn place(places: &HashMap<u64, usize>, event: &Value) -> Option<usize> {
    places.get(&correlation(event)?).copied()
}
