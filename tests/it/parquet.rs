//! `--report parquet=FOLDER`, read back by the library's own reader and held against the CSV tables of the same run.

use crate::cli::{code, folder, idleproof, stderr};
use idleproof::report::Microseconds;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::fs::{self, File};
use std::path::Path;

/// What a reader of tables gives, or why it does not.
fn read<T, E: std::fmt::Display>(path: &Path, read: Result<T, E>) -> T {
    read.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A table: the names of its columns, and its rows as a CSV cell has them, without what keeps spreadsheets from formulas.
type Table = (Vec<String>, Vec<Vec<String>>);

fn text(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        Field::ULong(count) => count.to_string(),
        Field::Double(number) => number.to_string(),
        Field::Bool(is_so) => if *is_so { "yes" } else { "" }.to_owned(),
        Field::Decimal(time) => {
            let mut ps = if time.data()[0] & 0x80 == 0 { [0; 16] } else { [0xff; 16] };
            ps[16 - time.data().len()..].copy_from_slice(time.data());
            assert_eq!(time.scale(), 6);
            Microseconds::from_ps(i128::from_be_bytes(ps)).to_string()
        }
        other => panic!("{other:?}"),
    }
}

fn parquet(path: &Path) -> Table {
    let reader = read(path, SerializedFileReader::new(read(path, File::open(path))));
    let schema = reader.metadata().file_metadata().schema_descr();
    let names = schema.columns().iter().map(|column| column.name().to_owned()).collect();
    let row = |row: parquet::errors::Result<parquet::record::Row>| {
        read(path, row).get_column_iter().map(|(_, field)| text(field)).collect()
    };
    (names, read(path, reader.get_row_iter(None)).map(row).collect())
}

fn csv(path: &Path) -> Table {
    let mut reader = read(path, csv::ReaderBuilder::new().has_headers(false).from_path(path));
    let plain = |cell: &str| cell.strip_prefix('\'').unwrap_or(cell).to_owned();
    let mut rows: Vec<Vec<String>> =
        reader.records().map(|row| read(path, row).iter().map(plain).collect()).collect();
    (rows.remove(0), rows)
}

#[test]
fn every_row_of_every_capture_is_that_of_the_csv_tables() {
    let samples = ["healthy", "incident", "jax-graph"];
    let world = folder(&samples, "");
    let here = world.path();
    let outputs = ["--report", "csv=t", "--report", "parquet=p"];
    let run = idleproof(here, &[&["check", "captures"], &outputs[..]].concat());
    assert_eq!(code(&run), 1, "{}", stderr(&run));
    let (_, captures) = csv(&here.join("t/captures.csv"));
    assert_eq!(captures.len(), samples.len());
    let mut n_rows = 0;
    for name in ["kernels", "ops", "lines", "how", "streams", "idle", "gaps", "roofline"] {
        let (head, rows) = parquet(&here.join(format!("p/{name}.parquet")));
        let mut expected = Vec::new();
        for capture in &captures {
            let (of_csv, table) = csv(&here.join(format!("t/{}/{name}.csv", capture[1])));
            assert_eq!(head, [vec!["capture".to_owned()], of_csv].concat(), "{name}");
            let in_front = |row: Vec<String>| [vec![capture[0].clone()], row].concat();
            expected.extend(table.into_iter().map(in_front));
        }
        assert_eq!(rows, expected, "{name}");
        n_rows += rows.len();
    }
    assert!(n_rows > 100, "{n_rows}");
    let (_, listed) = parquet(&here.join("p/captures.parquet"));
    let names = |rows: &[Vec<String>]| rows.iter().map(|row| row[0].clone()).collect::<Vec<_>>();
    assert_eq!(names(&listed), names(&captures));
}

/// A folder is written again by a later run, and nobody's own files are.
#[test]
fn only_its_own_folders_are_written_again() {
    let world = folder(&["healthy"], "");
    let here = world.path();
    let run = || idleproof(here, &["check", "captures", "--report", "parquet=p"]);
    assert_eq!(code(&run()), 0);
    let first = fs::read(here.join("p/kernels.parquet")).unwrap();
    assert_eq!(code(&run()), 0);
    assert_eq!(fs::read(here.join("p/kernels.parquet")).unwrap(), first);
    fs::remove_file(here.join("p/idleproof.txt")).unwrap();
    assert_eq!(code(&run()), 2);
}
