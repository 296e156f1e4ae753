//! The tables while they grow, with what every kind of event needs: names, places, labels, limits.

use super::execution::Executions;
use super::host::HostName;
use super::key::Key;
use super::statistics::Statistics;
use crate::read::limits::{KEPT_EVENTS_MAX, NAMES_BYTES_MAX, NAMES_MAX};
use crate::read::name_map::NameMap;
use crate::read::refusal::Refusal;
use crate::read::tally::{Oddity, Tally};
use crate::trace::{
    CorrelationId, DamageFault, Device, DeviceEventKind, DeviceId, GraphNode, GraphNodeId,
    HloLabel, HloLabelId, NameId, ProcessId, RecordSide, Stream, StreamId, Trace,
};
use crate::units::{Interval, Picoseconds};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What `tf_op` says of every kernel of a compiled program: a type without a name (measured). It names no operation.
const NO_OP_NAME: &str = "XlaModule:";

/// The tables, and what was met on the way.
#[derive(Default)]
pub(in crate::read) struct Builder {
    /// The tables.
    pub(in crate::read) trace: Trace,
    /// What was tolerated.
    pub(in crate::read) tally: Tally,
    /// Events of every kind, kept or not.
    pub(in crate::read) n_events: u64,
    /// Ids of programs that a record refers to.
    pub(in crate::read) programs: FxHashSet<u64>,
    /// Names of programs that a record refers to without an id.
    pub(in crate::read) modules: FxHashSet<NameId>,
    /// Host records of executed programs.
    pub(super) executions: Executions,
    /// What names of host events say.
    pub(super) host_names: NameMap<HostName>,
    device_kinds: NameMap<DeviceEventKind>,
    /// Rows of processes, by their id.
    pub(super) processes: FxHashMap<NameId, ProcessId>,
    devices: FxHashMap<i64, DeviceId>,
    /// Rows of streams, by device and number.
    streams: FxHashMap<(i64, i64), StreamId>,
    /// Events of lines that repeat others, by the line's name.
    derived: BTreeMap<String, u64>,
    labels: FxHashMap<HloLabel, HloLabelId>,
    graph_nodes: FxHashMap<(u64, u64), GraphNodeId>,
    n_kept: u64,
    /// True once a time was not a whole nanosecond.
    has_fractions: bool,
}

/// The record at hand, for what is said of it should it be damaged.
#[derive(Clone, Copy, Debug)]
pub(in crate::read) struct Record {
    /// Its name.
    pub(in crate::read) name: NameId,
    /// Its place in the file, where the file is text.
    pub(in crate::read) offset: Option<u64>,
}

impl Builder {
    /// The tables with what is known only at the end.
    pub(in crate::read) fn finish(mut self) -> (Trace, Tally) {
        self.trace.executions = self.executions.finish();
        self.trace.profiler.derived_lines = self.derived.into_iter().collect();
        // GPU and CPU tracers write whole nanoseconds (measured).
        self.trace.resolution = Picoseconds::new(if self.has_fractions { 1 } else { 1_000 });
        (self.trace, self.tally)
    }

    /// The id of a name, with bytes that are no UTF-8 replaced.
    pub(in crate::read) fn name(&mut self, text: &[u8]) -> Result<NameId, Refusal> {
        let text = String::from_utf8_lossy(text);
        if let Cow::Owned(replaced) = &text {
            self.tally.note(Oddity::InvalidUtf8, replaced, 1);
        }
        self.intern(&text)
    }

    /// The id of a text.
    pub(in crate::read) fn intern(&mut self, text: &str) -> Result<NameId, Refusal> {
        let names = &mut self.trace.names;
        let full = names.len() > NAMES_MAX || names.text_bytes() > NAMES_BYTES_MAX;
        match names.intern(text) {
            Some(id) if !full => Ok(id),
            _ => Err(Refusal::too_large("the capture has too many names")),
        }
    }

    /// The interval of a record that a table is about to take; `None`, and counted, where it has no place.
    #[inline]
    pub(in crate::read) fn interval(
        &mut self,
        placed: Result<Interval, DamageFault>,
        side: RecordSide,
        record: Record,
    ) -> Result<Option<Interval>, Refusal> {
        let interval = match placed {
            Ok(interval) => interval,
            Err(fault) => {
                self.damaged(fault, side, record);
                return Ok(None);
            }
        };
        let is_whole = |at: Picoseconds| at.ps() % 1_000 == 0;
        self.has_fractions |= !(is_whole(interval.start()) && is_whole(interval.end()));
        self.n_kept += 1;
        if self.n_kept > KEPT_EVENTS_MAX {
            return Err(Refusal::too_large("the capture has too many events to keep"));
        }
        Ok(Some(interval))
    }

