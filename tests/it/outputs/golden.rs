//! Goldens in folders: insta reads them, accepting takes the body over, a broken one is an error.

use super::builder::{HOSTILE, incident, report};
use idleproof::golden::{
    self, Folders, Golden, GoldenError, Header, Rendered, Selection, body_text,
};
use idleproof::report::{GoldenState, Verdict};
use std::fs;
use std::path::Path;

const BODIES: &[&str] = &[
    "",
    "one line",
    "---\nsource: not a header\n---\n",
    "\n\nleading lines",
    "trailing \n\n \t\n",
    "windows\r\nlines\r\n",
    "tab\tand \u{1b}[31m and \u{202e} and é and 😀",
    "```\n| a | b |\n```",
];

const TEXTS: &[&str] = &[
    "plain",
    "a: b",
    "it's \"quoted\" \\ backslash",
    "---",
    "- item",
    "# remark",
    "true",
    "Null",
    "0x10",
    "1e5",
    "007",
    "1",
    "-1",
    " leading",
    "trailing ",
    "",
    "line\nbreak\r\ttab",
    "\u{0}\u{7}\u{1b}\u{7f}\u{85}\u{2028}\u{feff}\u{fffe}",
    "é 日本 😀",
    "{a: [1, 2]}",
    "*anchor & @name %x `y`",
    HOSTILE,
];

fn rendered(capture: &str, body: &str) -> Rendered {
    Rendered {
        capture: capture.to_owned(),
        output: "trust".to_owned(),
        header: Header { source: Some("idleproof.toml".to_owned()), ..Header::default() },
        body: body.to_owned(),
    }
}

fn accept_all(folders: &Folders, rendered: &Rendered) {
    golden::write_pending(folders, rendered).expect("a pending golden");
    golden::accept(folders, Selection::All).expect("an accepted golden");
}

fn state(folders: &Folders, rendered: &Rendered) -> GoldenState {
    golden::compare(folders, rendered, None).expect("a comparison").golden.state
}

fn insta_reads(path: &Path) -> insta::Snapshot {
    insta::Snapshot::from_file(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn insta_text(snapshot: &insta::Snapshot) -> String {
    snapshot.as_text().expect("a text snapshot").to_string()
}

#[test]
fn insta_reads_every_body() {
    let folder = tempfile::tempdir().expect("a folder");
    for body in BODIES {
        let path = folder.path().join("x.snap");
        let golden = Golden { body: (*body).to_owned(), ..Golden::default() };
        fs::write(&path, golden.to_text()).expect("a file");
        assert_eq!(insta_text(&insta_reads(&path)), body_text(body), "{body:?}");
        assert_eq!(
            state(&Folders::beside(folder.path()), &rendered("never", body)),
            GoldenState::Missing
        );
    }
}

#[test]
fn insta_reads_every_header() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.snap");
    for text in TEXTS {
        let some = || Some((*text).to_owned());
        let header = Header {
            source: some(),
            description: None,
            expression: some(),
            info: vec![
                ("schema_version".to_owned(), "1".to_owned()),
                ("own".to_owned(), (*text).to_owned()),
            ],
            input_file: some(),
        };
        fs::write(&path, Golden { header, body: "body".to_owned() }.to_text()).expect("a file");
        let snapshot = insta_reads(&path);
        // A number reads as a number: only `1` is one that we write.
        let expected = (*text != "1").then_some(*text);
        assert_eq!(snapshot.metadata().source(), expected, "{text:?}");
        assert_eq!(snapshot.metadata().expression(), expected, "{text:?}");
        assert_eq!(snapshot.metadata().input_file(), expected, "{text:?}");
        assert_eq!(insta_text(&snapshot), "body");
    }
}

#[test]
fn accepting_takes_the_pending_body_over() {
    let (goldens, pending) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let folders =
        Folders { goldens: goldens.path().join("deep/er"), pending: pending.path().join("too") };
    for body in BODIES {
        let rendered = rendered(HOSTILE, body);
        golden::write_pending(&folders, &rendered).expect("a pending golden");
        let accepted = golden::accept(&folders, Selection::All).expect("an accepted golden");
        assert_eq!(accepted.len(), 1);
        assert_eq!(insta_text(&insta_reads(&accepted[0])), body_text(body));
        assert_eq!(state(&folders, &rendered), GoldenState::Same, "{body:?}");
        assert!(golden::pending(&folders).expect("a list").is_empty());
    }
    let left: Vec<_> = fs::read_dir(&folders.goldens).expect("a folder").collect();
    assert_eq!(left.len(), 1, "only the golden is left: {left:?}");
}

#[test]
fn a_pending_file_of_insta_is_accepted_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let folders = Folders::beside(folder.path());
    let text = "---\nsource: idleproof.toml\nassertion_line: 12\nexpression: \"a: b\"\ninfo:\n  tool_version: 0.1.0\n  \
                schema_version: 1\ninput_file: x.json\n---\n\nbody\n---\n";
    fs::write(folder.path().join("x.trust.snap.new"), text).expect("a file");
    golden::accept(&folders, Selection::One("goldens/x.trust.snap")).expect("an accepted golden");
    let accepted = fs::read_to_string(folder.path().join("x.trust.snap")).expect("a golden");
    let expected = text.replace("assertion_line: 12\n", "").replace("0.1.0", "\"0.1.0\"");
    assert_eq!(accepted, expected);
}

