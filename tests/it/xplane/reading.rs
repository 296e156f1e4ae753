//! What the reader makes of an xplane, piece by piece.

use super::samples::{self, sample};
use super::{read, trace};
use crate::xspace::xplane_pb::{XEvent, x_stat::Value};
use crate::xspace::{
    Line, Program, Space, Stat, call, event, gpu, host, kernel, line, plane, session, space, stream,
};
use idleproof::trace::{
    DamageFault, DeviceEventKind, ExecutionScope, Hlo, HostCallKind, RecordSide, Trace,
};
use idleproof::units::Picoseconds;

/// One kernel on one stream, and its launch.
fn smallest() -> Space {
    let calls = line(11, "Host Threads/11", vec![call("hipModuleLaunchKernel", 0, 2, 1)]);
    space(vec![gpu(0, vec![stream(3, vec![kernel("fusion.kd", 10, 5, 1)])]), host(vec![calls])])
}

/// A program of one fusion.
fn program(name: &str, id: u64) -> Program {
    let text = format!("producer jax-rocm\nprogram {name} {id} {{\nfusion fusion\n}}");
    sample(&text).planes[0].programs[0].clone()
}

fn notices(space: &Space) -> Vec<(&'static str, u64)> {
    read(&space.bytes()).notices.iter().map(|notice| (notice.code, notice.count)).collect()
}

fn names<'t>(
    trace: &'t Trace,
    ids: impl Iterator<Item = idleproof::trace::NameId>,
) -> Vec<&'t str> {
    ids.map(|id| trace.name(id)).collect()
}

#[test]
fn replays_keep_their_launches() {
    for (recorded, expected) in [(5, 15), (1, 3), (0, 0)] {
        let trace = trace(&samples::graph_replays(5, recorded));
        assert_eq!(trace.device_events.len(), expected);
        assert!(trace.host_calls.iter().all(|call| call.kind == HostCallKind::GraphLaunch));
        assert_eq!(trace.host_calls.len(), 5);
        assert_eq!(trace.executions.len(), 5);
        // The host says which program ran, so that its schedule can be held against the records.
        assert!(matches!(trace.programs[0].hlo, Hlo::Stored(_)));
    }
}

#[test]
fn loops_keep_body_and_trip_count() {
    let trace = trace(&samples::loop_graph());
    let Hlo::Stored(module) = &trace.programs[0].hlo else { panic!("{:?}", trace.programs) };
    let entry = &module.computations[module.entry.unwrap()];
    assert_eq!((entry.name.as_str(), entry.schedule.as_deref()), ("main", Some(&[0, 1][..])));
    let looped = &entry.instructions[1];
    assert_eq!((looped.trip_count, looped.called.as_slice()), (Some(3), &[2, 3][..]));
    assert_eq!(entry.instructions[0].stack_frame, Some(2));
    let frame = &module.frames[1];
    assert_eq!((&*frame.function, frame.line, frame.parent), ("main", 99, Some(1)));
    let shape = &entry.instructions[0].shape;
    assert_eq!((shape.element, shape.dimensions.as_slice()), ("f32", &[2, 3][..]));
}

#[test]
fn only_programs_in_use_are_decoded() {
    let mut made = samples::async_label();
    made.planes[0].programs.push(program("jit_setup", 3));
    made.planes[1].lines[0]
        .events
        .push(kernel("x.kd", 90, 5, 3).labelled("x", &program("jit_lost", 99)));
    let trace = trace(&made);
    let found: Vec<_> = trace.programs.iter().map(|one| (one.id, trace.name(one.name))).collect();
    assert_eq!(found, [(3, "jit_setup"), (17, "jit_step"), (99, "jit_lost")]);
    assert!(matches!(trace.programs[0].hlo, Hlo::NotNeeded(bytes) if bytes > 50));
    assert!(matches!(trace.programs[1].hlo, Hlo::Stored(_)));
    assert!(matches!(trace.programs[2].hlo, Hlo::Missing));
}

