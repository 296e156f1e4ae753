//! The segments of the critical path, one by one.

use super::super::cells::table;
use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, DASH, FINE, count};
use super::super::{cells, markdown::Room};
use super::markup;
use crate::report::{CaptureReport, Claim, ClaimState, Microseconds};

/// A table of the first segments; nothing where the path may not be stated.
pub(super) fn segments(capture: &CaptureReport, room: &Room) -> String {
    let Some(path) = capture.critical_path.as_ref().filter(|path| path.reason.is_none()) else {
        return String::new();
    };
    if capture.claims.get(Claim::CriticalPath).0 != ClaimState::Supported
        || path.segments.is_empty()
    {
        return String::new();
    }
    let time = |us: Microseconds| {
        cells::guarded(capture, Claim::CriticalPath, Some(us), |us| format::time(us, FINE))
    };
    let rows = path.segments.iter().take(room.rows).map(|one| {
        let name = one.name.as_deref();
        vec![
            markdown(&one.kind),
            name.map_or_else(
                || DASH.to_owned(),
                |name| markdown_code(&format::name(name, room.name_chars)),
            ),
            time(one.start_us),
            time(one.time_us),
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
