//! The attribution of every device record, and the totals that must add up.

use super::align::Budget;
use super::executions::{Group, group};
use super::families::KernelFamily;
use super::host::HostExecutions;
use super::looks::{Looks, Tagged};
use super::module::InstructionRef;
use super::programs::{Label, LabelOp, Prepared, Programs};
use super::windows::{Answer, Found, Kernel, Matched, Unattributed, match_execution};
use super::{HloAttribution, ProgramSchedule, loss, tables};
use crate::analysis::Choice;
use crate::analysis::launches::Launches;
use crate::trace::{DeviceId, Hlo, HostCallKind, Trace};
use crate::units::Picoseconds;
use rustc_hash::FxHashMap;

/// Cells of alignment tables and steps over slots, for one trace: some seconds at most.
const MAX_WORK: usize = 1 << 28;

/// Programs of one name that are tried for an execution whose id is unknown.
const MAX_CANDIDATES: usize = 32;

/// How a device record is attributed. The classes are exclusive; a stronger one comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HloClass {
    /// The tracer's own label.
    Exact,
    /// The tracer's own label, which the program's stored HLO lacks: neither operation nor line follow from it.
    ExactLabel,
    /// The only kernel of its name in its window, and the only instruction of that name.
    Name,
    /// The only instruction that the order of the schedule leaves.
    Order,
    /// None.
    None,
}

impl HloClass {
    /// Every class, strongest first.
    pub const ALL: [Self; 5] = [Self::Exact, Self::ExactLabel, Self::Name, Self::Order, Self::None];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::ExactLabel => "exact-label",
            Self::Name => "name",
            Self::Order => "order",
            Self::None => "none",
        }
    }
}

/// Where one device record belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HloAttributed {
    /// How it is known.
    pub class: HloClass,
    /// The program, by index of `Trace::programs`.
    pub program: Option<u32>,
    /// The instruction. For an exact label that the HLO lacks: the one whose turn it was, where only one is possible.
    pub instruction: Option<InstructionRef>,
    /// The iteration, counted through all loops around the instruction; absent outside of loops and where it is not certain.
    pub iteration: Option<u32>,
    /// Its execution, by index of [`HloAttribution::executions`].
    pub execution: Option<u32>,
    /// How many instructions are possible: 1 where it is attributed.
    pub n_alternatives: u32,
    /// Slots of its window; 0 for a label.
    pub n_window: u32,
    /// Why it is not attributed.
    pub reason: Option<Unattributed>,
}

/// A number of kernels and their summed duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelTotal {
    /// How many.
    pub n: u64,
    /// Their summed duration.
    pub time: Picoseconds,
}

impl KernelTotal {
    /// Adds one kernel.
    pub(super) fn add(&mut self, time: Picoseconds) {
        self.n += 1;
        self.time += time;
    }
}

/// The device records of one execution of a program on one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceExecution {
    /// Where it ran.
    pub device: DeviceId,
    /// The host's record of it, by index of `Trace::executions`; absent where the order of the schedule told it apart.
    pub host: Option<u32>,
    /// The program, by index of `Trace::programs`.
    pub program: Option<u32>,
    /// Its device events, in the order of launch.
    pub events: Vec<u32>,
    /// Kernels among them that the program launched, as far as that is known: those without a candidate are left out.
    pub n_kernels: u64,
    /// Those of them that may be what the schedule must launch: a copy or a collective never stands for a fusion.
    pub n_due: u64,
    /// False where kernels that it must have launched are missing, or the rest could not be told.
    pub is_complete: bool,
}

/// What checks ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HloCounts {
    /// Kernels of programs whose HLO the capture lacks.
    pub without_hlo: KernelTotal,
    /// Those programs, by id.
    pub programs_without_hlo: Vec<u64>,
    /// Kernels that only the name of a program places, where several programs have that name.
    pub ambiguous_program: KernelTotal,
    /// Names that several programs with device time share: (name, ids), in order of their time.
    pub shared_names: Vec<(String, Vec<u64>)>,
    /// Kernels whose label the program's stored HLO lacks.
    pub label_not_stored: KernelTotal,
    /// Kernels that carry neither a label nor a module's mark: XProf's operation views count their time as idle.
    pub without_any_label: KernelTotal,
    /// Kernels that a graph launched and whose records name no instruction.
    pub graph_without_label: KernelTotal,
    /// Kernels that are not attributed, by reason.
    pub unattributed: Vec<(Unattributed, KernelTotal)>,
    /// Asynchronous operations without their counterpart, over all executions with device records.
    pub n_unpaired_async: u64,
}

