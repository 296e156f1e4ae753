//! Attribution: which operator each kernel belongs to, by two independent methods.
//!
//! By id: launch call → external id → operator. By nesting: the innermost operator around the launch call on its thread.
//! They share no input but the launch itself, so they check one another.

use super::id_table::IdTable;
use super::launches::{Launch, Launches};
use crate::trace::{GraphTask, HostCall, HostCallKind, NameId, OpId, Trace};
use crate::units::{Interval, Picoseconds, Ratio};
use rustc_hash::FxHashMap;

/// How a kernel is attributed. The classes are exclusive; a stronger one comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Launch call → external id → operator.
    Correlation,
    /// The innermost operator around the launch call.
    Nesting,
    /// A graph replay dispatched it: its operator, if any, is that of the whole launch.
    Graph,
    /// Launched before recording began.
    BeforeWindow,
    /// None of these.
    None,
}

impl Class {
    /// Every class, strongest first.
    pub const ALL: [Self; 5] =
        [Self::Correlation, Self::Nesting, Self::Graph, Self::BeforeWindow, Self::None];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Correlation => "correlation",
            Self::Nesting => "nesting",
            Self::Graph => "graph",
            Self::BeforeWindow => "before-window",
            Self::None => "none",
        }
    }
}

/// Where one device event belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributedTo {
    /// How it is known.
    pub class: Class,
    /// The operator, by index.
    pub op: Option<OpId>,
}

/// Whether the file's external ids lead to operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdChain {
    /// They do.
    Usable,
    /// No operator was recorded.
    NoOps,
    /// They repeat the correlation id: old CUPTI builds write it there, and small ids then meet operators by accident.
    SelfIds,
}

/// Kernel counts and times of the two methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MethodCounts {
    /// Time that the ids attribute.
    pub time_by_id: Picoseconds,
    /// Time that nesting attributes.
    pub time_by_nesting: Picoseconds,
    /// Kernels that both attribute.
    pub n_compared: u64,
    /// Those that both give to one operator.
    pub n_agreeing: u64,
    /// The first kernel on which they disagree, with both operators.
    pub first_conflict: Option<(NameId, NameId, NameId)>,
}

/// The attribution of every device event.
#[derive(Debug)]
pub struct Attribution {
    /// By index of the device event; copies and fills included.
    pub of_event: Vec<AttributedTo>,
    /// Whether the id method applies.
    pub id_chain: IdChain,
    /// The methods against each other, over kernels.
    pub methods: MethodCounts,
    /// Kernels and their summed duration in each class, in the order of [`Class::ALL`].
    pub classes: [(u64, Picoseconds); 5],
    /// All kernel time.
    pub kernel_time: Picoseconds,
}

impl Attribution {
    /// The name of the operator of a device event.
    pub fn op_name(&self, trace: &Trace, event: usize) -> Option<NameId> {
        self.of_event[event].op.map(|op| trace.op(op).name)
    }

    /// Kernels and time of a class.
    pub fn class(&self, class: Class) -> (u64, Picoseconds) {
        self.classes[class as usize]
    }

    /// Kernel time with an operator of its own ÷ kernel time that was launched while recording.
    pub fn coverage(&self) -> Option<Ratio> {
        let own = self.class(Class::Correlation).1 + self.class(Class::Nesting).1;
        own.share_of(self.kernel_time - self.class(Class::BeforeWindow).1)
    }
}

/// Attributes every device event of a trace.
pub(super) fn attribute(trace: &Trace, launches: &Launches) -> Attribution {
    let id_chain = id_chain(trace);
    let by_id = ops_by_id(trace, id_chain);
    let by_nesting = innermost_ops(trace);
    let mut attribution = Attribution {
        of_event: Vec::with_capacity(trace.device_events.len()),
        id_chain,
        methods: MethodCounts::default(),
        classes: [(0, Picoseconds::ZERO); 5],
        kernel_time: Picoseconds::ZERO,
    };
    for (event, &launch) in trace.device_events.iter().zip(&launches.of_event) {
        let call = launch.call();
        let (id_op, nesting_op) =
            (call.and_then(|call| by_id[call]), call.and_then(|call| by_nesting[call]));
        let replayed = matches!(event.graph_task, GraphTask::Replay | GraphTask::WholeReplay)
            || call.is_some_and(|call| trace.host_calls[call].kind == HostCallKind::GraphLaunch);
        let class = match (launch, replayed, id_op, nesting_op) {
            (Launch::BEFORE_WINDOW, ..) => Class::BeforeWindow,
            (_, true, ..) => Class::Graph,
            (.., Some(_), _) => Class::Correlation,
            (.., Some(_)) => Class::Nesting,
            _ => Class::None,
        };
        attribution.of_event.push(AttributedTo { class, op: id_op.or(nesting_op) });
        if event.kind.is_kernel() {
            let time = event.interval.duration();
            attribution.kernel_time += time;
            let (n, sum) = &mut attribution.classes[class as usize];
            (*n, *sum) = (*n + 1, *sum + time);
            attribution.methods.add(trace, event.name, time, id_op, nesting_op);
        }
    }
    attribution
}

