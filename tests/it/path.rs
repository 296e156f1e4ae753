//! Steps, the critical path and what to change: on small captures whose path, step times and counterfactuals are known, and on every
//! capture at hand that the segments add up to the window.

mod advice;
mod at_roofline;
mod counterfactual;
mod sums;

use crate::fixture;
use crate::harness::pipeline;
use idleproof::report::{CaptureReport, ClaimState, CriticalPath};

fn report(text: &str) -> CaptureReport {
    let bytes = fixture::write(text).unwrap_or_else(|error| panic!("{error}"));
    pipeline(&[("trace.pt.trace.json".to_owned(), bytes.kineto())])
}

fn path(report: &CaptureReport) -> &CriticalPath {
    report.critical_path.as_ref().unwrap_or_else(|| panic!("no path: {:?}", report.error))
}

/// `kind name time` of every segment.
fn segments(report: &CaptureReport) -> Vec<String> {
    let row = |one: &idleproof::report::PathSegment| {
        format!("{} {} {}", one.kind, one.name.as_deref().unwrap_or("-"), one.time_us)
    };
    path(report).segments.iter().map(row).collect()
}

#[test]
fn the_path_goes_through_what_started_the_work_last() {
    // The host launches, waits, and launches again: the second kernel waits for the host, and the host for the first.
    let report = report(
        "op forward 0..500\n\
         launch 0..10\nkernel a 15..115\n\
         sync 20..120\n\
         op aten::item 130..140\n\
         launch 150..160\nkernel b 166..266\nlaunch 162..165\nkernel c 267..300\n",
    );
    assert_eq!(
        segments(&report),
        [
            "kernel a 100",
            "host-wait cudaDeviceSynchronize 5",
            "host forward 10",
            "host aten::item 10",
            "host forward 10",
            "launch-call cudaLaunchKernel 10",
            "dispatch - 6",
            "kernel b 100",
            "queue - 1",
            "kernel c 33",
        ]
    );
    assert_eq!(path(&report).total_us.to_string(), "285");
    assert_eq!(report.claims.critical_path.state, ClaimState::Supported);
}

#[test]
fn an_awaited_event_leads_to_another_stream() {
    let report = report(
        "launch 0..2\nkernel a 10+100 stream=7\n\
         launch 4..6\nkernel b 12+300 stream=8\n\
         call cudaStreamWaitEvent 8..9\n\
         launch 10..12\nkernel c 313+50 stream=7\n",
    );
    assert_eq!(segments(&report), ["dispatch - 2", "kernel b 300", "queue - 1", "kernel c 50"]);
}

/// A copy from the device to memory that is not pinned is queued by name: the host waits in it for what runs before it.
#[test]
fn a_copy_that_waits_for_work_before_it_is_a_wait_of_the_host() {
    let report = report(
        "launch 0..2\nkernel a 10+800\n\
         copy 20..820\nmemcpy DtoH 811+2\n\
         launch 830..832\nkernel b 840+10\n",
    );
    assert_eq!(
        segments(&report),
        [
            "kernel a 800",
            "queue - 1",
            "copy Memcpy DtoH (Device -> Pageable) 2",
            "host-wait cudaMemcpyAsync 7",
            "host - 10",
            "launch-call cudaLaunchKernel 2",
            "dispatch - 8",
            "kernel b 10",
        ]
    );
}

/// One that returns before its copy begins waits for nothing, whatever runs before it.
#[test]
fn a_copy_that_returns_at_once_is_no_wait() {
    let report = report(
        "launch 0..2\nkernel a 10+800\n\
         copy 20..24\nmemcpy DtoH 811+2\n\
         launch 30..32\nkernel b 814+10\n",
    );
    assert_eq!(
        segments(&report),
        [
            "kernel a 800",
            "queue - 1",
            "copy Memcpy DtoH (Device -> Pageable) 2",
            "queue - 1",
            "kernel b 10",
        ]
    );
}

