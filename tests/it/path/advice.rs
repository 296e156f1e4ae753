//! What is told of a cause beside its saving: what it is made of, and what to try against that.

use super::report;
use idleproof::report::{CaptureReport, Change, ChangeStretches};

fn find<'a>(report: &'a CaptureReport, cause: &str) -> &'a Change {
    let rows = &report.what_to_change;
    rows.iter().find(|row| row.cause == cause).unwrap_or_else(|| panic!("{cause:?}: {rows:#?}"))
}

fn stretches(of: &Change) -> &ChangeStretches {
    of.stretches.as_ref().unwrap_or_else(|| panic!("no stretches: {of:#?}"))
}

/// Launches that are short, one of which takes `first`; each launches a kernel that the device waits for.
fn launches(first: u32) -> CaptureReport {
    let mut text = "op forward 0..90000\n".to_owned();
    let mut at = 0;
    for length in [100, 100, first, 100, 100] {
        text += &format!("launch {at}+{length}\nkernel k {}+50\n", at + length + 5);
        at += length + 60;
    }
    report(&text)
}

#[test]
fn one_call_that_is_most_of_a_cause_asks_for_a_warm_capture() {
    let open = |report: &CaptureReport| {
        let mut open = report.needs_new_capture.iter();
        open.any(|one| one.question.contains("after warm-up"))
    };
    let once = launches(30_000);
    let cause = find(&once, "launch overhead");
    assert!(cause.knob.starts_with("record after warm-up before tuning"), "{cause:#?}");
    assert_eq!(cause.parts[0].what, "cudaLaunchKernel");
    let of = stretches(cause);
    assert_eq!((of.count, of.longest_us.to_string().as_str(), of.mostly_one), (4, "30000", true));
    assert!(open(&once));

    // Calls of one length are no first use.
    let steady = launches(100);
    let cause = find(&steady, "launch overhead");
    assert!(cause.knob.starts_with("graph capture") && !stretches(cause).mostly_one);
    assert!(!open(&steady));
}

/// Before each kernel `n` calls, half of which allocate and half of which free.
fn allocations(n: u32, api: (&str, &str)) -> CaptureReport {
    let calls: String = (0..n)
        .map(|at| {
            let (from, name) = (120 + at * 100, if at % 2 == 0 { api.0 } else { api.1 });
            format!("call {name} {from}+{}\n", if at % 2 == 0 { 10 } else { 80 })
        })
        .collect();
    let every = 120 + n * 100 + 60;
    report(&format!(
        "repeat 6 as n every {every} {{\n\
           annotation ProfilerStep#{{n}} 0+{}\n\
           launch 5..9\nkernel a 12+100\n{calls}\
         }}\n",
        every - 1
    ))
}

#[test]
fn memory_that_is_allocated_again_and_again_points_at_the_caching_allocator() {
    let knob = |report: &CaptureReport, call: &str| {
        find(report, &format!("the device waits for the host: {call}")).knob.clone()
    };
    let often = allocations(40, ("hipMalloc", "hipFree"));
    let said = knob(&often, "hipFree");
    assert!(said.contains("caching allocator keep") && said.contains("see whether"), "{said}");
    let seldom = allocations(4, ("cudaMalloc", "cudaFree"));
    assert!(knob(&seldom, "cudaFree").starts_with("keep what it makes"));
    // Pinned memory of the host is no matter of that allocator.
    let pinned = allocations(40, ("cudaMallocHost", "cudaFreeHost"));
    assert!(knob(&pinned, "cudaFreeHost").starts_with("keep what it makes"));
}

/// Time inside a call that neither launches nor waits counts as the host's: the assumption says so.
#[test]
fn the_assumption_names_the_calls_whose_time_is_gone() {
    let report = allocations(40, ("hipMalloc", "hipFree"));
    let all = find(&report, "the device waits for the host");
    assert!(
        all.assumption.contains("time in other calls, such as those for memory, is gone as well")
    );
    let free = find(&report, "the device waits for the host: hipFree");
    assert!(all.share > free.share && stretches(all).count > stretches(free).count);
    assert_eq!(stretches(free).longest.as_deref(), Some("hipFree"));
}
