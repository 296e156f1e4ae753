//! The page in a real browser: no error, no request, tables that sort, a drawing that zooms by keyboard, both themes, a narrow window.
//!
//! Chromium and node are used where they are installed (`IDLEPROOF_BROWSER` names a browser); the test says when it did without.
//! Screenshots stay in `target/browser`, for whoever wants to look.

use super::html::{alone, hostile, sample, synthetic, text};
use crate::harness::{in_crate, say};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the script saw of a page.
#[derive(Debug, Deserialize)]
struct Seen {
    page: String,
    errors: Vec<String>,
    requests: Vec<String>,
    light: String,
    dark: String,
    /// By width of the window, and on paper: how much wider the page is.
    overflow: BTreeMap<String, i64>,
    /// `aria-sort` and the cells of the column, after one click and after two.
    sorted: Vec<(String, String)>,
    filtered: Option<bool>,
    foreign: Vec<String>,
    scripts: u64,
    lanes: u64,
    bars: u64,
    hacked: bool,
    /// The part of the plot that is shown: at first, nearer, later, and after the reset.
    zoom: Vec<Option<String>>,
}

#[test]
fn a_browser_shows_the_pages() {
    let Some(browser) = browser() else {
        say(
            "the page was not opened in a browser: none is installed (IDLEPROOF_BROWSER names one)",
        );
        return;
    };
    if Command::new("node").arg("--version").output().is_err() {
        say("the page was not opened in a browser: node is not installed");
        return;
    }
    let folder = in_crate("target/browser");
    std::fs::create_dir_all(&folder).expect("a folder");
    let reports = [
        ("healthy", alone(sample("healthy"))),
        ("incident", alone(sample("incident"))),
        ("many-kernels", alone(synthetic(50_000, 8, 4))),
        ("many-lanes", alone(synthetic(2_000, 1, 200))),
        ("hostile", hostile()),
    ];
    let mut pages = Vec::new();
    for (name, report) in reports {
        let path = folder.join(format!("{name}.html"));
        std::fs::write(&path, text("html", &report)).expect("a file");
        pages.push(path);
    }
    let seen = look(&browser, &folder, &pages);
    assert_eq!(seen.len(), pages.len());
    for seen in seen {
        check(&seen);
    }
}

fn check(seen: &Seen) {
    let page = &seen.page;
    assert!(seen.errors.is_empty(), "{page}: {:?}", seen.errors);
    assert!(seen.requests.is_empty(), "{page} asks for {:?}", seen.requests);
    assert_ne!(seen.light, seen.dark, "{page}: both themes look alike");
    assert!(seen.overflow.values().all(|width| *width <= 1), "{page}: {:?}", seen.overflow);
    assert!(seen.foreign.is_empty(), "{page} has {:?}", seen.foreign);
    assert_eq!(seen.scripts, 1, "{page}");
    assert!(!seen.hacked, "{page}: a name was run");
    let [once, twice] = seen.sorted.as_slice() else { panic!("{page}: no table sorts") };
    assert_eq!((once.0.as_str(), twice.0.as_str()), ("descending", "ascending"), "{page}");
    let counts = |cells: &str| -> Option<Vec<u64>> {
        cells.split('|').map(|cell| cell.replace(',', "").parse().ok()).collect()
    };
    if let (Some(once), Some(twice)) = (counts(&once.1), counts(&twice.1)) {
        assert!(
            once.is_sorted_by(|a, b| a >= b) && twice.is_sorted(),
            "{page}: {once:?} {twice:?}"
        );
    }
    assert_ne!(seen.filtered, Some(false), "{page}: a table does not filter");
    assert!(seen.lanes > 0 && seen.bars > 0, "{page}: nothing is drawn");
    let [first, nearer, later, reset] = seen.zoom.as_slice() else {
        panic!("{page}: {:?}", seen.zoom)
    };
    assert!(first != nearer && nearer != later, "{page} does not zoom: {:?}", seen.zoom);
    assert_eq!(first, reset, "{page}");
}

fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("IDLEPROOF_BROWSER") {
        return Some(PathBuf::from(named));
    }
    let folders: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let places = names.iter().flat_map(|name| folders.iter().map(move |one| one.join(name)));
    places.into_iter().find(|path| path.is_file())
}

fn look(browser: &Path, folder: &Path, pages: &[PathBuf]) -> Vec<Seen> {
    let script = in_crate("tests/browser/page.mjs");
    let output = Command::new("node").arg(script).arg(browser).arg(folder).args(pages).output();
    let output = output.expect("node runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).expect("what a page shows")).collect()
}
