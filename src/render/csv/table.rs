//! One table, quoted as RFC 4180 has it.

use super::super::escape::table_cell;
use super::super::table::{CellOf, Column, Standing};
use crate::report::Microseconds;
use csv::{Terminator, WriterBuilder};

/// The text of a table.
pub(super) fn table<R>(
    standing: &[Standing],
    columns: &[Column<R>],
    rows: impl IntoIterator<Item = R>,
) -> String {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    let names = standing.iter().flat_map(|one| one.names);
    // Rows are as long as the header, and memory takes every byte: writing cannot fail.
    let _ = writer.write_record(names.chain(columns.iter().map(|column| column.name)));
    for row in rows {
        let front = standing.iter().flat_map(|one| one.cells.iter().map(|cell| table_cell(cell)));
        let _ = writer.write_record(front.chain(columns.iter().map(|one| cell(one, &row))));
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// A cell; one without a value is empty.
fn cell<R>(column: &Column<R>, row: &R) -> String {
    let text = match column.cell {
        CellOf::Text(of) => of(row).map(table_cell),
        CellOf::Count(of) => of(row).map(|count| count.to_string()),
        CellOf::Number(of) => of(row).map(|number| number.to_string()),
        CellOf::Time(of) => of(row).as_ref().map(Microseconds::to_string),
        CellOf::Flag(of) => of(row).then(|| "yes".to_owned()),
    };
    text.unwrap_or_default()
}
