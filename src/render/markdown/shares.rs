//! Who the kernel time belongs to: attribution, operators, source lines, hot kernels, and what to change.

use super::super::cells::{guarded, table};
use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, DASH, FINE, count, shortened};
use super::super::words;
use super::{ROWS_MAX, more_rows};
use crate::report::{Attribution, CaptureReport, Claim, Microseconds, Share};
use serde_json::Value;
use std::fmt::Write as _;

/// Characters of a name in a table: demangled kernel names run to thousands.
const NAME_CHARS_MAX: usize = 72;

fn time(us: Microseconds) -> String {
    format::time(us, FINE)
}

fn share(part: Option<Share>) -> String {
    part.map_or_else(|| DASH.to_owned(), format::share)
}

fn name(full: &str) -> String {
    markdown_code(&shortened(full, NAME_CHARS_MAX))
}

/// How much is attributed in which way: coverage, which is evidence.
pub(super) fn classes(attribution: &Attribution) -> String {
    let rows = attribution.classes.iter().map(|(class, held)| {
        vec![markdown(class), count(held.records), time(held.time_us), share(held.share)]
    });
    let head = ["class", "kernels", "recorded time", "of recorded kernel time"];
    let mut text = table(&head, 1, rows);
    let methods = &attribution.methods;
    let by_id = match &methods.by_id_refused {
        Some(reason) => format!("not used: {}", markdown(reason)),
        None => share(methods.by_id),
    };
    let _ = write!(
        text,
        "\n- by id: {by_id} of recorded kernel time\n- by nesting (*inferred*): {} of recorded kernel time\n- kernels \
         that both attribute: {}, to the same operator: {}\n",
        share(methods.by_nesting),
        count(methods.compared),
        count(methods.agreeing)
    );
    text
}

fn titled(capture: &CaptureReport, title: &str, claim: Claim, what: &str) -> String {
    match words::withheld_by(capture, claim) {
        Some(by) => format!("{title}: {what} withheld ({})", markdown(&by.join(", "))),
        None => title.to_owned(),
    }
}

pub(super) fn ops_title(capture: &CaptureReport) -> String {
    titled(capture, "Operators", Claim::OpAttribution, "their time is")
}

pub(super) fn ops(capture: &CaptureReport, attribution: &Attribution) -> String {
    if attribution.ops.is_empty() {
        return String::new();
    }
    let rows = attribution.ops.iter().take(ROWS_MAX).map(|op| {
        vec![
            name(&op.name),
            markdown(&op.class),
            count(op.records),
            guarded(capture, Claim::OpAttribution, Some(op.time_us), time),
            guarded(capture, Claim::OpAttribution, op.share, format::share),
        ]
    });
    let head = ["operator", "class", "kernels", "recorded time", "of recorded kernel time"];
    format!("{}{}", table(&head, 2, rows), more_rows(attribution.ops.len()))
}

pub(super) fn lines_title(capture: &CaptureReport) -> String {
    titled(capture, "Source lines", Claim::SourceLine, "their time is")
}

pub(super) fn lines(capture: &CaptureReport, attribution: &Attribution) -> String {
    if attribution.lines.is_empty() {
        return String::new();
    }
    let rows = attribution.lines.iter().take(ROWS_MAX).map(|line| {
        vec![
            name(&format!("{}:{}", line.file, line.line)),
            count(line.records),
            guarded(capture, Claim::SourceLine, Some(line.time_us), time),
            guarded(capture, Claim::SourceLine, line.share, format::share),
        ]
    });
    let head = ["line", "kernels", "recorded time", "of recorded kernel time"];
    format!("{}{}", table(&head, 1, rows), more_rows(attribution.lines.len()))
}

pub(super) fn kernels_title(capture: &CaptureReport) -> String {
    titled(capture, "Hot kernels by recorded time", Claim::Ranking, "as a ranking of the run it is")
}

/// Kept whatever is withheld: what was recorded is recorded.
pub(super) fn kernels(capture: &CaptureReport) -> String {
    if capture.hot_kernels.is_empty() {
        return String::new();
    }
    let rows = capture.hot_kernels.iter().take(ROWS_MAX).map(|kernel| {
        vec![
            name(&kernel.name),
            guarded(capture, Claim::OpAttribution, kernel.op.as_deref(), name),
            count(kernel.records),
            time(kernel.time_us),
            share(kernel.share),
        ]
    });
    let head = ["kernel", "operator", "records", "recorded time", "of recorded kernel time"];
    format!("{}{}", table(&head, 2, rows), more_rows(capture.hot_kernels.len()))
}

/// Conclusions under an assumption, behind the claim that they make.
pub(super) fn what_to_change(capture: &CaptureReport) -> String {
    let mut text = String::new();
    for cause in &capture.what_to_change {
        let held = |key: &str| cause.get(key).and_then(Value::as_str).unwrap_or(DASH);
        let step = |pointer: &str| {
            let figure = cause.pointer(pointer).and_then(Value::as_f64);
            guarded(capture, Claim::Estimate, figure, |us| format::time_of_float(us, FINE))
        };
        let _ = writeln!(
            text,
            "- {}: step now {}, without it {} to {}; assumes that {}; try {}",
            markdown(held("cause")),
            step("/step_us/now"),
            step("/step_us/if_gone/0"),
            step("/step_us/if_gone/1"),
            markdown(held("assumption")),
            markdown(held("knob"))
        );
    }
    text
}
