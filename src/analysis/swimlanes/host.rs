//! The launching threads: outermost and innermost events, and the calls into the runtime.

use super::Draft;
use super::merge::Item;
use crate::analysis::Analysis;
use crate::analysis::host_cause::{HostEvent, SameThread, innermost, sweep_order};
use crate::report::LaneKind;
use crate::trace::{HostCallKind, NameId, ThreadId, Trace};
use crate::units::{Interval, Picoseconds};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// Threads that are drawn: those that launched the most.
const THREADS_MAX: usize = 4;

/// An event on a thread.
#[derive(Clone, Copy)]
struct Event {
    interval: Interval,
    kind: &'static str,
    name: NameId,
}

/// The lanes of the threads that launched work of the window, those that launched the most first, and how many others there are.
pub(super) fn lanes(
    trace: &Trace,
    analysis: &Analysis,
    window: Interval,
    on_path: &FxHashSet<(Picoseconds, NameId)>,
) -> (Vec<Draft>, u64) {
    let threads = SameThread::of(trace, &analysis.launches);
    let launching = launching(trace, analysis, &threads, window);
    let left_out = launching.len().saturating_sub(THREADS_MAX) as u64;
    let mut lanes = Vec::new();
    for thread in launching.into_iter().take(THREADS_MAX) {
        let on = |one: ThreadId, at: Interval| {
            threads.of_thread(one) == thread && at.intersection(window).is_some()
        };
        let group = label(trace, thread);
        let mut push = |kind, name: &str, items: Vec<Item>| {
            if !items.is_empty() {
                lanes.push(Draft { group: group.clone(), name: name.to_owned(), kind, items });
            }
        };
        let events = events(trace, &on);
        let outer = outermost(events.clone(), window);
        let inner = innermost_of(&events, window);
        let is_nested = inner.len() != outer.len();
        push(LaneKind::Outermost, "outermost", outer);
        if is_nested {
            push(LaneKind::Innermost, "innermost", inner);
        }
        push(LaneKind::Calls, "runtime calls", calls(trace, analysis, &on, window, on_path));
    }
    (lanes, left_out)
}

/// The threads that launched work of the window.
fn launching(
    trace: &Trace,
    analysis: &Analysis,
    threads: &SameThread,
    window: Interval,
) -> Vec<ThreadId> {
    let mut counts: FxHashMap<ThreadId, u64> = FxHashMap::default();
    for (event, launch) in trace.device_events.iter().zip(&analysis.launches.of_event) {
        let Some(call) = launch.call() else { continue };
        let hands_over = analysis.launches.kinds[call].hands_over_work();
        if hands_over && event.interval.intersection(window).is_some() {
            *counts.entry(threads.of_thread(trace.host_calls[call].thread)).or_default() += 1;
        }
    }
    let mut found: Vec<(ThreadId, u64)> = counts.into_iter().collect();
    found.sort_by_key(|&(thread, n)| (Reverse(n), thread));
    found.into_iter().map(|(thread, _)| thread).collect()
}

fn label(trace: &Trace, thread: ThreadId) -> String {
    let about = &trace.threads[thread.index()];
    let id = trace.name(about.raw_id);
    match about.name.map(|name| trace.name(name)).filter(|name| !name.trim().is_empty()) {
        Some(name) => format!("thread {id} ({name})"),
        None => format!("thread {id}"),
    }
}

fn events(trace: &Trace, on: &impl Fn(ThreadId, Interval) -> bool) -> Vec<Event> {
    let mut found = Vec::new();
    let mut take = |kind, thread, interval, name| {
        if on(thread, interval) {
            found.push(Event { interval, kind, name });
        }
    };
    for one in &trace.annotations {
        take("annotation", one.thread, one.interval, one.name);
    }
    for one in &trace.ops {
        take("op", one.thread, one.interval, one.name);
    }
    for one in &trace.host_spans {
        take("span", one.thread, one.interval, one.name);
    }
    found
}

/// Events that lie in no other. One that covers all of the window tells nothing of it, and is left out.
fn outermost(mut events: Vec<Event>, window: Interval) -> Vec<Item> {
    events.sort_by_key(|one| (one.interval.start(), Reverse(one.interval.end()), one.name));
    let mut reach = None;
    events.retain(|one| {
        let is_inside = reach.is_some_and(|end| one.interval.end() <= end);
        let keeps = !one.interval.covers(window) && !is_inside;
        if keeps {
            reach = Some(one.interval.end());
        }
        keeps
    });
    let item = |one: &Event| item(one.interval, window, one.kind, one.name, false);
    events.iter().filter_map(item).collect()
}

fn innermost_of(events: &[Event], window: Interval) -> Vec<Item> {
    let numbered = events.iter().zip(0_u32..);
    let numbered = numbered.map(|(one, row)| HostEvent { interval: one.interval, row });
    let item = |interval, row: u32| {
        let one = &events[row as usize];
        item(interval, window, one.kind, one.name, false)
    };
    let mut numbered: Vec<HostEvent> = numbered.collect();
    numbered.sort_by_key(|event| sweep_order(event.interval));
    innermost(numbered).filter_map(|one| item(one.interval, one.row)).collect()
}

/// Calls into the runtime. A driver call within one is left out.
fn calls(
    trace: &Trace,
    analysis: &Analysis,
    on: &impl Fn(ThreadId, Interval) -> bool,
    window: Interval,
    on_path: &FxHashSet<(Picoseconds, NameId)>,
) -> Vec<Item> {
    let calls = trace.host_calls.iter().zip(&analysis.launches.kinds);
    let calls = calls.filter(|(call, _)| on(call.thread, call.interval));
    let mut calls: Vec<_> = calls
        .map(|(call, kind)| Event {
            interval: call.interval,
            kind: call_kind(*kind),
            name: call.api,
        })
        .collect();
    calls.sort_by_key(|one| (one.interval.start(), Reverse(one.interval.end()), one.name));
    let mut reach = None;
    calls.retain(|one| {
        let keeps = reach.is_none_or(|end| one.interval.end() > end);
        if keeps {
            reach = Some(one.interval.end());
        }
        keeps
    });
    let item = |one: &Event| {
        let start = one.interval.start().max(window.start());
        let is_on_path = on_path.contains(&(start, one.name));
        item(one.interval, window, one.kind, one.name, is_on_path)
    };
    calls.iter().filter_map(item).collect()
}

const fn call_kind(kind: HostCallKind) -> &'static str {
    if kind.launches_kernels() {
        "launch"
    } else if kind.blocks_on_device() {
        "wait"
    } else if kind.hands_over_work() {
        "copy-call"
    } else {
        "call"
    }
}

fn item(
    interval: Interval,
    window: Interval,
    kind: &'static str,
    name: NameId,
    on_path: bool,
) -> Option<Item> {
    let interval = interval.intersection(window)?;
    Some(Item { interval, kind, name: Some(name), on_path })
}
