//! What each target does with its bytes, and what must hold whatever they are.
//!
//! The program's own tests run the same functions over a small corpus.

use super::xplane_pb as pb;
use flate2::read::MultiGzDecoder;
use idleproof::compare::{Side, compare_sides};
use idleproof::golden::{self, Folders, Golden, Rendered, Within};
use idleproof::policy::Policy;
use idleproof::read::{self, ReadError};
use idleproof::render::{OUTPUTS, comparison, find, terminal};
use idleproof::report::{self, CaptureReport, ComparedSide, GoldenState, Outcome, Report, Verdict};
use idleproof::trace::{Capture, FileFormat, Record};
use idleproof::{Detail, Options, judge};
use jiff::civil::Date;
use prost::Message as _;
use std::cell::RefCell;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::LazyLock;

/// A target by its name.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const ALL: &[Target] = &[
    ("trace_json", trace_json),
    ("xplane", xplane),
    ("hlo", hlo),
    ("policy", policy),
    ("golden", golden),
    ("junit", junit),
    ("report", report),
];

/// Captures of JAX whose programs `hlo` exchanges.
pub const PROGRAMS: &[&[u8]] = &[
    include_bytes!("../../tests/captures/jax-graph/host.xplane.pb"),
    include_bytes!("../../tests/captures/jax-loop-graph/host.xplane.pb"),
    include_bytes!("../../tests/captures/jax-cpu-scan/host.xplane.pb"),
    include_bytes!("../../tests/captures/jax-async-label/host.xplane.pb"),
];

/// A sample of which reports are made.
const SAMPLE: &[u8] =
    include_bytes!("../../tests/captures/partial-replays/rank_0.pt.trace.json.gz");

const DAY: Date = jiff::civil::date(2026, 1, 1);

/// Code points that act on a terminal or hide what stands beside them.
const ACTING: &[char] = &[
    '\0',
    '\u{1b}',
    '\u{9b}',
    '\u{ad}',
    '\u{34f}',
    '\u{61c}',
    '\u{115f}',
    '\u{1160}',
    '\u{180e}',
    '\u{200b}',
    '\u{200e}',
    '\u{202e}',
    '\u{2060}',
    '\u{2066}',
    '\u{3164}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{ffa0}',
    '\u{e0001}',
    '\u{e0041}',
];

/// A trace in JSON, compressed or not, by way of a file.
pub fn trace_json(bytes: &[u8]) {
    let outcome = with_folder(|folder| {
        let path = folder.join("a.pt.trace.json");
        std::fs::write(&path, bytes).expect("a file");
        read_named(path)
    });
    if let Ok(text) = text_of(bytes) {
        agrees_with_serde(&text, &outcome);
    }
    judged(outcome);
}

fn read_named(path: PathBuf) -> Result<Capture, ReadError> {
    let found = read::find(&[path])?;
    let mut captures: Vec<_> =
        found.families.iter().flat_map(|family| read::read_family(family).captures).collect();
    assert_eq!(captures.len(), 1, "a named file is a capture or refused");
    captures.remove(0)
}

/// The text of a file, where it is small and its compression is whole.
fn text_of(bytes: &[u8]) -> Result<Vec<u8>, ()> {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return Ok(bytes.to_vec());
    }
    let mut text = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(8 << 20).read_to_end(&mut text);
    if read.is_ok() && text.len() < 8 << 20 { Ok(text) } else { Err(()) }
}

/// Another reader of JSON takes the same texts, and counts the same events.
fn agrees_with_serde(text: &[u8], outcome: &Result<Capture, ReadError>) {
    let plain = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    match (serde_json::from_slice::<serde_json::Value>(plain), outcome) {
        (Ok(value), Ok(capture)) => {
            let events = value.as_array().or_else(|| value.get("traceEvents")?.as_array());
            let n = events.map(|events| events.len() as u64);
            let source = &capture.primary().source;
            match source.format {
                FileFormat::Kineto => assert_eq!(n, Some(source.events), "events"),
                // JAX's names of processes and threads are no events.
                _ => assert!(n >= Some(source.events), "events"),
            }
        }
        (Ok(value), Err(error)) => {
            let kind = error.kind.name();
            let is_known = match kind {
                "no_events" | "no_trace_events" | "not_a_capture" | "too_large" | "encoding" => {
                    true
                }
                // One key twice is no fault to the other reader.
                "malformed_json" => error.message.contains("twice"),
                _ => false,
            };
            assert!(is_known, "{kind} {}: {value}", error.message);
        }
        // It refuses texts that are no UTF-8, half a surrogate pair, numbers beyond a float, and `nan`.
        (Err(error), Ok(_)) => {
            let why = error.to_string();
            let is_tolerated = std::str::from_utf8(text).is_err()
                || [
                    "surrogate",
                    "escape",
                    "number out of range",
                    "unicode code point",
                    "recursion limit",
                ]
                .iter()
                .any(|known| why.contains(known))
                || ["nan", "inf"].iter().any(|word| has_word(text, word));
            assert!(is_tolerated, "taken although {why}");
        }
        (Err(_), Err(_)) => {}
    }
}

