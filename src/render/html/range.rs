//! Idle as bounds on a scale from 0 to 100 % of the window where they are a range, and the recorded idle by what explains it.

use super::super::cells::{self, guarded};
use super::super::escape::html;
use super::super::format::{self, FINE};
use super::super::swimlanes::idle_look;
use super::markup;
use crate::report::{CaptureReport, Cell, Claim, DeviceRecords, Microseconds, Percent, Share};
use crate::units::Ratio;
use std::fmt::Write as _;

/// Devices whose bounds are drawn; the JSON report has them all.
const DEVICES_MAX: usize = 16;

/// Units of the scale.
const SCALE: i128 = 1_000;

/// The bounds where they are a range, the recorded idle by class, and what adds up to what.
pub(super) fn bounds(capture: &CaptureReport) -> String {
    let claim = &capture.claims.idle;
    let devices = capture.records.as_ref().map_or(&[][..], |records| &records.devices);
    let all = match devices {
        [one] => html(&one.name),
        _ => "all devices".to_owned(),
    };
    let mut rows = String::new();
    let parts = [
        (Claim::Idle, "device inactive", claim.device_inactive_pct),
        (Claim::HostStarved, "waiting for the host (<em>inferred</em>)", claim.host_starved_pct),
    ];
    // A single figure needs no scale: it stands among the claims, and below.
    for (claim, what, bounds) in parts {
        let bar = match bounds {
            Some((lo, hi)) if format::percent(lo) != format::percent(hi) => {
                percent_bar(capture, claim, bounds)
            }
            _ => String::new(),
        };
        if !bar.is_empty() {
            row(&mut rows, &all, what, Some(&figure(capture, claim, bounds)), &bar);
        }
    }
    let has_bounds = !rows.is_empty();
    for device in devices.iter().take(DEVICES_MAX) {
        if let Cell::Stated(()) = capture.cell(Claim::Idle, Some(())) {
            let figure = has_bounds.then_some("");
            let (name, bar) = (html(&device.name), stacked(device));
            row(&mut rows, &name, "recorded idle by class", figure, &bar);
        }
    }
    let mut text = String::new();
    if !rows.is_empty() {
        let (head, bounds) = match has_bounds {
            true => ("<th scope=\"col\">at least to at most</th>", BANDS),
            false => ("", ""),
        };
        let _ = writeln!(
            text,
            "<div class=\"scroll\"><table class=\"ranges\">\n<thead><tr><th scope=\"col\">device</th><th scope=\"col\">part of its window</th>\
             {head}<th scope=\"col\">on a scale from 0 to 100 %</th></tr></thead>\n<tbody>\n{rows}</tbody>\
             \n</table></div>\n<p>Lines on the scale at 25, 50 and 75 %.{bounds}</p>"
        );
    }
    if devices.len() > DEVICES_MAX {
        let _ = writeln!(
            text,
            "<p>{} more devices in the JSON report.</p>",
            devices.len() - DEVICES_MAX
        );
    }
    text.push_str(&classes(capture, devices));
    text.push_str(&doubts(devices));
    text
}

/// What the bands of bounds are.
const BANDS: &str = " A filled band: from at least to at most; a dashed one: the figure is withheld, and lies in it.";

/// The figure beside a band. Of a withheld one the range is no secret.
fn figure(capture: &CaptureReport, claim: Claim, bounds: Option<(Percent, Percent)>) -> String {
    match (capture.cell(claim, bounds), bounds) {
        (Cell::Withheld(_), Some(bounds)) => {
            format!("withheld; within {}", format::percent_range(bounds))
        }
        _ if claim == Claim::Idle => cells::idle(capture),
        _ => cells::host_starved(capture),
    }
}

/// A row; a table without a range has no column for it.
fn row(rows: &mut String, device: &str, what: &str, figure: Option<&str>, bar: &str) {
    let figure = figure.map(|figure| format!("<td>{}</td>", markup::inline(figure)));
    let _ = writeln!(
        rows,
        "<tr><th scope=\"row\">{device}</th><td>{what}</td>{}<td class=\"scale\">{bar}</td></tr>",
        figure.unwrap_or_default()
    );
}

/// A scale with a band from the lowest to the highest value. What is withheld is one number: that it lies between is known all the same.
fn percent_bar(
    capture: &CaptureReport,
    claim: Claim,
    bounds: Option<(Percent, Percent)>,
) -> String {
    let Some((lo, hi)) = bounds else { return String::new() };
    // Rounded to the scale for drawing alone.
    let at = |part: Percent| format!("{:.0}", part.get() * 10.0).parse::<i128>().unwrap_or(0);
    match capture.cell(claim, Some(())) {
        Cell::Stated(()) => band("band", at(lo), at(hi)),
        Cell::Withheld(_) if lo < hi => band("band withheld", at(lo), at(hi)),
        Cell::Withheld(_) | Cell::Undefined => String::new(),
    }
}

fn ratio(part: Microseconds, whole: Microseconds) -> Option<Ratio> {
    Ratio::new(u64::try_from(part.ps()).ok()?, u64::try_from(whole.ps()).ok()?)
}

