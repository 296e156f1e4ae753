//! The matching inside one window: by name where a name decides, by order where the window is complete.
//!
//! Equal counts come first: where a class of equal instructions has as many kernels as slots, they meet one by one. That
//! takes linear time and leaves small gaps with the kernels of libraries, which are aligned by dynamic programming.

use super::align::{Aligned, Budget, Demand, Refusal, align};
use super::lanes::Lane;
use super::looks::{Tagged, score};
use super::programs::Prepared;
use super::schedule::Slot;
use super::windows::{Found, Kernel, Unattributed};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The open kernels and slots between two certain kernels.
pub(super) struct Window<'a> {
    pub(super) lane: &'a Lane,
    /// Indices of the open kernels, in the order of launch.
    pub(super) members: &'a [usize],
    /// Positions in the lane.
    pub(super) slots: Range<usize>,
    /// Slots at either end that already have a kernel and may have more.
    pub(super) edges: [Option<usize>; 2],
}

/// A kernel and its place in the window: (index in the members, index in the list of places).
type Pair = (usize, usize);

/// Matches a window that must be complete; refused where it is not.
pub(super) fn match_window(
    prepared: &Prepared<'_>,
    window: &Window<'_>,
    kernels: &[Kernel],
    budget: &mut Budget,
) -> Result<Vec<Found>, Unattributed> {
    if !prepared.schedule.is_ordered {
        return Err(Unattributed::NoSchedule);
    }
    if window.lane.is_unknown(&window.slots) {
        return Err(Unattributed::UnknownPart);
    }
    if window.lane.n_required(&window.slots) > window.members.len() {
        return Err(Unattributed::Incomplete);
    }
    if budget.take(window.slots.len() + window.members.len()).is_break() {
        return Err(Unattributed::TooLarge);
    }
    let places = Places::of(prepared, window);
    let matching = Matching { prepared, window, kernels, places: &places };
    let by_name = matching.by_name();
    let by_count = matching.by_count(&by_name)?;
    let mut found = vec![Found::Nothing(Unattributed::NoCandidate, 0); window.members.len()];
    for &(member, place) in &by_name {
        found[member] = Found::Name(places.slot(place));
    }
    for &(member, place) in &by_count {
        found[member] = Found::Order(places.slot(place));
    }
    let mut pairs: Vec<Pair> = by_name.into_iter().chain(by_count).collect();
    pairs.sort_unstable();
    if pairs.windows(2).any(|two| two[0].1 >= two[1].1) {
        return Err(Unattributed::OutOfOrder);
    }
    let (mut member, mut place) = (0, 0);
    for pair in pairs.into_iter().map(Some).chain([None]) {
        let (to_member, to_place) = pair.unwrap_or((window.members.len(), places.list.len()));
        matching.gap(member..to_member, place..to_place, &mut found, budget)?;
        (member, place) = (to_member + 1, to_place + 1);
    }
    Ok(found)
}

/// The answers that names alone give where the order cannot be used: only a name that no second kernel of the window bears, and
/// that neither another slot of the window nor an equal or similar instruction could have given.
pub(super) fn match_by_name(
    prepared: &Prepared<'_>,
    window: &Window<'_>,
    kernels: &[Kernel],
    reason: Unattributed,
) -> Vec<Found> {
    let n_of_base = count_bases(window, kernels);
    let schedule = &prepared.schedule;
    let only_name = |member: usize| {
        let kernel = &kernels[member];
        let (base, class) = kernel.look.known.filter(|_| kernel.tagged == Tagged::Open)?;
        let [place] = *window.lane.with_base(base, &window.slots) else { return None };
        let slot = window.lane.slots[place as usize];
        let stem = schedule.slots[slot as usize].stem;
        let alone = n_of_base.get(&base) == Some(&1)
            && window.lane.with_class(class, &window.slots).len() == 1
            && window.lane.with_stem(stem, &window.slots).len() == 1
            && !schedule.open_classes.contains(&class)
            && !schedule.open_stems.contains(&stem);
        alone.then_some(slot)
    };
    window
        .members
        .iter()
        .map(|&member| only_name(member).map_or(Found::Nothing(reason, 0), Found::Name))
        .collect()
}

fn count_bases(window: &Window<'_>, kernels: &[Kernel]) -> FxHashMap<u32, u32> {
    let mut count = FxHashMap::default();
    for (base, _) in window.members.iter().filter_map(|&member| kernels[member].look.known) {
        *count.entry(base).or_insert(0) += 1;
    }
    count
}

/// The places of a window: its slots, and the slots at its ends that may take more.
struct Places<'a> {
    prepared: &'a Prepared<'a>,
    /// Index in the schedule, and whether the place may stay empty.
    list: Vec<(u32, bool)>,
}

impl<'a> Places<'a> {
    fn of(prepared: &'a Prepared<'a>, window: &Window<'_>) -> Self {
        let slot = |position: usize| window.lane.slots[position];
        let [left, right] = window.edges.map(|edge| edge.map(|position| (slot(position), true)));
        let open = window.slots.clone().map(|position| {
            let slot = slot(position);
            (slot, prepared.schedule.slots[slot as usize].emits.min == 0)
        });
        Self { prepared, list: left.into_iter().chain(open).chain(right).collect() }
    }

    fn slot(&self, place: usize) -> u32 {
        self.list[place].0
    }

    fn get(&self, place: usize) -> &'a Slot {
        &self.prepared.schedule.slots[self.slot(place) as usize]
    }
}

