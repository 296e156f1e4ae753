//! Fuzzes `targets::hlo`.

#![no_main]

use idleproof_fuzz::mutate;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| idleproof_fuzz::targets::hlo(bytes));

libfuzzer_sys::fuzz_mutator!(|bytes: &mut [u8], size: usize, max: usize, seed: u32| {
    // Every other change knows nothing of the format.
    match mutate::wire(bytes.get(..size).unwrap_or_default(), u64::from(seed)) {
        Some(changed) if seed % 2 == 0 && changed.len() <= max.min(bytes.len()) => {
            bytes[..changed.len()].copy_from_slice(&changed);
            changed.len()
        }
        _ => libfuzzer_sys::fuzzer_mutate(bytes, size, max),
    }
});
