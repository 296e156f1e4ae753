//! What stands below a drawing: its window, what ends last, what was merged and left out. Not escaped.

use super::super::format::{COARSE, FINE, count, counted, shortened, time};
use super::super::{cells, words};
use crate::report::{CaptureReport, Claim, ClaimState, PathScope, Swimlanes};

/// Characters of a name in a sentence.
const NAME_CHARS_MAX: usize = 90;

/// The sentences below a drawing.
pub(in crate::render) fn notes(capture: &CaptureReport, lanes: &Swimlanes) -> Vec<String> {
    let mut notes = vec![format!("Window: {}.", window(lanes))];
    notes.extend(last(capture, lanes));
    if capture.claims.get(Claim::CriticalPath).0 == ClaimState::Supported {
        notes.push(
            "A black or white edge above a bar: the critical path goes through it.".to_owned(),
        );
    } else {
        let none = cells::guarded(capture, Claim::CriticalPath, None::<()>, |()| String::new());
        let reason = capture.critical_path.as_ref().and_then(|path| path.reason.as_deref());
        let reason = reason.map(|reason| format!(", {reason}")).unwrap_or_default();
        notes.push(format!("Critical path: {none}{reason}."));
    }
    if let Some(by) = words::withheld_by(capture, Claim::Idle) {
        notes.push(format!(
            "Idle is withheld by {}: stretches without records are drawn as such, and not called idle.",
            by.join(", ")
        ));
    }
    notes.push(format!(
        "Records below {} are merged with neighbours in the same stretch of that length; such a bar says how many it stands for, and is the \
         paler the less of its extent they fill.",
        time(lanes.merged_below_us, COARSE)
    ));
    if lanes.lanes_left_out > 0 {
        notes.push(format!(
            "Not drawn: {} of devices, with {}.",
            counted(lanes.lanes_left_out, "lane", "lanes"),
            counted(lanes.records_left_out, "record", "records")
        ));
    }
    if lanes.threads_left_out > 0 {
        let threads = counted(lanes.threads_left_out, "thread", "threads");
        notes.push(format!("Not drawn: {threads} that launched less."));
    }
    notes
}

/// What the axis spans.
fn window(lanes: &Swimlanes) -> String {
    let length = time(lanes.total_us, FINE);
    match (lanes.scope, &lanes.step) {
        (PathScope::Step, Some(step)) => format!(
            "the step of median time, {}, on {}; {length} on the axis, as recorded",
            shortened(step, NAME_CHARS_MAX),
            lanes.device
        ),
        _ => format!(
            "all work of {}, as no complete step is followed by another; {length} on the axis, as recorded",
            lanes.device
        ),
    }
}

/// Which stream ends last, and what it waited for, where the path may be stated.
fn last(capture: &CaptureReport, lanes: &Swimlanes) -> Option<String> {
    let last = lanes.last.as_ref()?;
    let mut text = format!(
        "Ends last: {} of {}, with {}",
        last.stream,
        lanes.device,
        shortened(&last.name, NAME_CHARS_MAX)
    );
    let stated = capture.claims.get(Claim::CriticalPath).0 == ClaimState::Supported;
    match &last.waited_on {
        Some((kind, name)) if stated => {
            let name =
                name.as_deref().map(|name| format!(" ({})", shortened(name, NAME_CHARS_MAX)));
            text.push_str(&format!(
                "; before it the path goes through: {kind}{}",
                name.unwrap_or_default()
            ));
        }
        _ if stated && !last.on_path => text.push_str("; the critical path ends elsewhere"),
        _ => {}
    }
    text.push('.');
    Some(text)
}

/// `1,234 records`, for the label of a lane.
pub(super) fn records(n: u64) -> String {
    count(n)
}