fn band(class: &str, from: i128, to: i128) -> String {
    let width = (to - from).max(4);
    format!(
        "<svg class=\"range\" viewBox=\"0 0 {SCALE} 14\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"sl-bg\" \
         width=\"{SCALE}\" height=\"14\"/><rect class=\"{class}\" x=\"{}\" y=\"1\" width=\"{width}\" height=\"12\"/>\
         <path class=\"sl-grid\" d=\"M250 0v14M500 0v14M750 0v14\"/></svg>",
        from.min(SCALE - 4)
    )
}

/// The classes of a device's recorded idle, one behind the other.
fn stacked(device: &DeviceRecords) -> String {
    let total = device.total_us.ps().max(1);
    let (mut from, mut parts) = (0_i128, String::new());
    for class in &device.idle.classes {
        let look = idle_look(&class.name);
        let (x, to) = (from * SCALE / total, (from + class.time_us.ps()) * SCALE / total);
        if to > x {
            let _ = write!(
                parts,
                "<rect class=\"{}\" x=\"{x}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                look.class,
                look.y,
                to - x,
                look.height
            );
        }
        from += class.time_us.ps();
    }
    format!(
        "<svg class=\"range\" viewBox=\"0 0 {SCALE} 14\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"sl-bg\" \
         width=\"{SCALE}\" height=\"14\"/>{parts}<path class=\"sl-grid\" d=\"M250 0v14M500 0v14M750 0v14\"/></svg>"
    )
}

/// The classes as a table, behind the idle claim.
fn classes(capture: &CaptureReport, devices: &[DeviceRecords]) -> String {
    let mut rows = String::new();
    for device in devices.iter().take(DEVICES_MAX) {
        for class in device.idle.classes.iter().filter(|class| class.time_us.ps() > 0) {
            let look = idle_look(&class.name);
            let share = ratio(class.time_us, device.total_us).map(Share::of);
            let _ = writeln!(
                rows,
                "<tr><td>{}</td><td><svg class=\"swatch\" viewBox=\"0 0 22 14\" aria-hidden=\"true\"><rect class=\"{}\" y=\"{}\" width=\"22\" \
                 height=\"{}\"/></svg> {}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
                html(&device.name),
                look.class,
                look.y,
                look.height,
                html(look.words),
                markup::inline(&guarded(capture, Claim::Idle, Some(class.time_us), |us| {
                    format::time(us, FINE)
                })),
                markup::inline(&guarded(capture, Claim::Idle, share, format::share))
            );
        }
    }
    // Without its figures the list of classes would still tell what is withheld.
    if rows.is_empty() || !matches!(capture.cell(Claim::Idle, Some(())), Cell::Stated(())) {
        return String::new();
    }
    let sums: String =
        devices.iter().take(DEVICES_MAX).map(|device| sums(capture, device)).collect();
    format!(
        "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">device</th><th scope=\"col\">class of its recorded idle</th>\
         <th scope=\"col\" class=\"n\">time</th><th scope=\"col\" class=\"n\">of its window</th></tr></thead>\n<tbody>\n{rows}</tbody>\n\
         <tfoot>\n{sums}</tfoot>\n</table></div>\n<p>Each part of a gap is in the first class that it fits; the classes add up to the recorded idle.</p>\n"
    )
}

/// What the classes of a device add up to: its recorded idle, and those that are waiting for the host.
fn sums(capture: &CaptureReport, device: &DeviceRecords) -> String {
    let name = html(&device.name);
    let line = |what: &str, claim, time: Microseconds| {
        let share = ratio(time, device.total_us).map(Share::of);
        format!(
            "<tr><td>{name}</td><td>{what}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            markup::inline(&guarded(capture, claim, Some(time), |us| format::time(us, FINE))),
            markup::inline(&guarded(capture, claim, share, format::share))
        )
    };
    let mut text = line("<strong>recorded idle</strong>, all classes", Claim::Idle, device.idle_us);
    let of = |wanted: &str| {
        let classes = device.idle.classes.iter().filter(|class| class.name == wanted);
        classes.map(|class| class.time_us.ps()).sum::<i128>()
    };
    let recorded = Microseconds::from_ps(of("host-starved") + of("dispatch"));
    // Where the bounds leave something open the sum is no figure of its own: the range stands above.
    if device.idle.host_starved_us == Some((recorded, recorded)) {
        let what = "<strong>waiting for the host</strong> (<em>inferred</em>) = nothing launched + launch latency";
        text.push_str(&line(what, Claim::HostStarved, recorded));
    }
    text
}

/// Why the bounds are not one number.
fn doubts(devices: &[DeviceRecords]) -> String {
    let mut rows = String::new();
    for device in devices.iter().take(DEVICES_MAX) {
        for doubt in &device.idle.doubts {
            let _ = write!(rows, "<li>{}: {}</li>", html(&device.name), html(doubt));
        }
    }
    if rows.is_empty() {
        rows
    } else {
        format!("<p>What widens the bounds:</p>\n<ul>{rows}</ul>\n")
    }
}
