//! Changes of the file that say nothing new.

use crate::lab::capture::{Capture, Layout, is_kernel, is_operator, name, start};
use crate::lab::dice::Dice;
use serde_json::{Value, json};
use std::sync::Arc;

/// Puts the stretches of each fifth of the time into another order in the file.
pub(crate) fn turn_steps(capture: &mut Capture, _: Dice) {
    let (first, last) = capture.span();
    let fifth = ((last - first) / 5).max(1);
    capture.events.sort_by_key(|event| -(start(event) / fifth));
}

/// Puts the events into an order by chance.
pub(crate) fn shuffle(capture: &mut Capture, dice: Dice) {
    let numbered = (1..).zip(capture.events.drain(..));
    let mut shuffled: Vec<(u64, Arc<Value>)> =
        numbered.map(|(at, event)| (dice.below(at, u64::MAX), event)).collect();
    shuffled.sort_by_key(|(place, _)| *place);
    capture.events = shuffled.into_iter().map(|(_, event)| event).collect();
}

/// Writes one value a line, with the keys in reverse.
pub(crate) fn rewrite(capture: &mut Capture, _: Dice) {
    capture.layout = Layout::Indented;
}

/// Adds a field to the file, to each event and to its args.
pub(crate) fn add_fields(capture: &mut Capture, _: Dice) {
    capture.head.insert("acmeVersion".to_owned(), json!({"major": 3, "tags": ["a", null]}));
    capture.edit(
        |_| true,
        |event| {
            event["acme"] = json!([1, {"x": "}"}]);
            if let Some(args) = event["args"].as_object_mut() {
                args.insert("acme score".to_owned(), json!(0.5));
            }
        },
    );
}

/// Renames kernels and operators, each name always alike.
pub(crate) fn rename(capture: &mut Capture, _: Dice) {
    let named = |event: &Value| is_kernel(event) || is_operator(event);
    capture.edit(named, |event| event["name"] = json!(format!("{} v2", name(event))));
}
