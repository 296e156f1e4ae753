//! Swimlanes: every stream, every device's idle and the launching threads on one time axis, with the critical path.
//!
//! The window is that of the critical path: the step of median time, else all work of one device. So that eight devices with fifty
//! thousand kernels can be drawn, records that would fall into one pixel are merged; a lane's counts and times add up all the same.

mod host;
mod merge;

use self::merge::{Grid, Item, Merged, merge};
use super::timeline::events_by_stream;
use super::{Analysis, Path, PathSegment, SegmentKind};
use crate::report::{Bar, Lane, LaneKind, LastFinisher, Microseconds, Swimlanes};
use crate::trace::{Capture, DeviceEvent, DeviceEventKind, DeviceId, NameId, StreamId, Trace};
use crate::units::{Interval, Picoseconds};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Columns of the axis, the finest first: as many as the bars of all lanes allow.
const COLUMNS: [u16; 8] = [1_000, 500, 250, 125, 60, 30, 15, 8];

/// Bars of a drawing, in all lanes.
const BARS_MAX: usize = 6_000;

/// Lanes of a drawing.
const LANES_MAX: usize = 256;

/// A lane before its records are merged: they are in order of their start.
struct Draft {
    group: String,
    name: String,
    kind: LaneKind,
    items: Vec<Item>,
}

/// The lanes of a capture; `None` where no device work was recorded.
pub fn swimlanes(capture: &Capture, analysis: &Analysis) -> Option<Swimlanes> {
    let trace = &capture.primary().trace;
    let path = analysis.path.as_ref()?;
    let window = path.window;
    let on_path = on_path(path);
    let mut drafts = device_lanes(trace, analysis, window, &on_path);
    let (threads, threads_left_out) = host::lanes(trace, analysis, window, &on_path);
    // Where there is no room for all, the launching threads stay.
    let room = LANES_MAX - threads.len().min(LANES_MAX);
    let cut = drafts.split_off(drafts.len().min(room));
    let lanes_left_out = cut.len() as u64;
    let records_left_out = cut.iter().map(|lane| lane.items.len() as u64).sum();
    drafts.extend(threads);
    let path_lane = path_lane(path);
    let drawn = || std::iter::once(&path_lane).chain(&drafts);
    let n_bars = |grid| drawn().map(|lane| merge(&lane.items, grid).len()).sum::<usize>();
    let grids = COLUMNS.map(|columns| Grid::of(window, columns));
    let grid = grids.iter().copied().find(|&grid| n_bars(grid) <= BARS_MAX).unwrap_or(grids[7]);
    let mut names = Names { trace, known: FxHashMap::default() };
    let at_start = trace.origin.on_file_axis(window.start());
    Some(Swimlanes {
        scope: path.scope,
        step: path.step.clone(),
        device: device_name(trace, path.device),
        window_us: (
            Microseconds::from_ps(at_start),
            Microseconds::from_ps(trace.origin.on_file_axis(window.end())),
        ),
        total_us: window.duration().into(),
        merged_below_us: grid.width.into(),
        path: lane(&path_lane, grid, window, &mut names),
        lanes: drafts.iter().map(|draft| lane(draft, grid, window, &mut names)).collect(),
        lanes_left_out,
        records_left_out,
        threads_left_out,
        last: last_finisher(trace, path),
    })
}

/// Start and name of what the path goes through.
fn on_path(path: &Path) -> FxHashSet<(Picoseconds, NameId)> {
    let is_record = |segment: &&PathSegment| {
        matches!(
            segment.kind,
            SegmentKind::Kernel
                | SegmentKind::Collective
                | SegmentKind::Copy
                | SegmentKind::Fill
                | SegmentKind::LaunchCall
        )
    };
    let records = path.segments.iter().filter(is_record);
    records.filter_map(|one| Some((one.interval.start(), one.name?))).collect()
}

/// The streams of each device, then its idle.
fn device_lanes(
    trace: &Trace,
    analysis: &Analysis,
    window: Interval,
    on_path: &FxHashSet<(Picoseconds, NameId)>,
) -> Vec<Draft> {
    let by_stream: FxHashMap<StreamId, Vec<&DeviceEvent>> =
        events_by_stream(trace).into_iter().collect();
    let mut lanes = Vec::new();
    for (device, idle) in analysis.timeline.devices.iter().zip(&analysis.idle.devices) {
        let group = device_name(trace, device.device);
        for stream in &device.streams {
            let events = by_stream.get(&stream.stream).map_or(&[][..], Vec::as_slice);
            let items = work(events, window, on_path);
            if !items.is_empty() {
                let name = format!("stream:{}", trace.stream(stream.stream).raw_id);
                lanes.push(Draft { group: group.clone(), name, kind: LaneKind::Work, items });
            }
        }
        let mut items: Vec<Item> = Vec::new();
        for (kind, gaps) in idle.gaps.within(device, window) {
            let item = |interval| Item { interval, kind, name: None, on_path: false };
            items.extend(gaps.iter().map(item));
        }
        items.sort_by_key(|item| item.interval.start());
        if !items.is_empty() {
            lanes.push(Draft { group, name: "idle".to_owned(), kind: LaneKind::Idle, items });
        }
    }
    lanes
}

