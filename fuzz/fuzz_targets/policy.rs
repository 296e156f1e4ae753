//! Fuzzes `targets::policy`.

#![no_main]

idleproof_fuzz::fuzz!(policy);
