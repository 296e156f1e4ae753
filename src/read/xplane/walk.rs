//! The events of a line, one after the other, in place.

#[cfg(test)]
mod oracle;

use super::super::jax::Key;
use super::super::tally::{Oddity, Tally};
use super::plane::{Dictionary, Line};
use super::stat::{Stats, Value, stat};
use super::wire::{Fault, Fields, Message, Why};
use crate::trace::DamageFault;
use crate::units::{Interval, Picoseconds};

/// When an event ran, counted from its line's base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Timing {
    /// Start.
    pub(super) offset_ps: i64,
    /// Length.
    pub(super) duration_ps: i64,
}

impl Timing {
    /// The interval on a line whose base lies `base_ps` after the origin, with every sum checked.
    #[inline]
    pub(super) fn placed(self, base_ps: i64) -> Result<Interval, DamageFault> {
        if self.duration_ps < 0 {
            return Err(DamageFault::NegativeDuration);
        }
        let start = base_ps.checked_add(self.offset_ps).ok_or(DamageFault::OutOfRange)?;
        let end = start.checked_add(self.duration_ps).ok_or(DamageFault::OutOfRange)?;
        let limit = Picoseconds::LIMIT.ps();
        if start < -limit || end > limit {
            return Err(DamageFault::OutOfRange);
        }
        Interval::new(Picoseconds::new(start), Picoseconds::new(end)).ok_or(DamageFault::OutOfRange)
    }
}

/// One event. Its statistics are in the walk's table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// A row of the plane's names of events.
    pub(super) name: i64,
    /// When it ran.
    pub(super) timing: Timing,
    /// How many occurrences it stands for, in place of a start.
    pub(super) occurrences: Option<i64>,
}

/// A walk over the events of a line.
pub(super) struct Walk<'a> {
    fields: Fields<'a>,
    line: Line<'a>,
    /// The statistics of the event at hand.
    pub(super) stats: Stats<'a>,
    n_dangling: u64,
    n_repeated: u64,
}

impl<'a> Walk<'a> {
    /// A walk that starts at the line's first event.
    pub(super) fn new(line: Line<'a>) -> Self {
        let fields = line.message.fields();
        Self { fields, line, stats: Stats::default(), n_dangling: 0, n_repeated: 0 }
    }

    /// The next event; `None` at the end of the line.
    #[inline(always)]
    pub(super) fn step(&mut self, dictionary: &Dictionary<'a>) -> Result<Option<Event>, Fault> {
        let next = match self.fields.next_message(4) {
            None => self.behind_others()?,
            next => next,
        };
        next.map(|message| self.event(message, dictionary)).transpose()
    }

