//! A roofline made by hand: names that are hostile, and every kind of row.

use super::builder::{HOSTILE, share, us};
use idleproof::report::*;

fn sum(records: u64, time: i128, part: u64) -> KernelSum {
    KernelSum { records, time_us: us(time), share: Some(share(part, 1000)) }
}

fn row(op: &str, bound: &str) -> RooflineRow {
    RooflineRow {
        device: "NVIDIA H100 SXM".to_owned(),
        op: op.to_owned(),
        instruction: None,
        program: None,
        shapes: "bf16[8192,1024] × bf16[1024,4096]".to_owned(),
        dtype: Some("bf16".to_owned()),
        executions: 10,
        records: 20,
        time_us: us(9_000),
        share: Some(share(180, 1000)),
        flops: Some((68_719_476_736, 68_719_476_736)),
        bytes: (92_274_688, 92_274_688),
        attained_tflops: Some((76.3550, 76.3550)),
        intensity: Some((744.7273, 744.7273)),
        ridge: Some((295.3433, 295.3433)),
        peaks: vec![peak("bf16", 989.4)],
        efficiency_pct: (7.7173, 7.7173),
        bound: bound.to_owned(),
        cache_resident_possible: false,
        fewer_operations: false,
        above_roof: false,
        recalled: false,
        class: "exact".to_owned(),
    }
}

fn peak(name: &str, tflops: f64) -> RooflinePeak {
    RooflinePeak { name: name.to_owned(), tflops }
}

/// One row of each kind, and devices with and without a roof.
pub(super) fn roofline() -> RooflineReport {
    let known = RooflineDevice {
        devices: vec!["gpu:0".to_owned()],
        model: Some("NVIDIA H100 SXM".to_owned()),
        refused: None,
        partition_units: Some(16),
        peaks: vec![peak("f32", 66.9), peak("bf16", 989.4)],
        peaks_provenance: Some("quoted".to_owned()),
        peaks_source: Some("NVIDIA H100 architecture white paper".to_owned()),
        bandwidth_gb_s: Some((418.75, 3350.0)),
        bandwidth_provenance: Some("quoted".to_owned()),
        bandwidth_source: Some("NVIDIA H100 architecture white paper".to_owned()),
    };
    let unknown = RooflineDevice {
        devices: vec!["gpu:1".to_owned(), "gpu:2".to_owned()],
        model: None,
        refused: Some(format!("no peaks are known of a device called {HOSTILE}")),
        partition_units: None,
        peaks: Vec::new(),
        peaks_provenance: None,
        peaks_source: None,
        bandwidth_gb_s: None,
        bandwidth_provenance: None,
        bandwidth_source: None,
    };
    let interval = RooflineRow {
        peaks: vec![peak("f32", 66.9), peak("tf32", 494.7)],
        efficiency_pct: (15.4, 114.1),
        cache_resident_possible: true,
        recalled: true,
        class: "inferred".to_owned(),
        ..row("aten::addmm", "either")
    };
    let moves = RooflineRow {
        instruction: Some(HOSTILE.to_owned()),
        program: Some((17, "jit_step".to_owned())),
        dtype: None,
        flops: None,
        attained_tflops: None,
        intensity: None,
        ridge: None,
        peaks: Vec::new(),
        ..row(HOSTILE, "either")
    };
    RooflineReport {
        devices: vec![known, unknown],
        rows: vec![row("aten::mm", "compute"), interval, moves],
        covered: sum(60, 27_000, 540),
        refused: vec![RefusedKernels {
            reason: "operations and bytes of it are not modelled".to_owned(),
            kernels: sum(68, 23_000, 460),
        }],
    }
}
