//! When an event ran: decimal microseconds of the file's own axis, as picoseconds after an origin.

use super::super::chrome::{Event, NoTime};
use super::super::number::{self, BadTime};
use super::fields::Field;
use super::rows::Phase;
use crate::trace::DamageFault;
use crate::units::{Interval, Picoseconds};

/// What the exporter writes for a length of nothing: one picosecond.
const NO_LENGTH_PS: i128 = 1;

/// What relative times count from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Axis {
    /// The origin in nanoseconds of the file's own axis; none before the first event.
    origin_ns: Option<i64>,
}

impl Axis {
    /// The origin. Files count from the start of the session, so it is their zero, unless their first event lies out of
    /// reach of it.
    pub(super) fn origin_ns(self) -> i64 {
        self.origin_ns.unwrap_or(0)
    }

    /// The interval of an event after the origin.
    pub(super) fn place(
        &mut self,
        event: &Event<'_>,
        phase: Phase,
    ) -> Result<Interval, DamageFault> {
        let start = time(event, Field::Ts)?;
        let duration = match phase {
            Phase::Instant => 0,
            _ => time(event, Field::Dur)?,
        };
        if duration < 0 {
            return Err(DamageFault::NegativeDuration);
        }
        let duration = if duration == NO_LENGTH_PS { 0 } else { duration };
        let origin = self.origin_ps(start)?;
        let end = start.saturating_add(duration);
        let interval =
            in_reach(start.saturating_sub(origin)).zip(in_reach(end.saturating_sub(origin)));
        let interval = interval.and_then(|(start, end)| Interval::new(start, end));
        interval.ok_or(DamageFault::OutOfRange)
    }

    /// The origin, picked by the first event.
    fn origin_ps(&mut self, start_ps: i128) -> Result<i128, DamageFault> {
        let origin_ns = match self.origin_ns {
            Some(known) => known,
            None if in_reach(start_ps).is_some() => 0,
            None => {
                let ns = start_ps.div_euclid(1_000);
                i64::try_from(ns).map_err(|_| DamageFault::OutOfRange)?
            }
        };
        self.origin_ns = Some(origin_ns);
        Ok(i128::from(origin_ns) * 1_000)
    }
}

fn in_reach(ps: i128) -> Option<Picoseconds> {
    let ps = i64::try_from(ps).ok()?;
    (ps.unsigned_abs() <= Picoseconds::LIMIT.ps().unsigned_abs()).then_some(Picoseconds::new(ps))
}

fn time(event: &Event<'_>, field: Field) -> Result<i128, DamageFault> {
    let value = event.get(field).ok_or(DamageFault::Unreadable)?;
    let digits = value.digits().map_err(|no_time| match no_time {
        NoTime::NonFinite => DamageFault::NonFinite,
        NoTime::Unreadable | NoTime::OutOfRange => DamageFault::Unreadable,
    })?;
    number::picoseconds(digits).map_err(|bad| match bad {
        BadTime::NotANumber => DamageFault::Unreadable,
        BadTime::OutOfRange => DamageFault::OutOfRange,
    })
}
