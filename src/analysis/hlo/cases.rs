//! Cases of attribution, each on a module and a trace of a few kernels.

use super::fixture::{Said, Sample, fusion, looped, module, op, with_target};
use super::{Evidence, HloAttribution, HloClass, Unevaluable, hlo_attribution};
use crate::analysis::Choice;
use crate::analysis::launches::join;
use crate::trace::{ExecutionScope, GraphTask, HloModule};
use Said::{Nothing, Op, Program};

const THUNKS: ExecutionScope = ExecutionScope::DeviceWithProgram;

fn attribute(sample: &Sample) -> HloAttribution {
    let trace = &sample.trace;
    let attribution = hlo_attribution(trace, &join(trace), Choice::default()).unwrap();
    let sum =
        attribution.classes.iter().fold((0, 0), |(n, ps), one| (n + one.n, ps + one.time.ps()));
    assert_eq!(sum, (attribution.kernels.n, attribution.kernels.time.ps()), "R29");
    attribution
}

/// What each device event got: `exact f`, `name f`, `order f@2` in iteration 2, or `none: reason`.
fn told(sample: &Sample) -> Vec<String> {
    let attribution = attribute(sample);
    let tell = |one: &super::HloAttributed| {
        let place = one.program.zip(one.instruction).map(|(program, place)| {
            let program = &sample.trace.programs[program as usize];
            super::instruction(program, place).unwrap().name.clone()
        });
        let iteration = one.iteration.map(|at| format!("@{at}")).unwrap_or_default();
        match (one.class, place) {
            (HloClass::None, _) => format!("none: {:?}", one.reason.unwrap()),
            (class, place) => format!("{} {}{iteration}", class.name(), place.unwrap_or_default()),
        }
    };
    attribution.of_event.iter().map(tell).collect()
}

#[track_caller]
fn check(sample: &Sample, expected: &[&str]) {
    assert_eq!(told(sample), expected);
}

