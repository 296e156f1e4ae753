//! One capture's drawing. Time is the x axis of a plot of its own, so that a page can zoom in it; labels stand beside the plot.

use super::super::cells::guarded;
use super::super::escape::html;
use super::super::format::{COARSE, FINE, count, counted, shortened, time};
use super::axis;
use super::looks::{self, LANE, Look, NOTHING_RECORDED};
use super::notes;
use crate::report::{
    Bar, CaptureReport, Cell, Claim, ClaimState, Lane, LaneKind, Microseconds, Swimlanes,
};
use std::fmt::Write as _;

/// Width of a drawing.
pub(in crate::render) const WIDTH: i64 = 1_210;
/// Where the plot begins, and how wide it is.
const LABELS: i64 = 200;
const PLOT: i64 = 1_000;
/// The plot's own units of time.
const UNITS: i128 = 100_000;
/// Height of the axis and of a group's name.
const AXIS: i64 = 22;
const GROUP: i64 = 18;
/// A legend's entries in a row, and their width.
const LEGEND_ROW: usize = 3;
const LEGEND_WIDTH: i64 = 400;
/// Characters of a label and of a name.
const LABEL_CHARS_MAX: usize = 24;
const NAME_CHARS_MAX: usize = 80;

/// A drawing, and how high it is.
pub(in crate::render) struct Figure {
    pub(in crate::render) svg: String,
    pub(in crate::render) height: i64,
}

/// Draws the lanes of a capture. The number tells it from others of one document.
pub(in crate::render) fn figure(
    capture: &CaptureReport,
    lanes: &Swimlanes,
    number: usize,
) -> Figure {
    let mut drawing = Drawing {
        capture,
        lanes,
        labels: String::new(),
        plot: String::new(),
        y: 0,
        met: Vec::new(),
    };
    if capture.claims.get(Claim::CriticalPath).0 == ClaimState::Supported {
        drawing.group("critical path");
        drawing.lane(&lanes.path);
    }
    let mut group = "";
    for lane in &lanes.lanes {
        if lane.group != group {
            group = &lane.group;
            drawing.group(group);
        }
        drawing.lane(lane);
    }
    let height = drawing.y;
    let (grid, ticks) = axis_of(lanes.total_us, height);
    let (legend, legend_height) = drawing.legend(AXIS + height + LANE);
    let svg = format!(
        "<g class=\"sl-axis\">{ticks}</g>\n<text class=\"sl-count\" x=\"{}\" y=\"14\">records</text>\n{}<svg class=\"sl-plot\" id=\"sl-plot-{number}\" x=\"{LABELS}\" y=\"{AXIS}\" \
         width=\"{PLOT}\" height=\"{height}\" viewBox=\"0 0 {UNITS} {height}\" preserveAspectRatio=\"none\">\n{}{grid}</svg>\
         \n{legend}",
        LABELS - 8,
        drawing.labels,
        drawing.plot
    );
    Figure { svg, height: AXIS + height + LANE + legend_height }
}

/// A point of time in the plot's units.
fn units(at: Microseconds, total: Microseconds) -> i128 {
    at.ps().saturating_mul(UNITS) / total.ps().max(1)
}

/// A merged bar whose records fill a part of its extent is as pale, so that a lane has no more ink than its records have time.
fn paleness(bar: &Bar) -> String {
    let extent = (bar.end_us.ps() - bar.start_us.ps()).max(1);
    let tenths = (bar.time_us.ps().saturating_mul(10) + extent / 2) / extent;
    if bar.records == 1 || tenths >= 10 {
        return String::new();
    }
    format!(" opacity=\"0.{}\"", tenths.max(2))
}

fn axis_of(total: Microseconds, height: i64) -> (String, String) {
    let (mut grid, mut labels) = (String::new(), String::new());
    for (at, label) in axis::ticks(total) {
        let x = units(at, total);
        let _ = write!(grid, "M{x} 0v{height}");
        let shown = i128::from(LABELS) + x * i128::from(PLOT) / UNITS;
        let _ = write!(labels, "<text x=\"{shown}\" y=\"14\">{}</text>", html(&label));
    }
    (format!("<path class=\"sl-grid\" d=\"{grid}\"/>"), labels)
}

struct Drawing<'r> {
    capture: &'r CaptureReport,
    lanes: &'r Swimlanes,
    labels: String,
    plot: String,
    /// Where the next lane begins in the plot.
    y: i64,
    /// Looks that occur, for the legend.
    met: Vec<Look>,
}

