//! The table of limits in `docs/hardening.md`, written from the source that keeps them.

#![expect(clippy::unwrap_used, reason = "a test that cannot prepare its input has failed")]

use crate::harness::in_crate;

/// Where limits stand.
const SOURCES: [&str; 2] = ["src/read/limits.rs", "src/read/xplane/limits.rs"];

const BEGIN: &str = "<!-- limits: written by a test from src/read -->\n";
const END: &str = "<!-- end of limits -->\n";

/// A stale table is written anew, and the test fails once.
#[test]
fn the_table_of_limits_is_fresh() {
    let path = in_crate("docs/hardening.md");
    let page = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    let (before, rest) = page.split_once(BEGIN).expect("where the table begins");
    let (_, after) = rest.split_once(END).expect("where the table ends");
    let fresh = format!("{before}{BEGIN}{}{END}{after}", table());
    if fresh != page {
        std::fs::write(&path, fresh).unwrap();
        panic!("docs/hardening.md was stale: its table is written anew from the limits");
    }
}

fn table() -> String {
    let mut text = "| limit | what it stands on |\n| ---: | --- |\n".to_owned();
    for source in SOURCES {
        let source = std::fs::read_to_string(in_crate(source)).unwrap();
        let mut about = Vec::new();
        for line in source.lines() {
            if let Some(words) = line.strip_prefix("/// ") {
                about.push(words);
            } else if let Some(rest) = line.strip_prefix("pub(super) const ") {
                let (name, rest) = rest.split_once(": ").unwrap();
                let (_, value) = rest.trim_end_matches(';').split_once(" = ").unwrap();
                let about = std::mem::take(&mut about).join(" ").replace(['[', ']'], "");
                text.push_str(&format!("| {} | {about} |\n", shown(name, value)));
            } else {
                about.clear();
            }
        }
    }
    text
}

/// The value as people write it; of bytes in their units.
fn shown(name: &str, value: &str) -> String {
    let n = evaluated(value);
    let units = [(1_u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit =
        units.into_iter().find(|(unit, _)| name.contains("BYTES") && n.is_multiple_of(*unit));
    match unit {
        Some((unit, of)) => format!("{} {of}", n / unit),
        None => grouped(n),
    }
}

/// The value of `1_000`, `64 << 20` or `(1 << 31) - 1`.
fn evaluated(value: &str) -> u64 {
    let value = value.replace(['_', '(', ')'], "");
    if let Some((one, other)) = value.split_once(" - ") {
        return evaluated(one) - evaluated(other);
    }
    match value.split_once(" << ") {
        Some((one, by)) => evaluated(one) << evaluated(by),
        None => value.trim().parse().unwrap(),
    }
}

fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
