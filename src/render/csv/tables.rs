//! The tables of one capture. A refused one has them without rows, so that those of an earlier run are not taken for its own.

use super::super::File;
use super::table::{Column, Standing, maybe, share, table, text, time};
use crate::report::{
    Attribution, AttributionClass, CaptureReport, Claim, DeviceRecords, GapRow, IdleHostEvent,
    KernelRow, LineRow, Microseconds, OpRow, RooflineRow, Share, StreamRecords, Tables,
    Unattributed,
};

/// Every table of a capture.
pub(super) fn files(capture: &CaptureReport) -> Vec<File> {
    let none = Tables::default();
    let tables = capture.tables.as_ref().unwrap_or(&none);
    let file = |path: &str, text| File { path: path.to_owned(), text };
    vec![
        file("kernels.csv", kernels(capture, &tables.kernels)),
        file("ops.csv", ops(capture)),
        file("lines.csv", lines(capture)),
        file("how.csv", how(capture)),
        file("streams.csv", streams(capture)),
        file("idle.csv", idle(capture)),
        file("gaps.csv", gaps(capture, &tables.gaps)),
        file("roofline.csv", roofline(capture)),
    ]
}

fn kernels(capture: &CaptureReport, rows: &[KernelRow]) -> String {
    let of_time = Standing::of(capture, &[Claim::KernelTime, Claim::Ranking]);
    let of_place = Standing::of(capture, &[Claim::OpAttribution, Claim::SourceLine]);
    let of_place = of_place.named(["attribution_claim", "attribution_by"]);
    let columns: &[Column<&KernelRow>] = &[
        ("kernel", |row| text(&row.name)),
        ("class", |row| text(&row.class)),
        ("program_id", |row| maybe(row.program.as_ref(), |(id, _)| id.to_string())),
        ("program", |row| maybe(row.program.as_ref(), |(_, name)| text(name))),
        ("instruction", |row| maybe(row.instruction.as_deref(), text)),
        ("op", |row| maybe(row.op.as_deref(), text)),
        ("level", |row| maybe(row.level.as_deref(), text)),
        ("file", |row| maybe(row.line.as_ref(), |(file, _)| text(file))),
        ("line", |row| maybe(row.line.as_ref(), |(_, line)| line.to_string())),
        ("records", |row| row.records.to_string()),
        ("time_us", |row| time(row.time_us)),
        ("share", |row| share(row.share)),
    ];
    table(&[of_time, of_place], columns, rows)
}

fn ops(capture: &CaptureReport) -> String {
    let columns: &[Column<&OpRow>] = &[
        ("op", |row| text(&row.name)),
        ("level", |row| maybe(row.level.as_deref(), text)),
        ("argument", |row| if row.is_argument { "yes".to_owned() } else { String::new() }),
        ("class", |row| text(&row.class)),
        ("records", |row| row.records.to_string()),
        ("time_us", |row| time(row.time_us)),
        ("share", |row| share(row.share)),
    ];
    let rows = capture.attribution.iter().flat_map(|attribution| &attribution.ops);
    table(&[Standing::of(capture, &[Claim::OpAttribution])], columns, rows)
}

fn lines(capture: &CaptureReport) -> String {
    let columns: &[Column<&LineRow>] = &[
        ("file", |row| text(&row.file)),
        ("line", |row| row.line.to_string()),
        ("function", |row| maybe(row.function.as_deref(), text)),
        ("level", |row| maybe(row.level.as_deref(), text)),
        ("class", |row| maybe(row.class.as_deref(), text)),
        ("records", |row| row.records.to_string()),
        ("time_us", |row| time(row.time_us)),
        ("share", |row| share(row.share)),
    ];
    let rows = capture.attribution.iter().flat_map(|attribution| &attribution.lines);
    table(&[Standing::of(capture, &[Claim::SourceLine])], columns, rows)
}

/// Kernels of one class, or of one reason for having none.
struct How<'a> {
    class: &'a str,
    reason: &'a str,
    records: u64,
    time_us: Microseconds,
    share: Option<Share>,
}

