//! Kernels at their roofline, against arithmetic by hand and against the same program with kernels that run there.
//!
//! The device is an H100: 989.4 TFLOP/s of 16-bit floats, and 3350 GB/s.

use super::report;
use crate::fixture;
use crate::harness::pipeline;
use idleproof::report::{CaptureReport, Change, ChangeAtRoofline};

/// An operator around the launches of kernels, one behind the other: shapes of its operands, and each kernel with its microseconds.
type Op<'a> = (&'a str, &'a [(&'a str, f64)]);

/// 2 × 4096³ operations: 137.44 GFLOP, at least 138.911 µs. Its 100.7 MB take 30 µs.
const SQUARE: &str = "[4096,4096],[4096,4096]";

/// Half of that: 69.4556 µs.
const HALF: &str = "[2048,4096],[4096,4096]";

/// 2 × (32768² + 2 × 32768) bytes: 2.1476 GB, at least 641.079 µs. Its operations take 2 µs.
const VECTOR: &str = "[1,32768],[32768,32768]";

/// Six steps of operators, each step waited for before the next begins; `rest` is time of the host in each.
fn program(header: &str, ops: &[Op<'_>], rest: f64) -> CaptureReport {
    let mut step = String::new();
    let (mut host, mut device) = (5.0, 20.0);
    for (shapes, kernels) in ops {
        let end = host + 2.0 + 5.0 * kernels.len() as f64;
        let args = format!(
            "{{\"Input Dims\":[{shapes}],\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\"]}}"
        );
        step.push_str(&format!("op aten::mm {host:.3}..{end:.3} args={args}\n"));
        for (name, us) in *kernels {
            host += 5.0;
            device = f64::max(device, host + 6.0);
            step.push_str(&format!("launch {:.3}..{:.3}\n", host - 4.0, host));
            step.push_str(&format!("kernel {name} {device:.3}+{us:.3}\n"));
            device += us + 1.0;
        }
        host = end + 1.0;
    }
    let every = device + 10.0 + rest;
    report(&format!(
        "{header}repeat 6 as n every {every:.3} {{\n\
           annotation ProfilerStep#{{n}} 0+{:.3}\n{step}\
           sync {host:.3}..{:.3}\n\
         }}\n",
        every - 1.0,
        device + 3.0
    ))
}

fn row<'a>(report: &'a CaptureReport, kernel: &str) -> &'a Change {
    let cause = format!("kernel {kernel}");
    let found = report.what_to_change.iter().find(|row| row.cause == cause);
    found.unwrap_or_else(|| panic!("no {cause} in {:#?}", report.what_to_change))
}

fn at<'a>(report: &'a CaptureReport, kernel: &str) -> Option<&'a ChangeAtRoofline> {
    row(report, kernel).at_roofline.as_ref()
}

#[track_caller]
fn assert_figures(found: Option<&ChangeAtRoofline>, [now, floor, saved]: [f64; 3], bound: &str) {
    let found = found.unwrap_or_else(|| panic!("nothing at the roofline"));
    let near = |us: idleproof::report::Microseconds, expected: f64| {
        (us.ps() as f64 / 1e6 - expected).abs() < 0.001
    };
    let holds = near(found.kernels_us, now)
        && near(found.floor_us, floor)
        && near(found.saves_at_most_us, saved);
    assert!(holds && found.bound == bound, "{found:#?} for {now} {floor} {saved} {bound}");
}

fn step_ps(report: &CaptureReport) -> i128 {
    row(report, "gemm").step_us.now.ps()
}

#[test]
fn a_product_saves_what_lies_above_its_roof() {
    let slow = program("", &[(SQUARE, &[("gemm", 300.0)])], 50.0);
    assert_figures(at(&slow, "gemm"), [300.0, 138.911, 161.089], "compute");
    // The same program with a kernel that runs there.
    let fast = program("", &[(SQUARE, &[("gemm", 138.912)])], 50.0);
    let saved = at(&slow, "gemm").map(|roof| roof.saves_at_most_us.ps()).unwrap_or_default();
    let truth = step_ps(&slow) - step_ps(&fast);
    assert!(truth <= saved && saved - truth < 2_000, "{truth} of {saved}");
    // At its roofline there is nothing to save.
    assert_eq!(at(&fast, "gemm"), None);
}

