//! Tables as files: where they go, what they may hold, and what marks a figure that is withheld.

use super::builder::{everything, healthy, incident, refused, report};
use super::jax::jax;
use crate::harness::in_crate;
use idleproof::render::{self, File};
use idleproof::report::{CaptureReport, Claim, ClaimState, Verdict};
use std::collections::BTreeSet;

fn files(captures: Vec<CaptureReport>) -> Vec<File> {
    let report = report(Verdict::Pass, captures);
    render::find("csv").and_then(|output| output.files(&report)).expect("a folder")
}

fn file(files: &[File], path: &str) -> String {
    let found = files.iter().find(|file| file.path == path);
    found.unwrap_or_else(|| panic!("no {path}")).text().unwrap_or_default().to_owned()
}

/// The records of a table, header included.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let records = reader.records().map(|record| record.expect("a record"));
    records.map(|record| record.iter().map(str::to_owned).collect()).collect()
}

const TABLES: [&str; 8] = [
    "kernels.csv",
    "ops.csv",
    "lines.csv",
    "how.csv",
    "streams.csv",
    "idle.csv",
    "gaps.csv",
    "roofline.csv",
];

#[test]
fn one_capture_has_the_folder_to_itself_and_several_have_one_each() {
    let paths =
        |captures| -> Vec<String> { files(captures).into_iter().map(|file| file.path).collect() };
    let alone = paths(vec![healthy()]);
    assert_eq!(alone[0], "captures.csv");
    assert_eq!(alone[1..], TABLES);
    let two = paths(vec![healthy(), refused()]);
    let of = |folder: &str| TABLES.map(|table| format!("{folder}/{table}"));
    assert_eq!(two[1..9], of("captures+decode+rank_1"));
    assert_eq!(two[9..], of("captures+cut"));
    assert_eq!(paths(Vec::new()), ["captures.csv"]);
}

#[test]
fn no_name_leaves_the_folder_or_meets_another() {
    let named = |name: &str| CaptureReport { name: name.to_owned(), ..jax() };
    let hostile =
        ["../../etc", "/etc", "..", ".", "", "captures.csv", "a", "a", "A", "a.2", "C:\\x", "a\0b"];
    let made = files(hostile.map(named).into());
    let mut paths = BTreeSet::new();
    for File { path, .. } in &made {
        let safe = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.+,=/".contains(&byte)
        };
        assert!(path.bytes().all(safe), "{path:?}");
        assert!(path.split('/').all(|part| !part.is_empty() && !part.starts_with('.')), "{path:?}");
        assert!(paths.insert(path.as_str()), "{path} twice");
    }
    // The list says which folder is whose.
    let list = records(&file(&made, "captures.csv"));
    assert_eq!(list.len(), 1 + hostile.len());
    for (row, name) in list[1..].iter().zip(hostile) {
        // One `'` in front is none of the name.
        let folder = row[1].strip_prefix('\'').unwrap_or(&row[1]);
        assert!(paths.contains(format!("{folder}/ops.csv").as_str()), "{name:?}: {row:?}");
    }
}

#[test]
fn programs_are_texts_that_nothing_acts_in() {
    let made = files(vec![jax()]);
    let paths = made.iter().filter(|file| file.path.starts_with("hlo/"));
    let paths: Vec<&str> = paths.map(|file| file.path.as_str()).collect();
    assert_eq!(
        paths,
        ["hlo/jit_step.9.txt", "hlo/jit_step.9.2.txt", "hlo/=2e.+..+etc+=1b=5b31m.5.txt"]
    );
    assert_eq!(file(&made, "hlo/jit_step.9.txt"), "HloModule jit_step (id 9)\n\nENTRY main {\n}\n");
    assert!(!made[made.len() - 1].text().unwrap().contains('\u{1b}'));
}

/// RFC 4180: every record ends in CRLF and has as many fields as the header, and quotes are doubled.
#[test]
fn tables_are_csv_by_the_book() {
    let all = files(everything().captures);
    for file in all.iter().filter(|file| file.path.ends_with(".csv")) {
        let (path, text) = (&file.path, file.text().unwrap());
        assert!(text.ends_with("\r\n"), "{path}");
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{path}");
        let records = records(text);
        assert!(records.iter().all(|record| record.len() == records[0].len()), "{path}");
        // No cell spans lines: a script that reads line by line is right, too.
        assert_eq!(text.lines().count(), records.len(), "{path}");
    }
    let kernels = file(&files(vec![healthy()]), "kernels.csv");
    assert!(kernels.contains("\"'@k, \"\"quoted\"\"\""), "{kernels}");
}

