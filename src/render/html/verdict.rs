//! The verdict on a capture in plain words: what may be believed, what not and why, and what to do next.

use super::super::escape::{html, markdown_prose};
use super::super::format::{self, FINE, time};
use super::super::markdown::saving;
use super::super::{cells, words};
use super::markup;
use crate::report::{
    CaptureReport, Change, CheckReport, Claim, ClaimState, CountedAdvice, Outcome, PathScope,
    ShareOfRun, State,
};

/// Reasons and advice that are spelled out; the findings have all of them.
const REASONS_MAX: usize = 3;

/// Points between bounds from which on they say nothing.
const OPEN_MAX: f64 = 50.0;

/// Characters of a cause, which may be the name of a kernel.
const CAUSE_CHARS_MAX: usize = 90;

/// Three answers.
pub(super) fn in_words(capture: &CaptureReport) -> String {
    let (believed, doubted, next) = match (&capture.error, capture.outcome) {
        (Some(error), _) => (
            "Nothing: the capture could not be read.".to_owned(),
            format!("{} ({}).", html(&error.message), html(&cells::place(error))),
            html(&error.help),
        ),
        (None, Outcome::Refused) => {
            ("Nothing: the capture was refused.".to_owned(), String::new(), String::new())
        }
        (None, Outcome::Report) => (believed(capture), doubted(capture), next(capture)),
    };
    let answer = |question: &str, answer: String| {
        if answer.is_empty() { answer } else { format!("<dt>{question}</dt><dd>{answer}</dd>\n") }
    };
    format!(
        "<dl class=\"answers\">\n{}{}{}</dl>\n",
        answer("May be believed", believed),
        answer("Not to be believed", doubted),
        answer("What to do next", next)
    )
}

/// The supported claims, with the figures that matter most, and which of them a check could not verify.
fn believed(capture: &CaptureReport) -> String {
    let supported = Claim::ALL
        .into_iter()
        .filter(|claim| capture.claims.get(*claim).0 == ClaimState::Supported);
    let (mut parts, mut open) = (String::new(), Vec::<((&str, &str), Vec<Claim>)>::new());
    for claim in supported {
        let name = html(words::claim(claim));
        let figure = super::claims::figure(capture, claim);
        let figure =
            if figure.is_empty() { figure } else { format!(": <strong>{figure}</strong>") };
        let inferred = if super::claims::is_inferred(claim) { " (<em>inferred</em>)" } else { "" };
        parts.push_str(&format!("<li>{name}{inferred}{figure}</li>"));
        let doubts = words::open_doubts(capture, claim).into_iter();
        for doubt in doubts.flat_map(|(what, ids)| ids.into_iter().map(move |id| (what, id))) {
            match open.iter_mut().find(|(known, _)| *known == doubt) {
                Some((_, claims)) => claims.push(claim),
                None => open.push((doubt, vec![claim])),
            }
        }
    }
    if parts.is_empty() {
        return "No claim; counts of records, and recorded times as such.".to_owned();
    }
    let of_host = [Claim::Idle, Claim::HostStarved, Claim::CriticalPath, Claim::Estimate];
    let is_stated = |claim: &Claim| capture.claims.get(*claim).0 == ClaimState::Supported;
    let tracer = words::tracer(capture).filter(|_| of_host.iter().any(is_stated)).map(|slows| {
        format!("<p>{slows}: without it the device would wait for the host less.</p>")
    });
    let tracer = tracer.unwrap_or_default();
    let open: String = open
        .iter()
        .map(|((what, id), claims)| {
            format!("<p>{}, {what} <code>{}</code>.</p>", words::claims(claims), html(id))
        })
        .collect();
    format!("<ul>{parts}</ul>{open}{tracer}")
}

/// The claims that are withheld, with the checks that say why, and those that nothing can be computed from.
fn doubted(capture: &CaptureReport) -> String {
    let of = |state| -> Vec<Claim> {
        Claim::ALL.into_iter().filter(|claim| capture.claims.get(*claim).0 == state).collect()
    };
    let (withheld, undefined) = (of(ClaimState::Withheld), of(ClaimState::Undefined));
    let mut text = String::new();
    if !withheld.is_empty() {
        let reasons: Vec<&CheckReport> = reasons(capture).collect();
        let shown = reasons.iter().take(REASONS_MAX).map(|check| {
            format!("<li>{} (<code>{}</code>)</li>", html(&check.message), html(&check.id))
        });
        let more = match reasons.len().checked_sub(REASONS_MAX) {
            Some(more) if more > 0 => format!("<li>{more} more under “Cannot be trusted”</li>"),
            _ => String::new(),
        };
        text = format!(
            "<p><strong>{}</strong>, because:</p><ul>{}{more}</ul>",
            html(&words::claims(&withheld)),
            shown.collect::<String>()
        );
        text.push_str(&certain(capture, &withheld));
    }
    let mut without_reason = Vec::new();
    for claim in undefined {
        match why_undefined(capture, claim) {
            Some(why) => {
                let claim = html(words::claim(claim));
                text.push_str(&format!("<p>Not stated: {claim}, as {}.</p>", html(&why)));
            }
            None => without_reason.push(claim),
        }
    }
    if !without_reason.is_empty() {
        text.push_str(&format!(
            "<p>Nothing is said, as this capture has nothing to compute it from: {}.</p>",
            html(&words::claims(&without_reason))
        ));
    }
    if text.is_empty() { "Nothing: no claim is withheld.".to_owned() } else { text }
}

