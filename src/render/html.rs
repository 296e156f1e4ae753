//! The full report as one self-contained page: findings first, then what may be believed, then every figure.
//!
//! The page is complete without its script, which only sorts, filters and zooms. Wording and guards are those of the Markdown
//! report, whose few forms `markup` turns into elements; so a figure that a violated check withholds is withheld here too.

mod claims;
mod markup;
mod names;
mod path;
mod policy;
mod range;
mod sections;
mod verdict;

use super::escape::html;
use super::format::{DASH, FINE, counted, shortened, time};
use super::markdown::{policy_findings, skipped_files};
use super::{Form, Needs, Output, cells, escape, runs, tally, words};
use crate::report::{
    CaptureReport, Claim, ClaimState, GoldenReport, GoldenState, Level, Microseconds, RankWait,
    Report, RunReport, State, TrustItem,
};
use std::cmp::Reverse;
use std::fmt::Write as _;

pub(super) static OUTPUT: Output = Output {
    kind: "html",
    summary: "one page for a browser: the full report with swimlanes, without any network access",
    form: Form::Text(render),
    needs: Needs::SwimlanesIfAny,
    golden: None,
};

/// Waits for the last rank that are listed one by one.
const WAITS_MAX: usize = 25;

// Writing to a String cannot fail: the results of `write!` are dropped throughout.

fn render(report: &Report) -> String {
    let (style, script) = (policy::style(), policy::script());
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{}\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"color-scheme\" \
         content=\"light dark\"/>\n<title>idleproof: {}</title>\n<style>{style}</style>\n</head>\n<body>\n",
        policy::content_security_policy(&style, &script),
        words::verdict(report.verdict)
    );
    let names = names::of(report);
    text.push_str(&header(report));
    text.push_str("<main id=\"main\">\n");
    text.push_str(&of_runs(report));
    text.push_str(&overview(report, &names));
    for (number, capture) in report.captures.iter().enumerate() {
        let place = sections::Place {
            number,
            name: names.short(number, &capture.name),
            run: in_run(report, capture),
            is_alone: report.captures.len() == 1,
        };
        text.push_str(&sections::capture(capture, &place));
    }
    text.push_str(&goldens(report));
    text.push_str(&list("Policy", "policy", &policy_findings(report)));
    text.push_str(&list("Skipped files", "skipped", &skipped_files(report)));
    let _ = write!(
        text,
        "</main>\n<footer>{}{}</footer>\n<script>{script}</script>\n</body>\n</html>\n",
        markup::blocks(BASIS),
        about(report)
    );
    text
}

/// What figures rest on, and what stands in the place of one that is withheld.
const BASIS: &str = "All figures are measured from the records unless marked: *read* is what the profiler wrote about itself, *inferred* is a \
                     conclusion. A figure that a violated check withholds is not printed: a dash or the word stands in its place, with the check's id.\n";

/// The run that has a capture among its ranks.
fn in_run(report: &Report, capture: &CaptureReport) -> Option<verdict::InRun> {
    let has = |run: &RunReport| run.captures.contains(&capture.name);
    report.runs.iter().position(has).map(|number| verdict::InRun { number })
}

/// Verdict, counts, and what is violated.
fn header(report: &Report) -> String {
    let verdict = words::verdict(report.verdict);
    let goldens = tally::goldens(report).map(|goldens| {
        format!(
            " <abbr title=\"expected reports that are kept and compared with\">Goldens</abbr>: {}.",
            html(&goldens)
        )
    });
    format!(
        "<header>\n<a class=\"skip\" href=\"#main\">To the findings</a>\n<h1>idleproof: <span class=\"verdict {verdict}\">{verdict}\
         </span></h1>\n<p class=\"meaning\">{}</p>\n<p>{}. Checks: {}.{}</p>\n{}</header>\n",
        words::meaning(report.verdict),
        html(&tally::captures(report)),
        html(&tally::Tally::of_report(report).text()),
        goldens.unwrap_or_default(),
        violated(report)
    )
}

