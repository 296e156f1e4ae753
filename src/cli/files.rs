//! Files that users name: read as a whole, within a limit, and never waited for.

use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _};
use std::path::Path;

/// Largest report that is read back: thousands of captures.
pub(super) const REPORT_BYTES_MAX: usize = 256 << 20;

/// A file's bytes; the error says why there are none.
pub(super) fn whole(path: &Path, bytes_max: usize) -> Result<Vec<u8>, String> {
    let bytes = beginning(path, bytes_max + 1)?;
    if bytes.len() > bytes_max {
        return Err(format!("it is larger than {} MiB", bytes_max >> 20));
    }
    Ok(bytes)
}

/// A file's first bytes.
pub(super) fn beginning(path: &Path, bytes_max: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    open(path)?.take(bytes_max as u64).read_to_end(&mut bytes).map_err(|error| reason(&error))?;
    Ok(bytes)
}

/// The first bytes of what a text file holds: behind a byte order mark and any blanks.
pub(super) fn content_head(path: &Path, bytes_max: usize) -> Result<Vec<u8>, String> {
    let mut file = BufReader::new(open(path)?.take(REPORT_BYTES_MAX as u64));
    let is_mark = file.fill_buf().map_err(|error| reason(&error))?.starts_with(b"\xEF\xBB\xBF");
    file.consume(if is_mark { 3 } else { 0 });
    loop {
        let at_hand = file.fill_buf().map_err(|error| reason(&error))?;
        let blanks = at_hand.len() - at_hand.trim_ascii_start().len();
        let is_all_blank = blanks > 0 && blanks == at_hand.len();
        file.consume(blanks);
        if !is_all_blank {
            break;
        }
    }
    let mut bytes = Vec::new();
    file.take(bytes_max as u64).read_to_end(&mut bytes).map_err(|error| reason(&error))?;
    Ok(bytes)
}

/// Opens a file. A pipe that nobody writes to would be waited for without end, so it is refused.
fn open(path: &Path) -> Result<File, String> {
    if !std::fs::metadata(path).map_err(|error| reason(&error))?.is_file() {
        return Err("it is no file".to_owned());
    }
    File::open(path).map_err(|error| reason(&error))
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "it does not exist".to_owned(),
        _ => error.to_string(),
    }
}
