//! Idle as bounds on a scale from 0 to 100 % of the window, and the recorded idle by what explains it.

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

/// The bounds of the capture and of each device, and the classes of gaps.
pub(super) fn bounds(capture: &CaptureReport) -> String {
    let claim = &capture.claims.idle;
    let mut rows = String::new();
    let all = "all devices";
    row(
        &mut rows,
        all,
        "device inactive",
        &cells::idle(capture),
        &percent_bar(capture, Claim::Idle, claim.device_inactive_pct),
    );
    row(
        &mut rows,
        all,
        "waiting for the host (<em>inferred</em>)",
        &cells::host_starved(capture),
        &percent_bar(capture, Claim::HostStarved, claim.host_starved_pct),
    );
    let devices = capture.records.as_ref().map_or(&[][..], |records| &records.devices);
    for device in devices.iter().take(DEVICES_MAX) {
        let name = html(&device.name);
        if devices.len() > 1 {
            let (text, bar) = of_device(capture, Claim::Idle, device, device.idle.inactive_us);
            row(&mut rows, &name, "device inactive", &text, &bar);
        }
        if let Cell::Stated(()) = capture.cell(Claim::Idle, Some(())) {
            row(&mut rows, &name, "recorded idle by class", "", &stacked(device));
        }
    }
    let mut text = format!(
        "<div class=\"scroll\"><table class=\"ranges\">\n<thead><tr><th scope=\"col\">device</th><th scope=\"col\">part of its window</th>\
         <th scope=\"col\">at least to at most</th><th scope=\"col\">on a scale from 0 to 100 %</th></tr></thead>\n<tbody>\n{rows}</tbody>\
         \n</table></div>\n<p>Lines on the scale at 25, 50 and 75 %. A filled band: from at least to at most; a dashed one: the figure is withheld, and lies in \
         it. Waiting for the host includes the latency of launches into an empty queue.</p>\n"
    );
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

fn row(rows: &mut String, device: &str, what: &str, figure: &str, bar: &str) {
    let _ = writeln!(
        rows,
        "<tr><th scope=\"row\">{device}</th><td>{what}</td><td>{}</td><td class=\"scale\">{bar}</td></tr>",
        markup::inline(figure)
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

fn of_device(
    capture: &CaptureReport,
    claim: Claim,
    device: &DeviceRecords,
    bounds: Option<(Microseconds, Microseconds)>,
) -> (String, String) {
    let part = |us: Microseconds| ratio(us, device.total_us).map(Percent::of);
    let parts = bounds.and_then(|(lo, hi)| Some((part(lo)?, part(hi)?)));
    let text = guarded(capture, claim, parts, format::percent_range);
    (text, percent_bar(capture, claim, parts))
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
    format!(
        "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">device</th><th scope=\"col\">class of its recorded idle</th>\
         <th scope=\"col\" class=\"n\">time</th><th scope=\"col\" class=\"n\">of its window</th></tr></thead>\n<tbody>\n{rows}</tbody>\n\
         </table></div>\n<p>Each part of a gap is in the first class that it fits; the classes add up to the recorded idle.</p>\n"
    )
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
