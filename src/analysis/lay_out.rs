//! Lays the analysis out as an unjudged report.

use super::attribution::{Class, IdChain, OpTime, ops_by_time};
use super::{
    Analysis, CauseRow, DeviceCause, DeviceTimeline, DeviceWaits, StreamTimeline, claims, counted,
    estimates, hlo, hot_kernels, longest_gaps, path, producer, rank,
    readings::{self, Reading},
    steps::{self, Samples},
};
use crate::report::{
    Attribution, AttributionClass, CaptureReport, DeviceReading, DeviceRecords, FileReport,
    FileRole, GraphRecords, HotKernel, IdleHostEvent, IdleRecords, LaunchRecords, LaunchTiming,
    Methods, Microseconds, NoticeReport, OpRow, Outcome, Percent, Quantiles, Records, Share,
    Spread, StreamRecords,
};
use crate::trace::{Capture, DeviceProperties, HostCall, HostCallKind, NameId, Record, Trace};
use crate::units::{Interval, Picoseconds, Ratio};
use rustc_hash::FxHashMap;

/// Lays the analysis out as an unjudged report: claims that have nothing to be computed from are `undefined`,
/// the others `supported` until a judge withholds them; no check is in it.
pub fn lay_out(capture: &Capture, analysis: &Analysis) -> CaptureReport {
    let trace = &capture.primary().trace;
    let records = capture.records.iter().map(|record| file(record, FileRole::Record));
    let shards = capture.shards.iter().map(|record| file(record, FileRole::CaptureShard));
    let held = records_of(trace, analysis);
    let attribution =
        (analysis.attribution.kernel_time > Picoseconds::ZERO).then(|| match &analysis.hlo {
            Some(hlo) => hlo::report_attribution(trace, hlo, analysis.steps.as_ref()),
            None => attribution(trace, analysis),
        });
    let try_by_count = counted::counted(trace, analysis, &held.programs);
    CaptureReport {
        name: capture.name.clone(),
        files: records.chain(shards).collect(),
        outcome: Outcome::Report,
        error: None,
        notices: capture
            .records
            .iter()
            .flat_map(notices)
            .chain(absent_program(trace, analysis))
            .collect(),
        records: Some(held),
        claims: claims::claims(trace, analysis),
        attribution,
        hot_kernels: hot(trace, analysis),
        roofline: super::roofline::report_roofline(trace, &analysis.roofline),
        tables: None,
        swimlanes: None,
        rank: rank::rank_record(trace, &analysis.launches),
        critical_path: analysis.path.as_ref().map(|found| path::lay_out(trace, found)),
        what_to_change: estimates::lay_out(analysis),
        try_by_count,
        stated: Vec::new(),
        checks: Vec::new(),
        trust_list: Vec::new(),
        needs_new_capture: Vec::new(),
    }
}

fn file(record: &Record, role: FileRole) -> FileReport {
    let source = &record.source;
    FileReport {
        path: source.path.clone(),
        format: Some(source.format.name().to_owned()),
        role,
        bytes: source.bytes,
        sha256: Some(source.sha256.clone()),
        events: Some(source.events),
    }
}

fn notices(record: &Record) -> impl Iterator<Item = NoticeReport> + '_ {
    let met = record.notices.iter().map(|notice| NoticeReport {
        code: notice.code.to_owned(),
        count: notice.count,
        message: notice.message.clone(),
    });
    met.chain(derived_lines(record))
}

/// Lines that repeat the time of others: they were left out, and a reader who knows them from a viewer should know that.
fn derived_lines(record: &Record) -> Option<NoticeReport> {
    let lines = &record.trace.profiler.derived_lines;
    let names: Vec<&str> = lines.iter().map(|(name, _)| name.as_str()).collect();
    (!lines.is_empty()).then(|| NoticeReport {
        code: "derived-lines".to_owned(),
        count: lines.len() as u64,
        message: format!(
            "lines that repeat the time of streams in other words, left out: {}",
            names.join(", ")
        ),
    })
}

