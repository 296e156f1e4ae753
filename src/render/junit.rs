//! JUnit XML: one flat suite a capture, one case a check and a golden.
//!
//! `junit-report` writes the document. It passes text through as it is, knows no total of skipped cases and stamps
//! host and time, so text is cleaned before it and one pass over its XML adds the total and drops the stamps.

use super::cells::Detail;
use super::escape::{xml, xml_line};
use super::{Form, Needs, Output, cells, words};
use crate::report::{
    CaptureReport, CheckReport, GoldenReport, GoldenState, Level, Report, RunReport, State,
};
use junit_report::{
    Duration, OffsetDateTime, ReportBuilder, TestCase, TestCaseBuilder, TestResult, TestSuite,
};
use quick_xml::events::{BytesEnd, BytesStart, Event};
use quick_xml::{Reader, Writer};
use std::collections::BTreeSet;
use std::fmt::Write as _;

pub(super) static OUTPUT: Output = Output {
    kind: "junit",
    summary: "JUnit XML: a suite a capture, a case a check and a golden",
    form: Form::Text(render),
    needs: Needs::Report,
    golden: None,
};

/// Consumers refuse a document with a text of several megabytes; a diff that long is not read there anyway.
const TEXT_BYTES_MAX: usize = 64 * 1024;

fn render(report: &Report) -> String {
    let mut suites: Vec<Suite> =
        report.captures.iter().map(|capture| capture_suite(report, capture)).collect();
    suites.extend(report.runs.iter().map(run_suite));
    suites.extend(unreferenced_suite(report));
    suites.extend(policy_suite(report));
    let mut names = BTreeSet::new();
    let mut document = ReportBuilder::new();
    for suite in suites.into_iter().filter(|suite| !suite.cases.is_empty()) {
        document.add_testsuite(suite.build(&mut names));
    }
    let mut bytes = Vec::new();
    let written = document.build().write_xml(&mut bytes).map_err(|error| error.to_string());
    match written.and_then(|()| finished(&bytes)) {
        Ok(text) => text,
        Err(error) => failed(&error),
    }
}

/// A suite before its names are made unique.
struct Suite {
    name: String,
    cases: Vec<Case>,
}

struct Case {
    name: String,
    result: TestResult,
    system_out: Option<String>,
}

impl Suite {
    fn build(self, taken: &mut BTreeSet<String>) -> TestSuite {
        let mut suite = TestSuite::new(&unique(taken, &xml_line(&self.name)));
        // A package would be put before the name by some readers; the time is dropped below and must not be "now".
        suite.package = String::new();
        suite.timestamp = OffsetDateTime::UNIX_EPOCH;
        let classname = format!("idleproof.{}", suite.name);
        let mut names = BTreeSet::new();
        suite.add_testcases(self.cases.into_iter().map(|case| {
            let name = unique(&mut names, &xml_line(&case.name));
            let mut built = TestCaseBuilder::success(&name, Duration::ZERO);
            built.set_classname(&classname);
            if let Some(text) = &case.system_out {
                built.set_system_out(&body(text));
            }
            TestCase { result: case.result, ..built.build() }
        }));
        suite
    }
}

/// The name, with a number where it is taken: readers drop the second of two cases of one name.
fn unique(taken: &mut BTreeSet<String>, name: &str) -> String {
    let mut candidate = name.to_owned();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{name} #{number}");
        number += 1;
    }
    candidate
}

fn capture_suite(report: &Report, capture: &CaptureReport) -> Suite {
    let mut cases = Vec::new();
    if let Some(error) = &capture.error {
        let text = format!(
            "{}\n{}: {}\nhelp: {}",
            cells::place(error),
            error.kind,
            error.message,
            error.help
        );
        cases.push(Case {
            name: "read".to_owned(),
            result: TestResult::Error {
                type_: "unreadable".to_owned(),
                message: xml_line(&error.message),
                cause: Some(body(&text)),
            },
            system_out: None,
        });
    }
    let so = |check| words::consequence(capture, check);
    cases.extend(capture.checks.iter().map(|check| check_case(check, so(check))));
    let own = |golden: &&GoldenReport| {
        golden.state != GoldenState::Unreferenced && golden.capture == capture.name
    };
    cases.extend(report.goldens.iter().filter(own).map(golden_case));
    Suite { name: capture.name.clone(), cases }
}

/// The checks that compare the ranks of a job.
fn run_suite(run: &RunReport) -> Suite {
    let so = |check| words::run_consequence(run, check);
    let cases = run.checks.iter().map(|check| check_case(check, so(check))).collect();
    Suite { name: format!("{} (ranks)", run.name), cases }
}

fn check_case(check: &CheckReport, so: Option<String>) -> Case {
    let details = details(check, so);
    let skipped = |type_: &str, message: &str, cause: Option<String>| {
        TestResult::SkippedWithCause { type_: type_.to_owned(), message: xml_line(message), cause }
    };
    let failed = |type_: &str| TestResult::Failure {
        type_: xml_line(type_),
        message: xml_line(&cells::headline(check)),
        cause: Some(body(&details)),
    };
    let (result, system_out) = match check.state {
        State::Holds => (TestResult::Success, None),
        State::Violated if check.fails => (failed(&check.id), None),
        State::Violated => {
            (TestResult::Success, Some(format!("warning: {}\n{}", cells::headline(check), details)))
        }
        State::NotEvaluable if check.fails => (failed("no-evidence"), None),
        State::NotEvaluable => (skipped(words::state(check), &check.message, None), None),
        State::Excepted => {
            let exception = check.exception.as_deref().unwrap_or("excepted by the policy");
            // An exception never hides the number.
            let text = format!("{}\n{}", cells::headline(check), details);
            (skipped("excepted", exception, Some(body(&text))), None)
        }
    };
    Case { name: check.id.clone(), result, system_out }
}

