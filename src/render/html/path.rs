//! The segments of the critical path, by name and one by one.

use super::super::cells::table;
use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, FINE, count, counted};
use super::super::{cells, markdown::Room};
use super::markup;
use crate::report::{CaptureReport, Claim, ClaimState, CriticalPath, Microseconds, Share};
use crate::units::Ratio;
use std::cmp::Reverse;
use std::collections::BTreeMap;

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

/// Segments of one kind and name together, the longest time first.
fn by_name(capture: &CaptureReport, path: &CriticalPath, room: &Room) -> String {
    let mut sums: BTreeMap<(&str, Option<&str>), (i128, u64)> = BTreeMap::new();
    for one in &path.segments {
        let sum = sums.entry((&one.kind, one.name.as_deref())).or_default();
        *sum = (sum.0 + one.time_us.ps(), sum.1 + one.merged);
    }
    let mut rows: Vec<_> = sums.into_iter().collect();
    rows.sort_by_key(|(_, (ps, _))| Reverse(*ps));
    let row = |what: String, of: String, ps: i128, n: Option<u64>| {
        let part = || Ratio::new(u64::try_from(ps).ok()?, u64::try_from(path.total_us.ps()).ok()?);
        let share = part().map(Share::of);
        vec![
            what,
            of,
            time(capture, Microseconds::from_ps(ps)),
            cells::guarded(capture, Claim::CriticalPath, share, format::share),
            n.map(count).unwrap_or_default(),
        ]
    };
    let shown: Vec<_> = rows.iter().take(NAMES_MAX).collect();
    let listed: i128 = shown.iter().map(|(_, (ps, _))| ps).sum();
    let left = path.total_us.ps() - listed;
    let rest = (left > 0).then(|| {
        let what = match path.segments_left_out {
            0 => "*all others*".to_owned(),
            n => format!(
                "*all others, and {} that are not told apart*",
                counted(n, "segment", "segments")
            ),
        };
        row(what, String::new(), left, None)
    });
    let rows = shown
        .into_iter()
        .map(|((kind, of), (ps, n))| row(markdown(kind), name(*of, room), *ps, Some(*n)));
    let head = ["the path goes through", "name", "time", "of the window", "segments"];
    markup::blocks(&table(&head, 2, rows.chain(rest)))
}

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
