//! The outputs for people: what they print, and that a withheld figure appears in none of them.

use super::builder::{FALSE_IDLE, everything, healthy, incident, refused, report};
use idleproof::render::{self, terminal};
use idleproof::report::{ClaimState, Report, Verdict};

fn rendered(kind: &str, report: &Report) -> String {
    render::find(kind).and_then(|output| output.text(report)).expect("a text")
}

/// Terminal output as it reads without colours.
fn summary(report: &Report, style: terminal::Style) -> String {
    let mut plain = anstream::StripStream::new(Vec::new());
    std::io::Write::write_all(&mut plain, terminal::summary(report, style).as_bytes())
        .expect("a vector takes everything");
    String::from_utf8(plain.into_inner()).expect("text")
}

fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn every_output_of_everything() {
    let report = everything();
    for output in render::OUTPUTS {
        if let Some(text) = output.text(&report) {
            snapshot(output.kind, &super::html::without_own_parts(&text));
        }
        if let Some(files) = output.files(&report) {
            // What is no text is read back by a test of its own.
            let shown = |file: &render::File| Some(format!("== {}\n{}", file.path, file.text()?));
            let Some(text) = files.iter().map(shown).collect::<Option<Vec<String>>>() else {
                continue;
            };
            // A snapshot has line ends of its own.
            snapshot(output.kind, &text.join("\n").replace("\r\n", "\n"));
        }
    }
    snapshot("terminal", &summary(&report, terminal::Style::Normal));
    snapshot("terminal-quiet", &summary(&report, terminal::Style::Quiet));
    snapshot("terminal-verbose", &summary(&report, terminal::Style::Verbose));
}

#[test]
fn a_passing_capture_is_one_line() {
    let report = report(Verdict::Pass, vec![healthy()]);
    let text = summary(&report, terminal::Style::Normal);
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.starts_with("pass: captures/decode/rank_1: idle 41.2 %; 1 hold"), "{text}");
    // Few words are the counts and the verdict.
    let quiet = summary(&report, terminal::Style::Quiet);
    assert!(quiet.starts_with("1 capture: 1 pass · checks: 1 hold"), "{quiet}");
    assert!(quiet.ends_with("PASSED\n") && quiet.lines().count() == 2, "{quiet}");
}

#[test]
fn a_withheld_figure_is_printed_nowhere() {
    let report = report(Verdict::Fail, vec![incident()]);
    let kinds =
        ["markdown", "trust", "summary", "comment", "junit", "github", "sarif", "codequality"];
    let texts = kinds.map(|kind| rendered(kind, &report));
    for text in texts.into_iter().chain([summary(&report, terminal::Style::Verbose)]) {
        for digits in FALSE_IDLE {
            assert!(!text.contains(digits), "{digits} in:\n{text}");
        }
        assert!(text.contains("under-recorded-graph-replays"), "{text}");
    }
    let markdown = rendered("markdown", &report);
    // Operators, lines, steps and estimates are withheld as well; hot kernels and counts stay.
    for digits in ["3.500 s", "3.100 s"] {
        assert!(!markdown.contains(digits), "{digits} in:\n{markdown}");
    }
    for kept in
        ["22.22 ms", "128", "2.3 %", "at least 63.00 ms", "— (under-recorded-graph-replays)"]
    {
        assert!(markdown.contains(kept), "no {kept} in:\n{markdown}");
    }
}

#[test]
fn the_same_figure_is_printed_where_it_is_supported() {
    let mut capture = incident();
    capture.claims.idle.state = ClaimState::Supported;
    let report = report(Verdict::Fail, vec![capture]);
    for kind in ["markdown", "trust"] {
        let text = rendered(kind, &report);
        assert!(text.contains("99.1 %"), "{text}");
    }
    assert!(rendered("markdown", &report).contains("7.179 s"));
}

#[test]
fn the_figures_of_a_healthy_capture_are_printed() {
    let markdown = rendered("markdown", &report(Verdict::Pass, vec![healthy()]));
    for kept in [
        "41.2 %",
        "10.0 to 25.0 %",
        "3.500 s",
        "at most 300.0 ms to 400.0 ms (8.6 to 11.4 %)",
        "35.0 %",
        "model.py:77",
    ] {
        assert!(markdown.contains(kept), "no {kept} in:\n{markdown}");
    }
    assert!(!markdown.contains("at least 117.6 ms"), "{markdown}");
}

#[test]
fn a_refused_capture_has_no_figures() {
    let report = report(Verdict::Error, vec![refused()]);
    let text = summary(&report, terminal::Style::Quiet);
    assert!(text.contains("error[unreadable]: the file ends inside an event"), "{text}");
    assert!(text.contains("--> captures/cut.json:1:18"), "{text}");
    assert!(text.ends_with("ERROR: the gate was not evaluated\n"), "{text}");
    for kind in ["trust", "markdown"] {
        let text = rendered(kind, &report);
        assert!(!text.contains(" %"), "{text}");
        assert!(text.contains("the file ends inside an event"), "{text}");
    }
}

#[test]
fn nothing_in_a_capture_acts_on_a_reader() {
    let report = everything();
    for kind in ["markdown", "trust"] {
        let text = rendered(kind, &report);
        for active in ["<script>", "<b>", "\u{1b}", "\0", "\u{202e}", "\u{fffe}", "\n::error::"] {
            assert!(!text.contains(active), "{active:?} in {kind}:\n{text}");
        }
    }
    let text = summary(&report, terminal::Style::Verbose);
    assert!(!text.chars().any(|character| character.is_control() && character != '\n'), "{text}");
}

#[test]
fn json_returns_unchanged() {
    let mut report = everything();
    let text = rendered("json", &report);
    assert!(text.ends_with("}\n"));
    // The rows of tables are made for tables alone, and lanes for drawings.
    for capture in &mut report.captures {
        (capture.tables, capture.swimlanes) = (None, None);
    }
    let read: Report = serde_json::from_str(&text).expect("the report's own JSON");
    assert_eq!(read, report);
    assert_eq!(rendered("json", &read), text);
}

#[test]
fn the_same_report_gives_the_same_text() {
    for output in render::OUTPUTS {
        assert_eq!(output.text(&everything()), output.text(&everything()));
        assert_eq!(output.files(&everything()), output.files(&everything()));
    }
}

#[test]
fn a_golden_body_is_about_the_capture_alone() {
    let mut capture = incident();
    for output in render::OUTPUTS {
        let Some(body) = output.golden else { continue };
        let before = body(&capture);
        capture.files[0].sha256 = Some("00".repeat(32));
        capture.files[0].path = "elsewhere.json".to_owned();
        capture.name = "elsewhere".to_owned();
        assert_eq!(body(&capture), before, "{}", output.kind);
    }
}