#[test]
fn damaged_hlo_costs_its_program_alone() {
    let mut made = samples::async_label();
    let (mut space, text) = (made.message(), b"jit_step(17)".to_vec());
    let row = space.planes[0].event_metadata.values_mut().find(|row| row.name == text).unwrap();
    row.stats[0].value = Some(Value::BytesValue(vec![0x0A, 0x7F]));
    let record = read(&prost::Message::encode_to_vec(&space));
    assert!(matches!(record.trace.programs[0].hlo, Hlo::Damaged(_)), "{:?}", record.trace.programs);
    assert_eq!(record.trace.device_events.len(), 2);
    made.planes.remove(0);
    assert!(matches!(trace(&made).programs[0].hlo, Hlo::Missing));
}

#[test]
fn derived_lines_are_counted_and_left_out() {
    let trace = trace(&samples::derived_lines());
    assert_eq!(trace.device_events.len(), 1);
    assert_eq!(trace.profiler.derived_lines, [("Steps".to_owned(), 1), ("XLA Ops".to_owned(), 1)]);
}

#[test]
fn suffixes_of_lines_say_nothing() {
    let copy = event("CopyDeviceToDevice", 20, 5)
        .with("memcpy_details", Stat::Ref("kind:Unknown size:655360 dest:2 async:1".to_owned()));
    let blit = kernel("__amd_rocclr_copyBuffer.kd", 30, 5, 2);
    let plain = event("ncclDevKernel_AllReduce", 40, 5);
    let fill = event("Memset", 50, 5).with("memset_details", Stat::Text("kind:Device size:4"));
    let lines = vec![
        line(8, "Stream #8(MemcpyOther)", vec![kernel("fusion.kd", 10, 5, 1)]),
        line(9, "Stream #9", vec![copy, blit, plain, fill]),
    ];
    let trace = trace(&space(vec![gpu(2, lines)]));
    let kinds: Vec<_> = trace.device_events.iter().map(|event| event.kind).collect();
    use DeviceEventKind::{Collective, CopyKernel, Kernel, Memcpy, Memset};
    assert_eq!(kinds, [Kernel, Memcpy, CopyKernel, Collective, Memset]);
    assert_eq!((trace.devices[0].raw_id, trace.streams.len()), (2, 2));
    let [copy] = trace.copies.as_slice() else { panic!("{:?}", trace.copies) };
    assert_eq!((copy.event, copy.bytes, copy.direction), (1, Some(655_360), None));
}

#[test]
fn times_count_from_the_smallest_base() {
    let mut made = smallest();
    let epoch = 1_700_000_000_000_000_000;
    made.planes[0].lines[0].base_ns = epoch + 50_000;
    made.planes[1].lines[0].base_ns = epoch;
    made.planes.push(session(epoch.cast_unsigned(), epoch.cast_unsigned() + 1_000_000));
    let trace = trace(&made);
    assert_eq!(trace.origin.file_ns, epoch);
    assert_eq!(trace.device_events[0].interval.start(), Picoseconds::from_us(60));
    assert_eq!(trace.origin.base_unix_ns, Some(epoch));
}

#[test]
fn the_session_spans_from_its_start_to_its_stop() {
    let mut made = smallest();
    made.planes.push(session(1_700_000_000_000_000_000, 1_700_000_000_000_100_000));
    let trace = trace(&made);
    // Bases are 1,000 ns after the session's start, and the session lasts 100 µs.
    let span = trace.profiler.span.unwrap();
    assert_eq!((span.start(), span.end()), (Picoseconds::from_us(-1), Picoseconds::from_us(99)));
    assert_eq!(trace.profiler.field("hostname"), Some("synth-host"));
    assert_eq!(trace.profiler.field("planes"), Some("/device:GPU:0, /host:CPU, Task Environment"));
    made.planes.pop();
    made.planes.push(session(9, 3));
    assert_eq!(notices(&made), [("profiler-span", 1)]);
}

