//! `unconfirmed-idle`: launched work may have run in part of the idle time, and nothing confirms that it was recorded.

use super::{Check, Doc, Measure, Measurement, WORK_IS_MISSING, us};
use crate::analysis::{Analysis, Cause, Doubt};
use crate::report::{Bound, Unit};
use crate::trace::Capture;
use crate::units::Picoseconds;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "unconfirmed-idle",
    summary: "replays that nothing confirms could have run in part of the idle time",
    doc: Doc {
        measures: "Idle in which a graph replay could have run work that is not recorded ÷ window, or, if more, the part of it in gaps of over \
            20 µs ÷ recorded busy time; for the device where it is largest. \
            A replay is confirmed where the stream capture that built its graph counts as many kernels, or where another replay owns \
            the same records (the same nodes, where records name them, else the same names) and none owns more. What an unconfirmed one left unrecorded ran after the \
            earlier work of its stream and before the later, and was over when a wait for the device returned.",
        misleads: "A capture with one graph replay has nothing to hold that replay against. If only its first kernel was \
            recorded, the rest of the replay is idle time, and no record contradicts it.",
        remedy: "Capture two replays or more, keep the graph-capture shard beside the trace, or let the host wait for the device \
            behind the replay. The bounds of the idle claim hold without.",
        limit: "1 %: beyond it an idle share is no longer a figure, and ranks of kernels may trade places. Intact public captures \
            with unconfirmed replays show 0.15 % and less: the device goes on with the next work right behind a replay.",
        exceptions: "Launches and executions whose work is known to be missing are the business of other checks. It warns, since the capture may be intact: the claims are withheld and the bounds are stated.",
    },
    since: "0.1.0",
    guards: WORK_IS_MISSING,
    requires: None,
    bound: Bound::Max,
    unit: Unit::Share,
    part_of: Some("of the window or of busy time"),
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let devices = analysis.timeline.devices.iter().zip(&analysis.idle.devices);
    let suspect = devices.filter_map(|(device, idle)| {
        let time = idle.unconfirmed;
        let of_window = time.share_of(device.window.duration())?.share();
        // A mostly idle window hides what is much of the kernel time.
        let of_busy = idle.unconfirmed_long.share_of(device.busy_time())?.share();
        Some((of_window.max(of_busy), device, idle, time))
    });
    let Some((share, device, idle, time)) = suspect.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return Measurement::not_applicable("no device work was recorded");
    };
    let causes = idle
        .doubts
        .iter()
        .filter(|doubt| matches!(doubt, Doubt::Unrecorded(Cause::UnconfirmedReplay, _)));
    let causes: Vec<String> = causes.map(|doubt| doubt.words()).collect();
    let name = format!("gpu:{}", trace.device(device.device).raw_id);
    let message = if time == Picoseconds::ZERO {
        "no unconfirmed replay leaves room for unrecorded work in the idle time".to_owned()
    } else {
        format!(
            "{name}: unrecorded work could have run in {} of {} idle ({})",
            time.human(),
            device.gaps.total().human(),
            causes.join(", ")
        )
    };
    Measurement::measured(
        share,
        [
            ("device", json!(name)),
            ("suspect_us", us(time)),
            ("idle_us", us(device.gaps.total())),
            ("causes", json!(causes)),
        ],
        message,
    )
}
