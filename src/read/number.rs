//! Numbers from their text: exact integers, never through a float.

/// Why a text is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadTime {
    /// It is no number.
    NotANumber,
    /// It does not fit into 64 bits of nanoseconds: ±292 years.
    OutOfRange,
}

/// Whether an integer says all that its decimal text said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    /// It does.
    Exact,
    /// Digits behind the nanosecond were dropped.
    Rounded,
}

/// Decimal microseconds as nanoseconds. Further decimals than three are rounded half to even: the profilers
/// themselves count nanoseconds, so such digits come from a conversion and carry nothing.
#[inline]
pub(super) fn nanoseconds(text: &[u8]) -> Result<(i64, Rounding), BadTime> {
    match short_nanoseconds(text) {
        Some(ns) => Ok((ns, Rounding::Exact)),
        None => {
            let (ns, rounding) = Decimal::parse(text).ok_or(BadTime::NotANumber)?.scaled(3)?;
            Ok((i64::try_from(ns).map_err(|_| BadTime::OutOfRange)?, rounding))
        }
    }
}

/// Decimal microseconds as picoseconds, rounded half to even. JAX prints doubles with 17 digits, which give back every
/// picosecond below 2⁵³ of them: 2.5 hours.
pub(super) fn picoseconds(text: &[u8]) -> Result<i128, BadTime> {
    Decimal::parse(text).ok_or(BadTime::NotANumber)?.scaled(6).map(|(ps, _)| ps)
}

/// The common form: up to fifteen digits, then up to three decimals.
fn short_nanoseconds(text: &[u8]) -> Option<i64> {
    let (whole, fraction) = match text.iter().position(|&byte| byte == b'.') {
        Some(point) => (&text[..point], &text[point + 1..]),
        None => (text, &[][..]),
    };
    if whole.is_empty() || whole.len() > 16 || fraction.len() > 3 {
        return None;
    }
    if fraction.is_empty() && whole.len() != text.len() {
        return None;
    }
    let mut ns = digits(whole)?.checked_mul(1_000)?;
    const PLACES: [i64; 4] = [0, 100, 10, 1];
    if !fraction.is_empty() {
        ns = ns.checked_add(digits(fraction)? * PLACES[fraction.len()])?;
    }
    Some(ns)
}

fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0_i64, |value, byte| {
        byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0'))
    })
}

/// A decimal number: `mantissa` × 10^`exponent`, with `sticky` where digits behind the mantissa were not all zero.
struct Decimal {
    negative: bool,
    mantissa: u128,
    exponent: i64,
    sticky: bool,
}

