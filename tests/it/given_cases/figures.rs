//! Figures of an expectation → fields of the report.

use super::{Subject, Verdicts};
use crate::check_cases::near;
use idleproof::report::{
    AttributionClass, CheckReport, CollectiveInstance, DeviceRecords, Microseconds, Records,
    RunReport,
};
use serde_json::{Map, Value};

/// [`crate::check_cases::TOLERANCE`] as picoseconds.
const TOLERANCE_PS: i128 = 60;

/// Holds one key of an expectation, with everything below it, against the report.
pub(super) fn check(subject: &Subject<'_>, key: &str, expected: &Value) -> Verdicts {
    let section = |figure: fn(&Subject<'_>, &str, &Value) -> Result<(), String>| match expected {
        Value::Object(inner) => each(inner, key, |name, value| figure(subject, name, value)),
        _ => vec![(key.to_owned(), Err("an object was expected".into()))],
    };
    match (key, expected) {
        ("graph", _) => section(graph),
        ("attribution", _) => section(attribution),
        ("launched_before_window", _) => section(before_window),
        ("steps", _) => section(steps),
        ("overrun" | "same_stream_overlap", _) => section(in_overlaps),
        ("clipped", _) => {
            section(|subject, name, value| reading(subject, "overruns-cut", name, value))
        }
        ("linked_only", _) => {
            section(|subject, name, value| reading(subject, "linked-only", name, value))
        }
        ("ranks", Value::Object(ranks)) => ranks
            .iter()
            .flat_map(|(rank, figures)| match figures {
                Value::Object(figures) => each(figures, &format!("ranks.{rank}"), |name, value| {
                    rank_figure(subject, rank, name, value)
                }),
                _ => vec![(key.to_owned(), Err("an object was expected".into()))],
            })
            .collect(),
        ("skipped", _) => section(skipped),
        ("memcpy", _) => section(copies_without_size),
        ("reconciliation", _) => section(in_both_records),
        ("kernel_counts", _) => {
            section(|subject, id, value| number(device(subject, id)?.kernels as f64, value))
        }
        ("streams", Value::Object(streams)) => streams
            .iter()
            .flat_map(|(id, figures)| match figures {
                Value::Object(figures) => each(figures, &format!("streams.{id}"), |name, value| {
                    stream(subject, id, name, value)
                }),
                _ => vec![(key.to_owned(), Err("an object was expected".into()))],
            })
            .collect(),
        (_, Value::Null) if key.starts_with("device") && key.len() == 7 => {
            vec![(key.to_owned(), no_device(subject))]
        }
        (_, Value::Object(figures)) if key.starts_with("device") => {
            let id = key.trim_start_matches("device").to_owned();
            each(figures, key, |name, value| device_figure(subject, &id, name, value))
        }
        _ => vec![(key.to_owned(), single(subject, key, expected))],
    }
}

/// Figures of devices by the name of their plane, such as `GPU:0`.
pub(super) fn by_device(
    subject: &Subject<'_>,
    key: &str,
    devices: &Map<String, Value>,
) -> Verdicts {
    let device = |(name, figures): (&String, &Value)| match figures {
        Value::Object(figures) => {
            let id = name.trim_start_matches("GPU:").to_owned();
            let prefix = format!("{key}.{name}");
            each(figures, &prefix, |name, value| device_figure(subject, &id, name, value))
        }
        _ => vec![(key.to_owned(), Err("an object was expected".into()))],
    };
    devices.iter().flat_map(device).collect()
}

fn each(
    figures: &Map<String, Value>,
    prefix: &str,
    one: impl Fn(&str, &Value) -> Result<(), String>,
) -> Verdicts {
    figures.iter().map(|(name, value)| (format!("{prefix}.{name}"), one(name, value))).collect()
}

