//! Fuzzes `targets::junit`.

#![no_main]

idleproof_fuzz::fuzz!(junit);