impl HloCounts {
    /// Kernels that XProf's operation views leave out and count as idle (openxla/xprof `xplane_to_op_metrics_db.cc`).
    pub fn left_out_by_op_views(&self) -> KernelTotal {
        KernelTotal {
            n: self.without_any_label.n + self.label_not_stored.n,
            time: self.without_any_label.time + self.label_not_stored.time,
        }
    }
}

/// Attributes a JAX trace; `None` for a trace that knows neither programs nor labels.
pub(in crate::analysis) fn hlo_attribution(
    trace: &Trace,
    launches: &Launches,
    choice: Choice<'_>,
) -> Option<HloAttribution> {
    if trace.programs.is_empty() && trace.hlo_labels.is_empty() {
        return None;
    }
    let programs = Programs::of(trace);
    let read: Vec<Label> =
        trace.hlo_labels.iter().map(|label| programs.read(trace, label)).collect();
    let labels: Vec<Option<Label>> = trace
        .device_events
        .iter()
        .map(|event| event.hlo.map(|label| read[label.index()]))
        .collect();
    let hosts = HostExecutions::of(trace);
    let groups = group(trace, launches, &programs, &labels, &hosts);
    let mut attributing = Attributing {
        trace,
        programs: &programs,
        labels: &labels,
        looks: FxHashMap::default(),
        budget: Budget(MAX_WORK),
        of_event: labels.iter().map(|label| outside(&programs, trace, *label)).collect(),
    };
    let executions: Vec<DeviceExecution> = (0_u32..)
        .zip(groups)
        .map(|(execution, group)| attributing.execution(execution, group))
        .collect();
    let of_event = attributing.of_event;
    let loss = loss::loss(trace, launches, &programs, &hosts, &executions, &of_event);
    let tables = tables::tables(trace, &programs, &of_event, choice);
    let mut attribution = HloAttribution {
        of_event,
        executions,
        expected: programs.prepared.iter().map(|one| one.as_ref().map(expected)).collect(),
        programs: Vec::new(),
        classes: [KernelTotal::default(); 5],
        kernels: KernelTotal::default(),
        counts: HloCounts::default(),
        loss,
        tables,
    };
    attribution.total(trace, launches, &labels);
    Some(attribution)
}

fn expected(prepared: &Prepared<'_>) -> ProgramSchedule {
    let schedule = &prepared.schedule;
    ProgramSchedule {
        kernels: schedule.kernels,
        open_parts: schedule.open_parts.clone(),
        n_slots: schedule.slots.len() as u64,
        n_unpaired_async: prepared.index.n_unpaired_async(),
    }
}

/// What a record's own label says, before its execution is looked at.
fn outside(programs: &Programs<'_>, trace: &Trace, label: Option<Label>) -> HloAttributed {
    let mut one = HloAttributed {
        class: HloClass::None,
        program: None,
        instruction: None,
        iteration: None,
        execution: None,
        n_alternatives: 0,
        n_window: 0,
        reason: Some(Unattributed::NoProgram),
    };
    let Some(label) = label else { return one };
    one.program = label.program;
    let labelled = match label.op {
        LabelOp::Known(place) => Some((HloClass::Exact, Some(place))),
        // Which of several programs is meant decides what the instruction is.
        LabelOp::NotStored => Some((HloClass::ExactLabel, None)),
        LabelOp::Unchecked if label.is_ambiguous => Some((HloClass::ExactLabel, None)),
        LabelOp::Unchecked => Some((HloClass::Exact, None)),
        LabelOp::Unsaid => None,
    };
    match labelled {
        Some((class, place)) => {
            (one.class, one.instruction) = (class, place);
            (one.n_alternatives, one.reason) = (1, None);
        }
        None => {
            one.reason = Some(match label.program {
                Some(program) if programs.get(program).is_none() => lacking(trace, program),
                Some(_) => Unattributed::NoExecution,
                None if label.is_ambiguous => Unattributed::AmbiguousProgram,
                None if label.is_unlisted => Unattributed::HloMissing,
                None => Unattributed::NoProgram,
            });
        }
    }
    one
}

