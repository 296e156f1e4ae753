//! Who the kernel time belongs to: attribution, operators, source lines, hot kernels.

use super::super::cells::{guarded, table, titled};
use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, DASH, FINE, count, counted};
use super::{Room, more_in_tables, more_rows};
use crate::report::{
    Attribution, AttributionClass, CaptureReport, Claim, HloRecords, HotKernel, Methods,
    Microseconds, Share,
};
use std::fmt::Write as _;

/// Programs that are shown.
const PROGRAMS_MAX: usize = 10;

fn time(us: Microseconds) -> String {
    format::time(us, FINE)
}

fn share(part: Option<Share>) -> String {
    part.map_or_else(|| DASH.to_owned(), format::share)
}

fn name(full: &str, room: &Room) -> String {
    markdown_code(&format::name(full, room.name_chars))
}

/// How much is attributed in which way: coverage, which is evidence.
pub(super) fn classes(attribution: &Attribution, room: &Room) -> String {
    let rows = attribution.ordered_classes().into_iter().map(|(class, held)| {
        vec![class_name(class), count(held.records), time(held.time_us), share(held.share)]
    });
    let head = ["class", "kernels", "recorded time", "of recorded kernel time"];
    let rest = match &attribution.hlo {
        Some(hlo) => programs(hlo, room),
        None => methods(&attribution.methods),
    };
    format!("{}{rest}", table(&head, 1, rows))
}

/// A class, marked where it is a conclusion rather than what the profiler wrote.
fn class_name(class: &str) -> String {
    match class {
        "nesting" | "name" | "order" => format!("{class} (*inferred*)"),
        other => markdown(other),
    }
}

/// The two ways from a kernel to an operator of PyTorch, against each other.
fn methods(methods: &Methods) -> String {
    let by_id = match &methods.by_id_refused {
        Some(reason) => format!("not used: {}", markdown(reason)),
        None => format!("{} of recorded kernel time", share(methods.by_id)),
    };
    format!(
        "\n- by id: {by_id}\n- by nesting (*inferred*): {} of recorded kernel time\n- kernels \
         that both attribute: {}, to the same operator: {}\n",
        share(methods.by_nesting),
        count(methods.compared),
        count(methods.agreeing)
    )
}

/// What is left open of JAX's compiled programs, and the programs themselves.
fn programs(hlo: &HloRecords, room: &Room) -> String {
    let held = |kernels: &AttributionClass| {
        let n = counted(kernels.records, "kernel", "kernels");
        format!("{n}, {}, {}", time(kernels.time_us), share(kernels.share))
    };
    let mut text = format!(
        "\n- left out by XProf's views of operations, which count it as idle: {}\n- of an instruction that names no \
         operation: {}\n",
        held(&hlo.left_out_by_op_views),
        held(&hlo.without_op)
    );
    if let Some(id) = hlo.program {
        let _ =
            writeln!(text, "- operators and source lines are listed for the program {id} alone");
    }
    let head =
        ["without an instruction, because", "kernels", "recorded time", "of recorded kernel time"];
    let reasons = hlo.unattributed.iter().map(|row| {
        vec![markdown(&row.reason), count(row.records), time(row.time_us), share(row.share)]
    });
    if !hlo.unattributed.is_empty() {
        let _ = write!(text, "\n{}", table(&head, 1, reasons));
    }
    let head = ["program", "id", "kernels", "recorded time", "of recorded kernel time"];
    let rows = hlo.programs.iter().take(PROGRAMS_MAX).map(|program| {
        let (records, time) = (count(program.records), time(program.time_us));
        vec![name(&program.name, room), program.id.to_string(), records, time, share(program.share)]
    });
    let more = more_rows(hlo.programs.len(), PROGRAMS_MAX);
    let _ = write!(text, "\n{}{more}", table(&head, 1, rows));
    text
}

pub(super) fn steps_title(capture: &CaptureReport) -> String {
    titled(capture, "Steps", Claim::StepTime, "their time is")
}

pub(super) fn ops_title(capture: &CaptureReport) -> String {
    titled(capture, "Operators", Claim::OpAttribution, "their time is")
}

