//! The parts of a step before and after: kernels by name, and operators by the kernels that belong to them. All are tested together.

use super::noise::{self, Held, Sample};
use super::operators;
use super::ranks::holm;
use super::times::{judged, measure, withheld};
use crate::report::{
    CaptureReport, Claim, HotKernel, Measure, MeasureKind, Microseconds, OpRow, TimeVerdict,
};
use std::collections::BTreeMap;

/// The smallest change of a part's time that matters, as a part: there are many, and the clock of the device moves all of them.
const CHANGE_MIN: f64 = 0.05;

/// Parts are compared from this part of the kernel time on, in parts of a hundred.
const PERCENT_MIN: i128 = 1;

/// A part on both sides.
struct Part<'a> {
    kind: MeasureKind,
    name: &'a str,
    /// Of a kernel.
    op: Option<&'a str>,
    /// Why its times mean different things on both sides.
    differs: Option<String>,
    /// Its time in each step, before and after.
    steps: [&'a [Microseconds]; 2],
}

/// Kernels and operators, each with the longest before first.
pub(super) fn measures(before: &CaptureReport, after: &CaptureReport) -> Vec<Measure> {
    let sides = [before, after];
    // A step that misses records has too short a sum, so both claims about kernels must stand.
    let of_kernels = [Claim::KernelTime, Claim::Ranking];
    let by_kernels = withheld(sides, &of_kernels);
    let by_operators = withheld(sides, operators::CLAIMS);
    let mut parts = kernels(before, after);
    if by_operators.is_some() {
        parts.iter_mut().for_each(|part| part.op = None);
    }
    parts.extend(all_operators(before, after));
    let (mut rows, mut held_rows) = (Vec::new(), Vec::new());
    for part in &parts {
        let by = if part.kind == MeasureKind::Kernel { &by_kernels } else { &by_operators };
        let Some((row, held)) = held_against(part, by.as_deref()) else { continue };
        held_rows.extend(held.map(|held| (rows.len(), held)));
        rows.push(row);
    }
    let tested: Vec<f64> = held_rows.iter().filter_map(|(_, (_, held))| held.p).collect();
    let mut corrected = holm(&tested).into_iter();
    for (at, ([a, b], held)) in held_rows {
        let p = held.p.and_then(|_| corrected.next());
        judged(&mut rows[at], [&a, &b], &held, p);
    }
    rows
}

/// What is to be tested of a part: its times on both sides, and how they differ.
type Tested = ([Sample; 2], Held);

/// A row, and what is to be tested of it; `None` of what needs no row: what keeps all parts from being compared is said of the
/// step's time.
fn held_against(part: &Part<'_>, by: Option<&[String]>) -> Option<(Measure, Option<Tested>)> {
    let mut row = measure(part.kind, Some(part.name));
    row.op = part.op.map(str::to_owned);
    if let Some(by) = by {
        row.verdict = TimeVerdict::Withheld;
        row.by = by.to_vec();
        return Some((row, None));
    }
    row.reason.clone_from(&part.differs);
    match part.steps.map(Sample::of) {
        [None, None] => None,
        _ if part.differs.is_some() => Some((row, None)),
        [Some(a), Some(b)] => {
            let held = noise::hold(&a, &b, CHANGE_MIN)?;
            Some((row, Some(([a, b], held))))
        }
        [old, _] => {
            let side = if old.is_none() { "before" } else { "after" };
            row.reason = Some(format!("{side} it takes too little, or is in no complete step"));
            Some((row, None))
        }
    }
}

/// All kernel time of a side, in picoseconds.
#[derive(Clone, Copy)]
pub(super) struct KernelTime(i128);

impl KernelTime {
    pub(super) fn of(capture: &CaptureReport) -> Self {
        Self(capture.hot_kernels.iter().map(|kernel| kernel.time_us.ps()).sum())
    }

    /// True where a part is large enough to be compared.
    pub(super) const fn counts(self, part: Microseconds) -> bool {
        self.0 > 0 && part.ps().saturating_mul(100) >= self.0.saturating_mul(PERCENT_MIN)
    }
}

/// Kernels of both sides that take enough of the kernel time on one of them.
fn kernels<'a>(before: &'a CaptureReport, after: &'a CaptureReport) -> Vec<Part<'a>> {
    let later: BTreeMap<&str, &HotKernel> =
        after.hot_kernels.iter().map(|kernel| (kernel.name.as_str(), kernel)).collect();
    let [all_old, all_new] = [before, after].map(KernelTime::of);
    let both = before.hot_kernels.iter().filter_map(|old| {
        let new: &'a HotKernel = later.get(old.name.as_str())?;
        let is_hot = all_old.counts(old.time_us) || all_new.counts(new.time_us);
        is_hot.then(|| Part {
            kind: MeasureKind::Kernel,
            name: &old.name,
            op: old.op.as_deref().filter(|op| new.op.as_deref() == Some(op)),
            differs: None,
            steps: [&old.per_step_us, &new.per_step_us],
        })
    });
    both.collect()
}

/// Operators of both sides that have as many kernels a step; those that have not are told as what ran. One that is a single kernel
/// under another name is that kernel's row.
fn all_operators<'a>(before: &'a CaptureReport, after: &'a CaptureReport) -> Vec<Part<'a>> {
    let pairs = operators::hot(before, after).into_iter();
    let both = pairs.filter_map(|(old, new)| Some((old?, new?)));
    let alike = both.filter(|(old, new)| operators::other_kernels(old, new).is_none());
    let own = alike.filter(|(old, new)| {
        let kernel = only_kernel(before, old);
        kernel.is_none() || kernel != only_kernel(after, new)
    });
    let part = |(old, new): (&'a OpRow, &'a OpRow)| Part {
        kind: MeasureKind::Operator,
        name: &old.name,
        op: None,
        differs: (old.class != new.class).then(|| {
            let (old, new) = (&old.class, &new.class);
            format!("its kernels are found by {old} before, and by {new} after")
        }),
        steps: [&old.per_step_us, &new.per_step_us],
    };
    own.map(part).collect()
}

/// The kernel's name, where an operator has all records of that name and no others.
fn only_kernel<'a>(capture: &'a CaptureReport, op: &OpRow) -> Option<&'a str> {
    let is_it = |kernel: &&HotKernel| {
        kernel.op.as_deref() == Some(op.name.as_str()) && kernel.records == op.records
    };
    capture.hot_kernels.iter().find(is_it).map(|kernel| kernel.name.as_str())
}