fn has_word(text: &[u8], word: &str) -> bool {
    text.to_ascii_lowercase().windows(word.len()).any(|part| part == word.as_bytes())
}

/// An XSpace in memory.
pub fn xplane(bytes: &[u8]) {
    let outcome = read::read_xplane(bytes, "host.xplane.pb");
    match (&outcome, pb::XSpace::decode(bytes)) {
        (Ok(record), Ok(space)) => {
            let n: usize = space
                .planes
                .iter()
                .flat_map(|plane| &plane.lines)
                .map(|line| line.events.len())
                .sum();
            assert!(record.source.events <= n as u64, "{} events of {n}", record.source.events);
        }
        // What another reader refuses may lie in a field that is passed over.
        (Ok(_), Err(_)) | (Err(_), _) => {}
    }
    judged(outcome.map(capture));
}

fn capture(record: Record) -> Capture {
    Capture { name: record.source.path.clone(), records: vec![record], shards: Vec::new() }
}

/// A compiled program in the place of that of a capture: the first byte picks the capture.
pub fn hlo(bytes: &[u8]) {
    let Some((&first, program)) = bytes.split_first() else { return };
    let which = usize::from(first) % PROGRAMS.len();
    let mut space = space(PROGRAMS[which]);
    for stat in programs(&mut space) {
        *stat = program.to_vec();
    }
    let outcome = read::read_xplane(&space.encode_to_vec(), "host.xplane.pb");
    judged(outcome.map(capture));
}

/// A sample as a message.
pub fn space(sample: &[u8]) -> pb::XSpace {
    pb::XSpace::decode(sample).expect("a sample")
}

/// The programs that a capture stores.
pub fn programs(space: &mut pb::XSpace) -> impl Iterator<Item = &mut Vec<u8>> {
    let planes = space.planes.iter_mut().filter(|plane| plane.name == b"/host:metadata");
    let stats =
        planes.flat_map(|plane| plane.event_metadata.values_mut()).flat_map(|name| &mut name.stats);
    stats.filter_map(|stat| match &mut stat.value {
        Some(pb::x_stat::Value::BytesValue(bytes)) => Some(bytes),
        _ => None,
    })
}

/// The bytes as a policy file that extends itself by another name.
pub fn policy(bytes: &[u8]) {
    let goldens: Vec<&str> =
        OUTPUTS.iter().filter(|output| output.golden.is_some()).map(|output| output.kind).collect();
    let vocabulary = idleproof::vocabulary(&goldens);
    let loader = |path: &str| match path {
        "missing.toml" => Err("it does not exist".to_owned()),
        _ => Ok(bytes.to_vec()),
    };
    match Policy::parse("idleproof.toml", bytes, vocabulary, &loader) {
        Ok(policy) => {
            let shown = policy.show();
            assert!(!shown.is_empty());
            if let Ok(capture) = &*READ {
                finish(
                    idleproof::evaluate_capture(capture, &policy, DAY, &Options::default()),
                    &policy,
                );
            }
        }
        Err(mistakes) => {
            assert!(!mistakes.to_string().is_empty());
            assert!(!mistakes.styled().is_empty());
        }
    }
}

