//! Which lines are read, and what their times count from.
//!
//! Bases differ from line to line of one file (measured), and a base near 1.7e18 ns does not fit into picoseconds: the
//! smallest base is subtracted first.

use super::super::jax::{Role, is_stream, role};
use super::plane::{Line, Plane};
use super::wire::Fault;
use crate::trace::DamageFault;
use crate::units::Picoseconds;

/// Bases further apart than this, in nanoseconds, belong to no one capture.
const REACH_NS: i64 = Picoseconds::LIMIT.ps() / 1_000;

/// A plane that is read, with its lines.
#[derive(Debug)]
pub(super) struct Opened<'s, 'a> {
    /// What it is.
    pub(super) role: Role,
    /// The plane.
    pub(super) plane: &'s Plane<'a>,
    /// Its lines, sorted.
    pub(super) lines: Vec<Line<'a>>,
}

/// The planes that are read, GPUs first: in an order that does not depend on the file's.
pub(super) fn open<'s, 'a>(planes: &'s [Plane<'a>]) -> Result<Vec<Opened<'s, 'a>>, Fault> {
    let opened = |plane: &'s Plane<'a>| {
        let role = role(&String::from_utf8_lossy(plane.name));
        Ok(Opened { role, plane, lines: plane.lines()? })
    };
    let mut opened: Vec<_> = planes.iter().map(opened).collect::<Result<_, _>>()?;
    opened.sort_by_key(|opened| (opened.role, opened.plane.name));
    Ok(opened)
}

/// What relative times count from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Anchor {
    /// The origin on the file's axis.
    pub(super) origin_ns: i64,
}

impl Anchor {
    /// Picks the smallest base of the lines that are used. Where bases lie too far apart for one capture, it is the
    /// smallest of the largest group that fits together, so that one lost base does not cost all others.
    pub(super) fn of(opened: &[Opened<'_, '_>]) -> Self {
        let mut bases: Vec<i64> = opened.iter().flat_map(used_bases).collect();
        bases.sort_unstable();
        let (mut best, mut best_size, mut last) = (0, 0, 0);
        for (first, &base) in bases.iter().enumerate() {
            while last < bases.len() && bases[last].saturating_sub(base) <= REACH_NS {
                last += 1;
            }
            if last - first > best_size {
                (best, best_size) = (base, last - first);
            }
        }
        Self { origin_ns: best }
    }

    /// A line's base after the origin in picoseconds.
    pub(super) fn base_ps(self, line: &Line<'_>) -> Result<i64, DamageFault> {
        let distance = line.base_ns.checked_sub(self.origin_ns);
        match distance.filter(|distance| (0..=REACH_NS).contains(distance)) {
            Some(distance_ns) => Ok(distance_ns * 1_000),
            None if line.base_ns == 0 => Err(DamageFault::ZeroTimestamp),
            None => Err(DamageFault::OutOfRange),
        }
    }

    /// A time of the file's axis after the origin; `None` where it is too far away.
    pub(super) fn relative(self, at_ns: i64) -> Option<Picoseconds> {
        let relative = Picoseconds::from_ns(at_ns.checked_sub(self.origin_ns)?)?;
        (relative.ps().abs() <= Picoseconds::LIMIT.ps()).then_some(relative)
    }
}

fn used_bases<'o>(opened: &'o Opened<'_, '_>) -> impl Iterator<Item = i64> + 'o {
    let is_used = move |line: &&Line<'_>| match opened.role {
        Role::Gpu(_) => is_stream(line.name),
        Role::Host => true,
        _ => false,
    };
    let with_events = opened.lines.iter().filter(|line| line.has_events);
    with_events.filter(is_used).map(|line| line.base_ns)
}