fn single(subject: &Subject<'_>, key: &str, expected: &Value) -> Result<(), String> {
    let records = records(subject)?;
    match key {
        "launches" => number(records.launches.calls as f64, expected),
        "with_record" => {
            number((records.launches.calls - records.launches.without_record) as f64, expected)
        }
        "kernel_count" => number(
            records.devices.iter().map(|device| device.kernels).sum::<u64>() as f64,
            expected,
        ),
        "host_span_us" => {
            window(records.host_window_us.ok_or("the host recorded nothing")?, expected)
        }
        "recoverable_idle_us" => {
            records.devices.iter().try_for_each(|device| time(device.idle_us, expected))
        }
        "devices_seen" => {
            let seen: Vec<Value> = records
                .devices
                .iter()
                .map(|device| Value::from(device.name.trim_start_matches("gpu:")))
                .collect();
            same(&Value::from(seen), expected)
        }
        "device_properties_match" => no_device_is_named(subject),
        "window_us" => {
            let start = records.devices.iter().map(|device| device.window_us.0).min();
            let end = records.devices.iter().map(|device| device.window_us.1).max();
            window(start.zip(end).ok_or("no device")?, expected)
        }
        "planes" => in_evidence(subject, "no-device-activity", expected),
        // Says in words which window the figures beside it mean.
        "window_basis" => Ok(()),
        "selected" => {
            let wanted = expected.as_str().unwrap_or_default().trim_start_matches("torch_trace/");
            let first =
                subject.report.files.first().map(|file| file.path.as_str()).unwrap_or_default();
            first.ends_with(wanted).then_some(()).ok_or_else(|| format!("found `{first}`"))
        }
        "collective_outlier" => in_evidence(subject, "collective-outlier", expected),
        "all_present_window_us" => window(instance(subject)?.all_present_us, expected),
        "transfer_upper_bound_us" => time(run(subject)?.collectives[0].transfer_us.1, expected),
        "straggler_rank" => number(instance(subject)?.straggler as f64, expected),
        _ => Err("this key is not understood".into()),
    }
}

fn device_figure(
    subject: &Subject<'_>,
    id: &str,
    name: &str,
    expected: &Value,
) -> Result<(), String> {
    let found = device(subject, id)?;
    let common = found.readings.iter().find(|one| one.name == "common-window");
    match name {
        "idle_us" | "idle_pct" if subject.common_window && common.is_some() => {
            reading(subject, "common-window", name, expected)
        }
        // Times of XSpaces are expected after the start of the device's own window.
        "window_us" if subject.file.ends_with(".xplane.pb") => {
            window((Microseconds::from_ps(0), found.total_us), expected)
        }
        "window_us" => window(found.window_us, expected),
        "total_us" | "raw_total_us" | "own_span_us" => time(found.total_us, expected),
        "busy_us" | "busy_recorded_us" => time(found.busy_us, expected),
        "idle_us" | "raw_idle_us" => time(found.idle_us, expected),
        "idle_pct" | "raw_idle_pct" => {
            number(found.idle_pct.ok_or("idle is not stated")?.get(), expected)
        }
        "kernel_count" => number(found.kernels as f64, expected),
        "streams" => number(found.streams.len() as f64, expected),
        "memcpy_us" => time(found.memcpy_us, expected),
        "memcpy_count" => number((found.device_events - found.kernels) as f64, expected),
        "kernel_sum_us" | "raw_kernel_sum_us" => time(found.kernel_sum_us, expected),
        "compute_us" => time(found.compute_us, expected),
        "collective_us" => time(found.collective_us, expected),
        "compute_pct" => percent(found.compute_us, found.total_us, expected),
        "collective_pct" => percent(found.collective_us, found.total_us, expected),
        "excluded" => in_evidence(subject, "damaged-records", expected),
        _ => Err("this figure is not understood".into()),
    }
}

/// The comparison of the ranks, of which there is one.
fn run<'a>(subject: &Subject<'a>) -> Result<&'a RunReport, String> {
    subject.run.runs.first().ok_or_else(|| "no ranks were compared".to_owned())
}