/// Device work that meets the window.
fn work(
    events: &[&DeviceEvent],
    window: Interval,
    on_path: &FxHashSet<(Picoseconds, NameId)>,
) -> Vec<Item> {
    let item = |event: &&DeviceEvent| {
        let interval = event.interval.intersection(window)?;
        let is_on_path = on_path.contains(&(interval.start(), event.name));
        let kind = work_kind(event.kind);
        Some(Item { interval, kind, name: Some(event.name), on_path: is_on_path })
    };
    let mut items: Vec<Item> = events.iter().filter_map(item).collect();
    items.sort_by_key(|item| (item.interval.start(), item.interval.end()));
    items
}

const fn work_kind(kind: DeviceEventKind) -> &'static str {
    match kind {
        DeviceEventKind::Kernel => SegmentKind::Kernel.name(),
        DeviceEventKind::Collective => SegmentKind::Collective.name(),
        DeviceEventKind::Memcpy | DeviceEventKind::CopyKernel => SegmentKind::Copy.name(),
        DeviceEventKind::Memset | DeviceEventKind::FillKernel => SegmentKind::Fill.name(),
    }
}

fn path_lane(path: &Path) -> Draft {
    let item = |one: &PathSegment| Item {
        interval: one.interval,
        kind: one.kind.name(),
        name: one.name,
        on_path: true,
    };
    Draft {
        group: "critical path".to_owned(),
        name: "segments".to_owned(),
        kind: LaneKind::Path,
        items: path.segments.iter().map(item).collect(),
    }
}

/// The work that ends last on the path's device, of what begins in the window.
fn last_finisher(trace: &Trace, path: &Path) -> Option<LastFinisher> {
    let window = path.window;
    let mine = |event: &&DeviceEvent| {
        trace.stream(event.stream).device == path.device && window.contains(event.interval.start())
    };
    let last = trace.device_events.iter().filter(mine).max_by_key(|one| one.interval.end())?;
    let is_it = |one: &PathSegment| {
        (one.interval.start(), one.name) == (last.interval.start(), Some(last.name))
    };
    let at = path.segments.iter().rposition(is_it);
    // What lies between two pieces of work is no work that is waited for.
    let is_glue = |kind| matches!(kind, SegmentKind::Queue | SegmentKind::Dispatch);
    let before = at.and_then(|at| path.segments[..at].iter().rfind(|one| !is_glue(one.kind)));
    let text = |name: NameId| trace.name(name).to_owned();
    Some(LastFinisher {
        stream: format!("stream:{}", trace.stream(last.stream).raw_id),
        name: text(last.name),
        on_path: at.is_some(),
        waited_on: before.map(|one| (one.kind.name(), one.name.map(text))),
    })
}

fn device_name(trace: &Trace, device: DeviceId) -> String {
    format!("gpu:{}", trace.device(device).raw_id)
}

fn lane(draft: &Draft, grid: Grid, window: Interval, names: &mut Names<'_>) -> Lane {
    let bars = merge(&draft.items, grid);
    Lane {
        group: draft.group.clone(),
        name: draft.name.clone(),
        kind: draft.kind,
        records: draft.items.len() as u64,
        time_us: draft
            .items
            .iter()
            .map(|item| item.interval.duration())
            .sum::<Picoseconds>()
            .into(),
        bars: bars.iter().map(|bar| self::bar(bar, window, names)).collect(),
    }
}

fn bar(bar: &Merged, window: Interval, names: &mut Names<'_>) -> Bar {
    Bar {
        start_us: (bar.interval.start() - window.start()).into(),
        end_us: (bar.interval.end() - window.start()).into(),
        kind: bar.kind(),
        name: bar.name.map(|name| names.get(name)),
        several_names: bar.several_names,
        records: bar.records,
        time_us: bar.time.into(),
        kinds: bar.kinds.iter().map(|&(kind, _, n)| (kind, n)).collect(),
        on_path: bar.on_path,
    }
}

/// Names that many bars share.
struct Names<'t> {
    trace: &'t Trace,
    known: FxHashMap<NameId, Arc<str>>,
}

impl Names<'_> {
    fn get(&mut self, name: NameId) -> Arc<str> {
        let text = || self.trace.name(name).into();
        Arc::clone(self.known.entry(name).or_insert_with(text))
    }
}
