//! Lays the roofline out as a section of the report.

use super::{DeviceRoof, KernelTotal, Roof, Roofline, Row};
use crate::report::{
    KernelSum, RefusedKernels, RooflineDevice, RooflinePeak, RooflineReport, RooflineRow, Share,
};
use crate::trace::Trace;

/// The section; `None` for a trace without kernels.
pub(in crate::analysis) fn report(trace: &Trace, roofline: &Roofline) -> Option<RooflineReport> {
    if roofline.kernels.n == 0 {
        return None;
    }
    let sum = |total: KernelTotal| KernelSum {
        records: total.n,
        time_us: total.time.into(),
        share: total.time.share_of(roofline.kernels.time).map(Share::of),
    };
    let refused = roofline.refused.iter().map(|&(reason, total)| RefusedKernels {
        reason: reason.words().to_owned(),
        kernels: sum(total),
    });
    Some(RooflineReport {
        devices: roofline.devices.iter().map(|one| device(trace, one)).collect(),
        rows: roofline.rows.iter().map(|one| row(roofline, one, &sum(one.total))).collect(),
        covered: sum(roofline.covered),
        refused: refused.collect(),
    })
}

fn device(trace: &Trace, found: &DeviceRoof) -> RooflineDevice {
    let name = |device: &crate::trace::DeviceId| format!("gpu:{}", trace.device(*device).raw_id);
    let roof = found.roof.as_ref().ok();
    let told = |text: fn(&Roof) -> &str| roof.map(|roof| text(roof).to_owned());
    RooflineDevice {
        devices: found.devices.iter().map(name).collect(),
        model: told(|roof| roof.model.name),
        refused: found.roof.as_ref().err().map(super::UnknownDevice::words),
        partition_units: roof.and_then(|roof| roof.partition),
        peaks: roof.map_or_else(Vec::new, |roof| {
            let rates =
                roof.model.rates.iter().filter_map(|&(rate, _)| Some((rate, roof.rate(rate)?)));
            rates.map(peak).collect()
        }),
        peaks_provenance: told(|roof| roof.rates_provenance().name()),
        peaks_source: told(|roof| roof.model.rates_source.document),
        bandwidth_gb_s: roof.map(|roof| {
            let (lo, hi) = roof.bandwidth();
            (rounded(lo), rounded(hi))
        }),
        bandwidth_provenance: told(|roof| roof.model.bandwidth_source.provenance.name()),
        bandwidth_source: told(|roof| roof.model.bandwidth_source.document),
    }
}

fn peak((rate, tflops): (super::Rate, f64)) -> RooflinePeak {
    RooflinePeak { name: rate.name().to_owned(), tflops: rounded(tflops) }
}

fn row(roofline: &Roofline, row: &Row, kernels: &KernelSum) -> RooflineRow {
    let model = roofline.devices[row.roof].roof.as_ref().map_or("", |roof| roof.model.name);
    let pair = |(lo, hi): (f64, f64)| (rounded(lo), rounded(hi));
    RooflineRow {
        device: model.to_owned(),
        op: row.op.clone(),
        instruction: row.instruction.clone(),
        program: row.program.clone(),
        shapes: row.work.shapes.clone(),
        dtype: row.work.flops.map(|_| row.work.element.name().to_owned()),
        executions: row.n_instances,
        records: kernels.records,
        time_us: kernels.time_us,
        share: kernels.share,
        flops: row.work.flops,
        bytes: row.work.bytes,
        attained_tflops: row.attained.map(pair),
        intensity: row.intensity.map(pair),
        ridge: row.ridge.map(pair),
        peaks: row.peaks.iter().copied().map(peak).collect(),
        efficiency_pct: pair((row.efficiency.0 * 100.0, row.efficiency.1 * 100.0)),
        bound: row.bound.name().to_owned(),
        cache_resident_possible: row.fits_cache,
        fewer_operations: row.is_fewer,
        above_roof: row.is_above_roof(),
        recalled: roofline.is_recalled(row),
        class: if row.is_exact { "exact" } else { "inferred" }.to_owned(),
    }
}

/// To four decimals, as percentages of the report are.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
