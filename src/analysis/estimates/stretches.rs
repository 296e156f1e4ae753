//! The stretches of the critical path that a cause of the host is made of: one long call is another matter than many short ones.

use super::causes::{Cause, copy_apis, is_call_of};
use super::parts::Part;
use crate::analysis::host_cause::without_number;
use crate::analysis::path::{Model, Path, PathSegment, SegmentKind};
use crate::trace::{NameId, Trace};
use crate::units::Picoseconds;

/// So many other calls of a name tell how long one of them takes as a rule. A choice.
const OTHERS_MIN: usize = 3;

/// The stretches of one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretches {
    /// How many.
    pub count: usize,
    /// How long the longest is.
    pub longest: Picoseconds,
    /// Its call or innermost host event; absent where nothing was recorded.
    pub name: Option<String>,
    /// True where the longest is one call or operator that makes more than half of the cause's part of the path, and takes longer than all
    /// others of its name in the capture together: such is a first use as a rule.
    pub mostly_one: bool,
}

/// The stretches of a cause; `None` of what is not time of the host on the path.
pub(super) fn stretches(cause: &Cause, path: &Path, model: &Model<'_>) -> Option<Stretches> {
    let apis = copy_apis(model);
    let names = |one: &PathSegment| one.name.map_or("", |name| model.trace.name(name));
    let is_it = |one: &&PathSegment| match cause {
        Cause::Host => one.kind == SegmentKind::Host,
        Cause::HostEvent(name) => {
            one.kind == SegmentKind::Host && without_number(names(one)) == name
        }
        Cause::LaunchCalls => one.kind == SegmentKind::LaunchCall && !is_call_of(&apis, one),
        Cause::CopyCalls => is_call_of(&apis, one),
        Cause::Waits | Cause::Collectives | Cause::Copies | Cause::Kernel(_) => false,
    };
    let mine = || path.segments.iter().filter(is_it);
    let longest = mine().max_by_key(|one| one.interval.duration())?;
    let time = longest.interval.duration();
    let all: Picoseconds = mine().map(|one| one.interval.duration()).sum();
    let is_first = |name| time + time > all && outlasts_others(model.trace, name, time);
    let name = longest.name.map(|name| without_number(model.trace.name(name)).to_owned());
    let mostly_one = longest.name.is_some_and(is_first);
    Some(Stretches { count: mine().count(), longest: time, name, mostly_one })
}

impl Stretches {
    /// The longest, where it is most of the cause and has no like.
    pub(super) fn only(&self) -> Option<Part> {
        let what = self.name.clone().filter(|_| self.mostly_one)?;
        Some(Part { what, time: self.longest })
    }
}

/// True where a call or operator of this name and length takes longer than all others of its name together.
fn outlasts_others(trace: &Trace, name: NameId, time: Picoseconds) -> bool {
    let calls = trace.host_calls.iter().filter(|one| one.api == name).map(|one| one.interval);
    let ops = trace.ops.iter().filter(|one| one.name == name).map(|one| one.interval);
    let (mut n_others, mut sum, mut is_longest) = (0, Picoseconds::ZERO, false);
    for length in calls.chain(ops).map(|one| one.duration()) {
        if length >= time && !is_longest {
            is_longest = true;
        } else {
            (n_others, sum) = (n_others + 1, sum + length);
        }
    }
    is_longest && n_others >= OTHERS_MIN && sum < time
}
