//! Fuzzes `targets::report`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| idleproof_fuzz::targets::report(bytes));