#[test]
fn one_lost_base_does_not_cost_the_others() {
    let mut made = smallest();
    for line in made.planes.iter_mut().flat_map(|plane| &mut plane.lines) {
        line.base_ns = 1_700_000_000_000_000_000;
    }
    let lost = Line { base_ns: 0, ..stream(5, vec![kernel("lost.kd", 0, 1, 7)]) };
    made.planes[0].lines.push(lost);
    let trace = trace(&made);
    assert_eq!((trace.device_events.len(), trace.streams.len()), (1, 1));
    let [damaged] = trace.damaged.as_slice() else { panic!("{:?}", trace.damaged) };
    assert_eq!(
        (damaged.fault, damaged.side, damaged.count),
        (DamageFault::ZeroTimestamp, RecordSide::Device, 1)
    );
    assert_eq!(trace.name(damaged.first.0), "lost.kd");
}

#[test]
fn damaged_times_are_counted() {
    let mut negative = kernel("negative", 10, 5, 1);
    negative.duration_ps = -1;
    let mut far = kernel("far", 10, 5, 2);
    far.start_ps = i64::MAX;
    let mut made = smallest();
    made.planes[0].lines[0].events.extend([negative, far, kernel("empty", 10, 0, 3)]);
    let trace = trace(&made);
    let found: Vec<_> = trace.damaged.iter().map(|one| (one.fault, one.count)).collect();
    use DamageFault::{NegativeDuration, OutOfRange, ZeroDuration};
    assert_eq!(found, [(NegativeDuration, 1), (ZeroDuration, 1), (OutOfRange, 1)]);
    assert_eq!(trace.device_events.len(), 2);
}

#[test]
fn picoseconds_show_in_the_resolution() {
    let mut made = smallest();
    assert_eq!(trace(&made).resolution, Picoseconds::new(1_000));
    made.planes[0].lines[0].events[0].start_ps += 1;
    assert_eq!(trace(&made).resolution, Picoseconds::new(1));
}

#[test]
fn calls_are_known_by_their_correlation() {
    let named_after_kernel = call("loop_fusion", 0, 2, 2);
    let copy = call("CopyDeviceToDevice", 3, 2, 3)
        .with("memcpy_details", Stat::Text("kind:Unknown size:0"));
    let wait = call("hipStreamWaitEvent", 6, 2, 4);
    let callback = call("hipLaunchHostFunc", 9, 2, 5);
    let graph = call("cuGraphLaunch (CudaGraph:5)", 12, 2, 6);
    let without_id = event("hipDeviceSynchronize", 15, 2);
    let zero = call("hipModuleLaunchKernel", 18, 2, 0);
    let mut made = smallest();
    made.planes[1].lines.push(line(
        12,
        "tf_pjrt_thread_pool/-7",
        vec![named_after_kernel, copy, event("hipLike", 1, 1)],
    ));
    made.planes[1].lines[0].events.extend([wait, callback, graph, without_id, zero]);
    let trace = trace(&made);
    let found: Vec<_> = trace
        .host_calls
        .iter()
        .map(|call| (trace.name(call.api), call.kind, call.correlation.map(|id| id.get())))
        .collect();
    use HostCallKind::{Copy, DeviceSync, GraphLaunch, Launch, Other, StreamWait};
    assert_eq!(
        found,
        [
            ("hipModuleLaunchKernel", Launch, Some(1)),
            ("hipStreamWaitEvent", StreamWait, Some(4)),
            ("hipLaunchHostFunc", Other, Some(5)),
            ("cuGraphLaunch", GraphLaunch, Some(6)),
            ("hipDeviceSynchronize", DeviceSync, None),
            ("hipModuleLaunchKernel", Launch, None),
            ("loop_fusion", Launch, Some(2)),
            ("CopyDeviceToDevice", Copy, Some(3)),
        ]
    );
    assert_eq!(names(&trace, trace.host_spans.iter().map(|span| span.name)), ["hipLike"]);
    assert_eq!(names(&trace, trace.threads.iter().map(|thread| thread.raw_id)), ["11", "12"]);
}