/// The bytes as a golden, as what waits for a decision, and as the text and head of one that is written and read back.
pub fn golden(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text.split_at(boundary(&text, text.len() / 2));
    let rendered = |body: &str| {
        let capture = &REPORT.captures[0];
        let mut rendered = Rendered::new(&REPORT, capture, "trust", body.to_owned());
        rendered.header.source = Some(head.to_owned());
        rendered.header.info.push((head.to_owned(), body.to_owned()));
        rendered
    };
    let tolerances =
        [report::Tolerance { field: "idle_pct".to_owned(), abs: Some(1.0), rel: None }];
    let render = |_: &CaptureReport| String::new();
    let within = Within { capture: &REPORT.captures[0], tolerances: &tolerances, render };
    with_folder(|folder| {
        let folders = Folders::beside(folder);
        let one = rendered(body);
        let path = folder.join(one.file_name());
        std::fs::write(&path, bytes).expect("a file");
        for within in [None, Some(&within)] {
            if let Err(error) = golden::compare(&folders, &one, within) {
                assert!(!error.to_string().is_empty());
            }
        }
        std::fs::write(folder.join(format!("{}.new", one.file_name())), bytes).expect("a file");
        drop(golden::pending(&folders));
        drop(golden::unreferenced(&folders, std::iter::empty()));
        std::fs::remove_file(&path).expect("it was written");

        golden::write_pending(&folders, &one).expect("a folder that can be written");
        golden::accept(&folders, golden::Selection::All).expect("a golden of our own");
        let compared = golden::compare(&folders, &one, None).expect("a golden of our own");
        assert_eq!(compared.golden.state, GoldenState::Same, "{:?}", compared.golden.diff);
    });
    let golden = Golden { header: rendered(body).header, body: body.to_owned() };
    assert!(golden.to_text().ends_with('\n'));
}

/// The bytes as names and texts of a report: what is written as XML is read back, and nothing acts in any other output.
pub fn junit(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split('\u{1}').cycle();
    let mut next = || parts.next().unwrap_or_default().to_owned();
    let mut report = REPORT.clone();
    let capture = &mut report.captures[0];
    capture.name = next();
    capture.files[0].path = next();
    for check in &mut capture.checks {
        check.message = next();
    }
    for kernel in &mut capture.hot_kernels {
        kernel.name = next();
    }
    for item in &mut capture.trust_list {
        item.item = next();
    }
    let mut refused = judge::refused(next(), Vec::new(), refusal(next(), next()));
    refused.trust_list.clone_from(&report.captures[0].trust_list);
    report.captures.push(refused);
    report.skipped.push(report::SkippedFile { path: next(), reason: next() });
    every_output(&report);
}

fn refusal(message: String, path: String) -> report::ErrorReport {
    report::ErrorReport {
        kind: "truncated".to_owned(),
        message,
        help: "copy it again".to_owned(),
        path,
        line: Some(1),
        column: Some(2),
        offset: None,
    }
}

/// The bytes as a report that was written earlier.
pub fn report(bytes: &[u8]) {
    let Ok(report) = report::parse(bytes) else { return };
    let shown = ComparedSide { path: "a.json".to_owned(), policy: report.policy.clone() };
    let own = Side { shown: &shown, captures: &report.captures, folder: None };
    let other = Side { shown: &shown, captures: &REPORT.captures, folder: None };
    for (before, after) in [(own, own), (own, other), (other, own)] {
        let compared = compare_sides(before, after);
        inert(&comparison::text(&compared));
        inert(&comparison::markdown(&compared));
        assert!(serde_json::from_str::<serde_json::Value>(&comparison::json(&compared)).is_ok());
    }
    let judged = judge::with_baseline(REPORT.clone(), &report, "a.json");
    drop(judge::with_captures_gone(judged, &report, "a.json"));
    drop(judge::merge(vec![
        ("a.json".to_owned(), report.clone()),
        ("b.json".to_owned(), report.clone()),
    ]));
    every_output(&report);
}

static READ: LazyLock<Result<Capture, ReadError>> = LazyLock::new(|| {
    with_folder(|folder| {
        let path = folder.join("rank_0.pt.trace.json.gz");
        std::fs::write(&path, SAMPLE).expect("a file");
        let mut read = read_named(path);
        // The folder has another name each time.
        if let Ok(capture) = &mut read {
            capture.name = "captures/a.json.gz".to_owned();
            capture.records[0].source.path = "captures/a.json.gz".to_owned();
        }
        read
    })
});

static POLICY: LazyLock<Policy> = LazyLock::new(|| {
    Policy::preset("default", idleproof::vocabulary(&[])).expect("the default policy")
});

