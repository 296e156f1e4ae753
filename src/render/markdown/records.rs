//! What the records say: budgets of devices and streams, graph replays, launches, steps, programs.

use super::super::cells::{guarded, table};
use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, DASH, FINE, count, counted};
use super::super::words;
use super::{Room, more_in_tables, more_rows};
use crate::report::{
    CaptureReport, Cell, Claim, ClaimState, DeviceRecords, GraphRecords, Microseconds,
    ProgramRecords, Records, Spread, StepRecords, StepRow,
};

fn time(us: Microseconds) -> String {
    format::time(us, FINE)
}

fn dash() -> String {
    DASH.to_owned()
}

/// `min / median / max` of three and more; one or two are printed as they are.
fn spread<T: Copy>(of: Option<Spread<T>>, n: u64, print: impl Fn(T) -> String) -> String {
    of.map_or_else(dash, |of| match n {
        1 => print(of.median),
        2 => format!("{} and {}", print(of.min), print(of.max)),
        _ => format!("{} / {} / {}", print(of.min), print(of.median), print(of.max)),
    })
}

/// What a spread's figures are, behind its name.
const fn of_several(n: u64) -> &'static str {
    match n {
        1 | 2 => "",
        _ => " (min / median / max)",
    }
}

/// A figure of single steps, as recorded. Too few steps make no claim, and what they took is on record all the same.
fn as_recorded<T>(
    capture: &CaptureReport,
    claims: &[Claim],
    figure: Option<T>,
    print: impl FnOnce(T) -> String,
) -> String {
    let withheld = claims.iter().find(|claim| words::withheld_by(capture, **claim).is_some());
    match (withheld, figure) {
        (Some(claim), figure) => guarded(capture, *claim, figure, print),
        (None, Some(figure)) => print(figure),
        (None, None) => dash(),
    }
}

/// Busy, which is a lower bound where records are known to be missing.
fn busy(capture: &CaptureReport, us: Microseconds) -> String {
    match capture.cell(Claim::Idle, Some(us)) {
        Cell::Withheld(_) => format!("at least {}", time(us)),
        Cell::Stated(us) => time(us),
        Cell::Undefined => time(us),
    }
}

pub(super) fn devices(capture: &CaptureReport, records: &Records) -> String {
    if records.devices.is_empty() {
        return "No device work was recorded.\n".to_owned();
    }
    let rows = records.devices.iter().map(|device| {
        vec![
            device_name(device),
            time(device.total_us),
            busy(capture, device.busy_us),
            guarded(capture, Claim::Idle, Some(device.idle_us), time),
            guarded(capture, Claim::Idle, device.idle_pct, format::percent),
            time(device.compute_us),
            time(device.exposed_collective_us),
            time(device.exposed_memcpy_us),
            time(device.kernel_sum_us),
            count(device.kernels),
            count(device.device_events),
        ]
    });
    let head = [
        "device",
        "total",
        "busy",
        "idle",
        "idle of total",
        "compute",
        "exposed collective",
        "exposed memcpy",
        "sum of kernels",
        "kernels",
        "device records",
    ];
    format!(
        "{}\nCompute, exposed collective, exposed memcpy and idle add up to the total, which runs from the first \
         start to the last end of device work.\n{}",
        table(&head, 1, rows),
        records.devices.iter().map(by_kernel).collect::<String>()
    )
}

/// Kernels that are copies by what they do: in the count of kernels, and in the time of copies.
fn by_kernel(device: &DeviceRecords) -> String {
    if device.copies_by_kernel == 0 {
        return String::new();
    }
    let n = counted(device.copies_by_kernel, "of its kernels is", "of its kernels are");
    let name = markdown(&device.name);
    format!(
        "\n{name}: {n} the runtime's own, with which it copies or fills (`copy by kernel`, `fill by kernel`). They count as kernels, and their time as \
         memcpy and not as compute.\n"
    )
}

fn device_name(device: &DeviceRecords) -> String {
    let named: Vec<String> =
        [&device.vendor, &device.model].into_iter().flatten().map(|name| markdown(name)).collect();
    let name = markdown(&device.name);
    if named.is_empty() { name } else { format!("{name} (*read*: {})", named.join(" ")) }
}

