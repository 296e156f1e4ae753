//! Fuzzes `targets::xplane`.

#![no_main]

idleproof_fuzz::fuzz!(xplane, wire);