struct Matching<'a> {
    prepared: &'a Prepared<'a>,
    window: &'a Window<'a>,
    kernels: &'a [Kernel],
    places: &'a Places<'a>,
}

impl Matching<'_> {
    fn kernel(&self, member: usize) -> &Kernel {
        &self.kernels[self.window.members[member]]
    }

    /// Kernels whose name occurs once among the kernels and once among the slots of the window. In a complete window
    /// a shared kernel's name occurs once for each instruction that runs it, so that it cannot pass for another's.
    fn by_name(&self) -> Vec<Pair> {
        let n_of_base = count_bases(self.window, self.kernels);
        let offset = usize::from(self.window.edges[0].is_some());
        let pair = |member: usize| {
            let kernel = self.kernel(member);
            let (base, _) = kernel.look.known.filter(|_| kernel.tagged == Tagged::Open)?;
            let [position] = *self.window.lane.with_base(base, &self.window.slots) else {
                return None;
            };
            let place = position as usize - self.window.slots.start + offset;
            let single = n_of_base.get(&base) == Some(&1) && !self.places.get(place).emits.many;
            single.then_some((member, place))
        };
        (0..self.window.members.len()).filter_map(pair).collect()
    }

    /// Classes of equal instructions with as many kernels as slots: the first kernel is the first slot's, and so on.
    fn by_count(&self, by_name: &[Pair]) -> Result<Vec<Pair>, Unattributed> {
        let mut groups: Vec<Equal> = Vec::new();
        let mut group_of: FxHashMap<u32, usize> = FxHashMap::default();
        let mut named = by_name.iter().map(|pair| pair.0).peekable();
        for member in 0..self.window.members.len() {
            if named.next_if_eq(&member).is_some() {
                continue;
            }
            let Some(class) = self.class(member) else { continue };
            let group = *group_of.entry(class).or_insert_with(|| {
                groups.push(Equal::default());
                groups.len() - 1
            });
            groups[group].members.push(member);
        }
        let mut taken = vec![false; self.places.list.len()];
        by_name.iter().for_each(|pair| taken[pair.1] = true);
        for place in (0..self.places.list.len()).filter(|&place| !taken[place]) {
            let slot = self.places.get(place);
            if let Some(&group) = group_of.get(&slot.class) {
                groups[group].places.push(place);
                groups[group].any_many |= slot.emits.many;
            }
        }
        let mut pairs = Vec::new();
        for group in groups.into_iter().filter(|group| !group.any_many) {
            if group.members.len() > group.places.len() {
                return Err(Unattributed::Surplus);
            }
            let fits = |(&member, &place): (&usize, &usize)| {
                let kernel = self.kernel(member);
                score(kernel.tagged, kernel.look, self.places.get(place)).is_some()
            };
            let meet = group.members.iter().zip(&group.places);
            if group.members.len() == group.places.len() && meet.clone().all(fits) {
                pairs.extend(meet.map(|(&member, &place)| (member, place)));
            }
        }
        Ok(pairs)
    }

    /// The class of equal instructions to which a kernel belongs, by its label or by its name.
    fn class(&self, member: usize) -> Option<u32> {
        let kernel = self.kernel(member);
        match kernel.tagged {
            Tagged::Of(instruction) => {
                let schedule = &self.prepared.schedule;
                let slot = *schedule.slots_of(instruction).first()?;
                Some(schedule.slots[slot as usize].class)
            }
            Tagged::Open => kernel.look.known.map(|(_, class)| class),
            Tagged::At(_) => None,
        }
    }

    /// What lies between two pairs.
    fn gap(
        &self,
        members: Range<usize>,
        places: Range<usize>,
        found: &mut [Found],
        budget: &mut Budget,
    ) -> Result<(), Unattributed> {
        if members.is_empty() && places.clone().all(|place| self.places.list[place].1) {
            return Ok(());
        }
        if budget.take(members.len().saturating_mul(places.len())).is_break() {
            return Err(Unattributed::TooLarge);
        }
        let fit = |member: usize, place: usize| {
            let kernel = self.kernel(member);
            score(kernel.tagged, kernel.look, self.places.get(place))
        };
        // A kernel that fits nowhere must not stand between two kernels of one library call.
        let members: Vec<usize> = members
            .filter(|&member| places.clone().any(|place| fit(member, place).is_some()))
            .collect();
        let demands: Vec<Demand> = places
            .clone()
            .map(|place| Demand {
                optional: self.places.list[place].1,
                many: self.places.get(place).emits.many,
            })
            .collect();
        let score = |member: usize, place: usize| fit(members[member], places.start + place);
        let aligned =
            align(members.len(), &demands, score, budget).map_err(|refusal| match refusal {
                Refusal::Incomplete => Unattributed::Incomplete,
                Refusal::TooLarge => Unattributed::TooLarge,
            })?;
        for (&member, aligned) in members.iter().zip(aligned) {
            found[member] = match aligned {
                Aligned::Slot(place) => Found::Order(self.places.slot(places.start + place)),
                Aligned::Nowhere => Found::Nothing(Unattributed::NoCandidate, 0),
                Aligned::Ambiguous(n) => Found::Nothing(Unattributed::Ambiguous, n),
            };
        }
        Ok(())
    }
}

/// Kernels and places of one class.
#[derive(Default)]
struct Equal {
    members: Vec<usize>,
    places: Vec<usize>,
    any_many: bool,
}
