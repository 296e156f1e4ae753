//! Who the kernel time belongs to: attribution, operators, source lines, hot kernels.

use super::super::cells::{guarded, table, titled};
use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, DASH, FINE, count, counted};
use super::super::words;
use super::{Room, more_in_tables, more_rows};
use crate::report::{
    Attribution, AttributionClass, CaptureReport, Claim, HloRecords, HotKernel, Methods,
    Microseconds, Share,
};
use crate::units::Ratio;
use std::cmp::Reverse;
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
    let legend = if attribution.hlo.is_some() { OF_JAX } else { OF_PYTORCH };
    format!("{}{legend}{rest}", table(&head, 1, rows))
}

/// What the classes of a capture of PyTorch are.
const OF_PYTORCH: &str = "\n`correlation`: an id leads from the kernel to the operator; `nesting`: its launch call lies inside the operator's span; `graph`: it ran in a \
    graph replay, which has no operator for each kernel; `before-window`: it was launched before recording began; `none`: nothing leads to an operator.\n";

/// What those of a capture of JAX are.
const OF_JAX: &str = "\n`exact`: the tracer's label names the instruction; `exact-label`: so it does, and the stored program lacks it; `name`: the only instruction of the kernel's name; \
    `order`: the only one that the program's schedule leaves; `none`: nothing leads to an instruction.\n";

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
    let head =
        ["program name", "program id", "kernels", "recorded time", "of recorded kernel time"];
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
    if words::withheld_by(capture, Claim::OpAttribution).is_some() {
        return counts(attribution.ops.iter().map(|op| (op.name.clone(), op.records)), room);
    }
    let rest = attribution.ops.iter().map(|op| (op.records, op.time_us));
    let rest = Rest::of(attribution, rest, room.rows);
    let rest = rest.into_iter().map(|(what, rest)| {
        let time = guarded(capture, Claim::OpAttribution, Some(rest.time_us), time);
        let share = guarded(capture, Claim::OpAttribution, rest.share, format::share);
        vec![what.to_owned(), String::new(), count(rest.records), time, share]
    });
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
    let table = table(&head, 2, rows.chain(rest));
    format!("{table}{more}{}{levels}", before_window(attribution))
}

/// Rows whose time may not be told: how many of their kernels are on record, which a table of dashes would hide. The order of the
/// report is that of the time; here it is that of the counts.
fn counts(rows: impl Iterator<Item = (String, u64)>, room: &Room) -> String {
    let mut rows: Vec<(String, u64)> = rows.collect();
    rows.sort_by(|(a, n), (b, m)| (Reverse(n), a).cmp(&(Reverse(m), b)));
    let more = rows.len().checked_sub(COUNTS_MAX);
    let shown = rows.iter().take(COUNTS_MAX);
    let shown: Vec<String> =
        shown.map(|(of, records)| format!("{} {}", name(of, room), count(*records))).collect();
    let more = match more {
        Some(more) if more > 0 => format!(", and {} more", count(more as u64)),
        _ => String::new(),
    };
    format!("Kernels on record, without their time: {}{more}.\n", shown.join(", "))
}

/// Operators or lines in a sentence.
const COUNTS_MAX: usize = 12;

/// Kernels that a table does not list, so that its rows add up to all of them.
struct Rest {
    records: u64,
    time_us: Microseconds,
    share: Option<Share>,
}

impl Rest {
    /// Of all rows of a table: those behind its end, and what no row has. Rows in which nothing is are left out.
    fn of(
        attribution: &Attribution,
        rows: impl Iterator<Item = (u64, Microseconds)>,
        rows_max: usize,
    ) -> Vec<(&'static str, Self)> {
        let classes = attribution.classes.values();
        let (all, whole) = sum(classes.map(|class| (class.records, class.time_us)));
        let rows: Vec<(u64, Microseconds)> = rows.collect();
        let (listed, listed_ps) = sum(rows.iter().copied());
        let behind = sum(rows.into_iter().skip(rows_max));
        let nowhere = all.checked_sub(listed).zip(Some(whole - listed_ps));
        let what = match attribution.hlo.as_ref().and_then(|hlo| hlo.program) {
            Some(_) => "*not attributed, or of other programs*",
            None => "*not attributed*",
        };
        let rest = [("*further rows*", Some(behind)), (what, nowhere)].into_iter();
        let rest = rest.filter_map(|(what, sum)| Some((what, sum?)));
        let rest = rest.filter(|(_, (records, ps))| *records > 0 && *ps > 0);
        rest.map(|(what, (records, ps))| (what, Self::new(records, ps, whole))).collect()
    }

