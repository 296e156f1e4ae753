//! Every rounding rule, at the values where it decides.

use super::*;
use crate::units::Ratio;
use serde_json::json;

fn us(ps: i128) -> Microseconds {
    Microseconds::from_ps(ps)
}

fn pct(part: u64, whole: u64) -> Percent {
    Percent::of(Ratio::new(part, whole).unwrap())
}

#[test]
fn counts_are_grouped() {
    for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")] {
        assert_eq!(count(number), text);
    }
}

#[test]
fn a_time_takes_the_unit_that_fits() {
    for (ps, coarse, fine) in [
        (0, "0 s", "0 s"),
        (7, "7 ps", "7 ps"),
        (1_500, "1.50 ns", "1.500 ns"),
        (999_499_999, "999 µs", "999.5 µs"),
        (999_600_000, "1.00 ms", "999.6 µs"),
        (63_240_000_000, "63.2 ms", "63.24 ms"),
        (7_242_000_000_000, "7.24 s", "7.242 s"),
        (-63_250_000_000, "-63.2 ms", "-63.25 ms"),
        (63_350_000_000, "63.4 ms", "63.35 ms"),
        (4_321_000_000_000_000, "4,321 s", "4,321 s"),
    ] {
        assert_eq!(time(us(ps), COARSE), coarse);
        assert_eq!(time(us(ps), FINE), fine);
    }
}

#[test]
fn a_part_is_neither_all_nor_nothing_unless_it_is() {
    for (part, whole, text) in [
        (0, 3, "0.0 %"),
        (3, 3, "100.0 %"),
        (1, 100_000, "<0.1 %"),
        (99_999, 100_000, ">99.9 %"),
        (3, 128, "2.3 %"),
        (1, 3, "33.3 %"),
        (1_025, 10_000, "10.2 %"),
        (1_035, 10_000, "10.4 %"),
        (3, 2, "150.0 %"),
    ] {
        assert_eq!(percent(pct(part, whole)), text);
        assert_eq!(share(Share::of(Ratio::new(part, whole).unwrap())), text);
    }
}

#[test]
fn a_range_of_one_figure_is_that_figure() {
    assert_eq!(percent_range((pct(1, 4), pct(1, 2))), "25.0 to 50.0 %");
    assert_eq!(percent_range((pct(25_001, 100_000), pct(1, 4))), "25.0 %");
}

#[test]
fn sizes_have_binary_units() {
    for (size, text) in
        [(17, "17 B"), (1_536, "1.5 KiB"), (1_048_575, "1.0 MiB"), (29_779_559, "28.4 MiB")]
    {
        assert_eq!(bytes(size), text);
    }
}

#[test]
fn measured_and_limit_never_look_alike() {
    let at = |bound, value, unit| Limit { bound, value, unit };
    for (measured, limit, number, text) in [
        (3.0 / 128.0, at(Bound::Min, 0.95, Unit::Share), "2.3 %", "at least 95 %"),
        (0.949_96, at(Bound::Min, 0.95, Unit::Share), "94.996 %", "at least 95 %"),
        (0.95, at(Bound::Min, 0.95, Unit::Share), "95.0 %", "at least 95 %"),
        (0.000_6, at(Bound::Max, 0.000_5, Unit::Share), "0.1 %", "at most 0.05 %"),
        (80.01, at(Bound::Max, 80.0, Unit::Percent), "80.01 %", "at most 80 %"),
        (0.0, at(Bound::Max, 0.0, Unit::Share), "0.0 %", "at most 0 %"),
        (12_345.0, at(Bound::Max, 0.0, Unit::Count), "12,345", "at most 0"),
        (1.25, at(Bound::Max, 1.0, Unit::Count), "1.25", "at most 1"),
        (2_500.0, at(Bound::Max, 100.0, Unit::Microseconds), "2.50 ms", "at most 100 µs"),
        (f64::NAN, at(Bound::Max, 0.5, Unit::Share), "—", "at most 50 %"),
    ] {
        assert_eq!(measured_against(measured, limit), (number.to_owned(), text.to_owned()));
    }
}

#[test]
fn evidence_reads_as_words() {
    for (key, value, name, text) in [
        ("graph_launches", json!(12_800), "graph launches", "12,800"),
        ("busy_us", json!(63_000.5), "busy", "63.0 ms"),
        ("node_share", json!(0.5), "node", "50.0 %"),
        ("devices", json!(["gpu:0", "gpu:1"]), "devices", "gpu:0, gpu:1"),
        ("ids", json!([1, 2, 3, 4, 5, 6]), "ids", "1, 2, 3, 4, 5, … 6 in all"),
        ("ratio", json!(0.25), "ratio", "0.25"),
        ("why_us", json!(null), "why us", "—"),
    ] {
        assert_eq!(evidence(key, &value), (name.to_owned(), text.to_owned()));
    }
}

#[test]
fn a_long_name_keeps_its_start() {
    assert_eq!(shortened("abcdef", 6), "abcdef");
    assert_eq!(shortened("abcdefg", 6), "abcde…");
    assert_eq!(shortened("ééééééé", 6), "ééééé…");
    assert_eq!(shortened("", 6), "");
    assert_eq!(name("abcdef", 6), "abcdef");
    assert_eq!(name("abcdefghij", 6), "abc…ij");
    assert_eq!(name("éééééééééà", 6), "ééé…éà");
}
