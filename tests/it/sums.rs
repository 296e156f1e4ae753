//! Sums of the report that this program answers for: every part adds up to its whole, exactly.

use crate::harness::{assert_no_mismatch, in_crate, outside_data, pipeline_at};
use idleproof::report::{CaptureReport, DeviceRecords, Microseconds, OpRow};

#[test]
fn sums_add_up() {
    let cases = outside_data("IDLEPROOF_CASES", "../shared/cases", "cases");
    let folders = std::iter::once(in_crate("tests/captures")).chain(cases);
    let mut mismatches = Vec::new();
    for folder in folders {
        for capture in pipeline_at(&[folder]).captures {
            for device in capture.records.iter().flat_map(|records| &records.devices) {
                mismatches.extend(device_sums(&capture, device));
            }
            mismatches.extend(attribution_sum(&capture));
            mismatches.extend(roofline_sum(&capture));
            mismatches.extend(operators_per_step(&capture));
        }
    }
    assert_no_mismatch(&mismatches);
}

fn sum(times: impl Iterator<Item = Microseconds>) -> i128 {
    times.map(Microseconds::ps).sum()
}

fn device_sums(capture: &CaptureReport, device: &DeviceRecords) -> Vec<String> {
    let (busy, idle) = (device.busy_us.ps(), device.idle_us.ps());
    let streams = || device.streams.iter();
    let work = sum(streams().flat_map(|one| [one.compute_us, one.collective_us, one.memcpy_us]));
    let classes = sum(device.idle.classes.iter().map(|class| class.time_us));
    let host = sum(device.idle_host_events.iter().map(|row| row.time_us));
    let longest = streams().map(|one| one.span_us.ps() - one.idle_us.ps()).max().unwrap_or(0);
    let parts = [device.compute_us, device.exposed_collective_us, device.exposed_memcpy_us];
    let (lo, hi) = device.idle.inactive_us.map_or((idle, idle), |(lo, hi)| (lo.ps(), hi.ps()));
    let sums = [
        ("busy and idle are the window", busy + idle == device.total_us.ps()),
        ("the parts are busy", sum(parts.into_iter()) == busy),
        ("busy is at most the sum of the streams", busy <= work),
        ("busy is at least the busiest stream", busy >= longest),
        ("the classes of gaps are idle", classes == idle),
        ("host events in idle are idle", host == idle || device.idle_host_events.is_empty()),
        ("the bounds hold what was recorded", lo <= idle && idle <= hi),
    ];
    let wrong = sums.iter().filter(|(_, holds)| !holds);
    wrong.map(|(what, _)| format!("{} {}: not so: {what}", capture.name, device.name)).collect()
}

fn attribution_sum(capture: &CaptureReport) -> Option<String> {
    let attribution = capture.attribution.as_ref()?;
    let classes = sum(attribution.classes.values().map(|class| class.time_us));
    let devices = capture.records.iter().flat_map(|records| &records.devices);
    let kernels = sum(devices.map(|device| device.kernel_sum_us));
    (classes != kernels).then(|| {
        format!("{}: classes of attribution {classes} ps, kernels {kernels} ps", capture.name)
    })
}

fn roofline_sum(capture: &CaptureReport) -> Option<String> {
    let roofline = capture.roofline.as_ref()?;
    let rows = sum(roofline.rows.iter().map(|row| row.time_us));
    let refused = sum(roofline.refused.iter().map(|one| one.kernels.time_us));
    let records = roofline.rows.iter().map(|row| row.records);
    let records =
        records.chain(roofline.refused.iter().map(|one| one.kernels.records)).sum::<u64>();
    let devices = || capture.records.iter().flat_map(|records| &records.devices);
    let kernels = sum(devices().map(|device| device.kernel_sum_us));
    let n_kernels = devices().map(|device| device.kernels).sum::<u64>();
    let holds =
        rows + refused == kernels && rows == roofline.covered.time_us.ps() && records == n_kernels;
    (!holds).then(|| {
        format!(
            "{}: under a roof {rows} ps, not {refused} ps, {records} kernels; all {kernels} ps, {n_kernels} kernels",
            capture.name
        )
    })
}

/// Kernels that are all of one operator, and all that it has: what it takes in a step is what they take.
fn operators_per_step(capture: &CaptureReport) -> Vec<String> {
    let wrong = |op: &&OpRow| {
        let its = || capture.hot_kernels.iter().filter(|one| one.op.as_ref() == Some(&op.name));
        let steps = op.per_step_us.len();
        let whole = its().map(|one| one.records).sum::<u64>() == op.records
            && its().all(|one| one.per_step_us.len() == steps)
            && steps > 0;
        let of_kernels = (0..steps).map(|at| sum(its().map(|one| one.per_step_us[at])));
        whole && of_kernels.ne(op.per_step_us.iter().map(|time| time.ps()))
            || sum(op.per_step_us.iter().copied()) > op.time_us.ps()
            || (steps == 0) != op.kernels_per_step.is_none()
    };
    let ops = capture.attribution.iter().flat_map(|all| &all.ops);
    let told = |op: &OpRow| format!("{}: the steps of operator {}", capture.name, op.name);
    ops.filter(wrong).map(told).collect()
}
