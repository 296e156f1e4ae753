//! Swimlanes as an SVG that stands alone: every stream, idle and launching thread of each capture on one time axis.
//!
//! Several captures stand below one another, the first eight of them; a line says how many are left out.

mod axis;
mod figure;
mod looks;
mod notes;

pub(super) use self::figure::{WIDTH, figure};
pub(super) use self::looks::idle as idle_look;
pub(super) use self::notes::notes;

use super::escape::html;
use super::format::{counted, shortened};
use super::{Form, Needs, Output, tally, words};
use crate::report::Report;
use std::fmt::Write as _;

pub(super) static OUTPUT: Output = Output {
    kind: "swimlanes",
    summary: "a drawing (SVG): streams, idle and launching threads of the median step on one time axis",
    form: Form::Text(render),
    needs: Needs::Swimlanes,
    golden: None,
};

/// How the parts of a drawing look. The page of `html` holds it once for all of its drawings.
pub(super) const CSS: &str = include_str!("swimlanes/lanes.css");

/// Captures that are drawn.
pub(super) const CAPTURES_MAX: usize = 8;

/// Height of a line of text, and of a capture's name.
const LINE: i64 = 16;
const NAME: i64 = 30;

// Writing to a String cannot fail: the results of `write!` are dropped throughout.

fn render(report: &Report) -> String {
    let mut body = String::new();
    let mut y = NAME;
    for (number, capture) in report.captures.iter().take(CAPTURES_MAX).enumerate() {
        let name = html(&shortened(&capture.name, 120));
        let verdict = words::verdict(capture.verdict());
        let _ =
            writeln!(body, "<text class=\"sl-name\" x=\"10\" y=\"{y}\">{name}: {verdict}</text>");
        y += LINE;
        let lines = match &capture.swimlanes {
            Some(lanes) => {
                let drawn = figure(capture, lanes, number);
                let _ = write!(body, "<g transform=\"translate(0 {y})\">\n{}</g>\n", drawn.svg);
                y += drawn.height + LINE;
                notes(capture, lanes)
            }
            None => vec!["nothing to draw: no device work was recorded or read".to_owned()],
        };
        for line in lines {
            let line = html(&shortened(&line, 190));
            let _ = writeln!(body, "<text class=\"sl-note\" x=\"10\" y=\"{y}\">{line}</text>");
            y += LINE;
        }
        y += NAME;
    }
    if let Some(left) = report.captures.len().checked_sub(CAPTURES_MAX).filter(|left| *left > 0) {
        let left = counted(left as u64, "more capture is", "more captures are");
        let _ = writeln!(
            body,
            "<text class=\"sl-note\" x=\"10\" y=\"{y}\">{left} not drawn: name fewer of them</text>"
        );
        y += LINE;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sl-alone\" viewBox=\"0 0 {WIDTH} {y}\" width=\"{WIDTH}\" \
         height=\"{y}\" role=\"img\" aria-labelledby=\"sl-title sl-desc\">\n<title id=\"sl-title\">idleproof swimlanes: \
         {}</title>\n<desc id=\"sl-desc\">{}. One lane a stream, one for each device's idle, and those of the threads that \
         launched the work, on one time axis. Each bar says its name, its number of records and their time.</desc>\n<style>\
         \n{CSS}</style>\n<rect class=\"sl-page\" width=\"{WIDTH}\" height=\"{y}\"/>\n{body}</svg>\n",
        words::verdict(report.verdict),
        html(&tally::captures(report)),
    )
}
