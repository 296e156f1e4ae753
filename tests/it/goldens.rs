//! The project's own goldens: what it says of the captures that ship.

use crate::harness::default_policy;
use idleproof::report::Report;
use idleproof::{judge, read, render};
use std::path::PathBuf;

/// The report of every sample capture, as the gate writes it.
fn report() -> Report {
    let found =
        read::find(&[PathBuf::from("tests/captures")]).unwrap_or_else(|error| panic!("{error:?}"));
    let policy = default_policy();
    let evaluation = idleproof::evaluate(
        &found,
        &policy,
        jiff::civil::date(2026, 1, 1),
        &idleproof::Options::default(),
    );
    judge::conclude(
        evaluation.captures,
        Vec::new(),
        evaluation.skipped,
        Vec::new(),
        &policy,
        Vec::new(),
    )
}

#[test]
fn the_sample_captures_read_as_they_did() {
    let report = report();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/goldens"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    // A snapshot a capture and output: what changes shows where.
    for capture in &report.captures {
        let sample = capture.name.split('/').nth(2).unwrap_or(&capture.name);
        let alone =
            Report { captures: vec![capture.clone()], skipped: Vec::new(), ..report.clone() };
        for kind in ["trust", "markdown", "junit"] {
            let output = render::find(kind).and_then(|output| output.text(&alone));
            let Some(text) = output else { panic!("no output `{kind}`") };
            settings.bind(|| insta::assert_snapshot!(format!("{sample}.{kind}"), text));
        }
    }
    settings.bind(|| {
        let text = render::terminal::summary(&report, render::terminal::Style::default());
        insta::assert_snapshot!("terminal", anstream::adapter::strip_str(&text).to_string());
    });
}
