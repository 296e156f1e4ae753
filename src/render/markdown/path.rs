//! The critical path by kind, and what to change.

use super::super::cells::{guarded, table, titled};
use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, FINE, counted};
use super::super::{runs, words};
use crate::report::{
    CaptureReport, Change, ChangeAtRoofline, Claim, ClaimState, CriticalPath, Microseconds,
    PathScope, Percent, ShareOfRun, StepChange,
};
use crate::units::Ratio;

/// Characters of a step's name or a cause.
const NAME_CHARS_MAX: usize = 90;

fn time(us: Microseconds) -> String {
    format::time(us, FINE)
}

pub(super) fn title(capture: &CaptureReport) -> String {
    titled(capture, "Critical path", Claim::CriticalPath, "it is")
}

/// Where the time of the path goes. Where it is refused, why.
pub(super) fn by_kind(capture: &CaptureReport) -> String {
    let Some(path) = &capture.critical_path else { return String::new() };
    if let Some(reason) = &path.reason {
        return format!("Not stated for {}: {}.\n", window(path), markdown(reason));
    }
    let total = guarded(capture, Claim::CriticalPath, Some(path.total_us), time);
    // Without its figures the order of the rows would still tell what is withheld.
    if capture.claims.get(Claim::CriticalPath).0 != ClaimState::Supported {
        return format!("Of {}: {total}.\n", window(path));
    }
    let rows = path.by_kind.iter().map(|kind| {
        vec![
            markdown(&kind.kind),
            guarded(capture, Claim::CriticalPath, Some(kind.time_us), time),
            guarded(capture, Claim::CriticalPath, kind.share, format::share),
        ]
    });
    let rows = table(&["the path goes through", "time", "of the window"], 1, rows);
    format!("Of {}, {total}:\n\n{rows}{NOTE}", window(path))
}

const NOTE: &str = "\nThe kinds add up to the window. `collective` includes waiting for peers; `queue`: the device goes on to the next work that was ready; `launch-call`: \
    the host is inside a call that hands over work, `dispatch`: from its return to the start of the work; `host-wait`: the host returns from waiting for the device; \
    `unexplained`: no record explains it.\n";

fn window(path: &CriticalPath) -> String {
    let device = markdown(&path.device);
    match (path.scope, &path.step) {
        (PathScope::Step, Some(step)) => {
            let step = markdown_code(&format::name(step, NAME_CHARS_MAX));
            format!("the step of median time, {step} on {device}")
        }
        _ => format!("all recorded work of {device} (no complete step is followed by another)"),
    }
}

pub(super) fn changes_title(capture: &CaptureReport) -> String {
    titled(capture, "What to change (inferred)", Claim::Estimate, "the estimates are")
}

/// Conclusions under an assumption, behind the claim that they make.
pub(super) fn changes(capture: &CaptureReport) -> String {
    let state = capture.claims.get(Claim::Estimate).0;
    if capture.what_to_change.is_empty() || state == ClaimState::Undefined {
        return String::new();
    }
    if state == ClaimState::Withheld {
        let n_causes = counted(capture.what_to_change.len() as u64, "cause", "causes");
        let none = guarded(capture, Claim::Estimate, Some(()), |()| String::new());
        return format!("{n_causes}: {none}.\n");
    }
    let now = capture.what_to_change.first().map(|change| change.step_us.now);
    let now = guarded(capture, Claim::Estimate, now, time);
    let of = capture.critical_path.as_ref().map_or_else(|| "The window".to_owned(), window);
    let rows = capture.what_to_change.iter().map(|change| row(capture, change));
    let head =
        ["cause", "saves", "try", "assumes that", "on the critical path", "at best it takes"];
    let table = table(&head, 4, rows);
    format!(
        "Of {of}, {now} now:\n\n{table}{}{}{}{}{INFERRED}",
        at_roofline(capture),
        in_run(capture),
        open(capture),
        tracer(capture)
    )
}

