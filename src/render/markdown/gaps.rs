//! Where in time the idle is.

use super::super::cells::{guarded, table, titled};
use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, DASH, FINE, counted};
use super::super::swimlanes::idle_look;
use super::Room;
use crate::report::{
    CaptureReport, Claim, ClaimState, DeviceRecords, LongGap, Microseconds, Records,
};
use std::fmt::Write as _;

/// Characters of a name: four stand in one row.
const NAME_CHARS_MAX: usize = 48;

/// Gaps that are shown of each device at least.
const DEVICE_ROWS_MIN: usize = 2;

fn time(us: Microseconds) -> String {
    format::time(us, FINE)
}

pub(super) fn title(capture: &CaptureReport) -> String {
    let title =
        if is_stated(capture) { "Longest gaps" } else { "Longest stretches without a record" };
    titled(capture, title, Claim::Idle, "whether they are idle, and why, is")
}

/// True where a gap between records is idle.
fn is_stated(capture: &CaptureReport) -> bool {
    capture.claims.get(Claim::Idle).0 == ClaimState::Supported
}

/// The longest gaps of each device, and how much of its idle no host event explains.
pub(super) fn gaps(capture: &CaptureReport, records: &Records, room: &Room) -> String {
    let rows_max = (room.gaps / records.devices.len().max(1)).max(DEVICE_ROWS_MIN);
    let rows: Vec<Vec<String>> = records
        .devices
        .iter()
        .flat_map(|device| {
            device.longest_gaps.iter().take(rows_max).map(|gap| row(capture, device, gap))
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    // When records end and begin is on record, whatever ran in between.
    let length = if is_stated(capture) { "length" } else { "without a record for" };
    let head = [
        "device",
        "from the start of its work",
        length,
        "class",
        "ran before",
        "runs next",
        "launched by",
        "host event for most of it",
    ];
    let mut text = table(&head, 8, rows);
    if !is_stated(capture) {
        text.push_str(NO_IDLE);
        return text;
    }
    text.push_str(
        "\nIn each gap the class that most of it is in, and the innermost event on the thread that launched the work which ends it. The start on the \
         file's own axis is in the JSON report.\n",
    );
    text.push_str(&without_event(capture, records));
    text
}

/// What stands below stretches of which it is not known whether the device was idle.
const NO_IDLE: &str = "\nAs recorded, and no idle time: work may have run there whose record is lost. What explains a stretch is not told. The start on the file's own \
    axis is in the JSON report.\n";

/// Idle in which nothing of the host is recorded: as a rule between iterations, or in threads that no tracer watches.
fn without_event(capture: &CaptureReport, records: &Records) -> String {
    let mut text = String::new();
    for device in &records.devices {
        let row = device.idle_host_events.iter().find(|row| row.kind == "none");
        let Some(row) = row.filter(|row| row.time_us.ps() > 0) else { continue };
        let share = guarded(capture, Claim::Idle, row.share, format::share);
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\n{}: {} of its idle ({share}) in {} without any host event: between iterations, or in what no tracer watches.\n",
            markdown(&device.name),
            guarded(capture, Claim::Idle, Some(row.time_us), time),
            counted(row.gaps, "gap", "gaps")
        );
    }
    text
}

fn row(capture: &CaptureReport, device: &DeviceRecords, gap: &LongGap) -> Vec<String> {
    let named = |name: &Option<String>| {
        name.as_deref().map_or_else(
            || DASH.to_owned(),
            |name| markdown_code(&format::name(name, NAME_CHARS_MAX)),
        )
    };
    let start = Microseconds::from_ps(gap.start_us.ps() - device.window_us.0.ps());
    // Where idle is withheld, nothing explains a gap.
    let is_stated = is_stated(capture);
    let host = match (&gap.host_event, gap.host_us) {
        (Some(_), Some(us)) if is_stated => format!("{} {}", named(&gap.host_event), time(us)),
        _ => DASH.to_owned(),
    };
    vec![
        markdown(&device.name),
        time(start),
        time(gap.length_us),
        gap.class
            .as_deref()
            .filter(|_| is_stated)
            .map_or_else(|| DASH.to_owned(), |class| markdown(idle_look(class).words)),
        named(&gap.last_work),
        named(&gap.next_work),
        if is_stated { named(&gap.launch) } else { DASH.to_owned() },
        host,
    ]
}
