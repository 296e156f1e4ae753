//! The tables of a report: rows that only an output of tables asks for.

use super::attribution::Class;
use super::{Analysis, Choice, hlo, host_cause};
use crate::report::{GapRow, KernelRow, Microseconds, ProgramText, Share, Tables};
use crate::trace::{Capture, DeviceId, NameId, Program, Trace};
use crate::units::Picoseconds;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::sync::Arc;

/// The tables of an analysis.
pub fn tables(capture: &Capture, analysis: &Analysis, choice: Choice<'_>) -> Tables {
    let trace = &capture.primary().trace;
    let text = |program: &Program| {
        Some(ProgramText {
            id: program.id,
            name: trace.name(program.name).to_owned(),
            lines: hlo::program_text(program, choice.is_user)?,
        })
    };
    Tables {
        kernels: match &analysis.hlo {
            Some(hlo) => hlo::report_kernels(trace, hlo),
            None => kernels(trace, analysis),
        },
        gaps: gaps(trace, analysis, |_, _| true),
        programs: trace.programs.iter().filter_map(text).collect(),
    }
}

/// Kernels by name, operator and class, longest first.
fn kernels(trace: &Trace, analysis: &Analysis) -> Vec<KernelRow> {
    let attribution = &analysis.attribution;
    let mut sums: FxHashMap<(NameId, Option<NameId>, Class), (u64, Picoseconds)> =
        FxHashMap::default();
    for (index, event) in trace.device_events.iter().enumerate() {
        if !event.kind.is_kernel() {
            continue;
        }
        let op = attribution.op_name(trace, index);
        let key = (event.name, op, attribution.of_event[index].class);
        let (n, time) = sums.entry(key).or_default();
        (*n, *time) = (*n + 1, *time + event.interval.duration());
    }
    let text = |name: NameId| trace.name(name);
    let mut rows: Vec<_> = sums.into_iter().collect();
    rows.sort_by_key(|&((name, op, class), (_, time))| {
        (Reverse(time), text(name), op.map(text), class)
    });
    let row = |((name, op, class), (records, time)): ((NameId, Option<NameId>, Class), _)| {
        let time: Picoseconds = time;
        KernelRow {
            name: text(name).to_owned(),
            records,
            time_us: time.into(),
            share: time.share_of(attribution.kernel_time).map(Share::of),
            class: class.name().to_owned(),
            program: None,
            instruction: None,
            op: op.map(|op| text(op).to_owned()),
            level: None,
            line: None,
        }
    };
    rows.into_iter().map(row).collect()
}

/// The gaps of every device that were asked for and are chosen, by device and gap, with what is known of each; in order of device
/// and time.
pub(super) fn gaps(
    trace: &Trace,
    analysis: &Analysis,
    is_chosen: impl Fn(usize, u32) -> bool,
) -> Vec<GapRow> {
    let mut names = SharedNames { trace, known: FxHashMap::default() };
    let blocking_known = trace.host_calls.iter().any(|call| call.kind.blocks_on_device());
    let mut rows = Vec::new();
    // The row of each gap and the call that launched what ends it, by the end of the gap.
    let mut row_of: FxHashMap<(DeviceId, Picoseconds), (usize, Option<usize>)> =
        FxHashMap::default();
    let devices = analysis.timeline.devices.iter().zip(&analysis.waits.devices);
    for (at, ((device, waits), cause)) in devices.zip(&analysis.host_cause).enumerate() {
        let shown: Arc<str> = format!("gpu:{}", trace.device(device.device).raw_id).into();
        let events: Vec<Arc<str>> = cause.rows.iter().map(|row| row.name.as_str().into()).collect();
        let mut queued = waits.queued.iter().flatten().peekable();
        for known in cause.gaps.iter().filter(|known| is_chosen(at, known.gap)) {
            let (nth, row) = (known.gap as usize, known.row as usize);
            let Some(gap) = device.gaps.get(nth) else { continue };
            while queued.next_if(|one| one.pending.end() < gap.end()).is_some() {}
            let pending = queued.next_if(|one| one.pending.end() == gap.end());
            let ended_by = host_cause::handing_over(trace, waits.ended_by[nth]);
            let call = ended_by.map(|call| &trace.host_calls[call]);
            row_of.insert((device.device, gap.end()), (rows.len(), ended_by));
            rows.push(GapRow {
                device: Arc::clone(&shown),
                start_us: Microseconds::from_ps(trace.origin.on_file_axis(gap.start())),
                length_us: gap.duration().into(),
                queued_us: pending.map(|one| one.pending.duration().into()),
                blocked_us: blocking_known.then(|| waits.blocking.clip(gap).total().into()),
                next_work: None,
                launch: call.map(|call| names.get(call.api)),
                thread: call.map(|call| names.get(trace.threads[call.thread.index()].raw_id)),
                host_event: (Arc::clone(&events[row]), cause.rows[row].activity.name()),
                host_us: known.time.into(),
            });
        }
    }
    for (event, launch) in trace.device_events.iter().zip(&analysis.launches.of_event) {
        let end = (trace.stream(event.stream).device, event.interval.start());
        let Some(&(row, call)) = row_of.get(&end) else { continue };
        // Several pieces of work may begin at one instant: the one that the call launched is meant.
        if call.is_none_or(|call| launch.call() == Some(call)) {
            rows[row].next_work.get_or_insert_with(|| names.get(event.name));
        }
    }
    rows
}

/// Names that many rows share.
struct SharedNames<'t> {
    trace: &'t Trace,
    known: FxHashMap<NameId, Arc<str>>,
}

impl SharedNames<'_> {
    fn get(&mut self, name: NameId) -> Arc<str> {
        let text = || self.trace.name(name).into();
        Arc::clone(self.known.entry(name).or_insert_with(text))
    }
}