/// Work that was launched after the wait cannot be what a stream waits for, whenever it ended.
#[test]
fn a_stream_waits_for_what_had_been_launched() {
    let report = report(
        "launch 0..2\nkernel a 10+300 stream=7\n\
         call cudaStreamWaitEvent 8..9\n\
         launch 10..12\nkernel c 316+50 stream=7\n\
         launch 14..16\nkernel late 20+294 stream=8\n",
    );
    assert_eq!(segments(&report), ["kernel a 300", "queue - 6", "kernel c 50"]);
}

/// Without a record of any stream's wait, work of another stream that ends right before counts.
#[test]
fn a_wait_that_no_call_records_may_be_for_another_stream() {
    let report = report(
        "launch 0..2\nkernel a 10+100 stream=7\n\
         launch 4..6\nkernel b 12+300 stream=8\n\
         launch 10..12\nkernel c 313+50 stream=7\n",
    );
    assert_eq!(segments(&report), ["dispatch - 2", "kernel b 300", "queue - 1", "kernel c 50"]);
}

#[test]
fn the_host_is_followed_from_thread_to_thread() {
    // The second thread works for the first one, which is in no operator meanwhile.
    let report = report(
        "launch 0..10 thread=1\nkernel a 12..20\n\
         op backward 100..200 thread=2\nlaunch 150..160 thread=2\nkernel b 165..170\n\
         op step 300..400 thread=1\nlaunch 350..360 thread=1\nkernel c 365..370\n",
    );
    assert_eq!(
        segments(&report),
        [
            "host - 88",
            "host backward 50",
            "launch-call cudaLaunchKernel 10",
            "host - 140",
            "host step 50",
            "launch-call cudaLaunchKernel 10",
            "dispatch - 5",
            "kernel c 5",
        ]
    );
}

#[test]
fn what_nothing_explains_is_said_and_withholds_the_path() {
    let report = report("launch 0..2\nkernel a 10..110\nlaunch 4..6\nkernel b 160..260\n");
    assert_eq!(
        segments(&report),
        ["kernel a 100", "unexplained - 30", "queue - 20", "kernel b 100"]
    );
    let path = path(&report);
    assert_eq!(
        path.reason.as_deref(),
        Some("nothing explains 30.0 µs of the window's 250 µs, more than 5 %")
    );
    assert_eq!(report.claims.critical_path.state, ClaimState::Undefined);
    assert_eq!(report.claims.estimate.state, ClaimState::Undefined);
    assert!(report.what_to_change.is_empty());
}

#[test]
fn a_gap_that_the_device_or_the_launch_may_explain_refuses_the_path() {
    // Each kernel starts 15 µs after its launch, and 10 µs after the kernel before it ended.
    let report =
        report("op forward 0..600\nrepeat 30 every 14 {\n  launch 0..4\n  kernel k 15+4\n}\n");
    assert_eq!(report.claims.critical_path.state, ClaimState::Undefined);
    assert_eq!(report.claims.estimate.state, ClaimState::Undefined);
    let reason = path(&report).reason.as_deref().unwrap_or_default();
    assert!(reason.contains("the device or the launch"), "{reason}");
}

#[test]
fn records_without_a_launch_refuse_the_path() {
    for (text, reason) in [
        (
            "launch 0..2\nkernel a 10..110\nkernel lost 111..120 corr=none ext=none\n\
             launch 4..6\nkernel b 121..160\n",
            "1 device record in the window has no known launch",
        ),
        ("kernel a 10..110 corr=none ext=none\n", "no launch of a kernel in the window is known"),
    ] {
        let report = report(text);
        assert_eq!(path(&report).reason.as_deref(), Some(reason), "{text}");
        assert_eq!(report.claims.critical_path.state, ClaimState::Undefined, "{text}");
    }
}

#[test]
fn a_collective_is_never_called_a_transfer() {
    let report = report(
        "launch 0..2\nkernel a 10..110\nlaunch 4..6\nkernel ncclDevKernel_AllReduce 111..211\n",
    );
    assert_eq!(
        segments(&report),
        ["kernel a 100", "queue - 1", "collective ncclDevKernel_AllReduce 100"]
    );
}