impl MethodCounts {
    fn add(
        &mut self,
        trace: &Trace,
        kernel: NameId,
        time: Picoseconds,
        by_id: Option<OpId>,
        by_nesting: Option<OpId>,
    ) {
        if by_id.is_some() {
            self.time_by_id += time;
        }
        if by_nesting.is_some() {
            self.time_by_nesting += time;
        }
        if let (Some(a), Some(b)) = (by_id, by_nesting) {
            // Where times are whole microseconds, an operator and the one inside it can begin or end together.
            let coarse = trace.resolution >= Picoseconds::from_us(1);
            let (op, inner) = (trace.op(a), trace.op(b));
            let touching =
                coarse && op.thread == inner.thread && touch(op.interval, inner.interval);
            let agree = a == b || touching;
            self.n_compared += 1;
            self.n_agreeing += u64::from(agree);
            if !agree && self.first_conflict.is_none() {
                self.first_conflict = Some((kernel, op.name, inner.name));
            }
        }
    }
}

/// True where two intervals share an end or follow one another without a gap.
fn touch(a: Interval, b: Interval) -> bool {
    a.start() == b.start() || a.end() == b.end() || a.end() == b.start() || b.end() == a.start()
}

/// Nine calls in ten whose external id is their own correlation id make the convention; elsewhere 0–1.3 % were measured.
fn id_chain(trace: &Trace) -> IdChain {
    if trace.ops.is_empty() {
        return IdChain::NoOps;
    }
    let with_both =
        trace.host_calls.iter().filter_map(|call| Some((call.external?, call.correlation?)));
    let (mut same, mut all) = (0_u64, 0_u64);
    for (external, correlation) in with_both {
        all += 1;
        same += u64::from(external.get() == correlation.get());
    }
    if all > 0 && same * 10 >= all * 9 { IdChain::SelfIds } else { IdChain::Usable }
}

/// The operator of each host call by external id. An id that equals the call's own correlation links only where the
/// operator encloses the call: it may be a coincidence of two counters, or the correlation written in its place.
fn ops_by_id(trace: &Trace, id_chain: IdChain) -> Vec<Option<OpId>> {
    if id_chain != IdChain::Usable {
        return vec![None; trace.host_calls.len()];
    }
    let externals =
        || (0_u32..).zip(&trace.ops).filter_map(|(row, op)| Some((op.external?.get(), row)));
    let mut ops = IdTable::with_room_for(externals().map(|(external, _)| external));
    for (external, row) in externals() {
        if ops.get(external).is_none() {
            ops.set(external, row);
        }
    }
    let op_of = |call: &HostCall| {
        let external = call.external?;
        let id = OpId::new(ops.get(external.get())?);
        let op = trace.op(id);
        let own = call.correlation.is_some_and(|correlation| correlation.get() == external.get());
        let encloses = op.thread == call.thread && op.interval.covers(call.interval);
        (!own || encloses).then_some(id)
    };
    trace.host_calls.iter().map(op_of).collect()
}

/// The innermost operator around the start of each work-giving call, on the call's thread.
fn innermost_ops(trace: &Trace) -> Vec<Option<OpId>> {
    let mut innermost = vec![None; trace.host_calls.len()];
    let mut ops: Vec<OpId> = (0_u32..).map(OpId::new).take(trace.ops.len()).collect();
    // An outer operator goes before an inner one that starts with it.
    ops.sort_unstable_by_key(|&id| {
        let op = trace.op(id);
        (op.thread, op.interval.start(), std::cmp::Reverse(op.interval.end()), id)
    });
    let calls = (0_u32..).zip(&trace.host_calls).filter(|(_, call)| call.kind.hands_over_work());
    let mut calls: Vec<u32> = calls.map(|(at, _)| at).collect();
    calls.sort_by_key(|&call| {
        let call = &trace.host_calls[call as usize];
        (call.thread, call.interval.start())
    });
    let mut open: Vec<OpId> = Vec::new();
    let mut thread = None;
    let mut next = 0;
    for call in calls {
        let host_call = &trace.host_calls[call as usize];
        if thread != Some(host_call.thread) {
            thread = Some(host_call.thread);
            open.clear();
            next += ops[next..].partition_point(|&op| trace.op(op).thread < host_call.thread);
        }
        let at = host_call.interval.start();
        while let Some(&op) = ops.get(next) {
            let opened = trace.op(op);
            if opened.thread != host_call.thread || opened.interval.start() > at {
                break;
            }
            open.push(op);
            next += 1;
        }
        while open.last().is_some_and(|&op| trace.op(op).interval.end() < at) {
            open.pop();
        }
        innermost[call as usize] = open.last().copied();
    }
    innermost
}

/// Operators by kernel time, for the report.
pub(super) struct OpTime {
    pub(super) name: NameId,
    pub(super) n_records: u64,
    pub(super) time: Picoseconds,
    pub(super) class: Class,
}

/// Operators by recorded kernel time, longest first; kernels without one are left out.
pub(super) fn ops_by_time(trace: &Trace, attribution: &Attribution) -> Vec<OpTime> {
    let mut rows: FxHashMap<NameId, OpTime> = FxHashMap::default();
    for (index, event) in
        trace.device_events.iter().enumerate().filter(|(_, event)| event.kind.is_kernel())
    {
        let Some(name) = attribution.op_name(trace, index) else { continue };
        let class = attribution.of_event[index].class;
        let row = rows.entry(name).or_insert(OpTime {
            name,
            n_records: 0,
            time: Picoseconds::ZERO,
            class,
        });
        row.n_records += 1;
        row.time += event.interval.duration();
        row.class = row.class.max(class);
    }
    let mut rows: Vec<OpTime> = rows.into_values().collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.time), trace.name(row.name)));
    rows
}
