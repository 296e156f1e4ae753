//! The critical path by kind, and what to change.

use super::super::cells::{guarded, table, titled};
use super::super::escape::{markdown, markdown_code};
use super::super::format::{self, FINE, counted, shortened};
use crate::report::{
    CaptureReport, Change, Claim, ClaimState, CriticalPath, Microseconds, PathScope,
};

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

const NOTE: &str = "\nThe kinds add up to the window. `collective` includes waiting for peers; `unexplained` is time that no record explains.\n";

fn window(path: &CriticalPath) -> String {
    let device = markdown(&path.device);
    match (path.scope, &path.step) {
        (PathScope::Step, Some(step)) => {
            let step = markdown_code(&shortened(step, NAME_CHARS_MAX));
            format!("the step of median time, {step} on {device}")
        }
        _ => format!("all work of {device}, as no complete step is followed by another"),
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
    let rows = capture.what_to_change.iter().map(|change| row(capture, change));
    let head =
        ["cause", "assumes that", "try", "shortens the path by", "at best", "now", "without it"];
    format!("{}{INFERRED}", table(&head, 3, rows))
}

const INFERRED: &str = "\nInferred from one window, not run. `at best`: the part of the path is gone and nothing takes its place (Amdahl's ceiling). Savings do not add up.\n";

fn row(capture: &CaptureReport, change: &Change) -> Vec<String> {
    let stated = |figure: Option<Microseconds>| guarded(capture, Claim::Estimate, figure, time);
    let (least, most) = change.step_us.if_gone;
    let range = guarded(capture, Claim::Estimate, Some((least, most)), |(least, most)| {
        let (least, most) = (time(least), time(most));
        if least == most { least } else { format!("{least} to {most}") }
    });
    let order = if change.order_undetermined { " (order undetermined)" } else { "" };
    vec![
        format!("{}{order}", markdown_code(&shortened(&change.cause, NAME_CHARS_MAX))),
        markdown(&change.assumption),
        markdown(&change.knob),
        guarded(capture, Claim::Estimate, change.share, format::share),
        stated(change.at_best_us),
        stated(Some(change.step_us.now)),
        range,
    ]
}
