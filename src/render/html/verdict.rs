//! The verdict on a capture in plain words: what may be believed, what is withheld and why, what was not computed, what to do next.

use super::super::escape::{html, markdown_code, markdown_prose};
use super::super::format::{self, FINE, time};
use super::super::markdown::{saving, saving_at_roofline};
use super::super::{cells, runs, words};
use super::markup;
use crate::report::{
    CaptureReport, Change, CheckReport, Claim, ClaimState, CountedAdvice, Outcome, PathScope,
    Percent, ShareOfRun, State,
};

/// Reasons and advice that are spelled out; the findings have all of them.
const REASONS_MAX: usize = 3;

/// Points between bounds from which on they say nothing.
const OPEN_MAX: f64 = 50.0;

/// Characters of a cause, which may be the name of a kernel.
const CAUSE_CHARS_MAX: usize = 90;

/// Where a capture's collectives are split into waiting and transfer.
#[derive(Clone, Copy)]
pub(super) struct InRun {
    /// The number of its run on the page.
    pub(super) number: usize,
}

/// Four answers.
pub(super) fn in_words(capture: &CaptureReport, run: Option<InRun>) -> String {
    let (believed, doubted, open, next) = match (&capture.error, capture.outcome) {
        (Some(error), _) => (
            "Nothing: the capture could not be read.".to_owned(),
            format!("{} ({}).", html(&error.message), html(&cells::place(error))),
            String::new(),
            html(&error.help),
        ),
        (None, Outcome::Refused) => (
            "Nothing: the capture was refused.".to_owned(),
            String::new(),
            String::new(),
            String::new(),
        ),
        (None, Outcome::Report) => {
            (believed(capture, run), withheld(capture), not_computed(capture), next(capture))
        }
    };
    let answer = |question: &str, answer: String| {
        if answer.is_empty() { answer } else { format!("<dt>{question}</dt><dd>{answer}</dd>\n") }
    };
    format!(
        "<dl class=\"answers\">\n{}{}{}{}</dl>\n",
        answer("May be believed", believed),
        answer("Withheld: do not use", doubted),
        answer("Not computed", open),
        answer("What to do next", next)
    )
}

/// The supported claims, with the figures that matter most, and which of them a check could not verify; then what is certain as a
/// range.
fn believed(capture: &CaptureReport, run: Option<InRun>) -> String {
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
        let scope = super::claims::scope(capture, claim);
        parts.push_str(&format!("<li>{name}{inferred}{figure}{scope}</li>"));
        let doubts = words::open_doubts(capture, claim).into_iter();
        for doubt in doubts.flat_map(|(what, ids)| ids.into_iter().map(move |id| (what, id))) {
            match open.iter_mut().find(|(known, _)| *known == doubt) {
                Some((_, claims)) => claims.push(claim),
                None => open.push((doubt, vec![claim])),
            }
        }
    }
    parts.push_str(&certain(capture));
    if let Some(run) = run {
        parts.push_str(&format!(
            "<li>{}: <a href=\"#run-{}\">see the run above</a></li>",
            html(words::claim(Claim::CollectiveSplit)),
            run.number
        ));
    }
    if parts.is_empty() {
        return "No claim; counts of records, and recorded times as such.".to_owned();
    }
    let open: String = open
        .iter()
        .map(|((what, id), claims)| {
            format!("<p>{}, {what} <code>{}</code>.</p>", words::claims(claims), html(id))
        })
        .collect();
    format!("<ul>{parts}</ul>{open}")
}