#[test]
fn a_step_is_counted_from_its_first_work_to_that_of_the_next() {
    let report = report(
        "repeat 4 as n every 1000 {\n\
           annotation ProfilerStep#{n} 0..990\n\
           launch 10..12\nkernel a 30+960\n\
         }\n",
    );
    let steps = report.records.as_ref().and_then(|records| records.steps.as_ref()).unwrap();
    let times = steps.step_time_us.unwrap();
    assert_eq!([times.min, times.median, times.max].map(|time| time.to_string()), ["1000"; 3]);
    assert_eq!((steps.count, steps.complete), (4, 4));
    assert_eq!(steps.trust, "marked by the profiler");
    assert_eq!(steps.median_step.as_deref(), Some("ProfilerStep#1"));
    assert_eq!(report.claims.step_time.state, ClaimState::Supported);
    assert_eq!(path(&report).step.as_deref(), Some("ProfilerStep#1"));
    assert_eq!(path(&report).total_us.to_string(), "1000");
}

#[test]
fn fewer_than_three_complete_steps_have_no_step_time() {
    // The launch in the second step leaves no record, so two of three are left.
    let report = report(
        "repeat 3 as n every 1000 {\n\
           annotation ProfilerStep#{n} 0..990\n\
           launch 10..12\nkernel a 20+500\nlaunch 14..16\nkernel b 521+100\n\
         }\n\
         lose corr=50004..50004\n",
    );
    let steps = report.records.as_ref().and_then(|records| records.steps.as_ref()).unwrap();
    assert_eq!((steps.count, steps.complete), (3, 2));
    assert_eq!(steps.left_out[0].reason, "launches in it left no record");
    assert_eq!(report.claims.step_time.state, ClaimState::Undefined);
}

#[test]
fn graph_launches_that_repeat_are_steps_and_say_so() {
    let report = report(
        "repeat 6 every 500 {\n\
           graph-launch 10..20\nkernel node 25+100 times=3 step=101\n\
         }\n",
    );
    let steps = report.records.as_ref().and_then(|records| records.steps.as_ref()).unwrap();
    assert_eq!(steps.trust, "not marked: launches of one graph that repeat, taken for steps");
    assert_eq!((steps.count, steps.complete), (6, 5));
    assert_eq!(steps.left_out[0].reason, "nothing tells where the last one ends");
    assert_eq!(steps.step_time_us.unwrap().median.to_string(), "500");
}

/// What PyTorch records of an optimizer ends a training step. Another optimizer, which runs less often, delimits none, and the
/// profiler's own marker goes before both.
#[test]
fn updates_of_the_weights_end_steps_where_nothing_is_marked() {
    let text = |marker: &str| {
        format!(
            "repeat 6 as n every 1000 {{\n\
               {marker}\n\
               launch 10..12\nkernel forward 30+300\n\
               annotation Optimizer.step#SGD.step 400..450\n\
               launch 410..412\nkernel update 420+100\n\
             }}\n\
             annotation Optimizer.step#Adam.step 700..710\n"
        )
    };
    let found = report(&text(""));
    let steps = found.records.as_ref().and_then(|records| records.steps.as_ref()).unwrap();
    assert_eq!(
        steps.trust,
        "not marked: from the end of one update of the weights to the end of the next"
    );
    assert_eq!((steps.marked, steps.marker.as_str()), (false, "after Optimizer.step#SGD.step"));
    // Five lie between six updates; nothing of the program follows the last one.
    assert_eq!((steps.count, steps.complete), (6, 5));
    assert_eq!(steps.step_time_us.unwrap().median.to_string(), "1000");
    assert_eq!(found.claims.step_time.state, ClaimState::Supported);
    // From the next forward pass to the one behind it: the update is a part of the step that it ends.
    let records: Vec<u64> = steps.rows.iter().map(|row| row.kernels).collect();
    assert_eq!(records, [2, 2, 2, 2, 2, 0]);

    let marked = report(&text("annotation ProfilerStep#{n} 0..990"));
    let steps = marked.records.as_ref().and_then(|records| records.steps.as_ref()).unwrap();
    assert_eq!(steps.trust, "marked by the profiler");
}

