//! The results as tables.

use super::damage::{Damage, Effect};
use super::outcome::{Fate, Outcome};
use super::subject::Run;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// All runs of one kind of damage.
pub(crate) struct Row {
    /// What was done.
    pub(crate) name: &'static str,
    /// What it may do to claims.
    pub(crate) effect: Effect,
    /// One run a subject.
    pub(crate) runs: Vec<Run>,
}

/// Sums over rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Damaged captures in which some figure is false, and those of them that state none.
    pub(crate) harmful: (u64, u64),
    /// The same of idle alone, and how many of those each published rule flags.
    pub(crate) idle: (u64, u64),
    pub(crate) rules: [u64; 2],
    /// Runs in which a file cannot show its damage.
    pub(crate) exempt: u64,
    /// Stated bounds of idle and of waiting for the host, over all runs that are not exempt, and those that hold.
    pub(crate) bounds: [(u64, u64); 2],
    /// The same of all runs.
    pub(crate) all_bounds: [(u64, u64); 2],
}

impl Row {
    /// The runs of one kind, from subjects in order.
    pub(crate) fn new(damage: &Damage, runs: Vec<Run>) -> Self {
        Self { name: damage.name, effect: damage.effect, runs }
    }

    fn shown(&self) -> impl Iterator<Item = &Outcome> {
        self.runs.iter().filter(|run| run.exempt.is_none()).map(|run| &run.outcome)
    }

    /// `told of false`, or nothing where the figure is never false.
    fn told(&self, figure: fn(&Outcome) -> Fate) -> String {
        let caught = self.shown().filter(|outcome| figure(outcome) == Fate::Caught).count();
        let missed = self.shown().filter(|outcome| figure(outcome) == Fate::Missed).count();
        part(caught as u64, (caught + missed) as u64)
    }

    fn rule(&self, rule: usize) -> String {
        let is_false = |outcome: &&Outcome| outcome.idle != Fate::True;
        let flagged = self.shown().filter(is_false).filter(|outcome| outcome.rules[rule]).count();
        part(flagged as u64, self.shown().filter(is_false).count() as u64)
    }

    fn holds(&self, bounds: usize) -> String {
        let stated = || self.shown().filter_map(|outcome| outcome.bounds_hold[bounds]);
        part(stated().filter(|holds| *holds).count() as u64, stated().count() as u64)
    }

    fn exempt(&self) -> u64 {
        self.runs.iter().filter(|run| run.exempt.is_some()).count() as u64
    }

    /// Middle and largest width of the bounds of idle.
    fn widths(&self) -> String {
        let mut widths: Vec<f64> = self.runs.iter().filter_map(|run| run.outcome.width).collect();
        widths.sort_by(f64::total_cmp);
        match (widths.get(widths.len() / 2), widths.last()) {
            (Some(middle), Some(most)) => format!("{middle:.1}, {most:.1}"),
            _ => "none".to_owned(),
        }
    }

    /// The check that is violated most often, by the name of the first where several are.
    fn most_often_by(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for id in self.shown().flat_map(|outcome| &outcome.violated) {
            *counts.entry(id).or_default() += 1;
        }
        let most = counts.iter().max_by_key(|(id, n)| (**n, std::cmp::Reverse(**id)));
        most.map_or_else(String::new, |(id, _)| format!("`{id}`"))
    }
}

/// Rows of damage, as a Markdown table.
pub(crate) fn damage_table(rows: &[Row]) -> String {
    let mut table = String::from(
        "| damage | idle false: told | idle and graphs | half covered | shares or ranks false: told | kernel times false: told | \
         host's part false: told | bounds of idle hold | bounds of the host's part hold | width: middle, most | cannot show | \
         most often by |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for row in rows.iter().filter(|row| row.effect != Effect::None) {
        let cells = [
            row.name.to_owned(),
            row.told(|outcome| outcome.idle),
            row.rule(0),
            row.rule(1),
            row.told(|outcome| outcome.ranking),
            row.told(|outcome| outcome.kernel_time),
            row.told(|outcome| outcome.host),
            row.holds(0),
            row.holds(1),
            row.widths(),
            if row.exempt() == 0 { String::new() } else { row.exempt().to_string() },
            row.most_often_by(),
        ];
        let _ = writeln!(table, "| {} |", cells.join(" | "));
    }
    table
}

/// Rows that say nothing new, as a Markdown table.
pub(crate) fn harmless_table(rows: &[Row]) -> String {
    let mut table = String::from("| change | captures | same claims |\n| --- | --- | --- |\n");
    for row in rows.iter().filter(|row| row.effect == Effect::None) {
        let same = row.runs.iter().filter(|run| run.fault.is_none()).count();
        let _ = writeln!(table, "| {} | {} | {same} |", row.name, row.runs.len());
    }
    table
}

/// Sums over all rows of damage.
pub(crate) fn totals(rows: &[Row]) -> Totals {
    let mut totals = Totals::default();
    let damaged = rows.iter().filter(|row| row.effect != Effect::None);
    for run in damaged.flat_map(|row| &row.runs) {
        let outcome = &run.outcome;
        for (sum, holds) in totals.all_bounds.iter_mut().zip(outcome.bounds_hold) {
            add_bounds(sum, holds);
        }
        if run.exempt.is_some() {
            totals.exempt += 1;
            continue;
        }
        for (sum, holds) in totals.bounds.iter_mut().zip(outcome.bounds_hold) {
            add_bounds(sum, holds);
        }
        if outcome.fates().iter().any(|fate| *fate != Fate::True) {
            totals.harmful.0 += 1;
            totals.harmful.1 += u64::from(outcome.is_told());
        }
        if outcome.idle != Fate::True {
            totals.idle.0 += 1;
            totals.idle.1 += u64::from(outcome.idle == Fate::Caught);
            for (sum, flags) in totals.rules.iter_mut().zip(outcome.rules) {
                *sum += u64::from(flags);
            }
        }
    }
    totals
}

fn add_bounds(sum: &mut (u64, u64), holds: Option<bool>) {
    sum.0 += u64::from(holds.is_some());
    sum.1 += u64::from(holds == Some(true));
}

/// `n of all`, or nothing of nothing.
pub(crate) fn part(n: u64, all: u64) -> String {
    if all == 0 { String::new() } else { format!("{n} of {all}") }
}
