//! Programs of steps with given durations, as fixtures: what they take is known.

use crate::fixture;
use crate::harness::{in_crate, pipeline};
use idleproof::report::CaptureReport;
use std::fmt::Write as _;

/// Steps of kernels `k0`, `k1`, … one behind the other, each step waited for before the next begins.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Statements in front.
    pub(super) header: String,
    /// Each step's kernels, in nanoseconds.
    pub(super) steps: Vec<Vec<i64>>,
    /// Their names.
    pub(super) names: Vec<String>,
}

impl Program {
    /// A program without a header.
    pub(super) fn of(steps: Vec<Vec<i64>>) -> Self {
        let kernels = steps.iter().map(Vec::len).max().unwrap_or(0);
        let names = (0..kernels).map(|at| format!("k{at}")).collect();
        Self { header: String::new(), steps, names }
    }

    /// The fixture.
    pub(super) fn fixture(&self) -> String {
        let mut text = self.header.clone();
        let mut clock = 20_000;
        for (number, kernels) in self.steps.iter().enumerate() {
            let mut events = String::new();
            let (mut launch, mut end) = (clock + 2_000, clock + 8_000);
            for (kernel, name) in kernels.iter().zip(&self.names) {
                let start = (end + 1_000).max(launch + 6_000);
                line(&mut events, "launch", launch, launch + 4_000);
                line(&mut events, &format!("kernel \"{name}\""), start, start + kernel);
                end = start + kernel;
                launch += 6_000;
            }
            line(&mut text, &format!("annotation ProfilerStep#{number}"), clock, end + 6_000);
            line(&mut text, "op forward", clock + 1_000, launch);
            text.push_str(&events);
            line(&mut text, "sync", launch + 1_000, end + 4_000);
            clock = end + 8_000;
        }
        text
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        bytes_of(&self.fixture())
    }

    /// What is said of it.
    pub(super) fn report(&self) -> CaptureReport {
        report_of(&self.fixture())
    }
}

/// A statement of the fixture language, with times in nanoseconds.
pub(super) fn line(text: &mut String, what: &str, start: i64, end: i64) {
    let us = |ns: i64| format!("{}.{:03}", ns / 1_000, ns % 1_000);
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{what} {}..{}", us(start), us(end));
}

/// The bytes of a fixture.
pub(super) fn bytes_of(text: &str) -> Vec<u8> {
    fixture::write(text).unwrap_or_else(|error| panic!("{error}\n{text}")).kineto()
}

/// What is said of a fixture.
pub(super) fn report_of(text: &str) -> CaptureReport {
    pipeline(&[("run.pt.trace.json".to_owned(), bytes_of(text))])
}

/// The healthy sample, whose steps replay a graph, with what is lost of it.
pub(super) fn replayed(lost: &str) -> String {
    let text = std::fs::read_to_string(in_crate("tests/captures/healthy/capture.fixture"));
    text.unwrap_or_else(|error| panic!("the sample: {error}")) + lost
}
