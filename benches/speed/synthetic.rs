//! A trace that nobody recorded, with the mix of events that real ROCm traces with Python stacks have: by bytes, about half Python
//! frames, a fifth operators, a seventh runtime calls, a twelfth kernels, and flow arrows.

use std::fmt::Write as _;
use std::io::{Result, Write};

/// Writes a trace of so many bytes of text.
pub(crate) fn write(out: &mut impl Write, bytes: usize) -> Result<()> {
    out.write_all(b"{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n")?;
    let (mut written, mut step) = (0, 0_u64);
    let mut text = String::new();
    while written < bytes {
        text.clear();
        one_step(&mut text, step);
        out.write_all(text.as_bytes())?;
        (written, step) = (written + text.len(), step + 1);
    }
    out.write_all(b"  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n")?;
    out.write_all(b"    \"pid\": \"\", \"tid\": \"\", \"ts\": 4026150480989.488\n  }\n  ]\n}\n")
}

/// One launched kernel and what stands around it. Numbers vary with `step` as a real trace's do.
fn one_step(text: &mut String, step: u64) {
    let mut state = step.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut vary = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let ts = 4_026_150_069_145_000 + step * 97_000;
    let time = |ns: u64| format!("{}.{:03}", ns / 1_000, ns % 1_000);
    for frame in 0..6 {
        let (line, module) = (vary(900), vary(40));
        let _ = write!(
            text,
            "  {{\n    \"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"models/layer_{module}/attention.py({line}): forward\", \"pid\": 425, \"tid\": 425,\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      \"Python parent id\": {}, \"Python id\": {}, \"Ev Idx\": {}\n    }}\n  }},\n",
            time(ts + frame * 100),
            time(vary(90_000)),
            step * 6,
            step * 6 + frame,
            step * 8 + frame
        );
    }
    let op = match vary(4) {
        0 => "aten::mm",
        1 => "aten::add_",
        2 => "aten::copy_",
        _ => "aten::layer_norm",
    };
    let _ = write!(
        text,
        "  {{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"{op}\", \"pid\": 425, \"tid\": 425,\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      \"External id\": {step},\"Record function id\": 0, \"Concrete Inputs\": [\"\", \"[1, {}]\", \"4\"], \"Input type\": [\"c10::BFloat16\", \"ScalarList\", \"Scalar\"], \"Input Strides\": [[{}, 1], [], []], \"Input Dims\": [[{}, 77], [], []], \"Ev Idx\": {}\n    }}\n  }},\n",
        time(ts + 700),
        time(vary(30_000)),
        vary(4096),
        vary(4096),
        vary(4096),
        step * 8 + 7
    );
    let correlation = step + 17_000;
    let _ = write!(
        text,
        "  {{\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"hipLaunchKernel\", \"pid\": 425, \"tid\": 425,\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      \"External id\": {step},      \"kernel\": \"gemm_{}\", \"cid\": 211, \"correlation\": {correlation}, \"grid\": [{}, 1, 1], \"block\": [256, 1, 1], \"shared memory\": 0\n    }}\n  }},\n  {{\n    \"ph\": \"s\", \"id\": {correlation}, \"pid\": 425, \"tid\": 425, \"ts\": {},\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"\n  }},\n",
        time(ts + 800),
        time(vary(9_000)),
        vary(50),
        vary(65_536),
        time(ts + 800)
    );
    let _ = write!(
        text,
        "  {{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void ck::kernel_gemm_xdl<{}, 128, float>(float const*, float*)\", \"pid\": 2, \"tid\": 0,\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      \"External id\": {step},      \"device\": 2, \"stream\": 0,      \"correlation\": {correlation}, \"kind\": \"Dispatch Kernel\",      \"grid\":     [77, 1, 1], \"block\":     [128, 1, 1]\n    }}\n  }},\n  {{\n    \"ph\": \"f\", \"id\": {correlation}, \"pid\": 2, \"tid\": 0, \"ts\": {},\n    \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"\n  }},\n",
        vary(200),
        time(ts + 9_000),
        time(vary(80_000)),
        time(ts + 9_000)
    );
}