#[test]
fn changed_missing_and_unreferenced() {
    let folder = tempfile::tempdir().expect("a folder");
    let folders = Folders::beside(folder.path());
    let first = rendered("a/b", "one\ntwo\nthree");
    assert_eq!(state(&folders, &first), GoldenState::Missing);
    accept_all(&folders, &first);

    let windows = rendered("a/b", "one\r\ntwo\r\nthree  \n\n");
    assert_eq!(state(&folders, &windows), GoldenState::Same);
    let changed = golden::compare(&folders, &rendered("a/b", "one\n2\nthree"), None);
    let changed = changed.expect("a comparison").golden;
    assert_eq!(changed.state, GoldenState::Changed);
    assert_eq!(
        changed.diff.as_deref(),
        Some("--- golden\n+++ this run\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n")
    );
    assert_eq!(state(&folders, &rendered("a+b", "one\ntwo\nthree")), GoldenState::Missing);

    accept_all(&folders, &rendered("old", "text"));
    golden::write_stub(folder.path()).expect("a stub");
    let orphans = golden::unreferenced(&folders, [("a/b", "trust")]).expect("a list");
    assert_eq!(orphans.len(), 1);
    assert_eq!(
        (orphans[0].name.as_str(), orphans[0].output.as_str(), orphans[0].is_ours),
        ("old.trust.snap", "trust", false)
    );
    // It does not say whose golden it is: somebody else's snapshot may have such a name.
    assert!(golden::prune(&orphans).expect("a list").is_empty());
    let mut named = rendered("old", "text");
    named.header.info.push(("capture".to_owned(), "old".to_owned()));
    accept_all(&folders, &named);
    let orphans = golden::unreferenced(&folders, [("a/b", "trust")]).expect("a list");
    let pruned = golden::prune(&orphans).expect("a list");
    assert_eq!(pruned, [folder.path().join("old.trust.snap")]);
    assert_eq!(state(&folders, &first), GoldenState::Same);
}