/// The claims that are withheld, with the checks that say why.
fn withheld(capture: &CaptureReport) -> String {
    let withheld: Vec<Claim> = Claim::ALL
        .into_iter()
        .filter(|claim| capture.claims.get(*claim).0 == ClaimState::Withheld)
        .collect();
    if withheld.is_empty() {
        return "Nothing is withheld.".to_owned();
    }
    let reasons: Vec<&CheckReport> = reasons(capture).collect();
    let shown = reasons.iter().take(REASONS_MAX).map(|check| {
        format!("<li>{} (<code>{}</code>)</li>", html(&check.message), html(&check.id))
    });
    // What stands as a range is not withheld as that.
    let name = |&claim: &Claim| match range(capture, claim) {
        Some(_) => format!("{} (its single figure: the range above stands)", words::claim(claim)),
        None => words::claim(claim).to_owned(),
    };
    let names: Vec<String> = withheld.iter().map(name).collect();
    let more = match reasons.len().checked_sub(REASONS_MAX) {
        Some(more) if more > 0 => format!("<li>{more} more under “Cannot be trusted”</li>"),
        _ => String::new(),
    };
    format!(
        "<p><strong>{}</strong>, because:</p><ul>{}{more}</ul>",
        html(&names.join(", ")),
        shown.collect::<String>()
    )
}

/// What nothing speaks against and nothing was computed of, folded: one line a reason. What takes several ranks is no gap of a
/// capture of one.
fn not_computed(capture: &CaptureReport) -> String {
    let mut by_reason: Vec<(String, Vec<Claim>)> = Vec::new();
    for claim in Claim::ALL {
        if capture.claims.get(claim).0 != ClaimState::Undefined || claim == Claim::CollectiveSplit {
            continue;
        }
        let why = why_undefined(capture, claim);
        match by_reason.iter_mut().find(|(known, _)| *known == why) {
            Some((_, claims)) => claims.push(claim),
            None => by_reason.push((why, vec![claim])),
        }
    }
    if by_reason.is_empty() {
        return String::new();
    }
    let all: Vec<Claim> = by_reason.iter().flat_map(|(_, claims)| claims.clone()).collect();
    let lines = by_reason
        .iter()
        .map(|(why, claims)| format!("<li>{}: {}</li>", html(&words::claims(claims)), html(why)));
    format!(
        "<details><summary>{}</summary><ul>{}</ul></details>",
        html(&words::claims(&all)),
        lines.collect::<String>()
    )
}

/// Why a claim has nothing to be computed from.
fn why_undefined(capture: &CaptureReport, claim: Claim) -> String {
    const NOTHING: &str = "this capture has nothing to compute it from";
    let records = capture.records.as_ref();
    let steps = records.and_then(|records| records.steps.as_ref());
    let path = capture.critical_path.as_ref().and_then(|path| path.reason.clone());
    let no_roof = capture.roofline.as_ref().and_then(|roofline| roofline.refused.first());
    match claim {
        Claim::StepTime if steps.is_some() => {
            "it takes three steps that the records cover".to_owned()
        }
        Claim::StepTime => "no steps are marked, and no work repeats like steps".to_owned(),
        Claim::SourceLine if capture.attribution.is_some() => {
            "the records name no source line of a kernel".to_owned()
        }
        Claim::CriticalPath | Claim::Estimate => path.unwrap_or_else(|| NOTHING.to_owned()),
        Claim::Roofline => no_roof.map_or_else(|| NOTHING.to_owned(), |no| no.reason.clone()),
        _ => NOTHING.to_owned(),
    }
}

/// What the bounds of withheld figures say all the same: a range is no figure that was withheld.
fn certain(capture: &CaptureReport) -> String {
    let known = [Claim::Idle, Claim::HostStarved].into_iter();
    let known = known.filter_map(|claim| Some((claim, range(capture, claim)?)));
    let of = super::claims::window(capture).unwrap_or_else(|| "of the window".to_owned());
    let lines = known.map(|(claim, bounds)| {
        format!(
            "<li>{}, within a range: <strong>{}</strong> {}</li>",
            html(words::claim(claim)),
            html(&format::percent_range(bounds)),
            html(&of)
        )
    });
    lines.collect()
}

/// The bounds of a withheld figure, where they say something: not where they leave nearly everything open.
fn range(capture: &CaptureReport, claim: Claim) -> Option<(Percent, Percent)> {
    let bounds = cells::bounds_all_the_same(capture, claim);
    bounds.filter(|(lo, hi)| hi.get() - lo.get() < OPEN_MAX)
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
    advice.extend(nothing_to_try(capture, !advice.is_empty()));
    if advice.is_empty() {
        return "Nothing about the capture: no check that could be made is violated.".to_owned();
    }
    format!("<ul>{}</ul>", advice.join(""))
}

