//! Operations and bytes against arithmetic by hand: of written programs, and of given captures, which do not ship.

use crate::fixture;
use crate::harness::{assert_no_mismatch, outside_data, pipeline, pipeline_at};
use idleproof::report::{CaptureReport, RooflineRow};
use std::path::Path;

/// One row that is expected: name of the operation or instruction, executions, operations, bytes.
type Expected = (&'static str, u64, u64, u64);

fn rows(report: &CaptureReport) -> &[RooflineRow] {
    report.roofline.as_ref().map_or(&[], |roofline| &roofline.rows)
}

/// Each expected row, as often as it is listed, among those whose operations are modelled.
fn mismatches(name: &str, report: &CaptureReport, expected: &[Expected]) -> Vec<String> {
    let mut found: Vec<(u64, u64, u64)> = rows(report)
        .iter()
        .filter_map(|row| Some((row.executions, row.flops?.1, row.bytes.0)))
        .collect();
    let mut wrong = Vec::new();
    for &(what, executions, flops, bytes) in expected {
        match found.iter().position(|row| *row == (executions, flops, bytes)) {
            Some(at) => drop(found.remove(at)),
            None => wrong.push(format!(
                "{name}: no {what} that ran {executions} times with {flops} operations and {bytes} bytes; left: {found:?}"
            )),
        }
    }
    wrong
}

/// 2 · m · n · k operations, and the bytes of three matrices of 16-bit floats.
const fn product(name: &'static str, executions: u64, m: u64, k: u64, n: u64) -> Expected {
    (name, executions, 2 * m * n * k, 2 * (m * k + k * n + m * n))
}

#[test]
fn products_of_a_written_program() {
    let text = "producer jax-rocm\n\
         program jit_f 7 {\n\
           a parameter element=bf16 shape=4096,1024\n\
           b parameter element=bf16 shape=1024,2048\n\
           c parameter element=f32 shape=64,64\n\
           dot.1 dot element=bf16 shape=4096,2048 uses=a,b contract=1 us=100\n\
           dot.2 dot element=f32 shape=64,64 uses=c,c contract=0 us=20\n\
           while.3 while trip=5 {\n\
             x parameter element=bf16 shape=8,16,32\n\
             y parameter element=bf16 shape=8,32,64\n\
             dot.4 dot element=bf16 shape=8,16,64 uses=x,y contract=2 us=10\n\
           }\n\
         }\n\
         repeat 3 every 1000 {\n\
           execute jit_f 0..30\n\
         }\n";
    let written = fixture::write(text).unwrap_or_else(|error| panic!("{error}"));
    let report = pipeline(&[written.xplane()]);
    let expected = [
        product("dot.1", 3, 4096, 1024, 2048),
        // One operand is read twice: once at least.
        ("dot.2", 3, 2 * 64 * 64 * 64, 4 * 2 * 64 * 64),
        // Each iteration is one execution of the product, in eight batches.
        ("dot.4", 15, 8 * 2 * 16 * 32 * 64, 8 * 2 * (16 * 32 + 32 * 64 + 16 * 64)),
    ];
    assert_no_mismatch(&mismatches("written", &report, &expected));
    assert_eq!(rows(&report).len(), 3);
    let twice = rows(&report).iter().find(|row| row.instruction.as_deref() == Some("dot.2"));
    assert_eq!(twice.map(|row| row.bytes), Some((32_768, 49_152)));
    let first = &rows(&report)[0];
    // 17.18 GFLOP in 100 µs.
    let (lo, hi) = first.attained_tflops.unwrap_or_default();
    assert!((lo - 171.7987).abs() < 1e-3 && (hi - lo).abs() < 1e-9, "{lo} {hi}");
    assert!((first.efficiency_pct.0 - 171.798_691_84 / 13.074).abs() < 1e-3);
    assert_eq!(first.bound, "compute");
}

#[test]
fn given_captures_by_hand() {
    let Some(corpus) = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures") else {
        return;
    };
    let mut wrong = Vec::new();
    let mut check = |path: &str, expected: &[Expected]| {
        let run = pipeline_at(&[corpus.join(path)]);
        wrong.extend(mismatches(path, &run.captures[0], expected));
    };
    check(
        "jax/mi300-gemm",
        &[
            product("custom-call.1", 3, 8192, 4096, 8192),
            product("custom-call.1", 3, 16384, 1024, 4096),
            product("custom-call.1", 3, 4096, 4096, 4096),
            product("custom-call.1", 3, 2048, 8192, 2048),
            product("custom-call.1", 3, 1024, 1024, 1024),
            product("gemm_fusion_dot_general.1", 3, 256, 256, 256),
        ],
    );
    check(
        "jax/mi300-attention",
        &[
            product("custom-call.1", 12, 8192, 1024, 1024),
            product("custom-call.1", 3, 8192, 1024, 4096),
            product("custom-call.1", 3, 8192, 4096, 1024),
            (
                "custom-call.1",
                3,
                4 * 2 * 2048 * 2048 * 1024,
                4 * 2 * (2 * 2048 * 1024 + 2048 * 2048),
            ),
            // Four parts of the sum over 2048 keys, each kept as 32-bit floats.
            (
                "gemm_fusion_dot_general.1",
                3,
                4 * 2 * 2048 * 2048 * 1024,
                4 * (2 * 2048 * 2048 + 2 * 2048 * 1024 + 4 * 4 * 2048 * 1024),
            ),
        ],
    );
    // 1 × 2 × 2 taps of 16 features, 5120 of them. Padding of one element on each side of every dimension, and a step of two in the last
    // two: 32 of 34 positions meet the input, and of the 31 × 2 and 53 × 2 taps all but two.
    let conv = (
        2 * 5120 * 16 * 32 * 60 * 104,
        2 * (16 * 32 * 60 * 104 + 5120 * 16 * 4 + 5120 * 34 * 31 * 53),
    );
    check("jax/mi300-conv", &[("cudnn-conv.1", 40, conv.0, conv.1)]);
    check("jax/mi300-conv-legacy", &[("cudnn-conv.1.0", 5, conv.0, conv.1)]);
    check("kineto/vllm-decode-full", &[product("aten::mm", 1, 32, 2880, 201_088)]);
    // Kernels of 3 × 3 on 14 × 14: 3 · 14 − 2 taps in each dimension. Of both gradients.
    let taps = 40 * 40;
    let size = 10 * 256 * 14 * 14;
    check(
        "kineto/mi300-resnet-act-checkpoint",
        &[
            ("miopen_convolution", 18, 2 * 10 * 256 * 256 * taps, 2 * (2 * size + 256 * 256 * 9)),
            (
                "convolution_backward",
                9,
                2 * 2 * 10 * 256 * 256 * taps,
                2 * (3 * size + 2 * 256 * 256 * 9),
            ),
        ],
    );
    assert_no_mismatch(&wrong);
}

#[test]
fn no_given_capture_is_above_its_roof() {
    let Some(corpus) = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures") else {
        return;
    };
    let mut wrong = Vec::new();
    for report in pipeline_at(&[corpus.join("jax"), corpus.join("kineto")]).captures {
        wrong.extend(above(&report, &corpus));
    }
    assert_no_mismatch(&wrong);
}

fn above(report: &CaptureReport, corpus: &Path) -> Vec<String> {
    let is_marked = |row: &RooflineRow| row.cache_resident_possible || row.fewer_operations;
    let wrong =
        |row: &&RooflineRow| row.above_roof || (row.efficiency_pct.1 > 105.0 && !is_marked(row));
    let shown = report.name.strip_prefix(&*corpus.to_string_lossy()).unwrap_or(&report.name);
    let rows = rows(report).iter().filter(wrong);
    rows.map(|row| format!("{shown}: {} {}: {:?} %", row.op, row.shapes, row.efficiency_pct))
        .collect()
}
