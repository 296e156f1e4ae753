//! What the fuzz targets of idleproof do. The program's own tests take the same files in by their path.

pub mod mutate;
pub mod targets;

#[path = "../../tests/it/xplane_pb.rs"]
mod xplane_pb;

/// A fuzz target of this name, whose inputs may also be changed by their format.
#[macro_export]
macro_rules! fuzz {
    ($target:ident) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::targets::$target(bytes));
    };
    ($target:ident, $change:ident) => {
        $crate::fuzz!($target);
        libfuzzer_sys::fuzz_mutator!(|bytes: &mut [u8], size: usize, max: usize, seed: u32| {
            // Every other change knows nothing of the format.
            let at_hand = bytes.get(..size).unwrap_or_default();
            match $crate::mutate::$change(at_hand, u64::from(seed)) {
                Some(changed) if seed % 2 == 0 && changed.len() <= max.min(bytes.len()) => {
                    bytes[..changed.len()].copy_from_slice(&changed);
                    changed.len()
                }
                _ => libfuzzer_sys::fuzzer_mutate(bytes, size, max),
            }
        });
    };
}
