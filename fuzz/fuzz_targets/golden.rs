//! Fuzzes `targets::golden`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| idleproof_fuzz::targets::golden(bytes));
