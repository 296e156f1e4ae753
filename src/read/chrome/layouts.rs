//! Learned layouts: a producer writes thousands of events with the same keys, so most of the text repeats.
//!
//! An event read by the general way leaves its layout behind: the literal text between its values, and the kinds of
//! those values. The next event is first held against what was learned, sixteen bytes at a time; only its values are then
//! looked at. Layouts share their beginnings (a tree), so trying many costs little. A match is as strict as the
//! general reading: the literals were valid JSON when they were learned, and each value is checked again.

use super::super::bytes::Text;
use super::super::json;
use super::super::limits::{LAYOUT_BRANCHES_MAX, LAYOUT_NODES_MAX};
use super::event::{Draft, Map, Span, ValueKind};

/// Values of one event that a layout may have. Real events have up to thirty.
pub(in crate::read) const VALUES_MAX: usize = 48;

/// A number for "no node".
const NONE: u32 = u32::MAX;

/// The layouts that were learned.
pub(in crate::read) struct Layouts<C> {
    nodes: Vec<Node>,
    chunks: Vec<Chunk>,
    rows: Vec<Layout<C>>,
    /// The first node of the layout that was found last: events of one layout come in a row.
    recent: u32,
}

impl<C> Default for Layouts<C> {
    fn default() -> Self {
        Self { nodes: Vec::new(), chunks: Vec::new(), rows: Vec::new(), recent: NONE }
    }
}

/// A layout: how an event's text is made, and what that says about the event.
pub(in crate::read) struct Layout<C> {
    /// Which value belongs to which field.
    pub(in crate::read) map: Map,
    /// What its events have in common with others of their phase and category.
    pub(in crate::read) class: C,
}

/// A literal, and what follows it.
struct Node {
    /// The literal's first chunk: most literals have no other.
    first: Chunk,
    /// The literal's further chunks.
    chunks: (u32, u32),
    /// The literal's length in bytes.
    length: u32,
    follows: Follows,
    /// The first of the nodes that may come behind the value.
    child: u32,
    /// The next node that may stand in this one's place.
    sibling: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Follows {
    /// A value of this kind.
    Value(ValueKind),
    /// Nothing: the event has ended, with the layout of this number.
    End(u32),
}

/// Sixteen bytes of a literal; the last chunk of one is masked.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Chunk {
    bytes: u128,
    mask: u128,
}

impl<C: Copy> Layouts<C> {
    /// The layout of the event that starts at `at`, and the event's end; the values' places go into `spans`.
    #[inline]
    pub(in crate::read) fn find(
        &mut self,
        text: Text<'_>,
        at: usize,
        spans: &mut [Span; VALUES_MAX],
    ) -> Option<(&Layout<C>, usize)> {
        // Two ways through the tree that fit a text read it alike, so where the search begins changes nothing but its time.
        let recent = self.nodes.get(self.recent as usize);
        let is_recent = recent.is_some_and(|node| self.literal(node, text, at).is_some());
        let found = if is_recent { self.search(self.recent, text, at, spans) } else { None };
        let (root, row, end) = match found {
            Some(found) => found,
            None => self.search(0, text, at, spans)?,
        };
        self.recent = root;
        Some((self.rows.get(row as usize)?, end))
    }

    /// Searches from the root `first` on; returns the root that fits, the layout's number, and the event's end.
    #[inline]
    fn search(
        &self,
        first: u32,
        text: Text<'_>,
        at: usize,
        spans: &mut [Span; VALUES_MAX],
    ) -> Option<(u32, u32, usize)> {
        let (mut at, mut candidate, mut root) = (at, first, NONE);
        let mut places = spans.iter_mut();
        loop {
            let node = self.nodes.get(candidate as usize)?;
            if let Some(behind) = self.literal(node, text, at) {
                match node.follows {
                    Follows::End(row) => return Some((root, row, behind)),
                    Follows::Value(kind) => {
                        if let Some(end) = value_end(text, behind, kind) {
                            *places.next()? = Span::new(behind, end);
                            if root == NONE {
                                root = candidate;
                            }
                            (at, candidate) = (end, node.child);
                            continue;
                        }
                    }
                }
            }
            candidate = node.sibling;
        }
    }

    #[inline]
    fn literal(&self, node: &Node, text: Text<'_>, at: usize) -> Option<usize> {
        if !node.first.matches(text, at) {
            return None;
        }
        if node.length > 16 {
            for (chunk, behind) in self.chunks_of(node).iter().zip(1..) {
                if !chunk.matches(text, at + 16 * behind) {
                    return None;
                }
            }
        }
        Some(at + node.length as usize)
    }