/// Why a claim has nothing to be computed from, where more can be said than that.
fn why_undefined(capture: &CaptureReport, claim: Claim) -> Option<String> {
    let records = capture.records.as_ref()?;
    let path = capture.critical_path.as_ref();
    match claim {
        Claim::StepTime if records.steps.is_some() => {
            Some("it takes three steps that the records cover".to_owned())
        }
        Claim::CollectiveSplit => {
            Some("it takes the captures of several ranks, which are compared as a run".to_owned())
        }
        Claim::CriticalPath | Claim::Estimate => path?.reason.clone(),
        _ => None,
    }
}

/// What the bounds of withheld figures say all the same.
fn certain(capture: &CaptureReport, withheld: &[Claim]) -> String {
    let bounds = &capture.claims.idle;
    let of =
        [(Claim::Idle, bounds.device_inactive_pct), (Claim::HostStarved, bounds.host_starved_pct)];
    let known = of.into_iter().filter(|(claim, _)| withheld.contains(claim));
    let known = known.filter_map(|(claim, bounds)| Some((claim, bounds?)));
    // Bounds that leave nearly everything open say nothing.
    let known = known.filter(|(_, (lo, hi))| hi.get() - lo.get() < OPEN_MAX && lo.get() < hi.get());
    let known: Vec<String> = known
        .map(|(claim, bounds)| format!("{} {}", words::claim(claim), format::percent_range(bounds)))
        .collect();
    match known.is_empty() {
        true => String::new(),
        false => format!(
            "<p>Its bounds stand all the same: {} of the window.</p>",
            html(&known.join(", "))
        ),
    }
}

/// The checks that withhold claims, those that fail the gate first.
fn reasons(capture: &CaptureReport) -> impl Iterator<Item = &CheckReport> {
    let withholds = |check: &&CheckReport| words::consequence(capture, check).is_some();
    let of = move |fails| {
        let all = capture.checks.iter().filter(move |check| check.fails == fails);
        all.filter(|check| check.state != State::Holds).filter(withholds)
    };
    of(true).chain(of(false))
}

/// What to do: try the largest cause, and mend what the capture is at fault with.
fn next(capture: &CaptureReport) -> String {
    let mut advice: Vec<String> = Vec::new();
    if capture.claims.get(Claim::Estimate).0 == ClaimState::Supported {
        let first = super::claims::first_to_try(capture);
        advice.extend(first.map(|change| match change.in_run {
            Some(share) if share.last == 0 => see_the_run(share),
            _ => try_it(capture, change),
        }));
    }
    if advice.is_empty() && capture.claims.get(Claim::Ranking).0 != ClaimState::Withheld {
        advice.extend(capture.try_by_count.first().map(by_count));
    }
    let failing = capture.checks.iter().filter(|check| check.fails);
    // What fails the gate, what withholds a claim, then what else is violated.
    let violated = failing.chain(reasons(capture)).chain(capture.checks_in(State::Violated));
    for check in violated.filter(|check| !check.help.is_empty()) {
        let help = format!("<li>{}</li>", markup::inline(&markdown_prose(&check.help)));
        if !advice.contains(&help) && advice.len() < REASONS_MAX {
            advice.push(help);
        }
    }
    if advice.is_empty() {
        let open = capture.needs_new_capture.iter().take(1);
        advice.extend(
            open.map(|open| format!("<li>{} {}</li>", html(&open.question), html(&open.capture))),
        );
    }
    if advice.is_empty() {
        return "Nothing about the capture: no check that could be made is violated.".to_owned();
    }
    format!("<ul>{}</ul>", advice.join(""))
}

/// What is saved on a rank that the others never wait for is waited in collectives.
fn see_the_run(share: ShareOfRun) -> String {
    format!(
        "<li>See the run of several ranks first (<em>inferred</em>): this one comes last to none of the {} collectives of its window, and what is saved here is \
         waited in them.</li>",
        share.collectives
    )
}

/// What records show by count, as advice.
fn by_count(advice: &CountedAdvice) -> String {
    format!(
        "<li>Try: {} (<em>inferred</em>): {}. No saving is computed: {}.</li>",
        html(&advice.action),
        html(&advice.found),
        html(&advice.no_saving)
    )
}

/// A cause as advice.
fn try_it(capture: &CaptureReport, change: &Change) -> String {
    let now =
        cells::guarded(capture, Claim::Estimate, Some(change.step_us.now), |us| time(us, FINE));
    let saves = cells::guarded(capture, Claim::Estimate, Some(change), saving);
    let scope = capture.critical_path.as_ref().map(|path| path.scope);
    let what = if scope == Some(PathScope::Step) { "step" } else { "recorded window" };
    let open = change.open.as_deref().map(|open| format!(" It may be nothing: {}.", html(open)));
    let of_run = change.in_run.map(|share| {
        format!(
            " For the run of several ranks: at most {}, as this one comes last to {} of the {} collectives of the window.",
            time(share.at_most_us, FINE),
            share.last,
            share.collectives
        )
    });
    // What a tracer adds to the host's time is no saving.
    let is_slowed = words::is_slowed_by_tracer(change) && words::tracer(capture).is_some();
    let at_most = if is_slowed && !change.is_upper_bound { "at most " } else { "" };
    format!(
        "<li>Try: {}. Without this, the {what} of {} would be shorter by <strong>{at_most}{}</strong> (<em>inferred</em>, not run): {}.{}{}</li>",
        html(&words::knob(change)),
        markup::inline(&now),
        markup::inline(&saves),
        html(&format::name(&change.cause, CAUSE_CHARS_MAX)),
        open.unwrap_or_default(),
        of_run.unwrap_or_default()
    )
}
