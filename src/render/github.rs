//! Annotations of GitHub Actions: workflow commands on the log, within the platform's limits.
//!
//! The runner takes every line that begins with `::` for a command, so nothing of a capture may begin one or end it.

use super::escape::terminal;
use super::findings::{self, Finding, Weight};
use super::format::{counted, shortened};
use super::{Form, Needs, Output};
use crate::report::Report;
use std::fmt::Write as _;

pub(super) static OUTPUT: Output = Output {
    kind: "github",
    summary: "annotations for GitHub Actions: write them to the log with github=-",
    form: Form::Text(render),
    needs: Needs::Report,
    golden: None,
};

/// A step shows so many annotations of one type; the runner drops the others without a word.
const SHOWN_MAX: usize = 10;
/// Longer messages are cut by the page that shows them.
const MESSAGE_CHARS_MAX: usize = 4_000;
/// Longer titles are refused.
const TITLE_CHARS_MAX: usize = 250;

fn render(report: &Report) -> String {
    let findings = findings::of(report);
    let mut text = String::new();
    for (weight, command) in [(Weight::Error, "error"), (Weight::Warning, "warning")] {
        let all = || findings.iter().filter(|one| one.weight == weight && one.exception.is_none());
        let n = all().count();
        let shown = if n > SHOWN_MAX { SHOWN_MAX - 1 } else { n };
        for finding in all().take(shown) {
            text.push_str(&annotation(command, finding));
        }
        if n > shown {
            let more = counted((n - shown) as u64, "more finding", "more findings");
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "::{command} title=idleproof::{more}: the log and the reports have all of them"
            );
        }
    }
    text
}

fn annotation(command: &str, finding: &Finding<'_>) -> String {
    let lines: Vec<String> =
        finding.text().lines().map(|line| terminal(line).into_owned()).collect();
    let message = data(&shortened(&lines.join("\n"), MESSAGE_CHARS_MAX));
    let title = shortened(&format!("idleproof: {}", finding.id), TITLE_CHARS_MAX);
    let line = finding.place.line.map(|line| format!(",line={line}")).unwrap_or_default();
    format!(
        "::{command} file={}{line},title={}::{message}\n",
        property(finding.place.path),
        property(&title)
    )
}

/// Text behind the `::` of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value among the properties of a command.
fn property(text: &str) -> String {
    data(&terminal(text)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn nothing_ends_a_command_or_begins_another() {
        let hostile = "a,b:c%0A\n::error::x\r\u{1b}[31m##[group]";
        for text in [property(hostile), data(&super::terminal(hostile))] {
            assert!(!text.contains(['\n', '\r', '\u{1b}']) && !text.contains("##["), "{text}");
            assert!(!text.contains("%0A::"), "{text}");
        }
        assert!(!property(hostile).contains([',', ':']));
        assert_eq!(property("dir/a b%.json"), "dir/a b%25.json");
        assert_eq!(data("100 %\nat::native"), "100 %25%0Aat::native");
    }
}
