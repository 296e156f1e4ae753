//! From files to captures: which file is a workload, which belongs to another one, which is none.
//!
//! A capture shard belongs to a workload beside it or, where there is none, in the nearest folder above it. Of several
//! workloads there it is the one with the shard's own rank, else the first.

use super::refusal::Refusal;
use super::sniff::{Guess, NameSays, name_says, sniff};
use super::trace_json;
use super::xplane;
use super::{Family, FamilyRead, FoundFile, ReadError, ReadErrorKind};
use crate::trace::{Capture, Content, Record, Skipped, content};
use rayon::prelude::*;
use std::path::Path;

/// A file that was read.
struct Read<'a> {
    file: &'a FoundFile,
    record: Record,
    content: Content,
}

impl Read<'_> {
    fn folder(&self) -> &Path {
        self.file.path.parent().unwrap_or(Path::new(""))
    }

    fn rank(&self) -> Option<u64> {
        self.record.trace.profiler.distributed.as_ref()?.rank
    }

    fn device_events(&self) -> usize {
        self.record.trace.device_events.len()
    }
}

/// Reads all files of a family, several at a time, and groups them.
pub(super) fn read(family: &Family) -> FamilyRead {
    // The order of the results is that of the files, whatever the number of threads.
    let outcomes: Vec<_> = family.files.par_iter().map(read_file).collect();
    let mut family_read = FamilyRead::default();
    let mut refused = Vec::new();
    let (mut captures, mut shards, mut host_only) = (Vec::new(), Vec::new(), Vec::new());
    for (file, outcome) in family.files.iter().zip(outcomes) {
        match outcome {
            Ok(record) => {
                let read = Read { file, content: content(&record.trace), record };
                match read.content {
                    _ if file.named => captures.push(read),
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
    for (row, record) in shards {
        grouped[row].shards.push(record);
    }
    family_read.captures.extend(grouped.into_iter().map(Ok));
    family_read.captures.sort_by(|a, b| name(a).cmp(name(b)));
    family_read.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    family_read
}

fn name(capture: &Result<Capture, ReadError>) -> &str {
    match capture {
        Ok(capture) => &capture.name,
        Err(error) => &error.path,
    }
}

fn capture(read: Read<'_>) -> Capture {
    Capture { name: read.file.shown.clone(), records: vec![read.record], shards: Vec::new() }
}

fn read_file(file: &FoundFile) -> Result<Record, ReadError> {
    match name_says(&file.path) {
        NameSays::Xplane => xplane::read(&file.path, &file.shown),
        _ => trace_json::read(&file.path, &file.shown),
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
) -> Vec<(usize, Record)> {
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
                let reason =
                    format!("capture shard of {workload}, {n_device_events} device events");
                family_read.skipped.push(Skipped { path, reason });
                placed.push((row, shard.record));
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