impl Decimal {
    /// The number that the whole text is; `None` where it is none.
    fn parse(text: &[u8]) -> Option<Self> {
        let (negative, rest) = match text {
            [b'-', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let (number, exponent) = match rest.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            Some(mark) => (&rest[..mark], std::str::from_utf8(&rest[mark + 1..]).ok()?),
            None => (rest, "0"),
        };
        let exponent: i64 = exponent.parse::<i32>().ok()?.into();
        let mut decimal = Self { negative, mantissa: 0, exponent, sticky: false };
        let (mut point, mut any) = (false, false);
        for &byte in number {
            match byte {
                b'.' if !point && any => point = true,
                b'0'..=b'9' => {
                    any = true;
                    decimal.push(byte - b'0', point);
                }
                _ => return None,
            }
        }
        (any && number.last() != Some(&b'.')).then_some(decimal)
    }

    fn push(&mut self, digit: u8, behind_point: bool) {
        // 38 digits fit; a time has 20.
        if self.mantissa < 10_u128.pow(36) {
            self.mantissa = self.mantissa * 10 + u128::from(digit);
            self.exponent -= i64::from(behind_point);
        } else {
            self.sticky |= digit != 0;
            self.exponent += i64::from(!behind_point);
        }
    }

    /// The number times 10^`places`, as an integer, rounded half to even.
    fn scaled(&self, places: i64) -> Result<(i128, Rounding), BadTime> {
        let exponent = self.exponent.saturating_add(places);
        let mut rounding = if self.sticky { Rounding::Rounded } else { Rounding::Exact };
        let magnitude = if self.mantissa == 0 {
            0
        } else if exponent >= 0 {
            let power = u32::try_from(exponent).ok().and_then(|e| 10_u128.checked_pow(e));
            power.and_then(|p| self.mantissa.checked_mul(p)).ok_or(BadTime::OutOfRange)?
        } else {
            match u32::try_from(-exponent).ok().and_then(|e| 10_u128.checked_pow(e)) {
                Some(power) => {
                    if !self.mantissa.is_multiple_of(power) {
                        rounding = Rounding::Rounded;
                    }
                    self.divided(power)
                }
                None => {
                    rounding = Rounding::Rounded;
                    0
                }
            }
        };
        let magnitude = i128::try_from(magnitude).map_err(|_| BadTime::OutOfRange)?;
        Ok((if self.negative { -magnitude } else { magnitude }, rounding))
    }

    fn divided(&self, power: u128) -> u128 {
        let (quotient, rest) = (self.mantissa / power, self.mantissa % power);
        let above = rest > power - rest || rest == power - rest && self.sticky;
        let tie = rest == power - rest && !self.sticky;
        quotient + u128::from(above || tie && quotient % 2 == 1)
    }
}

/// A whole number without sign, as ids and counts are written; `12.0` counts as 12.
pub(super) fn unsigned(text: &[u8]) -> Option<u64> {
    if text.len() <= 18
        && !text.is_empty()
        && let Some(value) = digits(text)
    {
        return u64::try_from(value).ok();
    }
    let text = std::str::from_utf8(text).ok()?;
    if text.starts_with('+') {
        return None;
    }
    text.split_once('.')
        .filter(|(_, zeros)| !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0'))
        .map_or(text, |(whole, _)| whole)
        .parse()
        .ok()
}

/// A whole number with sign, as device and stream ids are written.
pub(super) fn signed(text: &[u8]) -> Option<i64> {
    match text {
        [b'-', rest @ ..] => i64::try_from(unsigned(rest)?).ok()?.checked_neg(),
        _ => i64::try_from(unsigned(text)?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::{BadTime, Rounding, nanoseconds, picoseconds, signed, unsigned};

    #[test]
    fn microseconds_are_exact() {
        for (text, expected) in [
            ("0", Ok(0)),
            ("1", Ok(1_000)),
            ("4026150069145.028", Ok(4_026_150_069_145_028)),
            ("1695835542514261", Ok(1_695_835_542_514_261_000)),
            ("1700000000123456.789", Ok(1_700_000_000_123_456_789)),
            ("0.2", Ok(200)),
            ("10.50", Ok(10_500)),
            ("-50", Ok(-50_000)),
            ("-0.001", Ok(-1)),
            ("1e3", Ok(1_000_000)),
            ("1.5E-2", Ok(15)),
            ("0.0005", Ok(0)),
            ("0.0015", Ok(2)),
            ("0.00150000000000000000000000000000000000000001", Ok(2)),
            ("0.0025", Ok(2)),
            ("0.00250000000000000000000000000000000000000001", Ok(3)),
            ("9223372036854775.807", Ok(i64::MAX)),
            ("9223372036854775.808", Err(BadTime::OutOfRange)),
            ("1e400", Err(BadTime::OutOfRange)),
            ("1e-400", Ok(0)),
            ("0e99999", Ok(0)),
            ("", Err(BadTime::NotANumber)),
            ("-", Err(BadTime::NotANumber)),
            ("1.", Err(BadTime::NotANumber)),
            (".5", Err(BadTime::NotANumber)),
            ("1.2.3", Err(BadTime::NotANumber)),
            ("12 ", Err(BadTime::NotANumber)),
            ("soon", Err(BadTime::NotANumber)),
        ] {
            assert_eq!(nanoseconds(text.as_bytes()).map(|(ns, _)| ns), expected, "{text}");
        }
    }

    #[test]
    fn doubles_give_back_their_picoseconds() {
        for (text, expected) in [
            ("0", Ok(0)),
            ("1e-06", Ok(1)),
            ("9716533.0179999992", Ok(9_716_533_018_000)),
            ("1651251.7490000001", Ok(1_651_251_749_000)),
            ("-0.5", Ok(-500_000)),
            ("1700000000000000.25", Ok(1_700_000_000_000_000_250_000)),
            ("1e40", Err(BadTime::OutOfRange)),
            ("soon", Err(BadTime::NotANumber)),
        ] {
            assert_eq!(picoseconds(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn rounding_is_told() {
        assert_eq!(nanoseconds(b"1.2340000"), Ok((1_234, Rounding::Exact)));
        assert_eq!(nanoseconds(b"1.2340001"), Ok((1_234, Rounding::Rounded)));
    }

    #[test]
    fn ids_are_whole() {
        assert_eq!(unsigned(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(unsigned(b"18446744073709551616"), None);
        assert_eq!(unsigned(b"12.0"), Some(12));
        assert_eq!(unsigned(b"12.5"), None);
        assert_eq!(unsigned(b"-1"), None);
        assert_eq!(unsigned(b"+1"), None);
        assert_eq!(unsigned(b""), None);
        assert_eq!(signed(b"-1"), Some(-1));
        assert_eq!(signed(b"1000007"), Some(1_000_007));
        assert_eq!(signed(b"stream 7"), None);
    }
}