#[test]
fn labels_are_shared_by_equal_records() {
    let program = program("jit_step", 17);
    let kernels = (0..4).map(|at| kernel("fusion.kd", at * 10, 5, 1).labelled("fusion", &program));
    let bare = kernel("bare.kd", 90, 5, 2).with("tf_op", Stat::Text("XlaModule:"));
    let mut events: Vec<_> = kernels.collect();
    events[3] = events[3].clone().with("name", Stat::Text("jit(step)/mul"));
    events.push(bare);
    let trace = trace(&space(vec![gpu(0, vec![stream(3, events)])]));
    assert_eq!(trace.hlo_labels.len(), 2);
    let label = trace.hlo_labels[0];
    assert_eq!((label.program, label.op_name), (Some(17), None));
    assert_eq!(trace.name(trace.hlo_labels[1].op_name.unwrap()), "jit(step)/mul");
    assert_eq!(trace.device_events[4].hlo, None);
}

#[test]
fn the_best_layer_of_executions_is_taken() {
    let mut made = smallest();
    let names = [
        "PJRT_LoadedExecutable_Execute",
        "PjRtStreamExecutorLoadedExecutable::Execute",
        "PjRtStreamExecutorLoadedExecutable::ExecuteHelper",
        "[0] CommonPjRtLoadedExecutable::Execute (jit_f)",
        "PJRT_LoadedExecutable_Execute linkage",
    ];
    let events = names.iter().zip(0..).map(|(name, at)| event(name, at, 1)).collect();
    made.planes[1].lines.push(line(12, "python", events));
    let scopes = |made: &Space| {
        let trace = trace(made);
        trace.executions.iter().map(|one| (one.scope, one.module.is_some())).collect::<Vec<_>>()
    };
    use ExecutionScope::{Call, Device, DeviceWithProgram};
    assert_eq!(scopes(&made), [(Call, false), (Device, false), (DeviceWithProgram, true)]);
    let thunks = event("GpuExecutable::ExecuteThunks", 9, 1)
        .with("module_name", Stat::Ref("jit_g".to_owned()));
    made.planes[1].lines[1].events.push(thunks);
    let trace = trace(&made);
    let module = trace.executions.last().unwrap().module.unwrap();
    assert_eq!((trace.executions.len(), trace.name(module)), (3, "jit_g"));
    // Executions are host activity as well: the tables of idle time need every scope.
    assert_eq!(trace.host_spans.len(), 6);
}

#[test]
fn steps_are_annotations_with_their_number() {
    let mut made = smallest();
    let step = event("train", 0, 9).with("step_num", Stat::Signed(4));
    made.planes[1].lines.push(line(12, "python", vec![step]));
    let trace = trace(&made);
    assert_eq!(names(&trace, trace.annotations.iter().map(|one| one.name)), ["train#4"]);
}

#[test]
fn devices_state_what_they_are_even_when_idle() {
    let mut made = smallest();
    let mut idle = gpu(1, vec![]);
    idle.stats = vec![
        ("device_vendor", Stat::Text("AMD")),
        ("clock_rate", Stat::Signed(2_100_000)),
        ("core_count", Stat::Signed(304)),
        ("memory_bandwidth", Stat::Unsigned(2_662_400_000_000)),
        ("memory_size", Stat::Unsigned(206_141_652_992)),
        ("compute_cap_major", Stat::Signed(9)),
        ("compute_cap_minor", Stat::Signed(4)),
    ];
    made.planes.push(idle);
    let trace = trace(&made);
    assert_eq!(trace.devices.len(), 1);
    let [unsaid, stated] = trace.profiler.device_properties.as_slice() else { panic!() };
    assert_eq!((unsaid.id, &unsaid.vendor), (0, &None));
    assert_eq!((stated.id, stated.vendor.as_deref()), (1, Some("AMD")));
    assert_eq!((stated.clock_khz, stated.multiprocessors), (Some(2_100_000), Some(304)));
    assert_eq!(stated.memory_bandwidth, Some(2_662_400_000_000));
    assert_eq!(
        (stated.total_memory, stated.compute_capability),
        (Some(206_141_652_992), Some((9, 4)))
    );
}

