//! The values of one column, and what Parquet calls them.

use super::super::table::{CellOf, Column};
use crate::report::Microseconds;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::errors::Result;
use parquet::schema::types::{Type, TypePtr};

/// Digits of a time, and those behind the point: microseconds to the picosecond, as far as 16 bytes reach.
const TIME_DIGITS: (i32, i32) = (38, 6);

/// Bytes of a time.
const TIME_BYTES: i32 = 16;

/// Values that are there, and for each row whether one is: 1, or 0 where it is unknown.
pub(super) struct Values {
    pub(super) kind: Kind,
    pub(super) are_there: Vec<i16>,
}

/// The values that are there, by what they hold.
pub(super) enum Kind {
    /// UTF-8.
    Text(Vec<ByteArray>),
    /// Unsigned; Parquet keeps the bits in a signed one.
    Count(Vec<i64>),
    Number(Vec<f64>),
    /// Microseconds as decimals.
    Time(Vec<FixedLenByteArray>),
    Flag(Vec<bool>),
}

/// A column without values.
pub(super) fn named<R>(column: &Column<R>) -> (&'static str, Values) {
    let kind = match column.cell {
        CellOf::Text(_) => Kind::Text(Vec::new()),
        CellOf::Count(_) => Kind::Count(Vec::new()),
        CellOf::Number(_) => Kind::Number(Vec::new()),
        CellOf::Time(_) => Kind::Time(Vec::new()),
        CellOf::Flag(_) => Kind::Flag(Vec::new()),
    };
    (column.name, Values { kind, are_there: Vec::new() })
}

impl Values {
    pub(super) const fn of_text() -> Self {
        Self { kind: Kind::Text(Vec::new()), are_there: Vec::new() }
    }

    pub(super) fn push_text(&mut self, text: Option<&str>) {
        if let Kind::Text(values) = &mut self.kind {
            values.extend(text.map(ByteArray::from));
        }
        self.are_there.push(i16::from(text.is_some()));
    }

    /// The cell of a row. A column has cells of one kind.
    pub(super) fn push<R>(&mut self, cell: &CellOf<R>, row: &R) {
        let n_before = self.kind.len();
        match (&mut self.kind, cell) {
            (Kind::Text(values), CellOf::Text(of)) => values.extend(of(row).map(ByteArray::from)),
            (Kind::Count(values), CellOf::Count(of)) => {
                values.extend(of(row).map(u64::cast_signed))
            }
            (Kind::Number(values), CellOf::Number(of)) => values.extend(of(row)),
            (Kind::Time(values), CellOf::Time(of)) => values.extend(of(row).map(decimal)),
            (Kind::Flag(values), CellOf::Flag(of)) => values.push(of(row)),
            _ => {}
        }
        self.are_there.push(i16::from(self.kind.len() > n_before));
    }

    /// The column's type.
    pub(super) fn schema(&self, name: &str) -> Result<TypePtr> {
        let (physical, logical) = match &self.kind {
            Kind::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Count(_) => {
                let unsigned = LogicalType::integer(64, false);
                (Physical::INT64, Some(unsigned))
            }
            Kind::Number(_) => (Physical::DOUBLE, None),
            Kind::Time(_) => {
                let (precision, scale) = TIME_DIGITS;
                (Physical::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::decimal(scale, precision)))
            }
            Kind::Flag(_) => (Physical::BOOLEAN, None),
        };
        let column = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        let column = match &self.kind {
            Kind::Time(_) => {
                let (precision, scale) = TIME_DIGITS;
                column.with_length(TIME_BYTES).with_precision(precision).with_scale(scale)
            }
            _ => column,
        };
        column.build().map(TypePtr::new)
    }
}

impl Kind {
    fn len(&self) -> usize {
        match self {
            Self::Text(values) => values.len(),
            Self::Count(values) => values.len(),
            Self::Number(values) => values.len(),
            Self::Time(values) => values.len(),
            Self::Flag(values) => values.len(),
        }
    }
}

/// Picoseconds are microseconds with six digits behind the point. Parquet wants the highest byte first.
fn decimal(us: Microseconds) -> FixedLenByteArray {
    ByteArray::from(us.ps().to_be_bytes().to_vec()).into()
}
