//! A table as the bytes of a Parquet file.

use super::column::{Kind, Values};
use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::sync::Arc;

/// The bytes of a file. Memory takes every byte, and columns are as long as one another: writing cannot fail; if it did, the file would
/// be empty and no reader would take it for a table.
pub(super) fn bytes(columns: &[(&'static str, Values)]) -> Vec<u8> {
    written(columns).unwrap_or_default()
}

fn written(columns: &[(&'static str, Values)]) -> Result<Vec<u8>> {
    let fields = columns.iter().map(|(name, values)| values.schema(name)).collect::<Result<_>>()?;
    let schema = Type::group_type_builder("schema").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("idleproof {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, values) in columns {
        let Some(mut column) = group.next_column()? else { continue };
        write(column.untyped(), values)?;
        column.close()?;
    }
    group.close()?;
    writer.into_inner()
}

fn write(column: &mut ColumnWriter<'_>, values: &Values) -> Result<()> {
    let are_there = Some(values.are_there.as_slice());
    match (column, &values.kind) {
        (ColumnWriter::ByteArrayColumnWriter(to), Kind::Text(of)) => {
            to.write_batch(of, are_there, None)
        }
        (ColumnWriter::Int64ColumnWriter(to), Kind::Count(of)) => {
            to.write_batch(of, are_there, None)
        }
        (ColumnWriter::DoubleColumnWriter(to), Kind::Number(of)) => {
            to.write_batch(of, are_there, None)
        }
        (ColumnWriter::FixedLenByteArrayColumnWriter(to), Kind::Time(of)) => {
            to.write_batch(of, are_there, None)
        }
        (ColumnWriter::BoolColumnWriter(to), Kind::Flag(of)) => to.write_batch(of, are_there, None),
        _ => Ok(0),
    }
    .map(|_| ())
}
