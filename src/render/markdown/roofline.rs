//! Operations under the roof of their device: which roof, how near, and what has no place under one.

use super::super::cells::{guarded, table, titled};
use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, DASH, FINE, count};
use super::{Room, more_in_tables};
use crate::report::{CaptureReport, Claim, KernelSum, RooflineDevice, RooflineReport, RooflineRow};
use std::fmt::Write as _;

/// Characters of a name or of shapes in a table.
const CHARS_MAX: usize = 60;

pub(super) fn title(capture: &CaptureReport) -> String {
    titled(capture, "Roofline", Claim::Roofline, "efficiencies are")
}

pub(super) fn roofline(capture: &CaptureReport, roofline: &RooflineReport, room: &Room) -> String {
    let mut text = String::new();
    for device in &roofline.devices {
        let _ = writeln!(text, "- {}", device_words(device));
    }
    let _ = writeln!(text, "- under a roof: {}", kernels(&roofline.covered));
    for refused in &roofline.refused {
        let reason = markdown(&refused.reason);
        let _ = writeln!(text, "- not, because {reason}: {}", kernels(&refused.kernels));
    }
    if roofline.rows.is_empty() {
        return text;
    }
    let head = [
        "operation",
        "operands",
        "bound",
        "notes",
        "times",
        "kernels",
        "recorded time",
        "of recorded kernel time",
        "attained",
        "operations a byte",
        "of the roof",
    ];
    let rows = roofline.rows.iter().take(room.rows).map(|row| cells(capture, row));
    let more = more_in_tables(roofline.rows.len(), room.rows);
    let _ = write!(text, "\n{}{more}{LEGEND}", table(&head, 4, rows));
    text
}

/// What the columns rest on.
const LEGEND: &str = "\nTime is measured, and is that of all kernels of an operation together. Peaks are *read*: the vendor's. Operations \
    and bytes are *inferred* from shapes: a multiplication and an addition are two, and every operand moves once. Where operations are not modelled, \
    the efficiency is that of the memory bandwidth alone.\n";

fn device_words(device: &RooflineDevice) -> String {
    let names = markdown(&device.devices.join(", "));
    let Some(model) = &device.model else {
        let reason = device.refused.as_deref().unwrap_or(DASH);
        return format!("{names}: no roof, because {}", markdown(reason));
    };
    let peaks: Vec<String> = device
        .peaks
        .iter()
        .map(|peak| format!("{} {}", markdown(&peak.name), number(peak.tflops)))
        .collect();
    let source = |provenance: &Option<String>, document: &Option<String>| {
        let part = |text: &Option<String>| markdown(text.as_deref().unwrap_or(DASH));
        format!("{}: {}", part(provenance), part(document))
    };
    let partition = device
        .partition_units
        .map_or_else(String::new, |units| format!(", a partition of {} units", count(units)));
    format!(
        "{names}: {}{partition}; TFLOP/s (*read*) {} ({}); memory {} GB/s (*read*; {})",
        markdown(model),
        peaks.join(", "),
        source(&device.peaks_provenance, &device.peaks_source),
        device.bandwidth_gb_s.map_or_else(|| DASH.to_owned(), range),
        source(&device.bandwidth_provenance, &device.bandwidth_source)
    )
}

fn kernels(sum: &KernelSum) -> String {
    let share = sum.share.map_or_else(|| DASH.to_owned(), format::share);
    let n = format::counted(sum.records, "kernel", "kernels");
    format!("{n}, {}, {share} of recorded kernel time", format::time(sum.time_us, FINE))
}

fn cells(capture: &CaptureReport, row: &RooflineRow) -> Vec<String> {
    let code = |text: &str| markdown_code(&format::name(text, CHARS_MAX));
    let name = match (&row.instruction, row.op.is_empty()) {
        (Some(instruction), true) => code(instruction),
        (Some(instruction), false) => format!("{} ({})", code(&row.op), code(instruction)),
        (None, _) => code(&row.op),
    };
    let state = |figure: Option<String>| guarded(capture, Claim::Roofline, figure, |text| text);
    let stated = |figure: Option<(f64, f64)>, unit: &str| match figure {
        Some(figure) => state(Some(format!("{}{unit}", range(figure)))),
        None => DASH.to_owned(),
    };
    vec![
        name,
        code(&row.shapes),
        state(Some(row.bound.clone())),
        notes(row),
        count(row.executions),
        count(row.records),
        format::time(row.time_us, FINE),
        row.share.map_or_else(|| DASH.to_owned(), format::share),
        stated(row.attained_tflops, " TFLOP/s"),
        row.intensity.map_or_else(|| DASH.to_owned(), range),
        stated(Some(row.efficiency_pct), " %"),
    ]
}

fn notes(row: &RooflineRow) -> String {
    let rates: Vec<&str> = row.peaks.iter().map(|peak| peak.name.as_str()).collect();
    let notes = [
        (!rates.is_empty()).then(|| rates.join(" or ")),
        row.cache_resident_possible.then(|| "may be cached".to_owned()),
        row.fewer_operations.then(|| "fewer operations than counted".to_owned()),
        row.above_roof.then(|| "above the roof".to_owned()),
        row.recalled.then(|| "peaks recalled, no document read".to_owned()),
        (row.class != "exact").then(|| format!("attribution {}", row.class)),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().map(|note| markdown(&note)).collect();
    notes.join("; ")
}

/// One figure where both ends print alike.
fn range((lo, hi): (f64, f64)) -> String {
    let (lo, hi) = (number(lo), number(hi));
    if lo == hi { lo } else { format!("{lo} to {hi}") }
}

/// A rate or a ratio: three significant digits at least.
fn number(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}
