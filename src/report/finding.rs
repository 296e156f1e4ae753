//! Findings that no check makes: about the policy file, an earlier report, or a file that cannot be read.

/// One kind of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingId {
    /// An exception whose last day is over.
    ExpiredException,
    /// An exception whose last day is near.
    ExpiringException,
    /// An exception that excepts nothing.
    UnusedException,
    /// An override that is about no capture.
    UnusedOverride,
    /// A claim that an earlier report supported, and this one does not.
    BaselineRegression,
    /// Steps that take longer than in an earlier report, beyond noise.
    BaselineSlower,
    /// A capture that an earlier report has, and this run has not.
    BaselineCaptureGone,
    /// A capture that cannot be read.
    Unreadable,
}

impl FindingId {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::ExpiredException,
        Self::ExpiringException,
        Self::UnusedException,
        Self::UnusedOverride,
        Self::BaselineRegression,
        Self::BaselineSlower,
        Self::BaselineCaptureGone,
        Self::Unreadable,
    ];

    /// The id in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ExpiredException => "expired-exception",
            Self::ExpiringException => "expiring-exception",
            Self::UnusedException => "unused-exception",
            Self::UnusedOverride => "unused-override",
            Self::BaselineRegression => "baseline-regression",
            Self::BaselineSlower => "baseline-slower",
            Self::BaselineCaptureGone => "baseline-capture-gone",
            Self::Unreadable => "unreadable",
        }
    }

    /// What was found, and what to do about it.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::ExpiredException => (
                "the last day of an exception is over: its check counts again, at its own level",
                "Mend the capture, or renew the exception in the policy file with a reason that still holds.",
            ),
            Self::ExpiringException => (
                "an exception ends within 14 days: from then on its check counts again",
                "Mend the capture before, or renew the exception.",
            ),
            Self::UnusedException => (
                "an exception excepts nothing: no capture of its paths violates its check",
                "Mend its paths, or remove it. It would hide the next violation.",
            ),
            Self::UnusedOverride => (
                "the paths of an override match no capture of this run",
                "Mend its paths, or remove it.",
            ),
            Self::BaselineRegression => (
                "a claim that the baseline supports is withheld or undefined now; fails the gate",
                "Look at the checks that withhold it. If the loss is meant, write a new baseline with --report json=FILE.",
            ),
            Self::BaselineSlower => (
                "steps take longer than in the baseline, by more than they vary",
                "`idleproof diff BASELINE CAPTURE` says which kernels did. If it is meant, write a new baseline.",
            ),
            Self::BaselineCaptureGone => (
                "a capture of the baseline is not in this run",
                "Find out where it went, or write a new baseline.",
            ),
            Self::Unreadable => (
                "a capture could not be read, so nothing about it is judged; the exit code is 4",
                "The message names the file, the place and the way out.",
            ),
        }
    }
}