/// What kernels save if they run as fast as their device allows: less than if they were gone, and still a ceiling.
fn at_roofline(capture: &CaptureReport) -> String {
    let changes = capture.what_to_change.iter();
    let at_roof = changes.filter_map(|change| Some((change, change.at_roofline.as_ref()?)));
    let row = |(change, roof): (&Change, &ChangeAtRoofline)| {
        let stated = |us| guarded(capture, Claim::Roofline, Some(us), time);
        let limit = match roof.bound.as_str() {
            "compute" => "compute limits it there",
            "memory" => "memory limits it there",
            _ => "compute or memory limits it there",
        };
        format!(
            "- {}: saves {}; its launches in this window take {}, and {} at least; {limit}. Try: {}.\n",
            markdown_code(&format::name(&change.cause, NAME_CHARS_MAX)),
            guarded(capture, Claim::Roofline, Some((change, roof)), saving_at_roofline),
            stated(roof.kernels_us),
            stated(roof.floor_us),
            markdown(&roof.knob)
        )
    };
    let assumption = at_roof.clone().next().map(|(_, roof)| markdown(&roof.assumption));
    let rows: String = at_roof.map(row).collect();
    assumption
        .map_or_else(String::new, |assumption| format!("\nAt its roofline {assumption}.\n\n{rows}"))
}

/// What a kernel saves at its roofline: `at most 24.7 ms (10.9 %)`.
pub(in crate::render) fn saving_at_roofline(
    (change, roof): (&Change, &ChangeAtRoofline),
) -> String {
    let part = |us: Microseconds| u64::try_from(us.ps()).ok();
    let part = part(roof.saves_at_most_us).zip(part(change.step_us.now));
    let of = part.and_then(|(saved, now)| Ratio::new(saved, now)).map(Percent::of);
    let of = of.map(|of| format!(" ({})", format::percent(of))).unwrap_or_default();
    format!("at most {}{of}", time(roof.saves_at_most_us))
}

/// What all of it is worth to a run of several ranks.
fn in_run(capture: &CaptureReport) -> String {
    let share = capture.what_to_change.iter().find_map(|change| change.in_run);
    let Some(share) = share else { return String::new() };
    let ShareOfRun { last, .. } = share;
    let collectives = counted(share.collectives, "collective", "collectives");
    let lead = match last {
        0 => "so that what is saved here is waited in them".to_owned(),
        _ => {
            let worth = |share| markdown(&runs::worth(share));
            format!(
                "and the run gets shorter by no more than it is behind there: {}",
                guarded(capture, Claim::Estimate, Some(share), worth)
            )
        }
    };
    format!(
        "\nOne rank of several: of the {collectives} in this window, it comes last to {}, {lead}.\n{}{}",
        if last == 0 { "none".to_owned() } else { last.to_string() },
        floor(capture, share),
        order(capture)
    )
}

/// Which causes leave just the rank's collectives, so that different ones save alike.
fn floor(capture: &CaptureReport, share: ShareOfRun) -> String {
    let Some(floor) = share.collectives_us else { return String::new() };
    let left = capture.what_to_change.iter().filter(|one| one.step_us.if_gone.0 == floor);
    let causes: Vec<String> =
        left.map(|one| markdown_code(&format::name(&one.cause, NAME_CHARS_MAX))).collect();
    if causes.is_empty() {
        return String::new();
    }
    format!(
        "\nWhat limits {}: the collectives stay as they are, waiting for other ranks included, and those of this rank take {} one after another.\n",
        list(&causes),
        guarded(capture, Claim::Estimate, Some(floor), time)
    )
}

/// `a, b and c`.
fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Why a row that may save more stands behind others.
fn order(capture: &CaptureReport) -> String {
    let rows = &capture.what_to_change;
    let saves = |one: &Change| one.step_us.now.ps() - one.step_us.if_gone.0.ps();
    let is_behind = |at: usize| rows[..at].iter().any(|before| saves(before) < saves(&rows[at]));
    let late: Vec<String> = (0..rows.len())
        .filter(|&at| rows[at].share.is_none() && is_behind(at))
        .map(|at| markdown_code(&format::name(&rows[at].cause, NAME_CHARS_MAX)))
        .collect();
    if late.is_empty() {
        return String::new();
    }
    format!(
        "\nRows stand by their part of the critical path, not by what they save; last stands {}, of which that part is not known, though it may save more \
         than rows above.\n",
        list(&late)
    )
}

