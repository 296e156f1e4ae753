//! What ran before and after, exactly: devices, streams, steps, kernels, graph replays, programs and operators.

use super::operators;
use crate::report::{
    CaptureReport, Difference, HotKernel, KernelPresence, Records, Spread, StructureChanges,
};
use std::collections::BTreeSet;

/// Kernels of one side alone that are listed.
const KERNELS_MAX: usize = 10;

/// Everything that differs.
pub(super) fn changes(before: &CaptureReport, after: &CaptureReport) -> StructureChanges {
    let mut differences = Vec::new();
    if let (Some(a), Some(b)) = (&before.records, &after.records) {
        for (what, of) in COUNTED {
            let (old, new) = (of(a), of(b));
            if old != new {
                differences.push(Difference { what: (*what).to_owned(), before: old, after: new });
            }
        }
    }
    let (appeared, appeared_left_out) = only(&after.hot_kernels, &before.hot_kernels);
    let (vanished, vanished_left_out) = only(&before.hot_kernels, &after.hot_kernels);
    let (operators, operators_left_out) = operators::changed(before, after);
    StructureChanges {
        differences,
        appeared,
        appeared_left_out,
        vanished,
        vanished_left_out,
        operators,
        operators_left_out,
    }
}

/// A fact in words; `None` where there is none.
type Fact = fn(&Records) -> Option<String>;

/// What is compared, in the order in which it is told.
const COUNTED: &[(&str, Fact)] = &[
    ("devices", devices),
    ("streams", streams),
    ("steps", |records| Some(records.steps.as_ref()?.count.to_string())),
    ("kernels a step", kernels_a_step),
    ("graph replays", |records| of_some(records.graph.launches)),
    ("graph replays a step", replays_a_step),
    ("device records a graph replay", |records| {
        records.graph.records_per_launch.map(|spread| spread_words(&spread))
    }),
    ("programs", programs),
];

fn of_some(count: u64) -> Option<String> {
    (count > 0).then(|| count.to_string())
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<&str> = names.collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn devices(records: &Records) -> Option<String> {
    joined(records.devices.iter().map(|device| device.name.as_str()))
}

fn streams(records: &Records) -> Option<String> {
    let counts = records.devices.iter().map(|device| device.streams.len().to_string());
    let counts: Vec<String> = counts.collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}

fn spread_words(spread: &Spread<u64>) -> String {
    let Spread { min, median, max } = spread;
    if min == max { min.to_string() } else { format!("{min} to {max}, median {median}") }
}

/// Of the steps that a time is known of: others may be cut.
fn kernels_a_step(records: &Records) -> Option<String> {
    let rows = records.steps.as_ref()?.rows.iter().filter(|row| row.step_time_us.is_some());
    Spread::of(rows.map(|row| row.kernels)).map(|spread| spread_words(&spread))
}

/// To a hundredth: the first and the last step may be cut.
fn replays_a_step(records: &Records) -> Option<String> {
    let steps = records.steps.as_ref()?;
    let replays = records.graph.launches;
    (steps.count > 0 && replays > 0).then(|| {
        let hundredths = replays.saturating_mul(100).saturating_add(steps.count / 2) / steps.count;
        let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    })
}

fn programs(records: &Records) -> Option<String> {
    let names: BTreeSet<&str> =
        records.programs.iter().map(|program| program.name.as_str()).collect();
    joined(names.into_iter())
}

/// Kernels of one side whose name the other has not, the longest first, and how many more there are.
fn only(of: &[HotKernel], other: &[HotKernel]) -> (Vec<KernelPresence>, u64) {
    let known: BTreeSet<&str> = other.iter().map(|kernel| kernel.name.as_str()).collect();
    let mut all = of.iter().filter(|kernel| !known.contains(kernel.name.as_str()));
    let listed = all.by_ref().take(KERNELS_MAX).map(|kernel| KernelPresence {
        name: kernel.name.clone(),
        records: kernel.records,
        time_us: kernel.time_us,
        share: kernel.share,
    });
    let listed: Vec<KernelPresence> = listed.collect();
    (listed, all.count() as u64)
}
