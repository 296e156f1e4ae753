//! Loss of records wherever they stand.

use crate::lab::capture::{
    Capture, Side, correlation, device, end, is_fill, is_kernel_launch, side, start,
};
use crate::lab::dice::Dice;
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Loses so many of a hundred records outside replays, each by chance.
pub(crate) fn thin(capture: &mut Capture, dice: Dice, percent: u64) {
    let replays = capture.replay_places();
    let mut n = 0;
    capture.retain_work(|event| {
        n += 1;
        let is_replayed = correlation(event).is_some_and(|id| replays.contains_key(&id));
        is_replayed || !dice.percent(n, percent)
    });
}

/// Loses the records in this part of their number, in order of time.
pub(crate) fn lose_part(capture: &mut Capture, from_percent: usize, to_percent: usize) {
    let mut starts: Vec<i64> = capture.work().map(start).collect();
    starts.sort_unstable();
    let at = |percent: usize| starts.get(starts.len() * percent / 100).copied().unwrap_or(i64::MAX);
    let lost = at(from_percent)..at(to_percent);
    capture.retain_work(|event| !lost.contains(&start(event)));
}

/// Loses the device's side of a stretch of time.
pub(crate) fn cut_device(capture: &mut Capture, dice: Dice) {
    let stretch = stretch(capture, dice);
    capture.retain_work(|event| !stretch.contains(&start(event)));
}

/// Loses the host's side of a stretch of time.
pub(crate) fn cut_host(capture: &mut Capture, dice: Dice) {
    let stretch = stretch(capture, dice);
    capture.retain(|event| {
        !matches!(side(event), Side::Call | Side::HostRange)
            || !stretch.contains(&start(event)) && !stretch.contains(&end(event))
    });
}

/// Loses so many of a hundred kernels, each by chance and with its launch.
pub(crate) fn thin_pairs(capture: &mut Capture, dice: Dice, percent: u64) {
    let mut n = 0;
    lose_with_calls(capture, |event| {
        n += u64::from(is_kernel_launch(event));
        is_kernel_launch(event) && dice.percent(n, percent)
    });
}

/// Loses the records of fills.
pub(crate) fn lose_fills(capture: &mut Capture) {
    capture.retain_work(|event| !is_fill(event));
}

/// Loses what the host did in a stretch of time, and the work that it launched then, as a splitter leaves steps out.
pub(crate) fn cut_both(capture: &mut Capture, dice: Dice) {
    let stretch = stretch(capture, dice);
    lose_with_calls(capture, |event| stretch.contains(&start(event)));
    capture.retain(|event| {
        side(event) != Side::HostRange
            || !stretch.contains(&start(event)) && !stretch.contains(&end(event))
    });
}

/// Loses the calls that `is_lost` selects, and the work of each.
fn lose_with_calls(capture: &mut Capture, mut is_lost: impl FnMut(&Value) -> bool) {
    let mut lost: HashSet<u64> = HashSet::new();
    capture.retain(|event| {
        let gone = side(event) == Side::Call && is_lost(event);
        lost.extend(correlation(event).filter(|_| gone));
        !gone
    });
    capture.retain_work(|event| correlation(event).is_none_or(|id| !lost.contains(&id)));
}

/// A quarter of the device's span, somewhere in its middle.
fn stretch(capture: &Capture, dice: Dice) -> Range<i64> {
    let (first, last) = capture.span();
    let length = (last - first) / 4;
    let from = first + length / 2 + length * dice.below(1, 1_000).cast_signed() / 500;
    from..from + length
}

/// Loses every record of the last device.
pub(crate) fn lose_device(capture: &mut Capture) {
    let devices: BTreeSet<i64> = capture.work().map(device).collect();
    if let Some(&last) = devices.last().filter(|_| devices.len() > 1) {
        capture.retain_work(|event| device(event) != last);
    }
}

/// Writes every device record twice.
pub(crate) fn double(capture: &mut Capture, _: Dice) {
    let work = |event: &&Arc<_>| side(event) == Side::DeviceWork;
    let copies: Vec<_> = capture.events.iter().filter(work).cloned().collect();
    capture.events.extend(copies);
}