fn instance<'a>(subject: &Subject<'a>) -> Result<&'a CollectiveInstance, String> {
    run(subject)?.longest_waits.first().ok_or_else(|| "no collective was compared".to_owned())
}

fn rank_figure(
    subject: &Subject<'_>,
    rank: &str,
    name: &str,
    expected: &Value,
) -> Result<(), String> {
    let ranks = &instance(subject)?.ranks;
    let found = ranks.iter().find(|one| one.rank.to_string() == rank).ok_or("no such rank")?;
    match name {
        "collective_kernel_us" => time(found.kernel_us, expected),
        "wait_us" => time(found.wait_us, expected),
        _ => Err("this figure is not understood".into()),
    }
}

fn stream(subject: &Subject<'_>, id: &str, name: &str, expected: &Value) -> Result<(), String> {
    let wanted = format!("stream:{id}");
    let streams = records(subject)?.devices.iter().flat_map(|device| &device.streams);
    let found = streams.into_iter().find(|stream| stream.name == wanted).ok_or("no such stream")?;
    match name {
        "busy_us" => time(sum([found.compute_us, found.collective_us, found.memcpy_us]), expected),
        "gap_us" => time(found.idle_us, expected),
        _ => Err("this figure is not understood".into()),
    }
}

fn graph(subject: &Subject<'_>, name: &str, expected: &Value) -> Result<(), String> {
    let found = &records(subject)?.graph;
    match name {
        "launches" => number(found.launches as f64, expected),
        "launches_with_kernels" => number(found.launches_with_records as f64, expected),
        "launch_coverage" => number(found.launch_coverage.ok_or("not stated")?.get(), expected),
        "node_coverage" => number(found.node_coverage.ok_or("not stated")?.get(), expected),
        "kernels_per_launch" => {
            let counts = expected.as_array().into_iter().flatten().filter_map(Value::as_u64);
            let wanted = idleproof::report::Spread::of(counts);
            (found.records_per_launch == wanted)
                .then_some(())
                .ok_or_else(|| format!("expected {wanted:?}, found {:?}", found.records_per_launch))
        }
        _ => Err("this figure is not understood".into()),
    }
}

fn attribution(subject: &Subject<'_>, name: &str, expected: &Value) -> Result<(), String> {
    let found = subject.report.attribution.as_ref().ok_or("there is no attribution")?;
    let all = || found.classes.iter();
    let linked = |class: &str| !matches!(class, "graph" | "before-window" | "none");
    let unlinked = |class: &str| matches!(class, "before-window" | "none");
    let total = sum(all().map(|(_, class)| class.time_us));
    let pick = |wanted: &dyn Fn(&str) -> bool| -> Vec<&AttributionClass> {
        all().filter(|(name, _)| wanted(name)).map(|(_, class)| class).collect()
    };
    let records = |classes: Vec<&AttributionClass>| {
        number(classes.iter().map(|class| class.records).sum::<u64>() as f64, expected)
    };
    let times = |classes: Vec<&AttributionClass>| sum(classes.iter().map(|class| class.time_us));
    match name {
        "linked" => records(pick(&linked)),
        "linked_us" => time(times(pick(&linked)), expected),
        "linked_pct" => percent(times(pick(&linked)), total, expected),
        // Kernels of a replay that bear no label have no class of their own where a program's schedule may still place them.
        "graph" | "graph_us" if !found.classes.contains_key("graph") => {
            in_evidence(subject, "low-op-attribution", expected)
        }
        "graph_pct" => percent(times(pick(&|class| class == "none")), total, expected),
        "none" => {
            let check = crate::harness::check(subject.report, "low-op-attribution");
            let evidence = |key: &str| check.and_then(|check| check.evidence.get(key));
            same(
                evidence("none_us").ok_or("not shown")?,
                evidence("graph_without_label_us").ok_or("not shown")?,
            )
            .and(number(0.0, expected))
        }
        "graph" => records(pick(&|class| class == "graph")),
        "graph_us" => time(times(pick(&|class| class == "graph")), expected),
        "exact" => records(pick(&|class| class == "exact")),
        "exact_us" => time(times(pick(&|class| class == "exact")), expected),
        "exact_pct" => percent(times(pick(&|class| class == "exact")), total, expected),
        "unlinked" => records(pick(&unlinked)),
        "unlinked_us" => time(times(pick(&unlinked)), expected),
        kernel => {
            let hot = subject.report.hot_kernels.iter().find(|hot| hot.name == kernel);
            let op = hot.ok_or("this figure is not understood")?.op.clone();
            same(&Value::from(op), expected)
        }
    }
}

