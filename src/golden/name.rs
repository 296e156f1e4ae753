//! File names of goldens.

use crate::report::slug;

/// The file name of a capture's golden: `captures+decode+rank_0.trust.snap`.
pub fn file_name(capture: &str, output: &str) -> String {
    format!("{}.{output}.snap", slug(capture))
}

#[cfg(test)]
mod tests {
    use super::file_name;
    use std::collections::BTreeMap;

    #[test]
    fn a_usual_name_stays_readable() {
        assert_eq!(
            file_name("captures/decode/rank_0", "trust"),
            "captures+decode+rank_0.trust.snap"
        );
        assert_eq!(file_name("Qwen3 8B", "trust"), ",qwen3=208,b.trust.snap");
    }

    #[test]
    fn no_two_captures_share_a_name() {
        let long = "x".repeat(300);
        let names = [
            "a/b",
            "a+b",
            "a=2fb",
            "a,b",
            "aB",
            "ab",
            "AB",
            "a\\b",
            "a b",
            "a_b",
            "a-b",
            "a.b",
            ".a",
            "a.",
            "a=2e",
            "..",
            "../a",
            "",
            "con",
            "Con",
            "con.x",
            "conx",
            "com1",
            "com10",
            "é",
            "e\u{301}",
            "\u{1b}",
            "a\nb",
            "a:b",
            "a*b",
            "a\0b",
            "=2ea",
            "=",
            "==",
            ",",
            ",a",
            "~",
            long.as_str(),
            &long[..160],
            &long[..161],
            &long[..162],
        ];
        let mut seen = BTreeMap::new();
        for name in names {
            let file = file_name(name, "trust");
            assert!(file.len() < 200, "{file}");
            assert!(
                file.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'+' | b',' | b'=')),
                "{file}"
            );
            assert!(!file.starts_with('.'), "{file}");
            if let Some(other) = seen.insert(file, name) {
                panic!("{name:?} and {other:?} share a file");
            }
        }
    }

    #[test]
    fn a_device_of_windows_is_no_file() {
        for name in ["nul", "NUL", "con.pt.trace", "lpt9"] {
            assert!(file_name(name, "trust").starts_with('='), "{name}");
        }
    }
}
