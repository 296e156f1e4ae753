//! Fuzzes `targets::trace_json`.

#![no_main]

idleproof_fuzz::fuzz!(trace_json, json);
