//! Monotone alignment of kernels with slots: every best alignment is counted, so that a kernel on which two of them
//! disagree gets no answer.

use std::ops::ControlFlow;

/// A kernel that no slot takes. Dearer than the gain of any single match, so that it is the last resort.
const UNMATCHED: i32 = -6;

/// Cells of one table: kernels × slots. Four tables of this size take 16 MiB.
const MAX_CELLS: usize = 1 << 20;

/// What a slot demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Demand {
    /// True where the slot may stay empty.
    pub(super) optional: bool,
    /// True where the slot may take several neighbouring kernels.
    pub(super) many: bool,
}

/// What an alignment says of one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aligned {
    /// Every best alignment gives it to this slot.
    Slot(usize),
    /// No best alignment gives it to any slot.
    Nowhere,
    /// The best alignments disagree; so many answers are possible.
    Ambiguous(u32),
}

/// Why there is no alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// A slot that must launch something can't be filled: kernels are missing.
    Incomplete,
    /// The tables would be too large.
    TooLarge,
}

/// The work that an analysis may still do, in cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget(pub(super) usize);

impl Budget {
    /// Takes `cells` from the budget, unless they exceed what is left.
    pub(super) fn take(&mut self, cells: usize) -> ControlFlow<()> {
        match self.0.checked_sub(cells) {
            Some(left) => {
                self.0 = left;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        }
    }
}

/// Aligns `n_kernels` kernels with the slots, both in order. `score` is `None` where the kernel cannot be the slot's.
pub(super) fn align(
    n_kernels: usize,
    slots: &[Demand],
    score: impl Fn(usize, usize) -> Option<i32>,
    budget: &mut Budget,
) -> Result<Vec<Aligned>, Refusal> {
    let cells = (n_kernels + 1).saturating_mul(slots.len() + 1);
    if cells > MAX_CELLS || budget.take(cells).is_break() {
        return Err(Refusal::TooLarge);
    }
    let shape = Shape { n_kernels, slots };
    let (before, after) = (shape.before(&score), shape.after(&score));
    let best = before.closed[shape.at(n_kernels, slots.len())];
    let Some(best) = best else { return Err(Refusal::Incomplete) };
    Ok((0..n_kernels).map(|kernel| shape.answer(kernel, &before, &after, best)).collect())
}

/// Best sums up to, or from, a state. A state is (kernels passed, slots passed); in `open` the last slot passed has the last
/// kernel passed and may take another.
struct Sums {
    closed: Vec<Option<i32>>,
    open: Vec<Option<i32>>,
}

struct Shape<'a> {
    n_kernels: usize,
    slots: &'a [Demand],
}

