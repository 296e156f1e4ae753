//! Operations under the roof of their device: which roof, how near, and what has no place under one.

use super::super::cells::{guarded, table, titled};
use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, DASH, FINE, count, counted};
use super::{Room, details, more_in_tables};
use crate::report::{
    CaptureReport, CheckReport, Claim, KernelSum, RooflineDevice, RooflineReport, RooflineRow,
    State,
};
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
    text.push_str(&use_these_peaks(capture));
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
    // What every row would repeat stands below the table.
    let all_cached = roofline.rows.iter().all(|row| row.cache_resident_possible);
    let notes = if all_cached { CACHED } else { "" };
    let shown: Vec<&RooflineRow> = roofline.rows.iter().take(room.rows).collect();
    let is_small = |row: &&&RooflineRow| row.share.is_some_and(|part| part.get() < SMALL);
    // The rows are in order of their time.
    let n_small = shown.iter().rev().take_while(|row| is_small(row)).count();
    let (large, small) =
        shown.split_at(if n_small < SMALL_MIN { shown.len() } else { shown.len() - n_small });
    let of = |rows: &[&RooflineRow]| {
        let rows = rows.iter().map(|row| cells(capture, row, all_cached));
        table(&head, 4, rows)
    };
    if !large.is_empty() {
        let _ = write!(text, "\n{}", of(large));
    }
    if !small.is_empty() {
        let title = format!(
            "{} below 1 % of recorded kernel time",
            counted(small.len() as u64, "operation", "operations")
        );
        text.push_str(&details(&title, &of(small)));
    }
    let more = more_in_tables(roofline.rows.len(), room.rows);
    let _ = write!(text, "{more}{notes}{LEGEND}");
    text
}

/// What to do where the profiler states other figures: a tool that takes those divides by them.
fn use_these_peaks(capture: &CaptureReport) -> String {
    let is_wrong = |check: &&CheckReport| {
        check.id == WRONG_STATS && matches!(check.state, State::Violated | State::Excepted)
    };
    let wrong = capture.checks.iter().find(is_wrong);
    let text = |check: &CheckReport| {
        format!(
            "- **what to do**: take these peaks for every efficiency, and none that rests on what the profiler states; {} ({})\n",
            markdown(&check.message),
            markdown_code(WRONG_STATS)
        )
    };
    wrong.map(text).unwrap_or_default()
}

/// The check of figures that the profiler states of a device.
const WRONG_STATS: &str = "wrong-device-stats";

/// Part of recorded kernel time below which a row is folded, and how many such rows are worth a fold.
const SMALL: f64 = 0.01;
const SMALL_MIN: usize = 3;

/// A note of all rows.
const CACHED: &str = "\nThe data of each operation may have been in the device's largest cache, so that memory need not limit it.\n";

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

fn cells(capture: &CaptureReport, row: &RooflineRow, all_cached: bool) -> Vec<String> {
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
        notes(row, all_cached),
        count(row.executions),
        count(row.records),
        format::time(row.time_us, FINE),
        row.share.map_or_else(|| DASH.to_owned(), format::share),
        stated(row.attained_tflops, " TFLOP/s"),
        row.intensity.map_or_else(|| DASH.to_owned(), range),
        stated(Some(row.efficiency_pct), " %"),
    ]
}

/// What is to be known of a row, but for what holds for all of them.
fn notes(row: &RooflineRow, all_cached: bool) -> String {
    let rates: Vec<&str> = row.peaks.iter().map(|peak| peak.name.as_str()).collect();
    let notes = [
        (!rates.is_empty()).then(|| rates.join(" or ")),
        (row.cache_resident_possible && !all_cached).then(|| "may be cached".to_owned()),
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