fn lacking(trace: &Trace, program: u32) -> Unattributed {
    match trace.programs[program as usize].hlo {
        Hlo::Stored(_) => Unattributed::NoExecution,
        Hlo::NotNeeded(_) | Hlo::Damaged(_) | Hlo::Missing => Unattributed::HloMissing,
    }
}

struct Attributing<'a> {
    trace: &'a Trace,
    programs: &'a Programs<'a>,
    labels: &'a [Option<Label>],
    looks: FxHashMap<u32, Looks>,
    budget: Budget,
    of_event: Vec<HloAttributed>,
}

impl Attributing<'_> {
    fn execution(&mut self, execution: u32, group: Group) -> DeviceExecution {
        for &event in &group.events {
            self.of_event[event as usize].execution = Some(execution);
        }
        let (program, matched) = match group.program {
            Some(program) => (Some(program), self.match_to(program, &group.events)),
            None => self.match_by_fit(&group),
        };
        let is_complete = matched.as_ref().is_some_and(|matched| matched.is_complete);
        if let (Some(program), Some(matched)) = (program, matched) {
            for (&event, answer) in group.events.iter().zip(&matched.answers) {
                self.settle(event, program, *answer);
            }
        }
        let counted = |event: &u32| {
            let one = &self.of_event[*event as usize];
            self.trace.device_events[*event as usize].kind.is_kernel()
                && one.reason != Some(Unattributed::NoCandidate)
        };
        let kernels: Vec<u32> = group.events.iter().copied().filter(counted).collect();
        let n_due = program.map_or(0, |program| self.n_due(program, &kernels));
        DeviceExecution {
            device: group.device,
            host: group.host,
            program,
            events: group.events,
            n_kernels: kernels.len() as u64,
            n_due,
            is_complete,
        }
    }

    /// How many kernels may be such as the schedule of a program must launch.
    fn n_due(&mut self, program: u32, kernels: &[u32]) -> u64 {
        let Some(prepared) = self.programs.get(program) else { return 0 };
        let looks = self.looks.entry(program).or_default();
        let schedule = &prepared.schedule;
        let may_be_due = |event: &&u32| {
            let record = &self.trace.device_events[**event as usize];
            let label =
                self.labels[**event as usize].filter(|label| label.program == Some(program));
            match tagged(prepared, label) {
                Some(tagged) => {
                    schedule.may_be_due(tagged, looks.get(self.trace, record, schedule))
                }
                // The schedule has no place for what the label says, so that nothing speaks against it.
                None => true,
            }
        };
        kernels.iter().filter(may_be_due).count() as u64
    }

    /// Matches events to a program's schedule; `None` where its HLO is not at hand.
    fn match_to(&mut self, program: u32, events: &[u32]) -> Option<Matched> {
        let prepared = self.programs.get(program)?;
        let looks = self.looks.entry(program).or_default();
        let mut kernels = Vec::with_capacity(events.len());
        let mut places = Vec::with_capacity(events.len());
        for (at, &event) in events.iter().enumerate() {
            let record = &self.trace.device_events[event as usize];
            let look = looks.get(self.trace, record, &prepared.schedule);
            let label = self.labels[event as usize].filter(|label| label.program == Some(program));
            // A labelled kernel that the schedule has no slot for takes no part.
            if let Some(tagged) = tagged(prepared, label) {
                kernels.push(Kernel { look, tagged });
                places.push(at);
            }
        }
        let matched = match_execution(prepared, &kernels, &mut self.budget);
        let mut answers = vec![Answer::NONE; events.len()];
        places.iter().zip(matched.answers).for_each(|(&at, answer)| answers[at] = answer);
        Some(Matched { answers, ..matched })
    }

    /// An execution of which only the program's name is known: the one program of that name whose schedule fits it.
    fn match_by_fit(&mut self, group: &Group) -> (Option<u32>, Option<Matched>) {
        let name = group.host.and_then(|host| self.trace.executions[host as usize].module);
        let Some(name) = name else { return (None, None) };
        let candidates = self.programs.named(name);
        let fitting = match candidates {
            [] => return (None, None),
            [one] => Some((*one, self.match_to(*one, &group.events))),
            several => self.only_fit(several, &group.events),
        };
        let reason = match &fitting {
            Some((program, None)) => lacking(self.trace, *program),
            _ => Unattributed::AmbiguousProgram,
        };
        if fitting.as_ref().is_none_or(|(_, matched)| matched.is_none()) {
            self.refuse(&group.events, reason);
        }
        match fitting {
            Some((program, matched)) => (Some(program), matched),
            None => (None, None),
        }
    }

    fn only_fit(&mut self, candidates: &[u32], events: &[u32]) -> Option<(u32, Option<Matched>)> {
        // A program whose HLO is not at hand cannot be ruled out.
        if candidates.len() > MAX_CANDIDATES
            || candidates.iter().any(|&one| self.programs.get(one).is_none())
        {
            return None;
        }
        let mut fit = None;
        for &program in candidates {
            let matched = self.match_to(program, events)?;
            if !self.fits(&matched, events) {
                continue;
            }
            if fit.is_some() {
                return None;
            }
            fit = Some((program, Some(matched)));
        }
        fit
    }

    /// True where the execution is complete and every kernel has a candidate. Copies and fills of others may lie in between.
    fn fits(&self, matched: &Matched, events: &[u32]) -> bool {
        let is_foreign = |event: u32, answer: &Answer| {
            let record = &self.trace.device_events[event as usize];
            let family = super::families::kernel_family(self.trace.name(record.name), record.kind);
            matches!(answer.found, Found::Nothing(Unattributed::NoCandidate, _))
                && !matches!(family, KernelFamily::Copy | KernelFamily::Fill)
        };
        matched.is_complete
            && !events
                .iter()
                .zip(&matched.answers)
                .any(|(&event, answer)| is_foreign(event, answer))
    }

    fn refuse(&mut self, events: &[u32], reason: Unattributed) {
        for &event in events {
            let one = &mut self.of_event[event as usize];
            if one.class == HloClass::None {
                one.reason = Some(reason);
            }
        }
    }

    /// Writes an answer down. A label is never replaced; its iteration and, where the HLO lacks it, its turn are added.
    fn settle(&mut self, event: u32, program: u32, answer: Answer) {
        let Some(prepared) = self.programs.get(program) else { return };
        let is_collective = |family| family == KernelFamily::Collective;
        let one = &mut self.of_event[event as usize];
        let slot = match answer.found {
            Found::Name(slot) | Found::Order(slot) => Some(prepared.schedule.slots[slot as usize]),
            Found::Nothing(..) => None,
        };
        match one.class {
            HloClass::Exact => {
                let place = one.instruction;
                let only = place.map(|place| prepared.schedule.slots_of(place));
                let slot = match only {
                    Some(&[only]) => Some(prepared.schedule.slots[only as usize]),
                    _ => slot,
                };
                one.iteration = slot.and_then(|slot| slot.loop_iteration());
            }
            HloClass::ExactLabel => {
                let record = &self.trace.device_events[event as usize];
                let name = self.trace.name(record.name);
                let family = super::families::kernel_family(name, record.kind);
                let turn = slot.filter(|_| is_collective(family));
                one.instruction = turn.map(|slot| slot.instruction);
                one.iteration = turn.and_then(|slot| slot.loop_iteration());
            }
            HloClass::Name | HloClass::Order | HloClass::None => {
                one.program = Some(program);
                one.n_window = answer.n_window;
                one.instruction = slot.map(|slot| slot.instruction);
                one.iteration = slot.and_then(|slot| slot.loop_iteration());
                (one.class, one.n_alternatives, one.reason) = match answer.found {
                    Found::Name(_) => (HloClass::Name, 1, None),
                    Found::Order(_) => (HloClass::Order, 1, None),
                    Found::Nothing(reason, n) => (HloClass::None, n, Some(reason)),
                };
            }
        }
    }
}

