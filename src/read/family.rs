//! From files to captures: which file is a workload, which belongs to another one, which is none.
//!
//! A capture shard belongs to a workload beside it or, where there is none, in the nearest folder above it. Of several
//! workloads there it is the one with the shard's own rank, else the first.

use super::refusal::Refusal;
use super::sniff::{Guess, NameSays, name_says, run, sniff};
use super::trace_json;
use super::window::Access;
use super::xplane;
use super::{Family, FamilyRead, FoundFile, ReadError, ReadErrorKind};
use crate::trace::{Capture, Content, FileFormat, Record, Skipped, content};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// A run that was read: one file, or the two that JAX writes.
struct Read<'a> {
    /// The file that names it.
    file: &'a FoundFile,
    /// What its files hold, the one first that the analysis is made from.
    records: Vec<Record>,
    content: Content,
}

impl Read<'_> {
    fn primary(&self) -> &Record {
        &self.records[0]
    }

    fn folder(&self) -> &Path {
        self.file.path.parent().unwrap_or(Path::new(""))
    }

    fn rank(&self) -> Option<u64> {
        self.primary().trace.profiler.distributed.as_ref()?.rank
    }

    fn device_events(&self) -> usize {
        self.primary().trace.device_events.len()
    }
}

/// One file of a family, or the two of one run, and what reading gave.
struct Unit<'a> {
    file: &'a FoundFile,
    /// True where the user named one of the files.
    named: bool,
    outcome: Result<Vec<Record>, ReadError>,
}

/// Reads all files of a family, several at a time, and groups them.
pub(super) fn read(family: &Family, access: Access) -> FamilyRead {
    // The order of the results is that of the files, whatever the number of threads.
    let (copies, files): (Vec<_>, Vec<_>) =
        family.files.iter().partition(|file| is_perfetto_copy(file, family));
    let outcomes: Vec<_> = files.par_iter().map(|file| read_file(file, access)).collect();
    let copy = |file: &FoundFile| Skipped {
        path: file.shown.clone(),
        reason: "copy of JAX's JSON for Perfetto's viewer".to_owned(),
    };
    let mut family_read =
        FamilyRead { skipped: copies.into_iter().map(copy).collect(), ..FamilyRead::default() };
    let mut refused = Vec::new();
    let (mut captures, mut shards, mut host_only) = (Vec::new(), Vec::new(), Vec::new());
    for Unit { file, named, outcome } in unite(files.into_iter().zip(outcomes)) {
        match outcome {
            Ok(records) => {
                let read = Read { file, content: content(&records[0].trace), records };
                match read.content {
                    _ if named => captures.push(read),
                    Content::Workload => captures.push(read),
                    Content::CaptureShard => shards.push(read),
                    Content::HostOnly => host_only.push(read),
                }
            }
            Err(error) => match no_capture(file, &error) {
                Some(reason) => {
                    family_read.skipped.push(Skipped { path: file.shown.clone(), reason })
                }
                None => {
                    refused.push(file);
                    family_read.captures.push(Err(error));
                }
            },
        }
    }
    place_host_only(host_only, &mut captures, &mut family_read.skipped);
    let shards = place_shards(shards, &captures, &refused, &mut family_read);
    let mut grouped: Vec<Capture> = captures.into_iter().map(capture).collect();
    for (row, records) in shards {
        grouped[row].shards.extend(records);
    }
    family_read.captures.extend(grouped.into_iter().map(Ok));
    family_read.captures.sort_by(|a, b| name(a).cmp(name(b)));
    family_read.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    family_read
}

/// True for the copy that JAX writes for another viewer beside its own files of the same run.
fn is_perfetto_copy(file: &FoundFile, family: &Family) -> bool {
    let name = file.path.file_name().unwrap_or_default();
    let is_run = |other: &FoundFile| {
        name_says(&other.path) == NameSays::Xplane && other.path.parent() == file.path.parent()
    };
    let is_copy =
        !file.named && (name == "perfetto_trace.json.gz" || name == "perfetto_trace.json");
    is_copy && family.files.iter().any(is_run)
}

/// Puts the two files of one run of JAX together: `<host>.xplane.pb` first, then `<host>.trace.json[.gz]` beside it. Where
/// one of them is refused the run is: what is left could not be held against it.
fn unite<'a>(
    files: impl Iterator<Item = (&'a FoundFile, Result<Record, ReadError>)>,
) -> Vec<Unit<'a>> {
    let (xplanes, others): (Vec<_>, Vec<_>) =
        files.partition(|(file, _)| name_says(&file.path) == NameSays::Xplane);
    let mut rows: BTreeMap<_, usize> = BTreeMap::new();
    let mut units: Vec<Unit<'a>> = Vec::new();
    for (file, outcome) in xplanes {
        rows.extend(run(&file.path).map(|run| (run, units.len())));
        let outcome = outcome.map(|record| vec![record]);
        units.push(Unit { file, named: file.named, outcome });
    }
    for (file, outcome) in others {
        let row = run(&file.path).and_then(|run| rows.get(&run));
        let is_of_run = match &outcome {
            Ok(record) => record.source.format == FileFormat::JaxJson,
            Err(_) => true,
        };
        match row.filter(|_| is_of_run) {
            Some(&row) => units[row].add(file, outcome),
            None => {
                let outcome = outcome.map(|record| vec![record]);
                units.push(Unit { file, named: file.named, outcome });
            }
        }
    }
    units.sort_by(|a, b| a.file.shown.cmp(&b.file.shown));
    units
}