    /// Learns the layout of the event from `start` to `end` that `draft` has read. What exceeds the limits is not learned.
    pub(in crate::read) fn learn(
        &mut self,
        text: Text<'_>,
        start: usize,
        end: usize,
        draft: &Draft,
        class: C,
    ) {
        let learnable =
            draft.odd.is_empty() && draft.no_event.is_none() && draft.spans.len() <= VALUES_MAX;
        if !learnable || self.nodes.len() + draft.spans.len() >= LAYOUT_NODES_MAX {
            return;
        }
        let (mut at, mut parent) = (start, NONE);
        for (span, &kind) in draft.spans.iter().zip(&draft.map.kinds) {
            let literal = text.slice(at, span.start as usize);
            let Some(node) = self.node(parent, literal, Follows::Value(kind)) else { return };
            (parent, at) = (node, span.end as usize);
        }
        let Ok(row) = u32::try_from(self.rows.len()) else { return };
        if self.node(parent, text.slice(at, end), Follows::End(row)).is_some() {
            self.rows.push(Layout { map: draft.map.clone(), class });
        }
    }

    /// The node behind `parent` with this literal and this value, known or new.
    fn node(&mut self, parent: u32, literal: &[u8], follows: Follows) -> Option<u32> {
        let new = u32::try_from(self.nodes.len()).ok()?;
        let mut chunks: Vec<Chunk> = literal.chunks(16).map(Chunk::of).collect();
        let first_chunk = if chunks.is_empty() { Chunk::of(literal) } else { chunks.remove(0) };
        let first = match self.nodes.get(parent as usize) {
            Some(parent) => parent.child,
            None if self.nodes.is_empty() => NONE,
            None => 0,
        };
        let (mut last, mut next, mut siblings) = (NONE, first, 0);
        while let Some(node) = self.nodes.get(next as usize) {
            if node.follows == follows
                && node.first == first_chunk
                && self.chunks_of(node) == chunks.as_slice()
                && node.length as usize == literal.len()
            {
                return Some(next);
            }
            (last, next, siblings) = (next, node.sibling, siblings + 1);
        }
        if siblings >= LAYOUT_BRANCHES_MAX {
            return None;
        }
        let from = u32::try_from(self.chunks.len()).ok()?;
        let to = u32::try_from(self.chunks.len() + chunks.len()).ok()?;
        let length = u32::try_from(literal.len()).ok()?;
        self.chunks.extend(chunks);
        self.nodes.push(Node {
            first: first_chunk,
            chunks: (from, to),
            length,
            follows,
            child: NONE,
            sibling: NONE,
        });
        // The oldest layouts stay in front: they are the most frequent ones.
        match (self.nodes.get_mut(last as usize), parent) {
            (Some(last), _) => last.sibling = new,
            (None, NONE) => {}
            (None, parent) => {
                if let Some(parent) = self.nodes.get_mut(parent as usize) {
                    parent.child = new;
                }
            }
        }
        Some(new)
    }

    fn chunks_of(&self, node: &Node) -> &[Chunk] {
        self.chunks.get(node.chunks.0 as usize..node.chunks.1 as usize).unwrap_or_default()
    }
}

impl Chunk {
    #[inline]
    fn matches(self, text: Text<'_>, at: usize) -> bool {
        (text.sixteen(at) ^ self.bytes) & self.mask == 0
    }

    fn of(literal: &[u8]) -> Self {
        let mut bytes = [0; 16];
        let mut mask = [0; 16];
        for ((to, mask), &byte) in bytes.iter_mut().zip(&mut mask).zip(literal) {
            (*to, *mask) = (byte, 0xFF);
        }
        Self { bytes: u128::from_le_bytes(bytes), mask: u128::from_le_bytes(mask) }
    }
}

/// The end of the value of this kind at `at`; of a string, of its content. A fault is left to the general reading.
///
/// It returns no more than fits in registers: a span that goes through memory costs more than all else here.
#[inline]
fn value_end(text: Text<'_>, at: usize, kind: ValueKind) -> Option<usize> {
    match kind {
        ValueKind::String => Some(json::string(text, at).ok()?.0),
        ValueKind::Number => {
            json::usual_number(text, at).or_else(|| json::any_number(text, at).ok())
        }
        ValueKind::Container => container_end(text, at),
        ValueKind::NonFinite => None,
    }
}

#[inline(never)]
fn container_end(text: Text<'_>, at: usize) -> Option<usize> {
    if !matches!(text.at(at), b'{' | b'[') {
        return None;
    }
    let mut odd = Vec::new();
    let end = json::value(text, at, &mut odd).ok()?;
    odd.is_empty().then_some(end)
}
