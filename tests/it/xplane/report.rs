//! JAX captures as reports: what a user may choose, and what he then reads.

use super::read;
use crate::harness::default_policy;
use crate::xspace::{
    Computation, Frame, Instruction, Line, Program, Space, Stat, call, event, gpu, host, kernel,
    line, metadata, space, stream,
};
use idleproof::report::{CaptureReport, IdleHostEvent, LineRow, OpRow};
use idleproof::trace::Capture;
use idleproof::{Options, evaluate_capture};
use regex::Regex;

/// A program of one computation that runs the named fusions one after the other. All of them stand on a line of the user's, called
/// through a library.
fn program(name: &str, id: u64, fusions: &[&str]) -> Program {
    let frame = |file: &str, function: &str, line, parent| Frame {
        file: file.to_owned(),
        function: function.to_owned(),
        line,
        parent,
    };
    let instruction = |(id, name): (i64, &&str)| Instruction {
        id,
        name: (*name).to_owned(),
        opcode: "fusion".to_owned(),
        op_name: "jit(step)/mul".to_owned(),
        frame: 2,
        ..Instruction::default()
    };
    let main = Computation {
        id: 1,
        name: "main".to_owned(),
        instructions: (1..).zip(fusions).map(instruction).collect(),
        is_fusion: false,
    };
    Program {
        name: name.to_owned(),
        id,
        computations: vec![main],
        frames: vec![
            frame("/app/train.py", "step", 7, 0),
            frame("/usr/lib/python3/site-packages/jax/numpy.py", "multiply", 99, 1),
        ],
    }
}

/// The judged report of a fixture.
fn report(space: &Space, options: &Options) -> CaptureReport {
    let capture = Capture {
        name: "host".to_owned(),
        records: vec![read(&space.bytes())],
        shards: Vec::new(),
    };
    evaluate_capture(&capture, &default_policy(), jiff::civil::date(2026, 1, 1), options)
}

/// A step of three kernels and another program of one.
fn two_programs() -> Space {
    let step = program("jit_step", 17, &["fusion", "fusion.1", "fusion.2"]);
    let mut init = program("jit_init", 9, &["wrapped_iota"]);
    init.computations[0].instructions[0].op_name = "jit(init)/iota".to_owned();
    let kernels = vec![
        kernel("wrapped_iota.kd", 10, 4, 1).labelled("wrapped_iota", &init),
        kernel("fusion.kd", 20, 5, 2).labelled("fusion", &step),
        kernel("fusion_1.kd", 30, 5, 3).labelled("fusion.1", &step),
        kernel("fusion_2.kd", 40, 5, 4).labelled("fusion.2", &step),
    ];
    let calls = (1..=4_i64).map(|id| call("hipModuleLaunchKernel", 10 * id, 2, id.cast_unsigned()));
    space(vec![
        metadata(vec![init, step]),
        gpu(0, vec![stream(3, kernels)]),
        host(vec![line(11, "Host Threads/11", calls.collect())]),
    ])
}

fn ops(report: &CaptureReport) -> Vec<String> {
    let row = |op: &OpRow| format!("{} {} {}", op.name, op.records, op.time_us);
    report.attribution.iter().flat_map(|attribution| &attribution.ops).map(row).collect()
}

fn lines(report: &CaptureReport) -> Vec<String> {
    let row = |row: &LineRow| {
        let level = row.level.as_deref().unwrap_or_default();
        format!("{}:{} {} {level} {}", row.file, row.line, row.records, row.time_us)
    };
    report.attribution.iter().flat_map(|attribution| &attribution.lines).map(row).collect()
}

#[test]
fn a_program_that_is_named_has_the_tables_for_itself() {
    let space = two_programs();
    let (step, init) = ("jit(step)/mul 3 15", "jit(init)/iota 1 4");
    let all = report(&space, &Options::default());
    assert_eq!(ops(&all), [step, init]);
    assert_eq!(lines(&all), ["/app/train.py:7 4 own 19"]);
    let hlo = all.attribution.as_ref().unwrap().hlo.as_ref().unwrap();
    let programs = hlo.programs.iter().map(|one| (one.id, one.name.as_str(), one.records));
    assert_eq!(programs.collect::<Vec<_>>(), [(17, "jit_step", 3), (9, "jit_init", 1)]);
    for (id, op, line) in
        [(17, step, "/app/train.py:7 3 own 15"), (9, init, "/app/train.py:7 1 own 4")]
    {
        let chosen = report(&space, &Options { program: Some(id), ..Options::default() });
        assert_eq!(ops(&chosen), [op]);
        assert_eq!(lines(&chosen), [line]);
        // The choice is about two tables: what kernels there were stays.
        assert_eq!(chosen.hot_kernels, all.hot_kernels);
        let classes = |report: &CaptureReport| report.attribution.clone().unwrap().classes;
        assert_eq!(classes(&chosen), classes(&all));
        assert!(chosen.notices.is_empty(), "{:?}", chosen.notices);
    }
}

