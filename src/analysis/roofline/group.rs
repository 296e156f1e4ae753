//! Kernels by the operation that they are part of: an instruction of a program, or an operator with its shapes.

use super::row::{self, Named, Row};
use super::work::Work;
use super::{DeviceRoof, Evidence, KernelTotal, Refusal, add, hlo, torch};
use crate::analysis::Class;
use crate::analysis::hlo::{HloAttributed, HloClass, InstructionRef};
use crate::trace::{
    DeviceEventKind, Hlo, HloModule, Instruction, NameId, OpInputs, OpInputsId, Trace,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// An operation on devices of one roof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// An instruction: roof, program, place.
    Instruction(usize, u32, InstructionRef),
    /// An operator: roof, name, inputs.
    Operator(usize, NameId, OpInputsId),
}

/// Kernels of one operation.
#[derive(Debug)]
struct Group {
    key: Key,
    total: KernelTotal,
    /// Kernels of each execution: of an instruction by (execution, iteration), of an operator by its row.
    of_instance: FxHashMap<(u32, u32), u64>,
    /// Kernels that no execution is known of.
    n_loose: u64,
    /// True where every kernel is known from the tracer's own label or ids.
    is_exact: bool,
    /// The distinct names of its kernels.
    kernels: FxHashSet<NameId>,
}

/// All kernels, by operation or by the reason for having none.
#[derive(Debug, Default)]
pub(super) struct Grouped {
    groups: Vec<Group>,
    of_key: FxHashMap<Key, usize>,
    refused: FxHashMap<Refusal, KernelTotal>,
    /// The inputs of operators, by the operator's row; made when the first one is asked for.
    inputs: Option<FxHashMap<u32, OpInputsId>>,
}

/// Kernels without a row, by reason.
type Refused = Vec<(Refusal, KernelTotal)>;

/// Where a kernel belongs.
#[derive(Clone, Copy)]
pub(super) struct Belongs {
    pub(super) key: Key,
    /// Its execution, where it is known.
    instance: Option<(u32, u32)>,
    is_exact: bool,
}

impl Grouped {
    /// Takes a kernel.
    pub(super) fn take(&mut self, evidence: Evidence<'_>, index: usize, roof: Option<usize>) {
        let event = &evidence.trace.device_events[index];
        let total = KernelTotal { n: 1, time: event.interval.duration() };
        let inputs = &mut self.inputs;
        let inputs_of = |op| {
            let all =
                inputs.get_or_insert_with(|| evidence.trace.op_inputs.iter().copied().collect());
            all.get(&op).copied()
        };
        let belongs = belongs(evidence, index, roof, inputs_of);
        match belongs {
            Ok(belongs) => self.group(belongs.key).take(belongs, event.name, total),
            Err(refusal) => self.refuse(refusal, total),
        }
    }

    fn refuse(&mut self, refusal: Refusal, total: KernelTotal) {
        add(self.refused.entry(refusal).or_default(), total);
    }

    fn group(&mut self, key: Key) -> &mut Group {
        let at = *self.of_key.entry(key).or_insert_with(|| {
            self.groups.push(Group {
                key,
                total: KernelTotal::default(),
                of_instance: FxHashMap::default(),
                n_loose: 0,
                is_exact: true,
                kernels: FxHashSet::default(),
            });
            self.groups.len() - 1
        });
        &mut self.groups[at]
    }

    /// The rows with their operations, and all kernels that have none.
    pub(super) fn rows(
        mut self,
        trace: &Trace,
        devices: &[DeviceRoof],
    ) -> (Vec<(Row, Key)>, Refused) {
        let mut loops: FxHashMap<u32, Loops> = FxHashMap::default();
        let mut rows = Vec::new();
        for group in std::mem::take(&mut self.groups) {
            match row(trace, devices, &group, &mut loops) {
                Ok(row) => rows.push((row, group.key)),
                Err(refusal) => self.refuse(refusal, group.total),
            }
        }
        let reasons = Refusal::ALL.into_iter();
        let refused = reasons.filter_map(|reason| Some((reason, *self.refused.get(&reason)?)));
        (rows, refused.collect())
    }
}

/// The operation that a kernel is part of; `inputs_of` tells the inputs of an operator by its row.
pub(super) fn belongs(
    evidence: Evidence<'_>,
    index: usize,
    roof: Option<usize>,
    inputs_of: impl FnOnce(u32) -> Option<OpInputsId>,
) -> Result<Belongs, Refusal> {
    let kind = evidence.trace.device_events[index].kind;
    match roof {
        _ if kind == DeviceEventKind::Collective => Err(Refusal::Collective),
        None => Err(Refusal::Device),
        Some(roof) => match evidence.hlo {
            Some(hlo) => instruction(roof, hlo.of_event[index]),
            None => operator(evidence, index, roof, inputs_of),
        },
    }
}

fn operator(
    evidence: Evidence<'_>,
    index: usize,
    roof: usize,
    inputs_of: impl FnOnce(u32) -> Option<OpInputsId>,
) -> Result<Belongs, Refusal> {
    let trace = evidence.trace;
    let attributed = evidence.attribution.of_event[index];
    let op = match (attributed.class, attributed.op) {
        (Class::Graph, _) => return Err(Refusal::Replayed),
        (Class::Correlation | Class::Nesting, Some(op)) => op,
        _ => return Err(Refusal::NoOperation),
    };
    let name = trace.op(op).name;
    let Some(given) = inputs_of(op.number()) else {
        let is_modelled =
            torch::work(trace.name(name), &OpInputs::default()) != Err(Refusal::NoModel);
        return Err(if is_modelled { Refusal::Shapes } else { Refusal::NoModel });
    };
    Ok(Belongs {
        key: Key::Operator(roof, name, given),
        instance: Some((op.number(), 0)),
        is_exact: attributed.class == Class::Correlation,
    })
}

