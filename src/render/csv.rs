//! Tables for spreadsheets and scripts, and JAX's programs as text: a folder of files.
//!
//! Numbers are those of the JSON report. A table leads with the state of the claim that its figures make: whoever reads one sees
//! what is withheld. `docs/csv.md` describes every column.

mod table;

use super::escape::text_lines;
use super::table::{Column, Standing, TableWriter};
use super::tables::{self, Listed};
use super::{File, Folder, Form, Needs, Output};
use crate::report::{CaptureReport, ProgramText, Report, slug};
use std::collections::BTreeSet;

pub(super) static OUTPUT: Output = Output {
    kind: "csv",
    summary: "a folder of tables (kernels, operators, lines, streams, gaps) and JAX's HLO",
    form: Form::Folder(Folder { files, mark: (PATH, BEGINS) }),
    needs: Needs::Tables,
    golden: None,
};

/// The list of captures: which tables belong to the run. It is also how a folder is known that an earlier run wrote.
const PATH: &str = "captures.csv";

/// How it begins. Later versions add columns behind these.
const BEGINS: &str = "capture,folder,outcome,verdict,error";

/// The list of captures, then the tables of each: in the folder itself where there is one capture, else in a folder for each.
fn files(report: &Report) -> Vec<File> {
    let folders = folders(&report.captures);
    let listed = report.captures.iter().zip(&folders);
    let listed: Vec<Listed<'_>> =
        listed.map(|(capture, folder)| Listed { capture, folder }).collect();
    let list = Files::of(|files| tables::captures(&listed, files));
    let mut files = list.0;
    for Listed { capture, folder } in listed {
        let of_capture = Files::of(|files| tables::write(capture, files)).0;
        let of_capture = of_capture.into_iter().chain(programs(capture));
        files.extend(of_capture.map(|file| File { path: placed(folder, &file.path), ..file }));
    }
    files
}

/// Files of tables.
struct Files(Vec<File>);

impl Files {
    fn of(write: impl FnOnce(&mut Self)) -> Self {
        let mut files = Self(Vec::new());
        write(&mut files);
        files
    }
}

impl TableWriter for Files {
    fn write<R>(
        &mut self,
        name: &'static str,
        standing: &[Standing],
        columns: &[Column<R>],
        rows: impl IntoIterator<Item = R>,
    ) {
        let text = table::table(standing, columns, rows);
        self.0.push(File { path: format!("{name}.csv"), bytes: text.into_bytes() });
    }
}

/// The folder of each capture's tables; empty for the one that is alone.
fn folders(captures: &[CaptureReport]) -> Vec<String> {
    if captures.len() == 1 {
        return vec![String::new()];
    }
    let mut names = FreeNames(BTreeSet::from([PATH.to_owned()]));
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
        bytes: text_lines(lines.iter().map(String::as_str)).into_bytes(),
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