/// What is said where no kernel belongs to the program that the user named: its tables are empty for that reason.
fn absent_program(trace: &Trace, analysis: &Analysis) -> Option<NoticeReport> {
    let hlo = analysis.hlo.as_ref()?;
    let id = hlo.tables.program?;
    let is_it = |&(at, _): &(u32, hlo::KernelTotal)| trace.programs[at as usize].id == id;
    (!hlo.programs.iter().any(is_it)).then(|| NoticeReport {
        code: "absent-program".to_owned(),
        count: 0,
        message: format!(
            "no kernel belongs to the program {id} that was asked for: there is nothing to list by operation or line"
        ),
    })
}

fn records_of(trace: &Trace, analysis: &Analysis) -> Records {
    let devices = analysis.timeline.devices.iter().zip(&analysis.waits.devices);
    let devices = devices.zip(&analysis.host_cause).zip(&analysis.idle.devices);
    let readings = readings::readings(trace, analysis);
    let devices = devices.zip(&readings).zip(longest_gaps::longest_gaps(trace, analysis));
    let device_records =
        |(((((device, waits), cause), idle), readings), longest_gaps): ((_, &Vec<Reading>), _)| {
            let readings = readings.iter().map(|reading| device_reading(trace, reading)).collect();
            let bounds = claims::idle_records(idle);
            DeviceRecords {
                readings,
                longest_gaps,
                ..device_records(trace, device, waits, cause, bounds)
            }
        };
    Records {
        devices: devices.map(device_records).collect(),
        graph: graph(analysis),
        launches: launches(trace, analysis),
        steps: analysis.steps.as_ref().and_then(|steps| steps::lay_out(trace, steps)),
        programs: analysis
            .hlo
            .as_ref()
            .map_or_else(Vec::new, |hlo| hlo::report_programs(trace, &hlo.loss)),
        host_window_us: trace.host_window().map(|window| on_file_axis(trace, window)),
        python_frames: trace.profiler.python_frames,
        producer: producer::lay_out(trace),
    }
}

fn device_records(
    trace: &Trace,
    device: &DeviceTimeline,
    waits: &DeviceWaits,
    cause: &DeviceCause,
    bounds: IdleRecords,
) -> DeviceRecords {
    let idle = device.gaps.total();
    let raw_id = trace.device(device.device).raw_id;
    let properties = trace.profiler.device_properties.iter().find(|listed| listed.id == raw_id);
    let blocking_known = trace.host_calls.iter().any(|call| call.kind.blocks_on_device());
    DeviceRecords {
        name: format!("gpu:{raw_id}"),
        vendor: vendor(trace, properties).map(str::to_owned),
        model: properties.map(|listed| listed.name.clone()).filter(|name| !name.trim().is_empty()),
        window_us: on_file_axis(trace, device.window),
        total_us: device.window.duration().into(),
        busy_us: device.busy_time().into(),
        idle_us: idle.into(),
        idle_pct: device.idle_ratio().map(Percent::of),
        compute_us: device.compute.into(),
        collective_us: device.collective.into(),
        memcpy_us: device.memcpy.into(),
        exposed_collective_us: device.exposed_collective.into(),
        exposed_memcpy_us: device.exposed_memcpy.into(),
        kernels: device.n_kernels,
        copies_by_kernel: device.n_copies_by_kernel,
        kernel_sum_us: device.kernel_sum.into(),
        device_events: device.n_events,
        idle_with_queued_work_us: queued_idle(waits).map(Microseconds::from),
        idle_under_blocking_sync_us: blocking_known.then(|| waits.under_blocking.into()),
        idle: bounds,
        readings: Vec::new(),
        idle_host_events: cause.rows.iter().map(|row| idle_host_event(row, idle)).collect(),
        longest_gaps: Vec::new(),
        streams: device.streams.iter().map(|stream| stream_records(trace, stream)).collect(),
    }
}

fn device_reading(trace: &Trace, reading: &Reading) -> DeviceReading {
    let (total, busy) = (reading.window.duration(), reading.busy);
    DeviceReading {
        name: reading.kind.name().to_owned(),
        words: reading.words.clone(),
        window_us: on_file_axis(trace, reading.window),
        total_us: total.into(),
        busy_us: busy.into(),
        idle_us: (total - busy).into(),
        idle_pct: (total - busy).share_of(total).map(Percent::of),
        kernel_sum_us: reading.kernel_sum.into(),
    }
}

