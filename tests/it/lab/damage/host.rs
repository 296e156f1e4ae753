//! Loss and confusion on the host's side, and files of two hosts in one.

use crate::lab::capture::{
    Capture, Side, correlation, is_graph_launch, is_kernel_launch, set_start, side, start,
};
use crate::lab::dice::Dice;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// How much later the second rank of a merged file runs.
const SECOND_RANK_LATER: i64 = 370_000;

/// Loses every call into the runtime and the driver.
pub(crate) fn lose_calls(capture: &mut Capture) {
    capture.retain(|event| side(event) != Side::Call);
}

/// Loses the calls that replay graphs.
pub(crate) fn strip_graph_launches(capture: &mut Capture) {
    capture.retain(|event| !is_graph_launch(event));
}

/// Loses the calls that launch single kernels.
pub(crate) fn strip_kernel_launches(capture: &mut Capture) {
    capture.retain(|event| !is_kernel_launch(event));
}

/// Records graph launches as the driver's calls.
pub(crate) fn rename_graph_launches(capture: &mut Capture) {
    capture.edit(is_graph_launch, |event| {
        event["name"] = json!("cuGraphLaunch");
        event["cat"] = json!("cuda_driver");
    });
}

/// Gives kernel launches a name that no runtime has.
pub(crate) fn rename_kernel_launches(capture: &mut Capture) {
    capture.edit(is_kernel_launch, |event| event["name"] = json!("acmeSubmit"));
}

/// Records every other kernel launch, by chance, under this name, and loses what it launched.
pub(crate) fn lose_as_unknown(capture: &mut Capture, dice: Dice, name: &str) {
    let is_chosen = |event: &Value| {
        is_kernel_launch(event) && correlation(event).is_some_and(|id| dice.percent(id, 50))
    };
    let chosen = capture.events.iter().filter(|event| is_chosen(event));
    let lost: HashSet<u64> = chosen.filter_map(|event| correlation(event)).collect();
    capture.edit(is_chosen, |event| event["name"] = json!(name));
    capture.retain_work(|event| correlation(event).is_none_or(|id| !lost.contains(&id)));
}

/// Gives every launch the id of an operator, as some producers do for graph launches.
pub(crate) fn give_external_ids(capture: &mut Capture) {
    let ops = capture.events.iter().filter(|event| event["cat"] == "cpu_op");
    let id = ops.map(|op| op["args"]["External id"].clone()).find(|id| !id.is_null());
    let is_launch = |event: &Value| is_graph_launch(event) || is_kernel_launch(event);
    capture.edit(is_launch, |event| {
        event["args"]["External id"] = id.clone().unwrap_or_else(|| json!(1));
    });
}

/// Adds the records of a second rank that did the same a little later, its devices so much further on.
pub(crate) fn merge(capture: &mut Capture, device_step: i64) {
    let mut second: Vec<Arc<Value>> = capture.events.clone();
    for event in &mut second {
        let event = Arc::make_mut(event);
        let is_work = side(event) == Side::DeviceWork;
        if !event["ts"].is_null() {
            set_start(event, start(event) + SECOND_RANK_LATER);
        }
        match event["pid"].as_i64() {
            Some(pid) if is_work => event["pid"] = json!(pid + device_step),
            Some(pid) => event["pid"] = json!(pid + 100_000),
            None => {}
        }
        if let Some(device) = event["args"]["device"].as_i64().filter(|_| is_work) {
            event["args"]["device"] = json!(device + device_step);
        }
    }
    capture.events.extend(second);
}