#[test]
fn one_of_several_is_accepted_or_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    let folders = Folders::beside(folder.path());
    accept_all(&folders, &rendered("b", "old"));
    for capture in ["a", "b", "c"] {
        golden::write_pending(&folders, &rendered(capture, "new")).expect("a pending golden");
    }
    let waiting = golden::pending(&folders).expect("a list");
    let seen: Vec<(&str, bool)> =
        waiting.iter().map(|waiting| (waiting.name.as_str(), waiting.is_new)).collect();
    assert_eq!(seen, [("a.trust.snap", true), ("b.trust.snap", false), ("c.trust.snap", true)]);
    assert!(waiting[1].diff.contains("-old\n+new\n"), "{}", waiting[1].diff);

    golden::accept(&folders, Selection::One("b.trust.snap.new")).expect("an accepted golden");
    golden::reject(&folders, Selection::One("a.trust.snap")).expect("a rejected golden");
    let wrong = golden::accept(&folders, Selection::One("a.trust.snap"));
    assert!(matches!(wrong, Err(GoldenError::NotPending { .. })), "{wrong:?}");
    assert_eq!(state(&folders, &rendered("b", "new")), GoldenState::Same);
    assert_eq!(state(&folders, &rendered("a", "new")), GoldenState::Missing);
    assert_eq!(golden::reject(&folders, Selection::All).expect("a list").len(), 1);
}

#[test]
fn a_broken_golden_is_an_error_and_never_new() {
    let folder = tempfile::tempdir().expect("a folder");
    let folders = Folders::beside(folder.path());
    let path = folder.path().join("a.trust.snap");
    for (bytes, line) in [
        (&b"no header\n"[..], 1),
        (b"---\nsource: x\n<<<<<<< ours\n---\nbody\n", 3),
        (b"---\nsource: x\n---\nbo\xffdy\n", 4),
        (b"", 1),
    ] {
        fs::write(&path, bytes).expect("a file");
        let error = golden::compare(&folders, &rendered("a", "body"), None).expect_err("no golden");
        let place = format!("a.trust.snap:{line}: ");
        assert!(error.to_string().contains(&place), "{error}");
    }
    // A folder in the place of a golden is no missing golden either.
    fs::remove_file(&path).expect("a file");
    fs::create_dir(&path).expect("a folder");
    let error = golden::compare(&folders, &rendered("a", "body"), None).expect_err("no golden");
    assert!(matches!(error, GoldenError::Io { .. }), "{error}");
}

#[test]
fn a_broken_pending_file_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let folders = Folders::beside(folder.path());
    accept_all(&folders, &rendered("a", "old"));
    fs::write(folder.path().join("a.trust.snap.new"), "no header").expect("a file");
    golden::accept(&folders, Selection::All).expect_err("no golden");
    assert_eq!(state(&folders, &rendered("a", "old")), GoldenState::Same);
}

#[test]
fn the_stub_never_overwrites() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(golden::write_stub(folder.path()).expect("a stub").len(), 3);
    fs::write(folder.path().join("Cargo.toml"), "mine").expect("a file");
    fs::remove_file(folder.path().join("lib.rs")).expect("a file");
    let written = golden::write_stub(folder.path()).expect("a stub");
    assert_eq!(written, [folder.path().join("lib.rs")]);
    assert_eq!(fs::read_to_string(folder.path().join("Cargo.toml")).expect("a file"), "mine");
}

#[test]
fn a_header_names_what_the_text_was_made_from() {
    let capture = incident();
    let report = report(Verdict::Fail, vec![capture.clone()]);
    let rendered = Rendered::new(&report, &capture, "trust", "body".to_owned());
    assert_eq!(rendered.file_name(), "captures+decode+rank_0.trust.snap");
    let text = Golden { header: rendered.header, body: rendered.body }.to_text();
    let digest = "ab".repeat(32);
    assert_eq!(
        text,
        format!(
            "---\nsource: idleproof.toml\nexpression: idleproof report captures/decode/rank_0.pt.trace.json.gz --report \
             trust=-\ninfo:\n  capture: captures/decode/rank_0\n  schema_version: 1\n  tool_version: \"0.0.0\"\n  \
             sha256: {digest}\ninput_file: captures/decode/rank_0.pt.trace.json.gz\n---\nbody\n"
        )
    );
}
