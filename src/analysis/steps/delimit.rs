//! What delimits steps, in the order of trust.

use crate::analysis::graphs::{GraphReplay, Graphs};
use crate::analysis::hlo::{DeviceExecution, HloAttribution};
use crate::analysis::launches::Launches;
use crate::trace::{DeviceId, Trace};
use crate::units::{Interval, Picoseconds};
use std::collections::BTreeMap;

/// What delimits steps, the most trusted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Delimiter {
    /// The profiler's own step marker.
    Profiler,
    /// A range that a serving engine marks.
    Serving,
    /// A range that the user marked as a step, with its number.
    User,
    /// What PyTorch records of each update of the weights.
    Optimizer,
    /// Executions of the compiled program with the most device time.
    Executions,
    /// Launches of one graph that repeat.
    GraphLaunches,
}

impl Delimiter {
    /// True where a marker was recorded, as opposed to what repeats. The last repetition has no end of its own.
    pub const fn is_marker(self) -> bool {
        matches!(self, Self::Profiler | Self::Serving | Self::User)
    }

    /// How far it may be trusted, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Profiler => "marked by the profiler",
            Self::Serving => "marked by the serving engine",
            Self::User => "marked by the user",
            Self::Optimizer => {
                "not marked: from the end of one update of the weights to the end of the next"
            }
            Self::Executions => {
                "not marked: executions of the program with the most device time, taken for steps"
            }
            Self::GraphLaunches => "not marked: launches of one graph that repeat, taken for steps",
        }
    }
}

/// Markers in the order of trust: the profiler's own step first, then the ranges that serving engines mark.
const MARKERS: &[(&str, &str, Delimiter)] = &[
    ("ProfilerStep#", "ProfilerStep", Delimiter::Profiler),
    ("step[", "step[…]", Delimiter::Serving),
    ("execute_", "execute_…", Delimiter::Serving),
];

/// How the annotations begin that PyTorch puts around every `step()` of an optimizer (`torch/optim/optimizer.py`); the class follows.
const OPTIMIZER_STEP: &str = "Optimizer.step#";

/// Repeated work counts as steps from this many repetitions on.
const REPETITIONS_MIN: usize = 3;

/// Steps as they are delimited.
pub(super) struct Delimited {
    pub(super) delimiter: Delimiter,
    pub(super) marker: String,
    /// Of executions: the program, by index of `Trace::programs`.
    pub(super) program: Option<u32>,
    /// In order of time.
    pub(super) bounds: Vec<Bounds>,
}

/// Where one step lies on the host.
pub(super) struct Bounds {
    pub(super) name: String,
    /// The span that counts for work of every device, but for those of `of_device`.
    pub(super) host: Interval,
    /// Where it begins for the work of single devices, which then reaches to the begin of the next step.
    of_device: BTreeMap<DeviceId, Picoseconds>,
}

impl Bounds {
    /// The latest step that contains a launch for a device.
    pub(super) fn step_of(all: &[Self], device: DeviceId, at: Picoseconds) -> Option<usize> {
        let begin = |one: &Self| one.of_device.get(&device).copied().unwrap_or(one.host.start());
        let step = all.partition_point(|one| begin(one) <= at).checked_sub(1)?;
        let one = &all[step];
        (one.of_device.contains_key(&device) || one.host.contains(at)).then_some(step)
    }
}

/// Finds what delimits the steps of a trace.
pub(super) fn delimit(
    trace: &Trace,
    launches: &Launches,
    graphs: &Graphs,
    hlo: Option<&HloAttribution>,
) -> Option<Delimited> {
    let named = || {
        MARKERS.iter().find_map(|&(prefix, marker, delimiter)| {
            let is_marker = |name: &str| name.starts_with(prefix);
            marked(trace, delimiter, marker, is_marker)
        })
    };
    named()
        .or_else(|| user_steps(trace))
        .or_else(|| optimizer_steps(trace))
        .or_else(|| executions(trace, launches, hlo?))
        .or_else(|| graph_launches(trace, graphs))
}

fn marked(
    trace: &Trace,
    delimiter: Delimiter,
    marker: &str,
    is_marker: impl Fn(&str) -> bool,
) -> Option<Delimited> {
    let mut found: Vec<_> =
        trace.annotations.iter().filter(|one| is_marker(trace.name(one.name))).collect();
    found.sort_by_key(|one| (one.interval, one.thread));
    let bounds = found.into_iter().map(|one| Bounds {
        name: trace.name(one.name).to_owned(),
        host: one.interval,
        of_device: BTreeMap::new(),
    });
    let bounds: Vec<Bounds> = bounds.collect();
    (!bounds.is_empty()).then(|| Delimited {
        delimiter,
        marker: marker.to_owned(),
        program: None,
        bounds,
    })
}