/// The report of a sample.
pub static REPORT: LazyLock<Report> = LazyLock::new(|| {
    let capture = READ.as_ref().expect("a sample");
    whole(idleproof::evaluate_capture(capture, &POLICY, DAY, &Options::default()), &POLICY)
});

fn whole(capture: CaptureReport, policy: &Policy) -> Report {
    judge::conclude(vec![capture], Vec::new(), Vec::new(), Vec::new(), policy, Vec::new())
}

/// Analyses and judges what was read, with everything that outputs can ask for.
fn judged(outcome: Result<Capture, ReadError>) {
    let detail = Detail { tables: true, swimlanes: true };
    let options = Options { detail, ..Options::default() };
    let report = match outcome {
        Ok(capture) => idleproof::evaluate_capture(&capture, &POLICY, DAY, &options),
        Err(error) => {
            assert!(!error.message.is_empty() && !error.help.is_empty(), "{error:?}");
            idleproof::unreadable(error)
        }
    };
    finish(report, &POLICY);
}

/// What must hold of a report, whatever it is of.
fn finish(capture: CaptureReport, policy: &Policy) {
    let internal = capture.error.as_ref().filter(|error| error.kind == "internal");
    assert!(internal.is_none(), "{internal:?}");
    let idle = &capture.claims.idle;
    for (low, high) in [idle.device_inactive_pct, idle.host_starved_pct].into_iter().flatten() {
        assert!(low <= high, "{low:?} to {high:?}");
    }
    let report = whole(capture, policy);
    assert_eq!(report.verdict == Verdict::Error, report.captures[0].outcome == Outcome::Refused);
    every_output(&report);

    let json = find("json").and_then(|output| output.text(&report)).expect("a text");
    let back =
        report::parse(json.as_bytes()).unwrap_or_else(|error| panic!("our own report: {error}"));
    let again = find("json").and_then(|output| output.text(&back)).expect("a text");
    assert_eq!(json, again, "a report that is read back is the same");
}

/// Writes every output: XML and JSON are well-formed, and nothing acts in what people read.
fn every_output(report: &Report) {
    for output in OUTPUTS {
        let files = output.files(report).unwrap_or_default();
        let texts = files
            .iter()
            .map(|file| file.text().unwrap_or_default().to_owned())
            .chain(output.text(report));
        for text in texts {
            match output.kind {
                "json" | "sarif" | "codequality" => {
                    assert!(
                        serde_json::from_str::<serde_json::Value>(&text).is_ok(),
                        "{} is no JSON",
                        output.kind
                    );
                }
                "junit" => sound_junit(&text, report),
                // XML may hold every letter that people may write.
                "html" | "swimlanes" => assert!(!text.contains(['\0', '\u{1b}'])),
                _ => inert(&text),
            }
        }
    }
    for style in [terminal::Style::Quiet, terminal::Style::Normal, terminal::Style::Verbose] {
        let text = terminal::summary(report, style);
        // Colours are our own.
        let plain = text.replace('\u{1b}', "");
        inert(&plain);
        assert!(!plain.lines().any(|line| line.trim_start().starts_with("::")), "{plain}");
    }
}

fn sound_junit(xml: &str, report: &Report) {
    let suites =
        junit_parser::from_reader(xml.as_bytes()).unwrap_or_else(|error| panic!("{error}: {xml}"));
    assert!(suites.suites.len() >= report.captures.len(), "{xml}");
    for suite in &suites.suites {
        let cases: usize = suite.cases.len();
        assert_eq!(suite.tests, cases as u64, "{xml}");
    }
}

/// The last place between two characters up to this one.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn inert(text: &str) {
    if let Some(acting) = text.chars().find(|character| ACTING.contains(character)) {
        let at = text.find(acting).unwrap_or_default();
        let from = boundary(text, at.saturating_sub(40));
        panic!("{acting:?} in {:?}", &text[from..boundary(text, at + 40)]);
    }
}

thread_local! {
    static FOLDER: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
}

/// Runs in a folder that is empty, and of this thread alone.
fn with_folder<T>(run: impl FnOnce(&std::path::Path) -> T) -> T {
    FOLDER.with_borrow_mut(|kept| {
        let folder = kept.get_or_insert_with(|| tempfile::tempdir().expect("a folder"));
        let entries = std::fs::read_dir(folder.path()).expect("a folder");
        for entry in entries.flatten() {
            drop(std::fs::remove_file(entry.path()));
        }
        run(folder.path())
    })
}
