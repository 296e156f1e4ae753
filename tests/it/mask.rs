//! Attribution of JAX captures, held against what is known: labels that were hidden, and the true instructions of synthetic
//! captures. Those that ship are always there; given ones join them.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::type_complexity,
    reason = "a test fails by panicking, with the reason"
)]

mod given;

use crate::captures;
use crate::harness::{assert_no_mismatch, in_crate};
use idleproof::analysis::hlo::{Evidence, HloAttribution, HloClass, InstructionRef, instruction};
use idleproof::analysis::{Analysis, analyse};
use idleproof::read;
use idleproof::trace::{Capture, ExecutionScope, HloLabelId, Trace};
use idleproof::units::Picoseconds;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Captures that ship and whose labels can be hidden.
const SHIPPED_LABELLED: &[&str] = &[
    "jax-async-label",
    "jax-eight-one-recorded",
    "jax-graph",
    "jax-loop-graph",
    "jax-one-of-eight",
];

/// Which labels are hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mask {
    All,
    EverySecond,
    Half,
}

/// How much of a label is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Hidden {
    /// The instruction: the program stays known, as for kernels of a graph.
    Instruction,
    /// Everything.
    Label,
    /// Everything, and the join to the launch call.
    LabelAndLaunch,
}

const MASKS: [Mask; 3] = [Mask::All, Mask::EverySecond, Mask::Half];
const HIDDEN: [Hidden; 3] = [Hidden::Instruction, Hidden::Label, Hidden::LabelAndLaunch];

impl Mask {
    fn hides(self, event: usize) -> bool {
        match self {
            Self::All => true,
            Self::EverySecond => event % 2 == 1,
            // A fixed scramble: half of the events, in no pattern of the schedule.
            Self::Half => (event.wrapping_mul(0x9E37_79B9) >> 7) & 1 == 1,
        }
    }
}

/// A capture, and the true instruction of each device event where one is known, in the order of the file.
struct Known {
    name: String,
    folder: PathBuf,
    truth: Vec<Option<String>>,
}

/// Captures with labels: name and folder.
fn labelled() -> Vec<(String, PathBuf)> {
    let shipped = SHIPPED_LABELLED
        .iter()
        .map(|name| ((*name).to_owned(), in_crate("tests/captures").join(name)));
    shipped.chain(given::labelled()).collect()
}

/// The synthetic captures that ship, with the truth that their text implies.
fn shipped_with_truth() -> Vec<Known> {
    let known = |folder: PathBuf| {
        let text = std::fs::read_to_string(folder.join(captures::TRUTH)).ok()?;
        let truth = text.lines().map(|line| {
            let instruction = line.split('\t').nth(2).unwrap();
            (instruction != "-").then(|| instruction.to_owned())
        });
        Some(Known { name: captures::name(&folder), truth: truth.collect(), folder })
    };
    captures::samples().into_iter().filter_map(known).collect()
}

fn load(path: &Path) -> Capture {
    let found = read::find(&[path.join("host.xplane.pb")]).unwrap();
    let family = found.families.first().unwrap();
    let mut captures = read::read_family(family).captures;
    assert_eq!(captures.len(), 1);
    captures.remove(0).unwrap()
}

fn hide(trace: &mut Trace, mask: Mask, hidden: Hidden) {
    for event in 0..trace.device_events.len() {
        let Some(label) = trace.device_events[event].hlo.filter(|_| mask.hides(event)) else {
            continue;
        };
        if hidden == Hidden::Instruction {
            let mut rest = trace.hlo_labels[label.index()];
            (rest.op, rest.op_name) = (None, None);
            trace.hlo_labels.push(rest);
            let last = u32::try_from(trace.hlo_labels.len() - 1).unwrap();
            trace.device_events[event].hlo = Some(HloLabelId::new(last));
        } else {
            trace.device_events[event].hlo = None;
        }
        if hidden == Hidden::LabelAndLaunch {
            trace.device_events[event].correlation = None;
        }
    }
}

fn hlo(analysis: &Analysis) -> &HloAttribution {
    analysis.hlo.as_ref().unwrap()
}

