//! Chance that is always the same: each answer follows from a seed and a key alone, so that the order of questions does not matter.

/// A source of answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The source of a seed.
    pub(crate) const fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// True for so many of a hundred keys.
    pub(crate) fn percent(self, key: u64, percent: u64) -> bool {
        self.below(key, 10_000) < percent * 100
    }

    /// A number below `n`.
    pub(crate) fn below(self, key: u64, n: u64) -> u64 {
        // SplitMix64.
        let mut mixed = self.0.wrapping_add(key.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % n.max(1)
    }
}
