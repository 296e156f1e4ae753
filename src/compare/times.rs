//! How long it took before and after: step time, kernels, operators, and the bounds of idle.

use super::noise::{self, Held, P_MAX, STEPS_MIN, Sample, Tail};
use super::parts;
use crate::report::{
    CaptureReport, Claim, ClaimState, Difference, Direction, Figure, Measure, MeasureKind,
    Microseconds, Percent, TimeVerdict,
};

/// The smallest change of a step's time that matters, as a part: single runs of one program differ by as much.
const STEP_CHANGE_MIN: f64 = 0.03;

/// The same of idle, in points.
const IDLE_CHANGE_MIN: f64 = 2.0;

/// Kernels that must move together before it looks like the clock, and by which part.
const DRIFT_KERNELS_MIN: usize = 3;
const DRIFT_MIN: f64 = 2.0;

/// Every quantity: the step's time, kernels and operators with the longest first, idle. `host` says why the host was slower on one side alone.
pub(super) fn measures(
    before: &CaptureReport,
    after: &CaptureReport,
    host: Option<&str>,
) -> Vec<Measure> {
    let mut all = vec![step_time(before, after, host)];
    all.extend(parts::measures(before, after));
    all.push(idle(before, after));
    let step = all[0].verdict;
    for one in &mut all {
        one.direction = direction(one, step);
    }
    all
}

/// Whether a quantity got worse, with the step's time in view: the whole decides over its parts.
const fn direction(measure: &Measure, step: TimeVerdict) -> Direction {
    match (measure.kind, measure.verdict) {
        (MeasureKind::StepTime, TimeVerdict::Slower) => Direction::Worse,
        (kind, TimeVerdict::Faster) if !matches!(kind, MeasureKind::Idle) => Direction::Better,
        // Where the step got faster, a part of it may take longer.
        (MeasureKind::Kernel | MeasureKind::Operator, TimeVerdict::Slower)
            if !matches!(step, TimeVerdict::Faster) =>
        {
            Direction::Worse
        }
        // Idle is a share: it grows when kernels get faster, and shrinks when ranks wait for one another in collectives.
        _ => Direction::Other,
    }
}

pub(super) fn measure(kind: MeasureKind, name: Option<&str>) -> Measure {
    Measure {
        kind,
        name: name.map(str::to_owned),
        op: None,
        before: None,
        after: None,
        change_pct: None,
        verdict: TimeVerdict::NotCompared,
        direction: Direction::Other,
        p: None,
        detectable_pct: None,
        reason: None,
        by: Vec::new(),
    }
}

/// The checks that withhold one of some claims on either side; `None` where none is withheld.
pub(super) fn withheld(sides: [&CaptureReport; 2], claims: &[Claim]) -> Option<Vec<String>> {
    let mut by: Vec<String> = Vec::new();
    let mut is_withheld = false;
    for (state, ids) in sides.iter().flat_map(|side| claims.iter().map(|one| side.claims.get(*one)))
    {
        if state == ClaimState::Withheld {
            is_withheld = true;
            by.extend(ids.iter().cloned());
        }
    }
    by.sort();
    by.dedup();
    is_withheld.then_some(by)
}

fn figure(sample: &Sample, part: f64) -> Figure {
    let n = sample.n();
    Figure {
        median_us: Some(whole(sample.median)),
        mad_us: Some(whole(sample.mad)),
        range_pct: None,
        steps: Some(n as u64),
        steps_effective: Some(rounded(n as f64 * part, 1)),
    }
}

/// Picoseconds that were halved at most, as an integer again.
fn whole(ps: f64) -> Microseconds {
    #[expect(clippy::cast_possible_truncation, reason = "times span 2^62 ps, and a cast saturates")]
    Microseconds::from_ps(ps.round() as i128)
}

/// To so many decimals: what a reader can use, and the same on every machine.
fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    // A zero has no sign.
    (value * scale).round() / scale + 0.0
}

/// To four significant digits.
fn significant(p: f64) -> f64 {
    format!("{p:.3e}").parse().unwrap_or(p)
}

/// What is said of a sample pair, with the probability that is to be used.
pub(super) fn judged(measure: &mut Measure, sides: [&Sample; 2], held: &Held, p: Option<f64>) {
    let [before, after] = sides.map(|side| figure(side, held.part));
    measure.before = Some(before);
    measure.after = Some(after);
    measure.change_pct = Some(rounded(held.change * 100.0, 2));
    measure.detectable_pct = Some(rounded(held.detectable * 100.0, 2));
    measure.p = p.map(significant);
    let is_longer = held.change > 0.0;
    let is_tested = p.is_some_and(|p| p < P_MAX);
    measure.verdict = match (held.is_beyond, is_tested && !held.is_weak, is_longer) {
        (true, true, true) => TimeVerdict::Slower,
        (true, true, false) => TimeVerdict::Faster,
        (true, false, true) => TimeVerdict::SuspectedSlower,
        (true, false, false) => TimeVerdict::SuspectedFaster,
        (false, ..) => match held.tail {
            Some(Tail { is_after: true, .. }) => TimeVerdict::SuspectedSlower,
            Some(Tail { is_after: false, .. }) => TimeVerdict::SuspectedFaster,
            None if held.sees_threshold => TimeVerdict::Noise,
            None => TimeVerdict::Inconclusive,
        },
    };
    if held.is_beyond && held.is_weak {
        let why =
            if p.is_none() { "too few steps for a test" } else { "steps depend on one another" };
        measure.reason = Some(why.to_owned());
    } else if held.is_beyond && !is_tested {
        measure.reason = Some("the test alone does not exclude chance".to_owned());
    } else if let (false, Some(Tail { is_after, n, of })) = (held.is_beyond, held.tail) {
        let (side, other) = if is_after { ("after", "before") } else { ("before", "after") };
        measure.reason = Some(format!(
            "{n} of {of} steps {side} take longer than any {other}, and the median hides it"
        ));
    }
}