impl Shape<'_> {
    fn at(&self, kernels: usize, slots: usize) -> usize {
        kernels * (self.slots.len() + 1) + slots
    }

    fn empty(&self) -> Sums {
        let cells = (self.n_kernels + 1) * (self.slots.len() + 1);
        Sums { closed: vec![None; cells], open: vec![None; cells] }
    }

    fn before(&self, score: &impl Fn(usize, usize) -> Option<i32>) -> Sums {
        let mut sums = self.empty();
        for kernels in 0..=self.n_kernels {
            for slots in 0..=self.slots.len() {
                let mut closed = (kernels == 0 && slots == 0).then_some(0);
                let mut open = None;
                if kernels > 0 {
                    let unmatched = sums.closed[self.at(kernels - 1, slots)];
                    closed = closed.max(unmatched.map(|sum| sum + UNMATCHED));
                }
                if slots > 0 && self.slots[slots - 1].optional {
                    closed = closed.max(sums.closed[self.at(kernels, slots - 1)]);
                }
                if kernels > 0 && slots > 0 {
                    let first = sums.closed[self.at(kernels - 1, slots - 1)];
                    let more = sums.open[self.at(kernels - 1, slots)];
                    let more = more.filter(|_| self.slots[slots - 1].many);
                    open = plus(first.max(more), score(kernels - 1, slots - 1));
                }
                let at = self.at(kernels, slots);
                sums.open[at] = open;
                sums.closed[at] = closed.max(open);
            }
        }
        sums
    }

    fn after(&self, score: &impl Fn(usize, usize) -> Option<i32>) -> Sums {
        let mut sums = self.empty();
        for kernels in (0..=self.n_kernels).rev() {
            for slots in (0..=self.slots.len()).rev() {
                let (last_kernel, last_slot) =
                    (kernels == self.n_kernels, slots == self.slots.len());
                let mut closed = (last_kernel && last_slot).then_some(0);
                if !last_kernel {
                    let unmatched = sums.closed[self.at(kernels + 1, slots)];
                    closed = closed.max(unmatched.map(|sum| sum + UNMATCHED));
                }
                if !last_slot && self.slots[slots].optional {
                    closed = closed.max(sums.closed[self.at(kernels, slots + 1)]);
                }
                if !last_kernel && !last_slot {
                    let matched = sums.open[self.at(kernels + 1, slots + 1)];
                    closed = closed.max(plus(matched, score(kernels, slots)));
                }
                let mut open = closed;
                if !last_kernel && slots > 0 && self.slots[slots - 1].many {
                    let more = sums.open[self.at(kernels + 1, slots)];
                    open = open.max(plus(more, score(kernels, slots - 1)));
                }
                let at = self.at(kernels, slots);
                (sums.closed[at], sums.open[at]) = (closed, open);
            }
        }
        sums
    }

    /// Which slots a kernel has in any best alignment.
    fn answer(&self, kernel: usize, before: &Sums, after: &Sums, best: i32) -> Aligned {
        let mut found = None;
        let mut n = 0;
        for slot in 0..self.slots.len() {
            let at = self.at(kernel + 1, slot + 1);
            if plus(before.open[at], after.open[at]) == Some(best) {
                (found, n) = (Some(slot), n + 1);
            }
        }
        let unmatched = (0..=self.slots.len()).any(|slots| {
            let skipped = before.closed[self.at(kernel, slots)].map(|sum| sum + UNMATCHED);
            plus(skipped, after.closed[self.at(kernel + 1, slots)]) == Some(best)
        });
        match (found, n, unmatched) {
            (Some(slot), 1, false) => Aligned::Slot(slot),
            (None, _, _) => Aligned::Nowhere,
            _ => Aligned::Ambiguous(n + u32::from(unmatched)),
        }
    }
}

fn plus(a: Option<i32>, b: Option<i32>) -> Option<i32> {
    Some(a?.saturating_add(b?))
}

#[cfg(test)]
mod tests {
    use super::{Aligned, Budget, Demand, Refusal, align};

    /// Kernels and slots are letters: a kernel fits the slots of its letter. Upper-case slots take several kernels, and
    /// a slot followed by `?` may stay empty.
    fn run(kernels: &str, slots: &str) -> Result<String, Refusal> {
        let mut demands = Vec::new();
        let mut letters = Vec::new();
        for c in slots.chars() {
            if c == '?' {
                let last: &mut Demand = demands.last_mut().unwrap();
                last.optional = true;
            } else {
                demands.push(Demand { optional: false, many: c.is_uppercase() });
                letters.push(c.to_ascii_lowercase());
            }
        }
        let kernels: Vec<char> = kernels.chars().collect();
        let score = |kernel: usize, slot: usize| (kernels[kernel] == letters[slot]).then_some(3);
        let aligned = align(kernels.len(), &demands, score, &mut Budget(1 << 20))?;
        let text = aligned.into_iter().map(|one| match one {
            Aligned::Slot(slot) => slot.to_string(),
            Aligned::Nowhere => "-".to_owned(),
            Aligned::Ambiguous(n) => format!("({n})"),
        });
        Ok(text.collect::<Vec<_>>().join(" "))
    }

    fn check(kernels: &str, slots: &str, expected: &str) {
        assert_eq!(run(kernels, slots).unwrap(), expected, "{kernels} on {slots}");
    }

    #[test]
    fn in_order() {
        check("abc", "abc", "0 1 2");
        check("", "", "");
        check("", "a?", "");
    }