/// That no cause and no count says what to try, and why: the path that causes are looked for on is not stated.
fn nothing_to_try(capture: &CaptureReport, has_advice: bool) -> Option<String> {
    let is_undefined = capture.claims.get(Claim::Estimate).0 == ClaimState::Undefined;
    let path = capture.critical_path.as_ref().filter(|_| is_undefined)?;
    let why = path.reason.as_ref().filter(|_| capture.try_by_count.is_empty())?;
    let nothing = if has_advice { "Nothing else" } else { "Nothing" };
    Some(format!("<li>{nothing} can be said of what to try, because {}.</li>", html(why)))
}

/// What is saved on a rank that the others never wait for is waited in collectives.
fn see_the_run(share: ShareOfRun) -> String {
    format!(
        "<li>See the run of several ranks first (<em>inferred</em>): for the run <strong>{}</strong>, as this one comes last to none of the {} collectives of its \
         window, and what is saved here is waited in them.</li>",
        html(&runs::worth(share)),
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

/// A cause as advice: what holds the device up, what to try, and what that saves.
fn try_it(capture: &CaptureReport, change: &Change) -> String {
    let now =
        cells::guarded(capture, Claim::Estimate, Some(change.step_us.now), |us| time(us, FINE));
    let saves = cells::guarded(capture, Claim::Estimate, Some(change), saving);
    let scope = capture.critical_path.as_ref().map(|path| path.scope);
    let what = if scope == Some(PathScope::Step) { "the step's" } else { "the recorded" };
    let open =
        change.open.as_deref().map(|open| format!(" The saving may be zero: {}.", html(open)));
    let of_run = change.in_run.map(|share| {
        format!(
            "For the run of several ranks <strong>{}</strong>, as this one comes last to {} of the {} collectives of the window. On this rank alone: ",
            html(&runs::worth(share)),
            share.last,
            share.collectives
        )
    });
    let saves = format!(
        "{} {} of {what} {} (<em>inferred</em>, not run).",
        if of_run.is_some() { "saves" } else { "Saves" },
        match of_run {
            Some(_) => markup::inline(&saves),
            None => format!("<strong>{}</strong>", markup::inline(&saves)),
        },
        markup::inline(&now)
    );
    let roof = change.at_roofline.as_ref().map(|roof| {
        let saves =
            cells::guarded(capture, Claim::Roofline, Some((change, roof)), saving_at_roofline);
        format!(" At its roofline it saves {}.", markup::inline(&saves))
    });
    let stretches = change.stretches.as_ref();
    let stretches = stretches
        .map(|of| {
            format!(
                " On the critical path: {}.",
                markup::inline(&words::stretches(of, markdown_code))
            )
        })
        .unwrap_or_default();
    let folded = super::claims::folded(capture, change).map(|all| {
        let saves = cells::guarded(capture, Claim::Estimate, Some(all), saving);
        let cause = html(&format::name(&all.cause, CAUSE_CHARS_MAX));
        format!(" That is nearly all of the cause “{cause}” ({}).", markup::inline(&saves))
    });
    let folded = folded.unwrap_or_default();
    // What a tracer adds to the host's time is no saving.
    let is_slowed = words::is_slowed_by_tracer(change) && words::tracer(capture).is_some();
    let less =
        if is_slowed { " A Python tracer was on: without it, less would be saved." } else { "" };
    format!(
        "<li>{}. Try: {}. {}{saves}{stretches}{folded}{}{less}{}</li>",
        html(&capitalised(&format::name(&change.cause, CAUSE_CHARS_MAX))),
        html(&words::knob(change)),
        of_run.unwrap_or_default(),
        roof.unwrap_or_default(),
        open.unwrap_or_default()
    )
}

/// A sentence's beginning; the name of a kernel stays as it is.
fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => format!("{}{}", first.to_uppercase(), characters.as_str()),
        None => String::new(),
    }
}