#[test]
fn aggregated_events_have_no_place_on_a_timeline() {
    let mut made = smallest();
    let mut many = event("MemoryAllocation", 0, 5);
    many.occurrences = Some(12);
    made.planes[1].lines[0].events.push(many.clone());
    made.planes[0].lines[0].events.push(many);
    let trace = trace(&made);
    let found = trace.profiler.aggregated;
    assert_eq!((found.device_events, found.device_occurrences, found.host_events), (1, 12, 1));
    assert_eq!((trace.device_events.len(), trace.host_calls.len()), (1, 1));
}

#[test]
fn what_is_tolerated_is_counted() {
    let mut made = smallest();
    let odd = kernel("odd.kd", 20, 5, 2)
        .with("correlation_id", Stat::Unsigned(3))
        .with("program_id", Stat::Double(1.5))
        .with("fragmentation", Stat::Signed(0))
        .with("fragmentation", Stat::Double(0.5));
    made.planes[0].lines[0].events.push(odd);
    made.planes.push(plane("/device:TPU:0", vec![line(1, "XLA Ops", vec![event("fusion", 0, 1)])]));
    assert_eq!(
        notices(&made),
        [("repeated-stat", 1), ("unsupported-device", 1), ("unusable-stat", 1)]
    );
    assert_eq!(trace(&made).device_events[1].correlation.map(|id| id.get()), Some(3));
}

#[test]
fn names_that_are_missing_or_no_text_are_counted() {
    let mut message = smallest().message();
    let plane = &mut message.planes[0];
    plane.event_metadata.values_mut().for_each(|row| row.name = b"fus\xFFion".to_vec());
    plane.lines[0].events[0].stats[1].metadata_id = 4_000_000_000;
    let lost = XEvent { metadata_id: -5, ..plane.lines[0].events[0].clone() };
    plane.lines[0].events.push(lost);
    let record = read(&prost::Message::encode_to_vec(&message));
    let found: Vec<_> = record.notices.iter().map(|notice| (notice.code, notice.count)).collect();
    assert_eq!(found, [("dangling-id", 3), ("invalid-utf8", 1)]);
    let trace = &record.trace;
    assert_eq!(
        names(trace, trace.device_events.iter().map(|event| event.name)),
        ["fus\u{FFFD}ion", ""]
    );
}

#[test]
fn what_the_profiler_reports_is_kept() {
    let made = Space {
        errors: vec!["lost".into()],
        warnings: vec!["dropped 5 events".into()],
        ..smallest()
    };
    let log = trace(&made).profiler.log;
    let expected = [("ERROR", "lost"), ("WARNING", "dropped 5 events")];
    assert_eq!(log, expected.map(|(level, line)| (level.to_owned(), line.to_owned())));
}

#[test]
fn graph_nodes_are_read_where_the_tracer_writes_them() {
    let node = |node| {
        kernel("fusion.kd", 20, 5, 2)
            .with("cuda_graph_id", Stat::Unsigned(9))
            .with("cuda_graph_node_id", Stat::Unsigned(node))
    };
    let whole = event("CudaGraphExec:9", 30, 5).with("cuda_graph_exec_id", Stat::Unsigned(9));
    let mut made = smallest();
    made.planes[0].lines[0].events.extend([node(0), node(1), node(0), whole]);
    let trace = trace(&made);
    let nodes: Vec<_> =
        trace.device_events.iter().map(|event| event.graph_node.map(|id| id.index())).collect();
    assert_eq!(nodes, [None, Some(0), Some(1), Some(0), None]);
    assert_eq!(notices(&made), [("whole-graph-record", 1)]);
}
