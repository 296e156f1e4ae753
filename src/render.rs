//! Renderers: they see the judged report and nothing else.
//!
//! An output is one file and one row of [`OUTPUTS`]. Figures that make a claim go through [`CaptureReport::cell`];
//! text that comes from a capture goes through `escape`.

use crate::report::{CaptureReport, Report};

mod cells;
mod escape;
mod format;
mod json;
mod junit;
mod markdown;
mod tally;
pub mod terminal;
mod trust;
mod words;

/// One kind of output.
#[derive(Debug)]
pub struct Output {
    /// The name by which it is asked for: `--report KIND=PATH`.
    pub kind: &'static str,
    /// One line: what it holds.
    pub summary: &'static str,
    /// Renders a report. The same report gives the same text.
    pub render: fn(&Report) -> String,
    /// Renders one capture as the body of a golden: without digests, versions and anything else that changes while
    /// the capture's meaning does not. Absent where the output cannot be one.
    pub golden: Option<fn(&CaptureReport) -> String>,
}

/// Every output, in the order of the documentation.
pub static OUTPUTS: &[&Output] =
    &[&json::OUTPUT, &markdown::OUTPUT, &trust::OUTPUT, &junit::OUTPUT];

/// The output of this kind.
pub fn find(kind: &str) -> Option<&'static Output> {
    OUTPUTS.iter().copied().find(|output| output.kind == kind)
}