const INFERRED: &str = "\nInferred from one window, not run: it is played again without the cause. `saves`: at most so much, as the cause is gone entirely there; a change \
    that leaves part of it saves less. Of a range, the low end: what then waits for something else starts as late behind it as such work \
    did in this window, less what the bounds of idle leave open; the high end: it starts at once. Where no lower bound is known, the saving may be zero. \
    `on the critical path`: the part of it that would go, with the calls that make it or wait for it; the device may run other work beside it, so it is not all idle; a stretch of the host is one call, or what is innermost there. \
    `at best it takes`: the time that would be left if all of that went and nothing took its place. Savings do not add up.\n";

/// Why savings may be nothing.
fn open(capture: &CaptureReport) -> String {
    let open = capture.what_to_change.iter().find_map(|change| change.open.as_deref());
    open.map(|open| format!("\nWhere no lower bound is known: {}.\n", markdown(open)))
        .unwrap_or_default()
}

/// What a tracer does to the host's part.
fn tracer(capture: &CaptureReport) -> String {
    let is_slowed = capture.what_to_change.iter().any(words::is_slowed_by_tracer);
    let slows = words::tracer(capture).filter(|_| is_slowed);
    slows
        .map(|slows| format!("\n{slows}: what the host could save is less without it.\n"))
        .unwrap_or_default()
}

/// What a cause saves where it is gone entirely, which is a ceiling: `at most 24.7 ms (10.9 %)`, `at most 20.1 to 24.7 ms (9.0 to 10.9 %)` where the
/// ceiling is a range, or `at most 24.7 ms (10.9 %), no lower bound known`.
pub(in crate::render) fn saving(change: &Change) -> String {
    let StepChange { now, if_gone: (lo, hi) } = change.step_us;
    let saved = |left: Microseconds| Microseconds::from_ps(now.ps().saturating_sub(left.ps()));
    let part =
        |left| Ratio::new(u64::try_from(saved(left).ps()).ok()?, u64::try_from(now.ps()).ok()?);
    let (least, most) = (time(saved(hi)), time(saved(lo)));
    if change.is_upper_bound || saved(hi).ps() == 0 && least != most {
        let of = part(lo).map(|part| format!(" ({})", format::percent(Percent::of(part))));
        return format!("at most {most}{}, no lower bound known", of.unwrap_or_default());
    }
    let of = match (part(hi).map(Percent::of), part(lo).map(Percent::of)) {
        (Some(least), Some(most)) => format!(" ({})", format::percent_range((least, most))),
        _ => String::new(),
    };
    if least == most {
        format!("at most {most}{of}")
    } else {
        format!("at most {least} to {most}{of}")
    }
}

fn row(capture: &CaptureReport, change: &Change) -> Vec<String> {
    let stated = |figure: Option<Microseconds>| guarded(capture, Claim::Estimate, figure, time);
    let saves = guarded(capture, Claim::Estimate, Some(change), saving);
    let order = if change.order_undetermined { " (order undetermined)" } else { "" };
    vec![
        format!("{}{order}", markdown_code(&format::name(&change.cause, NAME_CHARS_MAX))),
        saves,
        markdown(&words::knob(change)),
        markdown(&change.assumption),
        change.share.map_or_else(
            || "not known".to_owned(),
            |part| {
                let share = guarded(capture, Claim::Estimate, Some(part), format::share);
                let of = change.stretches.as_ref();
                let of = of.map(|of| format!(", {}", words::stretches(of, markdown_code)));
                format!("{share}{}", of.unwrap_or_default())
            },
        ),
        stated(change.at_best_us),
    ]
}
