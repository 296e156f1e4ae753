//! What the records say of idle time, of the host beside it, and of launches.

use super::super::cells::{self, guarded, table, titled};
use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, FINE, count, counted};
use super::super::words;
use super::{Room, more_in_tables};
use crate::report::{
    CaptureReport, Claim, DeviceRecords, LaunchRecords, LaunchTiming, Microseconds, Records,
};
use std::fmt::Write as _;

/// Characters of an event's name in a table.
const NAME_CHARS_MAX: usize = 72;

/// Host events that are shown of each device at least.
const DEVICE_ROWS_MIN: usize = 2;

fn time(us: Microseconds) -> String {
    format::time(us, FINE)
}

pub(super) fn idle(capture: &CaptureReport, records: &Records) -> String {
    let mut text = format!(
        "- device inactive, of the window: {}\n- waiting for the host, of the window (*inferred*): {}\n",
        cells::idle(capture),
        cells::host_starved(capture)
    );
    let is_stated = words::withheld_by(capture, Claim::Idle).is_none();
    for device in &records.devices {
        let parts = [
            ("idle although launched work was waiting", device.idle_with_queued_work_us, ""),
            ("idle while the host waited for the device", device.idle_under_blocking_sync_us, ENDS),
        ];
        for (what, figure, covers) in parts.into_iter().filter(|(_, figure, _)| figure.is_some()) {
            let figure = guarded(capture, Claim::Idle, figure, time);
            let covers = if is_stated { covers } else { "" };
            let _ = writeln!(text, "- {}, {what}: {figure}{covers}", markdown(&device.name));
        }
    }
    text
}

/// What the time under waits covers: what to change counts them with their ends, in one window.
const ENDS: &str = ", over all of its window, in calls over 50 µs without the 20 µs at each end";

pub(super) fn host_title(capture: &CaptureReport) -> String {
    titled(capture, "Idle by host event", Claim::Idle, "its time is")
}

/// What the launching thread was doing while each device was idle, the longest first.
pub(super) fn host(capture: &CaptureReport, records: &Records, room: &Room) -> String {
    let rows_max = (room.host_events / records.devices.len().max(1)).max(DEVICE_ROWS_MIN);
    let rows: Vec<Vec<String>> =
        records.devices.iter().flat_map(|device| host_rows(capture, device, rows_max)).collect();
    if rows.is_empty() {
        return String::new();
    }
    if words::withheld_by(capture, Claim::Idle).is_some() {
        return hidden(records);
    }
    let (shown, all) =
        (rows.len(), records.devices.iter().map(|device| device.idle_host_events.len()).sum());
    let head = ["device", "host event", "kind", "gaps", "idle time", "of the device's idle"];
    let mut text = format!(
        "{}{}\nIn each gap, the innermost event on the thread that launched the work which ends the gap. The rows of a \
         device add up to its idle, over all of its window; the critical path is of one step where steps are known, and goes through the host also \
         where the device was at work.\n",
        table(&head, 3, rows),
        more_in_tables(all, shown)
    );
    if let Some(slows) = words::tracer(capture) {
        let _ = writeln!(text, "\n{slows}: without it the device would wait for the host less.");
    }
    text
}

/// Where no time may be told, a table would hold dashes alone.
fn hidden(records: &Records) -> String {
    let all = || records.devices.iter().flat_map(|device| &device.idle_host_events);
    format!(
        "{} on the launching threads lie in {} without device records. How long is not told: whether the device was idle is \
         withheld.\n",
        counted(all().count() as u64, "kind of event", "kinds of events"),
        counted(all().map(|row| row.gaps).sum(), "stretch", "stretches")
    )
}

fn host_rows<'a>(
    capture: &'a CaptureReport,
    device: &'a DeviceRecords,
    rows_max: usize,
) -> impl Iterator<Item = Vec<String>> + 'a {
    device.idle_host_events.iter().take(rows_max).map(|row| {
        vec![
            markdown(&device.name),
            markdown_code(&format::name(&row.name, NAME_CHARS_MAX)),
            markdown(&row.kind),
            count(row.gaps),
            guarded(capture, Claim::Idle, Some(row.time_us), time),
            guarded(capture, Claim::Idle, row.share, format::share),
        ]
    })
}

pub(super) fn launches(capture: &CaptureReport, launches: &LaunchRecords) -> String {
    let replays = capture.records.as_ref().map_or(0, |records| records.graph.launches);
    let timing = launches.timing.as_ref().map(|of| timing(capture, of, replays));
    let timing = timing.unwrap_or_default();
    let of_graphs = match replays {
        0 => String::new(),
        n => format!("\n- graph launch calls: {}", count(n)),
    };
    format!(
        "- kernel launch calls: {}, of which {} own no device record{of_graphs}\n- launch calls inside stream capture, which run \
         nothing: {}\n- device records launched before recording began: {}\n- other device records that no call \
         launched: {}\n{timing}",
        count(launches.calls.saturating_sub(replays)),
        count(launches.without_record),
        count(launches.captured),
        count(launches.before_window_records),
        count(launches.records_without_launch)
    )
}

/// The launches that are timed: those of graphs among them, and none without a kernel.
fn followed(launches: u64, replays: u64) -> String {
    let calls = match replays {
        0 => counted(launches, "launch", "launches"),
        _ => counted(launches, "launch of a kernel or graph", "launches of kernels and graphs"),
    };
    format!("{calls} that a kernel follows")
}

/// How long launches take: a waiting device would be known by it, so it goes as the idle claim does.
fn timing(capture: &CaptureReport, timing: &LaunchTiming, replays: u64) -> String {
    let held = |of| guarded(capture, Claim::Idle, Some(of), time);
    let latency = guarded(capture, Claim::Idle, Some(timing.latency_us), |of| {
        format!("{} / {} / {}", time(of.p5), time(of.median), time(of.max))
    });
    let empty = count(timing.launches_into_empty_queue);
    let floor = match timing.floor_us {
        Some(floor) => format!("{}, the 5th percentile of {empty}", held(floor)),
        None => format!("not evaluable from {empty}: twenty are needed"),
    };
    format!(
        "- from a launch call to its first kernel (5th percentile / median / longest): {latency} over {}; summed over \
         launches, which wait side by side, {} (total kernel launch and queuing time, TKLQT)\n- the same for launches into an empty queue, what a launch costs at least: {floor}\n- duration of a \
         kernel (mean / median): {} / {}\n",
        followed(timing.launches, replays),
        held(timing.latency_sum_us),
        time(timing.kernel_mean_us),
        time(timing.kernel_median_us)
    )
}