/// The violated checks by name, those that fail first: what passes may have been warned of.
fn violated(report: &Report) -> String {
    let of_captures = report.captures.iter().flat_map(|one| &one.checks);
    let all = of_captures.chain(report.runs.iter().flat_map(|one| &one.checks));
    let mut found: Vec<(&str, bool, u64)> = Vec::new();
    for check in all.filter(|check| check.state == State::Violated || check.fails) {
        match found.iter_mut().find(|(id, fails, _)| (*id, *fails) == (&check.id, check.fails)) {
            Some((.., n)) => *n += 1,
            None => found.push((&check.id, check.fails, 1)),
        }
    }
    if found.is_empty() {
        return String::new();
    }
    found.sort_by_key(|(_, fails, _)| !fails);
    let names = found.into_iter().map(|(id, fails, n)| {
        let how = if fails { "fails" } else { "warns" };
        let times = if n > 1 { format!(", {n} times") } else { String::new() };
        format!("<code>{}</code> ({how}{times})", html(id))
    });
    format!("<p>Violated: {}.</p>\n", names.collect::<Vec<_>>().join(", "))
}

/// What made the page: for who compares two of them.
fn about(report: &Report) -> String {
    format!(
        "<p>Policy (which checks apply, with which limits): {}, sha256 of its text <code>{}</code>. {} {}, report schema {}.</p>\n",
        html(&report.policy.name),
        html(report.policy.sha256.get(..12).unwrap_or(&report.policy.sha256)),
        html(&report.tool.name),
        html(&report.tool.version),
        report.schema_version
    )
}

/// One line a capture, where there are several, each with a link.
fn overview(report: &Report, names: &names::Names) -> String {
    if report.captures.len() < 2 {
        return String::new();
    }
    let folder = names.folder().map(|folder| format!("<p>In <code>{}</code>:</p>\n", html(folder)));
    let mut text = format!(
        "<nav aria-label=\"captures\">\n<h2>Captures</h2>\n{}<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">capture</th>\
         <th scope=\"col\">verdict</th><th scope=\"col\">idle</th><th scope=\"col\">of a window of</th><th scope=\"col\">kernel time</th>\
         <th scope=\"col\">violated</th></tr></thead>\n<tbody>\n",
        folder.unwrap_or_default()
    );
    let earlier = |capture: &CaptureReport| {
        capture.records.as_ref().map_or(0, |records| records.launches.before_window_records)
    };
    for (number, capture) in report.captures.iter().enumerate() {
        let verdict = words::verdict(capture.verdict());
        let idle = match capture.error {
            None => markup::stated(&cells::idle(capture)),
            Some(_) => DASH.to_owned(),
        };
        let kernels = markup::stated(&cells::kernel_time(capture));
        let window = cells::window(capture).map_or_else(|| DASH.to_owned(), |us| time(us, FINE));
        let earlier = match earlier(capture) {
            0 => String::new(),
            n => format!(", with {} launched earlier", counted(n, "record", "records")),
        };
        let violated = capture.checks_in(State::Violated);
        let ids: Vec<String> =
            violated.map(|check| format!("<code>{}</code>", html(&check.id))).collect();
        let _ = writeln!(
            text,
            "<tr><td><a href=\"#capture-{number}\">{}</a></td><td><span class=\"verdict {verdict}\">{verdict}</span></td>\
             <td>{idle}</td><td>{window}{earlier}</td><td>{kernels}</td><td>{}</td></tr>",
            html(&shortened(&names.short(number, &capture.name), 200)),
            ids.join(", ")
        );
    }
    text.push_str("</tbody>\n</table></div>\n");
    if report.captures.iter().any(|capture| earlier(capture) > 0) {
        text.push_str(
            "<p>A window with records that were launched before recording began reaches further back: its length and its idle do not \
             compare with those of the others.</p>\n",
        );
    }
    text.push_str(&conditions(report));
    text.push_str("</nav>\n");
    text
}

/// How the table's figures of idle are to be read: once for all captures that it holds for.
fn conditions(report: &Report) -> String {
    let mut found: Vec<(String, u64)> = Vec::new();
    let states_idle =
        |capture: &&CaptureReport| capture.claims.get(Claim::Idle).0 == ClaimState::Supported;
    for how in report.captures.iter().filter(states_idle).filter_map(words::read_as) {
        match found.iter_mut().find(|(known, _)| *known == how) {
            Some((_, n)) => *n += 1,
            None => found.push((how, 1)),
        }
    }
    let line = |(how, n): &(String, u64)| {
        format!("<p>Idle of {} is {}.</p>\n", counted(*n, "capture", "captures"), html(how))
    };
    found.iter().map(line).collect()
}

