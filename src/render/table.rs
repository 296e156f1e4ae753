//! A table of rows, whatever it is written as: columns with their kinds, and the state of the claims in front.

use crate::report::{CaptureReport, Claim, ClaimState, Microseconds, Share};

/// A column: its name, with the unit behind the last `_`, and its cell of a row. A cell without a value is unknown or does not apply.
pub(super) struct Column<R> {
    pub(super) name: &'static str,
    pub(super) cell: CellOf<R>,
}

/// The cell of a row, by what it holds.
pub(super) enum CellOf<R> {
    Text(fn(&R) -> Option<&str>),
    Count(fn(&R) -> Option<u64>),
    Number(fn(&R) -> Option<f64>),
    Time(fn(&R) -> Option<Microseconds>),
    Flag(fn(&R) -> bool),
}

impl<R> Column<R> {
    /// Text of a capture, not escaped.
    pub(super) const fn text(name: &'static str, cell: fn(&R) -> Option<&str>) -> Self {
        Self { name, cell: CellOf::Text(cell) }
    }

    pub(super) const fn count(name: &'static str, cell: fn(&R) -> Option<u64>) -> Self {
        Self { name, cell: CellOf::Count(cell) }
    }

    pub(super) const fn number(name: &'static str, cell: fn(&R) -> Option<f64>) -> Self {
        Self { name, cell: CellOf::Number(cell) }
    }

    /// Exact microseconds.
    pub(super) const fn time(name: &'static str, cell: fn(&R) -> Option<Microseconds>) -> Self {
        Self { name, cell: CellOf::Time(cell) }
    }

    pub(super) const fn flag(name: &'static str, cell: fn(&R) -> bool) -> Self {
        Self { name, cell: CellOf::Flag(cell) }
    }
}

/// A part from 0 to 1.
pub(super) fn share(part: Option<Share>) -> Option<f64> {
    part.map(Share::get)
}

/// What every row says of the claims that its figures make: names of the two columns, state, and checks that withhold it.
pub(super) struct Standing {
    pub(super) names: [&'static str; 2],
    pub(super) cells: [String; 2],
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
        let cells = [state.name().to_owned(), by.join(" ")];
        Self { names: ["claim", "by"], cells }
    }

    /// The same under other names, beside the first.
    pub(super) fn named(self, names: [&'static str; 2]) -> Self {
        Self { names, ..self }
    }
}

/// What tables are written with.
pub(super) trait TableWriter {
    /// Writes the table of this name: what stands behind its figures in each row, then its columns.
    fn write<R>(
        &mut self,
        name: &'static str,
        standing: &[Standing],
        columns: &[Column<R>],
        rows: impl IntoIterator<Item = R>,
    );
}