/// One program and one execution of it, which launches the kernels one by one.
fn once(module: HloModule, kernels: &[(&str, Said<'_>)]) -> Sample {
    let mut sample = Sample::default();
    sample.program(1, "jit_f", module);
    sample.execution(THUNKS, Some("jit_f"), |sample| {
        kernels.iter().for_each(|kernel| sample.launch(&[*kernel]));
    });
    sample
}

fn abc() -> HloModule {
    module(vec![fusion("a", &["add"]), fusion("b", &["multiply"]), fusion("c", &["divide"])])
}

/// A program with two equal fusions whose shared kernel bears the name of the first.
fn shared() -> HloModule {
    module(vec![fusion("a.1", &["add"]), fusion("b", &["multiply"]), fusion("a.2", &["add"])])
}

#[test]
fn labels_are_exact_and_names_fill_the_window() {
    check(
        &once(abc(), &[("a", Op(1, "a")), ("b.kd", Nothing), ("c", Op(1, "c"))]),
        &["exact a", "name b", "exact c"],
    );
}

#[test]
fn a_shared_name_is_taken_in_order() {
    check(
        &once(shared(), &[("a_1", Nothing), ("b", Nothing), ("a_1", Nothing)]),
        &["order a.1", "name b", "order a.2"],
    );
}

#[test]
fn a_name_of_another_instruction_is_not_believed() {
    // Only the second of the equal fusions is open, and its kernel bears the first one's name.
    check(
        &once(shared(), &[("a_1", Op(1, "a.1")), ("b", Op(1, "b")), ("a_1", Nothing)]),
        &["exact a.1", "exact b", "order a.2"],
    );
}

#[test]
fn a_partial_execution_is_not_aligned() {
    // The kernel of one of the equal fusions is lost: which one is not known, though a name would fit.
    check(&once(shared(), &[("a_1", Nothing), ("b", Nothing)]), &["none: Incomplete", "name b"]);
}

#[test]
fn a_library_call_takes_several_kernels() {
    let module = || {
        module(vec![
            fusion("a", &["add"]),
            with_target("conv", "__cudnn$convForward"),
            fusion("b", &["multiply"]),
        ])
    };
    check(
        &once(
            module(),
            &[("a", Nothing), ("Im3d2Col.kd", Nothing), ("Cijk_Ailk", Nothing), ("b", Nothing)],
        ),
        &["name a", "order conv", "order conv", "name b"],
    );
    // One of the two kernels has a label: the other joins it.
    check(
        &once(
            module(),
            &[
                ("a", Op(1, "a")),
                ("Im3d2Col.kd", Nothing),
                ("Cijk_Ailk", Op(1, "conv")),
                ("b", Nothing),
            ],
        ),
        &["exact a", "order conv", "exact conv", "name b"],
    );
}

#[test]
fn equal_library_calls_side_by_side_stay_ambiguous() {
    let module = module(vec![with_target("x", "my_ffi"), with_target("y", "my_ffi")]);
    let kernel = "void ck::kernel<int>()";
    check(
        &once(module, &[(kernel, Nothing), (kernel, Nothing), (kernel, Nothing)]),
        &["order x", "none: Ambiguous", "order y"],
    );
}

#[test]
fn copies_of_others_are_no_part_of_the_program() {
    check(
        &once(
            abc(),
            &[
                ("a", Nothing),
                ("__amd_rocclr_copyBuffer.kd", Nothing),
                ("b", Nothing),
                ("c", Nothing),
            ],
        ),
        &["name a", "none: NoCandidate", "name b", "name c"],
    );
}

#[test]
fn a_graph_of_the_whole_loop_knows_the_iteration() {
    let body = vec![fusion("x", &["add"]), fusion("y", &["multiply"])];
    let module = module(vec![fusion("a", &["negate"]), looped("while.1", Some(3), body)]);
    let mut sample = Sample::default();
    sample.program(1, "jit_f", module);
    for _ in 0..2 {
        sample.launch(&[("a", Op(1, "a"))]);
        sample.launch(&[("x", Program(1)), ("y", Program(1))].repeat(3));
    }
    let once =
        ["exact a", "order x@0", "order y@0", "order x@1", "order y@1", "order x@2", "order y@2"];
    check(&sample, &[once, once].concat());
    assert_eq!(attribute(&sample).executions.len(), 2);
}

#[test]
fn a_loop_of_unknown_length_is_a_wall() {
    let body = vec![fusion("x", &["add"])];
    let module = module(vec![
        fusion("a", &["negate"]),
        looped("while.1", None, body),
        fusion("b", &["exp"]),
    ]);
    check(
        &once(module, &[("a", Op(1, "a")), ("x", Nothing), ("x", Op(1, "x")), ("b", Nothing)]),
        &["exact a", "none: UnknownPart", "exact x", "name b"],
    );
}

/// Two loops around one kernel, with something before and behind them.
fn nested(outer: u64, inner: u64) -> HloModule {
    let body = vec![looped("while.2", Some(inner), vec![fusion("x", &["add"])])];
    module(vec![
        fusion("a", &["negate"]),
        looped("while.1", Some(outer), body),
        fusion("b", &["exp"]),
    ])
}

#[test]
fn iterations_of_nested_loops_count_on() {
    let mut sample = Sample::default();
    sample.program(1, "jit_f", nested(2, 3));
    sample.launch(&[("a", Op(1, "a"))]);
    sample.launch(&[("x", Program(1))].repeat(6));
    sample.launch(&[("b", Op(1, "b"))]);
    let looped = (0..6).map(|nth| format!("order x@{nth}"));
    let all: Vec<String> =
        ["exact a".to_owned()].into_iter().chain(looped).chain(["exact b".to_owned()]).collect();
    check(&sample, &all.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_loop_that_never_runs_has_no_kernels() {
    for (outer, inner) in [(0, 1), (1, 0), (0, u64::MAX), (u64::MAX, 0)] {
        check(
            &once(nested(outer, inner), &[("a", Op(1, "a")), ("b", Nothing)]),
            &["exact a", "name b"],
        );
    }
}

#[test]
fn a_loop_beyond_what_is_expanded_is_a_wall() {
    for (outer, inner) in [
        (1, u64::MAX),
        (u64::MAX, 1),
        (u64::from(u32::MAX), u64::from(u32::MAX)),
        (1 << 10, 1 << 10),
    ] {
        let launched = [("a", Op(1, "a")), ("x", Nothing), ("x", Op(1, "x")), ("b", Nothing)];
        check(
            &once(nested(outer, inner), &launched),
            &["exact a", "none: UnknownPart", "exact x", "name b"],
        );
    }
}

#[test]
fn executions_end_where_the_schedule_starts_again() {
    let mut sample = Sample::default();
    sample.program(1, "jit_f", abc());
    for _ in 0..2 {
        sample.launch(&[("a", Op(1, "a"))]);
        sample.launch(&[("b", Nothing)]);
        sample.launch(&[("c", Op(1, "c"))]);
    }
    check(&sample, &["exact a", "name b", "exact c"].repeat(2));
    let loss = attribute(&sample).loss;
    assert_eq!(loss.evidence, Evidence::NotEvaluable(Unevaluable::NoHostRecord));
}

#[test]
fn between_two_executions_nothing_is_guessed() {
    let mut sample = Sample::default();
    sample.program(1, "jit_f", abc());
    for _ in 0..2 {
        sample.launch(&[("a", Op(1, "a"))]);
        sample.launch(&[("b", Op(1, "b"))]);
        sample.launch(&[("c", Nothing)]);
    }
    let expected = ["exact a", "exact b", "none: NoProgram"];
    check(&sample, &expected.repeat(2));
}

#[test]
fn the_fitting_program_of_a_shared_name_is_taken() {
    let mut sample = Sample::default();
    sample.program(1, "jit_f", abc());
    sample.program(2, "jit_f", module(vec![fusion("d", &["add"])]));
    sample.execution(THUNKS, Some("jit_f"), |sample| sample.launch(&[("d", Nothing)]));
    check(&sample, &["name d"]);
    assert_eq!(attribute(&sample).of_event[0].program, Some(1));
}

#[test]
fn equal_programs_of_one_name_stay_ambiguous() {
    let mut sample = Sample::default();
    sample.program(1, "jit_f", module(vec![fusion("d", &["add"])]));
    sample.program(2, "jit_f", module(vec![fusion("d", &["add"])]));
    sample.execution(THUNKS, Some("jit_f"), |sample| sample.launch(&[("d", Nothing)]));
    check(&sample, &["none: AmbiguousProgram"]);
    assert_eq!(attribute(&sample).counts.ambiguous_program.n, 1);
}

#[test]
fn a_label_that_the_hlo_lacks_is_kept() {
    let module = module(vec![
        fusion("a", &["add"]),
        op("all-gather-start.3", "all-gather-start"),
        op("all-gather-done.3", "all-gather-done"),
        fusion("b", &["multiply"]),
    ]);
    let mut sample = Sample::default();
    sample.program(1, "jit_f", module);
    sample.execution(THUNKS, Some("jit_f"), |sample| {
        sample.launch(&[("a", Op(1, "a"))]);
        sample.launch_on(2, &[("ncclDevKernel_Generic_1", Op(1, "all-gather.34"))]);
        sample.launch(&[("b", Op(1, "b"))]);
    });
    // The turn of the only collective is known, and the class stays what it is.
    check(&sample, &["exact a", "exact-label all-gather-start.3", "exact b"]);
    let counts = attribute(&sample).counts;
    assert_eq!((counts.label_not_stored.n, counts.left_out_by_op_views().n), (1, 1));
    assert_eq!(counts.n_unpaired_async, 0);
}

#[test]
fn a_program_without_hlo_keeps_its_labels() {
    let mut sample = Sample::default();
    sample.launch(&[("a", Op(9, "a"))]);
    sample.launch(&[("b", Program(9)), ("c", Program(9))]);
    check(&sample, &["exact ", "none: HloMissing", "none: HloMissing"]);
    let counts = attribute(&sample).counts;
    assert_eq!((counts.without_hlo.n, counts.programs_without_hlo), (3, vec![9]));
    assert_eq!(counts.graph_without_label.n, 2);
}

#[test]
fn kernels_out_of_order_are_left_to_their_names() {
    check(
        &once(shared(), &[("b", Op(1, "b")), ("a_1", Op(1, "a.1")), ("a_1", Nothing)]),
        &["exact b", "exact a.1", "none: OutOfOrder"],
    );
    // Swapped without a label: names that occur once are certain, the order is not.
    let module = module(vec![
        fusion("a", &["add"]),
        fusion("b", &["multiply"]),
        fusion("x.1", &["exp"]),
        fusion("x.2", &["exp"]),
    ]);
    check(
        &once(module, &[("b", Nothing), ("a", Nothing), ("x_1", Nothing), ("x_1", Nothing)]),
        &["name b", "name a", "none: OutOfOrder", "none: OutOfOrder"],
    );
}

const F: Option<&str> = Some("jit_f");
const A: (&str, Said<'_>) = ("a", Op(1, "a"));
const B: (&str, Said<'_>) = ("b", Op(1, "b"));
const C: (&str, Said<'_>) = ("c", Op(1, "c"));

/// Executions of one program, each with the kernels that were recorded of it.
fn runs(recorded: &[&[(&str, Said<'_>)]]) -> Sample {
    let mut sample = Sample::default();
    sample.program(1, "jit_f", abc());
    for kernels in recorded {
        sample.execution(THUNKS, F, |sample| {
            kernels.iter().for_each(|kernel| sample.launch(&[*kernel]));
        });
    }
    sample
}

/// Time passes on the host until recording ends, and the device does nothing.
fn later(mut sample: Sample) -> Sample {
    sample.host_ns += 1_000_000;
    sample.execution(ExecutionScope::Call, None, |_| {});
    sample
}

/// (with kernels, lost, before the tracer, cut off), and the incomplete ones.
fn lost(sample: &Sample) -> ((u64, u64, u64, u64), u64) {
    let loss = attribute(sample).loss;
    let account = loss.account;
    let sums = account.n_accountable() + account.n_before_tracer + account.n_cut_off;
    assert_eq!(sums + account.n_unknown + account.n_launching_nothing, loss.n_recorded);
    let found =
        (account.n_with_kernels, account.n_lost, account.n_before_tracer, account.n_cut_off);
    (found, loss.n_incomplete)
}

#[test]
fn executions_without_kernels_are_lost() {
    let sample = runs(&[&[A, B, C], &[], &[A], &[A, B, C]]);
    assert_eq!(lost(&sample), ((3, 1, 0, 0), 1));
    let loss = attribute(&sample).loss;
    assert_eq!(loss.evidence, Evidence::Scope(THUNKS));
    let program = &loss.programs[0];
    assert_eq!((program.n_recorded, program.n_with_kernels, program.n_incomplete), (Some(4), 3, 1));
    assert_eq!(program.kernels_per_execution, [3, 1, 3]);
    assert!(!program.is_constant());
    // A program of another name that launches nothing owes nothing.
    let mut sample = runs(&[&[A, B, C]]);
    sample.program(2, "jit_g", module(vec![op("p", "parameter")]));
    sample.execution(THUNKS, Some("jit_g"), |_| {});
    assert_eq!(lost(&later(sample)), ((1, 0, 0, 0), 0));
}

#[test]
fn a_tracer_that_starts_late_loses_less_than_it_records() {
    let full: &[(&str, Said<'_>)] = &[A, B, C];
    assert_eq!(lost(&later(runs(&[&[], full, full]))), ((2, 0, 1, 0), 0));
    assert_eq!(lost(&later(runs(&[&[], &[], full, full]))), ((2, 2, 0, 0), 0));
    // It may start inside an execution, but not inside a graph.
    assert_eq!(lost(&later(runs(&[&[B, C], full]))), ((2, 0, 0, 0), 0));
    assert_eq!(lost(&later(runs(&[&[A, C], full]))), ((2, 0, 0, 0), 1));
    assert_eq!(lost(&later(runs(&[full, &[B, C]]))), ((2, 0, 0, 0), 1));
    let mut graph = Sample::default();
    graph.program(1, "jit_f", abc());
    graph.execution(THUNKS, F, |sample| sample.launch(&[B, C]));
    assert_eq!(lost(&later(graph)), ((1, 0, 0, 0), 1));
}

#[test]
fn a_record_of_a_whole_graph_is_no_loss() {
    let mut sample = runs(&[&[A, B, C]]);
    sample.execution(THUNKS, F, |sample| sample.launch(&[("CudaGraphExec:5", Nothing)]));
    sample.trace.device_events[3].graph_task = GraphTask::WholeReplay;
    assert_eq!(lost(&later(sample)), ((2, 0, 0, 0), 0));
}

#[test]
fn recording_that_ends_under_work_cuts_executions_off() {
    let full: &[(&str, Said<'_>)] = &[A, B, C];
    assert_eq!(lost(&runs(&[full, full, &[]])), ((2, 0, 0, 1), 0));
    assert_eq!(lost(&runs(&[full, full, &[A]])), ((3, 0, 0, 0), 0));
    assert_eq!(lost(&later(runs(&[full, full, &[]]))), ((2, 1, 0, 0), 0));
    assert_eq!(lost(&later(runs(&[full, full, &[A]]))), ((3, 0, 0, 0), 1));
}

#[test]
fn executions_without_a_name_may_be_of_any_program() {
    let unnamed = |programs: &[HloModule]| {
        let mut sample = Sample::default();
        for (id, module) in (1_u64..).zip(programs) {
            sample.program(id, &format!("jit_{id}"), module.clone());
        }
        sample.execution(ExecutionScope::Device, None, |sample| {
            [A, B, C].iter().for_each(|kernel| sample.launch(&[*kernel]));
        });
        sample.execution(ExecutionScope::Device, None, |_| {});
        later(sample)
    };
    assert_eq!(lost(&unnamed(&[abc()])), ((1, 1, 0, 0), 0));
    assert_eq!(lost(&unnamed(&[abc(), module(vec![op("p", "parameter")])])), ((1, 0, 0, 0), 0));
}

#[test]
fn kernels_of_others_do_not_hide_that_all_are_lost() {
    let mut sample = runs(&[&[], &[]]);
    sample.launch(&[("redzone_checker", Nothing)]);
    assert_eq!(attribute(&sample).loss.evidence, Evidence::Scope(THUNKS));
    assert_eq!(lost(&later(sample)), ((0, 2, 0, 0), 0));
}

#[test]
fn renaming_every_instruction_changes_only_names() {
    let kernels = |a: &'static str, b: &'static str| [(a, Nothing), (b, Nothing), (a, Nothing)];
    let old = once(shared(), &kernels("a_1", "b"));
    let module =
        module(vec![fusion("q.7", &["add"]), fusion("r", &["multiply"]), fusion("q.9", &["add"])]);
    let new = once(module, &kernels("q_7", "r"));
    assert_eq!(attribute(&old).of_event, attribute(&new).of_event);
    check(&new, &["order q.7", "name r", "order q.9"]);
}
