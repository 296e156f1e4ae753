//! The fuzz targets over a small corpus: one file a case, named by what it showed, and some changes of each.
//!
//! `fuzz/` runs the same functions without end; what it finds is fixed and becomes a file of `tests/fuzz/<target>`.

#[path = "../../fuzz/src/mutate.rs"]
#[expect(
    unreachable_pub,
    clippy::cast_possible_truncation,
    reason = "shared with the fuzz targets: dice are cut to what is asked for"
)]
pub(crate) mod mutate;
#[path = "../../fuzz/src/targets.rs"]
#[expect(
    unreachable_pub,
    clippy::expect_used,
    reason = "shared with the fuzz targets, which end at what must not be"
)]
pub(crate) mod targets;

use crate::harness::in_crate;
use crate::xspace::xplane_pb;
use targets::ALL;

/// Changes of each file that a test runs.
const CHANGES: u64 = 12;

#[test]
fn what_fuzzing_found_stays_found() {
    for &(name, target) in ALL {
        let folder = in_crate("tests/fuzz").join(name);
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
        files.sort();
        assert!(!files.is_empty(), "tests/fuzz/{name} holds no case");
        for file in files {
            let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{error}"));
            let changed = |seed| match name {
                "trace_json" => mutate::json(&bytes, seed),
                "xplane" => mutate::wire(&bytes, seed),
                "hlo" => Some([&bytes[..1], &mutate::wire(&bytes[1..], seed)?].concat()),
                _ => None,
            };
            let run = || {
                target(&bytes);
                (0..CHANGES).filter_map(changed).for_each(|changed| target(&changed));
            };
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
            assert!(ended.is_ok(), "{} or a change of it", file.display());
        }
    }
}