fn how(capture: &CaptureReport) -> String {
    let columns: &[Column<How<'_>>] = &[
        ("class", |row| text(row.class)),
        ("reason", |row| text(row.reason)),
        ("records", |row| row.records.to_string()),
        ("time_us", |row| time(row.time_us)),
        ("share", |row| share(row.share)),
    ];
    let rows = capture.attribution.iter().flat_map(how_rows);
    table(&[Standing::of(capture, &[Claim::OpAttribution])], columns, rows)
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

fn streams(capture: &CaptureReport) -> String {
    let columns: &[Column<(&DeviceRecords, &StreamRecords)>] = &[
        ("device", |(device, _)| text(&device.name)),
        ("stream", |(_, stream)| text(&stream.name)),
        ("span_us", |(_, stream)| time(stream.span_us)),
        ("compute_us", |(_, stream)| time(stream.compute_us)),
        ("collective_us", |(_, stream)| time(stream.collective_us)),
        ("memcpy_us", |(_, stream)| time(stream.memcpy_us)),
        ("idle_us", |(_, stream)| time(stream.idle_us)),
        ("records", |(_, stream)| stream.device_events.to_string()),
    ];
    let rows = of_devices(capture, |device| &device.streams);
    table(&[Standing::of(capture, &[Claim::Idle])], columns, rows)
}

fn idle(capture: &CaptureReport) -> String {
    let columns: &[Column<(&DeviceRecords, &IdleHostEvent)>] = &[
        ("device", |(device, _)| text(&device.name)),
        ("host_event", |(_, row)| text(&row.name)),
        ("host_kind", |(_, row)| text(&row.kind)),
        ("gaps", |(_, row)| row.gaps.to_string()),
        ("time_us", |(_, row)| time(row.time_us)),
        ("share", |(_, row)| share(row.share)),
    ];
    let rows = of_devices(capture, |device| &device.idle_host_events);
    table(&[Standing::of(capture, &[Claim::Idle])], columns, rows)
}

fn gaps(capture: &CaptureReport, rows: &[GapRow]) -> String {
    let columns: &[Column<&GapRow>] = &[
        ("device", |gap| text(&gap.device)),
        ("start_us", |gap| time(gap.start_us)),
        ("length_us", |gap| time(gap.length_us)),
        ("queued_us", |gap| maybe(gap.queued_us, time)),
        ("blocked_us", |gap| maybe(gap.blocked_us, time)),
        ("next_work", |gap| maybe(gap.next_work.as_deref(), text)),
        ("launch", |gap| maybe(gap.launch.as_deref(), text)),
        ("thread", |gap| maybe(gap.thread.as_deref(), text)),
        ("host_event", |gap| text(&gap.host_event.0)),
        ("host_kind", |gap| gap.host_event.1.to_owned()),
        ("host_us", |gap| time(gap.host_us)),
    ];
    table(&[Standing::of(capture, &[Claim::Idle])], columns, rows)
}

fn roofline(capture: &CaptureReport) -> String {
    let columns: &[Column<&RooflineRow>] = &[
        ("device", |row| text(&row.device)),
        ("op", |row| text(&row.op)),
        ("program_id", |row| maybe(row.program.as_ref(), |(id, _)| id.to_string())),
        ("program", |row| maybe(row.program.as_ref(), |(_, name)| text(name))),
        ("instruction", |row| maybe(row.instruction.as_deref(), text)),
        ("class", |row| text(&row.class)),
        ("operands", |row| text(&row.shapes)),
        ("dtype", |row| maybe(row.dtype.as_deref(), text)),
        ("executions", |row| row.executions.to_string()),
        ("records", |row| row.records.to_string()),
        ("time_us", |row| time(row.time_us)),
        ("share", |row| share(row.share)),
        ("flops_min", |row| maybe(row.flops, |(lo, _)| lo.to_string())),
        ("flops_max", |row| maybe(row.flops, |(_, hi)| hi.to_string())),
        ("bytes_min", |row| row.bytes.0.to_string()),
        ("bytes_max", |row| row.bytes.1.to_string()),
        ("attained_min_tflops", |row| maybe(row.attained_tflops, |(lo, _)| lo.to_string())),
        ("attained_max_tflops", |row| maybe(row.attained_tflops, |(_, hi)| hi.to_string())),
        ("peak_min_tflops", |row| maybe(row.peaks.first(), |peak| peak.tflops.to_string())),
        ("peak_max_tflops", |row| maybe(row.peaks.last(), |peak| peak.tflops.to_string())),
        ("bound", |row| text(&row.bound)),
        ("efficiency_min_pct", |row| row.efficiency_pct.0.to_string()),
        ("efficiency_max_pct", |row| row.efficiency_pct.1.to_string()),
        ("cached", |row| yes(row.cache_resident_possible)),
        ("recalled", |row| yes(row.recalled)),
    ];
    let rows = capture.roofline.iter().flat_map(|roofline| &roofline.rows);
    table(&[Standing::of(capture, &[Claim::Roofline])], columns, rows)
}

fn yes(is_so: bool) -> String {
    if is_so { "yes".to_owned() } else { String::new() }
}

/// Rows of every device, each with its device.
fn of_devices<'c, R: 'c>(
    capture: &'c CaptureReport,
    rows: impl Fn(&'c DeviceRecords) -> &'c [R],
) -> impl Iterator<Item = (&'c DeviceRecords, &'c R)> {
    let devices = capture.records.iter().flat_map(|records| &records.devices);
    devices.flat_map(move |device| rows(device).iter().map(move |row| (device, row)))
}
