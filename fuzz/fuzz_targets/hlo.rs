//! Fuzzes `targets::hlo`.

#![no_main]

idleproof_fuzz::fuzz!(hlo, wire);
