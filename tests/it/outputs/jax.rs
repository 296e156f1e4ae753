//! A report of a JAX capture, and rows of tables, made by hand.

use super::builder::{HOSTILE, healthy, share, us};
use idleproof::report::*;
use std::collections::BTreeMap;
use std::sync::Arc;

fn class(records: u64, time: i128, part: u64) -> AttributionClass {
    AttributionClass { records, time_us: us(time), share: Some(share(part, 1000)) }
}

fn attribution() -> Attribution {
    let op = |name: &str, level: &str, is_argument| OpRow {
        name: name.to_owned(),
        records: 20,
        time_us: us(11_000),
        share: Some(share(220, 1000)),
        class: "exact".to_owned(),
        level: Some(level.to_owned()),
        is_argument,
        per_step_us: Vec::new(),
        kernels_per_step: None,
    };
    let line = |file: &str, line, level: &str| LineRow {
        file: file.to_owned(),
        line,
        records: 20,
        time_us: us(11_000),
        share: Some(share(220, 1000)),
        function: Some("loss_fn".to_owned()),
        level: Some(level.to_owned()),
        class: Some("order".to_owned()),
    };
    let reason = |reason: &str, kernels: AttributionClass| Unattributed {
        reason: reason.to_owned(),
        records: kernels.records,
        time_us: kernels.time_us,
        share: kernels.share,
    };
    let program = |id, name: &str| ProgramTime {
        id,
        name: name.to_owned(),
        records: 40,
        time_us: us(20_000),
        share: Some(share(400, 1000)),
    };
    Attribution {
        classes: BTreeMap::from([
            ("exact".to_owned(), class(40, 30_000, 600)),
            ("name".to_owned(), class(10, 5_000, 100)),
            ("none".to_owned(), class(4, 10_000, 200)),
            ("order".to_owned(), class(10, 5_000, 100)),
        ]),
        methods: Methods {
            by_id: None,
            by_id_refused: Some("a compiled program launches its kernels".to_owned()),
            by_nesting: None,
            compared: 0,
            agreeing: 0,
        },
        ops: vec![
            op("jit(step)/dot_general", "own", false),
            op("jit(step)/a | jit(step)/b", "several", false),
            op("kernel", "inner", true),
        ],
        lines: vec![
            line("/app/train.py", 77, "inner"),
            line("=cmd|' /C calc'!A0.py", 1, "library-only"),
        ],
        hlo: Some(HloRecords {
            programs: vec![program(12_345_678_901_234_567_890, "jit_step"), program(9, HOSTILE)],
            program: Some(9),
            unattributed: vec![
                reason("no record tells the program", class(3, 9_000, 180)),
                reason("no open instruction can have launched it", class(1, 1_000, 20)),
            ],
            left_out_by_op_views: class(34, 31_000, 620),
            without_op: class(2, 20, 1),
        }),
    }
}

/// A JAX capture of which nothing is withheld.
pub(crate) fn jax() -> CaptureReport {
    CaptureReport {
        name: "captures/jax/host".to_owned(),
        attribution: Some(attribution()),
        tables: Some(jax_tables()),
        ..healthy()
    }
}

fn jax_tables() -> Tables {
    let row = KernelRow {
        name: "fusion_3.kd".to_owned(),
        records: 20,
        time_us: us(11_000),
        share: Some(share(220, 1000)),
        class: "exact".to_owned(),
        program: Some((9, "jit_step".to_owned())),
        instruction: Some("fusion.3".to_owned()),
        op: Some("jit(step)/mul".to_owned()),
        level: Some("own".to_owned()),
        line: Some(("/app/train.py".to_owned(), 77)),
    };
    let text = |id, name: &str, lines: &[&str]| ProgramText {
        id,
        name: name.to_owned(),
        lines: lines.iter().map(|&line| line.to_owned()).collect(),
    };
    Tables {
        kernels: vec![row],
        gaps: Vec::new(),
        programs: vec![
            text(9, "jit_step", &["HloModule jit_step (id 9)", "", "ENTRY main {", "}"]),
            text(9, "jit_step", &["HloModule of the same name and id"]),
            text(5, "../../etc/\u{1b}[31m", &["HloModule \u{1b}[31m"]),
        ],
    }
}

/// Rows of a PyTorch capture.
pub(crate) fn tables() -> Tables {
    let kernel = |name: &str, op: Option<&str>| KernelRow {
        name: name.to_owned(),
        records: 1_200,
        time_us: Microseconds::from_ps(22_222_000_001),
        share: Some(share(35, 100)),
        class: "correlation".to_owned(),
        program: None,
        instruction: None,
        op: op.map(str::to_owned),
        level: None,
        line: None,
    };
    let gap = |start, queued: Option<i128>| GapRow {
        device: Arc::from("gpu:0"),
        start_us: us(start),
        length_us: us(250),
        queued_us: queued.map(us),
        blocked_us: queued.map(|_| us(0)),
        next_work: queued.map(|_| Arc::from("Memcpy HtoD")),
        launch: queued.map(|_| Arc::from("cudaMemcpyAsync")),
        thread: queued.map(|_| Arc::from("4242")),
        host_event: (Arc::from("=1+1"), "annotation"),
        host_us: us(249),
    };
    Tables {
        kernels: vec![kernel(HOSTILE, Some("aten::mm")), kernel("@k, \"quoted\"", None)],
        gaps: vec![gap(1_000_000, Some(200)), gap(2_000_000, None)],
        programs: Vec::new(),
    }
}
