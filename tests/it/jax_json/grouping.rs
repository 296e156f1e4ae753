//! Which files are records of one run.

use super::export::{document, gzip, rows};
use crate::xplane::samples;
use crate::xspace as fixture;
use idleproof::read::{FamilyRead, find, read_family};
use std::fmt::Write as _;
use std::path::PathBuf;

/// What the named entries of a folder of files turned out to be, one line each; no name means the folder itself.
fn summary(files: &[(&str, &[u8])], named: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let paths: Vec<PathBuf> = named.iter().map(|name| folder.path().join(name)).collect();
    let found = find(&paths).unwrap();
    let mut all = FamilyRead { skipped: found.skipped, ..FamilyRead::default() };
    for family in &found.families {
        let read = read_family(family);
        all.captures.extend(read.captures);
        all.skipped.extend(read.skipped);
    }
    let mut text = String::new();
    for capture in &all.captures {
        let _ = match capture {
            Ok(capture) => {
                let formats: Vec<_> =
                    capture.records.iter().map(|record| record.source.format.name()).collect();
                writeln!(text, "{}: {}", capture.name, formats.join(" + "))
            }
            Err(error) => writeln!(text, "refused {}: {}", error.path, error.kind.name()),
        };
    }
    for skipped in &all.skipped {
        let _ = writeln!(text, "skipped {}: {}", skipped.path, skipped.reason);
    }
    text.replace(&(folder.path().to_string_lossy().into_owned() + "/"), "")
}

fn xplane() -> Vec<u8> {
    samples::graph_replays(3, 3).bytes()
}

fn json() -> Vec<u8> {
    gzip(document(&rows(&samples::graph_replays(3, 3))).as_bytes())
}

const KINETO: &[u8] =
    br#"[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":5,"args":{"device":0,"stream":7}}]"#;

#[test]
fn a_run_is_one_capture_with_two_records() {
    let (xplane, json) = (&*xplane(), &*json());
    for (files, expected) in [
        (
            vec![("a.xplane.pb", xplane), ("a.trace.json.gz", json)],
            "a.xplane.pb: xplane + jax-json\n",
        ),
        (
            vec![("a.xplane.pb", xplane), ("b.xplane.pb", xplane), ("b.trace.json.gz", json)],
            "a.xplane.pb: xplane\nb.xplane.pb: xplane + jax-json\n",
        ),
        (vec![("a.trace.json.gz", json)], "a.trace.json.gz: jax-json\n"),
        (
            vec![("x/a.xplane.pb", xplane), ("y/a.trace.json.gz", json)],
            "x/a.xplane.pb: xplane\ny/a.trace.json.gz: jax-json\n",
        ),
        (
            vec![("a.xplane.pb", xplane), ("a.trace.json", KINETO)],
            "a.trace.json: kineto\na.xplane.pb: xplane\n",
        ),
    ] {
        assert_eq!(summary(&files, &[""]), expected);
    }
}

#[test]
fn the_copy_for_perfetto_is_skipped_beside_its_run() {
    let (xplane, json) = (&*xplane(), &*json());
    let copy = ("perfetto_trace.json.gz", json);
    assert_eq!(
        summary(&[("a.xplane.pb", xplane), ("a.trace.json.gz", json), copy], &[""]),
        "a.xplane.pb: xplane + jax-json\n\
         skipped perfetto_trace.json.gz: copy of JAX's JSON for Perfetto's viewer\n"
    );
    // Damage of a copy costs nothing, and a copy that is all there is counts.
    assert_eq!(
        summary(&[("a.xplane.pb", xplane), (copy.0, &json[..50])], &[""]),
        "a.xplane.pb: xplane\n\
         skipped perfetto_trace.json.gz: copy of JAX's JSON for Perfetto's viewer\n"
    );
    assert_eq!(summary(&[copy], &[""]), "perfetto_trace.json.gz: jax-json\n");
    assert_eq!(
        summary(&[("a.xplane.pb", xplane), copy], &[copy.0]),
        "perfetto_trace.json.gz: jax-json\n"
    );
}

#[test]
fn naming_one_of_two_gives_one_and_naming_both_gives_the_run() {
    let (xplane, json) = (&*xplane(), &*json());
    let files = [("r/a.xplane.pb", xplane), ("r/a.trace.json.gz", json)];
    let both = "r/a.xplane.pb: xplane + jax-json\n";
    for (named, expected) in [
        (&["r/a.xplane.pb"][..], "r/a.xplane.pb: xplane\n"),
        (&["r/a.trace.json.gz"], "r/a.trace.json.gz: jax-json\n"),
        (&["r/a.trace.json.gz", "r/a.xplane.pb"], both),
        (&["r/../r/a.xplane.pb", "r/a.trace.json.gz"], "r/../r/a.xplane.pb: xplane + jax-json\n"),
        (&["r", "r/a.xplane.pb"], both),
        (&["r/a.trace.json.gz", "r"], both),
        (&["r/a.xplane.pb", "", "r/a.xplane.pb"], both),
    ] {
        assert_eq!(summary(&files, named), expected, "{named:?}");
    }
}

#[test]
fn a_run_whose_one_file_is_refused_is_refused() {
    let (xplane, json) = (&*xplane(), &*json());
    for (files, expected) in [
        (
            [("a.xplane.pb", xplane), ("a.trace.json.gz", &json[..100])],
            "refused a.trace.json.gz: truncated\n",
        ),
        (
            [("a.xplane.pb", &xplane[..100]), ("a.trace.json.gz", json)],
            "refused a.xplane.pb: truncated\n",
        ),
        ([("a.xplane.pb", b""), ("a.trace.json.gz", &json[..100])], "refused a.xplane.pb: empty\n"),
    ] {
        assert_eq!(summary(&files, &[""]), expected);
        assert_eq!(summary(&files, &[files[0].0, files[1].0]), expected);
    }
}

#[test]
fn a_host_without_devices_is_a_run_too() {
    let space = fixture::space(vec![fixture::host(vec![fixture::line(
        7,
        "python",
        vec![fixture::event("main", 1, 5)],
    )])]);
    let (xplane, json) = (space.bytes(), gzip(document(&rows(&space)).as_bytes()));
    let files = [("a.xplane.pb", &*xplane), ("a.trace.json.gz", &*json)];
    assert_eq!(summary(&files, &[""]), "a.xplane.pb: xplane + jax-json\n");
}