fn instruction(roof: usize, one: HloAttributed) -> Result<Belongs, Refusal> {
    let (Some(program), Some(place)) = (one.program, one.instruction) else {
        return Err(Refusal::NoOperation);
    };
    if matches!(one.class, HloClass::None | HloClass::ExactLabel) {
        return Err(Refusal::NoOperation);
    }
    Ok(Belongs {
        key: Key::Instruction(roof, program, place),
        // Outside of loops there is no iteration; whether it is inside one is asked later.
        instance: one.execution.map(|execution| (execution, one.iteration.unwrap_or(u32::MAX))),
        is_exact: one.class == HloClass::Exact,
    })
}

impl Group {
    fn take(&mut self, belongs: Belongs, kernel: NameId, total: KernelTotal) {
        add(&mut self.total, total);
        self.is_exact &= belongs.is_exact;
        self.kernels.insert(kernel);
        match belongs.instance {
            Some(instance) => *self.of_instance.entry(instance).or_default() += total.n,
            None => self.n_loose += total.n,
        }
    }

    /// How often the operation ran, where each time left as many kernels.
    fn n_instances(&self, is_in_loop: bool) -> Result<u64, Refusal> {
        let is_open = is_in_loop && self.of_instance.keys().any(|key| key.1 == u32::MAX);
        let counts = || self.of_instance.values();
        let is_even = counts().min() == counts().max();
        if self.n_loose > 0 || is_open || !is_even {
            return Err(Refusal::Instances);
        }
        u64::try_from(self.of_instance.len()).map_err(|_| Refusal::TooLarge)
    }
}

fn row(
    trace: &Trace,
    devices: &[DeviceRoof],
    group: &Group,
    loops: &mut FxHashMap<u32, Loops>,
) -> Result<Row, Refusal> {
    let (roof, work, named, n) = match group.key {
        Key::Operator(roof, name, inputs) => {
            let work = torch::work(trace.name(name), &trace.inputs[inputs.index()])?;
            let named = Named { op: trace.name(name).to_owned(), ..Named::default() };
            (roof, work, named, group.of_instance.len() as u64)
        }
        Key::Instruction(roof, program, place) => {
            let stored = &trace.programs[program as usize];
            let Hlo::Stored(module) = &stored.hlo else { return Err(Refusal::Shapes) };
            let (work, instruction) = of_instruction(module, place)?;
            let loops = loops.entry(program).or_insert_with(|| Loops::of(module));
            let named = Named {
                op: op_name(module, instruction),
                instruction: Some(instruction.name.clone()),
                program: Some((stored.id, trace.name(stored.name).to_owned())),
            };
            (roof, work, named, group.n_instances(loops.may_repeat(place))?)
        }
    };
    let Ok(of_device) = &devices[roof].roof else { return Err(Refusal::Device) };
    let mut kernels: Vec<&str> = group.kernels.iter().map(|&name| trace.name(name)).collect();
    kernels.sort_unstable();
    let seen = row::Seen {
        total: group.total,
        n_instances: n,
        kernels: &kernels,
        is_exact: group.is_exact,
    };
    row::row(roof, of_device, work, named, seen)
}

fn of_instruction(
    module: &HloModule,
    place: InstructionRef,
) -> Result<(Work, &Instruction), Refusal> {
    let computation = module.computations.get(place.computation as usize);
    let computation = computation.ok_or(Refusal::Shapes)?;
    let instruction = computation.instructions.get(place.instruction as usize);
    let instruction = instruction.ok_or(Refusal::Shapes)?;
    Ok((hlo::work(hlo::Place { module, computation, instruction })?, instruction))
}

/// The framework's name, else that of the one name inside the fusion, else none.
fn op_name(module: &HloModule, instruction: &Instruction) -> String {
    if !instruction.op_name.is_empty() {
        return instruction.op_name.clone();
    }
    let inner = instruction
        .called
        .iter()
        .filter_map(|id| module.computations.iter().find(|one| one.id == *id));
    let names = inner.flat_map(|one| &one.instructions).map(|one| one.op_name.as_str());
    let mut names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        [one] => (*one).to_owned(),
        _ => String::new(),
    }
}

/// Computations of a program that run once in an execution: those that calls, not loops, lead to from the entry, one each.
#[derive(Debug)]
struct Loops {
    once: Vec<bool>,
}

impl Loops {
    fn of(module: &HloModule) -> Self {
        let ids: FxHashMap<i64, usize> =
            module.computations.iter().enumerate().map(|(at, one)| (one.id, at)).collect();
        let mut reached = vec![0_u32; module.computations.len()];
        let mut waiting: Vec<usize> = module.entry.into_iter().collect();
        while let Some(at) = waiting.pop() {
            reached[at] = reached[at].saturating_add(1);
            if reached[at] > 1 {
                continue;
            }
            let calls = module.computations[at].instructions.iter();
            let calls = calls.filter(|one| !matches!(one.opcode.as_str(), "while" | "fusion"));
            waiting.extend(calls.flat_map(|one| &one.called).filter_map(|id| ids.get(id)));
        }
        Self { once: reached.iter().map(|&n| n == 1).collect() }
    }

    fn may_repeat(&self, place: InstructionRef) -> bool {
        !self.once.get(place.computation as usize).copied().unwrap_or(false)
    }
}
