//! Damage that a file cannot show, since an honest capture may be the same file. Each row says when, and why.

use super::capture::{
    Capture, Side, correlation, end, is_graph_launch, is_kernel, length, name, side, start,
};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// One reason.
pub(crate) struct Exemption {
    /// Words that the name of the damage contains.
    kinds: &'static str,
    /// Whether it applies, by the complete capture and the damaged one.
    applies: fn(&Capture, &Capture) -> bool,
    /// When it applies, as a sentence.
    pub(crate) when: &'static str,
    /// Why nothing can show then.
    pub(crate) proof: &'static str,
}

/// Every reason.
pub(crate) const EXEMPTIONS: [Exemption; 4] = [
    Exemption {
        kinds: "replays keep their|replays lose their|inside replays",
        applies: replays_are_alike,
        when: "All replays of a graph kept records of the same names, or it was replayed once.",
        proof: "Take the graph that has just the kept kernels, and a host that does what this host did. Its complete capture is \
            this file: every launch owns records, all replays are alike, and where neither a wait of the host nor queued work \
            lies in the new gaps, the device had nothing to do in them. What tells the two apart is outside the file: a \
            graph-capture shard, the graph's node count, a second replay, a wait behind the replay.",
    },
    Exemption {
        kinds: "graph launches stripped",
        applies: no_replay_is_left,
        when: "Chance lost the records of every replay, and their launches were stripped as well.",
        proof: "Neither side of any replay is in the file. It is the complete capture of a host that did something else in that \
            time. Where it waited for the device, or work was queued behind a replay, that shows; where it did neither, no \
            record is left that could.",
    },
    Exemption {
        kinds: "with their launches|both sides of",
        applies: no_call_lacks_its_work,
        when: "Calls were lost together with all work that they launched.",
        proof: "It is the complete file of a host that did not make these calls. That an operator launched nothing is no sign: on \
            empty tensors and on the CPU's it doesn't, in complete public captures up to a third of those of one name. Ids that \
            are left out are none either: producers leave whole kinds of calls out.",
    },
    Exemption {
        kinds: "100 times as long",
        applies: long_records_fit,
        when: "Every stretched record ends before the next one of its stream begins.",
        proof: "A kernel that truly took so long leaves this file, and durations of one name differ by as much in honest captures \
            (collectives wait, attention grows). Only order contradicts a duration: a later record of the stream, or a wait for \
            the device that returned before.",
    },
];

/// Why the file cannot show this damage, as a place in the table.
pub(crate) fn reason(kind: &str, complete: &Capture, damaged: &Capture) -> Option<usize> {
    EXEMPTIONS.iter().position(|one| {
        one.kinds.split('|').any(|words| kind.contains(words)) && (one.applies)(complete, damaged)
    })
}

/// Names of records, each with its number.
type Names<'a> = BTreeMap<&'a str, u64>;

/// True where replays that owned the same still do.
fn replays_are_alike(complete: &Capture, damaged: &Capture) -> bool {
    let (before, after) = (by_replay(complete), by_replay(damaged));
    let mut left: HashMap<&Names<'_>, Option<&Names<'_>>> = HashMap::new();
    before.iter().all(|(id, names)| {
        let now = after.get(id);
        *left.entry(names).or_insert(now) == now
    })
}

fn by_replay(capture: &Capture) -> HashMap<u64, Names<'_>> {
    let replays: HashSet<u64> = capture.replays().into_iter().collect();
    let mut owned: HashMap<u64, Names<'_>> = HashMap::new();
    for event in capture.work() {
        if let Some(id) = correlation(event).filter(|id| replays.contains(id)) {
            *owned.entry(id).or_default().entry(name(event)).or_default() += 1;
        }
    }
    owned
}

fn no_replay_is_left(complete: &Capture, damaged: &Capture) -> bool {
    let replays: HashSet<u64> = complete.replays().into_iter().collect();
    let replayed = |event: &Value| correlation(event).is_some_and(|id| replays.contains(&id));
    !damaged.work().any(replayed) && !damaged.events.iter().any(|event| is_graph_launch(event))
}

/// True where each call that is left has all the work that it had.
fn no_call_lacks_its_work(complete: &Capture, damaged: &Capture) -> bool {
    let calls = damaged.events.iter().filter(|event| side(event) == Side::Call);
    let left: HashSet<u64> = calls.filter_map(|event| correlation(event)).collect();
    let owned = |capture: &Capture| {
        capture.work().filter_map(correlation).filter(|id| left.contains(id)).count()
    };
    owned(complete) == owned(damaged)
}

fn long_records_fit(complete: &Capture, damaged: &Capture) -> bool {
    let lane = |event: &Value| (event["pid"].to_string(), event["tid"].to_string());
    let mut starts: HashMap<(String, String), Vec<i64>> = HashMap::new();
    for event in damaged.work() {
        starts.entry(lane(event)).or_default().push(start(event));
    }
    starts.values_mut().for_each(|starts| starts.sort_unstable());
    // Damage keeps the order of the file.
    complete.work().zip(damaged.work()).all(|(before, after)| {
        let next = starts
            .get(&lane(after))
            .and_then(|starts| starts.get(starts.partition_point(|&other| other <= start(after))));
        let fits = next.is_none_or(|&next| end(after) <= next);
        !is_kernel(after) || length(before) == length(after) || fits
    })
}
