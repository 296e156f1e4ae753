//! `executions-without-kernels`: programs were executed, and their kernels are not in the capture.

use super::{Check, Doc, Measure, Measurement, WORK_IS_MISSING, count};
use crate::analysis::Analysis;
use crate::analysis::hlo::{Account, Evidence, Loss};
use crate::report::{Bound, Unit};
use crate::trace::{Capture, ExecutionScope, Trace};
use serde_json::{Value, json};

pub(super) static CHECK: Check = Check {
    id: "executions-without-kernels",
    summary: "programs were executed, but their kernels were not recorded",
    doc: Doc {
        measures: "The number of executions that the host recorded (`GpuExecutable::ExecuteThunks`, else the next best layer of \
            the runtime) and that left no kernel although the schedule of their program must launch one. Where the HLO is not \
            at hand, other executions under the same name tell that it launches kernels.",
        misleads: "The ROCm collector of JAX drops a launch whose device record is missing, so that every record that is left \
            joins its launch: all other checks pass. One public capture shows 5 of 80 executions, without any graph, and its \
            GPUs read 77 to 97 % idle.",
        remedy: "Capture fewer steps, or a newer JAX: the tracer's buffers overflowed or its records came too late. Wait for \
            the result (`block_until_ready`) before `stop_trace`. Kernel times of what was recorded stay true.",
        limit: "0: in complete public captures each of 40, 81 and 42 executions left kernels.",
        exceptions: "Programs that launch nothing; executions before the first record of the device's tracer, where more were \
            recorded after it; executions behind the last record of a device that was busy until recording ended. Idle GPUs \
            are none: only executions count.",
    },
    since: "0.1.0",
    guards: WORK_IS_MISSING,
    requires: None,
    bound: Bound::Max,
    unit: Unit::Count,
    part_of: None,
    measure: Measure::Capture(measure),
};

fn measure(capture: &Capture, analysis: &Analysis) -> Measurement {
    let trace = &capture.primary().trace;
    let Some(loss) = analysis.hlo.as_ref().map(|hlo| &hlo.loss) else {
        return Measurement::not_applicable("the capture knows no compiled program");
    };
    if trace.devices.is_empty() && trace.profiler.device_properties.is_empty() {
        return Measurement::not_applicable("no GPU was visible to the profiler");
    }
    let scope = match loss.evidence {
        Evidence::Scope(scope) => scope,
        Evidence::NotEvaluable(why) => return Measurement::no_evidence(why.reason()),
    };
    let account = &loss.account;
    if account.n_accountable() == 0 && account.n_unknown > 0 {
        return Measurement::no_evidence(format!(
            "{} {} left no kernel, and nothing tells whether their programs launch any",
            account.n_unknown,
            words(scope)
        ));
    }
    Measurement::measured(
        count(account.n_lost),
        [
            ("lost", json!(account.n_lost)),
            ("executions", json!(loss.n_recorded)),
            ("with_kernels", json!(account.n_with_kernels)),
            ("launching_nothing", json!(account.n_launching_nothing)),
            ("before_the_tracer", json!(account.n_before_tracer)),
            ("cut_off_at_the_end", json!(account.n_cut_off)),
            ("unknown", json!(account.n_unknown)),
            ("devices_executing", json!(loss.devices.n_executing)),
            ("devices_with_executions", json!(loss.devices.n_with_executions)),
            ("record", json!(words(scope))),
            ("programs", programs(trace, loss)),
        ],
        message(account, scope),
    )
}

fn message(account: &Account, scope: ExecutionScope) -> String {
    let (with, all, what) = (account.n_with_kernels, account.n_accountable(), words(scope));
    if account.n_lost == 0 {
        format!("kernels were recorded of {with} of {all} {what} that launched any")
    } else {
        format!(
            "kernels were recorded of {with} of {all} {what}: how busy the GPUs were during the other {} is not in this capture",
            account.n_lost
        )
    }
}

/// What one record of the host stands for.
const fn words(scope: ExecutionScope) -> &'static str {
    match scope {
        ExecutionScope::DeviceWithProgram | ExecutionScope::Device => "executions",
        ExecutionScope::Call => "calls",
    }
}

/// The programs of which executions were recorded, as far as evidence goes.
const PROGRAMS_SHOWN: usize = 5;

fn programs(trace: &Trace, loss: &Loss) -> Value {
    let row = |row: &crate::analysis::hlo::ProgramLoss| {
        json!({
            "name": trace.name(row.name),
            "ids": row.ids,
            "executions": row.n_recorded,
            "with_kernels": row.n_with_kernels,
            "kernels_of_an_execution": row.expected.map(|range| range.min),
        })
    };
    loss.programs.iter().take(PROGRAMS_SHOWN).map(row).collect()
}
