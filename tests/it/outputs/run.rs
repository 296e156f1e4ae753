//! A run of two ranks for the tests of outputs, complete like the captures beside it.

use super::builder::{HOSTILE, check, us};
use idleproof::report::*;

/// A run whose split is withheld.
pub(crate) fn run() -> RunReport {
    RunReport {
        name: "captures/decode".to_owned(),
        captures: vec!["captures/decode/rank_0".to_owned(), "captures/decode/rank_1".to_owned()],
        ranks: vec![0, 1],
        world_size: Some(8),
        window_us: Some(us(5_200)),
        checks: vec![check(
            "missing-ranks",
            State::Violated,
            Level::Warn,
            &[Claim::CollectiveSplit],
        )],
        claims: RunClaims {
            collective_split: ClaimReport {
                state: ClaimState::Withheld,
                by: vec!["missing-ranks".to_owned()],
            },
        },
        collectives: vec![CollectiveTime {
            name: HOSTILE.to_owned(),
            group: Some(HOSTILE.to_owned()),
            instances: 3,
            kernel_us: us(4_200),
            wait_us: us(3_800),
            wait_is_upper_bound: true,
            transfer_us: (us(0), us(200)),
            straggler: Some((1, 2)),
        }],
        by_rank: vec![RankTotal {
            rank: 0,
            kernel_us: us(4_000),
            wait_us: (us(2_800), us(3_800)),
            last: 1,
            awaited_us: (us(0), us(3_800)),
            starts_after_us: Some(us(0)),
        }],
        look_first: Some(LookFirst {
            rank: Some(1),
            action: "look at rank 1 first".to_owned(),
            evidence: vec![HOSTILE.to_owned()],
            starts_later_us: Some(us(700)),
            late_us: Some(us(3_800)),
            next: Some((0, us(3_800))),
            host: vec![RankDifference {
                name: HOSTILE.to_owned(),
                kind: "annotation".to_owned(),
                time_us: us(915),
                others_most_us: us(560),
                others_us: us(556),
            }],
            basis: "inferred".to_owned(),
        }),
        longest_waits: vec![CollectiveInstance {
            name: HOSTILE.to_owned(),
            group: None,
            all_present_us: (us(4_800), us(5_000)),
            straggler: 1,
            ranks: vec![RankWait { rank: 0, kernel_us: us(4_000), wait_us: us(3_800) }],
        }],
    }
}