impl Unit<'_> {
    /// Adds the second record of the run.
    fn add(&mut self, file: &FoundFile, second: Result<Record, ReadError>) {
        self.named |= file.named;
        match (&mut self.outcome, second) {
            (Ok(records), Ok(second)) => records.push(second),
            (outcome @ Ok(_), Err(error)) => *outcome = Err(error),
            (Err(_), _) => {}
        }
    }
}

fn name(capture: &Result<Capture, ReadError>) -> &str {
    match capture {
        Ok(capture) => &capture.name,
        Err(error) => &error.path,
    }
}

fn capture(read: Read<'_>) -> Capture {
    Capture { name: read.file.shown.clone(), records: read.records, shards: Vec::new() }
}

fn read_file(file: &FoundFile, access: Access) -> Result<Record, ReadError> {
    match name_says(&file.path) {
        NameSays::Xplane => xplane::read(&file.path, &file.shown),
        _ => trace_json::read(&file.path, &file.shown, access),
    }
}

/// Why a file of a folder that could not be read is no capture; `None` where it is one, and lost.
fn no_capture(file: &FoundFile, error: &ReadError) -> Option<String> {
    if file.named {
        return None;
    }
    let named_like = name_says(&file.path);
    match error.kind {
        // A name that only JAX's profiler gives: what it holds instead is a lost capture.
        _ if named_like == NameSays::Xplane => None,
        // Text that does not even start as JSON has a place: under a trace's name it is a trace that was lost.
        ReadErrorKind::NotACapture if error.offset.is_none() || named_like == NameSays::Nothing => {
            Some(error.message.clone())
        }
        ReadErrorKind::NoTraceEvents if named_like != NameSays::Trace => {
            Some("JSON without traceEvents".to_owned())
        }
        ReadErrorKind::Io | ReadErrorKind::NoEvents => None,
        _ if named_like == NameSays::Nothing && sniff(&file.path) != Guess::Trace => {
            Some(format!("not a capture: {}", error.message))
        }
        _ => None,
    }
}

/// A file without any device side is no capture beside one that has one, unless it states a rank that none of those has:
/// then a rank's device side is missing, which must show.
fn place_host_only<'a>(
    host_only: Vec<Read<'a>>,
    captures: &mut Vec<Read<'a>>,
    skipped: &mut Vec<Skipped>,
) {
    let mut own = Vec::new();
    for read in host_only {
        let beside = nearest(read.folder(), captures, |capture| capture.device_events() > 0);
        let rank_is_there = beside.iter().any(|&row| captures[row].rank() == read.rank());
        if beside.is_empty() || read.rank().is_some() && !rank_is_there {
            own.push(read);
        } else {
            let reason = "host only, 0 device events".to_owned();
            skipped.push(Skipped { path: read.file.shown.clone(), reason });
        }
    }
    captures.append(&mut own);
}

/// Finds each shard's workload: the row of the capture. A shard without one is refused, for the run's own trace is lost.
fn place_shards(
    shards: Vec<Read<'_>>,
    captures: &[Read<'_>],
    refused: &[&FoundFile],
    family_read: &mut FamilyRead,
) -> Vec<(usize, Vec<Record>)> {
    let mut placed = Vec::new();
    for shard in shards {
        let workloads =
            nearest(shard.folder(), captures, |capture| capture.content == Content::Workload);
        let same_rank = workloads.iter().find(|&&row| captures[row].rank() == shard.rank());
        let path = shard.file.shown.clone();
        let n_device_events = shard.device_events();
        match same_rank.or(workloads.first()) {
            Some(&row) => {
                let workload = &captures[row].file.shown;
                let reason = format!(
                    "used as capture shard of {workload}, not judged by itself: {n_device_events} device events"
                );
                family_read.skipped.push(Skipped { path, reason });
                placed.push((row, shard.records));
            }
            None if refused.iter().any(|file| above(shard.folder(), file)) => {
                let reason = format!(
                    "capture shard of a trace that was refused, {n_device_events} device events"
                );
                family_read.skipped.push(Skipped { path, reason });
            }
            None => {
                let refusal = Refusal::new(
                    ReadErrorKind::NotACapture,
                    "a capture shard (its launches build graphs) without the trace of its workload",
                    "put the workload's trace beside it, or name this file to have it analysed as it is",
                );
                family_read.captures.push(Err(refusal.into_error(&shard.file.path, &path)));
            }
        }
    }
    placed
}

fn above(folder: &Path, file: &FoundFile) -> bool {
    file.path.parent().is_some_and(|parent| folder.starts_with(parent))
}

/// Rows of the captures that fit in the nearest folder, from `folder` upwards, that holds any.
fn nearest(folder: &Path, captures: &[Read<'_>], fits: impl Fn(&Read<'_>) -> bool) -> Vec<usize> {
    let rows_in = |folder: &Path| -> Vec<usize> {
        let rows = captures.iter().enumerate();
        rows.filter(|(_, capture)| capture.folder() == folder && fits(capture))
            .map(|(row, _)| row)
            .collect()
    };
    folder.ancestors().map(rows_in).find(|rows| !rows.is_empty()).unwrap_or_default()
}
