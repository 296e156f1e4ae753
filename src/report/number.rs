//! Numbers as the report's JSON writes them.

use crate::units::{Picoseconds, Ratio, decimal_us};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::fmt;

/// A time in microseconds, written as an exact decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Microseconds(i128);

impl Microseconds {
    /// From picoseconds that may count from the Unix epoch.
    pub const fn from_ps(ps: i128) -> Self {
        Self(ps)
    }

    /// The time in picoseconds.
    pub const fn ps(self) -> i128 {
        self.0
    }

    /// The time as a float, for rounding in human output.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl From<Picoseconds> for Microseconds {
    fn from(time: Picoseconds) -> Self {
        Self(i128::from(time.ps()))
    }
}

impl fmt::Display for Microseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&decimal_us(self.0))
    }
}

impl Serialize for Microseconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = decimal_us(self.0);
        let raw = RawValue::from_string(text).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Microseconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        parse_us(raw.get())
            .map(Self)
            .ok_or_else(|| D::Error::custom(format!("not microseconds: {raw}")))
    }
}

/// Decimal microseconds with at most six digits behind the point, as picoseconds.
fn parse_us(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if fraction.len() > 6 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole: i128 = whole.parse().ok()?;
    let fraction: i128 = format!("{fraction:0<6}").parse().ok()?;
    whole.checked_mul(1_000_000)?.checked_add(fraction)?.checked_mul(sign)
}

/// A part in percent, rounded to four decimals.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64")]
pub struct Percent(f64);

impl TryFrom<f64> for Percent {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        let is_part = (0.0..=100.0).contains(&value);
        if is_part { Ok(Self(value)) } else { Err(format!("not a part in percent: {value}")) }
    }
}

impl Percent {
    /// From an exact ratio.
    pub fn of(ratio: Ratio) -> Self {
        Self(round4(ratio.percent()))
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// A part from 0 to 1, rounded to six decimals.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64")]
pub struct Share(f64);

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        let is_part = (0.0..=1.0).contains(&value);
        if is_part { Ok(Self(value)) } else { Err(format!("not a part from 0 to 1: {value}")) }
    }
}

impl Share {
    /// From an exact ratio.
    pub fn of(ratio: Ratio) -> Self {
        Self::rounded(ratio.share())
    }

    /// From a share that is no ratio of counts any more, as a check measures it.
    pub fn rounded(share: f64) -> Self {
        Self((share * 1e6).round() / 1e6)
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

fn round4(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::Microseconds;

    #[test]
    fn microseconds_survive_json_exactly() {
        for ps in [0, 1, -1_500_000, 1_615_207_264_505_000_000_123, 2_199_280_223_674_156_000] {
            let time = Microseconds::from_ps(ps);
            let text = serde_json::to_string(&time).unwrap_or_default();
            assert_eq!(serde_json::from_str::<Microseconds>(&text).ok(), Some(time), "{text}");
        }
        for wrong in ["1e3", "\"5\"", "1.0000001", "null"] {
            assert!(serde_json::from_str::<Microseconds>(wrong).is_err(), "{wrong}");
        }
    }
}
