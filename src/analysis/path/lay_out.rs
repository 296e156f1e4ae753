//! Lays the critical path out for the report.

use super::{Path, PathSegment, SegmentKind};
use crate::analysis::host_cause::without_number;
use crate::analysis::lay_out::on_file_axis;
use crate::report::{CriticalPath, PathKind, PathName, PathSegment as Row, Share};
use crate::trace::Trace;
use crate::units::Picoseconds;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Segments of the path that the report lists.
const SEGMENTS_MAX: usize = 1_000;

/// Names of the path that the report lists.
const NAMES_MAX: usize = 100;

/// The path as the report has it: neighbours of equal kind and name are one row.
pub(in crate::analysis) fn lay_out(trace: &Trace, path: &Path) -> CriticalPath {
    let total = path.window.duration();
    let by_kind = path.by_kind().into_iter().map(|(kind, time)| PathKind {
        kind: kind.name().to_owned(),
        time_us: time.into(),
        share: time.share_of(total).map(Share::of),
    });
    let (segments, segments_left_out) = rows(trace, path);
    CriticalPath {
        scope: path.scope,
        step: path.step.clone(),
        device: format!("gpu:{}", trace.device(path.device).raw_id),
        window_us: on_file_axis(trace, path.window),
        total_us: total.into(),
        segments,
        segments_left_out,
        by_kind: by_kind.collect(),
        by_name: by_name(trace, path),
        unexplained_us: path.unexplained().into(),
        reason: path.reason(),
    }
}

/// All segments by kind and name, the longest time first. Steps differ in their numbers alone, as in the idle by host event.
fn by_name(trace: &Trace, path: &Path) -> Vec<PathName> {
    let mut sums: BTreeMap<(SegmentKind, Option<&str>), (Picoseconds, u64)> = BTreeMap::new();
    for one in &path.segments {
        let name = one.name.map(|name| without_number(trace.name(name)));
        let (time, n) = sums.entry((one.kind, name)).or_default();
        (*time, *n) = (*time + one.interval.duration(), *n + 1);
    }
    let mut rows: Vec<_> = sums.into_iter().collect();
    rows.sort_by_key(|&(_, (time, _))| Reverse(time));
    rows.truncate(NAMES_MAX);
    let row = |((kind, name), (time, segments)): ((SegmentKind, Option<&str>), _)| PathName {
        kind: kind.name().to_owned(),
        name: name.map(str::to_owned),
        time_us: Picoseconds::into(time),
        segments,
    };
    rows.into_iter().map(row).collect()
}

fn rows(trace: &Trace, path: &Path) -> (Vec<Row>, u64) {
    let alike = |a: &PathSegment, b: &PathSegment| (a.kind, a.name) == (b.kind, b.name);
    let mut rows = Vec::new();
    let mut left_out = 0;
    for run in path.segments.chunk_by(alike) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        if rows.len() == SEGMENTS_MAX {
            left_out += run.len() as u64;
            continue;
        }
        rows.push(Row {
            kind: first.kind.name().to_owned(),
            name: first.name.map(|name| trace.name(name).to_owned()),
            start_us: (first.interval.start() - path.window.start()).into(),
            time_us: (last.interval.end() - first.interval.start()).into(),
            merged: run.len() as u64,
        });
    }
    (rows, left_out)
}
