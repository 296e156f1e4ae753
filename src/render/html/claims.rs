//! The claims of a capture, each with its figure, what the figure rests on, and what is left where it is withheld.

use super::super::cells::{self, guarded};
use super::super::escape::{html, markdown, markdown_code};
use super::super::format::{self, FINE, count, counted};
use super::super::markdown::saving;
use super::super::words;
use super::markup;
use crate::report::{CaptureReport, Change, Claim, ClaimState, Microseconds};
use std::fmt::Write as _;

/// Characters of a name beside a claim.
const NAME_CHARS_MAX: usize = 60;

fn time(us: Microseconds) -> String {
    format::time(us, FINE)
}

/// A table of every claim that the capture has something to compute from.
pub(super) fn table(capture: &CaptureReport) -> String {
    let mut text = "<div class=\"scroll\"><table class=\"claims\">\n<thead><tr><th scope=\"col\">claim</th><th scope=\"col\">state</th>\
                    <th scope=\"col\">figure</th><th scope=\"col\">basis</th><th scope=\"col\">kept in any case</th></tr></thead>\n<tbody>\n"
        .to_owned();
    let mut undefined = Vec::new();
    for claim in Claim::ALL {
        let (state, by) = capture.claims.get(claim);
        if state == ClaimState::Undefined {
            undefined.push(claim);
            continue;
        }
        let figure = figure(capture, claim);
        let class = if state == ClaimState::Withheld { " class=\"withheld\"" } else { "" };
        let _ = writeln!(
            text,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td><span{class}>{figure}</span></td><td>{}</td><td>{}</td></tr>",
            html(words::claim(claim)),
            standing(capture, claim, state, by),
            basis(capture, claim),
            if state == ClaimState::Withheld { kept(capture, claim) } else { String::new() }
        );
    }
    text.push_str("</tbody>\n</table></div>\n");
    if !undefined.is_empty() {
        let _ = writeln!(
            text,
            "<p>Not computed from this capture alone: {}.</p>",
            html(&words::claims(&undefined))
        );
    }
    text
}

fn standing(capture: &CaptureReport, claim: Claim, state: ClaimState, by: &[String]) -> String {
    let ids = |ids: Vec<&str>| -> String {
        let ids: Vec<String> = ids.iter().map(|id| format!("<code>{}</code>", html(id))).collect();
        ids.join(", ")
    };
    match (state, words::open_doubts(capture, claim)) {
        (ClaimState::Withheld, _) => {
            format!(
                "<span class=\"state bad\">withheld</span> by {}",
                ids(by.iter().map(String::as_str).collect())
            )
        }
        (_, open) if open.is_empty() => "<span class=\"state good\">supported</span>".to_owned(),
        (_, open) => {
            let open = open.into_iter().map(|(what, open)| format!(", {what} {}", ids(open)));
            format!("<span class=\"state open\">supported</span>{}", open.collect::<String>())
        }
    }
}

/// What a claim's figure is, in HTML.
fn basis(capture: &CaptureReport, claim: Claim) -> String {
    match claim {
        Claim::Idle | Claim::KernelTime | Claim::Ranking | Claim::StepTime => "measured".to_owned(),
        Claim::OpAttribution => format!("times measured; operators {}", placed(capture)),
        Claim::SourceLine => format!("times measured; lines {}", placed(capture)),
        Claim::Roofline => "measured against what vendors state (<em>read</em>)".to_owned(),
        Claim::HostStarved | Claim::CriticalPath | Claim::CollectiveSplit | Claim::Estimate => {
            "<em>inferred</em>".to_owned()
        }
    }
}

/// How kernels are placed, with the share of kernel time of each way, in HTML. Ids and labels are the tracer's; the rest is concluded.
fn placed(capture: &CaptureReport) -> String {
    let Some(attribution) = &capture.attribution else { return "by class".to_owned() };
    let way = |class: &str| match class {
        "correlation" => Some("<em>read</em> from ids"),
        "exact" => Some("<em>read</em> from labels that the program knows"),
        "exact-label" => Some("<em>read</em> from labels alone"),
        "nesting" => Some("<em>inferred</em> by nesting"),
        "name" => Some("<em>inferred</em> by name"),
        "order" => Some("<em>inferred</em> by order"),
        _ => None,
    };
    let ways: Vec<String> = attribution
        .ordered_classes()
        .into_iter()
        .filter(|(_, of)| of.records > 0)
        .filter_map(|(class, of)| {
            let share = of.share.map(|share| format!(" ({})", format::share(share)));
            Some(format!("{}{}", way(class)?, share.unwrap_or_default()))
        })
        .collect();
    if ways.is_empty() { "by class".to_owned() } else { ways.join(", ") }
}

