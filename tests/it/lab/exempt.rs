//! Damage that a file cannot show, since an honest capture may be the same file. Each row says when, and why.

use super::capture::{
    Capture, Side, correlation, end, is_graph_launch, is_kernel, length, name, side, start,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

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
pub(crate) const EXEMPTIONS: [Exemption; 7] = [
    Exemption {
        kinds: "replays keep their|replays lose their|inside replays",
        applies: |complete, damaged| {
            replays_are_alike(complete, damaged) || replays_may_be_of_other_graphs(damaged)
        },
        when: "All replays of a graph kept records of the same names, or it was replayed once, or no record names its graph and at most \
            two kinds of replays are a part of another kind.",
        proof: "Take the graph that has just the kept kernels, and a host that does what this host did. Its complete capture is \
            this file: every launch owns records, all replays are alike, and where neither a wait of the host nor queued work \
            lies in the new gaps, the device had nothing to do in them. Where replays kept different records, it is the capture of as \
            many graphs, and the first and the last piece of a model are parts of the pieces between. What tells the two apart is outside the file: a \
            graph-capture shard, the graph's node count, a second replay, a wait behind the replay.",
    },
    Exemption {
        kinds: "graph launches stripped",
        applies: no_replay_is_left,
        when: "The launches of all replays were stripped, and of their records chance left none, or such as come first on their stream.",
        proof: "A window that opens on a busy device begins with records whose launches came before it. Of other replays neither \
            side is in the file. It is the complete capture of a host that did something else in that time. Where it waited for \
            the device, or work was queued behind a replay, that shows; where it did neither, no record is left that could.",
    },
    Exemption {
        kinds: "with their launches|both sides of",
        applies: no_call_lacks_its_work,
        when: "Calls were lost together with all work that they launched.",
        proof: "It is the complete file of a host that did not make these calls. That an operator launched nothing is no sign: it \
            launches nothing for empty tensors and for the CPU's, up to a third of those of one name in complete public captures. Ids that \
            are left out are none either: producers leave whole kinds of calls out.",
    },
    Exemption {
        kinds: "fills lost",
        applies: |_, _| true,
        when: "Records of fills were lost, those of kernels and copies are there.",
        proof: "Complete public captures lack them: four have 22 to 305 calls of cudaMemsetAsync without a record, since small fills are done \
            without the device's engines. The call does not say how large its fill was. A fill that the host waited for, or behind which work \
            was queued, shows by that.",
    },
    Exemption {
        kinds: "of no known purpose",
        applies: |_, _| true,
        when: "Calls whose name says nothing of a launch, and of which none is known to launch anything, lost all their work.",
        proof: "Runtimes have hundreds of calls that launch nothing, and none of them leaves a record. It is the complete file of a host \
            that made such calls.",
    },
    Exemption {
        kinds: "lasts nothing|last nothing",
        applies: times_are_whole_microseconds,
        when: "The file resolves whole microseconds, and records last 0.",
        proof: "A kernel of less than a microsecond leaves this record: in one complete public capture 309 of 9,927 records are like it, \
            and kernels of one name take as little on small inputs.",
    },
    Exemption {
        kinds: "100 times as long",
        applies: long_records_fit,
        when: "Every stretched record ends before a later one of its stream does, those of its own replay aside.",
        proof: "A kernel that truly took so long leaves this file, and durations of one name differ by as much in honest captures \
            (collectives wait, attention grows). Kernels overlap where one launches the next early, and branches of a replay may be \
            recorded on one stream. Only order contradicts a duration: a later record of the stream, or a wait for \
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

/// True where replays that kept different records may be complete ones of different graphs.
fn replays_may_be_of_other_graphs(damaged: &Capture) -> bool {
    let names_its_graph = |event: &Value| !event["args"]["graph id"].is_null();
    let kinds: BTreeSet<Names<'_>> = by_replay(damaged).into_values().collect();
    let is_part = |part: &&Names<'_>| {
        let holds = |whole: &Names<'_>| part.iter().all(|(name, n)| whole.get(name) >= Some(n));
        kinds.iter().any(|whole| whole != *part && holds(whole))
    };
    !damaged.work().any(names_its_graph) && kinds.iter().filter(is_part).count() <= 2
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

/// True where no replay is left but such as may have been launched before recording began.
fn no_replay_is_left(complete: &Capture, damaged: &Capture) -> bool {
    if damaged.events.iter().any(|event| is_graph_launch(event)) {
        return false;
    }
    let calls = damaged.events.iter().filter(|event| side(event) == Side::Call);
    let ids: HashSet<u64> = calls.filter_map(|event| correlation(event)).collect();
    let first_id = ids.iter().min().copied().unwrap_or(u64::MAX);
    let is_linked = |event: &&Value| correlation(event).is_some_and(|id| ids.contains(&id));
    let mut first_start: HashMap<(String, String), i64> = HashMap::new();
    for event in damaged.work().filter(is_linked) {
        let first = first_start.entry(lane(event)).or_insert(i64::MAX);
        *first = start(event).min(*first);
    }
    let replays: HashSet<u64> = complete.replays().into_iter().collect();
    let mut left =
        damaged.work().filter(|event| correlation(event).is_some_and(|id| replays.contains(&id)));
    left.all(|event| {
        let precedes = first_start.get(&lane(event)).is_none_or(|&first| start(event) < first);
        precedes && correlation(event).is_some_and(|id| id < first_id)
    })
}

/// The stream of a record.
fn lane(event: &Value) -> (String, String) {
    (event["pid"].to_string(), event["tid"].to_string())
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

fn times_are_whole_microseconds(complete: &Capture, _: &Capture) -> bool {
    complete.work().all(|event| start(event) % 1_000 == 0 && length(event) % 1_000 == 0)
}

fn long_records_fit(complete: &Capture, damaged: &Capture) -> bool {
    let mut lanes: HashMap<(String, String), Vec<&Value>> = HashMap::new();
    for event in damaged.work() {
        lanes.entry(lane(event)).or_default().push(event);
    }
    let outlasts = |event: &Value| {
        let others = lanes[&lane(event)].iter();
        others
            .filter(|other| correlation(other) != correlation(event))
            .any(|other| start(other) >= start(event) && end(other) < end(event))
    };
    // Damage keeps the order of the file.
    complete.work().zip(damaged.work()).all(|(before, after)| {
        !is_kernel(after) || length(before) == length(after) || !outlasts(after)
    })
}