#[test]
fn bytes_are_a_roof_as_well() {
    let report = program("", &[(VECTOR, &[("gemm", 1000.0)])], 50.0);
    assert_figures(at(&report, "gemm"), [1000.0, 641.079, 358.921], "memory");
}

/// One kernel for products of several shapes: each launch has a floor of its own.
#[test]
fn each_launch_has_the_floor_of_its_shapes() {
    let ops: [Op<'_>; 2] = [(SQUARE, &[("gemm", 300.0)]), (HALF, &[("gemm", 100.0)])];
    let report = program("", &ops, 50.0);
    assert_figures(at(&report, "gemm"), [400.0, 208.367, 191.633], "compute");
}

/// Shorter work saves no more than none.
#[test]
fn no_more_is_saved_than_without_the_kernel() {
    for rest in [0.0, 50.0, 400.0] {
        let report = program("", &[(SQUARE, &[("gemm", 300.0)])], rest);
        let row = row(&report, "gemm");
        let gone = row.step_us.now.ps() - row.step_us.if_gone.0.ps();
        let saved = row.at_roofline.as_ref().map_or(0, |roof| roof.saves_at_most_us.ps());
        assert!(saved > 0 && saved <= gone, "{row:#?}");
    }
}

/// What is not known for each launch is not stated.
#[test]
fn nothing_is_stated_where_the_work_of_a_launch_is_not_known() {
    // An operator of two kernels: the floor is that of both together.
    let split = program("", &[(SQUARE, &[("gemm", 200.0), ("splitk_reduce", 100.0)])], 50.0);
    assert_eq!(at(&split, "gemm"), None);
    assert_eq!(at(&split, "splitk_reduce"), None);
    // One launch of the kernel has shapes that no product has.
    let some: [Op<'_>; 2] = [(SQUARE, &[("gemm", 300.0)]), ("[8],[8]", &[("gemm", 300.0)])];
    assert_eq!(at(&program("", &some, 50.0), "gemm"), None);
    // No peaks of the device.
    let unknown = program("gpu 0 \"NVIDIA X1\"\n", &[(SQUARE, &[("gemm", 300.0)])], 50.0);
    assert_eq!(at(&unknown, "gemm"), None);
    // 161 µs of a step of more than 20 ms.
    let long = program("", &[(SQUARE, &[("gemm", 300.0)])], 20_000.0);
    assert_eq!(at(&long, "gemm"), None);
}

/// Where an operation is faster than the device can be, shapes, times or peaks are wrong: of which operations, nobody knows.
#[test]
fn nothing_is_stated_where_the_roofline_is_withheld() {
    let ops: [Op<'_>; 2] = [(SQUARE, &[("gemm", 300.0)]), (HALF, &[("other", 10.0)])];
    let report = program("", &ops, 50.0);
    let by = &report.claims.roofline.by;
    assert!(by.contains(&"above-roofline".to_owned()), "{by:?}");
    assert_eq!(at(&report, "gemm"), None);
}

/// JAX: 2 × 4096 × 1024 × 2048 operations at the 1307.4 TFLOP/s of an MI300X are 13.1405 µs. The kernel would be 86.9 µs shorter, but
/// the host hands the next one over 94 µs into the step: no more than 7 µs are saved were it gone, and so at its roofline.
#[test]
fn an_instruction_of_jax_has_a_floor() {
    let text = "producer jax-rocm\n\
         program jit_f 7 {\n\
           a parameter element=bf16 shape=4096,1024\n\
           b parameter element=bf16 shape=1024,2048\n\
           dot.1 dot element=bf16 shape=4096,2048 uses=a,b contract=1 us=100\n\
         }\n\
         repeat 6 every 101 {\n\
           execute jit_f 0..30\n\
         }\n";
    let written = fixture::write(text).unwrap_or_else(|error| panic!("{error}"));
    let report = pipeline(&[written.xplane()]);
    let kernels = report.what_to_change.iter().filter(|row| row.cause.starts_with("kernel "));
    let found: Vec<_> = kernels.map(|row| row.at_roofline.as_ref()).collect();
    assert_eq!(found.len(), 1, "{:#?} {:#?}", report.critical_path, report.what_to_change);
    assert_figures(found[0], [100.0, 13.1405, 7.0], "compute");
    let step = report.what_to_change[0].step_us;
    assert_eq!((step.now.to_string(), step.if_gone.0.to_string()), ("101".into(), "94".into()));
}