impl Drawing<'_> {
    fn group(&mut self, name: &str) {
        let y = AXIS + self.y + 13;
        let name = html(&shortened(name, 2 * LABEL_CHARS_MAX));
        let _ = writeln!(self.labels, "<text class=\"sl-group\" x=\"10\" y=\"{y}\">{name}</text>");
        self.y += GROUP;
    }

    fn lane(&mut self, lane: &Lane) {
        let (y, top) = (self.y, AXIS + self.y + 11);
        let is_idle = self.look(lane.kind, "") != NOTHING_RECORDED;
        let name = if is_idle { lane.name.as_str() } else { "nothing recorded" };
        let name = html(&shortened(name, LABEL_CHARS_MAX));
        let _ = writeln!(
            self.labels,
            "<text class=\"sl-lane\" x=\"18\" y=\"{top}\">{name}<title>{}</title></text><text class=\"sl-count\" x=\"{}\" y=\"{top}\">{}</text>",
            html(&self.lane_title(lane)),
            LABELS - 8,
            notes::records(lane.records)
        );
        let _ = write!(
            self.plot,
            "<g transform=\"translate(0 {y})\"><rect class=\"sl-bg\" width=\"{UNITS}\" height=\"14\"/>"
        );
        let mut edges = String::new();
        for bar in &lane.bars {
            self.bar(lane, bar, &mut edges);
        }
        if !edges.is_empty() {
            let _ = write!(self.plot, "<path class=\"sl-on\" d=\"{edges}\"/>");
        }
        self.plot.push_str("</g>\n");
        self.y += LANE;
    }

    fn bar(&mut self, lane: &Lane, bar: &Bar, edges: &mut String) {
        let look = self.look(lane.kind, bar.kind);
        if !self.met.contains(&look) {
            self.met.push(look);
        }
        let x = units(bar.start_us, self.lanes.total_us);
        let width = (units(bar.end_us, self.lanes.total_us) - x).max(1);
        let Look { class, y, height, .. } = look;
        // Line breaks of names are spelled out; only those between the lines remain.
        let title: Vec<String> =
            self.title(lane, bar, look).iter().map(|line| html(line)).collect();
        let title = title.join("\n");
        let _ = write!(
            self.plot,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{}><title>{title}</title></rect>",
            paleness(bar)
        );
        let is_stated = self.capture.claims.get(Claim::CriticalPath).0 == ClaimState::Supported;
        if bar.on_path && is_stated && lane.kind != LaneKind::Path {
            let _ = write!(edges, "M{x} -1h{width}v2h-{width}z");
        }
    }

    fn look(&self, lane: LaneKind, kind: &str) -> Look {
        match (lane, self.capture.cell(Claim::Idle, Some(()))) {
            (LaneKind::Idle, Cell::Withheld(_) | Cell::Undefined) => NOTHING_RECORDED,
            _ => looks::of(lane, kind),
        }
    }

    /// A time behind the claim that it would make. What the host's records say is no claim.
    fn time(&self, lane: LaneKind, us: Microseconds, digits: u32) -> String {
        let claim = match lane {
            LaneKind::Work => Claim::KernelTime,
            LaneKind::Idle => Claim::Idle,
            LaneKind::Path => Claim::CriticalPath,
            LaneKind::Outermost | LaneKind::Innermost | LaneKind::Calls => return time(us, digits),
        };
        guarded(self.capture, claim, Some(us), |us| time(us, digits))
    }

    fn lane_title(&self, lane: &Lane) -> String {
        let sum = self.time(lane.kind, lane.time_us, FINE);
        let records = counted(lane.records, "record", "records");
        let group = shortened(&lane.group, NAME_CHARS_MAX);
        format!("{group}: {records} in this window, {sum} in all")
    }

    /// What a bar stands for: name, kind, number and time.
    fn title(&self, lane: &Lane, bar: &Bar, look: Look) -> Vec<String> {
        let sum = self.time(lane.kind, bar.time_us, FINE);
        let at = self.time(lane.kind, bar.start_us, FINE);
        let name = bar.name.as_deref().map(|name| shortened(name, NAME_CHARS_MAX));
        let is_hidden = look == NOTHING_RECORDED;
        // Classes of idle have no name outside this program.
        let in_words = is_hidden || lane.kind == LaneKind::Idle;
        if bar.records == 1 {
            let kind = if in_words { look.words } else { bar.kind };
            return name.into_iter().chain([format!("{kind}: {sum}, from {at}")]).collect();
        }
        let words = |kind| match lane.kind {
            LaneKind::Idle => self.look(lane.kind, kind).words,
            _ => kind,
        };
        let of_kinds: Vec<String> =
            bar.kinds.iter().map(|(kind, n)| format!("{} {}", count(*n), words(kind))).collect();
        let kinds = if is_hidden { look.words.to_owned() } else { of_kinds.join(", ") };
        let name = match (name, bar.several_names) {
            (Some(name), true) => Some(format!("longest: {name}")),
            (Some(name), false) => Some(format!("all: {name}")),
            (None, _) => None,
        };
        let extent = Microseconds::from_ps(bar.end_us.ps() - bar.start_us.ps());
        let within = self.time(lane.kind, extent, COARSE);
        let first = format!("{} merged: {kinds}", count(bar.records));
        let last = format!("{sum} in all, within {within} from {at}");
        [Some(first), name, Some(last)].into_iter().flatten().collect()
    }

    /// The kinds that occur, each as it looks and in words.
    fn legend(&self, top: i64) -> (String, i64) {
        let mut text = String::from("<g class=\"sl-legend\">");
        for (place, look) in self.met.iter().enumerate() {
            let (column, row) = (place % LEGEND_ROW, place / LEGEND_ROW);
            let (Ok(column), Ok(row)) = (i64::try_from(column), i64::try_from(row)) else {
                continue;
            };
            let (x, y) = (10 + column * LEGEND_WIDTH, top + row * LANE);
            let _ = write!(
                text,
                "<rect class=\"sl-bg\" x=\"{x}\" y=\"{y}\" width=\"22\" height=\"14\"/><rect class=\"{}\" x=\"{x}\" y=\"{}\" \
                 width=\"22\" height=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text>",
                look.class,
                y + look.y,
                look.height,
                x + 28,
                y + 11,
                html(look.words)
            );
        }
        text.push_str("</g>\n");
        let rows = i64::try_from(self.met.len().div_ceil(LEGEND_ROW)).unwrap_or(0);
        (text, rows * LANE)
    }
}