    /// Counts a damaged record.
    pub(in crate::read) fn damaged(
        &mut self,
        fault: DamageFault,
        side: RecordSide,
        record: Record,
    ) {
        self.tally.damage(fault, side, record.name, record.offset);
    }

    /// The row of a stream, and of its device: only those that have work are in the tables.
    pub(in crate::read) fn stream(&mut self, ordinal: i64, number: i64) -> StreamId {
        let trace = &mut self.trace;
        *self.streams.entry((ordinal, number)).or_insert_with(|| {
            let device = *self.devices.entry(ordinal).or_insert_with(|| {
                trace.devices.push(Device { raw_id: ordinal });
                DeviceId::new(last(&trace.devices))
            });
            trace.streams.push(Stream { device, raw_id: number });
            StreamId::new(last(&trace.streams))
        })
    }

    /// Counts events of a line that repeats other lines in other words.
    pub(in crate::read) fn derived(&mut self, line: &str, n_events: u64) {
        if n_events > 0 {
            *self.derived.entry(line.to_owned()).or_default() += n_events;
        }
    }

    /// What a device event of this name is.
    pub(super) fn device_kind(
        &mut self,
        name: NameId,
        of_name: fn(&str) -> DeviceEventKind,
    ) -> DeviceEventKind {
        if let Some(kind) = self.device_kinds.get(name) {
            return kind;
        }
        let kind = of_name(self.trace.name(name));
        self.device_kinds.insert(name, kind);
        kind
    }

    /// A number that joins records; `None` where there is none, or 0.
    pub(super) fn correlation(&mut self, statistics: &impl Statistics) -> Option<CorrelationId> {
        CorrelationId::new(statistics.id(Key::Correlation, &mut self.tally)?)
    }

    /// What the tracer says of the instruction behind a record; `None` where it says nothing.
    pub(super) fn label(
        &mut self,
        statistics: &mut impl Statistics,
    ) -> Result<Option<HloLabelId>, Refusal> {
        let op_name = match statistics.name(Key::OpName, self)? {
            None => statistics.name(Key::TfOp, self)?,
            name => name,
        };
        let label = HloLabel {
            op: statistics.name(Key::HloOp, self)?,
            module: statistics.name(Key::HloModule, self)?,
            program: statistics.id(Key::Program, &mut self.tally),
            op_name: op_name.filter(|&name| self.trace.name(name) != NO_OP_NAME),
        };
        if label == HloLabel::default() {
            return Ok(None);
        }
        self.refer(label.program, label.module);
        if let Some(&known) = self.labels.get(&label) {
            return Ok(Some(known));
        }
        let index = u32::try_from(self.trace.hlo_labels.len()).unwrap_or(u32::MAX);
        let id = HloLabelId::new(index);
        self.trace.hlo_labels.push(label);
        self.labels.insert(label, id);
        Ok(Some(id))
    }

    /// Remembers that a record refers to a program: by its id, else by its name.
    pub(super) fn refer(&mut self, program: Option<u64>, module: Option<NameId>) {
        match (program, module) {
            (Some(id), _) => drop(self.programs.insert(id)),
            (None, Some(module)) => drop(self.modules.insert(module)),
            (None, None) => {}
        }
    }

    /// True where executions were recorded and none says of which program: then it may be any.
    pub(in crate::read) fn executes_unnamed_programs(&self) -> bool {
        let executions = &self.trace.executions;
        !executions.is_empty() && executions.iter().all(|one| one.module.is_none())
    }

    /// The node of a graph that ran. CUPTI writes 0 for the graph of work outside of graphs, and numbers nodes from 0.
    pub(super) fn graph_node(&mut self, statistics: &impl Statistics) -> Option<GraphNodeId> {
        let graph = statistics.id(Key::GraphId, &mut self.tally).filter(|&graph| graph != 0)?;
        let node = statistics.id(Key::GraphNode, &mut self.tally)?;
        if let Some(&known) = self.graph_nodes.get(&(graph, node)) {
            return Some(known);
        }
        let id = GraphNodeId::new(u32::try_from(self.trace.graph_nodes.len()).ok()?);
        self.trace.graph_nodes.push(GraphNode { graph, node });
        self.graph_nodes.insert((graph, node), id);
        Some(id)
    }
}

/// The index of a table's last row.
pub(super) fn last<T>(table: &[T]) -> u32 {
    u32::try_from(table.len().saturating_sub(1)).unwrap_or(u32::MAX)
}
