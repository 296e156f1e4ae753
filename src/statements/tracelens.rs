//! Tables of TraceLens: `gpu_timeline.csv`, the time budget of a trace, and `ops_summary.csv`, kernel time by operator.
//!
//! A table is known by the names of its columns, whatever its file is called.

use super::{Budget, Form, Quantity, Said, Statement, Subject};
use crate::document::{Document, Mistakes};
use std::collections::BTreeMap;

/// The names that TraceLens gives its tables.
pub(super) const FILES: &[&str] = &["gpu_timeline.csv", "ops_summary.csv"];

/// Rows that a table may have: an operator each.
const ROWS_MAX: usize = 100_000;

/// A table of TraceLens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// `type,time ms,percent`.
    Timeline,
    /// `name,…,Percentage (%),…`.
    Ops,
}

/// The rows of a timeline that state something about the device, in the order in which statements are made of them.
const ROWS: [(&str, Budget); 8] = [
    ("idle_time", Budget::Inactive),
    ("busy_time", Budget::Busy),
    ("computation_time", Budget::Compute),
    ("exposed_comm_time", Budget::ExposedCollective),
    ("exposed_memcpy_time", Budget::ExposedMemcpy),
    ("total_time", Budget::Total),
    ("total_comm_time", Budget::Collective),
    ("total_memcpy_time", Budget::Memcpy),
];

/// Which table it is; `None` where it is none of them.
pub(super) fn table(bytes: &[u8]) -> Option<Table> {
    let line = bytes.split(|&byte| byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?.trim().trim_start_matches('\u{feff}');
    let columns: Vec<&str> = line.split(',').collect();
    match columns.as_slice() {
        ["type", "time ms", "percent"] => Some(Table::Timeline),
        ["name", ..] if columns.contains(&"Percentage (%)") => Some(Table::Ops),
        _ => None,
    }
}

/// What a table states about the captures of `subject`.
pub(super) fn statements(
    table: Table,
    path: &str,
    bytes: &[u8],
    subject: &Subject,
) -> Result<Vec<Statement>, Mistakes> {
    let document = Document::decode_any(path, bytes, "table")?;
    let state = |quantity: Quantity, value: f64, line: u64| {
        let said = Said::Value(value, quantity.tolerance(value));
        Statement { subject: subject.clone(), quantity, said, source: format!("{path}:{line}") }
    };
    let mut statements = Vec::new();
    // TraceLens has a row for each operator and module; what is stated of the operator is their sum.
    let mut by_op: BTreeMap<String, (f64, u64)> = BTreeMap::new();
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(document.text.as_bytes());
    let mistake = |line: u64, what: &str| document.error_somewhere(format!("line {line}: {what}"));
    let headers = reader.headers().map_err(|error| mistake(1, &error.to_string()))?.clone();
    let column = |name: &str| headers.iter().position(|known| known == name);
    let share_column = column("Percentage (%)").unwrap_or_default();
    for (row, record) in reader.records().enumerate() {
        if row == ROWS_MAX {
            let what = format!("this table has more than {ROWS_MAX} rows");
            return Err(document.error_somewhere(what).into());
        }
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            mistake(line, "this row can't be read")
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |at: usize| -> Result<f64, Mistakes> {
            let text = record.get(at).unwrap_or_default();
            let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
            number.ok_or_else(|| mistake(line, &format!("`{text}` is no number")).into())
        };
        let name = record.get(0).unwrap_or_default();
        match table {
            Table::Timeline => {
                let known = ROWS.iter().find(|(row, _)| *row == name.trim());
                let Some(&(_, budget)) = known else {
                    // A row that was passed over would be a statement that nobody verified.
                    return Err(mistake(line, &format!("`{name}` is no row that is known")).into());
                };
                // `total_*` rows have no percentage of their own.
                if !name.trim().starts_with("total_") {
                    let part = Quantity::Budget(budget, Form::Percent, None);
                    statements.push(state(part, number(2)?, line));
                }
                let time = Quantity::Budget(budget, Form::Microseconds, None);
                statements.push(state(time, number(1)? * 1_000.0, line));
            }
            Table::Ops => {
                let sum = by_op.entry(name.to_owned()).or_insert((0.0, line));
                sum.0 += number(share_column)? / 100.0;
            }
        }
    }
    let place = |one: &Statement| match one.quantity {
        Quantity::Budget(budget, ..) => ROWS.iter().position(|(_, known)| *known == budget),
        _ => None,
    };
    statements.sort_by_key(place);
    let ops = by_op.into_iter();
    statements.extend(ops.map(|(op, (share, line))| state(Quantity::OpShare(op), share, line)));
    if statements.is_empty() {
        return Err(document.error_somewhere("this table states nothing").into());
    }
    Ok(statements)
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    fn told(text: &str) -> String {
        match parse("t.csv", text.as_bytes(), None) {
            Ok(all) => {
                let line = |one: &super::Statement| {
                    format!("{} = {} ({})", one.quantity, one.said.words(), one.source)
                };
                all.iter().map(line).collect::<Vec<_>>().join("\n")
            }
            Err(mistakes) => mistakes.to_string(),
        }
    }

    #[test]
    fn a_timeline_states_times_and_parts() {
        let text = "type,time ms,percent\nidle_time ,3.5,87.5\ntotal_time,4,100.0\n";
        assert_eq!(
            told(text),
            "device_inactive_pct = 87.5 ± 0.5 (t.csv:2)\ndevice_inactive_us = 3500 ± 17.5 (t.csv:2)\n\
             total_us = 4000 ± 20 (t.csv:3)"
        );
    }

    #[test]
    fn rows_of_one_operator_are_summed() {
        let text = "name,parent_module,Percentage (%)\naten::mm,\"a, b\",40\naten::add,a,35\naten::mm,c,25\n";
        assert_eq!(
            told(text),
            "op_share:aten::add = 0.35 ± 0.005 (t.csv:3)\nop_share:aten::mm = 0.65 ± 0.005 (t.csv:2)"
        );
    }

    #[test]
    fn what_is_no_number_is_told_with_its_line() {
        let text = "type,time ms,percent\nidle_time,NaN,87.5\n";
        assert!(told(text).contains("line 2: `NaN` is no number"), "{}", told(text));
        assert!(told("type,time ms,percent\n").contains("states nothing"));
        assert!(told("type,time ms,percent\nidle,1,2\n").contains("`idle` is no row"));
    }
}