fn before_window(subject: &Subject<'_>, name: &str, expected: &Value) -> Result<(), String> {
    let attribution = subject.report.attribution.as_ref().ok_or("there is no attribution")?;
    let class = attribution.classes.get("before-window").ok_or("there is no such class")?;
    match name {
        "kernels" => number(class.records as f64, expected),
        "us" => time(class.time_us, expected),
        // The rule in words; the counts show that it was applied.
        "rule" => Ok(()),
        _ => Err("this figure is not understood".into()),
    }
}

fn steps(subject: &Subject<'_>, name: &str, expected: &Value) -> Result<(), String> {
    let rows = &records(subject)?.steps.as_ref().ok_or("no steps were found")?.rows;
    let expected = expected.as_array().ok_or("a list was expected")?;
    if rows.len() != expected.len() {
        return Err(format!("expected {} steps, found {}", expected.len(), rows.len()));
    }
    rows.iter().zip(expected).try_for_each(|(row, expected)| match name {
        "by_launch_kernels" => number(row.kernels as f64, expected),
        "by_launch_us" => time(row.kernel_sum_us, expected),
        "by_host_window_us" => time(row.busy_in_host_window_us, expected),
        "device_windows_us" => window(row.device_window_us.ok_or("no device window")?, expected),
        _ => Err("this figure is not understood".into()),
    })
}

fn in_overlaps(subject: &Subject<'_>, _: &str, expected: &Value) -> Result<(), String> {
    in_evidence(subject, "impossible-durations", expected)
}

/// A figure of a device by another reading of its records.
fn reading(
    subject: &Subject<'_>,
    name: &str,
    figure: &str,
    expected: &Value,
) -> Result<(), String> {
    let readings = records(subject)?.devices.iter().flat_map(|device| &device.readings);
    let found = readings.into_iter().find(|reading| reading.name == name);
    let found = found.ok_or_else(|| format!("there is no reading `{name}`"))?;
    match figure {
        "window_us" => window(found.window_us, expected),
        "total_us" => time(found.total_us, expected),
        "busy_us" => time(found.busy_us, expected),
        "idle_us" => time(found.idle_us, expected),
        "idle_pct" => number(found.idle_pct.ok_or("idle is not stated")?.get(), expected),
        "kernel_sum_us" => time(found.kernel_sum_us, expected),
        _ => Err("this figure is not understood".into()),
    }
}

/// Direction, bytes and bandwidth of a copy that states none: they are in no figure of the report.
fn copies_without_size(subject: &Subject<'_>, _: &str, expected: &Value) -> Result<(), String> {
    let undefined = expected.as_str() == Some("undefined");
    undefined.then_some(()).ok_or("only `undefined` is understood")?;
    super::flags::violated(subject, "copy-without-size")
}

fn in_both_records(subject: &Subject<'_>, _: &str, expected: &Value) -> Result<(), String> {
    in_evidence(subject, "json-xplane-mismatch", expected)
}

fn skipped(subject: &Subject<'_>, part: &str, expected: &Value) -> Result<(), String> {
    let wanted = expected.as_str().unwrap_or_default().split(',').next().unwrap_or_default();
    let shard = wanted == "capture shard"
        && subject.report.files.iter().any(|file| {
            file.path.contains(part) && file.role == idleproof::report::FileRole::CaptureShard
        });
    let listed = subject
        .run
        .skipped
        .iter()
        .any(|(path, reason)| path.contains(part) && reason.to_lowercase().contains(wanted));
    (shard || listed)
        .then_some(())
        .ok_or_else(|| format!("not listed as `{wanted}`: {:?}", subject.run.skipped))
}

