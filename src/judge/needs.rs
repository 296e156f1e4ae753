//! Open questions: what this capture cannot tell, and the capture that would answer it.
//!
//! One row a question. It is open where one of its claims is withheld by one of its checks, or is undefined and the capture is of
//! a kind that could have supported it.

use crate::report::{
    CaptureReport, Change, Claim, ClaimState, Microseconds, NewCapture, Records, RunReport,
};

/// One question.
struct Need {
    question: &'static str,
    capture: &'static str,
    /// True where it is open.
    is_open: fn(&CaptureReport, &Records) -> bool,
}

/// Checks that find work without a record in graph replays or executions.
const LOST_REPLAYS: &[&str] = &[
    "under-recorded-graph-replays",
    "incomplete-graph-replays",
    "executions-without-kernels",
    "incomplete-executions",
];

/// Checks that find other work without a record.
const LOST_RECORDS: &[&str] = &[
    "launch-without-device-record",
    "silent-head-or-tail",
    "uneven-kernels-per-step",
    "unequal-device-work",
    "profiler-reported-loss",
    "export-cap-reached",
    "xplane-misses-json-events",
];

/// Checks that find the device standing still with nothing that says why: work may be missing, or something else kept the device.
const STANDING_STILL: &[&str] = &["idle-with-queued-work", "sync-without-recorded-work"];

/// Checks that find records that contradict each other.
const CONTRADICTIONS: &[&str] = &[
    "damaged-records",
    "duplicated-records",
    "duplicate-json-keys",
    "shared-correlation-ids",
    "impossible-durations",
    "json-xplane-mismatch",
    "launch-order-inverted",
    "kernel-before-launch",
    "device-record-without-launch",
];

/// What one rank cannot tell.
const WHO_WAITS: &str = "Which ranks wait in collectives, and for which?";

/// Every question, in the order of reports.
const NEEDS: &[Need] = &[
    Need {
        question: "Which kernels did the graph replays run that are not recorded, and how long was the device really idle?",
        capture: "The same steps with every replay recorded: fewer of them, a larger profiler buffer, and, on ROCm, a profiler that records \
            every dispatch of a graph. Keep the file that was written while the graphs were captured beside the trace: it counts their nodes.",
        is_open: |capture, records| {
            is_withheld_by(capture, LOST_REPLAYS)
                || is_withheld_by(capture, STANDING_STILL) && !has_whole_replays(records)
        },
    },
    Need {
        question: "Did the graph replay that nothing confirms run more than its records show?",
        capture: "Two replays of the graph or more in one capture, or one with a wait for the device right behind it.",
        is_open: |capture, _| is_withheld_by(capture, &["unconfirmed-idle"]),
    },
    Need {
        question: "What kept the device while work was queued, or while the host waited for it?",
        capture: "The same steps once more, with all that uses the device recorded (peers, other processes): where the wait does not come again, it was the \
            tracer's or another's. A device that did run something then has its records.",
        is_open: |capture, records| {
            is_withheld_by(capture, STANDING_STILL)
                && has_whole_replays(records)
                && !is_withheld_by(capture, LOST_REPLAYS)
                && !is_withheld_by(capture, LOST_RECORDS)
        },
    },
    Need {
        question: "What ran where records are missing?",
        capture: "The original file of the profiler, not one that was cut or filtered afterwards; else a shorter recording, so that no buffer fills.",
        is_open: |capture, _| is_withheld_by(capture, LOST_RECORDS),
    },
    Need {
        question: "Which of the records that contradict each other is true?",
        capture: "The original files, one for each rank; where those show the same, another recording by another version of the profiler.",
        is_open: |capture, _| is_withheld_by(capture, CONTRADICTIONS),
    },
    Need {
        question: "Which operation launched the kernels that run inside graphs?",
        capture: "A second capture of the same steps with graphs off (PyTorch: eager mode; JAX: XLA_FLAGS=--xla_gpu_enable_command_buffer=), \
            for attribution alone. Times are those of this one.",
        is_open: |capture, records| {
            records.graph.kernels > 0
                && is_withheld(capture, Claim::OpAttribution, &["low-op-attribution"])
        },
    },
    Need {
        question: "Which operation launched each kernel?",
        capture: "A capture with operators recorded (PyTorch: activities with ProfilerActivity.CPU; JAX: with the programs' HLO in the xplane).",
        is_open: |capture, records| {
            has_kernels(records) && is(capture, Claim::OpAttribution, ClaimState::Undefined)
        },
    },
    Need {
        question: "Did the device wait for the host?",
        capture: "A capture of both sides: device activity and the calls into the runtime.",
        is_open: |capture, records| {
            has_kernels(records) && is(capture, Claim::HostStarved, ClaimState::Undefined)
        },
    },
    Need {
        question: "How long does a step take, and how much does that vary?",
        capture: "At least three whole steps, marked (PyTorch: profiler.step() under a schedule; JAX: jax.profiler.StepTraceAnnotation).",
        is_open: |capture, records| {
            has_kernels(records) && is(capture, Claim::StepTime, ClaimState::Undefined)
        },
    },
    Need {
        question: "What decides how long a step takes?",
        capture: "Host and device in one capture, with all launches, and with the waits of the host and of streams (CUDA: synchronisation events; \
            JAX: host_tracer_level=3).",
        is_open: |capture, records| {
            has_kernels(records) && is(capture, Claim::CriticalPath, ClaimState::Undefined)
        },
    },
    Need {
        question: "How near do kernels come to what the device can do?",
        capture: "A capture that names its device and has the shapes of operands (PyTorch: record_shapes=True, and graphs off; JAX: the programs' HLO).",
        is_open: |capture, records| {
            has_kernels(records) && is(capture, Claim::Roofline, ClaimState::Undefined)
        },
    },
    Need {
        question: WHO_WAITS,
        capture: "The captures of all ranks of the job, of the same steps, in one folder.",
        is_open: |_, records| {
            records.devices.iter().any(|device| device.collective_us > Microseconds::default())
        },
    },
    Need {
        question: "What does the host do between operators, while the device waits for it?",
        capture: "A second capture of the same steps with Python stacks (PyTorch: with_stack=True), for the names of the functions alone. Times are those of \
            this one: the tracer slows the host down.",
        is_open: |capture, records| {
            records.python_frames == 0
                && is(capture, Claim::Estimate, ClaimState::Supported)
                && waits_in_a_range(capture, records)
        },
    },
    Need {
        question: "Does the one call that is most of a cause take as long after warm-up?",
        capture: "The same steps after warm-up (PyTorch: a schedule with warmup; JAX: a trace that starts after the first calls): what is made at its first \
            use, such as contexts, streams, memory and loaded kernels, is there by then.",
        is_open: |capture, _| {
            let mut changes = capture.what_to_change.iter();
            is(capture, Claim::Estimate, ClaimState::Supported)
                && changes.any(|one| one.stretches.as_ref().is_some_and(|of| of.mostly_one))
        },
    },
    Need {
        question: "How fast would the host be without the profiler?",
        capture: "A capture without the Python tracer (PyTorch: with_stack=False; JAX: python_tracer_level=0).",
        is_open: |_, records| records.python_frames > 0,
    },
    Need {
        question: "Does a change help as much as was inferred?",
        capture: "The same steps after the change, recorded in the same way: `idleproof diff BEFORE AFTER` holds the two against each other.",
        is_open: |capture, _| {
            !capture.what_to_change.is_empty()
                && is(capture, Claim::Estimate, ClaimState::Supported)
        },
    },
];

