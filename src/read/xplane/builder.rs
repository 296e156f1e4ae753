//! The tables while they grow, with what every kind of plane needs: names, times, labels, limits.

use super::super::limits::{KEPT_EVENTS_MAX, NAMES_BYTES_MAX, NAMES_MAX};
use super::super::refusal::Refusal;
use super::super::tally::{Oddity, Tally};
use super::plane::Dictionary;
use super::stat::{Key, Stats, Value};
use super::walk::Timing;
use crate::trace::{
    CorrelationId, DamageFault, GraphNode, GraphNodeId, HloLabel, HloLabelId, NameId, RecordSide,
    StreamId, Trace,
};
use crate::units::{Interval, Picoseconds};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// What `tf_op` says of every kernel of a compiled program: a type without a name (measured). It names no operation.
const NO_OP_NAME: &str = "XlaModule:";

/// What older tracers write for a missing text.
const NULL_TEXT: &[u8] = b"(null)";

/// The tables, and what was met on the way.
#[derive(Default)]
pub(super) struct Builder {
    /// The tables.
    pub(super) trace: Trace,
    /// What was tolerated.
    pub(super) tally: Tally,
    /// Events of every kind, kept or not.
    pub(super) n_events: u64,
    /// Ids of programs that a record refers to.
    pub(super) programs: FxHashSet<u64>,
    /// Names of programs that a record refers to without an id.
    pub(super) modules: FxHashSet<NameId>,
    /// Rows of streams, by device and line id.
    pub(super) streams: FxHashMap<(i64, i64), StreamId>,
    labels: FxHashMap<HloLabel, HloLabelId>,
    graph_nodes: FxHashMap<(u64, u64), GraphNodeId>,
    n_kept: u64,
    /// True once a time was not a whole nanosecond.
    has_fractions: bool,
}

impl Builder {
    /// The id of a name, with bytes that are no UTF-8 replaced.
    pub(super) fn name(&mut self, text: &[u8]) -> Result<NameId, Refusal> {
        let text = String::from_utf8_lossy(text);
        if let Cow::Owned(replaced) = &text {
            self.tally.note(Oddity::InvalidUtf8, replaced, 1);
        }
        let names = &mut self.trace.names;
        let full = names.len() > NAMES_MAX || names.text_bytes() > NAMES_BYTES_MAX;
        match names.intern(&text) {
            Some(id) if !full => Ok(id),
            _ => Err(Refusal::too_large("the capture has too many names")),
        }
    }

    /// Counts a record that a table is about to take.
    #[inline]
    pub(super) fn keep(&mut self) -> Result<(), Refusal> {
        self.n_kept += 1;
        if self.n_kept > KEPT_EVENTS_MAX {
            return Err(Refusal::too_large("the capture has too many events to keep"));
        }
        Ok(())
    }

    /// The interval of an event on a line whose base lies `base_ps` after the origin; a fault, which is counted, where
    /// there is no such interval.
    #[inline]
    pub(super) fn interval(
        &mut self,
        base: Result<i64, DamageFault>,
        timing: Timing,
        side: RecordSide,
        name: NameId,
    ) -> Option<Interval> {
        let interval = base.and_then(|base_ps| placed(base_ps, timing));
        match interval {
            Ok(interval) => {
                let whole = timing.offset_ps % 1_000 == 0 && timing.duration_ps % 1_000 == 0;
                self.has_fractions |= !whole;
                Some(interval)
            }
            Err(fault) => {
                self.tally.damage(fault, side, name, None);
                None
            }
        }
    }

    /// The smallest step of time that was seen. GPU and CPU tracers write whole nanoseconds (measured).
    pub(super) fn resolution(&self) -> Picoseconds {
        Picoseconds::new(if self.has_fractions { 1 } else { 1_000 })
    }

    /// A number that joins records; `None` where there is none, or 0.
    pub(super) fn correlation(&mut self, stats: &Stats<'_>) -> Option<CorrelationId> {
        CorrelationId::new(self.id(stats, Key::Correlation)?)
    }

    /// A statistic as an id.
    pub(super) fn id(&mut self, stats: &Stats<'_>, key: Key) -> Option<u64> {
        if !stats.has(key) {
            return None;
        }
        let id = stats.get(key).id();
        self.tally.note(Oddity::UnusableStat, "an id", u64::from(id.is_none()));
        id
    }