pub(super) fn streams(capture: &CaptureReport, records: &Records, room: &Room) -> String {
    let all = || {
        let of = |device| move |stream| (device, stream);
        records.devices.iter().flat_map(move |device| device.streams.iter().map(of(device)))
    };
    let rows: Vec<Vec<String>> = all()
        .take(room.rows)
        .map(|(device, stream)| {
            vec![
                markdown(&device.name),
                markdown(&stream.name),
                time(stream.span_us),
                time(stream.compute_us),
                time(stream.collective_us),
                time(stream.memcpy_us),
                guarded(capture, Claim::Idle, Some(stream.idle_us), time),
                count(stream.device_events),
            ]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let head =
        ["device", "stream", "span", "compute", "collective", "memcpy", "idle", "device records"];
    format!("{}{}", table(&head, 2, rows), more_in_tables(all().count(), room.rows))
}

/// Counts of replays are evidence: they are printed whatever is withheld.
pub(super) fn graph(graph: &GraphRecords) -> String {
    if graph.launches == 0 {
        return String::new();
    }
    let coverage = |share: Option<_>| share.map_or_else(dash, format::share);
    format!(
        "- {} of {} graph launches own device records: {}\n- device records a launch{}: {}\n- \
         records of those expected: {}\n- kernels from replays: {}, {} as recorded\n",
        count(graph.launches_with_records),
        count(graph.launches),
        coverage(graph.launch_coverage),
        of_several(graph.launches),
        spread(graph.records_per_launch, graph.launches, count),
        coverage(graph.node_coverage),
        count(graph.kernels),
        time(graph.kernel_us)
    )
}

/// Some steps, and the range over all of them.
pub(super) fn steps(capture: &CaptureReport, records: &Records, room: &Room) -> String {
    let Some(steps) = &records.steps else { return String::new() };
    let n_counted = match steps.complete {
        0 => steps.count,
        n => n,
    };
    let length = as_recorded(capture, &[Claim::StepTime], Some(steps.duration_us), |of| {
        spread(Some(of), n_counted, time)
    });
    let mut rows: Vec<Vec<String>> = shown(&steps.rows, room.steps)
        .map(|(number, step)| {
            vec![
                count(number),
                format!(
                    "{}{}",
                    markdown_code(&format::name(&step.name, NAME_CHARS_MAX)),
                    not_counted(step)
                ),
                count(step.kernels),
                guarded(capture, Claim::KernelTime, Some(step.kernel_sum_us), time),
                as_recorded(capture, &OF_DEVICE, device_window(step), time),
                as_recorded(capture, &OF_DEVICE, Some(step.busy_in_host_window_us), time),
            ]
        })
        .collect();
    rows.extend(range_of_steps(capture, &steps.rows));
    let head =
        ["#", "step", "kernels", "sum of kernels", "device window", "busy in the host's window"];
    format!(
        "- {}, {}\n{}- length on the host{}: {length}\n- device records a step{}: {}\n\n{}{}",
        counted(steps.count, "step", "steps"),
        delimited(steps),
        step_time(capture, steps),
        of_several(n_counted),
        of_several(n_counted),
        spread(steps.records_per_step, n_counted, count),
        table(&head, 2, rows),
        more_rows(steps.rows.len(), room.steps)
    )
}

/// Some steps with their numbers, in order: the first with records, and others where there is room.
fn shown(rows: &[StepRow], max: usize) -> impl Iterator<Item = (u64, &StepRow)> {
    let mut places: Vec<usize> = (0..rows.len()).collect();
    places.sort_by_key(|&at| rows[at].kernels == 0);
    places.truncate(max);
    places.sort_unstable();
    places.into_iter().map(|at| (at as u64 + 1, &rows[at]))
}

/// A step that is not counted says so beside its name.
fn not_counted(step: &StepRow) -> String {
    let why = step.left_out.as_deref().map(|why| format!(" (not counted: {})", markdown(why)));
    why.unwrap_or_default()
}

/// What delimits the steps.
fn delimited(steps: &StepRecords) -> String {
    let marker = markdown_code(&format::name(&steps.marker, NAME_CHARS_MAX));
    if let Some(id) = steps.program {
        let trust = markdown(&steps.trust);
        return format!(
            "{trust} (*inferred*): {marker}, program id {id}; each reaches from one execution of it to the next, whatever else runs between"
        );
    }
    match steps.trust.as_str() {
        "" => format!("marked (*read*) by {marker}"),
        trust if !steps.marked => format!("{} (*inferred*): {marker}", markdown(trust)),
        trust => format!("{} (*read*): {marker}", markdown(trust)),
    }
}

/// The time of the steps that the records cover, and why others do not count.
fn step_time(capture: &CaptureReport, steps: &StepRecords) -> String {
    if steps.trust.is_empty() {
        return String::new();
    }
    let what = "from the start of a step on its device to that of the next one";
    let n_times = steps.rows.iter().filter(|step| step.step_time_us.is_some()).count() as u64;
    let mut text = match capture.claims.get(Claim::StepTime).0 {
        ClaimState::Undefined => {
            format!("- {what}: not stated, as that takes three steps which the records cover\n")
        }
        _ => {
            let time = guarded(capture, Claim::StepTime, steps.step_time_us, |of| {
                spread(Some(of), n_times, time)
            });
            format!("- {what}{}: {time}\n", of_several(n_times))
        }
    };
    let last = match steps.complete.checked_sub(n_times) {
        Some(without) if without > 0 && n_times > 0 => format!(
            "; {} of them with a time, as no other follows {}",
            count(n_times),
            if without == 1 { "the last one" } else { "the others" }
        ),
        _ => String::new(),
    };
    let complete = counted(steps.complete, "step", "steps");
    text.push_str(&format!("- covered by the records: {complete}{last}\n"));
    for left_out in &steps.left_out {
        let n_steps = counted(left_out.count, "step", "steps");
        text.push_str(&format!("- not counted: {n_steps}, {}\n", markdown(&left_out.reason)));
    }
    text
}

/// What a step's time on its device would state.
const OF_DEVICE: [Claim; 2] = [Claim::StepTime, Claim::Idle];

/// The last row of the table: min / median / max of each column. Fewer than three steps stand there themselves.
fn range_of_steps(capture: &CaptureReport, rows: &[StepRow]) -> Option<Vec<String>> {
    let counts = |step: &&StepRow| step.left_out.is_none();
    let are_counted = rows.iter().any(|step| counts(&step));
    let rows: Vec<&StepRow> = rows.iter().filter(|step| !are_counted || counts(step)).collect();
    let n = rows.len() as u64;
    if n < 3 {
        return None;
    }
    let range =
        |claims: &[Claim], of| as_recorded(capture, claims, of, |of| spread(Some(of), n, time));
    let busy = rows.iter().map(|step| step.busy_in_host_window_us);
    Some(vec![
        String::new(),
        format!("*min / median / max of {}*", count(n)),
        spread(Spread::of(rows.iter().map(|step| step.kernels)), n, count),
        range(&[Claim::KernelTime], Spread::of(rows.iter().map(|step| step.kernel_sum_us))),
        range(&OF_DEVICE, Spread::of(rows.iter().copied().filter_map(device_window))),
        range(&OF_DEVICE, Spread::of(busy)),
    ])
}

fn device_window(step: &StepRow) -> Option<Microseconds> {
    let (start, end) = step.device_window_us?;
    Some(Microseconds::from_ps(end.ps().saturating_sub(start.ps())))
}

/// Characters of a step's or program's name in a table.
const NAME_CHARS_MAX: usize = 60;

/// Ids of one name that a cell lists.
const IDS_MAX: usize = 6;

/// All ids that the executions of a row may be of.
fn ids(program: &ProgramRecords) -> String {
    let all = if program.ids.is_empty() { std::slice::from_ref(&program.id) } else { &program.ids };
    let shown: Vec<String> = all.iter().take(IDS_MAX).map(u64::to_string).collect();
    let more = if all.len() > IDS_MAX { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// What a program is, and what is counted of one.
const OF_PROGRAMS: &str = "\nA program is what the compiler made of one function for one set of shapes, and has an id of its own; programs of one function share a name. The host \
    records an execution (one run of a program on one device) under the name, so that executions are counted by name. Kernels are those that an execution launched; \
    copies that the host asks for by itself are in no execution.\n";

pub(super) fn programs(records: &Records, room: &Room) -> String {
    if records.programs.is_empty() {
        return String::new();
    }
    let rows = records.programs.iter().take(room.rows).map(|program| {
        vec![
            markdown_code(&format::name(&program.name, NAME_CHARS_MAX)),
            ids(program),
            program.executions.map_or_else(dash, count),
            program.executions_with_records.map_or_else(dash, count),
            spread(program.kernels_per_execution, program.executions.unwrap_or(3), count),
        ]
    });
    let head = [
        "program name",
        "program ids",
        "executions",
        "with device records",
        "kernels an execution (of several: min / median / max)",
    ];
    let more = more_rows(records.programs.len(), room.rows);
    format!("{}{more}{OF_PROGRAMS}", table(&head, 1, rows))
}