/// A run of JAX: ten microseconds of work a step, and the next one 100 later.
fn jax(steps: &str) -> CaptureReport {
    let text = format!(
        "producer jax-rocm\n\
         program jit_step 17 {{\n\
           wrapped_add fusion us=5\n\
           loop_mul fusion us=5\n\
         }}\n\
         repeat 5 as n every 100 {{\n\
           {steps}\n\
           execute jit_step 10..40\n\
         }}\n"
    );
    let written = fixture::write(&text).unwrap_or_else(|error| panic!("{error}"));
    pipeline(&[written.xplane()])
}

/// Op by op: every execution launches a kernel, and the count says so where no saving can be computed.
#[test]
fn many_executions_of_small_programs_are_counted() {
    let report = programs(&[5, 5]);
    let advice = report.try_by_count.iter().find(|one| one.id == "small-executions").unwrap();
    let expected = "30 of 30 executions are of 2 program names (2 programs) that launch at most 2 kernels in one, and run shorter than the host takes to hand \
        one over: 30 kernels in all";
    assert_eq!(advice.found, expected);
    assert!(advice.action.contains("one jax.jit") && !advice.no_saving.is_empty(), "{advice:?}");
    assert_eq!(advice.basis, "inferred");
    assert!(jax("").try_by_count.is_empty());
    // One kernel an execution is no little work where it runs for longer than it takes to hand it over.
    assert!(programs(&[15, 15]).try_by_count.is_empty());
    // Nor do short ones matter first where others hold most of the time.
    assert!(programs(&[5, 5, 60]).try_by_count.is_empty());
}

/// Programs of one kernel each, so long in microseconds, which the host hands over in ten.
fn programs(kernels_us: &[u32]) -> CaptureReport {
    let mut text = "producer jax-rocm\n".to_owned();
    let mut runs = String::new();
    for (n, us) in kernels_us.iter().enumerate() {
        text += &format!("program jit_{n} {} {{\n  loop_{n} fusion us={us}\n}}\n", 17 + n);
        runs += &format!("execute jit_{n} {}..{}\n", 10 + 40 * n, 20 + 40 * n);
    }
    text += &format!("repeat 15 as n every 200 {{\n{runs}}}\n");
    let written = fixture::write(&text).unwrap_or_else(|error| panic!("{error}"));
    pipeline(&[written.xplane()])
}

#[test]
fn operators_that_wait_for_the_device_are_counted() {
    let report = report(
        "repeat 4 every 1000 {\n\
           op aten::mm 5..30\nlaunch 10..14\nkernel a 20+300\n\
           op aten::is_nonzero 40..400\nop aten::item 50..390\n\
           call cudaMemcpy 60..380\nmemcpy DtoH 325+2\n\
         }\n\
         sync 3900..3990\n",
    );
    let [advice] = report.try_by_count.as_slice() else { panic!("{:?}", report.try_by_count) };
    assert_eq!(advice.id, "waiting-operators");
    let row = &advice.rows[0];
    assert_eq!((row.what.as_str(), row.count), ("aten::is_nonzero → cudaMemcpy", 4));
    assert_eq!((advice.rows.len(), row.time_us.unwrap().to_string()), (1, "1280".to_owned()));
}

#[test]
fn steps_of_jax_are_the_users_or_the_executions() {
    for (line, marker, marked, complete) in
        [("step train 0..90 n={n}", "train", true, 5), ("", "jit_step", false, 4)]
    {
        let report = jax(line);
        let steps = report.records.as_ref().and_then(|records| records.steps.as_ref()).unwrap();
        assert_eq!((steps.marker.as_str(), steps.marked), (marker, marked));
        assert_eq!((steps.count, steps.complete), (5, complete));
        assert_eq!(steps.program, (!marked).then_some(17));
        assert_eq!(steps.step_time_us.unwrap().median.to_string(), "100");
        assert_eq!(report.claims.step_time.state, ClaimState::Supported);
    }
}