    /// A statistic as a name; `None` where there is none, or an empty one.
    pub(super) fn text(
        &mut self,
        stats: &Stats<'_>,
        key: Key,
        dictionary: &mut Dictionary<'_>,
    ) -> Result<Option<NameId>, Refusal> {
        let reference = match stats.get(key) {
            Value::Absent => return Ok(None),
            Value::Text(text) if text.is_empty() || text == NULL_TEXT => return Ok(None),
            Value::Text(text) => return self.name(text).map(Some),
            Value::Ref(reference) => reference.cast_signed(),
            _ => {
                self.tally.note(Oddity::UnusableStat, "a text", 1);
                return Ok(None);
            }
        };
        let Some(row) = dictionary.stats.get_mut(reference) else {
            self.tally.note(Oddity::DanglingId, "", 1);
            return Ok(None);
        };
        if row.interned.is_none() && !row.text.is_empty() && row.text != NULL_TEXT {
            row.interned = Some(self.name(row.text)?);
        }
        Ok(row.interned)
    }

    /// What the tracer says of the instruction behind a record; `None` where it says nothing.
    pub(super) fn label(
        &mut self,
        stats: &Stats<'_>,
        dictionary: &mut Dictionary<'_>,
    ) -> Result<Option<HloLabelId>, Refusal> {
        let op_name = match self.text(stats, Key::OpName, dictionary)? {
            None => self.text(stats, Key::TfOp, dictionary)?,
            name => name,
        };
        let label = HloLabel {
            op: self.text(stats, Key::HloOp, dictionary)?,
            module: self.text(stats, Key::HloModule, dictionary)?,
            program: self.id(stats, Key::Program),
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

    /// The node of a graph that ran. CUPTI writes 0 for the graph of work outside of graphs, and numbers nodes from 0.
    pub(super) fn graph_node(&mut self, stats: &Stats<'_>) -> Option<GraphNodeId> {
        let graph = self.id(stats, Key::GraphId).filter(|&graph| graph != 0)?;
        let node = self.id(stats, Key::GraphNode)?;
        if let Some(&known) = self.graph_nodes.get(&(graph, node)) {
            return Some(known);
        }
        let id = GraphNodeId::new(u32::try_from(self.trace.graph_nodes.len()).ok()?);
        self.trace.graph_nodes.push(GraphNode { graph, node });
        self.graph_nodes.insert((graph, node), id);
        Some(id)
    }
}

/// The interval of an event, with every sum checked.
#[inline]
fn placed(base_ps: i64, timing: Timing) -> Result<Interval, DamageFault> {
    if timing.duration_ps < 0 {
        return Err(DamageFault::NegativeDuration);
    }
    let start = base_ps.checked_add(timing.offset_ps).ok_or(DamageFault::OutOfRange)?;
    let end = start.checked_add(timing.duration_ps).ok_or(DamageFault::OutOfRange)?;
    let limit = Picoseconds::LIMIT.ps();
    if start < -limit || end > limit {
        return Err(DamageFault::OutOfRange);
    }
    Interval::new(Picoseconds::new(start), Picoseconds::new(end)).ok_or(DamageFault::OutOfRange)
}

#[cfg(test)]
mod tests {
    use super::placed;
    use crate::read::xplane::walk::Timing;
    use crate::trace::DamageFault;

    #[test]
    fn times_are_placed_or_refused() {
        let limit = 1_i64 << 61;
        for (base, offset_ps, duration_ps, expected) in [
            (1_000, 5, 7, Ok((1_005, 1_012))),
            (0, -5, 5, Ok((-5, 0))),
            (0, 0, -1, Err(DamageFault::NegativeDuration)),
            (1, i64::MAX, 0, Err(DamageFault::OutOfRange)),
            (0, 1, i64::MAX, Err(DamageFault::OutOfRange)),
            (0, limit, 0, Ok((limit, limit))),
            (0, limit, 1, Err(DamageFault::OutOfRange)),
            (0, -limit - 1, 1, Err(DamageFault::OutOfRange)),
        ] {
            let found = placed(base, Timing { offset_ps, duration_ps });
            let found = found.map(|interval| (interval.start().ps(), interval.end().ps()));
            assert_eq!(found, expected, "{base} {offset_ps} {duration_ps}");
        }
    }
}