fn details(check: &CheckReport, so: Option<String>) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(text, "{key}: {value}");
    };
    if let Some(seen) = cells::evidence(check, Detail::All) {
        line("measured", &seen);
    }
    if let Some(consequence) = so {
        line("so", &consequence);
    }
    line("policy", &format!("{} {}", check.origin, words::level_of(check)));
    line("help", &check.help);
    text
}

fn golden_case(golden: &GoldenReport) -> Case {
    let name = format!("golden/{}", golden.output);
    let found = golden.state.check().filter(|_| golden.level != Level::Allow);
    let Some(id) = found else {
        return Case { name, result: TestResult::Success, system_out: None };
    };
    let message = format!("{} {}", golden.path, words::golden(golden.state));
    let text = golden.diff.clone().unwrap_or_default();
    let (result, system_out) = if golden.fails() {
        let cause = (!text.is_empty()).then(|| body(&text));
        (TestResult::Failure { type_: id.to_owned(), message: xml_line(&message), cause }, None)
    } else {
        (TestResult::Success, Some(format!("warning: {message}\n{text}")))
    };
    Case { name, result, system_out }
}

/// Goldens that belong to no capture of this report.
fn unreferenced_suite(report: &Report) -> Option<Suite> {
    let known = |name: &str| report.captures.iter().any(|capture| capture.name == name);
    let cases: Vec<Case> = report
        .goldens
        .iter()
        .filter(|golden| golden.state == GoldenState::Unreferenced || !known(&golden.capture))
        .map(|golden| Case { name: format!("golden/{}", golden.path), ..golden_case(golden) })
        .collect();
    (!cases.is_empty()).then(|| Suite { name: "goldens".to_owned(), cases })
}

fn policy_suite(report: &Report) -> Option<Suite> {
    let cases: Vec<Case> = report
        .policy_findings
        .iter()
        .map(|finding| {
            let message = xml_line(&finding.message);
            let (result, system_out) = match finding.level {
                Level::Deny => (
                    TestResult::Failure { type_: xml_line(&finding.id), message, cause: None },
                    None,
                ),
                Level::Warn | Level::Allow => {
                    (TestResult::Success, Some(format!("warning: {message}")))
                }
            };
            Case { name: finding.id.clone(), result, system_out }
        })
        .collect();
    (!cases.is_empty()).then(|| Suite { name: report.policy.name.clone(), cases })
}

/// Clean text of an element, cut where it is too long.
fn body(text: &str) -> String {
    let text = xml(text.trim_end());
    if text.len() <= TEXT_BYTES_MAX {
        return text;
    }
    let cut = (0..=TEXT_BYTES_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}\n… cut: {} of {} bytes shown", &text[..cut], cut, text.len())
}

/// The document with totals of skipped cases, without host and time stamps, one element a line.
fn finished(xml: &[u8]) -> Result<String, String> {
    let events = events_of(xml)?;
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    for (at, event) in events.iter().enumerate() {
        let write = |writer: &mut Writer<Vec<u8>>, event: Event<'_>| {
            writer.write_event(event).map_err(|error| error.to_string())
        };
        match event {
            Event::Start(suite) if suite.name().as_ref() == b"testsuite" => {
                let skipped = skipped_in(&events[at..]);
                write(&mut writer, Event::Start(suite_start(suite, skipped)?))?;
            }
            other => write(&mut writer, other.borrow())?,
        }
    }
    let mut bytes = writer.into_inner();
    bytes.push(b'\n');
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

fn events_of(xml: &[u8]) -> Result<Vec<Event<'_>>, String> {
    let mut reader = Reader::from_reader(xml);
    let mut events = Vec::new();
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Eof => return Ok(events),
            event => events.push(event),
        }
    }
}

/// How many cases are skipped before the suite that these events begin with ends.
fn skipped_in(events: &[Event<'_>]) -> usize {
    let suite = BytesEnd::new("testsuite");
    events
        .iter()
        .take_while(|event| !matches!(event, Event::End(end) if end.name() == suite.name()))
        .filter(|event| {
            matches!(event, Event::Start(start) | Event::Empty(start) if start.name().as_ref() == b"skipped")
        })
        .count()
}

fn suite_start(suite: &BytesStart<'_>, skipped: usize) -> Result<BytesStart<'static>, String> {
    let mut start = BytesStart::new("testsuite");
    for attribute in suite.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        match attribute.key.as_ref() {
            b"hostname" | b"timestamp" | b"package" => {}
            _ => start.push_attribute(attribute),
        }
    }
    start.push_attribute(("skipped", skipped.to_string().as_str()));
    Ok(start)
}

/// A document that says that the document could not be made: nothing may look like a pass.
fn failed(error: &str) -> String {
    let message = quick_xml::escape::escape(xml_line(error)).into_owned();
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<testsuites>\n  <testsuite name=\"idleproof\" tests=\"1\" \
         errors=\"1\" failures=\"0\" skipped=\"0\" time=\"0\">\n    <testcase name=\"junit\" \
         classname=\"idleproof\" time=\"0\">\n      <error type=\"internal\" message=\"{message}\"/>\n    \
         </testcase>\n  </testsuite>\n</testsuites>\n"
    )
}