    #[test]
    fn a_library_call_takes_its_neighbours() {
        check("aab", "Ab", "0 0 1");
        check("baaac", "bAc", "0 1 1 1 2");
    }

    #[test]
    fn equal_neighbours_stay_ambiguous() {
        check("aaa", "AA", "0 (2) 1");
        check("aa", "AA", "0 1");
        // One kernel, two places that may stay empty.
        check("a", "a?a?", "(2)");
        check("aa", "a?a?", "0 1");
    }

    #[test]
    fn the_family_decides_between_neighbours() {
        check("aabaa", "ABA", "0 0 1 2 2");
    }

    #[test]
    fn strangers_go_nowhere() {
        check("axb", "ab", "0 - 1");
        check("aa", "a", "(2) (2)");
    }

    #[test]
    fn missing_kernels_refuse_the_whole() {
        assert_eq!(run("ac", "abc"), Err(Refusal::Incomplete));
        assert_eq!(run("", "a"), Err(Refusal::Incomplete));
        check("ac", "ab?c", "0 2");
    }

    #[test]
    fn too_large_is_refused() {
        let slots = vec![Demand { optional: true, many: false }; 1 << 11];
        let refused = align(1 << 11, &slots, |_, _| Some(3), &mut Budget(usize::MAX));
        assert_eq!(refused, Err(Refusal::TooLarge));
        let refused = align(4, &slots[..4], |_, _| Some(3), &mut Budget(10));
        assert_eq!(refused, Err(Refusal::TooLarge));
    }

    #[test]
    fn agrees_with_trying_everything() {
        // Every alignment of up to five kernels with up to four slots, against the obvious model.
        let words = |letters: &[char], n: usize| -> Vec<String> {
            let mut words = vec![String::new()];
            for _ in 0..n {
                let longer =
                    words.iter().flat_map(|word| letters.iter().map(move |c| format!("{word}{c}")));
                words = longer.collect();
            }
            words
        };
        for (n_kernels, n_slots) in [(2, 2), (3, 2), (4, 3), (5, 2)] {
            for kernels in words(&['a', 'b'], n_kernels) {
                for slots in words(&['a', 'A', 'b', 'B'], n_slots) {
                    assert_eq!(
                        run(&kernels, &slots).ok(),
                        model(&kernels, &slots),
                        "{kernels} {slots}"
                    );
                }
            }
        }
    }

    /// Tries every assignment of kernels to slots.
    fn model(kernels: &str, slots: &str) -> Option<String> {
        let kernels: Vec<char> = kernels.chars().collect();
        let slots: Vec<char> = slots.chars().collect();
        let mut all: Vec<Vec<Option<usize>>> = vec![Vec::new()];
        for &kernel in &kernels {
            let mut longer = Vec::new();
            for known in all {
                let last = known.iter().flatten().max().copied();
                for (slot, c) in slots.iter().enumerate() {
                    let again = last == Some(slot);
                    let adjacent = again && known.last() == Some(&Some(slot)) && c.is_uppercase();
                    let fits = c.to_ascii_lowercase() == kernel;
                    if fits && (adjacent || last.is_none_or(|last| slot > last)) {
                        longer.push([known.clone(), vec![Some(slot)]].concat());
                    }
                }
                longer.push([known, vec![None]].concat());
            }
            all = longer;
        }
        all.retain(|one| (0..slots.len()).all(|slot| one.contains(&Some(slot))));
        let worth = |one: &Vec<Option<usize>>| -> i32 {
            one.iter().map(|place| if place.is_some() { 3 } else { super::UNMATCHED }).sum()
        };
        let best = all.iter().map(worth).max()?;
        all.retain(|one| worth(one) == best);
        let text = (0..kernels.len()).map(|kernel| {
            let mut places: Vec<Option<usize>> = all.iter().map(|one| one[kernel]).collect();
            places.sort_unstable();
            places.dedup();
            match places.as_slice() {
                [Some(slot)] => slot.to_string(),
                [None] => "-".to_owned(),
                many => format!("({})", many.len()),
            }
        });
        Some(text.collect::<Vec<_>>().join(" "))
    }
}