/// Steps that the user of JAX marked: ranges with a number, of the name that occurs most often.
fn user_steps(trace: &Trace) -> Option<Delimited> {
    if trace.executions.is_empty() && trace.programs.is_empty() {
        return None;
    }
    let base = |name: &str| {
        let (base, number) = name.rsplit_once('#')?;
        number.parse::<u64>().ok().map(|_| base.to_owned())
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for found in trace.annotations.iter().filter_map(|one| base(trace.name(one.name))) {
        *counts.entry(found).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    let (marker, _) = counts.into_iter().find(|(_, count)| *count == most)?;
    marked(trace, Delimiter::User, &marker, |name| base(name).as_deref() == Some(&*marker))
}

/// Training steps: each ends with an update of the weights. Of several optimizers the one that runs most often counts; one that
/// runs once for several batches makes one step of them.
fn optimizer_steps(trace: &Trace) -> Option<Delimited> {
    let mut ends: BTreeMap<&str, Vec<Picoseconds>> = BTreeMap::new();
    for one in &trace.annotations {
        let name = trace.name(one.name);
        if name.starts_with(OPTIMIZER_STEP) {
            ends.entry(name).or_default().push(one.interval.end());
        }
    }
    let most = ends.values().map(Vec::len).max()?;
    let (name, mut ends) = ends.into_iter().find(|(_, ends)| ends.len() == most)?;
    ends.sort_unstable();
    let begins = ends.into_iter().map(|at| (at, BTreeMap::new())).collect();
    from_begins(trace, Delimiter::Optimizer, &format!("after {name}"), begins)
}

/// Executions of the program with the most device time: the first on each device is in the first step, and so on.
fn executions(trace: &Trace, launches: &Launches, hlo: &HloAttribution) -> Option<Delimited> {
    let &(program, _) = hlo.programs.first()?;
    let mut begins: BTreeMap<DeviceId, Vec<Picoseconds>> = BTreeMap::new();
    for one in hlo.executions.iter().filter(|one| one.program == Some(program)) {
        begins.entry(one.device).or_default().extend(begin(trace, launches, one));
    }
    begins.values_mut().for_each(|all| all.sort_unstable());
    let n_steps = begins.values().map(Vec::len).max()?;
    let mut firsts: Vec<BTreeMap<DeviceId, Picoseconds>> = vec![BTreeMap::new(); n_steps];
    for (&device, all) in &begins {
        for (step, &at) in all.iter().enumerate() {
            firsts[step].insert(device, at);
        }
    }
    let name = trace.name(trace.programs[program as usize].name);
    let found = repeated(trace, Delimiter::Executions, name, firsts)?;
    Some(Delimited { program: Some(program), ..found })
}

/// Where the host began an execution: its own record, else the first launch.
fn begin(trace: &Trace, launches: &Launches, one: &DeviceExecution) -> Option<Picoseconds> {
    let host = one.host.map(|host| trace.executions[host as usize].interval.start());
    let calls = one.events.iter().filter_map(|&event| launches.call(trace, event as usize));
    let launched = calls.map(|call| call.interval.start()).min();
    match (host, launched) {
        (Some(host), Some(launched)) => Some(host.min(launched)),
        (one, other) => one.or(other),
    }
}

/// Launches of the graph with the most records in all, where they repeat. A graph is known by its id, else by the number of
/// records that its replays own.
fn graph_launches(trace: &Trace, graphs: &Graphs) -> Option<Delimited> {
    let class = |replay: &GraphReplay| (replay.graph, replay.n_records);
    let mut counts: BTreeMap<(Option<u64>, u64), u64> = BTreeMap::new();
    for replay in graphs.replays.iter().filter(|replay| replay.n_records > 0) {
        *counts.entry(class(replay)).or_default() += replay.n_records;
    }
    let most = counts.values().copied().max()?;
    let (&found, _) = counts.iter().find(|(_, records)| **records == most)?;
    let calls = graphs.replays.iter().filter(|replay| class(replay) == found);
    let mut starts: Vec<(Picoseconds, usize)> =
        calls.map(|replay| (trace.host_calls[replay.call].interval.start(), replay.call)).collect();
    starts.sort_unstable();
    let api = trace.name(trace.host_calls[starts.first()?.1].api).to_owned();
    let firsts = starts.into_iter().map(|(at, _)| (at, BTreeMap::new())).collect();
    from_begins(trace, Delimiter::GraphLaunches, &api, firsts)
}

fn repeated(
    trace: &Trace,
    delimiter: Delimiter,
    name: &str,
    firsts: Vec<BTreeMap<DeviceId, Picoseconds>>,
) -> Option<Delimited> {
    let begins = firsts.into_iter().map(|of| Some((of.values().copied().min()?, of)));
    from_begins(trace, delimiter, name, begins.collect::<Option<_>>()?)
}

/// Steps that reach from one begin to the next, the last one to the end of recording.
fn from_begins(
    trace: &Trace,
    delimiter: Delimiter,
    name: &str,
    begins: Vec<(Picoseconds, BTreeMap<DeviceId, Picoseconds>)>,
) -> Option<Delimited> {
    if begins.len() < REPETITIONS_MIN {
        return None;
    }
    let host = trace.host_window().map(Interval::end);
    let device = trace.device_events.iter().map(|event| event.interval.end()).max();
    let end = host.max(device)?;
    let next: Vec<Picoseconds> = begins.iter().skip(1).map(|(at, _)| *at).chain([end]).collect();
    let bounds = begins.into_iter().zip(next).zip(1_u64..).filter_map(|(((at, of), next), n)| {
        Some(Bounds { name: format!("{name} {n}"), host: Interval::new(at, next)?, of_device: of })
    });
    let (marker, bounds) = (name.to_owned(), bounds.collect());
    Some(Delimited { delimiter, marker, program: None, bounds })
}
