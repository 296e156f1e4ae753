//! Whether times of two captures belong together: the device, the number of devices, what recorded them, and how.

use crate::report::{CaptureReport, Difference, FileRole, ProducerRecords, Records, State};
use std::collections::{BTreeMap, BTreeSet};

/// Under which conditions two captures were recorded.
pub(super) struct Conditions {
    /// What forbids a comparison of times.
    pub(super) incomparable: Vec<Difference>,
    /// What may explain a difference beside the program.
    pub(super) cautions: Vec<Difference>,
    /// True where so few kernels are on both sides that they may be two programs.
    pub(super) may_be_two_programs: bool,
    /// Why the host was slower on one side alone, where it was: a step that depends on it is not compared for certain.
    pub(super) host: Option<String>,
}

/// Captures are taken for one program where kernels of both take this part of the kernel time.
const COMMON_MIN: f64 = 0.5;

/// The check that finds launches which the profiler itself slowed down.
const INFLATED: &str = "profiler-inflated-launches";

/// The conditions of two captures.
pub(super) fn conditions(before: &CaptureReport, after: &CaptureReport) -> Conditions {
    let mut found = Conditions {
        incomparable: Vec::new(),
        cautions: Vec::new(),
        may_be_two_programs: false,
        host: None,
    };
    found.incomparable.extend(differ("format", [before, after].map(format)));
    let (Some(a), Some(b)) = (&before.records, &after.records) else {
        found.incomparable.push(difference(
            "records",
            [before, after].map(|one| {
                Some(
                    if one.records.is_some() { "there are some" } else { "there are none" }
                        .to_owned(),
                )
            }),
        ));
        return found;
    };
    let counts = [a, b].map(|records| Some(records.devices.len().to_string()));
    found.incomparable.extend(differ("devices with work", counts));
    found.incomparable.extend(differ("vendor", [a, b].map(vendors)));
    found.incomparable.extend(differ("device model", [a, b].map(models)));
    let world = [a, b].map(|records| records.producer.world_size.map(|size| size.to_string()));
    found.incomparable.extend(differ("ranks of the job", world));
    let ranks = [a, b].map(|records| records.producer.rank.map(|rank| rank.to_string()));
    found.incomparable.extend(differ("rank", ranks));
    found.cautions(a, b);
    let few = few_in_common(before, after);
    found.may_be_two_programs = few.is_some();
    found.cautions.extend(few);
    found.host(before, after);
    found
}

impl Conditions {
    fn cautions(&mut self, a: &Records, b: &Records) {
        let unknown = [a, b].map(|records| models(records).is_none());
        if unknown[0] != unknown[1] {
            self.cautions.push(difference("device model", [a, b].map(models)));
        }
        let (one, other) = (&a.producer, &b.producer);
        self.cautions.extend(fields(one, other, |producer| &producer.versions));
        self.cautions.extend(fields(one, other, |producer| &producer.options));
        let steps = [a, b].map(|records| {
            let steps = records.steps.as_ref()?;
            Some(format!("{} ({})", steps.marker, steps.trust))
        });
        self.cautions.extend(differ("what delimits steps", steps));
    }

    /// What slows the host down on one side alone.
    fn host(&mut self, before: &CaptureReport, after: &CaptureReport) {
        let frames = |one: &CaptureReport| one.records.as_ref().map_or(0, |all| all.python_frames);
        let is_inflated = |one: &CaptureReport| {
            one.checks.iter().any(|check| {
                check.id == INFLATED && matches!(check.state, State::Violated | State::Excepted)
            })
        };
        let sides = [before, after];
        let mut why = Vec::new();
        if (frames(before) > 0) != (frames(after) > 0) {
            let counts = sides.map(|one| Some(frames(one).to_string()));
            self.cautions.push(difference("frames of the Python tracer", counts));
            why.push("the Python tracer ran on one side alone");
        }
        if is_inflated(before) != is_inflated(after) {
            let words = sides.map(|one| {
                Some(if is_inflated(one) { "slowed down" } else { "not slowed down" }.to_owned())
            });
            self.cautions.push(difference("launches under the profiler", words));
            why.push("the profiler slowed launches down on one side alone");
        }
        self.host = (!why.is_empty()).then(|| why.join(", "));
    }
}

/// How much of the kernel time is in kernels that both sides have, where that is little: it may be another program.
fn few_in_common(before: &CaptureReport, after: &CaptureReport) -> Option<Difference> {
    let names = |capture: &CaptureReport| -> BTreeSet<String> {
        capture.hot_kernels.iter().map(|kernel| kernel.name.clone()).collect()
    };
    let sides = [(before, names(after)), (after, names(before))];
    let parts = sides.map(|(capture, others)| {
        let time = |wanted: &dyn Fn(&str) -> bool| -> i128 {
            let kernels = capture.hot_kernels.iter().filter(|kernel| wanted(&kernel.name));
            kernels.map(|kernel| kernel.time_us.ps()).sum()
        };
        let all = time(&|_| true);
        (all > 0).then(|| time(&|name| others.contains(name)) as f64 / all as f64)
    });
    let is_little = parts.iter().flatten().any(|&part| part < COMMON_MIN);
    is_little.then(|| {
        let words = parts.map(|part| part.map(|part| format!("{:.1} %", part * 100.0)));
        difference("kernel time in kernels that both have", words)
    })
}

/// A difference of what is known on both sides.
fn differ(what: &str, sides: [Option<String>; 2]) -> Option<Difference> {
    let [Some(before), Some(after)] = &sides else { return None };
    (before != after).then(|| difference(what, sides))
}

fn difference(what: &str, [before, after]: [Option<String>; 2]) -> Difference {
    Difference { what: what.to_owned(), before, after }
}

/// Fields that both sides have, or one alone where the other has any.
fn fields(
    before: &ProducerRecords,
    after: &ProducerRecords,
    of: impl Fn(&ProducerRecords) -> &BTreeMap<String, String>,
) -> Vec<Difference> {
    let (a, b) = (of(before), of(after));
    if before.is_empty() || after.is_empty() {
        return Vec::new();
    }
    let mut keys: Vec<&String> =
        a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))).collect();
    keys.sort();
    let differing = keys.into_iter().filter(|key| a.get(*key) != b.get(*key));
    differing.map(|key| difference(key, [a, b].map(|side| side.get(key).cloned()))).collect()
}

/// The format of the record that its figures come from: the first.
fn format(capture: &CaptureReport) -> Option<String> {
    capture.files.iter().find(|file| file.role == FileRole::Record)?.format.clone()
}

/// The models of its devices; `None` where one is not known.
fn models(records: &Records) -> Option<String> {
    let models = records.devices.iter().map(|device| device.model.as_deref());
    joined(models.collect::<Option<Vec<_>>>()?)
}

fn vendors(records: &Records) -> Option<String> {
    let vendors = records.devices.iter().map(|device| device.vendor.as_deref());
    joined(vendors.collect::<Option<Vec<_>>>()?)
}

/// Distinct names, each with how many there are, in order.
fn joined(names: Vec<&str>) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let row = |(name, count): (&&str, &usize)| match count {
        1 => (*name).to_owned(),
        _ => format!("{count} × {name}"),
    };
    let all: Vec<String> = counts.iter().map(row).collect();
    (!all.is_empty()).then(|| all.join(", "))
}