    /// The next event behind other fields of the line.
    #[inline(never)]
    fn behind_others(&mut self) -> Result<Option<Message<'a>>, Fault> {
        while let Some(field) = self.fields.step()? {
            match field.number {
                4 => return field.message().map(Some),
                // The head was read before the events; one that changes behind them would move or rename them.
                1 if field.signed()? != self.line.id => return Err(self.second_head()),
                2 if field.bytes()? != self.line.name => return Err(self.second_head()),
                3 if field.signed()? != self.line.base_ns => return Err(self.second_head()),
                _ => {}
            }
        }
        Ok(None)
    }

    /// Tells what was tolerated.
    pub(super) fn finish(self, tally: &mut Tally) {
        tally.note(Oddity::DanglingId, "", self.n_dangling);
        tally.note(Oddity::RepeatedStat, "", self.n_repeated);
    }

    #[cold]
    fn second_head(&self) -> Fault {
        Fault { offset: self.fields.offset(), why: Why::Repeated }
    }

    #[inline(always)]
    fn event(&mut self, message: Message<'a>, dictionary: &Dictionary<'a>) -> Result<Event, Fault> {
        self.stats.clear();
        let mut fields = message.fields();
        // In the order in which writers put them, all fields of most events.
        let mut number = |number| fields.next_number(number).unwrap_or_default().cast_signed();
        let (name, offset_ps, duration_ps) = (number(1), number(2), number(3));
        let timing = Timing { offset_ps, duration_ps };
        let event = Event { name, timing, occurrences: None };
        while let Some(message) = fields.next_message(4) {
            self.stat(message, dictionary)?;
        }
        let event = match fields.is_empty() {
            true => event,
            false => self.other_fields(event, fields, dictionary)?,
        };
        match dictionary.events.get(event.name) {
            Some(name) => self.shared(&name.shared),
            None => self.n_dangling += 1,
        }
        Ok(event)
    }

    /// Takes what an event has beside the usual fields, or in another order.
    #[inline(never)]
    fn other_fields(
        &mut self,
        mut event: Event,
        mut fields: Fields<'a>,
        dictionary: &Dictionary<'a>,
    ) -> Result<Event, Fault> {
        while let Some(field) = fields.step()? {
            match field.number {
                1 => event.name = field.signed()?,
                // A start takes the place of a count, as the schema has it: the last one stands.
                2 => (event.timing.offset_ps, event.occurrences) = (field.signed()?, None),
                3 => event.timing.duration_ps = field.signed()?,
                4 => self.stat(field.message()?, dictionary)?,
                5 => event.occurrences = Some(field.signed()?),
                _ => {}
            }
        }
        Ok(event)
    }

    /// Adds the statistics that all events of a name share; the event's own take precedence.
    #[inline(always)]
    fn shared(&mut self, shared: &[(Key, Value<'a>)]) {
        for &(key, value) in shared {
            if !self.stats.has(key) {
                self.stats.set(key, value);
            }
        }
    }

    #[inline(always)]
    fn stat(&mut self, message: Message<'a>, dictionary: &Dictionary<'a>) -> Result<(), Fault> {
        // Most statistics are of no use here, and their name is their first field: they cost one look.
        let leading = message.fields().next_number(1).map(u64::cast_signed);
        match leading.and_then(|name| dictionary.stats.get(name)) {
            Some(row) if row.key.is_none() => Ok(()),
            _ => self.used_stat(message, dictionary),
        }
    }

    fn used_stat(
        &mut self,
        message: Message<'a>,
        dictionary: &Dictionary<'a>,
    ) -> Result<(), Fault> {
        let stat = stat(message)?;
        match dictionary.stats.get(stat.name).map(|row| row.key) {
            Some(Some(key)) => self.n_repeated += u64::from(self.stats.set(key, stat.value)),
            Some(None) => {}
            None => self.n_dangling += 1,
        }
        Ok(())
    }
}

/// How many events a line has.
pub(super) fn count(line: Line<'_>) -> Result<u64, Fault> {
    let (mut fields, mut n_events) = (line.message.fields(), 0);
    loop {
        while fields.next_message(4).is_some() {
            n_events += 1;
        }
        match fields.step()? {
            Some(field) => n_events += u64::from(field.number == 4),
            None => return Ok(n_events),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Timing;
    use crate::trace::DamageFault;

    #[test]
    fn times_are_placed_or_refused() {
        let limit = 1_i64 << 61;
        for (base, offset_ps, duration_ps, expected) in [
            (1_000, 5, 7, Ok((1_005, 1_012))),
            (0, -5, 5, Ok((-5, 0))),
            (0, 0, -1, Err(DamageFault::NegativeDuration)),
            (1, i64::MAX, 0, Err(DamageFault::OutOfRange)),
            (0, 1, i64::MAX, Err(DamageFault::OutOfRange)),
            (0, limit, 0, Ok((limit, limit))),
            (0, limit, 1, Err(DamageFault::OutOfRange)),
            (0, -limit - 1, 1, Err(DamageFault::OutOfRange)),
        ] {
            let found = Timing { offset_ps, duration_ps }.placed(base);
            let found = found.map(|interval| (interval.start().ps(), interval.end().ps()));
            assert_eq!(found, expected, "{base} {offset_ps} {duration_ps}");
        }
    }
}