fn idle_host_event(row: &CauseRow, idle: Picoseconds) -> IdleHostEvent {
    IdleHostEvent {
        name: row.name.clone(),
        kind: row.activity.name().to_owned(),
        gaps: row.n_gaps,
        time_us: row.time.into(),
        share: row.time.share_of(idle).map(Share::of),
    }
}

fn queued_idle(waits: &DeviceWaits) -> Option<Picoseconds> {
    Some(waits.queued.as_ref()?.iter().map(|gap| gap.pending.duration()).sum())
}

/// By the version keys that each vendor's tracer writes, else by the device's name.
fn vendor(trace: &Trace, properties: Option<&DeviceProperties>) -> Option<&'static str> {
    let has = |key: &str| trace.profiler.field(key).is_some();
    let named = |part: &str| properties.is_some_and(|listed| listed.name.contains(part));
    if has("roctracer_version")
        || has("hip_runtime_version")
        || has("rocprofiler-sdk_version")
        || named("AMD")
    {
        Some("amd")
    } else if has("cupti_version")
        || has("cuda_runtime_version")
        || named("NVIDIA")
        || named("Tesla")
    {
        Some("nvidia")
    } else {
        None
    }
}

fn stream_records(trace: &Trace, stream: &StreamTimeline) -> StreamRecords {
    StreamRecords {
        name: format!("stream:{}", trace.stream(stream.stream).raw_id),
        span_us: stream.span.duration().into(),
        compute_us: stream.compute.into(),
        collective_us: stream.collective.into(),
        memcpy_us: stream.memcpy.into(),
        idle_us: stream.idle.into(),
        device_events: stream.n_events,
    }
}

pub(super) fn on_file_axis(trace: &Trace, interval: Interval) -> (Microseconds, Microseconds) {
    let at = |time| Microseconds::from_ps(trace.origin.on_file_axis(time));
    (at(interval.start()), at(interval.end()))
}

fn graph(analysis: &Analysis) -> GraphRecords {
    let graphs = &analysis.graphs;
    let (all, with) = (graphs.replays.len() as u64, graphs.n_with_records());
    GraphRecords {
        launches: all,
        launches_with_records: with,
        launch_coverage: Ratio::new(with, all).map(Share::of),
        records_per_launch: Spread::of(graphs.replays.iter().map(|replay| replay.n_records)),
        node_coverage: graphs.shortfall.as_ref().and_then(|sum| sum.node_coverage()).map(Share::of),
        kernels: graphs.n_kernels,
        kernel_us: graphs.kernel_time.into(),
    }
}

fn launches(trace: &Trace, analysis: &Analysis) -> LaunchRecords {
    let joined = &analysis.launches;
    let of_kind =
        |kind| trace.host_calls.iter().enumerate().filter(move |(_, call)| call.kind == kind);
    let ran = |(index, call): &(usize, &HostCall)| !joined.is_captured(*index, call);
    let kernels = of_kind(HostCallKind::Launch).filter(ran);
    let replays = of_kind(HostCallKind::GraphLaunch).filter(ran);
    let count = |wanted: super::Launch| {
        joined.of_event.iter().filter(|launch| **launch == wanted).count() as u64
    };
    LaunchRecords {
        calls: (kernels.clone().count() + replays.count()) as u64,
        without_record: kernels.filter(|(index, _)| joined.n_records[*index] == 0).count() as u64,
        captured: of_kind(HostCallKind::Launch).filter(|one| !ran(one)).count() as u64,
        before_window_records: count(super::Launch::BEFORE_WINDOW),
        records_without_launch: count(super::Launch::UNKNOWN),
        timing: analysis.launch_timing.map(timing),
    }
}