/// What a label says in terms of the schedule; `None` for an instruction that the schedule has no slot for.
fn tagged(prepared: &Prepared<'_>, label: Option<Label>) -> Option<Tagged> {
    let Some(LabelOp::Known(place)) = label.map(|label| label.op) else {
        return Some(Tagged::Open);
    };
    match prepared.schedule.slots_of(place) {
        [] => None,
        [only] => Some(Tagged::At(*only)),
        _ => Some(Tagged::Of(place)),
    }
}

impl HloAttribution {
    /// Adds the classes and counts up over all kernels.
    fn total(&mut self, trace: &Trace, launches: &Launches, labels: &[Option<Label>]) {
        let mut of_program: FxHashMap<u32, KernelTotal> = FxHashMap::default();
        let mut reasons: FxHashMap<Unattributed, KernelTotal> = FxHashMap::default();
        for (index, event) in trace.device_events.iter().enumerate() {
            if !event.kind.is_kernel() {
                continue;
            }
            let time = event.interval.duration();
            let (one, label) = (self.of_event[index], labels[index]);
            self.kernels.add(time);
            self.classes[one.class as usize].add(time);
            if let Some(program) = one.program {
                of_program.entry(program).or_default().add(time);
            }
            if let Some(reason) = one.reason {
                reasons.entry(reason).or_default().add(time);
            }
            let counts = &mut self.counts;
            if label.is_some_and(|label| label.op == LabelOp::NotStored) {
                counts.label_not_stored.add(time);
            }
            if label.is_some_and(|label| label.is_ambiguous)
                || one.reason == Some(Unattributed::AmbiguousProgram)
            {
                counts.ambiguous_program.add(time);
            }
            if is_unmarked(trace, index) {
                counts.without_any_label.add(time);
            }
            let by_graph = launches
                .call(trace, index)
                .is_some_and(|call| call.kind == HostCallKind::GraphLaunch);
            if by_graph && label.is_none_or(|label| label.op == LabelOp::Unsaid) {
                counts.graph_without_label.add(time);
            }
            let lacks_hlo = match one.program {
                Some(program) => self.expected[program as usize].is_none(),
                None => label.is_some_and(|label| label.is_unlisted),
            };
            if lacks_hlo {
                counts.without_hlo.add(time);
                counts.programs_without_hlo.extend(program_id(trace, index, one));
            }
        }
        self.counts.programs_without_hlo.sort_unstable();
        self.counts.programs_without_hlo.dedup();
        self.counts.unattributed = reasons.into_iter().collect();
        self.counts.unattributed.sort_unstable();
        self.rank_programs(trace, of_program);
        let unpaired = self.executions.iter().filter_map(|execution| {
            let expected = self.expected[execution.program? as usize].as_ref()?;
            Some(expected.n_unpaired_async)
        });
        self.counts.n_unpaired_async = unpaired.sum();
    }

