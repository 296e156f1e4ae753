//! Integers as text for people: the same on every machine, rounded half to even.

/// Picoseconds as a time in the unit that fits, to `digits` significant digits: `63.2 ms`.
pub fn human_time(ps: i128, digits: u32) -> String {
    const UNITS: [(u128, &str); 5] =
        [(1, "ps"), (1_000, "ns"), (1_000_000, "µs"), (1_000_000_000, "ms"), (SECOND, "s")];
    const SECOND: u128 = 1_000_000_000_000;
    if ps == 0 {
        return "0 s".to_owned();
    }
    let (sign, ps) = (if ps < 0 { "-" } else { "" }, ps.unsigned_abs());
    for (size, unit) in UNITS {
        // Picoseconds are the resolution: a fraction of one would be invented.
        let most = if size == 1 { 1 } else { digits };
        for decimals in (0..most).rev() {
            let power = 10_u128.pow(decimals);
            let scaled = rounded(ps.saturating_mul(power), size);
            if scaled < 10_u128.pow(digits).min(1_000 * power) {
                return format!("{sign}{} {unit}", point(scaled, decimals));
            }
        }
    }
    format!("{sign}{} s", grouped(&rounded(ps, SECOND).to_string()))
}

/// `part / whole`, rounded half to even.
pub fn rounded(part: u128, whole: u128) -> u128 {
    let (quotient, twice) = (part / whole, (part % whole).saturating_mul(2));
    let up = twice > whole || (twice == whole && quotient % 2 == 1);
    quotient + u128::from(up)
}

/// An integer with a decimal point before its last digits.
pub fn point(number: u128, decimals: u32) -> String {
    if decimals == 0 {
        return grouped(&number.to_string());
    }
    let power = 10_u128.pow(decimals);
    let width = decimals as usize;
    format!("{}.{:0width$}", grouped(&(number / power).to_string()), number % power)
}

/// Digits in groups of three.
pub fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