/// True where a claim is a conclusion rather than a sum of records.
pub(super) const fn is_inferred(claim: Claim) -> bool {
    matches!(
        claim,
        Claim::HostStarved | Claim::CriticalPath | Claim::CollectiveSplit | Claim::Estimate
    )
}

/// The figure of a claim, in HTML; empty where it has no single one.
pub(super) fn figure(capture: &CaptureReport, claim: Claim) -> String {
    let largest = |name: &str, share: Option<crate::report::Share>| {
        let share = share.map(|share| format!(", {}", format::share(share))).unwrap_or_default();
        format!("{}{share}", markdown_code(&format::name(name, NAME_CHARS_MAX)))
    };
    let attribution = capture.attribution.as_ref();
    let figure = match claim {
        Claim::Idle => cells::idle(capture),
        Claim::HostStarved => cells::host_starved(capture),
        Claim::KernelTime => cells::kernel_time(capture),
        Claim::Ranking => {
            let first = capture.hot_kernels.first();
            guarded(capture, claim, first, |first| {
                format!("most: {}", largest(&first.name, first.share))
            })
        }
        Claim::OpAttribution => {
            let first = attribution.and_then(|all| all.ops.first());
            guarded(capture, claim, first, |first| {
                format!("most: {}", largest(&first.name, first.share))
            })
        }
        Claim::SourceLine => {
            let first = attribution.and_then(|all| all.lines.first());
            guarded(capture, claim, first, |first| {
                format!("most: {}", largest(&format!("{}:{}", first.file, first.line), first.share))
            })
        }
        Claim::StepTime => step_time(capture),
        Claim::CriticalPath => {
            let path = capture.critical_path.as_ref().filter(|path| path.reason.is_none());
            guarded(capture, claim, path, |path| {
                let most = path.by_kind.first();
                let most =
                    most.map(|most| format!(", most of it {}", largest(&most.kind, most.share)));
                format!("{}{}", time(path.total_us), most.unwrap_or_default())
            })
        }
        Claim::Estimate => {
            let first = first_to_try(capture);
            guarded(capture, claim, first, |first| {
                format!(
                    "{} of {}, were this gone: {}",
                    saving(first),
                    time(first.step_us.now),
                    markdown(&format::name(&first.cause, NAME_CHARS_MAX))
                )
            })
        }
        Claim::Roofline => {
            let covered = capture.roofline.as_ref().and_then(|roofline| roofline.covered.share);
            guarded(capture, claim, covered, |share| {
                format!("covers {} of kernel time", format::share(share))
            })
        }
        Claim::CollectiveSplit => guarded(capture, claim, Some(()), |()| String::new()),
    };
    markup::inline(&figure)
}

/// The cause that saves most, surely before possibly; that a kernel takes no time at all is a ceiling and no advice, and neither is a
/// cause that has no part of the path.
pub(super) fn first_to_try(capture: &CaptureReport) -> Option<&Change> {
    let on_path = |one: &&Change| one.share.is_some_and(|share| share.get() > 0.0);
    let causes = || capture.what_to_change.iter().filter(on_path);
    let left = |one: &&Change| (one.step_us.if_gone.1, one.step_us.if_gone.0);
    let advice = causes().filter(|one| !one.cause.starts_with("kernel "));
    advice.min_by_key(left).or_else(|| causes().next())
}

fn step_time(capture: &CaptureReport) -> String {
    let steps = capture.records.as_ref().and_then(|records| records.steps.as_ref());
    let spread = steps.and_then(|steps| steps.step_time_us);
    guarded(capture, Claim::StepTime, spread, |of| {
        format!("median {} ({} to {})", time(of.median), time(of.min), time(of.max))
    })
}

/// What still stands where a claim is withheld, with the counts.
fn kept(capture: &CaptureReport, claim: Claim) -> String {
    let devices = capture.records.as_ref().map_or(&[][..], |records| &records.devices);
    let (kernels, records): (u64, u64) = devices.iter().fold((0, 0), |(kernels, records), one| {
        (kernels + one.kernels, records + one.device_events)
    });
    let counts = format!(
        "{} in {} on {}",
        counted(kernels, "kernel", "kernels"),
        counted(records, "device record", "device records"),
        counted(devices.len() as u64, "device", "devices")
    );
    let graph = capture.records.as_ref().map(|records| &records.graph);
    let replays = graph.filter(|graph| graph.launches > 0).map(|graph| {
        format!(
            "; {} of {} graph launches with records",
            count(graph.launches_with_records),
            count(graph.launches)
        )
    });
    let kept = words::instead(claim).map(|kept| format!("{kept}; ")).unwrap_or_default();
    html(&format!("{kept}{counts}{}", replays.unwrap_or_default()))
}
