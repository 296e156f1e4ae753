//! The tables of one capture: what rows they have, whatever they are written as. A refused one has them without rows, so that those
//! of an earlier run are not taken for its own.

use super::table::{Column, Standing, TableWriter, share};
use super::words;
use crate::report::{
    Attribution, AttributionClass, CaptureReport, Claim, DeviceRecords, GapRow, IdleHostEvent,
    KernelRow, LineRow, Microseconds, OpRow, Outcome, RooflineRow, Share, StreamRecords, Tables,
    Unattributed,
};

/// Writes every table of a capture.
pub(super) fn write(capture: &CaptureReport, to: &mut impl TableWriter) {
    let none = Tables::default();
    let tables = capture.tables.as_ref().unwrap_or(&none);
    kernels(capture, &tables.kernels, to);
    ops(capture, to);
    lines(capture, to);
    how(capture, to);
    streams(capture, to);
    idle(capture, to);
    gaps(capture, &tables.gaps, to);
    roofline(capture, to);
}

/// A capture and the folder of its tables; empty where it has none of its own.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    pub(super) capture: &'a CaptureReport,
    pub(super) folder: &'a str,
}

/// Writes the list of captures.
pub(super) fn captures(listed: &[Listed<'_>], to: &mut impl TableWriter) {
    let columns: &[Column<Listed<'_>>] = &[
        Column::text("capture", |one| Some(&one.capture.name)),
        Column::text("folder", |one| Some(if one.folder.is_empty() { "." } else { one.folder })),
        Column::text("outcome", |one| Some(outcome(one.capture.outcome))),
        Column::text("verdict", |one| Some(words::verdict(one.capture.verdict()))),
        Column::text("error", |one| one.capture.error.as_ref().map(|error| error.message.as_str())),
    ];
    to.write("captures", &[], columns, listed.iter().copied());
}

const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Report => "report",
        Outcome::Refused => "refused",
    }
}

fn kernels(capture: &CaptureReport, rows: &[KernelRow], to: &mut impl TableWriter) {
    let of_time = Standing::of(capture, &[Claim::KernelTime, Claim::Ranking]);
    let of_place = Standing::of(capture, &[Claim::OpAttribution, Claim::SourceLine]);
    let of_place = of_place.named(["attribution_claim", "attribution_by"]);
    let columns: &[Column<&KernelRow>] = &[
        Column::text("kernel", |row| Some(&row.name)),
        Column::text("class", |row| Some(&row.class)),
        Column::count("program_id", |row| row.program.as_ref().map(|(id, _)| *id)),
        Column::text("program", |row| row.program.as_ref().map(|(_, name)| name.as_str())),
        Column::text("instruction", |row| row.instruction.as_deref()),
        Column::text("op", |row| row.op.as_deref()),
        Column::text("level", |row| row.level.as_deref()),
        Column::text("file", |row| row.line.as_ref().map(|(file, _)| file.as_str())),
        Column::count("line", |row| row.line.as_ref().map(|(_, line)| *line)),
        Column::count("records", |row| Some(row.records)),
        Column::time("time_us", |row| Some(row.time_us)),
        Column::number("share", |row| share(row.share)),
    ];
    to.write("kernels", &[of_time, of_place], columns, rows);
}

fn ops(capture: &CaptureReport, to: &mut impl TableWriter) {
    let columns: &[Column<&OpRow>] = &[
        Column::text("op", |row| Some(&row.name)),
        Column::text("level", |row| row.level.as_deref()),
        Column::flag("argument", |row| row.is_argument),
        Column::text("class", |row| Some(&row.class)),
        Column::count("records", |row| Some(row.records)),
        Column::time("time_us", |row| Some(row.time_us)),
        Column::number("share", |row| share(row.share)),
    ];
    let rows = capture.attribution.iter().flat_map(|attribution| &attribution.ops);
    to.write("ops", &[Standing::of(capture, &[Claim::OpAttribution])], columns, rows);
}

fn lines(capture: &CaptureReport, to: &mut impl TableWriter) {
    let columns: &[Column<&LineRow>] = &[
        Column::text("file", |row| Some(&row.file)),
        Column::count("line", |row| Some(row.line)),
        Column::text("function", |row| row.function.as_deref()),
        Column::text("level", |row| row.level.as_deref()),
        Column::text("class", |row| row.class.as_deref()),
        Column::count("records", |row| Some(row.records)),
        Column::time("time_us", |row| Some(row.time_us)),
        Column::number("share", |row| share(row.share)),
    ];
    let rows = capture.attribution.iter().flat_map(|attribution| &attribution.lines);
    to.write("lines", &[Standing::of(capture, &[Claim::SourceLine])], columns, rows);
}

/// Kernels of one class, or of one reason for having none.
struct How<'a> {
    class: &'a str,
    reason: &'a str,
    records: u64,
    time_us: Microseconds,
    share: Option<Share>,
}

fn how(capture: &CaptureReport, to: &mut impl TableWriter) {
    let columns: &[Column<How<'_>>] = &[
        Column::text("class", |row| Some(row.class)),
        Column::text("reason", |row| Some(row.reason)),
        Column::count("records", |row| Some(row.records)),
        Column::time("time_us", |row| Some(row.time_us)),
        Column::number("share", |row| share(row.share)),
    ];
    let rows = capture.attribution.iter().flat_map(how_rows);
    to.write("how", &[Standing::of(capture, &[Claim::OpAttribution])], columns, rows);
}