/// The part of kernel time that can have no operator, since its launch is older than the recording.
fn before_window(attribution: &Attribution) -> String {
    let class =
        attribution.ordered_classes().into_iter().find(|(class, _)| *class == "before-window");
    let part = class.filter(|(_, held)| held.records > 0).map(|(_, held)| {
        format!("\n{} of recorded kernel time was launched before recording began, and has no operator.\n", share(held.share))
    });
    part.unwrap_or_default()
}

pub(super) fn ops(capture: &CaptureReport, attribution: &Attribution, room: &Room) -> String {
    if attribution.ops.is_empty() {
        return String::new();
    }
    let rows = attribution.ops.iter().take(room.rows).map(|op| {
        let argument = if op.is_argument { " (an argument)" } else { "" };
        vec![
            format!("{}{argument}", name(&op.name, room)),
            how(Some(&op.class), op.level.as_deref()),
            count(op.records),
            guarded(capture, Claim::OpAttribution, Some(op.time_us), time),
            guarded(capture, Claim::OpAttribution, op.share, format::share),
        ]
    });
    let head = ["operator", "class", "kernels", "recorded time", "of recorded kernel time"];
    let more = more_in_tables(attribution.ops.len(), room.rows);
    let levels = if attribution.hlo.is_some() { LEVELS } else { "" };
    format!("{}{more}{}{levels}", table(&head, 2, rows), before_window(attribution))
}

/// The class, and of JAX the level: `exact, own`.
fn how(class: Option<&str>, level: Option<&str>) -> String {
    let known: Vec<String> = [class, level].into_iter().flatten().map(markdown).collect();
    if known.is_empty() { DASH.to_owned() } else { known.join(", ") }
}

/// What the levels mean, below a table of a JAX capture.
const LEVELS: &str = "\n`own`: the instruction itself says it; `inner`: all that was fused into it agree; `several`: they differ.\n";

pub(super) fn lines_title(capture: &CaptureReport) -> String {
    titled(capture, "Source lines", Claim::SourceLine, "their time is")
}

pub(super) fn lines(capture: &CaptureReport, attribution: &Attribution, room: &Room) -> String {
    if attribution.lines.is_empty() {
        return String::new();
    }
    let rows = attribution.lines.iter().take(room.rows).map(|line| {
        vec![
            name(&format!("{}:{}", line.file, line.line), room),
            line.function.as_deref().map_or_else(|| DASH.to_owned(), |of| name(of, room)),
            how(line.class.as_deref(), line.level.as_deref()),
            count(line.records),
            guarded(capture, Claim::SourceLine, Some(line.time_us), time),
            guarded(capture, Claim::SourceLine, line.share, format::share),
        ]
    });
    let head = ["line", "function", "class", "kernels", "recorded time", "of recorded kernel time"];
    let more = more_in_tables(attribution.lines.len(), room.rows);
    format!("{}{more}{LEVELS}", table(&head, 3, rows))
}

pub(super) fn kernels_title(capture: &CaptureReport) -> String {
    titled(capture, "Hot kernels by recorded time", Claim::Ranking, "as a ranking of the run it is")
}

/// Kept whatever is withheld: what was recorded is recorded.
pub(super) fn kernels(capture: &CaptureReport, room: &Room) -> String {
    if capture.hot_kernels.is_empty() {
        return String::new();
    }
    let rows = capture.hot_kernels.iter().take(room.kernels).map(|kernel| {
        vec![
            name(&kernel.name, room),
            op_of(capture, kernel, room),
            count(kernel.records),
            time(kernel.time_us),
            share(kernel.share),
        ]
    });
    let head = ["kernel", "operator", "records", "recorded time", "of recorded kernel time"];
    format!("{}{}", table(&head, 2, rows), more_in_tables(capture.hot_kernels.len(), room.kernels))
}

/// The operator that launched a kernel; where there is not one, why.
fn op_of(capture: &CaptureReport, kernel: &HotKernel, room: &Room) -> String {
    let why_none = if kernel.several_ops { "several" } else { "none" };
    let op = kernel.op.as_deref().map_or_else(|| why_none.to_owned(), |op| name(op, room));
    guarded(capture, Claim::OpAttribution, Some(op), |op| op)
}