/// The program and the name of the instruction of each device event.
fn told(trace: &Trace, hlo: &HloAttribution) -> Vec<Option<(u64, String)>> {
    let name = |program: u32, place: InstructionRef| {
        let program = &trace.programs[program as usize];
        Some((program.id, instruction(program, place)?.name.clone()))
    };
    hlo.of_event.iter().map(|one| name(one.program?, one.instruction?)).collect()
}

/// Kernels and time: right, wrong.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    right: (u64, Picoseconds),
    wrong: (u64, Picoseconds),
}

impl Score {
    fn add(&mut self, is_right: bool, time: Picoseconds) {
        let side = if is_right { &mut self.right } else { &mut self.wrong };
        (side.0, side.1) = (side.0 + 1, side.1 + time);
    }
}

/// Scores the answers by class. Only events with a known truth count; an answer of class none claims nothing.
fn score(
    trace: &Trace,
    hlo: &HloAttribution,
    truth: impl Fn(usize, &Option<(u64, String)>) -> Option<bool>,
) -> BTreeMap<&'static str, Score> {
    let mut scores: BTreeMap<&'static str, Score> = BTreeMap::new();
    for (event, answer) in told(trace, hlo).iter().enumerate() {
        let class = hlo.of_event[event].class;
        let Some(is_right) = truth(event, answer) else { continue };
        let is_right = class == HloClass::None || is_right;
        let time = trace.device_events[event].interval.duration();
        scores.entry(class.name()).or_default().add(is_right, time);
    }
    scores
}

#[test]
fn hidden_labels_are_found_again_or_not_at_all() {
    let mut mismatches = Vec::new();
    let mut order = Score::default();
    for (name, folder) in labelled() {
        let mut before: Vec<(String, Vec<HloClass>, Vec<Option<(u64, String)>>)> = Vec::new();
        let full = load(&folder);
        let full_analysis = analyse(&full);
        let truth = told(&full.primary().trace, hlo(&full_analysis));
        let is_label = |event: usize| hlo(&full_analysis).of_event[event].class == HloClass::Exact;
        for hidden in HIDDEN {
            for mask in MASKS {
                let mut capture = load(&folder);
                hide(&mut capture.records[0].trace, mask, hidden);
                let analysis = analyse(&capture);
                let (trace, hlo) = (&capture.primary().trace, hlo(&analysis));
                let scores = score(trace, hlo, |event, answer| {
                    (mask.hides(event) && is_label(event)).then(|| *answer == truth[event])
                });
                let case = format!("{name} {hidden:?} {mask:?}");
                println!("{case}: {}", shown(&scores));
                for (class, score) in &scores {
                    if *class == "order" {
                        for (n, side) in [(score.right, true), (score.wrong, false)] {
                            let total = if side { &mut order.right } else { &mut order.wrong };
                            (total.0, total.1) = (total.0 + n.0, total.1 + n.1);
                        }
                    } else if score.wrong.0 > 0 {
                        mismatches.push(format!("{case}: {class}: {} wrong", score.wrong.0));
                    }
                }
                let classes = hlo.of_event.iter().map(|one| one.class).collect();
                before.push((case, classes, told(trace, hlo)));
            }
        }
        mismatches.extend(contradictions(&before));
    }
    println!("order in all masked runs: {order:?}");
    assert!(order.right.0 > 0, "no answer was scored");
    let all = order.right.1 + order.wrong.1;
    let share = order.right.1.share_of(all).unwrap().share();
    if share < 0.98 {
        mismatches.push(format!("order: {share} right by time"));
    }
    assert_no_mismatch(&mismatches);
}