    fn rank_programs(&mut self, trace: &Trace, of_program: FxHashMap<u32, KernelTotal>) {
        self.programs = of_program.into_iter().collect();
        self.programs.sort_unstable_by_key(|&(at, total)| (std::cmp::Reverse(total.time), at));
        let mut shared: Vec<(String, Vec<u64>)> = Vec::new();
        let mut row_of: FxHashMap<&str, usize> = FxHashMap::default();
        for &(at, _) in &self.programs {
            let program = &trace.programs[at as usize];
            let name = trace.name(program.name);
            let row = *row_of.entry(name).or_insert_with(|| {
                shared.push((name.to_owned(), Vec::new()));
                shared.len() - 1
            });
            shared[row].1.push(program.id);
        }
        shared.retain(|(_, ids)| ids.len() > 1);
        self.counts.shared_names = shared;
    }
}

/// True for a record with neither `hlo_op` nor a mark of the module that launched it.
fn is_unmarked(trace: &Trace, event: usize) -> bool {
    let Some(label) = trace.device_events[event].hlo else { return true };
    let label = &trace.hlo_labels[label.index()];
    label.op.is_none() && label.op_name.is_none() && label.module.is_none()
}

fn program_id(trace: &Trace, event: usize, one: HloAttributed) -> Option<u64> {
    match one.program {
        Some(program) => Some(trace.programs[program as usize].id),
        None => trace.hlo_labels[trace.device_events[event].hlo?.index()].program,
    }
}
