//! The segments of the critical path, by name and one by one.

use super::super::cells::table;
use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, FINE, count};
use super::super::{cells, markdown::Room};
use super::markup;
use crate::report::{CaptureReport, Claim, ClaimState, CriticalPath, Microseconds, Share};
use crate::units::Ratio;

/// Rows of the path by name.
const NAMES_MAX: usize = 25;

/// Where the path's time goes, by name; then the first segments in order of time, folded. Nothing where the path may not be stated.
pub(super) fn segments(capture: &CaptureReport, room: &Room) -> String {
    let Some(path) = capture.critical_path.as_ref().filter(|path| path.reason.is_none()) else {
        return String::new();
    };
    if capture.claims.get(Claim::CriticalPath).0 != ClaimState::Supported
        || path.segments.is_empty()
    {
        return String::new();
    }
    format!("{}{}", by_name(capture, path, room), in_order(capture, path, room))
}

fn time(capture: &CaptureReport, us: Microseconds) -> String {
    cells::guarded(capture, Claim::CriticalPath, Some(us), |us| format::time(us, FINE))
}

fn name(name: Option<&str>, room: &Room) -> String {
    let code = |name: &str| markdown_code(&format::name(name, room.name_chars));
    name.map_or_else(|| "no event recorded".to_owned(), code)
}

/// Segments of one kind and name together, the longest time first, and the rest.
fn by_name(capture: &CaptureReport, path: &CriticalPath, room: &Room) -> String {
    // A report of an earlier version has no such rows.
    if path.by_name.is_empty() {
        return String::new();
    }
    let row = |what: String, of: String, us: Microseconds, n: String| {
        let of_window = || {
            let whole = u64::try_from(path.total_us.ps()).ok()?;
            Ratio::new(u64::try_from(us.ps()).ok()?, whole)
        };
        let share = of_window().map(Share::of);
        vec![
            what,
            of,
            time(capture, us),
            cells::guarded(capture, Claim::CriticalPath, share, format::share),
            n,
        ]
    };
    let shown = &path.by_name[..path.by_name.len().min(NAMES_MAX)];
    let listed: i128 = shown.iter().map(|one| one.time_us.ps()).sum();
    let left = path.total_us.ps() - listed;
    let rest = (left > 0).then(|| {
        let us = Microseconds::from_ps(left);
        row("*all others*".to_owned(), String::new(), us, String::new())
    });
    let rows = shown.iter().map(|one| {
        let name = name(one.name.as_deref(), room);
        row(markdown(&one.kind), name, one.time_us, count(one.segments))
    });
    let head = ["the path goes through", "name", "time", "of the window", "segments"];
    format!("{}{NOTE}", markup::blocks(&table(&head, 2, rows.chain(rest))))
}

/// What a host event's row covers, here and where idle is put down to host events.
const NOTE: &str = "<p>All segments of the window, the device's and the host's. A host event counts here while the path goes through it, also where \
    the device was at work; under “Idle by host event” it counts while the device was idle, in all of the device's window. So the two differ.</p>\n";

fn in_order(capture: &CaptureReport, path: &CriticalPath, room: &Room) -> String {
    let rows = path.segments.iter().take(room.rows).map(|one| {
        vec![
            markdown(&one.kind),
            name(one.name.as_deref(), room),
            time(capture, one.start_us),
            time(capture, one.time_us),
            count(one.merged),
        ]
    });
    let head = ["segment", "name", "from the start of the window", "time", "segments in a row"];
    let shown = path.segments.len().min(room.rows);
    let left = path.segments.len() - shown;
    let more = match (left, path.segments_left_out) {
        (0, 0) => String::new(),
        (left, 0) => format!("<p>{} more rows in the JSON report.</p>\n", count(left as u64)),
        (left, beyond) => format!(
            "<p>{} more rows in the JSON report, which leaves out {} segments behind them.</p>\n",
            count(left as u64),
            count(beyond)
        ),
    };
    format!(
        "<details><summary>Its segments, in order of time</summary>\n{}{more}</details>\n",
        markup::blocks(&table(&head, 2, rows))
    )
}