fn shown(scores: &BTreeMap<&'static str, Score>) -> String {
    let one = |(class, score): (&&str, &Score)| {
        format!(
            "{class} {}/{} ({} µs)",
            score.right.0,
            score.right.0 + score.wrong.0,
            score.right.1 + score.wrong.1
        )
    };
    scores.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Hiding more labels may take an answer away, and never change one that stays.
fn contradictions(runs: &[(String, Vec<HloClass>, Vec<Option<(u64, String)>>)]) -> Vec<String> {
    let mut found = Vec::new();
    for (a, (case, classes, answers)) in runs.iter().enumerate() {
        for (other_case, other_classes, other) in &runs[..a] {
            for event in 0..answers.len() {
                let both =
                    classes[event] != HloClass::None && other_classes[event] != HloClass::None;
                if both && answers[event] != other[event] {
                    found.push(format!(
                        "{case} / {other_case}: event {event}: {:?} {:?} / {:?} {:?}",
                        classes[event], answers[event], other_classes[event], other[event]
                    ));
                }
            }
        }
    }
    found
}

#[test]
fn synthetic_captures_agree_with_their_truth() {
    let mut mismatches = Vec::new();
    let shipped = shipped_with_truth();
    assert_eq!(shipped.len(), 6, "shipped captures with a truth");
    for Known { name, folder, truth } in shipped.into_iter().chain(given::with_truth()) {
        let capture = load(&folder);
        let analysis = analyse(&capture);
        let (trace, hlo) = (&capture.primary().trace, hlo(&analysis));
        assert_eq!(trace.device_events.len(), truth.len(), "{name}");
        // A label that no stored program has is kept as it is, and names no instruction.
        let scores = score(trace, hlo, |event, answer| {
            let is_label = hlo.of_event[event].class == HloClass::ExactLabel;
            (!is_label).then(|| answer.as_ref().map(|(_, op)| op) == truth[event].as_ref())
        });
        println!("{name}: {}", shown(&scores));
        let wrong: u64 = scores.values().map(|score| score.wrong.0).sum();
        let none = hlo.class(HloClass::None).n;
        if wrong + none > 0 {
            mismatches.push(format!("{name}: {wrong} wrong, {none} without an answer"));
        }
    }
    assert_no_mismatch(&mismatches);
}

/// The iteration of each kernel in a loop, as the text of the capture implies it.
#[test]
fn kernels_of_a_loop_have_their_iteration() {
    let folder = in_crate("tests/captures/jax-loop-graph");
    let truth = std::fs::read_to_string(folder.join(captures::TRUTH)).unwrap();
    let truth: Vec<Option<u32>> =
        truth.lines().map(|line| Some(line.split('\t').nth(3)?.parse().unwrap())).collect();
    let analysis = analyse(&load(&folder));
    let found: Vec<_> = hlo(&analysis).of_event.iter().map(|one| one.iteration).collect();
    assert_eq!(found, truth);
    assert_eq!(found.iter().filter(|one| **one == Some(6)).count(), 3 * 4);
}

#[test]
fn a_label_of_no_stored_program_is_kept() {
    let capture = load(&in_crate("tests/captures/jax-async-label"));
    let analysis = analyse(&capture);
    let (trace, hlo) = (&capture.primary().trace, hlo(&analysis));
    assert_eq!((hlo.class(HloClass::ExactLabel).n, hlo.class(HloClass::Exact).n), (4, 12));
    let kept = trace.device_events.iter().zip(&hlo.of_event);
    let kept: Vec<_> = kept
        .filter(|(_, one)| one.class == HloClass::ExactLabel)
        .map(|(event, _)| trace.name(trace.hlo_labels[event.hlo.unwrap().index()].op.unwrap()))
        .collect();
    assert_eq!(kept, ["all-gather.34"; 4]);
}

/// What the host recorded against what left kernels: the loss that the join of launches cannot see.
#[test]
fn lost_executions_are_counted() {
    use ExecutionScope::DeviceWithProgram;
    for (name, recorded, with_kernels, devices) in [
        ("jax-graph", 5, 5, (Some(1), 1)),
        ("jax-graph-lost", 5, 1, (Some(1), 1)),
        ("jax-one-of-eight", 6, 6, (Some(1), 1)),
        ("jax-eight-one-recorded", 48, 6, (Some(8), 1)),
    ] {
        let analysis = analyse(&load(&in_crate("tests/captures").join(name)));
        let loss = &hlo(&analysis).loss;
        assert_eq!(loss.evidence, Evidence::Scope(DeviceWithProgram), "{name}");
        assert_eq!(
            (loss.n_recorded, loss.account.n_with_kernels),
            (recorded, with_kernels),
            "{name}"
        );
        let found = (loss.devices.n_executing, loss.devices.n_with_executions);
        assert_eq!(found, devices, "{name}");
    }
}
