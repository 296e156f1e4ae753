//! Times that are wrong: durations, single records, whole clocks.

use crate::lab::capture::{
    Capture, Ns, Side, is_kernel, length, set_length, set_start, side, start,
};
use crate::lab::dice::Dice;
use serde_json::Value;
use std::cell::Cell;

/// Shifts every event, marks included.
pub(crate) fn shift_all(capture: &mut Capture, by: Ns) {
    capture.edit(|event| !event["ts"].is_null(), |event| set_start(event, start(event) + by));
}

/// Shifts what the host recorded.
pub(crate) fn shift_host(capture: &mut Capture, by: Ns) {
    let host = |event: &Value| matches!(side(event), Side::Call | Side::HostRange);
    capture.edit(host, |event| set_start(event, start(event) + by));
}

/// Makes one kernel last 10 s.
pub(crate) fn one_long(capture: &mut Capture, dice: Dice) {
    edit_one(capture, dice, |event| set_length(event, 10_000_000_000));
}

/// Makes one kernel last nothing.
pub(crate) fn one_zero(capture: &mut Capture, dice: Dice) {
    edit_one(capture, dice, |event| set_length(event, 0));
}

/// Makes one kernel of a hundred last a hundred times as long, and one at least.
pub(crate) fn stretch(capture: &mut Capture, dice: Dice) {
    let stretch = |event: &mut Value| set_length(event, length(event) * 100);
    edit_one(capture, dice, stretch);
    edit_some(capture, dice, 1, stretch);
}

/// Makes one record of ten last nothing.
pub(crate) fn zero(capture: &mut Capture, dice: Dice) {
    edit_some(capture, dice, 10, |event| set_length(event, 0));
}

/// Moves the first device record an hour back.
pub(crate) fn first_early(capture: &mut Capture, _: Dice) {
    let (first, _) = capture.span();
    let is_first = |event: &Value| side(event) == Side::DeviceWork && start(event) == first;
    capture.edit(is_first, |event| set_start(event, start(event) - 3_600_000_000_000));
}

fn edit_one(capture: &mut Capture, dice: Dice, change: fn(&mut Value)) {
    let n_kernels = capture.work().filter(|event| is_kernel(event)).count() as u64;
    let chosen = dice.below(0, n_kernels);
    edit_where(capture, |at| at == chosen, change);
}

fn edit_some(capture: &mut Capture, dice: Dice, percent: u64, change: fn(&mut Value)) {
    let chosen = dice.below(0, 1 << 40);
    edit_where(capture, |at| at != chosen && dice.percent(at + 1, percent), change);
}

/// Edits the kernels at the wanted places, counted from 0.
fn edit_where(capture: &mut Capture, wanted: impl Fn(u64) -> bool, change: fn(&mut Value)) {
    let n_seen = Cell::new(0);
    let is_wanted = |event: &Value| {
        is_kernel(event) && {
            n_seen.set(n_seen.get() + 1);
            wanted(n_seen.get() - 1)
        }
    };
    capture.edit(is_wanted, change);
}
