//! JUnit: the document parses, its totals are true, its names are unique, its text is clean.

use super::builder::{HOSTILE, check, everything, healthy, incident, report};
use idleproof::render;
use idleproof::report::{Claim, Level, Report, State, Verdict};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::{BTreeMap, BTreeSet};

fn junit(report: &Report) -> String {
    render::find("junit").and_then(|output| output.text(report)).expect("a text")
}

fn attributes(element: &BytesStart<'_>) -> BTreeMap<String, String> {
    element
        .attributes()
        .map(|attribute| {
            let attribute = attribute.expect("an attribute");
            let key = String::from_utf8(attribute.key.as_ref().to_vec()).expect("a name");
            let value = std::str::from_utf8(&attribute.value).expect("text");
            (key, quick_xml::escape::unescape(value).expect("entities").into_owned())
        })
        .collect()
}

/// A suite as a strict reader sees it.
struct Suite {
    written: BTreeMap<String, String>,
    /// Elements by name.
    counted: BTreeMap<String, u64>,
    /// Class name and name.
    cases: Vec<(String, String)>,
}

fn suites(xml: &str) -> Vec<Suite> {
    let mut reader = Reader::from_str(xml);
    let mut suites = Vec::new();
    loop {
        let element = match reader.read_event().expect("well-formed XML") {
            Event::Eof => return suites,
            Event::Start(element) | Event::Empty(element) => element,
            _ => continue,
        };
        let name = String::from_utf8(element.name().as_ref().to_vec()).expect("a name");
        let held = attributes(&element);
        match name.as_str() {
            "testsuites" => {}
            "testsuite" => {
                suites.push(Suite { written: held, counted: BTreeMap::new(), cases: Vec::new() })
            }
            _ => {
                let suite = suites.last_mut().expect("a suite");
                if name == "testcase" {
                    suite.cases.push((held["classname"].clone(), held["name"].clone()));
                    assert_eq!(held["time"], "0");
                }
                *suite.counted.entry(name).or_default() += 1;
            }
        }
    }
}

fn assert_sound(xml: &str) {
    assert!(!xml.contains(['\0', '\u{1b}', '\u{fffe}', '\u{ffff}']), "{xml}");
    let mut seen = BTreeSet::new();
    for Suite { written, counted, cases } in suites(xml) {
        let of = |name: &str| counted.get(name).copied().unwrap_or(0).to_string();
        assert_eq!(written["tests"], of("testcase"), "{written:?}");
        assert_eq!(written["failures"], of("failure"), "{written:?}");
        assert_eq!(written["errors"], of("error"), "{written:?}");
        assert_eq!(written["skipped"], of("skipped"), "{written:?}");
        assert!(!cases.is_empty(), "a suite without cases");
        for stamp in ["hostname", "timestamp", "package"] {
            assert!(!written.contains_key(stamp));
        }
        for case in cases {
            assert!(seen.insert(case.clone()), "{case:?} twice");
        }
    }
}

#[test]
fn totals_agree_with_a_recount() {
    let xml = junit(&everything());
    assert_sound(&xml);
    let names: Vec<String> =
        suites(&xml).into_iter().map(|suite| suite.written["name"].clone()).collect();
    assert_eq!(
        names,
        [
            "captures/cut",
            "captures/decode/rank_0",
            "captures/decode/rank_1",
            "captures/jax/host",
            "captures/decode (ranks)",
            "goldens",
            "idleproof.toml"
        ]
    );
}

#[test]
fn hostile_text_stays_text() {
    let mut capture = incident();
    capture.name = HOSTILE.to_owned();
    for (at, check) in capture.checks.iter_mut().enumerate() {
        check.message = format!("{HOSTILE} {at}");
        check.help = HOSTILE.to_owned();
        check.origin = HOSTILE.to_owned();
        check.exception = Some(HOSTILE.to_owned());
        check.evidence.insert("kernel".to_owned(), HOSTILE.into());
    }
    let twin = check("damaged-records", State::Violated, Level::Warn, &[Claim::Idle]);
    capture.checks.push(twin);
    assert_sound(&junit(&report(Verdict::Fail, vec![capture.clone(), capture])));
}

#[test]
fn a_long_diff_is_cut() {
    let mut report = everything();
    report.goldens[0].diff = Some("é]]>\n".repeat(100_000));
    let xml = junit(&report);
    assert_sound(&xml);
    assert!(xml.len() < 100_000 && xml.contains("… cut: "));
}

#[test]
fn a_report_without_captures_has_no_suite() {
    let xml = junit(&report(Verdict::Pass, Vec::new()));
    assert!(suites(&xml).is_empty());
    let mut capture = healthy();
    capture.checks.clear();
    assert!(suites(&junit(&report(Verdict::Pass, vec![capture]))).is_empty());
}
