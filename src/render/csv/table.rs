//! One table: columns with their names, rows, and the state of the claims in front, quoted as RFC 4180 has it.

use super::super::escape::table_cell;
use crate::report::{CaptureReport, Claim, ClaimState, Microseconds, Share};
use csv::{Terminator, WriterBuilder};

/// A column: its name, with the unit behind the last `_`, and its cell of a row.
pub(super) type Column<R> = (&'static str, fn(&R) -> String);

/// What every row says of the claims that its figures make: names of the two columns, state, and checks that withhold it.
pub(super) struct Standing {
    names: [&'static str; 2],
    cells: [String; 2],
}

impl Standing {
    /// Of several claims the weakest counts; one that nothing can be computed from counts only where the others are such too.
    pub(super) fn of(capture: &CaptureReport, claims: &[Claim]) -> Self {
        let held: Vec<(ClaimState, &[String])> =
            claims.iter().map(|claim| capture.claims.get(*claim)).collect();
        let order = [ClaimState::Withheld, ClaimState::Supported];
        let found = order.into_iter().find(|state| held.iter().any(|(held, _)| held == state));
        let state = found.unwrap_or(ClaimState::Undefined);
        let mut by: Vec<&str> = Vec::new();
        for id in held.iter().filter(|(held, _)| *held == state).flat_map(|(_, by)| *by) {
            if !by.contains(&id.as_str()) {
                by.push(id);
            }
        }
        let cells = [state.name().to_owned(), table_cell(&by.join(" "))];
        Self { names: ["claim", "by"], cells }
    }

    /// The same under other names, beside the first.
    pub(super) fn named(self, names: [&'static str; 2]) -> Self {
        Self { names, ..self }
    }
}

/// The text of a table.
pub(super) fn table<R>(
    standing: &[Standing],
    columns: &[Column<R>],
    rows: impl IntoIterator<Item = R>,
) -> String {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    let names = standing.iter().flat_map(|one| one.names);
    // Rows are as long as the header, and memory takes every byte: writing cannot fail.
    let _ = writer.write_record(names.chain(columns.iter().map(|(name, _)| *name)));
    for row in rows {
        let front = standing.iter().flat_map(|one| one.cells.iter().cloned());
        let _ = writer.write_record(front.chain(columns.iter().map(|(_, cell)| cell(&row))));
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// Text of a capture.
pub(super) fn text(text: &str) -> String {
    table_cell(text)
}

/// A value that may be absent: then the cell is empty.
pub(super) fn maybe<T>(value: Option<T>, cell: impl FnOnce(T) -> String) -> String {
    value.map(cell).unwrap_or_default()
}

/// Exact microseconds.
pub(super) fn time(us: Microseconds) -> String {
    us.to_string()
}

/// A part from 0 to 1; empty where there is no whole.
pub(super) fn share(part: Option<Share>) -> String {
    maybe(part, |part| part.get().to_string())
}
