//! `sync-without-recorded-work`: the host waits for a device that, by its records, does nothing.

use super::lost::{self, Replays};
use super::{Check, Doc, Measure, Measurement, WORK_IS_MISSING, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Unit};
use crate::trace::{Capture, Trace};
use crate::units::{Interval, Picoseconds};
use serde_json::json;

/// Below this much waiting the share is noise: 0.38 was measured over 0.05 ms in a sound capture. Public captures with more
/// show 0.013 at most.
const WAIT_FLOOR: Picoseconds = Picoseconds::from_us(200);

/// … and below this part of the window, as one in so many.
const WAIT_PART: i64 = 200;

pub(super) static CHECK: Check = Check {
    id: "sync-without-recorded-work",
    summary: "the host waits for a device on which nothing was recorded",
    doc: Doc {
        measures: "The share of synchronisation time in which no device of the capture ran anything. Synchronisation time: calls \
            that wait for a device, stream or event, over 50 µs and trimmed by 20 µs at each end, within the span of device work. \
            A blocking copy from the device waits until its own record begins.",
        misleads: "A wait returns when the work is done, so a long wait says that there was work. If the records show none, it was \
            not recorded: partial replays, filtered kernels, another stream. Launch coverage cannot see this.",
        remedy: "Where graph replays or launches lack records: record again with graphs off, or with a larger activity buffer. Else see what the \
            host truly waits for, such as another process or a peer, and record that one too.",
        limit: "10 %: in complete public captures the share lies between 0 and 1.3 % (once 7.9 %); with a third of the kernels \
            removed at random it lies between 31 and 40 %.",
        exceptions: "Copies to the device are not counted: staging pageable memory keeps the host busy and not the device. Less than \
            0.2 ms of waiting, or 0.5 % of the window, is not evaluated.",
    },
    since: "0.1.0",
    guards: WORK_IS_MISSING,
    requires: None,
    bound: Bound::Max,
    unit: Unit::Share,
    part_of: Some("of the time in synchronisation"),
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let devices = &analysis.timeline.devices;
    let Some(span) = devices.iter().map(|device| device.window).reduce(Interval::hull) else {
        return Measurement::not_applicable("no device work was recorded");
    };
    let waits = &analysis.waits;
    let (waiting, idle) = (waits.synchronising.total(), waits.synchronising_idle.total());
    let noteworthy = waiting >= WAIT_FLOOR && waiting.ps() >= span.duration().ps() / WAIT_PART;
    let Some(share) = idle.share_of(waiting).filter(|_| noteworthy) else {
        return Measurement::not_applicable("the host hardly waits inside synchronisation calls");
    };
    let longest = waits.synchronising_idle.longest().map_or(Picoseconds::ZERO, Interval::duration);
    let message = format!(
        "during {} of {} that the host waited for the device, no work is recorded",
        idle.human(),
        waiting.human()
    );
    Measurement::measured(
        share.share(),
        [
            ("waiting_us", us(waiting)),
            ("without_work_us", us(idle)),
            ("longest_us", us(longest)),
            ("calls", json!(waits.synchronising.len())),
        ],
        message,
    )
    .advising(remedy(&capture.primary().trace, analysis))
}

/// Graphs are to blame only where their replays lack records, or may.
fn remedy(trace: &Trace, analysis: &Analysis) -> String {
    match (lost::replays(analysis), lost::launches(trace, analysis)) {
        (Replays::Lacking(what), _) => {
            format!("{what}: record again with graphs off, or with fewer replays.")
        }
        (Replays::Unknown(what), _) => format!(
            "Keep the file that was written while the graphs were captured beside the trace, or record again with graphs off: {what}."
        ),
        (Replays::Complete, Some(what)) => {
            format!("{what}: record again with a larger activity buffer, or for a shorter time.")
        }
        (Replays::Complete, None) => format!(
            "Every launch and every graph replay has its records. See what else the host waited for, such as {}, and record that one too; \
             whether the wait comes again in another recording tells which.",
            lost::OUTSIDE
        ),
    }
}
