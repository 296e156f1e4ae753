//! The rows of a comparison, in the order in which a reader needs them. Nothing is escaped here.

use crate::render::format::{self, DASH, FINE, count, counted, percent_range, share, time};
use crate::report::{
    Comparison, Comparisons, Difference, Direction, Figure, KernelPresence, Measure, MeasureKind,
    OperatorKernels, Spread, TimeVerdict,
};

/// Longest name of a kernel: templates go on for pages.
const NAME_CHARS_MAX: usize = 100;

/// Rows of a section that did not change.
const QUIET_ROWS_MAX: usize = 10;

/// A title and what stands under it.
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) rows: Vec<Row>,
}

/// One line.
pub(super) struct Row {
    /// What it is about.
    pub(super) subject: String,
    /// A name that the capture wrote.
    pub(super) name: Option<String>,
    /// What is said.
    pub(super) detail: String,
}

fn row(subject: impl Into<String>, detail: impl Into<String>) -> Row {
    Row { subject: subject.into(), name: None, detail: detail.into() }
}

/// Everything that is said of one capture, without empty sections.
pub(super) fn sections(comparison: &Comparison) -> Vec<Section> {
    let of_differences = |list: &[Difference]| list.iter().map(of_difference).collect();
    let conditions = ("differs beside the program:", of_differences(&comparison.cautions));
    if !comparison.incomparable.is_empty() {
        // What differs else is that of two captures which do not belong together.
        return filled([("not comparable:", of_differences(&comparison.incomparable)), conditions]);
    }
    let measures = |wanted: &dyn Fn(&Measure) -> bool| -> Vec<Row> {
        comparison.times.iter().filter(|one| wanted(one)).map(of_measure).collect()
    };
    let of_direction = |direction| {
        let mut rows = measures(&|one| one.direction == direction);
        let changes = comparison.reliability.iter().filter(|one| one.direction == direction);
        rows.extend(changes.map(|one| row(&one.subject, arrow(&one.before, &one.after))));
        rows
    };
    let is_other = |one: &Measure| one.direction == Direction::Other;
    let of_verdict = |verdict| measures(&|one| is_other(one) && one.verdict == verdict);
    let mut changed = measures(&|one| {
        is_other(one)
            && matches!(
                one.verdict,
                TimeVerdict::Slower
                    | TimeVerdict::Faster
                    | TimeVerdict::Higher
                    | TimeVerdict::Lower
            )
    });
    changed.extend(structure(comparison));
    let others = comparison.reliability.iter().filter(|one| one.direction == Direction::Other);
    changed.extend(others.map(|one| row(&one.subject, arrow(&one.before, &one.after))));
    let mut suspected = of_verdict(TimeVerdict::SuspectedSlower);
    suspected.extend(of_verdict(TimeVerdict::SuspectedFaster));
    let sections = [
        ("worse:", of_direction(Direction::Worse)),
        ("suspected:", suspected),
        ("better:", of_direction(Direction::Better)),
        ("changed:", changed),
        ("not compared:", not_compared(comparison)),
        ("inconclusive:", shorter(of_verdict(TimeVerdict::Inconclusive))),
        ("within noise:", shorter(of_verdict(TimeVerdict::Noise))),
        conditions,
    ];
    filled(sections)
}

/// What is said of both sides as a whole.
pub(super) fn of_sides(all: &Comparisons) -> Vec<Section> {
    let names = |list: &[String]| list.iter().map(|name| row(name, "")).collect();
    let policy = (all.before.policy != all.after.policy)
        .then(|| row("the policy", arrow(&all.before.policy.name, &all.after.policy.name)));
    filled([
        ("could not be read:", names(&all.unreadable)),
        ("only before:", names(&all.only_before)),
        ("only after:", names(&all.only_after)),
        ("judged differently:", policy.into_iter().collect()),
    ])
}

