//! Analysis: computes what the records allow, and says what they do not. It cannot fail.

use crate::report::CaptureReport;
use crate::trace::Capture;

/// Everything that was established about a capture.
#[derive(Debug)]
pub struct Analysis {}

/// Analyses a capture.
pub fn analyse(_capture: &Capture) -> Analysis {
    Analysis {}
}

/// Lays the analysis out as an unjudged report: claims that have nothing to be computed from are `undefined`,
/// the others `supported` until a judge withholds them; no check is in it.
pub fn lay_out(_capture: &Capture, _analysis: &Analysis) -> CaptureReport {
    unimplemented!()
}