/// Ranks of one job: what was compared, who waited for whom.
fn of_runs(report: &Report) -> String {
    let mut text = String::new();
    for (number, run) in report.runs.iter().enumerate() {
        let _ = write!(
            text,
            "<section id=\"run-{number}\">\n<h3>{}</h3>\n<p>{}.</p>\n{}{}{}{}{}</section>\n",
            html(&run.name),
            html(&runs::line(run)),
            markup::blocks(&runs::clocks(run)),
            markup::blocks(&runs::checks(run)),
            markup::blocks(&runs::look_first(run)),
            markup::blocks(&runs::collectives(run)),
            waits(run)
        );
    }
    titled("Runs of several ranks", "runs", &text)
}

/// The longest waits for a last rank, one by one; withheld with the split.
fn waits(run: &RunReport) -> String {
    if run.longest_waits.is_empty() || run.claims.collective_split.state != ClaimState::Supported {
        return String::new();
    }
    let longest = |ranks: &[RankWait]| {
        ranks.iter().map(|rank| rank.wait_us).max().unwrap_or(Microseconds::from_ps(0))
    };
    // Where data may have moved before the last rank came, the wait is at most this.
    let bound = |one| if runs::is_upper_bound(run, one) { "at most " } else { "" };
    let mut waits: Vec<_> = run.longest_waits.iter().collect();
    waits.sort_by_key(|one| Reverse(longest(&one.ranks)));
    let rows = waits.iter().take(WAITS_MAX).map(|one| {
        let rank = one.ranks.iter().max_by_key(|rank| rank.wait_us);
        vec![
            escape::markdown_code(&runs::short_name(run, &one.name)),
            format!("rank {}", one.straggler),
            rank.map(|rank| format!("rank {}", rank.rank)).unwrap_or_default(),
            format!("{}{}", bound(one), time(longest(&one.ranks), FINE)),
            rank.map(|rank| time(rank.kernel_us, FINE)).unwrap_or_default(),
        ]
    });
    let head =
        ["collective", "came last", "waited longest for it", "how long", "its kernel ran for"];
    format!(
        "<h4>Single collectives, the longest waits</h4>\n{}",
        markup::blocks(&cells::table(&head, 3, rows))
    )
}

fn goldens(report: &Report) -> String {
    let mut text = String::new();
    let found = |one: &&GoldenReport| one.state != GoldenState::Same && one.level != Level::Allow;
    for golden in report.goldens.iter().filter(found) {
        let _ = writeln!(text, "<p>{} {}.</p>", html(&golden.path), words::golden(golden.state));
        if let Some(diff) = &golden.diff {
            let lines: Vec<String> = diff.trim_end().lines().map(html).collect();
            let _ = writeln!(text, "<pre>{}</pre>", lines.join("\n"));
        }
    }
    titled("Goldens", "goldens", &text)
}

/// A list of Markdown under a heading.
fn list(title: &str, id: &str, markdown: &str) -> String {
    titled(title, id, &markup::blocks(markdown))
}

fn titled(title: &str, id: &str, body: &str) -> String {
    if body.is_empty() {
        return String::new();
    }
    format!("<section class=\"whole\" id=\"{id}\">\n<h2>{title}</h2>\n{body}</section>\n")
}

/// The items of the trust list that limit some claims, in front of their table, by the names of their checks: why stands in one place.
fn limited_by(capture: &CaptureReport, number: usize, limited: &[Claim]) -> String {
    let limits = |item: &&TrustItem| item.claims.iter().any(|one| limited.contains(one));
    let (mut links, mut n_others) = (Vec::<String>::new(), 0_u64);
    for item in capture.trust_list.iter().filter(limits) {
        let found = |id: &&String| {
            capture.checks.iter().any(|check| check.id == **id && check.state == State::Violated)
        };
        let Some(id) = item.check.as_ref().filter(found) else {
            n_others += 1;
            continue;
        };
        let link = format!(
            "<a href=\"#findings-{number}\" title=\"{}\"><code>{}</code></a>",
            html(&item.item),
            html(id)
        );
        if !links.contains(&link) {
            links.push(link);
        }
    }
    if n_others > 0 {
        links.push(format!(
            "<a href=\"#trust-{number}\">{} of the trust list</a>",
            counted(n_others, "item", "items")
        ));
    }
    if links.is_empty() {
        return String::new();
    }
    format!("<p class=\"limits\">Limited by {}.</p>\n", links.join(", "))
}
