//! Fuzzes `targets::golden`.

#![no_main]

idleproof_fuzz::fuzz!(golden);