#[test]
fn a_program_that_is_not_there_is_said() {
    let chosen = report(&two_programs(), &Options { program: Some(5), ..Options::default() });
    assert!(ops(&chosen).is_empty() && lines(&chosen).is_empty());
    let notice = &chosen.notices[0];
    assert_eq!(notice.code, "absent-program");
    assert!(notice.message.contains("program 5"), "{}", notice.message);
    assert!(chosen.trust_list.iter().any(|item| item.item == notice.message));
}

#[test]
fn a_user_says_which_files_are_his() {
    let of = |files: &str| {
        let user_files = Some(Regex::new(files).unwrap());
        lines(&report(&two_programs(), &Options { user_files, ..Options::default() }))
    };
    assert_eq!(of(r"train\.py$"), ["/app/train.py:7 4 own 19"]);
    assert_eq!(of("jax/"), ["/usr/lib/python3/site-packages/jax/numpy.py:99 4 own 19"]);
    // No frame is his: the innermost one stands in, and is marked.
    assert_eq!(of("^/home"), ["/usr/lib/python3/site-packages/jax/numpy.py:99 4 library-only 19"]);
}

/// Kernels of one name whose labels alone tell their operations are not lumped together under the first.
#[test]
fn labels_without_hlo_keep_their_operations_apart() {
    let lost = program("jit_lost", 99, &[]);
    let with_op = |start, id, op: &str| {
        kernel("gemm.kd", start, 5, id)
            .labelled(if id == 1 { "dot.1" } else { "dot.2" }, &lost)
            .with("name", Stat::Ref(op.to_owned()))
    };
    let kernels = vec![with_op(10, 1, "jit(lost)/a"), with_op(20, 2, "jit(lost)/b")];
    let calls = (1..=2_i64).map(|id| call("hipModuleLaunchKernel", 10 * id, 2, id.cast_unsigned()));
    let made = space(vec![
        gpu(0, vec![stream(3, kernels)]),
        host(vec![line(11, "Host Threads/11", calls.collect())]),
    ]);
    let report = report(&made, &Options::default());
    assert_eq!(ops(&report), ["jit(lost)/a 1 5", "jit(lost)/b 1 5"]);
    assert_eq!(report.hot_kernels[0].op, None);
}

/// Two executions, 100 µs apart, whose launches a tracer lists on a line of their own.
fn two_lines(executing: &[(i64, &str)]) -> Space {
    let step = program("jit_step", 17, &["fusion"]);
    let execution = |at| {
        let thunks = event("GpuExecutable::ExecuteThunks", at, 9);
        thunks.with("module_name", Stat::Ref("jit_step".to_owned()))
    };
    let python = |&(id, name): &(i64, &str)| {
        let frame = event("$train.py:77 step", 0, 150);
        line(
            id,
            name,
            vec![frame, execution(0), event("PjitFunction(step)", 60, 30), execution(100)],
        )
    };
    let calls = [(2, 1), (102, 2)].map(|(at, id)| call("hipModuleLaunchKernel", at, 3, id));
    let kernels = [(20, 1), (120, 2)].map(|(at, id)| kernel("fusion.kd", at, 10, id));
    let mut lines: Vec<Line> = executing.iter().map(python).collect();
    lines.push(line(583, "Host Threads/583", calls.to_vec()));
    space(vec![metadata(vec![step]), gpu(0, vec![stream(3, kernels.to_vec())]), host(lines)])
}

fn idle_rows(space: &Space) -> Vec<String> {
    let report = report(space, &Options::default());
    let records = report.records.unwrap();
    let row = |row: &IdleHostEvent| format!("{} {} {}", row.kind, row.name, row.time_us);
    records.devices[0].idle_host_events.iter().map(row).collect()
}

#[test]
fn the_host_of_a_gap_is_the_thread_that_executes_what_was_launched() {
    assert_eq!(
        idle_rows(&two_lines(&[(12, "python")])),
        [
            "span $train.py:77 step 51",
            "span PjitFunction(step) 30",
            "span GpuExecutable::ExecuteThunks 6",
            "call hipModuleLaunchKernel 3",
        ]
    );
    // Two threads execute at once, and nothing tells which of them launched.
    assert_eq!(
        idle_rows(&two_lines(&[(12, "py_xla_execute/1"), (13, "py_xla_execute/2")])),
        ["none no host event 87", "call hipModuleLaunchKernel 3"]
    );
}

#[test]
fn frames_of_the_python_tracer_are_counted() {
    let frames = |space: &Space| read(&space.bytes()).trace.profiler.python_frames;
    assert_eq!(frames(&two_lines(&[(12, "python")])), 1);
    assert_eq!(frames(&two_programs()), 0);
}
