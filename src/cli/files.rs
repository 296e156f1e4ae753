//! Files that users name: read as a whole, within a limit, and never waited for.

use std::fs::File;
use std::io::{ErrorKind, Read};
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

/// A file's first bytes. A pipe that nobody writes to would be waited for without end, so it is refused.
pub(super) fn beginning(path: &Path, bytes_max: usize) -> Result<Vec<u8>, String> {
    let reason = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => "it does not exist".to_owned(),
        _ => error.to_string(),
    };
    if !std::fs::metadata(path).map_err(reason)?.is_file() {
        return Err("it is no file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(reason)?;
    file.take(bytes_max as u64).read_to_end(&mut bytes).map_err(reason)?;
    Ok(bytes)
}
