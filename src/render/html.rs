//! The full report as one self-contained page: findings first, then what may be believed, then every figure.
//!
//! The page is complete without its script, which only sorts, filters and zooms. Wording and guards are those of the Markdown
//! report, whose few forms `markup` turns into elements; so a figure that a violated check withholds is withheld here too.

mod claims;
mod markup;
mod path;
mod policy;
mod range;
mod sections;
mod verdict;

use super::escape::html;
use super::format::{self, DASH, FINE, count, shortened, time};
use super::markdown::{self, policy_findings, skipped_files};
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
    text.push_str(&header(report));
    text.push_str("<main id=\"main\">\n");
    text.push_str(&overview(report));
    text.push_str(&of_runs(report));
    for (number, capture) in report.captures.iter().enumerate() {
        text.push_str(&sections::capture(capture, number));
    }
    text.push_str(&goldens(report));
    text.push_str(&list("Policy", "policy", &policy_findings(report)));
    text.push_str(&list("Skipped files", "skipped", &skipped_files(report)));
    let _ = write!(
        text,
        "</main>\n<footer>{}</footer>\n<script>{script}</script>\n</body>\n</html>\n",
        markup::blocks(markdown::BASIS)
    );
    text
}

/// Verdict, counts, policy and version.
fn header(report: &Report) -> String {
    let verdict = words::verdict(report.verdict);
    let goldens = tally::goldens(report).map(|goldens| format!(" Goldens: {}.", html(&goldens)));
    format!(
        "<header>\n<a class=\"skip\" href=\"#main\">To the findings</a>\n<h1>idleproof: <span class=\"verdict {verdict}\">{verdict}\
         </span></h1>\n<p class=\"meaning\">{}</p>\n<p>{}. Checks: {}.{}</p>\n<p class=\"about\">Policy {} (sha256 <code>{}</code>), {} {}, report schema {}.</p>\
         \n</header>\n",
        words::meaning(report.verdict),
        html(&tally::captures(report)),
        html(&tally::Tally::of_report(report).text()),
        goldens.unwrap_or_default(),
        html(&report.policy.name),
        html(report.policy.sha256.get(..12).unwrap_or(&report.policy.sha256)),
        html(&report.tool.name),
        html(&report.tool.version),
        report.schema_version
    )
}

/// One line a capture, where there are several, each with a link.
fn overview(report: &Report) -> String {
    if report.captures.len() < 2 {
        return String::new();
    }
    let mut text = "<nav aria-label=\"captures\">\n<h2>Captures</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">capture</th>\
                    <th scope=\"col\">verdict</th><th scope=\"col\">recorded window</th><th scope=\"col\">idle</th><th scope=\"col\">kernel time</th>\
                    <th scope=\"col\">violated</th></tr></thead>\n<tbody>\n"
        .to_owned();
    for (number, capture) in report.captures.iter().enumerate() {
        let verdict = words::verdict(capture.verdict());
        let idle = match capture.error {
            None => markup::inline(&cells::idle(capture)),
            Some(_) => DASH.to_owned(),
        };
        let kernels = markup::inline(&cells::kernel_time(capture));
        let window = window(capture).map_or_else(|| DASH.to_owned(), |us| time(us, FINE));
        let violated = capture.checks_in(State::Violated);
        let ids: Vec<String> =
            violated.map(|check| format!("<code>{}</code>", html(&check.id))).collect();
        let _ = writeln!(
            text,
            "<tr><td><a href=\"#capture-{number}\">{}</a></td><td><span class=\"verdict {verdict}\">{verdict}</span></td>\
             <td>{window}</td><td>{idle}</td><td>{kernels}</td><td>{}</td></tr>",
            html(&shortened(&capture.name, 200)),
            ids.join(", ")
        );
    }
    text.push_str("</tbody>\n</table></div>\n</nav>\n");
    text
}

/// From the first start to the last end of device work: of several devices the longest.
fn window(capture: &CaptureReport) -> Option<Microseconds> {
    capture.records.as_ref()?.devices.iter().map(|device| device.total_us).max()
}

/// Ranks of one job: what was compared, who waited for whom.
fn of_runs(report: &Report) -> String {
    let mut text = String::new();
    for run in &report.runs {
        let _ = write!(
            text,
            "<section>\n<h3>{}</h3>\n<p>{}.</p>\n{}{}{}{}</section>\n",
            html(&run.name),
            html(&runs::line(run)),
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
            escape::markdown_code(&format::name(&one.name, 120)),
            format!("rank {}", one.straggler),
            rank.map(|rank| format!("rank {}", rank.rank)).unwrap_or_default(),
            format!("{}{}", bound(one), time(longest(&one.ranks), FINE)),
            rank.map(|rank| time(rank.kernel_us, FINE)).unwrap_or_default(),
        ]
    });
    let head = ["collective", "came last", "waited the longest", "for", "of its own kernel's"];
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

/// The items of the trust list that limit some claims, in front of their table: one as it is, several folded.
fn limited_by(capture: &CaptureReport, limited: &[Claim]) -> String {
    let limits = |item: &&TrustItem| item.claims.iter().any(|one| limited.contains(one));
    let items: Vec<String> = capture.trust_list.iter().filter(limits).map(limit).collect();
    match items.as_slice() {
        [] => String::new(),
        [one] => format!("<p class=\"limits\">Limited by: {one}</p>\n"),
        all => format!(
            "<details class=\"limits\"><summary>Limited by {} items of the trust list</summary><ul><li>{}</li></ul></details>\n",
            all.len(),
            all.join("</li><li>")
        ),
    }
}

fn limit(item: &TrustItem) -> String {
    let number = match (item.count, item.share) {
        (Some(number), Some(share)) => format!("{} ({}): ", count(number), format::share(share)),
        (Some(number), None) => format!("{}: ", count(number)),
        (None, Some(share)) => format!("{}: ", format::share(share)),
        (None, None) => String::new(),
    };
    html(&format!("{number}{}", item.item))
}
