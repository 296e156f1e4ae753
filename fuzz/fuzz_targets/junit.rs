//! Fuzzes `targets::junit`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| idleproof_fuzz::targets::junit(bytes));
