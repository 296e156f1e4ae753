//! The tables of a run as Parquet: a folder with one file a table, for engines that query many runs at once.
//!
//! The rows are those of `csv`, of all captures together, with the capture in the first column. Names are as the capture has them, not
//! escaped; times are decimals and as exact as the records. `docs/parquet.md` has queries.

mod column;
mod file;

use self::column::{Values, named};
use super::table::{Column, Standing, TableWriter};
use super::tables::{self, Listed};
use super::{File, Folder, Form, Needs, Output};
use crate::report::Report;

pub(super) static OUTPUT: Output = Output {
    kind: "parquet",
    summary: "a folder of the same tables over all captures, as Parquet, for DuckDB, Spark or Ray",
    form: Form::Folder(Folder { files, mark: (MARK, BEGINS) }),
    needs: Needs::Tables,
    golden: None,
};

/// By this a folder is known that an earlier run wrote: Parquet itself begins alike whoever writes it.
const MARK: &str = "idleproof.txt";

/// How it begins in every version.
const BEGINS: &str = "Tables of idleproof as Parquet.";

/// The mark, the list of captures, then each table.
fn files(report: &Report) -> Vec<File> {
    let mut tables = Tables::default();
    let listed = |capture| Listed { capture, folder: "" };
    let listed: Vec<Listed<'_>> = report.captures.iter().map(listed).collect();
    tables::captures(&listed, &mut tables);
    for Listed { capture, .. } in listed {
        tables.capture = Some(capture.name.clone());
        tables::write(capture, &mut tables);
    }
    let mark = format!("{BEGINS} The first column names the capture.\n");
    let mark = File { path: MARK.to_owned(), bytes: mark.into_bytes() };
    let written = tables.tables.into_iter().map(|(name, columns)| File {
        path: format!("{name}.parquet"),
        bytes: file::bytes(&columns),
    });
    std::iter::once(mark).chain(written).collect()
}

/// Tables by name, in the order in which they were first written.
#[derive(Default)]
struct Tables {
    tables: Vec<(&'static str, Vec<(&'static str, Values)>)>,
    /// Whose rows are written; absent for the list of captures, which names them itself.
    capture: Option<String>,
}

impl TableWriter for Tables {
    fn write<R>(
        &mut self,
        name: &'static str,
        standing: &[Standing],
        columns: &[Column<R>],
        rows: impl IntoIterator<Item = R>,
    ) {
        let at = self.tables.iter().position(|(known, _)| *known == name);
        let at = at.unwrap_or_else(|| {
            let in_front = self.capture.iter().map(|_| "capture");
            let in_front = in_front.chain(standing.iter().flat_map(|one| one.names));
            let in_front = in_front.map(|name| (name, Values::of_text()));
            self.tables.push((name, in_front.chain(columns.iter().map(named)).collect()));
            self.tables.len() - 1
        });
        let values = &mut self.tables[at].1;
        let in_front: Vec<&str> = self
            .capture
            .iter()
            .map(String::as_str)
            .chain(standing.iter().flat_map(|one| one.cells.iter().map(String::as_str)))
            .collect();
        for row in rows {
            let mut into = values.iter_mut().map(|(_, values)| values);
            for (text, values) in in_front.iter().zip(into.by_ref()) {
                values.push_text(Some(text));
            }
            for (column, values) in columns.iter().zip(into) {
                values.push(&column.cell, &row);
            }
        }
    }
}