#[test]
fn no_cell_is_a_formula() {
    for file in files(everything().captures) {
        let (path, text) = (&file.path, file.text().unwrap());
        for cell in records(text).iter().flatten() {
            let number = cell.parse::<f64>().is_ok();
            assert!(
                number || !cell.starts_with(['=', '+', '-', '@', '\t', '\r']),
                "{path}: {cell:?}"
            );
        }
    }
}

#[test]
fn numbers_are_those_of_the_report_and_exact() {
    let made = files(vec![healthy()]);
    let kernels = records(&file(&made, "kernels.csv"));
    let column = |name: &str| kernels[0].iter().position(|one| one == name).expect("a column");
    assert_eq!(kernels[1][column("time_us")], "22222.000001");
    assert_eq!(kernels[1][column("share")], "0.35");
    assert_eq!(kernels[1][column("records")], "1200");
    assert_eq!(kernels[2][column("op")], "");
}

/// What is withheld leads every row that makes the claim; the numbers stay those of the records.
#[test]
fn a_withheld_claim_is_marked_in_every_row() {
    const BY: &str = "under-recorded-graph-replays";
    let made = files(vec![incident()]);
    for (table, claim) in [
        ("ops.csv", Claim::OpAttribution),
        ("how.csv", Claim::OpAttribution),
        ("streams.csv", Claim::Idle),
        ("idle.csv", Claim::Idle),
        ("gaps.csv", Claim::Idle),
        ("lines.csv", Claim::SourceLine),
        // The ranking is withheld although kernel time is not.
        ("kernels.csv", Claim::Ranking),
    ] {
        assert_eq!(incident().claims.get(claim).0, ClaimState::Withheld);
        let rows = records(&file(&made, table));
        assert_eq!(rows[0][..2], ["claim", "by"], "{table}");
        assert!(rows.len() > 1, "{table} has rows");
        for row in &rows[1..] {
            assert_eq!(row[0], "withheld", "{table}");
            assert!(row[1].split(' ').any(|id| id == BY), "{table}: {row:?}");
        }
    }
    for table in TABLES {
        let rows = records(&file(&files(vec![healthy()]), table));
        assert!(rows[1..].iter().all(|row| row[..2] == ["supported", ""]), "{table}: {rows:?}");
    }
}

#[test]
fn attribution_has_a_claim_of_its_own_beside_the_time_of_kernels() {
    let mut capture = healthy();
    capture.claims.op_attribution.state = ClaimState::Withheld;
    capture.claims.op_attribution.by = vec!["low-op-attribution".to_owned()];
    let rows = records(&file(&files(vec![capture]), "kernels.csv"));
    assert_eq!(rows[0][..4], ["claim", "by", "attribution_claim", "attribution_by"]);
    assert_eq!(rows[1][..4], ["supported", "", "withheld", "low-op-attribution"]);
}

#[test]
fn kernels_without_a_class_stand_by_reason_and_add_up() {
    let rows = records(&file(&files(vec![jax()]), "how.csv"));
    let shown: Vec<String> = rows[1..].iter().map(|row| row[2..6].join(" / ")).collect();
    assert_eq!(
        shown,
        [
            "exact /  / 40 / 30000",
            "name /  / 10 / 5000",
            "order /  / 10 / 5000",
            "none / no record tells the program / 3 / 9000",
            "none / no open instruction can have launched it / 1 / 1000",
        ]
    );
}

#[test]
fn a_refused_capture_has_tables_without_rows() {
    let made = files(vec![refused()]);
    for table in TABLES {
        assert_eq!(records(&file(&made, table)).len(), 1, "{table}");
    }
    let list = records(&file(&made, "captures.csv"));
    assert_eq!(list[1], ["captures/cut", ".", "refused", "error", "the file ends inside an event"]);
}

/// The page describes every table, and of each all columns in their order.
#[test]
fn the_page_of_tables_has_every_column() {
    let page = std::fs::read_to_string(in_crate("docs/csv.md")).expect("docs/csv.md");
    let page = page.replace("\r\n", "\n");
    for file in files(vec![healthy()]) {
        let (path, text) = (file.path.as_str(), file.text().unwrap());
        let section = page.split(&format!("\n## {path}\n")).nth(1);
        let section = section.unwrap_or_else(|| panic!("docs/csv.md has no section {path}"));
        let section = section.split("\n## ").next().unwrap_or_default();
        let rows = section.lines().filter(|line| line.starts_with("| `"));
        let cells = rows.filter_map(|line| line.split(" | ").next());
        let described = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
        let front = ["claim", "by"].into_iter().filter(|_| path != "captures.csv");
        let described: Vec<&str> = front.chain(described).collect();
        assert_eq!(records(text)[0], described, "{path}");
    }
}
