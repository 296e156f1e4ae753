//! The claims of a capture, each with its figure, what the figure rests on, and what is left where it is withheld.

use super::super::cells::{self, guarded};
use super::super::escape::{html, markdown, markdown_code};
use super::super::format::{self, DASH, FINE, count, counted};
use super::super::markdown::saving;
use super::super::{runs, words};
use super::markup;
use crate::report::{CaptureReport, Change, Claim, ClaimState, Microseconds, Percent, Share};
use crate::units::Ratio;
use std::fmt::Write as _;

/// Characters of a name beside a claim.
const NAME_CHARS_MAX: usize = 60;

fn time(us: Microseconds) -> String {
    format::time(us, FINE)
}

/// A table of every claim that the capture has something to compute from; what stands all the same where one is withheld has a column
/// then.
pub(super) fn table(capture: &CaptureReport) -> String {
    let state = |claim: Claim| capture.claims.get(claim).0;
    let has_withheld = Claim::ALL.into_iter().any(|claim| state(claim) == ClaimState::Withheld);
    let more = if has_withheld { "<th scope=\"col\">what stands all the same</th>" } else { "" };
    let mut text = format!(
        "<div class=\"scroll\"><table class=\"claims\">\n<thead><tr><th scope=\"col\">claim</th><th scope=\"col\">state</th>\
         <th scope=\"col\">figure</th><th scope=\"col\">basis</th>{more}</tr></thead>\n<tbody>\n"
    );
    for claim in Claim::ALL {
        let (state, by) = capture.claims.get(claim);
        let (figure, kept) = match state {
            ClaimState::Undefined => continue,
            ClaimState::Supported => {
                let figure = format!("{}{}", figure(capture, claim), scope(capture, claim));
                (figure, String::new())
            }
            ClaimState::Withheld => {
                (format!("<span class=\"withheld\">{DASH}</span>"), kept(capture, claim))
            }
        };
        let kept = if has_withheld { format!("<td>{kept}</td>") } else { String::new() };
        let _ = writeln!(
            text,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{figure}</td><td>{}</td>{kept}</tr>",
            html(words::claim(claim)),
            standing(capture, claim, state, by),
            basis(capture, claim),
        );
    }
    text.push_str("</tbody>\n</table></div>\n");
    if has_withheld {
        text.push_str(&counts(capture));
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
        Claim::OpAttribution => match without_op(capture) {
            Some(share) => format!(
                "times measured; instructions {}, of which those of {} name no operator",
                placed(capture),
                format::share(share)
            ),
            None => format!("times measured; operators {}", placed(capture)),
        },
        Claim::SourceLine => format!("times measured; lines {}", placed(capture)),
        Claim::Roofline => "measured against what vendors state (<em>read</em>)".to_owned(),
        Claim::HostStarved | Claim::CriticalPath | Claim::CollectiveSplit | Claim::Estimate => {
            "<em>inferred</em>".to_owned()
        }
    }
}