    fn new(records: u64, ps: i128, whole: i128) -> Self {
        let part = || Ratio::new(u64::try_from(ps).ok()?, u64::try_from(whole).ok()?);
        Self { records, time_us: Microseconds::from_ps(ps), share: part().map(Share::of) }
    }
}

fn sum(rows: impl Iterator<Item = (u64, Microseconds)>) -> (u64, i128) {
    rows.fold((0, 0), |(records, ps), (n, time)| (records + n, ps + time.ps()))
}

/// The class, and of JAX the level: `exact, own`.
fn how(class: Option<&str>, level: Option<&str>) -> String {
    let known: Vec<String> = [class, level].into_iter().flatten().map(markdown).collect();
    if known.is_empty() { DASH.to_owned() } else { known.join(", ") }
}

/// What the levels mean, below a table of a JAX capture.
const LEVELS: &str = "\n`class` says how a kernel's instruction is known (see “Attribution of kernel time”), then how the instruction names its place: `own`: it says it itself; `inner`: all that was \
    fused into it agree; `several`: they differ.\n";

pub(super) fn lines_title(capture: &CaptureReport) -> String {
    titled(capture, "Source lines", Claim::SourceLine, "their time is")
}

pub(super) fn lines(capture: &CaptureReport, attribution: &Attribution, room: &Room) -> String {
    if attribution.lines.is_empty() {
        return String::new();
    }
    if words::withheld_by(capture, Claim::SourceLine).is_some() {
        let lines = attribution.lines.iter();
        let lines = lines.map(|line| (format!("{}:{}", line.file, line.line), line.records));
        return counts(lines, room);
    }
    let rest = attribution.lines.iter().map(|line| (line.records, line.time_us));
    let rest = Rest::of(attribution, rest, room.rows);
    let rest = rest.into_iter().map(|(what, rest)| {
        let time = guarded(capture, Claim::SourceLine, Some(rest.time_us), time);
        let share = guarded(capture, Claim::SourceLine, rest.share, format::share);
        let none = String::new;
        vec![what.to_owned(), none(), none(), count(rest.records), time, share]
    });
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
    format!("{}{more}{LEVELS}", table(&head, 3, rows.chain(rest)))
}

pub(super) fn kernels_title(capture: &CaptureReport) -> String {
    let is_ranking = words::withheld_by(capture, Claim::Ranking).is_none();
    let title =
        if is_ranking { "Hot kernels by recorded time" } else { "Kernels by recorded time" };
    titled(capture, title, Claim::Ranking, "as a ranking of the run it is")
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
    let table = table(&head, 2, rows.chain(other_kernels(capture, room)));
    let is_ranking = words::withheld_by(capture, Claim::Ranking).is_none();
    let order = if is_ranking { "" } else { NO_RANKING };
    format!("{table}{}{order}", more_in_tables(capture.hot_kernels.len(), room.kernels))
}

/// What stands below kernels that are sorted by a time which is not all of theirs.
const NO_RANKING: &str = "\nIn the order of recorded time, and no ranking of the run: kernels may have run whose records are lost, which would change the order and every share.\n";

/// All kernels behind the table's end, so that its rows add up to the recorded kernel time.
fn other_kernels(capture: &CaptureReport, room: &Room) -> Option<Vec<String>> {
    let devices = &capture.records.as_ref()?.devices;
    let (all, whole) = sum(devices.iter().map(|device| (device.kernels, device.kernel_sum_us)));
    let shown = capture.hot_kernels.iter().take(room.kernels);
    let (listed, listed_ps) = sum(shown.map(|kernel| (kernel.records, kernel.time_us)));
    let (records, ps) = (all.checked_sub(listed)?, whole - listed_ps);
    (records > 0 && ps > 0).then(|| {
        let rest = Rest::new(records, ps, whole);
        let (time, share) = (time(rest.time_us), share(rest.share));
        vec!["*all others*".to_owned(), String::new(), count(records), time, share]
    })
}

/// The operator that launched a kernel; where there is not one, why.
fn op_of(capture: &CaptureReport, kernel: &HotKernel, room: &Room) -> String {
    let why_none = match &kernel.by_kernel {
        Some(what) => markdown(what),
        None if kernel.several_ops => "several".to_owned(),
        None => "none".to_owned(),
    };
    let op = kernel.op.as_deref().map_or(why_none, |op| name(op, room));
    guarded(capture, Claim::OpAttribution, Some(op), |op| op)
}
