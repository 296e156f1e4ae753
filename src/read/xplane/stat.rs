//! Statistics: typed values with a name, on events, on names of events, and on planes.
//!
//! One name may stand for values of several kinds, and one event may carry a name twice (both measured in files that
//! JAX wrote), so kind and count are never assumed. Ids are never read from floats.

use super::super::jax::{Key, N_KEYS};
use super::wire::{Fault, Message};

/// A statistic's value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Value<'a> {
    /// None was written.
    #[default]
    Absent,
    /// A floating-point number.
    Double(f64),
    /// A number.
    Unsigned(u64),
    /// A signed number.
    Signed(i64),
    /// A text that stands here.
    Text(&'a [u8]),
    /// Bytes.
    Bytes(Message<'a>),
    /// A text that stands among the names of statistics.
    Ref(u64),
}

impl Value<'_> {
    /// The value as an id: whole numbers of any sign, and digits.
    pub(super) fn id(self) -> Option<u64> {
        match self {
            Self::Unsigned(id) => Some(id),
            // Producers write unsigned ids into the signed field.
            Self::Signed(id) => Some(id.cast_unsigned()),
            Self::Text(digits) => std::str::from_utf8(digits).ok()?.parse().ok(),
            Self::Absent | Self::Double(_) | Self::Bytes(_) | Self::Ref(_) => None,
        }
    }

    /// The value as an amount: a number that is not negative.
    pub(super) fn amount(self) -> Option<u64> {
        match self {
            Self::Signed(amount) => u64::try_from(amount).ok(),
            other => other.id(),
        }
    }
}

/// A statistic: the id of its name, and its value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stat<'a> {
    /// A row of the plane's names of statistics.
    pub(super) name: i64,
    /// The value; the last one where several are written.
    pub(super) value: Value<'a>,
}

/// Decodes one statistic.
pub(super) fn stat(message: Message<'_>) -> Result<Stat<'_>, Fault> {
    let (mut fields, mut stat) = (message.fields(), Stat::default());
    while let Some(field) = fields.step()? {
        match field.number {
            1 => stat.name = field.signed()?,
            2 => stat.value = Value::Double(field.double()?),
            3 => stat.value = Value::Unsigned(field.unsigned()?),
            4 => stat.value = Value::Signed(field.signed()?),
            5 => stat.value = Value::Text(field.bytes()?),
            6 => stat.value = Value::Bytes(field.message()?),
            7 => stat.value = Value::Ref(field.unsigned()?),
            _ => {}
        }
    }
    Ok(stat)
}

/// The statistics of one event that the reader uses. The table is reused from event to event.
#[derive(Clone, Debug, Default)]
pub(super) struct Stats<'a> {
    /// One bit for each key that was written.
    written: u32,
    values: [Value<'a>; N_KEYS],
}

impl<'a> Stats<'a> {
    /// Forgets all values.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.written = 0;
    }

    /// Sets a value and tells whether the key had one.
    #[inline]
    pub(super) fn set(&mut self, key: Key, value: Value<'a>) -> bool {
        let (bit, before) = (1 << key as u32, self.written);
        self.written |= bit;
        self.values[key as usize] = value;
        before & bit != 0
    }

    /// True where the key was written, with whatever value.
    #[inline]
    pub(super) fn has(&self, key: Key) -> bool {
        self.written & 1 << key as u32 != 0
    }

    /// The key's value.
    #[inline]
    pub(super) fn get(&self, key: Key) -> Value<'a> {
        if self.has(key) { self.values[key as usize] } else { Value::Absent }
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, Stats, Value};

    #[test]
    fn ids_come_from_whole_numbers_only() {
        for (value, id, amount) in [
            (Value::Unsigned(5), Some(5), Some(5)),
            (Value::Signed(-1), Some(u64::MAX), None),
            (Value::Text(b"12"), Some(12), Some(12)),
            (Value::Text(b"$$5"), None, None),
            (Value::Double(5.0), None, None),
            (Value::Ref(5), None, None),
        ] {
            assert_eq!((value.id(), value.amount()), (id, amount), "{value:?}");
        }
    }

    #[test]
    fn a_table_forgets_between_events() {
        let mut stats = Stats::default();
        assert!(!stats.set(Key::Program, Value::Signed(1)));
        assert!(stats.set(Key::Program, Value::Signed(2)));
        assert_eq!((stats.get(Key::Program), stats.has(Key::HloOp)), (Value::Signed(2), false));
        stats.clear();
        assert_eq!((stats.get(Key::Program), stats.has(Key::Program)), (Value::Absent, false));
    }
}