/// A figure that a check shows somewhere in its evidence or as its measured number.
fn in_evidence(subject: &Subject<'_>, id: &str, expected: &Value) -> Result<(), String> {
    let check =
        crate::harness::check(subject.report, id).ok_or(format!("there is no check `{id}`"))?;
    let shown = match expected {
        Value::Object(figures) => figures.values().all(|figure| shows(check, figure)),
        Value::Array(figures) => figures.iter().all(|figure| shows(check, figure)),
        figure => shows(check, figure),
    };
    shown
        .then_some(())
        .ok_or_else(|| format!("{expected} is not shown by `{id}`: {:?}", check.evidence))
}

pub(super) fn shows(check: &CheckReport, figure: &Value) -> bool {
    let measured = check.measured.zip(figure.as_f64()).is_some_and(|(a, b)| near(a, b));
    measured || check.evidence.values().any(|value| holds(value, figure))
}

fn holds(value: &Value, figure: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| holds(item, figure)),
        Value::Object(items) => items.values().any(|item| holds(item, figure)),
        one => same(one, figure).is_ok(),
    }
}

fn records<'a>(subject: &Subject<'a>) -> Result<&'a Records, String> {
    subject.report.records.as_ref().ok_or_else(|| "there are no records".to_owned())
}

fn device<'a>(subject: &Subject<'a>, id: &str) -> Result<&'a DeviceRecords, String> {
    let wanted = format!("gpu:{id}");
    let devices = &records(subject)?.devices;
    devices.iter().find(|device| device.name == wanted).ok_or_else(|| format!("no device {wanted}"))
}

fn no_device(subject: &Subject<'_>) -> Result<(), String> {
    let devices = records(subject)?.devices.len();
    (devices == 0).then_some(()).ok_or_else(|| format!("{devices} devices, expected none"))
}

/// No listed device stands for the one that worked.
pub(super) fn no_device_is_named(subject: &Subject<'_>) -> Result<(), String> {
    let named = records(subject)?.devices.iter().find_map(|device| device.model.as_ref());
    named.map_or(Ok(()), |model| Err(format!("the device is called {model}")))
}

fn same(found: &Value, expected: &Value) -> Result<(), String> {
    let close = match (found.as_f64(), expected.as_f64()) {
        (Some(found), Some(expected)) => near(found, expected),
        _ => found == expected,
    };
    close.then_some(()).ok_or_else(|| format!("expected {expected}, found {found}"))
}

fn number(found: f64, expected: &Value) -> Result<(), String> {
    same(&Value::from(found), expected)
}

/// Exact to the picosecond within the tolerance: absolute times have more digits than a float.
fn time(found: Microseconds, expected: &Value) -> Result<(), String> {
    let exact = serde_json::from_str::<Microseconds>(&expected.to_string());
    let exact = exact.map_err(|error| format!("{expected} is no time: {error}"))?;
    ((found.ps() - exact.ps()).abs() <= TOLERANCE_PS)
        .then_some(())
        .ok_or_else(|| format!("expected {expected}, found {found}"))
}

fn window(found: (Microseconds, Microseconds), expected: &Value) -> Result<(), String> {
    let [start, end] = expected.as_array().map(Vec::as_slice).unwrap_or_default() else {
        return Err("a window is start and end".into());
    };
    time(found.0, start).and(time(found.1, end))
}

fn percent(part: Microseconds, whole: Microseconds, expected: &Value) -> Result<(), String> {
    number((part.as_f64() / whole.as_f64() * 1e6).round() / 1e4, expected)
}

fn sum(times: impl IntoIterator<Item = Microseconds>) -> Microseconds {
    Microseconds::from_ps(times.into_iter().map(Microseconds::ps).sum())
}
