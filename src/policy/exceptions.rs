//! Exceptions: a violation that is known, with a reason and an end.

use super::layer::Override;
use super::{Origin, PathGlobs, Policy};
use crate::report::{
    CaptureReport, CheckReport, ExceptionUse, FindingId, Level, PolicyFinding, RunReport,
};
use jiff::civil::Date;

/// So many days before its end an exception is reported.
const DAYS_OF_WARNING: i64 = 14;

/// A violation that does not fail the gate until a date.
#[derive(Clone, Debug, PartialEq)]
pub struct Exception {
    /// The check that it excepts.
    pub check: &'static str,
    /// The captures that it excepts.
    pub paths: PathGlobs,
    /// Why.
    pub reason: String,
    /// The last day on which it holds.
    pub expires: Date,
    /// Where it stands.
    pub origin: Origin,
}

/// Which captures a run looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every capture of the policy: an exception that met none of them is unused.
    Everything,
    /// Those that were named: an exception for another capture says nothing.
    Named,
}

impl Exception {
    /// True from the day after its last.
    pub fn has_expired(&self, today: Date) -> bool {
        today > self.expires
    }

    fn covers(&self, check: &str, paths: &[&str]) -> bool {
        self.check == check && paths.iter().any(|path| self.paths.matches(path))
    }

    fn days_left(&self, today: Date) -> i64 {
        (self.expires - today).get_days().into()
    }
}

impl Policy {
    /// The exception for a check on a capture with these files, expired or not: the one that ends last.
    pub fn exception(&self, check: &str, paths: &[&str]) -> Option<&Exception> {
        // Of several with one end the first in the file is taken; `max_by_key` would take the last.
        let covering = self.exceptions.iter().filter(|exception| exception.covers(check, paths));
        covering.rev().max_by_key(|exception| exception.expires)
    }

    /// Findings about exceptions and overrides themselves: expired, close to their end, or of no use to the captures judged.
    pub fn findings(
        &self,
        judged: Exceptable<'_>,
        coverage: Coverage,
        today: Date,
    ) -> Vec<PolicyFinding> {
        let uses = self.exception_uses(judged, coverage, today);
        uses.into_iter().filter_map(|one| one.finding).collect()
    }

    /// The same of one part of the captures: what every exception and then every override, in the order of the policy, comes to
    /// there.
    pub fn exception_uses(
        &self,
        judged: Exceptable<'_>,
        coverage: Coverage,
        today: Date,
    ) -> Vec<ExceptionUse> {
        let of_one = |exception| ExceptionUse {
            used: self.is_used(exception, judged),
            finding: self.finding(exception, judged, coverage, today),
        };
        let overrides = self.overrides.iter().map(|one| override_use(one, judged, coverage));
        self.exceptions.iter().map(of_one).chain(overrides).collect()
    }

    fn finding(
        &self,
        exception: &Exception,
        judged: Exceptable<'_>,
        coverage: Coverage,
        today: Date,
    ) -> Option<PolicyFinding> {
        let Exception { check, expires, origin, .. } = exception;
        if exception.has_expired(today) {
            let message = format!(
                "the exception of {check} at {origin} expired on {expires}: \
                 the check's own level holds again; mend the capture or renew the exception"
            );
            return warning(FindingId::ExpiredException, message);
        }
        let met = judged
            .captures
            .iter()
            .any(|capture| capture.files.iter().any(|file| exception.paths.matches(&file.path)));
        if !self.is_used(exception, judged) {
            let message = format!(
                "the exception of {check} at {origin} excepts nothing: mend its paths, or remove it"
            );
            return match coverage {
                Coverage::Everything => warning(FindingId::UnusedException, message),
                Coverage::Named if met => warning(FindingId::UnusedException, message),
                Coverage::Named => None,
            };
        }
        let left = exception.days_left(today);
        if left <= DAYS_OF_WARNING {
            let days = if left == 1 { "day" } else { "days" };
            let message = format!(
                "the exception of {check} at {origin} ends on {expires}, in {left} {days}: then {check} counts again"
            );
            return warning(FindingId::ExpiringException, message);
        }
        None
    }

    fn is_used(&self, exception: &Exception, judged: Exceptable<'_>) -> bool {
        let excepts = |checks: &[CheckReport], paths: &[&str]| {
            let mut checks = checks.iter();
            checks.any(|check| check.id == exception.check && check.exception.is_some())
                && self.exception(exception.check, paths) == Some(exception)
        };
        let Exceptable { captures, runs } = judged;
        captures.iter().any(|capture| excepts(&capture.checks, &capture.paths()))
            || runs.iter().any(|run| {
                let of_run = captures.iter().filter(|one| run.captures.contains(&one.name));
                let paths: Vec<&str> = of_run.flat_map(CaptureReport::paths).collect();
                excepts(&run.checks, &paths)
            })
    }
}

fn warning(id: FindingId, message: String) -> Option<PolicyFinding> {
    Some(PolicyFinding { id: id.name().to_owned(), level: Level::Warn, message })
}

/// Whether an override is about any capture; that it is about none is only known where every capture was looked at.
fn override_use(one: &Override, judged: Exceptable<'_>, coverage: Coverage) -> ExceptionUse {
    let mut paths = judged.captures.iter().flat_map(CaptureReport::paths);
    let used = paths.any(|path| one.paths.matches(path));
    let finding = || {
        let message = format!(
            "the override at {} is about no capture of this run: mend its paths, or remove it",
            one.origin
        );
        warning(FindingId::UnusedOverride, message)
    };
    let is_unused = !used && coverage == Coverage::Everything;
    ExceptionUse { used, finding: is_unused.then(finding).flatten() }
}

/// What exceptions may cover.
#[derive(Clone, Copy, Debug)]
pub struct Exceptable<'a> {
    /// Captures.
    pub captures: &'a [CaptureReport],
    /// Ranks of one job, compared with one another.
    pub runs: &'a [RunReport],
}
