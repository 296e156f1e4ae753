//! A complete Kineto capture with its truth, ready to be damaged.

use super::capture::Capture;
use super::damage::{Damage, Effect};
use super::dice::Dice;
use super::exempt;
use super::outcome::{Fate, Outcome, outcome};
use super::truth::Truth;
use crate::harness::pipeline;
use idleproof::report::{CaptureReport, ClaimState};

/// An intact capture's bounds of idle are narrower than this, in points.
const INTACT_WIDTH: f64 = 1.0;

/// A complete capture.
pub(crate) struct Subject {
    capture: Capture,
    intact: CaptureReport,
    truth: Truth,
}

/// What became of one subject under one kind of damage.
pub(crate) struct Run {
    /// The figures and the bounds.
    pub(crate) outcome: Outcome,
    /// Why the file cannot show its damage, where it cannot.
    pub(crate) exempt: Option<usize>,
    /// What must not be, in words.
    pub(crate) fault: Option<String>,
}

impl Subject {
    /// A complete capture, judged as it is.
    pub(crate) fn new(capture: Capture) -> Self {
        let intact = pipeline(&capture.files());
        let truth = Truth::of(&capture);
        Self { capture, intact, truth }
    }

    /// What must not be of an intact capture: bounds of idle that are wide, or that miss.
    pub(crate) fn fault(&self) -> Option<String> {
        let outcome = outcome(&self.truth, Some(&self.capture), &self.intact);
        let wide = outcome.width.is_none_or(|width| width >= INTACT_WIDTH);
        let missing = outcome.bounds_hold.contains(&Some(false));
        let idle = self.intact.claims.idle.state == ClaimState::Supported;
        (wide || missing || !idle).then(|| format!("intact: {outcome:?}"))
    }

    /// Inflicts damage, and looks what is left.
    pub(crate) fn run(&self, kind: &Damage, seed: u64) -> Run {
        let mut damaged = self.capture.clone();
        (kind.inflict)(&mut damaged, Dice::of(seed));
        let report = pipeline(&damaged.files());
        if kind.effect == Effect::None {
            return self.unchanged(kind, &report);
        }
        let mut outcome = outcome(&self.truth, Some(&damaged), &report);
        if kind.effect == Effect::Merger {
            // The kernels of both runs took the time that is recorded.
            outcome.kernel_time = Fate::True;
        }
        outcome.violated.retain(|id| !self.is_violated(id));
        let holds = !outcome.bounds_hold.contains(&Some(false));
        let exempt = exempt::reason(kind.name, &self.capture, &damaged)
            .filter(|_| !outcome.is_told() || !holds);
        let fault =
            (!outcome.is_told() && exempt.is_none()).then(|| format!("{}: {outcome:?}", kind.name));
        Run { outcome, exempt, fault }
    }

    fn unchanged(&self, kind: &Damage, report: &CaptureReport) -> Run {
        let outcome = outcome(&self.truth, None, report);
        let mut claims = report.claims.clone();
        // An operator's name says what it computes: under another name it has no place under a roof.
        if kind.name.contains("renamed") && claims.roofline.state == ClaimState::Undefined {
            claims.roofline.clone_from(&self.intact.claims.roofline);
        }
        let fault = (claims != self.intact.claims)
            .then(|| format!("{}: {:?} became {:?}", kind.name, self.intact.claims, report.claims));
        Run { outcome, exempt: None, fault }
    }

    fn is_violated(&self, id: &str) -> bool {
        let violated = self.intact.checks_in(idleproof::report::State::Violated);
        violated.into_iter().any(|check| check.id == id)
    }
}