fn timing(timing: super::LaunchTiming) -> LaunchTiming {
    let super::Quantiles { p5, median, max } = timing.latency;
    LaunchTiming {
        launches: timing.n_launches,
        latency_us: Quantiles { p5: p5.into(), median: median.into(), max: max.into() },
        latency_sum_us: timing.latency_sum.into(),
        launches_into_empty_queue: timing.n_into_empty_queue,
        floor_us: timing.floor.map(Microseconds::from),
        kernel_mean_us: timing.kernel_mean.into(),
        kernel_median_us: timing.kernel_median.into(),
    }
}

fn attribution(trace: &Trace, analysis: &Analysis) -> Attribution {
    let attributed = &analysis.attribution;
    let share = |time: Picoseconds| time.share_of(attributed.kernel_time).map(Share::of);
    let classes = Class::ALL.map(|class| {
        let (records, time) = attributed.class(class);
        (
            class.name().to_owned(),
            AttributionClass { records, time_us: time.into(), share: share(time) },
        )
    });
    let ops = ops_by_time(trace, attributed);
    let samples = samples_of_ops(trace, analysis, &ops);
    let ops = ops.into_iter().zip(samples).map(|(row, samples)| OpRow {
        name: trace.name(row.name).to_owned(),
        records: row.n_records,
        time_us: row.time.into(),
        share: share(row.time),
        class: row.class.name().to_owned(),
        level: None,
        is_argument: false,
        per_step_us: samples.times(),
        kernels_per_step: samples.kernels(),
    });
    let (by_id, refused) = match attributed.id_chain {
        IdChain::Usable => (share(attributed.methods.time_by_id), None),
        IdChain::NoOps => (None, Some("no operator was recorded")),
        IdChain::SelfIds => {
            (None, Some("the file writes the correlation id where the external id belongs"))
        }
    };
    Attribution {
        classes: classes.into(),
        methods: Methods {
            by_id,
            by_id_refused: refused.map(str::to_owned),
            by_nesting: share(attributed.methods.time_by_nesting).filter(|_| !trace.ops.is_empty()),
            compared: attributed.methods.n_compared,
            agreeing: attributed.methods.n_agreeing,
        },
        ops: ops.collect(),
        lines: Vec::new(),
        hlo: None,
    }
}

fn samples_of_ops(trace: &Trace, analysis: &Analysis, ops: &[OpTime]) -> Vec<Samples> {
    let attributed = &analysis.attribution;
    let places: FxHashMap<NameId, usize> =
        ops.iter().enumerate().map(|(at, row)| (row.name, at)).collect();
    let times: Vec<Picoseconds> = ops.iter().map(|row| row.time).collect();
    let steps = analysis.steps.as_ref();
    steps::samples(trace, steps, &times, attributed.kernel_time, |index, _| {
        places.get(&attributed.op_name(trace, index)?).copied()
    })
}

fn hot(trace: &Trace, analysis: &Analysis) -> Vec<HotKernel> {
    let total = analysis.attribution.kernel_time;
    let hlo_ops = analysis.hlo.as_ref().map(hlo::op_of_kernels);
    let op_of = |row: &super::HotKernel| match &hlo_ops {
        Some(ops) => ops.get(&row.name).cloned().unwrap_or_default(),
        None => (row.op.map(|op| trace.name(op).to_owned()), row.several_ops),
    };
    let rows = hot_kernels(trace, &analysis.attribution);
    let places: FxHashMap<NameId, usize> =
        rows.iter().enumerate().map(|(at, row)| (row.name, at)).collect();
    let times: Vec<Picoseconds> = rows.iter().map(|row| row.time).collect();
    let samples = steps::samples(trace, analysis.steps.as_ref(), &times, total, |_, event| {
        places.get(&event.name).copied()
    });
    let rows = rows.into_iter().zip(samples).map(|(row, samples)| {
        let (op, several_ops) = op_of(&row);
        HotKernel {
            name: trace.name(row.name).to_owned(),
            records: row.n_records,
            time_us: row.time.into(),
            share: row.time.share_of(total).map(Share::of),
            op,
            by_kernel: row.by_kernel.map(str::to_owned),
            several_ops,
            per_step_us: samples.times(),
        }
    });
    rows.collect()
}
