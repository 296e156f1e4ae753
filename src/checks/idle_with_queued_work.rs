//! `idle-with-queued-work`: the device stands still although its next work had long been handed over.

use super::lost::{self, Replays};
use super::{Check, Doc, Measure, Measurement, WORK_IS_MISSING, us};
use crate::analysis::{Analysis, QueuedGap};
use crate::report::{Bound, Unit};
use crate::trace::{Capture, Trace};
use crate::units::{Interval, Picoseconds};
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "idle-with-queued-work",
    summary: "the device reads idle while launched work is pending",
    doc: Doc {
        measures: "Queued idle ÷ window, for the device where it is largest. For each gap of a device's union the part that \
            is later than the *return* of the launch call of the record that ends the gap, where that exceeds 100 µs. \
            Counted are devices with at least three such gaps, and single gaps over 2 ms. Gaps behind an event wait count only \
            over 10 ms, where the host spent nine tenths of them waiting for the device inside a call.",
        misleads: "The host had done its part, so this is not host starvation whatever it is. Most often work ran that is not \
            in the file: records of earlier steps cut away by a splitter, filtered kernels, lost replays. In one public \
            capture a single such gap makes 97.8 % of the span.",
        remedy: "Where launches or replays lack records: judge the original file if this one was split or filtered, else record again with a larger \
            buffer. If the device truly waited for a peer, another process, work launched before recording began or the profiler's own start, idle is \
            real but its cause is not the host: record the peers too, and start the recording earlier.",
        limit: "1.5 % of the window: over 23 complete public captures it stayed at or below 0.81 % in 22; removed replays \
            raise it by their own length within 0.3 points.",
        exceptions: "One slow first launch in a tiny capture; graph launch calls that block until the replay starts (time counts \
            from their return); work queued right behind an event wait while the host went on, which is shown apart and not counted.",
    },
    since: "0.1.0",
    guards: WORK_IS_MISSING,
    requires: None,
    bound: Bound::Max,
    unit: Unit::Share,
    part_of: Some("of the window, idle with work queued"),
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let devices = analysis.timeline.devices.iter().zip(&analysis.waits.devices);
    let judged = devices.filter_map(|(device, waits)| {
        let counted = waits.unexplained_gaps()?;
        let time: Picoseconds = counted.iter().map(|gap| gap.pending.duration()).sum();
        let share = time.share_of(device.window.duration())?.share();
        Some((share, device, waits, counted, time))
    });
    let Some((share, device, waits, counted, time)) = judged.max_by(|a, b| a.0.total_cmp(&b.0))
    else {
        return match analysis.timeline.devices.is_empty() {
            true => Measurement::not_applicable("no device work was recorded"),
            false => Measurement::no_evidence("no launch call of any device record is known"),
        };
    };
    let name = format!("gpu:{}", trace.device(device.device).raw_id);
    let longest = counted.iter().max_by_key(|gap| gap.pending.duration());
    let api = longest.map(|gap| trace.name(trace.host_calls[gap.call].api));
    let meanwhile = longest.and_then(|gap| meanwhile(trace, gap));
    let blocked: Picoseconds = counted.iter().map(|gap| gap.host_blocked).sum();
    let all: Picoseconds = waits.queued.iter().flatten().map(|gap| gap.pending.duration()).sum();
    let message = match (longest, api) {
        (Some(gap), Some(api)) => format!(
            "{name}: for {} of {} the records show nothing running although work had been launched; the longest such gap lasts {} \
             behind {api}{}. Records are missing, or the device waited for something other than the host",
            time.human(),
            device.window.duration().human(),
            gap.pending.duration().human(),
            meanwhile.as_ref().map(Meanwhile::words).unwrap_or_default()
        ),
        _ if all > Picoseconds::ZERO => {
            format!(
                "{name} has {} of queued idle, too little or explained by event waits",
                all.human()
            )
        }
        _ => "no device stands still while launched work is pending".to_owned(),
    };
    Measurement::measured(
        share,
        [
            ("device", json!(name)),
            ("counted_us", us(time)),
            ("gaps", json!(counted.len())),
            ("longest_us", longest.map_or(json!(null), |gap| us(gap.pending.duration()))),
            ("longest_launched_by", json!(api)),
            ("longest_host_call", json!(meanwhile.as_ref().map(|one| one.call))),
            ("longest_host_operator", json!(meanwhile.as_ref().and_then(|one| one.op))),
            ("longest_host_call_us", json!(meanwhile.as_ref().map(|one| us(one.time)))),
            ("host_waiting_in_calls_us", us(blocked)),
            ("queued_idle_us", us(all)),
            ("behind_event_waits_us", us(waits.behind_event_waits())),
        ],
        message,
    )
    .advising(remedy(trace, analysis))
}

/// What the host did in most of a gap.
struct Meanwhile<'t> {
    /// The call that covers most of it.
    call: &'t str,
    /// The innermost operator around that call.
    op: Option<&'t str>,
    /// How much of the gap it covers.
    time: Picoseconds,
}

impl Meanwhile<'_> {
    fn words(&self) -> String {
        let op = self.op.map(|op| format!(" of {op}")).unwrap_or_default();
        format!(", for {} of which the host was in {}{op}", self.time.human(), self.call)
    }
}

/// The call that covers more than half of a gap, whatever its thread.
fn meanwhile<'t>(trace: &'t Trace, gap: &QueuedGap) -> Option<Meanwhile<'t>> {
    let covers = |one: Interval| one.intersection(gap.pending).map(Interval::duration);
    let calls = trace.host_calls.iter().filter_map(|one| Some((covers(one.interval)?, one)));
    let (time, call) = calls.max_by_key(|(time, _)| *time)?;
    if time + time <= gap.pending.duration() {
        return None;
    }
    let around =
        trace.ops.iter().filter(|op| op.thread == call.thread && op.interval.covers(call.interval));
    let op = around.min_by_key(|op| op.interval.duration()).map(|op| trace.name(op.name));
    Some(Meanwhile { call: trace.name(call.api), op, time })
}

/// What is missing is named where anything is; a file of which nothing is missing was neither split nor filtered.
fn remedy(trace: &Trace, analysis: &Analysis) -> String {
    let lost: Vec<String> =
        [lost::launches(trace, analysis), lost::unlinked(analysis)].into_iter().flatten().collect();
    match lost::replays(analysis) {
        Replays::Lacking(what) => {
            format!("{what}: record again with graphs off, with fewer replays or a larger buffer.")
        }
        _ if !lost.is_empty() => format!(
            "{}: judge the original file where this one was split or filtered, else record again with a larger buffer or for a shorter time.",
            lost.join("; ")
        ),
        Replays::Unknown(what) => format!(
            "Keep the file that was written while the graphs were captured beside the trace, or record again with graphs off: {what}."
        ),
        Replays::Complete => format!(
            "Every launch and every graph replay has its records: no sign of a file that was split or filtered. The device may have waited for \
             something else than the host, such as {}: record that too, and see whether the gap comes again in another recording.",
            lost::OUTSIDE
        ),
    }
}