fn filled<const N: usize>(sections: [(&'static str, Vec<Row>); N]) -> Vec<Section> {
    let filled = sections.into_iter().filter(|(_, rows)| !rows.is_empty());
    filled.map(|(title, rows)| Section { title, rows }).collect()
}

/// Quantities without a comparison. All kernels are withheld for the same reason, so one row tells it; so are all operators.
fn not_compared(comparison: &Comparison) -> Vec<Row> {
    let open = || comparison.times.iter().filter(|one| !one.verdict.is_compared());
    let is_alike = |one: &&Measure| {
        matches!(one.kind, MeasureKind::Kernel | MeasureKind::Operator)
            && one.verdict == TimeVerdict::Withheld
    };
    let mut rows: Vec<Row> = open().filter(|one| !is_alike(one)).map(of_measure).collect();
    for (kind, one, many) in [
        (MeasureKind::Kernel, "kernel", "kernels"),
        (MeasureKind::Operator, "operator", "operators"),
    ] {
        let alike: Vec<&Measure> = open().filter(|one| one.kind == kind).filter(is_alike).collect();
        if let Some(first) = alike.first() {
            rows.push(row(counted(alike.len() as u64, one, many), detail(first)));
        }
    }
    rows
}

/// The first rows, and how many more there are.
fn shorter(mut rows: Vec<Row>) -> Vec<Row> {
    let left = rows.len().saturating_sub(QUIET_ROWS_MAX);
    rows.truncate(QUIET_ROWS_MAX);
    if left > 0 {
        rows.push(row(format!("and {left} more"), ""));
    }
    rows
}

fn arrow(before: &str, after: &str) -> String {
    format!("{before} → {after}")
}

fn of_difference(difference: &Difference) -> Row {
    let side =
        |text: &Option<String>| format::name(text.as_deref().unwrap_or(DASH), NAME_CHARS_MAX);
    let Difference { what, before, after } = difference;
    match (before, after) {
        (None, None) => row(what, ""),
        _ => row(what, arrow(&side(before), &side(after))),
    }
}

fn structure(comparison: &Comparison) -> Vec<Row> {
    let changes = &comparison.structure;
    let mut rows: Vec<Row> = changes.differences.iter().map(of_difference).collect();
    for (what, kernels, left_out) in [
        ("new kernel", &changes.appeared, changes.appeared_left_out),
        ("kernel that is gone", &changes.vanished, changes.vanished_left_out),
    ] {
        rows.extend(kernels.iter().map(|kernel| of_presence(what, kernel)));
        if left_out > 0 {
            rows.push(row(what, format!("and {} more", count(left_out))));
        }
    }
    rows.extend(changes.operators.iter().map(of_operator));
    if changes.operators_left_out > 0 {
        rows.push(row(OPERATOR, format!("and {} more", count(changes.operators_left_out))));
    }
    rows
}

/// What is said of operators whose kernels came or went.
const OPERATOR: &str = "kernels a step of operator";

fn of_operator(operator: &OperatorKernels) -> Row {
    let side = |spread: &Option<Spread<u64>>| match spread {
        None => DASH.to_owned(),
        Some(Spread { min, max, .. }) if min == max => count(*min),
        Some(Spread { min, median, max }) => {
            format!("{} to {}, median {}", count(*min), count(*max), count(*median))
        }
    };
    let kernels = arrow(&side(&operator.before), &side(&operator.after));
    Row {
        subject: OPERATOR.to_owned(),
        name: Some(format::name(&operator.name, NAME_CHARS_MAX)),
        detail: format!("{kernels}, so its time is not compared"),
    }
}

fn of_presence(what: &str, kernel: &KernelPresence) -> Row {
    let share = kernel
        .share
        .map_or_else(String::new, |part| format!(", {} of the kernel time", share(part)));
    let records = counted(kernel.records, "record", "records");
    Row {
        subject: what.to_owned(),
        name: Some(format::name(&kernel.name, NAME_CHARS_MAX)),
        detail: format!("{records}, {}{share}", time(kernel.time_us, FINE)),
    }
}

fn of_measure(measure: &Measure) -> Row {
    let subject = match measure.kind {
        MeasureKind::StepTime => "step time",
        MeasureKind::Kernel => "kernel",
        MeasureKind::Operator => "operator",
        MeasureKind::Idle => "idle",
    };
    Row {
        subject: subject.to_owned(),
        name: measure.name.as_ref().map(|name| format::name(name, NAME_CHARS_MAX)),
        detail: detail(measure),
    }
}

fn detail(measure: &Measure) -> String {
    let reason = measure.reason.as_deref().unwrap_or_default();
    match measure.verdict {
        TimeVerdict::Withheld => return format!("{DASH} ({})", measure.by.join(", ")),
        TimeVerdict::NotCompared => return format!("{DASH} ({reason})"),
        _ => {}
    }
    let is_idle = measure.kind == MeasureKind::Idle;
    let unit = if is_idle { "points" } else { "%" };
    let side = |figure: &Option<Figure>| figure.as_ref().map_or_else(|| DASH.to_owned(), of_figure);
    let mut text = arrow(&side(&measure.before), &side(&measure.after));
    if matches!(measure.kind, MeasureKind::Kernel | MeasureKind::Operator) {
        text.push_str(" a step");
    }
    if let Some(change) = measure.change_pct {
        text.push_str(&format!(" ({change:+.1} {unit})"));
    }
    let mut more = vec![measure.verdict.words().to_owned()];
    if let (TimeVerdict::Noise | TimeVerdict::Inconclusive, Some(least)) =
        (measure.verdict, measure.detectable_pct)
    {
        more.push(format!("{least:.1} {unit} could have been seen"));
    }
    if let Some(p) = measure.p.filter(|_| measure.verdict.is_difference()) {
        more.push(format!("p {}", probability(p)));
    }
    more.extend(steps(measure));
    if let Some(op) = measure.op.as_ref().filter(|_| measure.verdict.is_difference()) {
        more.push(format!("part of operator {}", format::name(op, NAME_CHARS_MAX)));
    }
    if !reason.is_empty() {
        more.push(reason.to_owned());
    }
    format!("{text}: {}", more.join(", "))
}

fn of_figure(figure: &Figure) -> String {
    match (figure.median_us, figure.range_pct) {
        (Some(median), _) => time(median, FINE),
        (None, Some(range)) => percent_range(range),
        (None, None) => DASH.to_owned(),
    }
}

fn probability(p: f64) -> String {
    if p < 0.001 { format!("{p:.0e}") } else { format!("{p:.3}") }
}

/// Over how many steps, and how many of them tell something new where that is fewer.
fn steps(measure: &Measure) -> Option<String> {
    let (before, after) = (measure.before.as_ref()?, measure.after.as_ref()?);
    let (a, b) = (before.steps?, after.steps?);
    let (one, other) = (before.steps_effective?, after.steps_effective?);
    let text = format!("{a} and {b} steps");
    Some(if one + other < (a + b) as f64 - 0.5 {
        format!("{text} that tell as much as {one:.1} and {other:.1}")
    } else {
        text
    })
}
