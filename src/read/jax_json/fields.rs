//! The keys of an event that the reader uses: its own, and in `args` the statistics under their names.

use super::super::chrome;
use super::super::jax::{Key, N_KEYS};

/// A field whose value is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// `name`
    Name,
    /// `pid`: the plane.
    Pid,
    /// `tid`: the line.
    Tid,
    /// `ts`, in microseconds.
    Ts,
    /// `dur`, in microseconds.
    Dur,
    /// `long_name` in `args`: the name, where `name` is a shorter one for display.
    LongName,
    /// A statistic in `args`. Of a row that names something, the name is [`Key::OpName`].
    Statistic(Key),
}

/// How many fields are not statistics.
const N_OTHERS: usize = 6;

const _: () = assert!(N_OTHERS + N_KEYS <= chrome::FIELDS_MAX);

impl chrome::Field for Field {
    const TIMES: [Self; 2] = [Self::Ts, Self::Dur];

    #[inline]
    fn number(self) -> usize {
        match self {
            Self::Name => 0,
            Self::Pid => 1,
            Self::Tid => 2,
            Self::Ts => 3,
            Self::Dur => 4,
            Self::LongName => 5,
            Self::Statistic(key) => N_OTHERS + key as usize,
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Pid => "pid",
            Self::Tid => "tid",
            Self::Ts => "ts",
            Self::Dur => "dur",
            Self::LongName => "long_name",
            Self::Statistic(key) => key.name(),
        }
    }

    fn of_event(key: &[u8]) -> Option<Self> {
        let fields = [Self::Name, Self::Pid, Self::Tid, Self::Ts, Self::Dur];
        fields.into_iter().find(|field| field.key().as_bytes() == key)
    }

    fn of_args(key: &[u8]) -> Option<Self> {
        match key {
            b"long_name" => Some(Self::LongName),
            _ => Key::of(key).map(Self::Statistic),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::chrome::Field as _;
    use super::{Field, Key};

    #[test]
    fn a_key_means_different_things_in_and_outside_of_args() {
        assert_eq!(Field::of_event(b"name"), Some(Field::Name));
        assert_eq!(Field::of_args(b"name"), Some(Field::Statistic(Key::OpName)));
        assert_eq!((Field::of_event(b"long_name"), Field::of_args(b"ts")), (None, None));
    }
}
