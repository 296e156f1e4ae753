//! What recorded a capture, as far as it says so.

use crate::report::ProducerRecords;
use crate::trace::Trace;
use std::collections::BTreeMap;

/// Fields that tell what was recorded beside times: each slows the host down, or not.
const OPTIONS: [&str; 5] =
    ["record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules"];

/// Fields that are kept of each kind, and the longest value: the report is no copy of the file's header.
const FIELDS_MAX: usize = 32;
const CHARS_MAX: usize = 120;

/// Versions, options and ranks that the profiler wrote.
pub(super) fn lay_out(trace: &Trace) -> ProducerRecords {
    let distributed = trace.profiler.distributed.as_ref();
    ProducerRecords {
        versions: fields(trace, |key| key.to_ascii_lowercase().ends_with("version")),
        options: fields(trace, |key| OPTIONS.contains(&key)),
        rank: distributed.and_then(|job| job.rank),
        world_size: distributed.and_then(|job| job.world_size),
    }
}

fn fields(trace: &Trace, wanted: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    let short = |text: &String| text.chars().take(CHARS_MAX).collect();
    let found = trace.profiler.fields.iter().filter(|(key, _)| wanted(key)).take(FIELDS_MAX);
    found.map(|(key, value)| (short(key), short(value))).collect()
}
