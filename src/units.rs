//! Quantities as integers: picoseconds, intervals, exact ratios.
//!
//! Floats appear when a figure is printed or held against a limit, never before.

mod evenly;
mod human;

pub use evenly::evenly;
pub use human::{grouped, human_time, point, rounded};

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

/// A length of time, or a point of time relative to a trace's origin, in picoseconds.
///
/// 64 bits span ±106 days. Readers admit no time beyond [`Picoseconds::LIMIT`], so that a difference of
/// two times cannot overflow; sums saturate, which only a hostile capture can reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Picoseconds(i64);

impl Picoseconds {
    /// No time at all, or the trace's origin.
    pub const ZERO: Self = Self(0);
    /// The largest time, in either direction, that a reader may admit: about 26 days.
    pub const LIMIT: Self = Self(1 << 61);

    /// A time in picoseconds.
    pub const fn new(ps: i64) -> Self {
        Self(ps)
    }

    /// A time from nanoseconds; `None` where picoseconds would overflow.
    pub const fn from_ns(ns: i64) -> Option<Self> {
        match ns.checked_mul(1_000) {
            Some(ps) => Some(Self(ps)),
            None => None,
        }
    }

    /// A time from whole microseconds, for constants.
    pub const fn from_us(us: i32) -> Self {
        Self(us as i64 * 1_000_000)
    }

    /// The time in picoseconds.
    pub const fn ps(self) -> i64 {
        self.0
    }

    /// The time in microseconds, for printing and for limits.
    pub fn as_us_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The time for a sentence, in the unit that fits and to three significant digits: `54.7 ms`.
    pub fn human(self) -> String {
        human_time(i128::from(self.0), 3)
    }

    /// True for a time below zero.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// The part of `whole` that this time is; `None` where `whole` is not positive or the part is negative.
    pub fn share_of(self, whole: Self) -> Option<Ratio> {
        Ratio::new(u64::try_from(self.0).ok()?, u64::try_from(whole.0).ok()?)
    }
}

impl Add for Picoseconds {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Picoseconds {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Picoseconds {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl AddAssign for Picoseconds {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Picoseconds {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Picoseconds {
    fn sum<I: Iterator<Item = Self>>(times: I) -> Self {
        times.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Picoseconds {
    /// Microseconds as a decimal, exact to the picosecond and without trailing zeros: `12.345`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&decimal_us(i128::from(self.0)))
    }
}

/// Picoseconds as microseconds in exact decimal text, without trailing zeros: `-0.5`, `1615207264505000`.
pub fn decimal_us(ps: i128) -> String {
    let sign = if ps < 0 { "-" } else { "" };
    let (whole, fraction) = (ps.unsigned_abs() / 1_000_000, ps.unsigned_abs() % 1_000_000);
    if fraction == 0 {
        return format!("{sign}{whole}");
    }
    let digits = format!("{fraction:06}");
    format!("{sign}{whole}.{}", digits.trim_end_matches('0'))
}

/// A half-open span of time `[start, end)` with `start <= end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    start: Picoseconds,
    end: Picoseconds,
}

impl Interval {
    /// The interval from `start` to `end`; `None` where the end precedes the start.
    pub fn new(start: Picoseconds, end: Picoseconds) -> Option<Self> {
        (start <= end).then_some(Self { start, end })
    }

    /// The interval that begins at `start` and lasts `duration`; a negative duration counts as none.
    pub fn starting_at(start: Picoseconds, duration: Picoseconds) -> Self {
        Self { start, end: start + duration.max(Picoseconds::ZERO) }
    }

    /// First instant inside.
    pub const fn start(self) -> Picoseconds {
        self.start
    }

    /// First instant after.
    pub const fn end(self) -> Picoseconds {
        self.end
    }

    /// End minus start.
    pub fn duration(self) -> Picoseconds {
        self.end - self.start
    }

    /// True where the interval holds no instant.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The instants of both; `None` where they share none.
    pub fn intersection(self, other: Self) -> Option<Self> {
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        (start < end).then_some(Self { start, end })
    }

    /// The smallest interval that covers both.
    pub fn hull(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// True where `instant` lies inside.
    pub fn contains(self, instant: Picoseconds) -> bool {
        self.start <= instant && instant < self.end
    }

    /// True where `other` lies inside, ends included.
    pub fn covers(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// An exact part of a whole; the whole is never zero, so a share is always defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    part: u64,
    whole: u64,
}

impl Ratio {
    /// `part` of `whole`; `None` where there is no whole: a share of nothing is undefined, not 0 and not 1.
    pub const fn new(part: u64, whole: u64) -> Option<Self> {
        if whole == 0 { None } else { Some(Self { part, whole }) }
    }

    /// The numerator.
    pub const fn part(self) -> u64 {
        self.part
    }

    /// The denominator, never zero.
    pub const fn whole(self) -> u64 {
        self.whole
    }

    /// The quotient, 0 to 1 for a true part.
    pub fn share(self) -> f64 {
        self.part as f64 / self.whole as f64
    }

    /// The quotient in percent.
    pub fn percent(self) -> f64 {
        self.share() * 100.0
    }

    /// What is missing from the whole; zero where the part exceeds it.
    pub const fn complement(self) -> Self {
        Self { part: self.whole.saturating_sub(self.part), whole: self.whole }
    }
}

#[cfg(test)]
mod tests {
    use super::{Interval, Picoseconds, Ratio, decimal_us};

    #[test]
    fn decimals_are_exact() {
        for (ps, text) in [
            (0, "0"),
            (1, "0.000001"),
            (-500_000, "-0.5"),
            (12_345_000, "12.345"),
            (1_615_207_264_505_000_000_000, "1615207264505000"),
        ] {
            assert_eq!(decimal_us(ps), text);
        }
    }

    #[test]
    fn a_share_of_nothing_is_undefined() {
        assert_eq!(Ratio::new(0, 0), None);
        assert_eq!(Picoseconds::new(5).share_of(Picoseconds::ZERO), None);
        assert_eq!(Picoseconds::new(-5).share_of(Picoseconds::new(10)), None);
    }

    #[test]
    fn sums_saturate() {
        let most = Picoseconds::new(i64::MAX);
        assert_eq!(most + most, most);
    }

    #[test]
    fn touching_intervals_share_no_instant() {
        let at = |start, end| Interval::new(Picoseconds::new(start), Picoseconds::new(end));
        let (a, b) = (at(0, 10), at(10, 20));
        assert_eq!(a.zip(b).and_then(|(a, b)| a.intersection(b)), None);
        assert_eq!(at(3, 2), None);
    }
}