/// The time of each step that is known, in order.
fn step_times(capture: &CaptureReport) -> Option<Vec<Microseconds>> {
    let steps = capture.records.as_ref()?.steps.as_ref()?;
    Some(steps.rows.iter().filter_map(|row| row.step_time_us).collect())
}

fn step_time(before: &CaptureReport, after: &CaptureReport, host: Option<&str>) -> Measure {
    let mut row = measure(MeasureKind::StepTime, None);
    let times = [before, after].map(step_times);
    if let Some(by) = withheld([before, after], &[Claim::StepTime]) {
        row.verdict = TimeVerdict::Withheld;
        row.by = by;
        return row;
    }
    let [Some(old), Some(new)] = &times else {
        let side = match (&times[0], &times[1]) {
            (None, None) => "on neither side",
            (None, _) => "before",
            _ => "after",
        };
        let is_nowhere = if times[0].is_none() && times[1].is_none() { "a" } else { "no" };
        row.reason = Some(format!("{is_nowhere} step is known {side}"));
        return row;
    };
    let too_few = || {
        format!(
            "{STEPS_MIN} complete steps with a next one are needed on each side: there are {} before and {} after",
            old.len(),
            new.len()
        )
    };
    let (Some(a), Some(b)) = (Sample::of(old), Sample::of(new)) else {
        row.reason = Some(too_few());
        return row;
    };
    let Some(held) = noise::hold(&a, &b, STEP_CHANGE_MIN) else {
        row.reason = Some(too_few());
        return row;
    };
    judged(&mut row, [&a, &b], &held, held.p);
    if let Some(why) = host {
        row.verdict = match row.verdict {
            TimeVerdict::Slower => TimeVerdict::SuspectedSlower,
            TimeVerdict::Faster => TimeVerdict::SuspectedFaster,
            other => other,
        };
        row.reason = Some(why.to_owned());
    }
    row
}

fn idle(before: &CaptureReport, after: &CaptureReport) -> Measure {
    let mut row = measure(MeasureKind::Idle, None);
    if let Some(by) = withheld([before, after], &[Claim::Idle]) {
        row.verdict = TimeVerdict::Withheld;
        row.by = by;
        return row;
    }
    let bounds = [before, after].map(|capture| capture.claims.idle.device_inactive_pct);
    let [Some(old), Some(new)] = bounds else {
        row.reason = Some("no bounds of idle are known on one side or both".to_owned());
        return row;
    };
    let figure = |range| Figure {
        median_us: None,
        mad_us: None,
        range_pct: Some(range),
        steps: None,
        steps_effective: None,
    };
    let middle = |(low, high): (Percent, Percent)| f64::midpoint(low.get(), high.get());
    let width = |(low, high): (Percent, Percent)| high.get() - low.get();
    let change = middle(new) - middle(old);
    let detectable = f64::midpoint(width(old), width(new)).max(IDLE_CHANGE_MIN);
    let is_apart = new.0.get() > old.1.get() || new.1.get() < old.0.get();
    row.before = Some(figure(old));
    row.after = Some(figure(new));
    row.change_pct = Some(rounded(change, 2));
    row.detectable_pct = Some(rounded(detectable, 2));
    row.verdict = match is_apart && change.abs() > IDLE_CHANGE_MIN {
        true if change > 0.0 => TimeVerdict::Higher,
        true => TimeVerdict::Lower,
        false if detectable > IDLE_CHANGE_MIN => TimeVerdict::Inconclusive,
        false => TimeVerdict::Noise,
    };
    row
}

/// What it looks like where every kernel moved the same way: another clock, not another program.
pub(super) fn common_drift(measures: &[Measure]) -> Option<Difference> {
    let of_kernels = measures.iter().filter(|one| one.kind == MeasureKind::Kernel);
    let changes: Vec<f64> = of_kernels.filter_map(|one| one.change_pct).collect();
    let (low, high) =
        (changes.iter().copied().reduce(f64::min)?, changes.iter().copied().reduce(f64::max)?);
    let moved = low > DRIFT_MIN || high < -DRIFT_MIN;
    (moved && changes.len() >= DRIFT_KERNELS_MIN).then(|| Difference {
        what: format!(
            "all kernels moved together, by {low:+.1} % to {high:+.1} %, as with another clock of the device"
        ),
        before: None,
        after: None,
    })
}
