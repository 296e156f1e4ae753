//! What a reader of the source may rely on, as tests.

use crate::check_cases;
use crate::harness::{assert_no_mismatch, in_crate};
use crate::layers::rust_files;
use idleproof::checks::CHECKS;
use std::path::{Path, PathBuf};

/// The longest file that one reads at a sitting.
const LINES_MAX: usize = 600;
/// Written by a generator, from the schema in `proto/`.
const GENERATED: [&str; 2] = ["src/read/xplane/hlo_pb.rs", "tests/it/xplane_pb.rs"];
/// Checks without a violating case: of our own arithmetic, which no capture can violate, and of a file of a million events.
const CANNOT_BE_VIOLATED: [&str; 2] = ["open-stream-budget", "export-cap-reached"];
/// Folders with source, configuration or prose of the project.
const TEXT_FOLDERS: [&str; 6] = ["src", "tests", "docs", "policies", ".github", ".ci"];

fn source_files() -> Vec<(String, String)> {
    let folders = ["src", "tests", "benches"];
    let files = folders.iter().flat_map(|folder| rust_files(&in_crate(folder)));
    files.map(|path| (shown(&path), std::fs::read_to_string(&path).unwrap_or_default())).collect()
}

fn shown(path: &Path) -> String {
    let inside = path.strip_prefix(in_crate("")).unwrap_or(path);
    inside.to_string_lossy().replace('\\', "/")
}

#[test]
fn every_file_says_its_purpose() {
    let silent = source_files().into_iter().filter(|(_, text)| !text.starts_with("//! "));
    assert_no_mismatch(&silent.map(|(path, _)| path).collect::<Vec<_>>());
}

#[test]
fn files_are_short() {
    let long = source_files().into_iter().filter(|(path, text)| {
        text.lines().count() > LINES_MAX && !GENERATED.contains(&path.as_str())
    });
    assert_no_mismatch(&long.map(|(path, _)| path).collect::<Vec<_>>());
}

#[test]
fn nothing_is_silenced_or_unfinished() {
    // Put together from parts, so that this file does not find itself.
    let words = [
        concat!("#[all", "ow"),
        concat!("#![all", "ow"),
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("unimplement", "ed!"),
        concat!("to", "do!("),
    ];
    let mut found = Vec::new();
    for (path, text) in source_files() {
        let generated = GENERATED.contains(&path.as_str());
        for (index, line) in text.lines().enumerate().filter(|_| !generated) {
            let hit = words.iter().find(|word| line.contains(*word));
            found.extend(hit.map(|word| format!("{path}:{}: {word}", index + 1)));
        }
    }
    assert_no_mismatch(&found);
}

#[test]
fn every_check_has_its_file_and_its_cases() {
    let mut missing = Vec::new();
    for check in CHECKS {
        let source = format!("src/checks/{}.rs", check.id.replace('-', "_"));
        if !in_crate(&source).is_file() {
            missing.push(format!("{source} is missing"));
        }
        let cases = format!("tests/checks/{}.txt", check.id);
        let text = std::fs::read_to_string(in_crate(&cases)).unwrap_or_default();
        let cases_of_check = check_cases::parse(&text).unwrap_or_default();
        for situation in ["violated", "healthy"] {
            let needed = situation == "healthy" || !CANNOT_BE_VIOLATED.contains(&check.id);
            if needed && !cases_of_check.iter().any(|case| case.situation == situation) {
                missing.push(format!("{cases} has no case `{situation}`"));
            }
        }
    }
    for file in check_cases::case_files() {
        let id = check_cases::check_of(&file);
        if idleproof::checks::find(&id).is_none() {
            missing.push(format!("tests/checks/{id}.txt: there is no check `{id}`"));
        }
    }
    assert_no_mismatch(&missing);
}

#[test]
fn the_changelog_has_a_place_for_what_comes_next() {
    let text = std::fs::read_to_string(in_crate("CHANGELOG.md")).unwrap_or_default();
    assert!(text.contains("\n## [Unreleased]\n"), "CHANGELOG.md has no section `## [Unreleased]`");
}

#[test]
fn no_path_of_a_machine_is_written_down() {
    let home = [
        concat!("/ho", "me/"),
        concat!("/ro", "ot/"),
        concat!("/wo", "rk/"),
        concat!("/Use", "rs/"),
    ];
    let mut found = Vec::new();
    for path in text_files() {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            let hit = home.iter().find(|folder| line.contains(*folder));
            found.extend(hit.map(|folder| format!("{}:{}: {folder}", shown(&path), index + 1)));
        }
    }
    assert_no_mismatch(&found);
}

/// Files of prose, source and configuration; captures are data.
fn text_files() -> Vec<PathBuf> {
    let top = std::fs::read_dir(in_crate("")).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        top.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    for folder in TEXT_FOLDERS {
        collect(&in_crate(folder), &mut files);
    }
    files.retain(|path| !path.ends_with("Cargo.lock") && !path.ends_with(".git"));
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