/// One row a class. Where reasons are known of kernels without one, they stand in its place and add up to it.
fn how_rows(attribution: &Attribution) -> Vec<How<'_>> {
    let reasons = attribution.hlo.as_ref().map_or(&[][..], |hlo| &hlo.unattributed);
    let mut rows = Vec::new();
    for (class, &AttributionClass { records, time_us, share }) in attribution.ordered_classes() {
        if class != "none" || reasons.is_empty() {
            rows.push(How { class, reason: "", records, time_us, share });
            continue;
        }
        rows.extend(reasons.iter().map(|&Unattributed { ref reason, records, time_us, share }| {
            How { class, reason, records, time_us, share }
        }));
    }
    rows
}

fn streams(capture: &CaptureReport, to: &mut impl TableWriter) {
    let columns: &[Column<(&DeviceRecords, &StreamRecords)>] = &[
        Column::text("device", |(device, _)| Some(&device.name)),
        Column::text("stream", |(_, stream)| Some(&stream.name)),
        Column::time("span_us", |(_, stream)| Some(stream.span_us)),
        Column::time("compute_us", |(_, stream)| Some(stream.compute_us)),
        Column::time("collective_us", |(_, stream)| Some(stream.collective_us)),
        Column::time("memcpy_us", |(_, stream)| Some(stream.memcpy_us)),
        Column::time("idle_us", |(_, stream)| Some(stream.idle_us)),
        Column::count("records", |(_, stream)| Some(stream.device_events)),
    ];
    let rows = of_devices(capture, |device| &device.streams);
    to.write("streams", &[Standing::of(capture, &[Claim::Idle])], columns, rows);
}

fn idle(capture: &CaptureReport, to: &mut impl TableWriter) {
    let columns: &[Column<(&DeviceRecords, &IdleHostEvent)>] = &[
        Column::text("device", |(device, _)| Some(&device.name)),
        Column::text("host_event", |(_, row)| Some(&row.name)),
        Column::text("host_kind", |(_, row)| Some(&row.kind)),
        Column::count("gaps", |(_, row)| Some(row.gaps)),
        Column::time("time_us", |(_, row)| Some(row.time_us)),
        Column::number("share", |(_, row)| share(row.share)),
    ];
    let rows = of_devices(capture, |device| &device.idle_host_events);
    to.write("idle", &[Standing::of(capture, &[Claim::Idle])], columns, rows);
}

fn gaps(capture: &CaptureReport, rows: &[GapRow], to: &mut impl TableWriter) {
    let columns: &[Column<&GapRow>] = &[
        Column::text("device", |gap| Some(&gap.device)),
        Column::time("start_us", |gap| Some(gap.start_us)),
        Column::time("length_us", |gap| Some(gap.length_us)),
        Column::time("queued_us", |gap| gap.queued_us),
        Column::time("blocked_us", |gap| gap.blocked_us),
        Column::text("next_work", |gap| gap.next_work.as_deref()),
        Column::text("launch", |gap| gap.launch.as_deref()),
        Column::text("thread", |gap| gap.thread.as_deref()),
        Column::text("host_event", |gap| Some(&gap.host_event.0)),
        Column::text("host_kind", |gap| Some(gap.host_event.1)),
        Column::time("host_us", |gap| Some(gap.host_us)),
    ];
    to.write("gaps", &[Standing::of(capture, &[Claim::Idle])], columns, rows);
}

fn roofline(capture: &CaptureReport, to: &mut impl TableWriter) {
    let columns: &[Column<&RooflineRow>] = &[
        Column::text("device", |row| Some(&row.device)),
        Column::text("op", |row| Some(&row.op)),
        Column::count("program_id", |row| row.program.as_ref().map(|(id, _)| *id)),
        Column::text("program", |row| row.program.as_ref().map(|(_, name)| name.as_str())),
        Column::text("instruction", |row| row.instruction.as_deref()),
        Column::text("class", |row| Some(&row.class)),
        Column::text("operands", |row| Some(&row.shapes)),
        Column::text("dtype", |row| row.dtype.as_deref()),
        Column::count("executions", |row| Some(row.executions)),
        Column::count("records", |row| Some(row.records)),
        Column::time("time_us", |row| Some(row.time_us)),
        Column::number("share", |row| share(row.share)),
        Column::count("flops_min", |row| row.flops.map(|(lo, _)| lo)),
        Column::count("flops_max", |row| row.flops.map(|(_, hi)| hi)),
        Column::count("bytes_min", |row| Some(row.bytes.0)),
        Column::count("bytes_max", |row| Some(row.bytes.1)),
        Column::number("attained_min_tflops", |row| row.attained_tflops.map(|(lo, _)| lo)),
        Column::number("attained_max_tflops", |row| row.attained_tflops.map(|(_, hi)| hi)),
        Column::number("peak_min_tflops", |row| row.peaks.first().map(|peak| peak.tflops)),
        Column::number("peak_max_tflops", |row| row.peaks.last().map(|peak| peak.tflops)),
        Column::text("bound", |row| Some(&row.bound)),
        Column::number("efficiency_min_pct", |row| Some(row.efficiency_pct.0)),
        Column::number("efficiency_max_pct", |row| Some(row.efficiency_pct.1)),
        Column::flag("cached", |row| row.cache_resident_possible),
        Column::flag("recalled", |row| row.recalled),
    ];
    let rows = capture.roofline.iter().flat_map(|roofline| &roofline.rows);
    to.write("roofline", &[Standing::of(capture, &[Claim::Roofline])], columns, rows);
}

/// Rows of every device, each with its device.
fn of_devices<'c, R: 'c>(
    capture: &'c CaptureReport,
    rows: impl Fn(&'c DeviceRecords) -> &'c [R],
) -> impl Iterator<Item = (&'c DeviceRecords, &'c R)> {
    let devices = capture.records.iter().flat_map(|records| &records.devices);
    devices.flat_map(move |device| rows(device).iter().map(move |row| (device, row)))
}