/// The questions that a judged capture leaves open.
pub(super) fn list(capture: &CaptureReport) -> Vec<NewCapture> {
    let Some(records) = &capture.records else { return Vec::new() };
    let open = NEEDS.iter().filter(|need| (need.is_open)(capture, records));
    let row = |need: &Need| NewCapture {
        question: need.question.to_owned(),
        capture: need.capture.to_owned(),
    };
    open.map(row).collect()
}

/// Takes away what the ranks of a job answer together.
pub fn answered_by_runs(captures: &mut [CaptureReport], runs: &[RunReport]) {
    let told = runs.iter().filter(|run| run.claims.collective_split.state == ClaimState::Supported);
    let told: Vec<&String> = told.flat_map(|run| &run.captures).collect();
    for capture in captures.iter_mut().filter(|capture| told.contains(&&capture.name)) {
        capture.needs_new_capture.retain(|open| open.question != WHO_WAITS);
    }
}

/// True where time in which the device waits for the host is in a range that holds no operator and no call.
fn waits_in_a_range(capture: &CaptureReport, records: &Records) -> bool {
    let rows = || records.devices.iter().flat_map(|device| &device.idle_host_events);
    let is_range = |name: &str| rows().any(|row| row.kind == "annotation" && row.name == name);
    capture.what_to_change.iter().filter_map(Change::host_event).any(is_range)
}

/// True where no graph replay may lack a record, as far as anything counts what it should have.
fn has_whole_replays(records: &Records) -> bool {
    let covered = records.graph.node_coverage.is_some_and(|share| share.get() >= 1.0);
    records.graph.launches == 0 || covered
}

fn has_kernels(records: &Records) -> bool {
    records.devices.iter().any(|device| device.kernels > 0)
}

fn is(capture: &CaptureReport, claim: Claim, state: ClaimState) -> bool {
    capture.claims.get(claim).0 == state
}

/// True where one of these checks withholds any claim.
fn is_withheld_by(capture: &CaptureReport, checks: &[&str]) -> bool {
    Claim::ALL.into_iter().any(|claim| is_withheld(capture, claim, checks))
}

fn is_withheld(capture: &CaptureReport, claim: Claim, checks: &[&str]) -> bool {
    let (state, by) = capture.claims.get(claim);
    state == ClaimState::Withheld && by.iter().any(|id| checks.contains(&id.as_str()))
}

#[cfg(test)]
mod tests {
    use super::{CONTRADICTIONS, LOST_RECORDS, LOST_REPLAYS, STANDING_STILL};
    use crate::checks;

    #[test]
    fn every_check_that_is_named_exists() {
        for id in [LOST_REPLAYS, LOST_RECORDS, STANDING_STILL, CONTRADICTIONS].concat() {
            assert!(checks::find(id).is_some(), "{id}");
        }
    }
}
