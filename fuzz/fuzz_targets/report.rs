//! Fuzzes `targets::report`.

#![no_main]

idleproof_fuzz::fuzz!(report);
