//! Tables for spreadsheets and scripts, and JAX's programs as text: a folder of files.
//!
//! Numbers are those of the JSON report. A table leads with the state of the claim that its figures make: whoever reads one sees
//! what is withheld. `docs/csv.md` describes every column.

mod captures;
mod table;
mod tables;

use self::captures::Listed;
use super::escape::text_lines;
use super::{File, Folder, Form, Needs, Output};
use crate::report::{CaptureReport, ProgramText, Report, slug};
use std::collections::BTreeSet;

pub(super) static OUTPUT: Output = Output {
    kind: "csv",
    summary: "a folder of tables (kernels, operators, lines, streams, gaps) and JAX's HLO",
    form: Form::Folder(Folder { files, mark: (captures::PATH, captures::BEGINS) }),
    needs: Needs::Tables,
    golden: None,
};

/// The list of captures, then the tables of each: in the folder itself where there is one capture, else in a folder for each.
fn files(report: &Report) -> Vec<File> {
    let folders = folders(&report.captures);
    let listed: Vec<Listed<'_>> =
        report.captures.iter().zip(folders.iter().map(String::as_str)).collect();
    let mut files = vec![captures::file(&listed)];
    for (capture, folder) in listed {
        let of_capture = tables::files(capture).into_iter().chain(programs(capture));
        files.extend(of_capture.map(|file| File { path: placed(folder, &file.path), ..file }));
    }
    files
}

/// The folder of each capture's tables; empty for the one that is alone.
fn folders(captures: &[CaptureReport]) -> Vec<String> {
    if captures.len() == 1 {
        return vec![String::new()];
    }
    let mut names = FreeNames(BTreeSet::from([captures::PATH.to_owned()]));
    captures.iter().map(|capture| names.take(&slug(&capture.name))).collect()
}

fn placed(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

/// The HLO of each program.
fn programs(capture: &CaptureReport) -> Vec<File> {
    let mut names = FreeNames::default();
    let programs = capture.tables.iter().flat_map(|tables| &tables.programs);
    let file = |ProgramText { id, name, lines }: &ProgramText| File {
        path: format!("hlo/{}.txt", names.take(&format!("{}.{id}", slug(name)))),
        text: text_lines(lines.iter().map(String::as_str)),
    };
    programs.map(file).collect()
}

/// Names of one folder: no two are the same. Different names have different slugs, but a capture may hold two programs of one name
/// and id.
#[derive(Default)]
struct FreeNames(BTreeSet<String>);

impl FreeNames {
    /// The name, or with a number behind it where it is taken.
    fn take(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        let mut number = 2_u64;
        while !self.0.insert(free.clone()) {
            free = format!("{name}.{number}");
            number += 1;
        }
        free
    }
}