/// The part of kernel time whose instruction is known and names no operator; `None` where kernels lead to operators without one.
fn without_op(capture: &CaptureReport) -> Option<Share> {
    let hlo = capture.attribution.as_ref()?.hlo.as_ref()?;
    hlo.without_op.share.filter(|share| share.get() > 0.0)
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

/// What a figure is a part of, and under which conditions it was recorded, in HTML.
pub(super) fn scope(capture: &CaptureReport, claim: Claim) -> String {
    let of = match claim {
        Claim::Idle | Claim::HostStarved => window(capture),
        Claim::Ranking | Claim::OpAttribution | Claim::SourceLine => {
            Some("of recorded kernel time".to_owned())
        }
        _ => None,
    };
    let read_as = match claim {
        Claim::Idle | Claim::HostStarved => words::read_as(capture),
        Claim::CriticalPath | Claim::Estimate => {
            let conditions = words::conditions(capture);
            (!conditions.is_empty()).then(|| format!("as recorded, {}", conditions.join(", ")))
        }
        _ => None,
    };
    let of = of.map(|of| format!(" {of}")).unwrap_or_default();
    let gap = (claim == Claim::Idle).then(|| one_gap(capture)).flatten();
    let of = format!("{of}{}", gap.unwrap_or_default());
    let read_as = read_as.map(|how| format!("; {how}")).unwrap_or_default();
    html(&format!("{of}{read_as}"))
}

/// `, one gap of 20.69 ms is 72.0 % of it`: where a single gap is more than half of the idle, the share tells of that gap alone.
fn one_gap(capture: &CaptureReport) -> Option<String> {
    let [device] = capture.records.as_ref()?.devices.as_slice() else { return None };
    let longest = device.longest_gaps.first()?.length_us;
    let of = |time: Microseconds| u64::try_from(time.ps()).ok();
    let part = Percent::of(Ratio::new(of(longest)?, of(device.idle_us)?)?);
    let is_most = longest.ps() * 2 > device.idle_us.ps();
    is_most
        .then(|| format!(", one gap of {} is {} of the idle", time(longest), format::percent(part)))
}

/// `of its window of 3.496 ms`.
pub(super) fn window(capture: &CaptureReport) -> Option<String> {
    let length = time(cells::window(capture)?);
    let n_devices = capture.records.as_ref().map_or(0, |records| records.devices.len());
    Some(match n_devices {
        0 | 1 => format!("of its window of {length}"),
        _ => format!("of windows of up to {length}"),
    })
}

/// The figure of a claim, in HTML; empty where it has no single one.
pub(super) fn figure(capture: &CaptureReport, claim: Claim) -> String {
    let largest = |name: &str, share: Option<Share>| {
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
                let of_run = first.in_run.map(|share| {
                    format!("for the run {}; on this rank alone ", runs::worth(share))
                });
                let of_run = of_run.unwrap_or_default();
                format!(
                    "{of_run}{} saved of {}, if this were gone: {}",
                    saving(first),
                    time(first.step_us.now),
                    markdown(&format::name(&first.cause, NAME_CHARS_MAX))
                )
            })
        }
        Claim::Roofline => {
            let covered = capture.roofline.as_ref().and_then(|roofline| roofline.covered.share);
            guarded(capture, claim, covered, |share| {
                format!(
                    "how near to the device's roof is known for {} of kernel time",
                    format::share(share)
                )
            })
        }
        Claim::CollectiveSplit => guarded(capture, claim, Some(()), |()| String::new()),
    };
    markup::inline(&figure)
}

/// The cause that saves most, surely before possibly; that a kernel takes no time at all is a ceiling and no advice, and neither is a
/// cause that has no part of the path. Where one host event is nearly all of the host's part, that one: its remedy is its own.
pub(super) fn first_to_try(capture: &CaptureReport) -> Option<&Change> {
    let on_path = |one: &&Change| one.share.is_some_and(|share| share.get() > 0.0);
    let causes = || capture.what_to_change.iter().filter(on_path);
    let left = |one: &&Change| (one.step_us.if_gone.1, one.step_us.if_gone.0);
    let advice = causes().filter(|one| !one.cause.starts_with("kernel "));
    let first = advice.min_by_key(left).or_else(|| causes().next())?;
    Some(causes().find(|one| general(first, one)).unwrap_or(first))
}

/// True where a cause is one host event of a general one, and nearly all of it on the path.
fn general(all: &Change, one: &Change) -> bool {
    let is_of_it = all.cause == Change::WAITS_FOR_HOST && one.host_event().is_some();
    let part = |of: &Change| of.share.map_or(0.0, Share::get);
    is_of_it && part(one) >= NEARLY_ALL * part(all)
}

/// The general cause that one event is nearly all of.
pub(super) fn folded<'c>(capture: &'c CaptureReport, one: &Change) -> Option<&'c Change> {
    capture.what_to_change.iter().find(|all| general(all, one))
}

/// From this part on, one host event stands for all of the host's time on the path. A choice.
const NEARLY_ALL: f64 = 0.9;

fn step_time(capture: &CaptureReport) -> String {
    let steps = capture.records.as_ref().and_then(|records| records.steps.as_ref());
    let spread = steps.and_then(|steps| steps.step_time_us);
    guarded(capture, Claim::StepTime, spread, |of| {
        format!("median {} ({} to {})", time(of.median), time(of.min), time(of.max))
    })
}

/// What still stands where a claim is withheld.
fn kept(capture: &CaptureReport, claim: Claim) -> String {
    let bounds = cells::bounds_all_the_same(capture, claim);
    let bounds = bounds.map(|bounds| format!("within {}", format::percent_range(bounds)));
    let kept = words::instead(claim).map(ToOwned::to_owned);
    let parts: Vec<String> = bounds.into_iter().chain(kept).collect();
    html(&parts.join("; "))
}

/// The counts of records, which stand whatever is withheld.
fn counts(capture: &CaptureReport) -> String {
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
    format!(
        "<p>Counts of records stand whatever is withheld: {}.</p>\n",
        html(&format!("{counts}{}", replays.unwrap_or_default()))
    )
}
