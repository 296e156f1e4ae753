//! Two captures held against each other: reliability at once, structure exactly, time statistically.
//!
//! Only what both captures may state is compared. What got worse has to be worse beyond noise: by a threshold, by the spread of the
//! steps, and by a test; for what may be stated, any loss counts.

mod comparable;
mod noise;
mod operators;
mod pairs;
mod parts;
mod ranks;
mod reliability;
mod structure;
mod times;

use pairs::pair_up;

use crate::report::{
    CaptureReport, ComparedSide, Comparison, ComparisonOutcome, Comparisons, Direction,
    MeasureKind, Outcome, SCHEMA_VERSION, Tool,
};

/// Captures of one side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// What is said of the side.
    pub shown: &'a ComparedSide,
    /// Its captures, judged.
    pub captures: &'a [CaptureReport],
    /// The folder that was named, where one was.
    pub folder: Option<&'a str>,
}

/// Holds the captures of two sides against each other, each with its own of the other side.
pub fn compare_sides(before: Side<'_>, after: Side<'_>) -> Comparisons {
    let pairs = pair_up((before.captures, before.folder), (after.captures, after.folder));
    let mut all = Comparisons {
        schema_version: SCHEMA_VERSION,
        tool: Tool::own(),
        before: before.shown.clone(),
        after: after.shown.clone(),
        outcome: ComparisonOutcome::NotComparable,
        captures: Vec::new(),
        only_before: Vec::new(),
        only_after: Vec::new(),
        unreadable: Vec::new(),
    };
    for (one, other) in pairs.both {
        let (one, other) = (&before.captures[one], &after.captures[other]);
        let refused: Vec<String> = [one, other].into_iter().filter_map(refusal).collect();
        if refused.is_empty() {
            all.captures.push(compare(one, other));
        }
        all.unreadable.extend(refused);
    }
    let alone = |captures: &[CaptureReport], places: &[usize]| {
        let captures = places.iter().map(|&at| &captures[at]);
        let (refused, read): (Vec<_>, Vec<_>) = captures.partition(|one| refusal(one).is_some());
        let names: Vec<String> = read.iter().map(|one| one.name.clone()).collect();
        (names, refused.into_iter().filter_map(refusal).collect::<Vec<_>>())
    };
    for (captures, places, only) in [
        (before.captures, &pairs.only_before, &mut all.only_before),
        (after.captures, &pairs.only_after, &mut all.only_after),
    ] {
        let (names, refused) = alone(captures, places);
        *only = names;
        all.unreadable.extend(refused);
    }
    all.outcome = worst(&all);
    all
}

/// Why a capture could not be read.
fn refusal(capture: &CaptureReport) -> Option<String> {
    (capture.outcome == Outcome::Refused).then(|| {
        let why = capture.error.as_ref().map_or("it was refused", |error| error.message.as_str());
        format!("{}: {why}", capture.name)
    })
}

/// The worst outcome. What cannot be compared does not hide what can, and a capture of one side alone is a change.
fn worst(all: &Comparisons) -> ComparisonOutcome {
    let is_any = |outcome| all.captures.iter().any(|one| one.outcome == outcome);
    let is_alone = !all.only_before.is_empty() || !all.only_after.is_empty();
    let has_compared = is_any(ComparisonOutcome::Same) || is_any(ComparisonOutcome::Changed);
    if is_any(ComparisonOutcome::Regressed) {
        ComparisonOutcome::Regressed
    } else if !has_compared {
        ComparisonOutcome::NotComparable
    } else if is_any(ComparisonOutcome::Changed) || is_alone {
        ComparisonOutcome::Changed
    } else {
        ComparisonOutcome::Same
    }
}

/// Holds two judged captures against each other.
pub fn compare(before: &CaptureReport, after: &CaptureReport) -> Comparison {
    let conditions = comparable::conditions(before, after);
    let mut comparison = Comparison {
        before: before.name.clone(),
        after: after.name.clone(),
        outcome: ComparisonOutcome::NotComparable,
        incomparable: conditions.incomparable,
        cautions: conditions.cautions,
        reliability: reliability::changes(before, after),
        structure: structure::changes(before, after),
        times: Vec::new(),
    };
    if comparison.incomparable.is_empty() {
        comparison.times = times::measures(before, after, conditions.host.as_deref());
        comparison.cautions.extend(times::common_drift(&comparison.times));
        let is_step_known = comparison.times.first().is_some_and(|step| step.verdict.is_compared());
        if is_step_known || !conditions.may_be_two_programs {
            comparison.outcome = outcome(&comparison);
        }
    }
    comparison
}

/// What captures of equal conditions come to. Where no time could be compared that is no pass, were they one file twice: what a
/// report says of its file's digest proves nothing.
fn outcome(comparison: &Comparison) -> ComparisonOutcome {
    let directions = comparison.reliability.iter().map(|one| one.direction);
    let mut directions = directions.chain(comparison.times.iter().map(|one| one.direction));
    let is_worse = directions.any(|direction| direction == Direction::Worse);
    // Idle is a share: a step may take twice as long and idle as much.
    let mut times = comparison.times.iter().filter(|one| one.kind != MeasureKind::Idle);
    let is_compared = times.any(|one| one.verdict.is_compared());
    let is_different = !comparison.structure.is_empty()
        || !comparison.reliability.is_empty()
        || comparison.times.iter().any(|one| one.verdict.is_difference());
    match (is_worse, is_compared, is_different) {
        (true, _, _) => ComparisonOutcome::Regressed,
        (false, false, _) => ComparisonOutcome::NotComparable,
        (false, true, true) => ComparisonOutcome::Changed,
        (false, true, false) => ComparisonOutcome::Same,
    }
}
